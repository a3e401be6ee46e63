import { addInto } from "@consilium/core/fixed-point/ringVector";
import { streamed } from "@consilium/core/learning/sums";
import { plainKernels } from "@consilium/core/linalg/plain";
import type { RandomSource } from "@consilium/core/random";
import { unwrap } from "@consilium/core/result";
import type { ColumnBlock } from "@consilium/core/study/design";
import { inEnglish } from "@consilium/core/testing/inEnglish";
import type { RawRow } from "@consilium/methods/shared/columns/modelColumns";
import { capturedEnergy } from "@consilium/methods/shared/pca/subspace";
import { simulateMoments, simulateSubspace } from "@consilium/methods/testing/simulatePca";
import { parseStudy, type Study } from "@consilium/methods/testing/studies";
import fc from "fast-check";
import { EigenvalueDecomposition, Matrix } from "ml-matrix";
import { describe, expect, it } from "vitest";
import { covarianceResolution, covarianceVector, encodeCovariance, normalisedScatter } from "./covariance.js";
import { subspaceResolution, subspaceVector } from "./dpdis.js";
import { pcaModel, pcaModelSchema, projectRow } from "./model.js";
import { checkMoments, meanFrom, momentsResolution, momentsVector } from "./moments.js";
import { energyOfRows, projectRows, sumOfSquares } from "./projection.js";
import { ownNoise, sharedNoise } from "./sharedNoise.js";
import { asPaperPca, type PaperPcaStudy } from "./study.js";

// What follows is a second, independent computation in plain arrays: it shares nothing with the product's path.

type Table = readonly (readonly number[])[];

/** Sums of distances from the first row, so that the reference itself does not lose digits. */
function centralMean(rows: Table): number[] {
  return rows[0]!.map(
    (first, j) => first + rows.reduce((sum, row) => sum + (row[j]! - first), 0) / rows.length,
  );
}

function centralNormalised(rows: Table, mean: readonly number[], ranges: readonly number[]): number[][] {
  return rows.map((row) => {
    const centred = row.map((value, j) => value - mean[j]!);
    if (centred.every((value, j) => Math.abs(value) <= 2 ** -40 * ranges[j]!)) return centred.map(() => 0);
    const length = Math.hypot(...centred);
    return centred.map((value) => value / length);
  });
}

function centralScatter(rows: Table, d: number): number[][] {
  return Array.from({ length: d }, (_, i) =>
    Array.from({ length: d }, (_, j) => rows.reduce((sum, row) => sum + row[i]! * row[j]!, 0)),
  );
}

const plus = (a: number[][], b: number[][]) => a.map((row, i) => row.map((x, j) => x + b[i]![j]!));
const times = (a: number[][], factor: number) => a.map((row) => row.map((x) => x * factor));

/** The eigenvectors of the k eigenvalues of largest magnitude, and all eigenvalues in that order. */
function centralEigen(matrix: number[][]): { values: number[]; vectors: number[][] } {
  const evd = new EigenvalueDecomposition(new Matrix(matrix), { assumeSymmetric: true });
  const order = evd.realEigenvalues.map((_, i) => i);
  order.sort((i, j) => Math.abs(evd.realEigenvalues[j]!) - Math.abs(evd.realEigenvalues[i]!));
  return {
    values: order.map((i) => evd.realEigenvalues[i]!),
    vectors: order.map((i) => evd.eigenvectorMatrix.getColumn(i)),
  };
}

/** ‖sin Θ‖ between the row spaces of two orthonormal [k × d]: the Frobenius norm of (I - V'V) U'. */
function sinTheta(u: readonly (readonly number[])[], v: readonly (readonly number[])[]): number {
  let squares = 0;
  for (const a of u) {
    const rest = [...a];
    for (const b of v) {
      const product = a.reduce((sum, x, j) => sum + x * b[j]!, 0);
      b.forEach((x, j) => {
        rest[j]! -= product * x;
      });
    }
    squares += rest.reduce((sum, x) => sum + x * x, 0);
  }
  return Math.sqrt(squares);
}

