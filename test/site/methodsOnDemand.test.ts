/**
 * Which methods' code comes into the process that sees records, by Node's own account of its modules: that of studies which the
 * hospital's policy allows, and of no other.
 */
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, it } from "vitest";
import { LocalFederation } from "../../scripts/localFederation.js";

const program = [
  "--import",
  new URL("moduleLog.mjs", import.meta.url).href,
  fileURLToPath(new URL("../../site-agent/dist/main.js", import.meta.url)),
];
/** The first one's policy allows `describe` alone; the others continue without it. */
const hospitals = ["hospital-a", "hospital-b", "hospital-c", "hospital-d"];

const studyOf = (name: string, more: object) => ({
  name,
  table: "patients",
  features: [
    { name: "age", type: "numeric", min: 0, max: 100 },
    { name: "weight", type: "numeric", min: 0, max: 200 },
  ],
  privacy: { epsilon: 1, delta: 1e-6 },
  participation: { minimumSites: 3, maxRowsPerSite: 1000, phaseDeadline: "60s" },
  ...more,
});
const describing = studyOf("described", { analysis: "describe", parameters: { bins: 4 } });
const reducing = studyOf("reduced", {
  analysis: "pca",
  parameters: { components: 1 },
});

let folder: string;
let federation: LocalFederation;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "consilium-on-demand-"));
  federation = await LocalFederation.create(join(folder, "home"), "on-demand");
  for (const id of hospitals) {
    const path = join(folder, `${id}.csv`);
    const lines = Array.from({ length: 60 }, (_, i) => `${20 + i},${50 + ((i * 7) % 60)}`);
    await writeFile(path, `age,weight\n${lines.join("\n")}\n`);
    const policy = id === "hospital-a" ? { analyses: ["describe"] } : {};
    await federation.addSite({ id, tables: { patients: path }, allowPaperVariants: false, policy, program });
  }
  await federation.waitForSites();
});
afterAll(async () => {
  await federation?.remove();
  await rm(folder, { recursive: true, force: true });
});

/** The folders of methods and packages of methods from which a site's agent has loaded a module. */
async function loadedBy(site: string): Promise<string[]> {
  const log = await readFile(join(federation.site(site).state, "modules.log"), "utf8");
  expect(log).toContain("/site-agent/dist/process.js\n");
  const found = log.matchAll(/\/(methods(?:-paper)?)\/dist\/([^/\n]+)(?:\/|\.js\n)/g);
  return [...new Set([...found].map(([, , name]) => name!))].filter((name) => name !== "shared").sort();
}

it("is of no method before there is a study", async () => {
  for (const site of hospitals) expect(await loadedBy(site)).toEqual(["registry"]);
});

it("is not of a method that the policy does not allow: the study is refused unread", async () => {
  const { id } = await federation.startStudy(reducing);
  expect((await federation.waitForRelease(id)).status).toBe("released");
  expect(await readFile(federation.site("hospital-a").logPath, "utf8")).toContain("POLICY_ANALYSIS");
  expect(await loadedBy("hospital-a")).toEqual(["registry"]);
  // The same study, where nothing speaks against it.
  expect(await loadedBy("hospital-b")).toEqual(["dp-pca", "registry"]);
});

it("is of the methods of the studies that it takes part in", async () => {
  const { id } = await federation.startStudy(describing);
  expect((await federation.waitForRelease(id)).status).toBe("released");
  expect(await loadedBy("hospital-a")).toEqual(["describe", "registry"]);
  expect(await loadedBy("hospital-c")).toEqual(["describe", "dp-pca", "registry"]);
});
