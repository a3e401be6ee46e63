/**
 * A record by which a hospital's table cannot be read costs that hospital its part of the sums, and shows only at that hospital: the study
 * is released with five hospitals, charged at each, and only the people of that hospital are told.
 */
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

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "consilium-zeros-"));
  const good = await writeTable(folder, "csv", "good", rowsOf.base!, null);
  const mixed = join(folder, "mixed.csv");
  const [head, first, ...rest] = (await readFile(good.path as string, "utf8")).split("\n");
  await writeFile(mixed, `${[head, first].join("\r\n")}\n${rest.join("\r\n")}`);
  // Text that is not UTF-8: the driver ends the process that reads it.
  const poison = join(folder, "poison.sqlite");
  const database = new Database(poison);
  database.exec(`CREATE TABLE records (a TEXT, b TEXT, sex TEXT, outcome TEXT);
    INSERT INTO records VALUES ('1', '2', 'f', 'good'), ('3', '4', CAST(x'6dff' AS TEXT), 'poor')`);
  database.close();
  federation = await LocalFederation.create(join(folder, "home"), "harbour");
  for (const id of sites) {
    const member = await federation.addSite({ id, tables: {} });
    await member.stop();
    const own = { mixed: { ...good, path: mixed }, poison: { path: poison, unit: "rows" } };
    await editConfig(member.state, (config) => {
      config.tables = { good, ...(id === concerned ? own : { mixed: good, poison: good }) };
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
  }[];
}
const zerosAt = async (site: string, id: string) => {
  const { state } = federation.site(site);
  const { stdout } = await federation.cliOrThrow("site", "status", "--state", state, "--json");
  return (JSON.parse(stdout) as Status).studies.find((one) => one.id === id)!.zeros;
};
const spentAt = async (site: string, id: string) => {
  const { state } = federation.site(site);
  const { stdout } = await federation.cliOrThrow("ledger", "show", "--state", state, "--json");
  return stdout.includes(id);
};

it("is released, charged and told at home alone, where every stage meets such a record", async () => {
  const started = await federation.startStudy(studyOf("mixed", trees));
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

it("takes no other study with it where the record ends the process that reads tables", async () => {
  const bad = await Promise.all([1, 2, 3].map(() => federation.startStudy(studyOf("poison", counts))));
  const good = await federation.startStudy(studyOf("good", trees));
  for (const { id } of [...bad, good]) await federation.waitForRelease(id, 300_000);
  for (const { id } of bad)
    expect((await zerosAt(concerned, id)).map(({ code }) => code)).toEqual([
      "ENGINE_FAILED",
      "ENGINE_FAILED",
    ]);
  expect(await zerosAt(concerned, good.id)).toEqual([]);
}, 400_000);