const rowsOf = (flat: Float64Array, d: number): number[][] =>
  Array.from({ length: flat.length / d }, (_, i) => Array.from(flat.subarray(i * d, (i + 1) * d)));

function expectClose(actual: Float64Array, expected: number[][], tolerance: number): void {
  expected.flat().forEach((value, p) => {
    if (!(Math.abs(actual[p]! - value) <= tolerance)) {
      throw new Error(`entry ${p} is off by ${Math.abs(actual[p]! - value)}, allowed are ${tolerance}`);
    }
  });
}

// The generated cases.

interface Column {
  readonly min: number;
  readonly max: number;
}

interface Case {
  readonly columns: readonly Column[];
  /** Per site, its rows in declared units. */
  readonly sites: readonly Table[];
  readonly k: number;
}

/**
 * Bounds up to 20 ranges away from 0. Further out, a double near the mean resolves the direction of a row close to
 * it too coarsely to compare two computations to 1e-9.
 */
const columnArbitrary = fc
  .record({ place: fc.integer({ min: -20, max: 20 }), range: fc.constantFrom(0.001, 1, 3, 50, 4000) })
  .map(({ place, range }): Column => ({ min: place * range, max: (place + 1) * range }));

/** Sites of very different sizes and places: each draws around a centre of its own. */
const caseArbitrary: fc.Arbitrary<Case> = fc
  .record({
    columns: fc.array(columnArbitrary, { minLength: 1, maxLength: 6 }),
    sizes: fc.array(fc.oneof(fc.constant(2), fc.integer({ min: 2, max: 40 })), {
      minLength: 3,
      maxLength: 20,
    }),
    seed: fc.integer({ min: 1, max: 2 ** 31 - 1 }),
    k: fc.nat(),
  })
  .map(({ columns, sizes, seed, k }) => {
    let state = seed;
    const uniform = () => {
      state = (Math.imul(state, 48271) & 0x7fffffff) % 0x7fffffff || 1;
      return state / 0x7fffffff;
    };
    const sites = sizes.map((size) => {
      const centre = columns.map(uniform);
      return Array.from({ length: size }, () => {
        const common = uniform();
        return columns.map(({ min, max }, j) => {
          const place = Math.min(1, Math.max(0, 0.5 * centre[j]! + 0.3 * uniform() + 0.2 * common));
          return min + place * (max - min);
        });
      });
    });
    return { columns, sites, k: 1 + (k % columns.length) };
  });

function studyOf(
  testCase: Pick<Case, "columns" | "k">,
  options: {
    method?: "elfed-pca" | "dpdis-pca";
    scaling?: "pooled" | "site";
    scale?: "none" | "declared";
    privacy?: Study["privacy"];
    maxRowsPerSite?: number;
  } = {},
): PaperPcaStudy {
  const study = unwrap(
    parseStudy({
      name: "property",
      table: "t",
      features: testCase.columns.map((column, j) => ({ name: `x${j}`, type: "numeric", ...column })),
      analysis: "pca",
      method: options.method ?? "elfed-pca",
      variant: "paper",
      parameters: {
        components: testCase.k,
        scaling: options.scaling ?? "pooled",
        scale: options.scale ?? "none",
      },
      privacy: options.privacy ?? "none",
      participation: { maxRowsPerSite: options.maxRowsPerSite ?? 1000 },
    }),
  );
  return asPaperPca(study);
}

/** Rows as blocks of uneven sizes, as a data layer may hand them out. */
function blocksOf(rows: Table, d: number): ColumnBlock[] {
  const blocks: ColumnBlock[] = [];
  for (let from = 0, size = 1; from < rows.length; from += size, size = (size * 3) % 7) {
    const part = rows.slice(from, from + size);
    blocks.push({
      rows: part.length,
      columns: Array.from({ length: d }, (_, j) => Float64Array.from(part, (row) => row[j]!)),
      labels: null,
    });
  }
  return blocks;
}

