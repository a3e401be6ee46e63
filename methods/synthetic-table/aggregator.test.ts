import { seededRandom } from "@consilium/core/testing/privacy/random";
import { describe, expect, it } from "vitest";
import { releasedWithRows } from "../testing/aggregatorSums.js";
import { noRandom } from "../testing/describe.js";
import { onRosterOfAll } from "../testing/rosterOfAll.js";
import {
  drawnStays,
  type Stay,
  simulateSynthetic,
  stayBlock,
  syntheticStudy,
} from "../testing/syntheticTable.js";
import { syntheticTableModelSchema } from "./model.js";
import { pairQualities } from "./quality.js";
import { releasedParts } from "./release.js";
import type { SyntheticTableStudy } from "./study.js";
import { drawnRows } from "./syntheticRows.js";
import { pairProbabilities } from "./treeModel.js";

const stays = drawnStays(3000, "aggregator");
const own = [stays.slice(0, 1700), stays.slice(1700), []].map((part) => [stayBlock(part)]);
const cellsOf = ([age, sex, ward, days]: Stay) => [
  Number.isNaN(age) ? 5 : [20, 40, 60, 80].filter((edge) => age >= edge).length,
  sex,
  ward,
  [1, 3, 7, 14, 30].filter((edge) => days >= edge).length,
];

/** The aggregator's own program, with all sites in one process. */
async function released(study: SyntheticTableStudy, seed: string, tables = own) {
  const { result, parts } = await releasedWithRows({
    study: onRosterOfAll(study, tables),
    tables,
    random: seededRandom(seed),
  });
  return { result, parts, model: syntheticTableModelSchema.parse(result.model) };
}

const exact = syntheticStudy({ privacy: "none" });

describe("synthetic rows without noise", () => {
  it("are drawn from the same model wherever the records lie, of which tree and tables are those of all records", async () => {
    const federated = await simulateSynthetic(exact, own, noRandom);
    const central = await simulateSynthetic(exact, [[stayBlock(stays)]], noRandom);
    expect(federated.model).toEqual(central.model);
    expect(federated.tables.sums).toEqual(central.tables.sums);
    const pairs = pairProbabilities(central.model);
    const cells = stays.map(cellsOf);
    for (const column of [1, 2, 3]) {
      const parent = central.model.parents[column]!;
      const table = pairs(parent, column);
      const width = [6, 3, 3, 6][column]!;
      table.forEach((part, cell) => {
        const [a, b] = [Math.floor(cell / width), cell % width];
        const count = cells.filter((one) => one[parent] === a && one[column] === b).length;
        expect(part * stays.length).toBeCloseTo(count, 6);
      });
    }
    // Days hang on age or ward, and nothing on the sex, which is drawn by itself.
    expect(central.model.parents[3]).not.toBe(1);
    expect(central.model.parents[2]).not.toBe(1);
  });

  it("are as many as the records, missing values among them, and show in which pairs they differ", async () => {
    const { result, parts, model } = await released(exact, "exact");
    expect(model.records).toEqual({ count: 3000, noiseStdDev: 0 });
    expect(result.table!.rows.rows).toBe(3000);
    expect(result.table!.columns.map(({ name, type }) => [name, type])).toEqual([
      ["age", "number"],
      ["days", "number"],
      ["sex", "level"],
      ["ward", "level"],
    ]);
    expect(result.table!.columns[0]).toMatchObject({ unit: "years", mayBeMissing: true });
    const ages = parts.flatMap(({ values, rows }) => Array.from({ length: rows }, (_, r) => values[2 * r]!));
    const missing = stays.filter(([age]) => Number.isNaN(age)).length;
    expect(Math.abs(ages.filter((age) => Number.isNaN(age)).length - missing)).toBeLessThanOrEqual(1);
    expect(ages.every((age) => Number.isNaN(age) || Number.isInteger(age))).toBe(true);
    expect(Math.max(...ages.filter((age) => !Number.isNaN(age)))).toBeLessThanOrEqual(100);
    const [tree, pairs] = result.tables!;
    expect(tree!.rows).toHaveLength(3);
    expect(pairs!.rows).toHaveLength(6);
    expect(pairs!.rows.filter(([, , inTree]) => inTree === "yes")).toHaveLength(3);
    for (const [, , inTree, , , distance, noise] of pairs!.rows) {
      expect(noise).toBe(0);
      if (inTree === "yes") expect(distance).toBeLessThan(1e-9);
    }
    expect(result.finding).toMatchObject({ isClear: true, by: "share" });
  });
});

