import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { pooledMargins } from "./margins.js";
import type { ColumnTree } from "./tree.js";
import { pairProbabilities, treeModel } from "./treeModel.js";

const sizes = [3, 2, 4];
/** A chain: the first column, the third given it, the second given the third. */
const tree: ColumnTree = { parents: [-1, 2, 0], order: [0, 2, 1] };
const sum = (values: Iterable<number>) => [...values].reduce((total, value) => total + value, 0);

function modelOf(first: readonly number[], second: readonly number[], stdDev: number) {
  const tables = [
    { columns: [0, 2] as const, counts: Float64Array.from(first), weight: 1 },
    { columns: [2, 1] as const, counts: Float64Array.from(second), weight: 1 },
  ];
  const margins = pooledMargins(sizes, tables, stdDev);
  const joints = [null, { counts: tables[1]!.counts, stdDev }, { counts: tables[0]!.counts, stdDev }];
  return treeModel(tree, margins, joints);
}

const cells = (length: number) =>
  fc.array(fc.double({ min: -30, max: 100, noNaN: true }), { minLength: length, maxLength: length });

describe("the model that rows are drawn from", () => {
  it("is a distribution whatever the counts are, with the same margin of a column in each of its tables", () => {
    fc.assert(
      fc.property(
        cells(12),
        cells(8),
        fc.double({ min: 0, max: 50, noNaN: true }),
        (first, second, stdDev) => {
          const model = modelOf(first, second, stdDev);
          const pairs = pairProbabilities(model);
          for (const [column, margin] of model.margins.entries()) {
            expect(sum(margin)).toBeCloseTo(1, 9);
            expect(Math.min(...margin)).toBeGreaterThanOrEqual(0);
            for (const other of [0, 1, 2].filter((one) => one !== column)) {
              const table = pairs(column, other);
              expect(Math.min(...table)).toBeGreaterThanOrEqual(0);
              margin.forEach((part, cell) => {
                const row = table.subarray(cell * sizes[other]!, (cell + 1) * sizes[other]!);
                expect(sum(row)).toBeCloseTo(part, 9);
              });
            }
          }
          for (const conditional of [model.conditionals[2]!, model.conditionals[1]!])
            expect(Math.min(...conditional)).toBeGreaterThanOrEqual(0);
        },
      ),
    );
  });

  it("of counts without noise has the tables of the tree as they are", () => {
    const first = [5, 0, 7, 1, 2, 9, 0, 0, 4, 4, 1, 7];
    const second = [3, 8, 1, 9, 6, 2, 8, 3].map((x) => x);
    // The third column's margin by the first table is that of the second.
    const margin = [0, 1, 2, 3].map((b) => first[b]! + first[4 + b]! + first[8 + b]!);
    second.forEach((_, cell) => {
      if (cell % 2 === 1) second[cell] = margin[Math.floor(cell / 2)]! - Math.min(second[cell - 1]!, 5);
      else second[cell] = Math.min(second[cell]!, 5);
    });
    const pairs = pairProbabilities(modelOf(first, second, 0));
    const total = sum(first);
    pairs(0, 2).forEach((part, cell) => {
      expect(part * total).toBeCloseTo(first[cell]!, 6);
    });
    pairs(2, 1).forEach((part, cell) => {
      expect(part * total).toBeCloseTo(second[cell]!, 6);
    });
    // No pair of the tree: both given the third column.
    const expected = [0, 1, 2].flatMap((a) =>
      [0, 1].map((c) =>
        sum([0, 1, 2, 3].map((b) => (first[a * 4 + b]! * second[b * 2 + c]!) / margin[b]! / total)),
      ),
    );
    pairs(0, 1).forEach((part, cell) => {
      expect(part).toBeCloseTo(expected[cell]!, 6);
    });
  });

  it("of no records is even", () => {
    const model = modelOf(new Array<number>(12).fill(-1), new Array<number>(8).fill(-1), 5);
    expect([...model.margins[2]!]).toEqual([0.25, 0.25, 0.25, 0.25]);
  });
});