const kernels = plainKernels();
const noRandom: RandomSource = {
  bytes() {
    throw new Error("nothing random is needed without noise");
  },
};
/** Not random at all, but spread: for reproducible noise in tests. */
function countingRandom(start: number): RandomSource {
  let state = BigInt(start) * 0x9e3779b97f4a7c15n;
  return {
    bytes(count) {
      const bytes = new Uint8Array(count);
      for (let i = 0; i < count; i++) {
        state = BigInt.asUintN(64, state * 6364136223846793005n + 1442695040888963407n);
        bytes[i] = Number(state >> 56n);
      }
      return bytes;
    },
  };
}
const seed = Uint8Array.from({ length: 32 }, (_, i) => i * 7 + 1);

const inUnits = (testCase: Case, scale: "none" | "declared"): Table[] =>
  testCase.sites.map((rows) =>
    rows.map((row) =>
      scale === "none"
        ? row
        : row.map((x, j) => {
            const { min, max } = testCase.columns[j]!;
            return (x - min) / (max - min);
          }),
    ),
  );

async function federate(study: PaperPcaStudy, testCase: Case, random: RandomSource = noRandom) {
  const d = testCase.columns.length;
  const tables = testCase.sites.map((rows) => blocksOf(rows, d));
  const simulated = await simulateMoments({ study, tables, kernels });
  const sharedSeed = study.privacy === "none" || study.method === "dpdis-pca" ? null : seed;
  return {
    ...simulated,
    ...(await simulateSubspace({ study, simulated, sharedSeed, random, kernels })),
  };
}

