import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  checkEigenproblem,
  eigenvalueOrder,
  orientEigenvectors,
  unscaleEigenvalues,
} from "./eigenConvention.js";

describe("eigenvalueOrder", () => {
  it("goes by descending magnitude, ties by descending value, then by position", () => {
    expect([...eigenvalueOrder(Float64Array.of(1, -3, 2, 3, 0, -2, 2))]).toEqual([3, 1, 2, 6, 5, 0, 4]);
  });

  it("is a permutation with non-increasing magnitudes", () => {
    fc.assert(
      fc.property(
        fc.float64Array({ noNaN: true, noDefaultInfinity: true, minLength: 1, maxLength: 40 }),
        (values) => {
          const order = [...eigenvalueOrder(values)];
          expect(new Set(order).size).toBe(values.length);
          for (let i = 1; i < order.length; i++) {
            expect(Math.abs(values[order[i]!]!)).toBeLessThanOrEqual(Math.abs(values[order[i - 1]!]!));
          }
        },
      ),
    );
  });
});

describe("orientEigenvectors", () => {
  it("makes the entry of largest magnitude positive, the first such on ties", () => {
    const vectors = Float64Array.of(0.6, -0.8, -0.5, 0.5, -0.8, 0.6, 0.5, -0.5);
    orientEigenvectors(vectors, 2);
    expect([...vectors]).toEqual([-0.6, 0.8, 0.5, -0.5, 0.8, -0.6, 0.5, -0.5]);
  });

  it("does not let rounding decide a tie, and leaves no negative zero behind", () => {
    const vectors = Float64Array.of(-Math.SQRT1_2, Math.SQRT1_2 * (1 + 4e-16), 0);
    orientEigenvectors(vectors, 3);
    expect(vectors[0]).toBe(Math.SQRT1_2);
    expect(Object.is(vectors[2], 0)).toBe(true);
  });
});

describe("checkEigenproblem", () => {
  it("returns a power of two that brings the largest entry near one", () => {
    for (const size of [1, 3, 1e150, 1e-150, 1e-290, Number.MAX_VALUE]) {
      const scale = checkEigenproblem(Float64Array.of(size, -size, 0, size / 2), 2, 1);
      expect(Number.isInteger(Math.log2(scale))).toBe(true);
      expect(scale * size).toBeGreaterThanOrEqual(0.5);
      expect(scale * size).toBeLessThan(2 ** 24);
    }
    expect(checkEigenproblem(new Float64Array(4), 2, 2)).toBe(1);
    expect(checkEigenproblem(Float64Array.of(Number.MIN_VALUE), 1, 1)).toBe(2 ** 1000);
  });

  it("reads the upper triangle only", () => {
    expect(checkEigenproblem(Float64Array.of(1, 1, Number.NaN, 1), 2, 1)).toBe(1);
  });

  it.each([Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY])("refuses %s", (bad) => {
    for (const position of [0, 1, 3]) {
      const a = Float64Array.of(1, 2, 2, 1);
      a[position] = bad;
      expect(() => checkEigenproblem(a, 2, 1)).toThrow(RangeError);
    }
  });

  it("refuses a wrong order, size or number of vectors", () => {
    const a = new Float64Array(9);
    expect(() => checkEigenproblem(a, 2, 1)).toThrow(/4 entries, got 9/);
    expect(() => checkEigenproblem(a, 0, 0)).toThrow(RangeError);
    expect(() => checkEigenproblem(a, 1.5, 1)).toThrow(RangeError);
    for (const k of [0, 4, -1, 1.5, Number.NaN]) expect(() => checkEigenproblem(a, 3, k)).toThrow(RangeError);
  });
});

describe("unscaleEigenvalues", () => {
  it("refuses to return infinity", () => {
    expect(() => unscaleEigenvalues(Float64Array.of(2 ** 30), 2 ** -1000)).toThrow(RangeError);
    const values = Float64Array.of(3);
    unscaleEigenvalues(values, 4);
    expect(values[0]).toBe(0.75);
  });
});
