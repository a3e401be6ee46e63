import type { NumericKernels } from "@consilium/core/linalg/kernels";
import { plainKernels } from "@consilium/core/linalg/plain";
import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import { openSystemKernels } from "./openSystem.js";

const wasm = await openSystemKernels({ workers: 1, prefer: "wasm" });
const openblas = await openSystemKernels({ workers: 1, prefer: "openblas" });
const plain = plainKernels();
afterAll(() => Promise.all([wasm.close(), openblas.close()]));

/** Without OpenBLAS on the machine the second set is the first again, and its tests would prove nothing new. */
const implementations: [string, NumericKernels][] = [["wasm", wasm]];
if (openblas.name === "openblas") implementations.push(["openblas", openblas]);

type Entry = (i: number, j: number) => number;

function matrix(d: number, entry: Entry): Float64Array {
  const a = new Float64Array(d * d);
  for (let i = 0; i < d; i++) {
    for (let j = i; j < d; j++) {
      a[i * d + j] = entry(i, j);
      a[j * d + i] = a[i * d + j]!;
    }
  }
  return a;
}

/** Reproducible numbers in [-1, 1). */
function generator(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 31 - 1;
  };
}

function random(d: number, seed: number, size = 1): Float64Array {
  const next = generator(seed);
  return matrix(d, () => size * next());
}

/** H·diag(values)·H for a Householder reflection H: a full matrix with known eigenvalues. */
function withEigenvalues(values: readonly number[], seed = 5): Float64Array {
  const d = values.length;
  const next = generator(seed);
  const v = Float64Array.from(values, () => next());
  const square = v.reduce((sum, x) => sum + x * x, 0);
  const h: Entry = (i, j) => (i === j ? 1 : 0) - (2 * v[i]! * v[j]!) / square;
  return matrix(d, (i, j) => values.reduce((sum, value, q) => sum + h(i, q) * value * h(q, j), 0));
}

function lowRank(d: number, rank: number): Float64Array {
  const next = generator(11);
  const factors = Float64Array.from({ length: rank * d }, next);
  return matrix(d, (i, j) => {
    let sum = 0;
    for (let r = 0; r < rank; r++) sum += factors[r * d + i]! * factors[r * d + j]!;
    return sum;
  });
}

const tridiagonal = (diagonal: (i: number) => number, coupling: (i: number) => number) => (d: number) =>
  matrix(d, (i, j) => (i === j ? diagonal(i) : j === i + 1 ? coupling(i) : 0));
const range = (count: number, value: (i: number) => number) =>
  Array.from({ length: count }, (_, i) => value(i));

const wilkinson = tridiagonal(
  (i) => Math.abs(i - 10),
  () => 1,
);
/** Copies of Wilkinson's W21+ coupled by 1e-8: eigenvalues in clusters of up to fourteen, hard for inverse iteration. */
const glued = tridiagonal(
  (i) => Math.abs((i % 21) - 10),
  (i) => (i % 21 === 20 ? 1e-8 : 1),
);