describe("federated PCA without noise", () => {
  for (const scale of ["none", "declared"] as const) {
    it(`equals pooled PCA for any split of the rows (scale: ${scale})`, async () => {
      await fc.assert(
        fc.asyncProperty(caseArbitrary, async (testCase) => {
          const study = studyOf(testCase, { scale });
          const d = testCase.columns.length;
          const { moments, matrix, subspace } = await federate(study, testCase);
          const pooled = inUnits(testCase, scale).flat();
          const ranges = testCase.columns.map(({ min, max }) => (scale === "none" ? max - min : 1));
          const mean = centralMean(pooled);
          expect(moments.n).toBe(pooled.length);
          mean.forEach((value, j) => {
            expect(Math.abs(moments.mean[j]! - value)).toBeLessThanOrEqual(1e-9 * ranges[j]!);
          });
          const central = times(
            centralScatter(centralNormalised(pooled, mean, ranges), d),
            1 / (pooled.length - 1),
          );
          // Entries of the covariance of rows of length 1 lie within ±1: that is their range.
          expectClose(matrix, central, 1e-9);
          const { values, vectors } = centralEigen(central);
          const gap = Math.abs(values[testCase.k - 1]!) - Math.abs(values[testCase.k] ?? 0);
          if (gap > 1e-6) {
            const angle = sinTheta(rowsOf(subspace.loadings, d), vectors.slice(0, testCase.k));
            expect(angle).toBeLessThanOrEqual((1e-9 * Math.abs(values[0]!)) / gap);
          }
        }),
        { numRuns: 150 },
      );
    });
  }

  it("divides each site's scatter by its own rows with scaling: site", async () => {
    await fc.assert(
      fc.asyncProperty(caseArbitrary, async (testCase) => {
        const study = studyOf(testCase, { scaling: "site" });
        const d = testCase.columns.length;
        const { matrix } = await federate(study, testCase);
        const ranges = testCase.columns.map(({ min, max }) => max - min);
        const mean = centralMean(testCase.sites.flat());
        const central = testCase.sites
          .map((rows) =>
            times(centralScatter(centralNormalised(rows, mean, ranges), d), 1 / (rows.length - 1)),
          )
          .reduce(plus);
        expectClose(matrix, central, 1e-9);
      }),
      { numRuns: 100 },
    );
  });

  it("combines partial subspaces of rank 2K with dpdis-pca", async () => {
    await fc.assert(
      fc.asyncProperty(caseArbitrary, async (testCase) => {
        const study = studyOf(testCase, { method: "dpdis-pca" });
        const d = testCase.columns.length;
        const rank = Math.min(2 * testCase.k, d);
        const ranges = testCase.columns.map(({ min, max }) => max - min);
        const mean = centralMean(testCase.sites.flat());
        const locals = testCase.sites.map((rows) =>
          centralEigen(times(centralScatter(centralNormalised(rows, mean, ranges), d), 1 / rows.length)),
        );
        // Where a site's R-th and next eigenvalue tie, its partial subspace is not defined.
        fc.pre(locals.every(({ values }) => rank === d || values[rank - 1]! - values[rank]! > 1e-5));
        const central = times(
          locals
            .map(({ values, vectors }) =>
              vectors
                .slice(0, rank)
                .map((v, r) => v.map((a) => v.map((b) => Math.abs(values[r]!) * a * b)))
                .reduce(plus),
            )
            .reduce(plus),
          1 / testCase.sites.length,
        );
        const { matrix } = await federate(study, testCase);
        expectClose(matrix, central, 1e-9 + subspaceResolution(study, testCase.sites.length));
      }),
      { numRuns: 100 },
    );
  });

  it("leaves rows at the mean zero, no matter who holds them", async () => {
    const columns = [
      { min: 0, max: 1 },
      { min: 100, max: 400 },
    ];
    // The mean of all is (0.3, 217): two rows lie on it, up to the rounding of the mean itself.
    const sites: Table[] = [
      [
        [0.3, 217],
        [0.1, 200],
      ],
      [
        [0.5, 234],
        [0.3, 217],
      ],
      [
        [0.2, 117],
        [0.4, 317],
      ],
    ];
    const study = studyOf({ columns, k: 2 });
    const { scatters, moments } = await federate(study, { columns, sites, k: 2 });
    expect(moments.mean[0]).toBeCloseTo(0.3, 12);
    const traces = scatters.map(({ matrix }) => matrix[0]! + matrix[3]!);
    [1, 1, 2].forEach((trace, i) => {
      expect(traces[i]).toBeCloseTo(trace, 12);
    });
    expect(scatters.map(({ rows }) => rows)).toEqual([2, 2, 2]);
  });

  it("gives a zero covariance when all rows are equal", async () => {
    const columns = [{ min: -5, max: 1 }];
    const sites: Table[] = [[[0.1], [0.1]], [[0.1]], [[0.1], [0.1], [0.1]]];
    const { matrix, subspace } = await federate(studyOf({ columns, k: 1 }), { columns, sites, k: 1 });
    expect(Array.from(matrix)).toEqual([0]);
    expect(Array.from(subspace.explainedVarianceRatio)).toEqual([0]);
    expect(Array.from(subspace.loadings)).toEqual([1]);
  });
});

