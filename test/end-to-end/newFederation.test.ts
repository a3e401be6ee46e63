/**
 * A new federation as the README makes it, over real processes: `init`, three hospitals that enrol with what `site enroll` writes, a
 * study that `study new` writes from a data dictionary, approvals by people and a release, and no file is edited. One hospital codes
 * its outcome as the study does not: its people are told before they approve. A study of more than a budget cannot be approved.
 */
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { LocalFederation, Member } from "../../scripts/localFederation.js";
import { seededUniform } from "../support/faultFederation.js";

const hospitals = ["st-mary", "mercy", "harbour"];
const rowsOfEach = 400;
let folder: string;
let federation: LocalFederation;

/** A command as a person types it. */
const typed = (line: string, ...more: string[]) => federation.cliOrThrow(...line.split(" "), ...more);

/** @param died - how the hospital writes whether a patient died */
function tableOf(seed: number, died: readonly [string, string]): string {
  const uniform = seededUniform(seed);
  const rows = Array.from({ length: rowsOfEach }, (_, at) => {
    const age = Math.floor(20 + 70 * uniform());
    return `${at},${age},${died[uniform() < 0.1 ? 1 : 0]}`;
  });
  return `${["patient_id,age,died", ...rows].join("\n")}\n`;
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "consilium-new-federation-"));
  federation = await LocalFederation.create(join(folder, "home"), "north-sea");
  for (const [at, id] of hospitals.entries()) {
    const path = join(folder, `${id}.csv`);
    await writeFile(path, tableOf(at + 1, id === "harbour" ? ["false", "true"] : ["0", "1"]));
    const { stdout } = await typed(`invite ${id} --json`);
    const state = join(federation.home, "sites", id);
    const { token } = JSON.parse(stdout) as { token: string };
    await typed(
      `site enroll ${token} --csv-header --table stays=${path} --unit stays=rows --console 127.0.0.1:0`,
    );
    const member = new Member("site-agent", state, federation.environment);
    federation.sites.set(id, member);
    await member.start();
  }
  await federation.waitForSites();
});
afterAll(async () => {
  await federation?.remove();
  await rm(folder, { recursive: true, force: true });
});

const started = async (path: string): Promise<string> => {
  const { stdout } = await typed(`study start ${path} --json`);
  const { id } = JSON.parse(stdout) as { id: string };
  await federation.waitForStudy(id, ({ siteStates }) =>
    siteStates.every(({ state }) => state === "awaiting approval"),
  );
  return id;
};
const newStudy = async (method: string, name: string): Promise<string> => {
  const dictionary = join(folder, "dictionary.csv");
  await writeFile(
    dictionary,
    "name,type,unit,min,max,levels\nage,integer,years,0,110,\ndied,category,,,,0|1\n",
  );
  const path = join(folder, `${name}.yaml`);
  await typed(
    `study new ${method} --name ${name} --table stays --dictionary ${dictionary} --label died --rows ${3 * rowsOfEach} --to ${path}`,
    "--title",
    "Deaths in hospital",
    "--creator",
    "Okafor, Daniel (Mercy)",
  );
  return path;
};

it("releases its first study without an edited file, and tells a hospital what of its rows cannot be used", async () => {
  const id = await started(await newStudy("describe", "first"));
  for (const site of hospitals) {
    const { stdout } = await typed(`site approve ${id} --site ${site} --yes`);
    const told = stdout.slice(0, stdout.indexOf("Approved"));
    expect(told).toContain(
      `Your data: the study uses ${site === "harbour" ? 0 : rowsOfEach} of ${rowsOfEach} rows.`,
    );
    if (site !== "harbour") continue;
    expect(told).toContain("this hospital would take part without data");
    expect(told.replaceAll(/\s+/g, " ")).toContain(`died: none of the study's levels in ${rowsOfEach} cells`);
  }
  const view = await federation.waitForRelease(id);
  expect(await (await fetch(`${view.release!.url}README.md`)).text()).toContain("Deaths in hospital");
});

it("does not offer a study for approval that the budget has no room for, and says what it needs and what is left", async () => {
  const path = await newStudy("regression", "costly");
  const text = await readFile(path, "utf8");
  await writeFile(path, text.replace("epsilon: 1,", "epsilon: 4,"));
  const id = await started(path);
  const shown = (await typed(`site show ${id} --site mercy`)).stdout;
  const short = /needs epsilon 3\.\d+, and 2\.\d+ is left of the budget of population default/;
  expect(shown.replaceAll(/\s+/g, " ")).toMatch(short);
  expect(shown).not.toContain("policy allows it");
  const refused = await federation.cli("site", "approve", id, "--site", "mercy", "--yes");
  expect(refused).toMatchObject({ code: 1, stderr: expect.stringMatching(/^\[BUDGET_EXHAUSTED\]/m) });
  expect(refused.stderr).toMatch(short);
});