const cases: [string, number, Float64Array][] = [
  ["order 1", 1, Float64Array.of(-3)],
  ["order 1, zero", 1, Float64Array.of(0)],
  ["order 2", 2, matrix(2, (i, j) => i + j - 1)],
  ["order 2, diagonal", 2, matrix(2, (i, j) => (i === j ? i + 1 : 0))],
  ["order 2, equal magnitudes", 2, Float64Array.of(0, 1, 1, 0)],
  ["order 3", 3, random(3, 1)],
  ["zero", 7, new Float64Array(49)],
  ["zero, large", 90, new Float64Array(8100)],
  ["identity", 65, matrix(65, (i, j) => (i === j ? 1 : 0))],
  ["identity, large", 130, matrix(130, (i, j) => (i === j ? 1 : 0))],
  ["all ones", 97, matrix(97, () => 1)],
  ["diagonal", 80, matrix(80, (i, j) => (i === j ? ((i * 37) % 80) - 40 : 0))],
  ["diagonal with repeats", 81, matrix(81, (i, j) => (i === j ? i % 4 : 0))],
  [
    "tridiagonal 2, -1",
    100,
    tridiagonal(
      () => 2,
      () => -1,
    )(100),
  ],
  [
    "tridiagonal with zero couplings",
    90,
    tridiagonal(
      (i) => i % 5,
      (i) => (i % 3 === 0 ? 0 : 1),
    )(90),
  ],
  [
    "tridiagonal with a zero diagonal",
    99,
    tridiagonal(
      () => 0,
      () => 1,
    )(99),
  ],
  ["Wilkinson's W21+", 21, wilkinson(21)],
  ["glued Wilkinson matrices", 294, glued(294)],
  ["random, even order", 150, random(150, 2)],
  ["random, odd order", 151, random(151, 3)],
  ["random, 1e150", 90, random(90, 4, 1e150)],
  ["random, 1e-150", 90, random(90, 4, 1e-150)],
  ["random, 1e300", 20, random(20, 4, 1e300)],
  ["random, subnormal", 20, random(20, 4, 1e-310)],
  ["entries over 300 decades", 75, matrix(75, (i, j) => 10 ** (-4 * Math.min(i, j)) / (1 + j - i))],
  ["the same, growing", 75, matrix(75, (i, j) => 10 ** (-4 * (74 - Math.max(i, j))) / (1 + j - i))],
  ["rank 3 of 120", 120, lowRank(120, 3)],
  ["rank 1 of 65", 65, lowRank(65, 1)],
  ["one eigenvalue 30-fold", 100, withEigenvalues(range(100, (i) => (i < 30 ? 5 : i / 100)))],
  ["clusters 1e-15 wide", 100, withEigenvalues(range(100, (i) => 10 - Math.floor(i / 10) + i * 1e-15))],
  ["clusters 1e-9 wide", 100, withEigenvalues(range(100, (i) => 10 - Math.floor(i / 10) + i * 1e-9))],
  ["gaps just over the cluster's", 100, withEigenvalues(range(100, (i) => 1 - i * 0.0101))],
  [
    "equal magnitudes of both signs",
    100,
    withEigenvalues(range(100, (i) => (i % 2 ? -1 : 1) * (1 + (i >> 1)))),
  ],
  ["geometric", 100, withEigenvalues(range(100, (i) => 0.7 ** i))],
];

function norm(a: Float64Array, d: number): number {
  let largest = 0;
  for (let i = 0; i < d; i++) {
    let sum = 0;
    for (let j = 0; j < d; j++) sum += Math.abs(a[i * d + j]!);
    largest = Math.max(largest, sum);
  }
  return largest;
}

function largestEntry(a: Float64Array): number {
  return a.reduce((largest, x) => Math.max(largest, Math.abs(x)), 0);
}

/** Largest ‖A·v - λ·v‖ over all vectors, in units of the norm; computed at a scale that cannot overflow. */
function worstResidual(
  a: Float64Array,
  d: number,
  k: number,
  values: Float64Array,
  vectors: Float64Array,
): number {
  const size = largestEntry(a);
  if (size === 0) return 0;
  const b = a.map((x) => x / size);
  let worst = 0;
  for (let q = 0; q < k; q++) {
    let square = 0;
    for (let i = 0; i < d; i++) {
      let r = -(values[q]! / size) * vectors[q * d + i]!;
      for (let j = 0; j < d; j++) r += b[i * d + j]! * vectors[q * d + j]!;
      square += r * r;
    }
    worst = Math.max(worst, Math.sqrt(square));
  }
  return worst / norm(b, d);
}

function worstOverlap(d: number, k: number, vectors: Float64Array): number {
  let worst = 0;
  for (let p = 0; p < k; p++) {
    for (let q = 0; q <= p; q++) {
      let product = p === q ? -1 : 0;
      for (let i = 0; i < d; i++) product += vectors[p * d + i]! * vectors[q * d + i]!;
      worst = Math.max(worst, Math.abs(product));
    }
  }
  return worst;
}

async function expectSolved(kernels: NumericKernels, a: Float64Array, d: number, k: number): Promise<void> {
  const { values, vectors } = await kernels.symmetricEigen(a, d, k);
  expect(values.length).toBe(d);
  expect(vectors.length).toBe(k * d);
  expect(worstOverlap(d, k, vectors)).toBeLessThan(1e-12);
  // What a backward stable solver gives, and the rounding of an eigenvalue that is subnormal.
  const tolerance = 1e-15 * (d + 20) + Number.MIN_VALUE / (largestEntry(a) || 1);
  expect(worstResidual(a, d, k, values, vectors)).toBeLessThanOrEqual(tolerance);
  for (let i = 1; i < d; i++) expect(Math.abs(values[i]!)).toBeLessThanOrEqual(Math.abs(values[i - 1]!));
  for (let q = 0; q < k; q++) {
    const row = vectors.subarray(q * d, (q + 1) * d);
    const largest = row.reduce((m, x) => Math.max(m, Math.abs(x)), 0);
    expect(row.find((x) => Math.abs(x) >= largest * (1 - 1e-10))).toBeGreaterThan(0);
  }
}