describe("a noisy release", () => {
  it("can be drawn again from its model and seed, to the last digit", async () => {
    const study = syntheticStudy({ parameters: { coarse: 4, rows: 500, decimals: [["age", 0]] } });
    const { parts, model } = await released(study, "again");
    expect(model.rows.count).toBe(500);
    const again = {
      margins: model.columns.map(({ probabilities }) => Float64Array.from(probabilities)),
      conditionals: model.columns.map(({ given }) => given && Float64Array.from(given.probabilities)),
      parents: model.columns.map(({ given }) => given?.column ?? -1),
      order: model.order,
    };
    const { count, seed } = model.rows;
    const drawn = [...releasedParts(study, drawnRows(again, count, seed), seed)];
    expect(drawn).toEqual(parts);
  });

  it("says how far its tables are off: the noise that is seen is the noise that is expected", async () => {
    const study = syntheticStudy({ privacy: { epsilon: 0.5, delta: 1e-6 } });
    let [seen, expected, off, stated] = [0, 0, 0, 0];
    const cells = stays.map(cellsOf);
    for (let seed = 0; seed < 20; seed++) {
      const result = await simulateSynthetic(study, own, seededRandom(`quality ${seed}`));
      const { total } = result;
      // Of 20 normal numbers one beyond four deviations has a probability of 0.0013.
      expect(Math.abs(total.noisy - 3000)).toBeLessThan(4 * total.stdDev);
      const pairs = pairProbabilities(result.model);
      for (const { columns, isInTree, seen: one, table } of pairQualities(study, result)) {
        if (!isInTree) continue;
        seen += one!.distance;
        expected += one!.noise;
        stated += table!.noise;
        const [a, b] = columns;
        const width = [6, 3, 3, 6][b]!;
        const modelled = pairs(a, b);
        const records = modelled.map(
          (_, cell) =>
            cells.filter((of) => of[a] === Math.floor(cell / width) && of[b] === cell % width).length / 3000,
        );
        off += modelled.reduce((sum, part, cell) => sum + Math.abs(part - records[cell]!) / 2, 0);
      }
    }
    // The model carries the second sum's noise too, which is smoothed.
    expect(seen / expected).toBeGreaterThan(0.9);
    expect(seen / expected).toBeLessThan(1.25);
    expect(off / stated).toBeLessThan(1);
    expect(off / stated).toBeGreaterThan(0.3);
  });

  it("of hardly any records says first that noise explains it, and has rows only where they are asked for", async () => {
    const few = [[stayBlock(stays.slice(0, 3))], [stayBlock([])], [stayBlock([])]];
    const privacy = { epsilon: 0.1, delta: 1e-6 };
    const { result, parts } = await released(syntheticStudy({ privacy }), "few", few);
    expect(result.finding).toMatchObject({ text: "finding.noise {}", isClear: false });
    expect(parts.flatMap(({ values }) => [...values]).filter((value) => value > 100)).toEqual([]);
    const asked = await released(syntheticStudy({ privacy, parameters: { rows: 40 } }), "few", few);
    expect(asked.result.table!.rows.rows).toBe(40);
    expect((await released(syntheticStudy(), "many")).result.finding).toMatchObject({ isClear: true });
  });

  it("of two columns needs one sum", async () => {
    const study = syntheticStudy({
      features: [
        { name: "ward", type: "categorical", levels: ["a", "b", "c"] },
        { name: "sex", type: "categorical", levels: ["f", "m"] },
      ],
      parameters: {},
    });
    const block = {
      rows: stays.length,
      columns: [2, 1].map((column) => Float64Array.from(stays, (stay) => stay[column]!)),
      labels: null,
    };
    const { result, model } = await released(study, "two", [
      [block],
      [{ ...block, rows: 0, columns: [0, 1].map(() => new Float64Array(0)) }],
      [],
    ]);
    expect(model.pairs).toEqual([]);
    expect(result.tables![1]!.rows[0]!.slice(3)).toEqual([null, expect.any(Number), null, null]);
    expect(result.table!.rows.rows).toBe(Math.round(model.records.count));
  });
});