describe("federated PCA with noise", () => {
  const privacy = { epsilon: 0.5, delta: 0.01 };

  it("sums to the central A + E for a fixed seed, to the resolution of the ring", async () => {
    await fc.assert(
      fc.asyncProperty(caseArbitrary, async (testCase) => {
        const study = studyOf(testCase, { privacy });
        const d = testCase.columns.length;
        const s = testCase.sites.length;
        const { moments, matrix } = await federate(study, testCase);
        const exact = await federate(studyOf(testCase), testCase);
        const tau = Math.sqrt(2 * Math.log(1.25 / 0.01)) / (moments.n * 0.5);
        const noise = rowsOf(sharedNoise(seed, d, tau), d);
        const expected = plus(rowsOf(exact.matrix, d), noise);
        const doubles = 2 ** -50 * (1 + 9 * tau) * s;
        const grid =
          covarianceResolution(study, moments.n, s) + covarianceResolution(studyOf(testCase), moments.n, s);
        expectClose(matrix, expected, grid + doubles);
      }),
      { numRuns: 100 },
    );
  });

  it("gives every site of dpdis-pca noise of its own at its own scale", async () => {
    const columns = [0, 1, 2, 3].map(() => ({ min: 0, max: 1 }));
    const rows = (size: number, phase: number) =>
      Array.from({ length: size }, (_, i) =>
        columns.map((_, j) => 0.5 + 0.5 * Math.sin(i * (j + 1) + phase)),
      );
    const sites = [rows(20, 0), rows(50, 1), rows(80, 2)];
    const testCase = { columns, sites, k: 2 };
    const noisy = studyOf(testCase, { method: "dpdis-pca", privacy });
    const { scatters } = await simulateMoments({
      study: noisy,
      tables: sites.map((part) => blocksOf(part, 4)),
      kernels,
    });
    // R = 2K = d here, so nothing is cut off and P P' is the noisy A_s with negative eigenvalues turned positive.
    const simulated = await federate(noisy, testCase, countingRandom(5));
    const random = countingRandom(5);
    let negative = false;
    const central = times(
      scatters
        .map(({ matrix, rows: size }) => {
          const tau = Math.sqrt(2 * Math.log(1.25 / 0.01)) / (size * 0.5);
          const noise = rowsOf(ownNoise(random, 4, tau), 4);
          const { values, vectors } = centralEigen(plus(times(rowsOf(matrix, 4), 1 / size), noise));
          negative ||= values.some((value) => value < 0);
          return vectors.map((v, r) => v.map((a) => v.map((b) => Math.abs(values[r]!) * a * b))).reduce(plus);
        })
        .reduce(plus),
      1 / 3,
    );
    expect(negative).toBe(true);
    expectClose(simulated.matrix, central, 1e-9);
    expect(centralEigen(rowsOf(simulated.matrix, 4)).values.every((value) => value > 0)).toBe(true);
  });

  it("needs the seed exactly when there is noise", async () => {
    const testCase = {
      columns: [{ min: 0, max: 1 }],
      sites: [
        [[0], [1]],
        [[0.5], [0]],
        [[1], [1]],
      ],
      k: 1,
    };
    const study = studyOf(testCase, { privacy });
    const simulated = await simulateMoments({
      study,
      tables: testCase.sites.map((rows) => blocksOf(rows, 1)),
      kernels,
    });
    const scatter = simulated.scatters[0]!;
    expect(() => encodeCovariance({ study, scatter, n: 6, sites: 3, sharedSeed: null })).toThrow(RangeError);
    expect(() =>
      encodeCovariance({ study: studyOf(testCase), scatter, n: 6, sites: 3, sharedSeed: seed }),
    ).toThrow(RangeError);
  });
});

