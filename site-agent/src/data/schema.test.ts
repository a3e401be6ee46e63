import { mkdtempSync } from "node:fs";
import { rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { writeTable } from "../../testing/data/writeTable.js";
import { describeDeclared } from "./schema.js";
import { tableConfigSchema } from "./tableConfig.js";

const folder = mkdtempSync(join(tmpdir(), "declared-"));
afterAll(() => rm(folder, { recursive: true }));

async function declared(config: object): Promise<string[]> {
  const { columns } = await describeDeclared(tableConfigSchema.parse({ name: "records", ...config }));
  return columns.map(({ name, type }) => `${name} ${type}`);
}

async function file(name: string, text: string): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, text);
  return path;
}

describe("columns that may be sent", () => {
  it("are those of a CSV file only where somebody has said that they are names", async () => {
    const path = await file("visits.csv", "Smith,Anna,HIV,F\nJones,Bob,none,M\n");
    expect(await declared({ path })).toEqual([]);
    expect(await declared({ path, csv: { header: false, names: ["a", "b", "c", "d"] } })).toEqual([
      "a any",
      "b any",
      "c any",
      "d any",
    ]);
    const named = await file("named.csv", "last,first,dx,sex\nSmith,Anna,HIV,F\n");
    expect(await declared({ path: named })).toEqual([]);
    expect(await declared({ path: named, csv: { header: true } })).toEqual([
      "last any",
      "first any",
      "dx any",
      "sex any",
    ]);
  });

  it("do not depend on a record", async () => {
    const names = { csv: { header: false, names: ["a", "b"] } };
    for (const text of ["1,2\n", "1,2,3\n", ""])
      expect(await declared({ path: await file("records.csv", text), ...names })).toEqual(["a any", "b any"]);
    const header = { csv: { header: true } };
    for (const rows of ["", "1,2\n", "x\n"])
      expect(await declared({ path: await file("headed.csv", `a,b\n${rows}`), ...header })).toEqual([
        "a any",
        "b any",
      ]);
    const listed = { columns: ["a"] };
    for (const text of ['{"a": 1, "Smith": 2}\n', ""]) {
      const path = await file("records.jsonl", text);
      expect(await declared({ path })).toEqual([]);
      expect(await declared({ path, ...listed })).toEqual(["a any"]);
    }
  });

  it("have the types of a schema", async () => {
    const path = await writeTable("parquet", join(folder, "typed"), {
      names: ["n", "t"],
      rows: [[1.5, "a"]],
    });
    expect(await declared({ path })).toEqual(["n number", "t text"]);
  });

  it("are none of a table that cannot be read", async () =>
    expect(await declared({ path: join(folder, "gone.csv"), csv: { header: true } })).toEqual([]));

  it("are listed for JSON lines alone, each once", () => {
    const fault = (config: object) =>
      tableConfigSchema.safeParse({ name: "r", ...config }).error?.issues[0]?.message;
    expect(fault({ path: "r.jsonl", columns: ["a"] })).toBeUndefined();
    expect(fault({ path: "r.parquet", columns: ["a"] })).toContain("only for jsonl, not for parquet");
    expect(fault({ path: "r.jsonl", columns: ["a", "a"] })).toContain("differ");
  });
});
