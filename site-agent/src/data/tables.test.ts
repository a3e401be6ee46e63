import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { beforeAll, describe, expect, it } from "vitest";
import { temporaryFolder } from "../../testing/data/writeTable.js";
import { documentOf } from "../../testing/engines/stages.js";
import { processSecret } from "./rowHash.js";
import { tableConfigSchema } from "./tableConfig.js";
import { ConfiguredTables } from "./tables.js";

const folder = temporaryFolder();
const rows = 40_000;
const names = ["visits", "stays"];

beforeAll(async () => {
  const lines = Array.from({ length: rows }, (_, i) => `${(i % 7) / 7},${(i % 11) / 11},${i % 2}`);
  for (const name of names) writeFileSync(join(folder, `${name}.csv`), `x,y,ill\n${lines.join("\n")}\n`);
  // Files that changed a moment ago are read anew.
  await sleep(2100);
});

const study = (table: string) =>
  documentOf({
    name: "held",
    table,
    analysis: "correlation-tree",
    method: "dp-pcc",
    parameters: { depth: 2 },
    features: ["x", "y"].map((name) => ({ name, type: "numeric", min: 0, max: 1 })),
    label: { name: "ill", levels: ["0", "1"] },
    privacy: { epsilon: 4, delta: 1e-6 },
    participation: { sites: ["a", "b", "c"], minimumSites: 3, maxRowsPerSite: 100_000 },
  }).study;

/** Tables with so much memory, of which a quarter is held; `stage` answers whether it read the file. */
function tablesWith(memoryBytes: number) {
  const configs = names.map((name) =>
    tableConfigSchema.parse({ name, path: join(folder, `${name}.csv`), csv: { header: true } }),
  );
  const tables = new ConfiguredTables(configs, folder, processSecret, null, memoryBytes);
  const stage = async (table: string) => {
    let isRead = false;
    let counted = 0;
    const found = () => {
      isRead = true;
    };
    for await (const block of tables.read(study(table), found)) counted += block.rows;
    expect(counted).toBe(rows);
    return isRead;
  };
  return { tables, stage };
}

describe("a table that is read at every stage", () => {
  /** Three blocks of 16,384 rows, of two features and a label, with the label's levels beside. */
  const needs = 3 * 16_384 * 3 * 8 + rows * 2;

  it("is parsed once over several stages where it fits in a quarter of the memory", async () => {
    const { tables, stage } = tablesWith(4 * needs);
    expect([await stage("visits"), await stage("visits"), await stage("visits")]).toEqual([
      true,
      false,
      false,
    ]);
    expect(tables.memoryOf("visits")).toEqual({ needs, holds: needs, memory: 4 * needs });
    expect(tables.memoryOf("stays").needs).toBe(null);
  });

  it("is parsed at each stage where it needs more", async () => {
    const { tables, stage } = tablesWith(4 * needs - 4);
    expect([await stage("visits"), await stage("visits"), await stage("visits")]).toEqual([true, true, true]);
    expect(tables.memoryOf("visits")).toEqual({ needs, holds: needs - 1, memory: 4 * needs - 4 });
  });

  it("stays held beside one that has no room with it, which is held once nobody asks for the first", async () => {
    const { stage } = tablesWith(6 * needs);
    for (const isFirst of [true, false, false])
      expect([await stage("visits"), await stage("stays")]).toEqual([isFirst, true]);
    expect([await stage("stays"), await stage("stays"), await stage("visits")]).toEqual([true, false, true]);
  });

  it("is held beside another where both have room", async () => {
    const { stage } = tablesWith(8 * needs);
    for (const isFirst of [true, false])
      expect([await stage("visits"), await stage("stays")]).toEqual([isFirst, isFirst]);
  });
});