describe("what a site refuses", () => {
  const columns = [
    { min: 0, max: 1 },
    { min: 0, max: 1 },
  ];
  const study = studyOf({ columns, k: 2 }, { maxRowsPerSite: 4 });
  const table = (rows: Table) => streamed(blocksOf(rows, 2));
  const good: Table = [
    [0, 0.5],
    [0.5, 1],
    [1, 1],
  ];
  const moments = { n: 9, mean: Float64Array.of(0.5, 0.5) };

  it("more rows than declared, and values that are not finite, without naming a value", async () => {
    await expect(momentsVector(study, table([...good, ...good]), 3)).rejects.toMatchObject({
      code: "ROWS_TOO_MANY",
    });
    await expect(
      inEnglish(momentsVector(study, table([...good, [0.25, Number.NaN]]), 3)),
    ).rejects.toMatchObject({
      code: "VALUE_NOT_FINITE",
      message: expect.stringContaining('column "x1"'),
    });
    const outside = momentsVector(study, table([[0.1234567e9, 0.5]]), 3);
    await expect(outside).rejects.toThrow(RangeError);
    await expect(outside).rejects.not.toThrow("1234567");
    for (const bad of [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]) {
      const blocks = table([...good, [0, bad]]);
      await expect(
        inEnglish(normalisedScatter({ study, blocks, moments, sites: 3, kernels })),
      ).rejects.toMatchObject({
        code: "VALUE_NOT_FINITE",
        message: expect.stringContaining('column "x1"'),
      });
    }
  });

  it("moments that no honest federation sends", async () => {
    const bad = [
      { n: 1, mean: moments.mean },
      { n: 2.5, mean: moments.mean },
      { n: 13, mean: moments.mean },
      { n: 9, mean: Float64Array.of(0.5) },
      { n: 9, mean: Float64Array.of(0.5, 1.5) },
      { n: 9, mean: Float64Array.of(0.5, Number.NaN) },
    ];
    for (const broadcast of bad) {
      expect(() => checkMoments(broadcast, study, 3)).toThrow(
        expect.objectContaining({ code: "FIELD_INVALID" }),
      );
    }
    checkMoments(moments, study, 3);
    await expect(
      covarianceVector({
        study,
        blocks: table(good),
        moments: { n: 2, mean: moments.mean },
        sites: 3,
        sharedSeed: null,
        kernels,
      }),
    ).rejects.toMatchObject({ code: "FIELD_INVALID" });
  });

  it("one row where the method divides by its rows", async () => {
    const one = table([[0, 1]]);
    await expect(
      covarianceVector({
        study: studyOf({ columns, k: 2 }, { scaling: "site" }),
        blocks: one,
        moments,
        sites: 3,
        sharedSeed: null,
        kernels,
      }),
    ).rejects.toMatchObject({ code: "ROWS_TOO_FEW" });
    await expect(
      subspaceVector({
        study: studyOf({ columns, k: 2 }, { method: "dpdis-pca" }),
        blocks: table([[0, 1]]),
        moments,
        sites: 3,
        random: noRandom,
        kernels,
      }),
    ).rejects.toMatchObject({ code: "ROWS_TOO_FEW" });
  });

  it("loadings that are not orthonormal", async () => {
    for (const loadings of [
      Float64Array.of(1, 0, 1, 0),
      Float64Array.of(2, 0, 0, 1),
      Float64Array.of(1, 0, 0, Number.NaN),
      Float64Array.of(1, 0),
    ]) {
      const rows = projectRows({ study, blocks: table(good), moments, sites: 3, loadings });
      await expect(rows.next()).rejects.toMatchObject({ code: "FIELD_INVALID" });
    }
  });
});

describe("meanFrom", () => {
  it("refuses sums that no honest sites send", async () => {
    const study = studyOf({ columns: [{ min: 0, max: 1 }], k: 1 }, { maxRowsPerSite: 10 });
    const site = await momentsVector(study, streamed(blocksOf([[1], [1]], 1)), 3);
    expect(meanFrom(site, study, 3)).toEqual({ n: 2, mean: Float64Array.of(1) });
    const wild = site.slice();
    wild[0] = 2n ** 61n;
    expect(() => meanFrom(wild, study, 3)).toThrow("outside its declared bounds");
    const many = site.slice();
    for (let i = 0; i < 20; i++) addInto(many, site);
    expect(() => meanFrom(many, study, 3)).toThrow(RangeError);
    const single = await momentsVector(study, streamed(blocksOf([[1]], 1)), 3);
    expect(() => meanFrom(single, study, 3)).toThrow("fewer than two rows");
  });

  it("resolves the mean to far below what matters, at the largest roster and table that a study may declare", () => {
    const columns = [{ min: 1e6, max: 1e6 + 1 }];
    expect(momentsResolution(studyOf({ columns, k: 1 }, { maxRowsPerSite: 1e6 }), 20, 100)).toBeLessThan(
      1e-9,
    );
    expect(momentsResolution(studyOf({ columns, k: 1 }, { maxRowsPerSite: 1e9 }), 1024, 1e6)).toBeLessThan(
      1e-9,
    );
  });
});

