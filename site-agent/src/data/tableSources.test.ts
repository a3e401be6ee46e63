import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { coverMost } from "../tables/knownTables.js";
import { type TableConfig, tableConfigSchema } from "./tableConfig.js";
import { TableSources } from "./tableSources.js";

let folder: string;
const key = new Uint8Array(32).fill(7);
const file = (name: string) => {
  const path = join(folder, name);
  mkdirSync(join(path, ".."), { recursive: true });
  writeFileSync(path, "age\n1\n");
  return path;
};
const table = (name: string, path: string): TableConfig =>
  ({ name, path, nullValues: [] }) satisfies Partial<TableConfig> as TableConfig;
const query = (name: string, url: string): TableConfig =>
  ({
    name,
    postgres: { url, query: "SELECT 1" },
    nullValues: [],
  }) satisfies Partial<TableConfig> as TableConfig;

async function resolved(...tables: TableConfig[]): Promise<TableSources> {
  const sources = new TableSources(tables, key);
  await sources.resolve();
  return sources;
}

/** Whether spending that was booked for one table counts for the other one. */
async function follows(from: TableConfig, to: TableConfig): Promise<boolean> {
  const sources = await resolved({ ...from, name: "from" }, { ...to, name: "to" });
  const { matches } = sources.source("to")!;
  return sources.source("from")!.cover.some((id) => matches.has(id));
}

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "consilium-sources-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const joined = (name: string, ...paths: string[]): TableConfig => {
  const files = Object.fromEntries(paths.map((path, k) => [`f${k}`, { path, csv: { header: true } }]));
  return tableConfigSchema.parse({ name, duckdb: { files, query: "SELECT 1" } });
};
const exported = (name: string, fhir: object): TableConfig =>
  tableConfigSchema.parse({ name, fhir: { views: { v: "v.json" }, ...fhir } });

describe("a table's source", () => {
  it("is every file that a query or a view reads", async () => {
    const [persons, labs, other] = [file("a/persons.csv"), file("labs.csv"), file("other.csv")];
    const query = joined("joined", persons, labs);
    expect(await follows(query, table("labs", labs))).toBe(true);
    expect(await follows(table("persons", persons), query)).toBe(true);
    expect(await follows(query, joined("again", other, labs))).toBe(true);
    expect(await follows(query, table("other", other))).toBe(false);
    expect(await follows(query, joined("third", other))).toBe(false);

    const patients = file("export/Patient.ndjson");
    const folderOf = exported("export", { folder: join(folder, "export") });
    expect(await follows(folderOf, exported("named", { files: { Patient: patients } }))).toBe(true);
    expect(await follows(query, folderOf)).toBe(false);

    const many = Array.from({ length: coverMost + 4 }, (_, k) => file(`many/${k}.csv`));
    const wide = joined("wide", ...many);
    expect((await resolved(wide)).source("wide")!.cover.length).toBeLessThanOrEqual(coverMost);
    expect(await follows(wide, table("last", many.at(-1)!))).toBe(true);
  });

  it("is the file behind its links, whatever the table is called", async () => {
    const path = file("a/visits.csv");
    symlinkSync(path, join(folder, "link.csv"));
    symlinkSync(join(folder, "a"), join(folder, "folder"));
    const other = file("a/labs.csv");
    const sources = await resolved(
      table("visits", path),
      table("renamed", join(folder, "link.csv")),
      table("again", join(folder, "folder", "visits.csv")),
      table("labs", other),
    );
    expect(sources.overlaps).toEqual([
      ["visits", "renamed"],
      ["visits", "again"],
      ["renamed", "again"],
    ]);
    expect(sources.source("renamed")!.cover).toEqual(sources.source("visits")!.cover);
  });

  it("is a folder with all files in it, and a pattern is the files that fit", async () => {
    const first = file("days/1.csv");
    file("days/2.csv");
    const lungs = file("days/lungs.csv");
    const days = table("days", join(folder, "days"));
    const numbered = table("numbered", join(folder, "days", "[x]?.csv"));
    const pattern = table("pattern", join(folder, "days", "?.csv"));
    expect(await follows(days, table("one", first))).toBe(true);
    expect(await follows(table("one", first), days)).toBe(true);
    expect(await follows(pattern, table("one", first))).toBe(true);
    expect(await follows(table("one", first), pattern)).toBe(true);
    expect(await follows(pattern, days)).toBe(true);
    expect(await follows(days, pattern)).toBe(true);
    // Beside the pattern's files, and no file of it.
    expect(await follows(pattern, table("lungs", lungs))).toBe(false);
    expect(await follows(table("lungs", lungs), pattern)).toBe(false);
    // Of what is not there, the path where it will be.
    expect(await follows(numbered, numbered)).toBe(true);
    expect(await follows(numbered, pattern)).toBe(false);
  });

  it("continues as a folder's files come and go", async () => {
    file("days/1.csv");
    const days = table("days", join(folder, "days"));
    const { cover } = (await resolved(days)).source("days")!;
    rmSync(join(folder, "days", "1.csv"));
    file("days/2.csv");
    const later = (await resolved(days)).source("days")!;
    expect(cover.some((id) => later.matches.has(id))).toBe(true);
    // A folder that was renamed is another place, and its ledger name is what is left.
    renameSync(join(folder, "days"), join(folder, "moved"));
    const moved = (await resolved(table("days", join(folder, "moved")))).source("days")!;
    expect(cover.some((id) => moved.matches.has(id))).toBe(false);
  });

  it("has few hashes for many files, and every one of the files has its own still", async () => {
    const paths = Array.from({ length: 40 }, (_, n) => file(`years/${n % 20}/day-${n}.csv`));
    const many = table("many", join(folder, "years", "*", "day-*.csv"));
    const sources = await resolved(many);
    expect(sources.source("many")!.cover.length).toBeLessThanOrEqual(coverMost);
    for (const path of paths) expect(await follows(many, table("one", path))).toBe(true);
    for (const path of paths) expect(await follows(table("one", path), many)).toBe(true);
  });

  it("is the whole database of a query, by server and name, and not the user", async () => {
    const ours = query("a", "postgres://ada@DB.example.org:5432/records");
    expect(await follows(ours, query("b", "postgres://eve@db.example.org/records"))).toBe(true);
    expect(await follows(ours, query("b", "postgres://ada@db.example.org:5433/records"))).toBe(false);
    expect(await follows(ours, query("b", "postgres://ada@db.example.org/other"))).toBe(false);
  });

  it("stands in the ledger as hashes that mean nothing without the key", async () => {
    const visits = table("visits", file("visits.csv"));
    const { cover } = (await resolved(visits)).source("visits")!;
    expect(cover).toEqual([expect.stringMatching(/^[0-9a-f]{16}$/)]);
    const elsewhere = new TableSources([visits], new Uint8Array(32));
    await elsewhere.resolve();
    expect(elsewhere.source("visits")!.cover).not.toEqual(cover);
  });
});
