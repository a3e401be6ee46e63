/**
 * Rows that cannot be read cost their hospital its part of the sums, and show only at that hospital: the study is released with five
 * hospitals, charged at each, and only the people of that hospital are told.
 */
import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "libsql";
import { afterAll, beforeAll, expect, it } from "vitest";
import { editConfig, LocalFederation } from "../../scripts/localFederation.js";
import { rowsAllowed, tables as rowsOf, writeTable } from "./tables.js";

const concerned = "hospital-a";
const sites = ["a", "b", "c", "d", "e"].map((letter) => `hospital-${letter}`);

let folder: string;
let federation: LocalFederation;
let poison: string;

const pageBytes = 4096;
async function records(name: string, count: number): Promise<string> {
  const path = join(folder, `${name}.sqlite`);
  const database = new Database(path);
  database.exec(`PRAGMA page_size = ${pageBytes};
    CREATE TABLE records (a TEXT, b TEXT, sex TEXT, outcome TEXT);
    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${count})
    INSERT INTO records SELECT '1', '2', 'f', 'good' FROM n`);
  database.close();
  return path;
}

/** Ends the processes that read a file, as a fault of its driver would: no driver is known that a record still ends. */
function endReadersOf(path: string): () => void {
  const timer = setInterval(() => {
    for (const pid of readdirSync("/proc").filter((name) => /^\d+$/.test(name)))
      try {
        if (!readFileSync(`/proc/${pid}/cmdline`, "utf8").includes("tables/main.js")) continue;
        const opened = readdirSync(`/proc/${pid}/fd`).map((fd) => readlinkSync(`/proc/${pid}/fd/${fd}`));
        if (opened.includes(path)) process.kill(Number(pid), "SIGKILL");
      } catch {
        // It ended meanwhile, or is another user's.
      }
  }, 50);
  return () => clearInterval(timer);
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "consilium-zeros-"));
  const good = await writeTable(folder, "csv", "good", rowsOf.base!, null);
  // Its first page, with the schema, is whole; of the others none is.
  const spoiled = await records("spoiled", rowsAllowed);
  const bytes = await readFile(spoiled);
  await writeFile(spoiled, bytes.fill(0xff, pageBytes));
  // Long enough that its reading is met by who ends it.
  poison = await records("poison", 1_000_000);
  // One row in three has an outcome that the study does not know.
  const spelled = rowsOf.base!.map((one, i) => (i % 3 === 0 ? { ...one, outcome: "Good" } : one));
  const few = await writeTable(folder, "csv", "few", spelled, null);
  federation = await LocalFederation.create(join(folder, "home"), "harbour");
  for (const id of sites) {
    const member = await federation.addSite({ id, tables: {} });
    await member.stop();
    const own = { few, spoiled: { path: spoiled, unit: "rows" }, poison: { path: poison, unit: "rows" } };
    await editConfig(member.state, (config) => {
      config.tables = { good, ...(id === concerned ? own : { few: good, spoiled: good, poison: good }) };
    });
    await member.start();
  }
  await federation.waitForSites();
}, 240_000);

afterAll(async () => {
  await federation?.remove();
  await rm(folder, { recursive: true, force: true });
});

const studyOf = (table: string, more: object) => ({
  name: `spoiled-${table}`,
  table,
  variant: "sound",
  features: [
    { name: "a", type: "numeric", min: 0, max: 100 },
    { name: "sex", type: "categorical", levels: ["f", "m"] },
  ],
  label: { name: "outcome", levels: ["good", "poor"] },
  privacy: { epsilon: 5, delta: 1e-5 },
  participation: { sites, minimumSites: 5, maxRowsPerSite: rowsAllowed, phaseDeadline: "5m" },
  ...more,
});
const trees = { analysis: "correlation-tree", method: "dp-pcc", parameters: { depth: 2, bins: 4 } };
const counts = { analysis: "describe", label: undefined, parameters: { bins: 4 } };

interface Status {
  readonly studies: readonly {
    readonly id: string;
    readonly zeros: readonly { readonly step: string; readonly code: string }[];
    readonly fewUsed: { readonly used: number; readonly meant: number } | null;
  }[];
}
const studyAt = async (site: string, id: string) => {
  const { state } = federation.site(site);
  const { stdout } = await federation.cliOrThrow("site", "status", "--state", state, "--json");
  return (JSON.parse(stdout) as Status).studies.find((one) => one.id === id)!;
};
const zerosAt = async (site: string, id: string) => (await studyAt(site, id)).zeros;
const spentAt = async (site: string, id: string) => {
  const { state } = federation.site(site);
  const { stdout } = await federation.cliOrThrow("ledger", "show", "--state", state, "--json");
  return stdout.includes(id);
};

it("is released, charged and told at home alone, where every stage meets such rows", async () => {
  const started = await federation.startStudy(studyOf("spoiled", trees));
  await federation.waitForRelease(started.id, 300_000);
  const zeros = await zerosAt(concerned, started.id);
  expect(new Set(zeros.map(({ code }) => code))).toEqual(new Set(["TABLE_UNREADABLE"]));
  expect(zeros.length).toBeGreaterThan(1);
  expect(await zerosAt("hospital-b", started.id)).toEqual([]);
  expect(await spentAt(concerned, started.id)).toBe(true);
  // What the aggregator keeps and logs says nothing of it.
  const logged = await federation.aggregator.log();
  expect(logged).not.toMatch(/TABLE_UNREADABLE|answered with zeros/);
  const told = await federation.cliOrThrow("site", "status", "--state", federation.site(concerned).state);
  expect(told.stdout).toContain("answered as of an empty table");
}, 400_000);

it("takes no other study with it where reading ends the process that reads tables", async () => {
  const stopEnding = endReadersOf(poison);
  const bad = await Promise.all([1, 2, 3].map(() => federation.startStudy(studyOf("poison", counts))));
  const good = await federation.startStudy(studyOf("good", trees));
  for (const { id } of [...bad, good]) await federation.waitForRelease(id, 300_000);
  stopEnding();
  for (const { id } of bad)
    expect((await zerosAt(concerned, id)).map(({ code }) => code)).toEqual([
      "ENGINE_FAILED",
      "ENGINE_FAILED",
    ]);
  expect(await zerosAt(concerned, good.id)).toEqual([]);
}, 400_000);

it("is joined without a person where few rows are used, and told at home until somebody has looked", async () => {
  const { id } = await federation.startStudy(studyOf("few", trees));
  await federation.waitForRelease(id, 300_000);
  expect((await studyAt(concerned, id)).fewUsed).toEqual({ used: 40, meant: 60 });
  expect((await studyAt("hospital-b", id)).fewUsed).toBeNull();
  const { state } = federation.site(concerned);
  const told = await federation.cliOrThrow("site", "status", "--state", state);
  expect(told.stdout).toContain(`study ${id} uses 40 of 60 rows: it was joined automatically`);
  // With the policy's share of 80 % the study would use too few; the exit code says so.
  const looked = await federation.cli("site", "profile", id, "--state", state);
  expect([looked.code, looked.stdout]).toEqual([1, expect.stringContaining("40 of 60 rows (67%)")]);
  expect((await studyAt(concerned, id)).fewUsed).toBeNull();
}, 400_000);
