/**
 * Figures of single hospitals, over real processes: a study with a hospital as a level is refused by every policy that does not
 * allow it, and runs where all do; plan, approval, certificate and release name whose figures they are. A group of sites that is too
 * small is refused before anything starts.
 */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { StudyView } from "@consilium/core/operator/views";
import { afterAll, beforeAll, expect, it } from "vitest";
import { stringify } from "yaml";
import { LocalFederation, writePolicy } from "../../scripts/localFederation.js";

const hospitals = ["hospital-a", "hospital-b", "hospital-c", "hospital-d"];
const careful = "hospital-c";

const study = {
  table: "patients",
  analysis: "describe",
  method: "counts",
  variant: "sound",
  privacy: { epsilon: 1, delta: 1e-6 },
  features: [
    { name: "age", type: "numeric", min: 0, max: 100 },
    {
      name: "clinic",
      type: "categorical",
      levels: ["Hospital-B", "others"],
      map: { "hospital-b": "Hospital-B", elsewhere: "others" },
      undeclared: "reject-row",
    },
  ],
  parameters: { conditions: [{ name: "there", all: [{ column: "clinic", in: ["Hospital-B"] }] }] },
  participation: { sites: hospitals, minimumSites: 3, maxRowsPerSite: 1000, phaseDeadline: "60s" },
};

let folder: string;
let federation: LocalFederation;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "consilium-per-hospital-"));
  federation = await LocalFederation.create(join(folder, "home"), "figures");
  for (const [i, id] of hospitals.entries()) {
    const path = join(folder, `${id}.csv`);
    const rows = Array.from(
      { length: 200 + i },
      (_, row) => `${row % 100},${row % 2 === 0 ? id : "elsewhere"}`,
    );
    await writeFile(path, `age,clinic\n${rows.join("\n")}\n`);
    const approval = id === careful ? "person" : "automatic";
    await federation.addSite({ id, tables: { patients: path }, approval });
  }
  await federation.waitForSites();
});
afterAll(async () => {
  await federation?.remove();
  await rm(folder, { recursive: true, force: true });
});

const perHospital = (ids: readonly string[], allows: boolean) =>
  Promise.all(ids.map((id) => writePolicy(federation.site(id).state, { figures: { perHospital: allows } })));
const codesOf = ({ siteStates }: StudyView) => siteStates.map(({ site, code }) => `${site} ${code ?? "-"}`);
const ended = (id: string) => federation.waitForStudy(id, ({ endedAt }) => endedAt !== null);

async function written(name: string, change: object): Promise<string> {
  const file = join(folder, `${name}.yaml`);
  await writeFile(file, stringify({ ...study, ...change, name }));
  return file;
}

it("are refused by every policy that does not allow them", async () => {
  const { id } = await federation.startStudy({ ...study, name: "refused" });
  // Two of four are enough to end it: the others may not have been heard any more.
  const refused = (await ended(id)).siteStates.filter(({ code }) => code !== null);
  expect(refused.length).toBeGreaterThanOrEqual(2);
  expect(new Set(refused.map(({ code }) => code))).toEqual(new Set(["POLICY_PER_HOSPITAL"]));
  const { state } = federation.site(refused[0]!.site);
  const { stderr } = await federation.cli("site", "show", id, "--state", state);
  expect(stderr.replace(/\s+/g, " ")).toMatch(
    /clinic tells hospital-b apart from the other hospitals, and the policy allows no figures of fewer than 3 hospitals/,
  );
});

it("need all policies, not most", async () => {
  await perHospital(hospitals.slice(0, 3), true);
  const { id } = await federation.startStudy({
    ...study,
    name: "most",
    participation: { ...study.participation, minimumSites: 4 },
  });
  expect(codesOf(await ended(id))).toContain("hospital-d POLICY_PER_HOSPITAL");
});

it("are named in plan, approval, signed result and release where all policies allow them", async () => {
  await perHospital(hospitals, true);
  const words = /clinic tells hospital-b apart from the other hospitals: results show noisy figures/;
  const plan = await federation.cliOrThrow("study", "plan", await written("allowed", {}));
  expect(plan.stdout.replace(/\s+/g, " ")).toMatch(words);
  const { id } = await federation.startStudy({ ...study, name: "allowed" });
  await federation.waitForStudy(id, ({ siteStates }) =>
    siteStates.some(({ site, state }) => site === careful && state === "awaiting approval"),
  );
  const { state } = federation.site(careful);
  const shown = await federation.cliOrThrow("site", "show", id, "--state", state);
  expect(shown.stdout.replace(/\s+/g, " ")).toMatch(words);
  await federation.cliOrThrow("site", "approve", id, "--yes", "--state", state);
  const view = await federation.waitForRelease(id);
  const read = async (file: string) => (await fetch(`${view.release!.url}${file}`)).text();
  expect((await read("DICTIONARY.md")).replace(/\s+/g, " ")).toMatch(words);
  const result = JSON.parse(await read("result.json")) as { facts: Record<string, unknown> };
  expect(result.facts.perHospital).toBe("hospital-b");
});

it("are not shown by a study that invites everybody and names nobody", async () => {
  const { sites: _, ...open } = study.participation;
  await expect(federation.startStudy({ ...study, name: "open", participation: open })).rejects.toThrow(
    /clinic names hospital-b, and the study invites every enrolled site/,
  );
});

it("are those of a group that is too small, which is refused before anything starts", async () => {
  const six = [...hospitals, "hospital-e", "hospital-f"];
  const groups = (most: number) =>
    [six.slice(0, most), six.slice(most)].map((sites, i) => ({ name: `g${i}`, sites }));
  const checked = async (name: string, most: number, tolerateColluding: number) => {
    const file = await written(name, {
      features: study.features.slice(0, 1),
      parameters: { siteGroups: groups(most) },
      participation: { ...study.participation, sites: six, minimumSites: 5, tolerateColluding },
    });
    const { code, stdout, stderr } = await federation.cli("study", "validate", file);
    return `${code} ${stdout}${stderr}`.replace(/\s+/g, " ");
  };
  expect(await checked("two-of-six", 2, 1)).toMatch(/^[1-9].*at least 3/);
  expect(await checked("three-of-six", 3, 2)).toMatch(
    /^[1-9].*group g0 has 3 of the sites, at least 4 are needed/,
  );
  expect(await checked("enough", 3, 1)).toMatch(/^0 /);
});
