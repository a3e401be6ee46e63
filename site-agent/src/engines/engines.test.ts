import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { isAdditive } from "@consilium/core/method/method";
import { unwrap } from "@consilium/core/result";
import { parseStudy } from "@consilium/methods/testing/studies";
import { describe, expect, it } from "vitest";
import { temporaryFolder } from "../../testing/data/writeTable.js";
import { siteConfigSchema } from "../config.js";
import { type TableConfig, tableConfigSchema } from "../data/tableConfig.js";
import { Engines, largeRows } from "./engines.js";

const folder = temporaryFolder();

const study = (own: object) =>
  unwrap(
    parseStudy({
      name: "engines",
      table: "visits",
      features: [
        { name: "x", type: "numeric", min: 0, max: 1 },
        { name: "y", type: "numeric", min: 0, max: 1 },
      ],
      label: { name: "ill", levels: ["no", "yes"] },
      privacy: { epsilon: 4, delta: 1e-6 },
      participation: { minimumSites: 3, maxRowsPerSite: 10_000 },
      ...own,
    }),
  );
const additive = study({ analysis: "correlation-tree", method: "dp-pcc", parameters: { depth: 1 } });
const byBlocks = study({ analysis: "correlation-tree", method: "dp-pcc-s", parameters: { depth: 1 } });

const table = (more: object): TableConfig =>
  tableConfigSchema.parse({ name: "visits", path: "/nowhere/visits.csv", ...more });
const large = { expectedRows: largeRows };

describe("which engine computes a table", () => {
  const engines = new Engines({ box: { kind: "processes", workers: 3 } }, { cores: 4 });

  it("is the one that its entry names, for a method that adds up over rows; another is refused with the way out", async () => {
    const named = table({ engine: "box" });
    expect((await engines.engineOf(named, additive))?.workers).toBe(3);
    expect(isAdditive(byBlocks)).toBe(false);
    await expect(engines.engineOf(named, byBlocks)).rejects.toMatchObject({
      code: "ENGINE_UNSUITABLE",
      remedy: expect.stringContaining("engine: none"),
    });
    expect(await engines.view(named)).toEqual({ name: "box", isNamed: true, workers: 3 });
  });

  it("is the default of a large table, where a method that cannot be divided runs in the agent", async () => {
    expect((await engines.engineOf(table(large), additive))?.workers).toBe(4);
    expect(await engines.engineOf(table(large), byBlocks)).toBe(null);
    expect(await engines.engineOf(table({ expectedRows: largeRows - 1 }), additive)).toBe(null);
    expect(await engines.engineOf(table({ ...large, engine: "none" }), additive)).toBe(null);
    expect(await new Engines({}, { cores: 3 }).engineOf(table(large), additive)).toBe(null);
    const own = new Engines({ default: { kind: "processes", workers: 5 } }, { cores: 1 });
    expect((await own.engineOf(table(large), additive))?.workers).toBe(5);
  });

  it("is the agent for small files, whichever way the entry names them, and for a database", async () => {
    const path = join(folder, "person.csv");
    writeFileSync(path, "person_id,x\n1,2\n");
    const database = { url: "postgres://reader@db.example/clinic" };
    for (const entry of [
      { path },
      { duckdb: { files: { person: { path, csv: { header: true } } }, query: "FROM person" } },
      { omop: { files: folder } },
      { omop: { postgres: database } },
      { postgres: { ...database, query: "SELECT 1" } },
    ]) {
      const config = tableConfigSchema.parse({ name: "visits", ...entry });
      expect(await engines.engineOf(config, additive)).toBe(null);
      const known = { ...config, expectedRows: largeRows };
      expect((await engines.engineOf(known, additive))?.workers).toBe(4);
    }
  });

  it("must be in the configuration", () => {
    const parse = (engine: string) =>
      siteConfigSchema.safeParse({
        aggregator: "localhost:1",
        engines: { box: { kind: "processes" } },
        tables: { visits: { path: "visits.csv", engine } },
      });
    for (const known of ["box", "none"]) expect(parse(known).success).toBe(true);
    expect(parse("lake").error?.issues[0]?.message).toContain("there are: box, none");
  });
});
