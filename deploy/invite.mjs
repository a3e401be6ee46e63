// Invites the hospitals of docker-compose.yml that have not enrolled yet: node invite.mjs <hospital>…
// Each token goes into that hospital's own volume, /invitations/<hospital>; one that was used is removed.
import { spawnSync } from "node:child_process";
import { renameSync, rmSync, writeFileSync } from "node:fs";

const known = new Map(consilium("sites").map((site) => [site.id, site]));
const open = new Set(consilium("invitation", "list").map(({ site }) => site));
for (const hospital of process.argv.slice(2)) {
  const file = `/invitations/${hospital}/token`;
  if ((known.get(hospital)?.signingKeyFingerprint ?? null) !== null) {
    rmSync(file, { force: true });
    process.stdout.write(`${hospital} has enrolled.\n`);
    continue;
  }
  // Withdrawn and not replaced: should the hospital enrol just now, the invitation below is refused.
  if (open.has(hospital)) consilium("invitation", "withdraw", hospital);
  const { token, expiresAt } = consilium("invite", hospital);
  writeFileSync(`${file}.part`, `${token}\n`, { mode: 0o600 });
  renameSync(`${file}.part`, file);
  process.stdout.write(`${hospital} is invited until ${expiresAt}.\n`);
}

function consilium(...args) {
  const { status, stdout, stderr, error } = spawnSync("consilium", [...args, "--json"], { encoding: "utf8" });
  if (error !== undefined) throw error;
  if (status === 0) return JSON.parse(stdout);
  process.stderr.write(stderr + stdout);
  process.exit(status ?? 1);
}
