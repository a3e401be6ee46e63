import fc from "fast-check";
import seedrandom from "seedrandom";
import { describe, expect, it } from "vitest";
import { binOf } from "../shared/columns/binning.js";
import { countedFeatures } from "../shared/columns/counted.js";
import { syntheticStudy } from "../testing/syntheticTable.js";
import { dealt, drawnRows } from "./syntheticRows.js";
import { columnValues, drawnValue } from "./values.js";

const model = {
  parents: [-1, 0, 1],
  order: [0, 1, 2],
  margins: [Float64Array.of(0.3, 0.7), Float64Array.of(0.24, 0.41, 0.35), Float64Array.of(0.5, 0.5)],
  conditionals: [null, Float64Array.of(0.8, 0.2, 0, 0, 0.5, 0.5), Float64Array.of(0.9, 0.1, 0.3, 0.7, 0, 1)],
};

const drawn = (rows: number, seed: string) => {
  const parts = [...drawnRows(model, rows, seed)];
  return [0, 1, 2].map((column) => parts.flatMap(({ cells }) => [...cells[column]!]));
};

function counted(first: readonly number[], second: readonly number[], width: number): number[] {
  const counts: number[] = [];
  first.forEach((a, row) => {
    const cell = a * width + second[row]!;
    counts[cell] = (counts[cell] ?? 0) + 1;
  });
  return Array.from({ length: Math.max(counts.length, width) }, (_, cell) => counts[cell] ?? 0);
}

describe("cells dealt by their parts", () => {
  it("are as many as their part up to one, none without a part, and on average the part exactly", () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 0, max: 9 }), { minLength: 1, maxLength: 9 }),
        fc.integer({ min: 0, max: 200 }),
        fc.integer(),
        (shares, count, seed) => {
          const total = shares.reduce((sum, share) => sum + share, 0);
          fc.pre(total > 0);
          const cells = dealt(
            Float64Array.from(shares, (share) => share / total),
            count,
            seedrandom(`${seed}`),
          );
          expect(cells).toHaveLength(count);
          shares.forEach((share, cell) => {
            const own = cells.filter((one) => one === cell).length;
            expect(Math.abs(own - (count * share) / total)).toBeLessThan(1 + 1e-9);
            if (share === 0) expect(own).toBe(0);
          });
        },
      ),
    );
    const parts = Float64Array.of(0.15, 0.25, 0.6);
    const uniform = seedrandom("parts");
    const [draws, count] = [4000, 7];
    const means = [0, 0, 0];
    for (let i = 0; i < draws; i++)
      for (const cell of dealt(parts, count, uniform)) means[cell]! += 1 / draws;
    // A number between two whole ones has a variance of 1/4 at most; five standard errors.
    parts.forEach((part, cell) => {
      expect(Math.abs(means[cell]! - count * part)).toBeLessThan((5 * 0.5) / Math.sqrt(draws));
    });
  });
});

describe("drawn rows", () => {
  it("have the model's margins and tables along the tree, up to a row or two for each cell", () => {
    const rows = 20_000;
    const [first, second, third] = drawn(rows, "a") as [number[], number[], number[]];
    counted(first, second, 3).forEach((count, cell) => {
      const expected = rows * model.margins[0]![Math.floor(cell / 3)]! * model.conditionals[1]![cell]!;
      expect(Math.abs(count - expected)).toBeLessThanOrEqual(2);
    });
    counted(second, third, 2).forEach((count, cell) => {
      const b = Math.floor(cell / 2);
      const expected = rows * [0.24, 0.41, 0.35][b]! * model.conditionals[2]![cell]!;
      expect(Math.abs(count - expected)).toBeLessThanOrEqual(4);
    });
  });

  it("have a pair outside the tree independent given what is between them", () => {
    const rows = 40_000;
    const [first, second, third] = drawn(rows, "b") as [number[], number[], number[]];
    const given = first.flatMap((a, row) => (second[row] === 1 ? [[a, third[row]!] as const] : []));
    const part = (of: readonly (readonly [number, number])[]) =>
      of.filter(([, c]) => c === 1).length / of.length;
    const apart = given.filter(([a]) => a === 0);
    // Five standard errors of a part of 0.7.
    expect(Math.abs(part(apart) - 0.7)).toBeLessThan(5 * Math.sqrt((0.7 * 0.3) / apart.length));
  });

  it("are the same for one seed, and others for another, in chunks as well", () => {
    expect(drawn(70_000, "c")).toEqual(drawn(70_000, "c"));
    expect(drawn(100, "c")).not.toEqual(drawn(100, "d"));
    expect([...drawnRows(model, 70_000, "c")].map(({ rows }) => rows)).toEqual([65_536, 4464]);
    expect([...drawnRows(model, 0, "c")]).toEqual([]);
  });
});

describe("the values of a cell", () => {
  const study = syntheticStudy({
    features: [
      { name: "a", type: "numeric", min: -0.3, max: 1.1, edges: [0.1, 0.7, 1.1] },
      { name: "b", type: "categorical", levels: ["x", "y"] },
    ],
    parameters: { decimals: [] },
  });
  const [feature] = study.features;
  const [column] = countedFeatures(study);

  it.each([[null], [1], [2]])(
    "lie in its interval, with %s decimals, and reach both of its ends",
    (decimals) => {
      const uniform = seedrandom(`values ${decimals}`);
      const values = columnValues(feature!, column!, decimals);
      // The last one is that of missing values.
      expect(values.map(({ kind }) => kind).at(-1)).toBe("missing");
      expect(drawnValue(values.at(-1)!, uniform)).toBeNaN();
      values.slice(0, -1).forEach((value, cell) => {
        const drawnOf = Array.from({ length: 300 }, () => drawnValue(value, uniform));
        for (const one of [...drawnOf, drawnValue(value, () => 0), drawnValue(value, () => 1 - 2 ** -53)]) {
          expect(binOf(column!.binned, one)).toBe(cell);
          if (decimals !== null) expect(Number(one.toFixed(decimals))).toBe(one);
        }
      });
      if (decimals === 1) {
        const tenths = new Set(Array.from({ length: 500 }, () => drawnValue(values[1]!, uniform)));
        expect([...tenths].sort()).toEqual([0.1, 0.2, 0.3, 0.4, 0.5, 0.6]);
      }
    },
  );
});
