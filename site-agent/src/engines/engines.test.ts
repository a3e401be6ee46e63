import { unwrap } from "@consilium/core/result";
import { parseStudy } from "@consilium/methods/testing/studies";
import { describe, expect, it } from "vitest";
import { siteConfigSchema } from "../config.js";
import { type TableConfig, tableConfigSchema } from "../data/tableConfig.js";
import { isAdditive } from "./additive.js";
import { Engines } from "./engines.js";
import type { TableStage } from "./stage.js";
import { Totals } from "./totals.js";

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
  const found = { rows: 1, used: 1, faults: 0, overBound: 0, unsampled: 0 };
  const share = { exact: BigUint64Array.of(1n), records: 1, refused: 0, found, table: null };
  const totals = new Totals({} as TableStage);
  totals.add({ ...share, tasks: 0b101n });
  totals.add({ ...share, tasks: 0b010n });
  expect(() => totals.add({ ...share, tasks: 0b110n })).toThrow(
    expect.objectContaining({ code: "ENGINE_FAILED" }),
  );
});

describe("which engine computes a table", () => {
  const engines = new Engines({ box: { kind: "processes", workers: 3 } }, { cores: 4 });

  it("is the one that its entry names, for a method that adds up over rows; another is refused with the way out", () => {
    const named = table({ engine: "box" });
    expect(engines.engineOf(named, additive)?.workers).toBe(3);
    expect(isAdditive(byBlocks)).toBe(false);
    expect(() => engines.engineOf(named, byBlocks)).toThrow(
      expect.objectContaining({
        code: "ENGINE_UNSUITABLE",
        remedy: expect.stringContaining("engine: none"),
      }),
    );
    expect(engines.view(named)).toEqual({ name: "box", workers: 3 });
  });

  it("is the agent where the entry names none", () => {
    for (const own of [table({}), table({ engine: "none" })]) {
      expect(engines.engineOf(own, additive)).toBe(null);
      expect(engines.engineOf(own, byBlocks)).toBe(null);
      expect(engines.view(own)).toBe(null);
    }
  });

  it("has as many workers as cores unless it says otherwise", () => {
    const own = new Engines({ box: { kind: "processes" } }, { cores: 6 });
    expect(own.engineOf(table({ engine: "box" }), additive)?.workers).toBe(6);
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
