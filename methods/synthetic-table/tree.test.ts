import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { seededNormals } from "../shared/draws/seededNormals.js";
import { pairsOf } from "./study.js";
import { dependenceOf, pairDependences, spanningTree } from "./tree.js";

describe("the dependence of two columns", () => {
  it("is 0 of independent ones, and a half of two levels that go together", () => {
    expect(dependenceOf(Float64Array.of(2, 4, 6, 12), 2, 2)).toBeLessThan(1e-15);
    expect(dependenceOf(Float64Array.of(5, 0, 0, 5), 2, 2)).toBe(0.5);
    expect(dependenceOf(new Float64Array(4), 2, 2)).toBe(0);
  });

  it("of a noisy table is less than without the noise's part taken out", () => {
    const normal = seededNormals("dependence");
    const [sizes, stdDev, records] = [[8, 8, 8], 12, 6400];
    const tables = pairsOf(3).map(([i, j]) => ({
      columns: [i, j] as const,
      counts: Float64Array.from({ length: 64 }, () => records / 64 + stdDev * normal()),
      weight: 1,
    }));
    const smoothed = pairDependences(sizes, tables, stdDev);
    const raw = pairDependences(sizes, tables, 0);
    smoothed.forEach(({ dependence }, p) => {
      expect(dependence).toBeLessThan(raw[p]!.dependence / 3);
    });
  });
});

/** Every tree of so few columns, by its parents. */
function allTrees(columns: number, root: number): number[][] {
  const every = (left: number): number[][] =>
    left === 0
      ? [[]]
      : every(left - 1).flatMap((parents) =>
          Array.from({ length: columns }, (_, parent) => [...parents, parent]),
        );
  return every(columns)
    .map((parents) => parents.map((parent, column) => (column === root ? -1 : parent)))
    .filter((parents) =>
      parents.every((_, column) => {
        let at = column;
        for (let step = 0; step < columns && at !== root; step++) at = parents[at]!;
        return at === root;
      }),
    );
}

describe("the tree", () => {
  const columns = 4;
  const pairs = pairsOf(columns);

  it("has the most in common of all trees, and an order in which parents come first", () => {
    fc.assert(
      fc.property(
        fc.array(fc.double({ min: 0, max: 2, noNaN: true }), { minLength: 6, maxLength: 6 }),
        fc.integer({ min: 0, max: 3 }),
        (common, root) => {
          const { parents, order } = spanningTree(
            columns,
            root,
            pairs.map((pair, p) => ({ columns: pair, dependence: common[p]! })),
          );
          const worth = (of: readonly number[]) =>
            of.reduce((sum, parent, column) => {
              const at = pairs.findIndex(
                ([i, j]) => (i === parent && j === column) || (j === parent && i === column),
              );
              return at === -1 ? sum : sum + common[at]!;
            }, 0);
          const best = Math.max(...allTrees(columns, root).map(worth));
          expect(worth(parents)).toBeCloseTo(best, 12);
          expect(order).toHaveLength(columns);
          expect(parents[root]).toBe(-1);
          order.slice(1).forEach((column, at) => {
            expect(order.slice(0, at + 1)).toContain(parents[column]);
          });
        },
      ),
      { numRuns: 50 },
    );
  });

  it("hangs every column on the root where nothing is known", () => {
    expect(spanningTree(3, 1, []).parents).toEqual([1, -1, 1]);
  });
});