describe("projection and model", () => {
  const parsed = unwrap(
    parseStudy({
      name: "model",
      table: "t",
      features: [
        { name: "age", type: "numeric", min: 0, max: 120, unit: "a", missing: { constant: 50 } },
        { name: "sex", type: "categorical", levels: ["f", "m"], missing: "own-level" },
        { name: "bp", type: "numeric", min: 50, max: 250 },
      ],
      label: { name: "ill", levels: ["no", "yes"] },
      analysis: "pca",
      variant: "paper",
      parameters: { components: 2, scale: "declared" },
      privacy: { epsilon: 1, delta: 0.01 },
      participation: { maxRowsPerSite: 100 },
    }),
  );
  const study = asPaperPca(parsed);
  const sexes = ["f", "m", "(missing)"];
  const tables = [0, 1, 2].map((site): ColumnBlock => {
    const rows = 5 + site;
    const column = (f: (r: number) => number) => Float64Array.from({ length: rows }, (_, r) => f(r));
    return {
      rows,
      columns: [
        column((r) => 20 + ((r * 37 + site * 11) % 80)),
        column((r) => (r + site) % 3),
        column((r) => 80 + ((r * 53 + site * 29) % 120)),
      ],
      labels: Uint16Array.from({ length: rows }, (_, r) => r % 2),
    };
  });

  it("projects a single row by model.json exactly as the sites do", async () => {
    const simulated = await simulateMoments({ study, tables: tables.map((table) => [table]), kernels });
    const { moments } = simulated;
    const { subspace, matrix } = await simulateSubspace({
      study,
      simulated,
      sharedSeed: seed,
      random: noRandom,
      kernels,
    });
    const built = pcaModel({ study, moments, subspace, sites: 3 });
    const model = pcaModelSchema.parse(JSON.parse(JSON.stringify(built)));
    expect(model).toEqual(built);
    expect(model.columns.map((column) => column.name)).toEqual([
      "age",
      "sex=f",
      "sex=m",
      "sex=(missing)",
      "bp",
    ]);
    expect(model.noise.stdDev).toBeCloseTo(Math.sqrt(2 * Math.log(125)) / 18, 12);
    let squares = 0;
    for (const table of tables) {
      for await (const slice of projectRows({
        study,
        blocks: streamed([table]),
        moments,
        sites: 3,
        loadings: subspace.loadings,
      })) {
        expect(Array.from(slice.labels!)).toEqual(Array.from(table.labels!));
        squares += sumOfSquares(slice.values);
        for (let r = 0; r < slice.rows; r++) {
          const sex = table.columns[1]![r]!;
          const raw: RawRow = {
            age: table.columns[0]![r]!,
            sex: sex === 2 ? null : sexes[sex]!,
            bp: table.columns[2]![r]!,
          };
          expect(Array.from(projectRow(model, raw))).toEqual(
            Array.from(slice.values.subarray(2 * r, 2 * r + 2)),
          );
        }
      }
    }
    // The released rows hold tr(V A V') of the exact covariance, whatever the noise in V.
    const exact = matrix.slice();
    const noise = sharedNoise(seed, 5, model.noise.stdDev!);
    for (let p = 0; p < 25; p++) exact[p]! -= noise[p]!;
    const { energy, fraction } = energyOfRows(squares, moments.n);
    expect(energy).toBeCloseTo(capturedEnergy(subspace.loadings, exact), 12);
    expect(fraction).toBeCloseTo((energy * 17) / 18, 12);
    expect(fraction).toBeLessThanOrEqual(1);

    const row = { age: 40, sex: "f", bp: 120 };
    expect(Array.from(projectRow(model, { ...row, age: null }))).toEqual(
      Array.from(projectRow(model, { ...row, age: 50 })),
    );
    expect(Array.from(projectRow(model, { ...row, age: 400 }))).toEqual(
      Array.from(projectRow(model, { ...row, age: 120 })),
    );
    const faults: [RawRow, string][] = [
      [{ sex: "f", bp: 120 }, "COLUMN_MISSING"],
      [{ ...row, bp: null }, "VALUE_MISSING"],
      [{ ...row, bp: "secret" }, "COLUMN_TYPE"],
      [{ ...row, bp: Number.NaN }, "VALUE_NOT_FINITE"],
      [{ ...row, sex: "secret" }, "LEVEL_UNDECLARED"],
    ];
    for (const [raw, code] of faults) {
      expect(() => projectRow(model, raw)).toThrow(expect.objectContaining({ code }));
      expect(() => projectRow(model, raw)).not.toThrow("secret");
    }
  });
});
