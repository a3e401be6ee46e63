import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { sensitivitySquared } from "./query.js";
import { rootOf } from "./root.js";
import { multiplyByRoot } from "./rootProduct.js";

/** c_i·2^exponent, rounded, from the recursion in fractions. */
function fromRecursion(run: number, exponent: number): number[] {
  const root: number[] = [];
  let [above, below] = [1n, 1n];
  for (let i = 0; i < run; i++) {
    if (i > 0) [above, below] = [above * BigInt(2 * i - 1), below * BigInt(2 * i)];
    root.push(Number(((above << BigInt(exponent + 1)) + below) / (2n * below)));
  }
  return root;
}

/** Σ_{b ≤ j} C_{j-b} x_b by its definition, modulo 2^64. */
const byDefinition = (run: readonly bigint[], root: Float64Array): bigint[] =>
  run.map((_, j) =>
    BigInt.asUintN(
      64,
      run.slice(0, j + 1).reduce((sum, x, b) => sum + x * BigInt(root[j - b]!), 0n),
    ),
  );

const lengthSquared = (vector: Iterable<number>) => [...vector].reduce((sum, entry) => sum + entry ** 2, 0);

const sectionOf = (run: number, exponent: number, most: number) =>
  sensitivitySquared({
    kind: "histogram",
    cells: run,
    touches: 1,
    channels: [{ least: 0, most }],
    sections: [{ cells: run, most, root: { run, exponent } }],
  });

/** The changes of a run's sums where a record adds these numbers to its cells. */
function changesOf(record: readonly number[], root: Float64Array): number[] {
  const sums = BigUint64Array.from(record, BigInt);
  multiplyByRoot(sums, root);
  return Array.from(sums, Number);
}

describe("the integers of a root", () => {
  it("are those of the recursion, to the bit", () => {
    for (const [run, exponent] of [
      [1, 0],
      [2, 0],
      [100, 8],
      [256, 8],
      [100, 16],
      [600, 24],
    ] as const)
      expect([...rootOf(run, exponent)]).toEqual(fromRecursion(run, exponent));
    expect([...rootOf(5, 7)]).toEqual([128, 64, 48, 40, 35]);
    // ½ is rounded up.
    expect([...rootOf(2, 0)]).toEqual([1, 1]);
  });

  it("fall from 2^exponent and are never negative", () => {
    for (const exponent of [0, 1, 8, 24]) {
      const root = rootOf(700, exponent);
      expect(root[0]).toBe(2 ** exponent);
      expect(root.every((entry, i) => entry >= 0 && (i === 0 || entry <= root[i - 1]!))).toBe(true);
    }
  });

  it("are a square root of prefix sums, to what was rounded", () => {
    for (const [run, exponent] of [
      [100, 8],
      [256, 8],
      [256, 20],
    ] as const) {
      const root = rootOf(run, exponent);
      const square = changesOf([...root], root).map((entry) => entry / 4 ** exponent);
      // Each C_i is at most ½ off.
      const most = (root.reduce((sum, entry) => sum + entry, 0) * 2 ** -exponent + 1) * 2 ** -exponent;
      for (const entry of square) expect(Math.abs(entry - 1)).toBeLessThan(most);
    }
  });
});

describe("a product with a root", () => {
  const any64 = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n });

  it("is the matrix's, run by run, modulo 2^64", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 9 }),
        fc.integer({ min: 0, max: 24 }),
        fc.array(fc.array(fc.oneof(any64, fc.constant(0n)), { minLength: 9, maxLength: 9 }), {
          maxLength: 3,
        }),
        (run, exponent, all) => {
          const root = rootOf(run, exponent);
          const runs = all.map((sums) => sums.slice(0, run));
          const sums = BigUint64Array.from(runs.flat());
          multiplyByRoot(sums, root);
          expect([...sums]).toEqual(runs.flatMap((one) => byDefinition(one, root)));
        },
      ),
    );
  });

  it("of a sum is the sum of the products, negative sums and those that wrap among them", () => {
    const root = rootOf(6, 10);
    const vectors = fc.array(any64, { minLength: 12, maxLength: 12 });
    const product = (vector: readonly bigint[]) => {
      const sums = BigUint64Array.from(vector);
      multiplyByRoot(sums, root);
      return sums;
    };
    fc.assert(
      fc.property(vectors, vectors, (one, other) => {
        const apart = product(one);
        for (const [i, entry] of product(other).entries()) apart[i] = apart[i]! + entry;
        expect(product(one.map((entry, i) => BigInt.asUintN(64, entry + other[i]!)))).toEqual(apart);
      }),
    );
  });
});

describe("what one touch changes under a root", () => {
  it.each([
    [1, 0, 1],
    [7, 3, 5],
    [100, 8, 1],
    [256, 8, 3],
  ])(
    "is Δ² at the first of %i cells, with exponent %i and most %i, and less at all others",
    (run, exponent, most) => {
      const root = rootOf(run, exponent);
      const bound = sectionOf(run, exponent, most);
      expect(bound).toBe(most ** 2 * lengthSquared(root));
      for (let cell = 0; cell < run; cell++) {
        const record = Array.from({ length: run }, (_, at) => (at === cell ? most : 0));
        const changed = lengthSquared(changesOf(record, root));
        if (cell === 0) expect(changed).toBe(bound);
        else expect(changed).toBeLessThan(bound);
      }
    },
  );

  it("would be more than two records' of two touches side by side", () => {
    const run = 100;
    const both = Array.from({ length: run }, (_, at) => (at < 2 ? 1 : 0));
    const changed = lengthSquared(changesOf(both, rootOf(run, 8))) / 4 ** 8;
    const single = sectionOf(run, 8, 1) / 4 ** 8;
    expect(single).toBeCloseTo(2.531, 2);
    expect(changed).toBeCloseTo(8.85, 1);
    expect(changed).toBeGreaterThan(3 * single);
  });
});
