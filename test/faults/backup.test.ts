/** Every state is backed up while its process runs and a study is under way, lost, and restored. */
import { mkdir, readdir, rename, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import type { StudyView } from "@consilium/core/operator/views";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { Member } from "../../scripts/localFederation.js";
import { FaultFederation } from "../support/faultFederation.js";
import { limitByProgress } from "../support/limitByProgress.js";

limitByProgress();

const sites = ["alpha", "beta", "gamma"];
const gamma = "gamma";

let federation: FaultFederation;
let passphraseFile: string;
let released: StudyView;

beforeAll(async () => {
  federation = await FaultFederation.create({ alpha: 3_000, beta: 3_000, gamma: 3_000 });
  passphraseFile = join(federation.home, "passphrase");
  await writeFile(passphraseFile, "a passphrase of this test\n");
});
afterAll(() => federation?.remove());

function study(name: string): object {
  return {
    name,
    table: "records",
    analysis: "pca",
    method: "dp-pca",
    variant: "sound",
    privacy: { epsilon: 1, delta: 1e-6 },
    parameters: { components: 2 },
    participation: { sites, minimumSites: 3, maxRowsPerSite: 10_000, phaseDeadline: "30s" },
    label: { name: "outcome", levels: ["no", "yes"] },
    features: ["f01", "f02", "f03"].map((feature) => ({ name: feature, type: "numeric", min: -10, max: 10 })),
  };
}

const start = (name: string) => federation.local.startStudy(study(name));
const at = (name: string) => join(federation.home, name);

async function json(...args: string[]) {
  const { stdout } = await federation.local.cliOrThrow(...args, "--json");
  return JSON.parse(stdout.trim().split("\n").at(-1)!);
}

/** The folder is gone, and the one of the backup takes its place. */
async function loseAndRestore(member: Member, backup: string, ...args: string[]): Promise<void> {
  await member.stop("SIGKILL");
  await rename(member.state, `${member.state}-lost`);
  await federation.local.cliOrThrow("restore", backup, "--state", member.state, ...args);
  await member.start();
}

it("takes backups of running processes without disturbing a study", async () => {
  released = await federation.ended(await start("before"), "released");
  const under = await start("under-way");
  await federation.opened(under, "join");
  const { aggregator, local } = federation;
  for (const [role, member] of [
    ["aggregator", aggregator],
    ["publisher", local.publisher],
  ] as const) {
    const made = await json("backup", role, "--state", member.state, "--to", at(`${role}.tar`));
    expect(made).toMatchObject({ role, records: "inside", encrypted: false });
  }
  const site = ["backup", "site", "--state", federation.site(gamma).state, "--to", at("gamma.sealed")];
  expect(await json(...site, "--passphrase-file", passphraseFile)).toMatchObject({ encrypted: true });
  // Into a folder that keeps one a day: the older one goes, what is not a backup stays.
  await mkdir(at("rotated"));
  const older = "site-gamma-20200101T000000Z.tar.age";
  for (const name of [older, "notes.txt"]) await writeFile(join(at("rotated"), name), "");
  const rotated = [...site.slice(0, 4), "--into", at("rotated"), "--keep", "daily=1"];
  const made = await json(...rotated, "--passphrase-file", passphraseFile);
  expect(made).toMatchObject({ encrypted: true, removed: [older] });
  expect((await readdir(at("rotated"))).sort()).toEqual(["notes.txt", basename(made.to)]);
  // A drill on the new one: nothing of it stays.
  const drill = await json("restore", made.to, "--drill", "--passphrase-file", passphraseFile);
  expect(drill.checks.map(({ id, status }: { id: string; status: string }) => `${id} ${status}`)).toEqual([
    "files ok",
    "database ok",
    "identity ok",
    "config ok",
    "ledger ok",
  ]);
  await federation.verify(await federation.ended(under, "released"));
  // What is spent after the backups is missing in them.
  await federation.ended(await start("later"), "released");
});

it("restores a site, which spends nothing until its ledger is reconciled", async () => {
  const site = federation.site(gamma);
  await loseAndRestore(site, at("gamma.sealed"), "--passphrase-file", passphraseFile);
  await federation.waitForPresence([gamma], "online");
  expect(await site.log()).toMatch(/the state was restored from a backup/);
  const refused = await federation.ended(await start("too-early"), "failed");
  expect(refused.failure?.code).toBe("ROSTER_TOO_SMALL");
  const { stdout } = await federation.local.cliOrThrow("site", "status", "--state", site.state, "--json");
  expect(stdout).toContain("LEDGER_BEHIND");
  // The backup's anchor is as old as its ledger: what the newer entries spent, a person has to say.
  const reconcile = ["ledger", "reconcile", "--state", site.state, "--yes"];
  expect((await federation.local.cli(...reconcile)).code).not.toBe(0);
  await federation.local.cliOrThrow(...reconcile, "--charge", "2");
  await federation.ended(await start("reconciled"), "released");
});

it("restores aggregator and publisher, which continue with the sites that were enrolled", async () => {
  await loseAndRestore(federation.local.publisher, at("publisher.tar"));
  await loseAndRestore(federation.aggregator, at("aggregator.tar"));
  await federation.waitForPresence(sites, "online");
  await federation.verify(released);
  const views = await federation.local.api<StudyView[]>("GET", "/api/studies");
  for (const view of views.filter((one) => one.endedAt === null)) {
    await federation.local.api("POST", `/api/studies/${view.id}/cancel`);
  }
  const after = await federation.ended(await start("after"), "released");
  await federation.verify(after);
});

it("continues with a new issuing key and new server certificates", async () => {
  const { aggregator, local } = federation;
  await local.cliOrThrow("renew", "issuing");
  await local.publisher.stop();
  await local.publisher.start();
  await aggregator.stop();
  await aggregator.start();
  await federation.waitForPresence(sites, "online");
  await federation.verify(await federation.ended(await start("renewed"), "released"));
  await federation.verify(released);
});
