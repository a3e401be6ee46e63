// Runs a study once: node firstStudy.mjs <study file>
// If one of its name is under way it is followed; if one has been released, only its address is printed.
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";

const file = process.argv[2];
const name = /^name:\s*(\S+)/m.exec(readFileSync(file, "utf8"))?.[1];
if (name === undefined) throw new Error(`${file} has no name`);

const listed = spawnSync("consilium", ["study", "list", "--json"], { encoding: "utf8" });
if (listed.status !== 0) {
  process.stderr.write(`${listed.stderr}${listed.stdout}`);
  process.exit(listed.status ?? 1);
}
const studies = JSON.parse(listed.stdout).filter((study) => study.name === name);
const released = studies.find((study) => study.status === "released");
const underWay = studies.find((study) => ["inviting", "running", "publishing"].includes(study.status));

if (released !== undefined) {
  process.stdout.write(`${released.id} has been released: ${released.releaseUrl}\n`);
} else {
  const verb = underWay === undefined ? ["start", file, "--watch"] : ["watch", underWay.id];
  const followed = spawnSync("consilium", ["study", ...verb], { stdio: "inherit" });
  process.exitCode = followed.status ?? 1;
}
