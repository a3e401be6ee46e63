import { writeFileSync } from "node:fs";
import { availableParallelism, totalmem } from "node:os";
import { join } from "node:path";
import { unwrap } from "@consilium/core/result";
import { parseStudy } from "@consilium/methods/testing/studies";
import { describe, expect, it } from "vitest";
import { temporaryFolder } from "../../testing/data/writeTable.js";
import { siteConfigSchema } from "../config.js";
import { type TableConfig, tableConfigSchema } from "../data/tableConfig.js";
import { isAdditive } from "./additive.js";
import { Engines } from "./engines.js";
import type { TableStage } from "./stage.js";
import { Totals } from "./totals.js";
import { thisMachine, usualWorkers } from "./usual.js";

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

it("adds up no two shares that have rows of one map task", () => {
  const found = { rows: 1, used: 1, faults: 0, outside: 0, overBound: 0, unsampled: 0 };
  const share = { exact: BigUint64Array.of(1n), records: 1, refused: 0, found, table: null };
  const totals = new Totals({} as TableStage);
  totals.add({ ...share, tasks: 0b101n });
  totals.add({ ...share, tasks: 0b010n });
  expect(() => totals.add({ ...share, tasks: 0b110n })).toThrow(
    expect.objectContaining({ code: "ENGINE_FAILED" }),
  );
});

const gibibyte = 1024 ** 3;
const small = { cores: 2, memoryBytes: 64 * gibibyte };

describe("which engine computes a table", () => {
  const engines = new Engines({ box: { kind: "processes", workers: 3 } }, { machine: small });

  it("is the one that its entry names, for a method that adds up over rows; another is refused with the way out", async () => {
    const named = table({ engine: "box" });
    expect((await engines.engineOf(named, additive))?.workers).toBe(3);
    expect(isAdditive(byBlocks)).toBe(false);
    await expect(engines.engineOf(named, byBlocks)).rejects.toMatchObject({
      code: "ENGINE_UNSUITABLE",
      remedy: expect.stringContaining("engine: none"),
    });
    expect(await engines.view(named)).toEqual({ name: "box", workers: 3 });
  });

  it("is the agent where the entry names none, and on a small machine where it says nothing", async () => {
    for (const own of [table({}), table({ engine: "none" })]) {
      expect(await engines.engineOf(own, additive)).toBe(null);
      expect(await engines.engineOf(own, byBlocks)).toBe(null);
      expect(await engines.view(own)).toBe(null);
    }
  });

  it("has as many workers as cores unless it says otherwise", async () => {
    const own = new Engines({ box: { kind: "processes" } }, { machine: { ...small, cores: 6 } });
    expect((await own.engineOf(table({ engine: "box" }), additive))?.workers).toBe(6);
  });

  it("is worker processes for a large table that readers can share, on a machine of many cores", async () => {
    const folder = temporaryFolder();
    const file = (name: string, bytes: number) => {
      const path = join(folder, name);
      writeFileSync(path, "x".repeat(bytes));
      return path;
    };
    const machine = { cores: 8, memoryBytes: 64 * gibibyte };
    const own = new Engines({}, { machine, largeBytes: 1000 });
    const large = table({ path: file("large.parquet", 1000) });
    expect((await own.engineOf(large, additive))?.workers).toBe(8);
    expect(await own.view(large)).toEqual({ name: "processes", workers: 8 });
    // What needs all rows in one place is the agent's, as is what the hospital says is.
    expect(await own.engineOf(large, byBlocks)).toBe(null);
    expect(await own.engineOf({ ...large, engine: "none" }, additive)).toBe(null);
    expect(await own.engineOf(table({ path: file("small.parquet", 999) }), additive)).toBe(null);
    // One CSV file has one reader, two have two.
    file("parts-0.csv", 600);
    expect(await own.engineOf(table({ path: join(folder, "parts-*.csv") }), additive)).toBe(null);
    file("parts-1.csv", 600);
    expect((await own.engineOf(table({ path: join(folder, "parts-*.csv") }), additive))?.workers).toBe(8);
    const inDatabase = { path: undefined, postgres: { url: "postgres://reader@db/own", query: "SELECT 1" } };
    expect(await own.engineOf(table(inDatabase), additive)).toBe(null);
    await own.close();
  });

  it.each([
    { cores: 3, memoryBytes: 64 * gibibyte, workers: 0 },
    { cores: 4, memoryBytes: 64 * gibibyte, workers: 4 },
    { cores: 64, memoryBytes: 64 * gibibyte, workers: 64 },
    // Half of the memory, half a gibibyte for each.
    { cores: 64, memoryBytes: 8 * gibibyte, workers: 8 },
    { cores: 64, memoryBytes: 2 * gibibyte, workers: 2 },
    { cores: 64, memoryBytes: 1.9 * gibibyte, workers: 0 },
  ])("leaves a machine its memory: %o", ({ workers, ...machine }) => {
    expect(usualWorkers(machine)).toBe(workers);
  });

  it("counts the cores and the memory that its container may use", () => {
    const folder = temporaryFolder();
    const whole = thisMachine(folder);
    expect(whole).toEqual({ cores: availableParallelism(), memoryBytes: totalmem() });
    writeFileSync(join(folder, "cpu.max"), "max 100000\n");
    writeFileSync(join(folder, "memory.max"), "max\n");
    expect(thisMachine(folder)).toEqual(whole);
    writeFileSync(join(folder, "cpu.max"), "50000 100000\n");
    writeFileSync(join(folder, "memory.max"), "4194304\n");
    expect(thisMachine(folder)).toEqual({ cores: 1, memoryBytes: 4_194_304 });
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
