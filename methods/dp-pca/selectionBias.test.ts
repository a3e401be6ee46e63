import { plainKernels } from "@consilium/core/linalg/plain";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { seededNormals } from "../shared/draws/seededNormals.js";
import { leadingSubspace, type NoisyMoments, reducedMoments } from "./moments.js";
import { noiseInEigenvalues, withoutSelectionBias } from "./selectionBias.js";

const kernels = plainKernels();
const d = 60;
const k = 6;
const spikes = [0.5, 0.25, 0.12];
const tail = 0.002;

/** diag(spikes above an even tail): axes are its eigenvectors. */
function covariance(): Float64Array {
  const matrix = new Float64Array(d * d);
  for (let i = 0; i < d; i++) matrix[i * (d + 1)] = tail + (spikes[i] ?? 0);
  return matrix;
}

/** Symmetric, with standard deviation s off the diagonal and √2·s on it. */
function noise(s: number, normal: () => number): Float64Array {
  const matrix = new Float64Array(d * d);
  for (let i = 0; i < d; i++) {
    matrix[i * (d + 1)] = Math.SQRT2 * s * normal();
    for (let j = 0; j < i; j++) {
      const drawn = s * normal();
      matrix[i * d + j] = drawn;
      matrix[j * d + i] = drawn;
    }
  }
  return matrix;
}

const plus = (a: Float64Array, b: Float64Array) => a.map((x, p) => x + b[p]!);
const along = (matrix: Float64Array, v: Float64Array) =>
  matrix.reduce((sum, x, p) => sum + x * v[Math.floor(p / d)]! * v[p % d]!, 0);
const traceOf = (matrix: Float64Array) =>
  Array.from({ length: d }, (_, i) => matrix[i * (d + 1)]!).reduce((sum, x) => sum + x, 0);

describe("noise in the leading eigenvalues", () => {
  it.each([0.001, 0.004, 0.01])("is found from the noisy matrix alone, entries' noise %d", async (s) => {
    const normal = seededNormals(`noise ${s}`);
    const own = new Float64Array(k);
    const found = new Float64Array(k);
    const repetitions = 20;
    for (let r = 0; r < repetitions; r++) {
      const matrix = noise(s, normal);
      const noisy = plus(covariance(), matrix);
      const { loadings, eigenvalues } = await leadingSubspace(noisy, d, k, kernels);
      const estimate = noiseInEigenvalues({ eigenvalues, trace: traceOf(noisy), d, stdDev: s });
      for (let j = 0; j < k; j++) {
        own[j] = own[j]! + along(matrix, loadings.subarray(j * d, (j + 1) * d)) / repetitions;
        found[j] = found[j]! + estimate[j]! / repetitions;
      }
    }
    // The noise of twenty means of v'Nv, and what a matrix of order 60 lacks to a large one, are below 1.5 s.
    for (let j = 0; j < k; j++) expect(Math.abs(found[j]! - own[j]!), `direction ${j}`).toBeLessThan(1.5 * s);
    expect(own[k - 1]!).toBeGreaterThan(5 * s);
  });

  it("is none where no noise was added", () => {
    fc.assert(
      fc.property(
        fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 1, maxLength: 9 }),
        (raw) => {
          const eigenvalues = Float64Array.from(raw).sort().reverse();
          const trace = eigenvalues.reduce((sum, x) => sum + x, 0);
          const found = noiseInEigenvalues({ eigenvalues, trace, d: raw.length, stdDev: 0 });
          for (const value of found) expect(value).toBeLessThan(1e-12);
        },
      ),
    );
  });

  it("is never negative, and never more than an eigenvalue that is positive", () => {
    const value = fc.double({ min: -1, max: 1, noNaN: true });
    fc.assert(
      fc.property(
        fc.array(value, { minLength: 1, maxLength: 9 }),
        fc.double({ min: -1, max: 9, noNaN: true }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (raw, trace, stdDev) => {
          const eigenvalues = Float64Array.from(raw).sort().reverse();
          const found = noiseInEigenvalues({ eigenvalues, trace, d: raw.length + 3, stdDev });
          found.forEach((one, j) => {
            expect(one).toBeGreaterThanOrEqual(0);
            expect(one).toBeLessThanOrEqual(Math.max(0, eigenvalues[j]!) + 1e-12);
          });
        },
      ),
    );
  });
});

describe("classes without the selection's noise", () => {
  it("have variances nearer to those of their rows", async () => {
    const normal = seededNormals("classes");
    const rows = 1_000;
    const sigma = 4;
    const errors = { before: 0, after: 0 };
    for (let r = 0; r < 20; r++) {
      const classes = [0, 1].map((): NoisyMoments => {
        const drawn = noise(sigma / Math.SQRT2 / rows, normal);
        return { rows, mean: new Float64Array(d), covariance: plus(covariance(), drawn) };
      });
      const pooled: NoisyMoments = {
        rows: 2 * rows,
        mean: new Float64Array(d),
        covariance: plus(classes[0]!.covariance, classes[1]!.covariance).map((x) => x / 2),
      };
      const { loadings, eigenvalues } = await leadingSubspace(pooled.covariance, d, k, kernels);
      const reduced = classes.map((one) => reducedMoments(one, loadings));
      const corrected = withoutSelectionBias({ pooled, classes: reduced, eigenvalues, stdDev: sigma });
      for (let j = 0; j < k; j++) {
        const truth = along(covariance(), loadings.subarray(j * d, (j + 1) * d));
        for (const c of [0, 1]) {
          errors.before += reduced[c]!.covariance[j * (k + 1)]! - truth;
          errors.after += corrected[c]!.covariance[j * (k + 1)]! - truth;
        }
      }
    }
    // A quarter of it is taken off.
    expect(errors.after / errors.before).toBeGreaterThan(0.7);
    expect(errors.after / errors.before).toBeLessThan(0.8);
  });
});