describe.each(implementations)("%s", (_, kernels) => {
  it.each(cases)("%s: orthonormal, small residuals, ordered, oriented", async (_name, d, a) => {
    for (const k of new Set([1, Math.min(d, 20), Math.floor(d / 3) || 1, d])) {
      await expectSolved(kernels, a, d, k);
    }
  });

  it.each(cases.filter(([, d]) => d <= 151))(
    "%s: the eigenvalues are those of the reference",
    async (_name, d, a) => {
      const ours = await kernels.symmetricEigen(a, d, 1);
      const reference = await plain.symmetricEigen(a, d, 1);
      // equal magnitudes of both signs may come in either order, as rounding has it
      const ascending = (values: Float64Array) => values.slice().sort();
      const x = ascending(ours.values);
      const y = ascending(reference.values);
      const tolerance = 1e-15 * (d + 20) * Math.abs(reference.values[0]!);
      for (let i = 0; i < d; i++) expect(Math.abs(x[i]! - y[i]!)).toBeLessThanOrEqual(tolerance);
    },
  );

  it("finds the known eigenvalues of the second difference", async () => {
    const d = 200;
    const { values } = await kernels.symmetricEigen(
      tridiagonal(
        () => 2,
        () => -1,
      )(d),
      d,
      3,
    );
    for (let i = 0; i < d; i++) {
      expect(Math.abs(values[i]! - 4 * Math.sin(((d - i) * Math.PI) / (2 * (d + 1))) ** 2)).toBeLessThan(
        1e-13,
      );
    }
  });

  it("agrees with the reference on vectors whose eigenvalues are apart", async () => {
    const d = 100;
    const a = withEigenvalues(range(d, (i) => (i % 2 ? -1 : 1) * (1 + i)));
    const ours = await kernels.symmetricEigen(a, d, 20);
    const reference = await plain.symmetricEigen(a, d, 20);
    for (let i = 0; i < 20 * d; i++)
      expect(Math.abs(ours.vectors[i]! - reference.vectors[i]!)).toBeLessThan(1e-11);
  });

  it("solves random matrices with entries of very different sizes", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 12 }).chain((d) =>
          fc.tuple(
            fc.constant(d),
            fc.integer({ min: 1, max: d }),
            fc.array(fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e300, max: 1e300 }), {
              minLength: d * d,
              maxLength: d * d,
            }),
          ),
        ),
        async ([d, k, entries]) => {
          await expectSolved(
            kernels,
            matrix(d, (i, j) => entries[i * d + j]!),
            d,
            k,
          );
        },
      ),
      { numRuns: 300 },
    );
  });

  it("reads the upper triangle only and leaves its input alone", async () => {
    const d = 70;
    const a = random(d, 9);
    const upper = a.slice();
    for (let i = 0; i < d; i++) upper.fill(Number.NaN, i * d, i * d + i);
    const copy = upper.slice();
    expect(await kernels.symmetricEigen(upper, d, 5)).toEqual(await kernels.symmetricEigen(a, d, 5));
    expect(upper).toEqual(copy);
  });

  it("refuses entries that are not finite, and a k out of range", async () => {
    for (const bad of [Number.NaN, Number.POSITIVE_INFINITY]) {
      const a = random(5, 1);
      a[7] = bad;
      await expect(kernels.symmetricEigen(a, 5, 1)).rejects.toThrow(RangeError);
    }
    for (const k of [0, 6, 1.5])
      await expect(kernels.symmetricEigen(random(5, 1), 5, k)).rejects.toThrow(RangeError);
    await expect(kernels.symmetricEigen(random(5, 1), 4, 1)).rejects.toThrow(RangeError);
    await expect(kernels.symmetricEigen(new Float64Array(4).fill(1.5e308), 2, 1)).rejects.toThrow(RangeError);
  });
});
