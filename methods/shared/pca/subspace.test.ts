import { plainKernels } from "@consilium/core/linalg/plain";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { capturedEnergy, largestSvdOrder, principalSubspace } from "./subspace.js";

const kernels = plainKernels();

/** A d × d matrix with the given eigenvalues and random eigenvectors: products of Householder reflections. */
function withEigenvalues(values: readonly number[], uniform: () => number): Float64Array {
  const d = values.length;
  const a = new Float64Array(d * d);
  values.forEach((value, i) => {
    a[i * d + i] = value;
  });
  for (let reflection = 0; reflection < 2; reflection++) {
    const v = Array.from({ length: d }, () => uniform() - 0.5);
    const norm = v.reduce((sum, x) => sum + x * x, 0);
    const reflect = (at: (j: number) => number) => {
      let product = 0;
      for (let j = 0; j < d; j++) product += v[j]! * a[at(j)]!;
      for (let j = 0; j < d; j++) a[at(j)]! -= (2 * product * v[j]!) / norm;
    };
    for (let i = 0; i < d; i++) reflect((j) => i * d + j);
    for (let i = 0; i < d; i++) reflect((j) => j * d + i);
  }
  for (let i = 0; i < d; i++) for (let j = 0; j < i; j++) a[i * d + j] = a[j * d + i]!;
  return a;
}

function generator(seed: number): () => number {
  let state = seed;
  return () => {
    state = Math.imul(state, 48271) & 0x7fffffff || 1;
    return state / 0x7fffffff;
  };
}

/** Largest entry of A V' - V' Λ, and of V V' - I. */
function residuals(
  a: Float64Array,
  d: number,
  loadings: Float64Array,
  values: Float64Array,
): [number, number] {
  let eigen = 0;
  let orthonormal = 0;
  for (let r = 0; r < values.length; r++) {
    for (let i = 0; i < d; i++) {
      let product = 0;
      for (let j = 0; j < d; j++) product += a[i * d + j]! * loadings[r * d + j]!;
      eigen = Math.max(eigen, Math.abs(product - values[r]! * loadings[r * d + i]!));
    }
    for (let q = 0; q < values.length; q++) {
      let product = 0;
      for (let j = 0; j < d; j++) product += loadings[r * d + j]! * loadings[q * d + j]!;
      orthonormal = Math.max(orthonormal, Math.abs(product - (r === q ? 1 : 0)));
    }
  }
  return [eigen, orthonormal];
}

describe("principalSubspace", () => {
  it("gives eigenvectors and signed eigenvalues by magnitude, repeated and opposite ones included", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom(-2, -1, -0.5, 0, 0, 0.5, 0.5, 1, 2, 3.25), { minLength: 1, maxLength: 12 }),
        fc.integer({ min: 1, max: 1e6 }),
        async (values, seed) => {
          const d = values.length;
          const a = withEigenvalues(values, generator(seed));
          const { loadings, eigenvalues, explainedVariance, explainedVarianceRatio } =
            await principalSubspace(a, d, d, kernels);
          const sorted = [...values].sort((x, y) => Math.abs(y) - Math.abs(x));
          expect(Array.from(eigenvalues, (value) => Math.abs(value))).toEqual(
            sorted.map((value): unknown => expect.closeTo(Math.abs(value), 10)),
          );
          const [eigen, orthonormal] = residuals(a, d, loadings, eigenvalues);
          expect(eigen).toBeLessThan(1e-10);
          expect(orthonormal).toBeLessThan(1e-10);
          eigenvalues.forEach((value, i) => {
            expect(explainedVariance[i]).toBe(Math.max(value, 0));
          });
          const total = values.reduce<number>((sum, value) => sum + Math.max(value, 0), 0);
          const share = explainedVarianceRatio.reduce((sum, x) => sum + x, 0);
          if (total > 0) expect(share).toBeCloseTo(1, 10);
          for (let i = 0; i < d; i++) {
            const row = loadings.subarray(i * d, (i + 1) * d);
            const largest = row.reduce(
              (most, x) => (Math.abs(x) > Math.abs(most) * (1 + 1e-9) ? x : most),
              0,
            );
            expect(largest).toBeGreaterThan(0);
          }
        },
      ),
      { numRuns: 200 },
    );
  });

  it("hands matrices above the limit to the kernels", async () => {
    const d = largestSvdOrder + 1;
    const a = withEigenvalues(
      Array.from({ length: d }, (_, i) => (i % 2 ? -1 : 1) * (d - i)),
      generator(3),
    );
    const { solver, loadings, eigenvalues } = await principalSubspace(a, d, 4, kernels);
    expect(solver).toBe("plain");
    expect(Array.from(eigenvalues)).toEqual([d, -(d - 1), d - 2, -(d - 3)].map((x) => expect.closeTo(x, 8)));
    expect(residuals(a, d, loadings, eigenvalues)[0]).toBeLessThan(1e-9);
    expect((await principalSubspace(Float64Array.of(4), 1, 1, kernels)).solver).toBe("ml-matrix");
  });

  it("refuses what has no decomposition", async () => {
    await expect(
      principalSubspace(Float64Array.of(1, Number.NaN, Number.NaN, 1), 2, 1, kernels),
    ).rejects.toThrow(RangeError);
    await expect(principalSubspace(new Float64Array(4), 2, 3, kernels)).rejects.toThrow(RangeError);
  });
});

describe("capturedEnergy", () => {
  it("is tr(V A V')", () => {
    // Rows e1, e1, e1, e2 uncentred: M = diag(3, 1).
    const m = Float64Array.of(3, 0, 0, 1);
    expect(capturedEnergy(Float64Array.of(1, 0), m)).toBe(3);
    expect(capturedEnergy(Float64Array.of(0.6, 0.8), m)).toBeCloseTo(3 * 0.36 + 0.64, 14);
    expect(capturedEnergy(Float64Array.of(1, 0, 0, 1), m)).toBe(4);
    expect(() => capturedEnergy(Float64Array.of(1, 0, 0), m)).toThrow(RangeError);
  });
});
