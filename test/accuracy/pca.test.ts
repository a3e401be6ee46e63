import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { plainKernels } from "@consilium/core/linalg/plain";
import type { RandomSource } from "@consilium/core/random";
import { unwrap } from "@consilium/core/result";
import { designWidth } from "@consilium/core/study/design";
import { simulateMoments, simulateSubspace } from "@consilium/methods/testing/simulatePca";
import { parseStudy, type Study } from "@consilium/methods/testing/studies";
import { covarianceResolution } from "@consilium/methods-paper/elfed-pca/covariance";
import { subspaceResolution } from "@consilium/methods-paper/elfed-pca/dpdis";
import { ownNoise, publishedStdDev, sharedNoise } from "@consilium/methods-paper/elfed-pca/sharedNoise";
import { asPaperPca, type PaperPcaStudy } from "@consilium/methods-paper/elfed-pca/study";
import seedrandom from "seedrandom";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { z } from "zod";
import { type Python, requirePython } from "../support/python.js";
import {
  blocksOf,
  bundledWdbc,
  covertype,
  datasetFolder,
  type FeatureSource,
  heartDisease,
  type SplitTable,
  uciWdbc,
} from "./tables.js";

/** Federated PCA against numpy on real tables: `pca_oracle.py` is the independent program. */

const script = readFileSync(new URL("pca_oracle.py", import.meta.url), "utf8");
const kernels = plainKernels();
const seed = Uint8Array.from({ length: 32 }, (_, i) => 255 - i);
const privacy = { epsilon: 0.5, delta: 1e-5 };

const wdbcFeatures = (
  parse(readFileSync(new URL("../../examples/studies/wdbc-none.yaml", import.meta.url), "utf8")) as {
    features: FeatureSource[];
  }
).features;

const answerSchema = z.object({
  n: z.int(),
  mean: z.array(z.number()),
  covariance: z.array(z.number()),
  values: z.array(z.number()),
  vectors: z.array(z.number()),
  rank: z.int(),
  combined: z.array(z.number()),
  combinedGap: z.number().nullable(),
});

let folder = "";
beforeAll(() => {
  folder = mkdtempSync(`${tmpdir()}/consilium-pca-`);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface Options {
  readonly scale: "none" | "declared";
  readonly scaling?: "pooled" | "site";
  readonly privacy?: Study["privacy"];
}

function studyOf(table: SplitTable, method: "elfed-pca" | "dpdis-pca", options: Options): PaperPcaStudy {
  const study = unwrap(
    parseStudy({
      name: "accuracy",
      table: "t",
      features: table.features,
      analysis: "pca",
      method,
      variant: "paper",
      parameters: {
        components: table.components,
        scale: options.scale,
        scaling: options.scaling ?? "pooled",
      },
      privacy: options.privacy ?? "none",
      participation: { maxRowsPerSite: 100_000 },
    }),
  );
  return asPaperPca(study);
}

/** Reproducible bytes for the sites' own noise. */
function reproducible(text: string): RandomSource {
  const random = seedrandom(text);
  return { bytes: (count) => Uint8Array.from({ length: count }, () => Math.floor(random() * 256)) };
}

async function federated(table: SplitTable, method: "elfed-pca" | "dpdis-pca", options: Options) {
  const study = studyOf(table, method, options);
  const tables = table.sites.map((rows) => blocksOf(rows, table.features.length));
  const simulated = await simulateMoments({ study, tables, kernels });
  const sharedSeed = method === "elfed-pca" && study.privacy !== "none" ? seed : null;
  const random = reproducible(table.name);
  const { matrix, subspace } = await simulateSubspace({ study, simulated, sharedSeed, random, kernels });
  return { study, moments: simulated.moments, matrix, subspace };
}

/** The oracle's answer to one request. */
async function ask(python: Python, request: unknown): Promise<unknown> {
  const file = `${folder}/request.json`;
  writeFileSync(file, JSON.stringify(request));
  return JSON.parse(await python.run(script, [file]));
}

async function central(python: Python, table: SplitTable, options: Options) {
  const rows = `${folder}/${table.name.replace(/\W+/g, "-")}.f64`;
  writeFileSync(rows, new Uint8Array(Float64Array.from(table.sites.flat(2)).buffer));
  const study = studyOf(table, "elfed-pca", options);
  const d = designWidth(study.features);
  const siteRows = table.sites.map((part) => part.length);
  const total = siteRows.reduce((sum, count) => sum + count, 0);
  // The noise is an input of the oracle, as the agreed seed is of the sites.
  const random = reproducible(table.name);
  const noisy = study.privacy !== "none";
  const answer = await ask(python, {
    task: "pca",
    rows,
    features: table.features.map((feature) =>
      feature.type === "numeric" ? feature : { type: "categorical", levels: feature.levels.length },
    ),
    siteRows,
    scale: options.scale,
    scaling: options.scaling ?? "pooled",
    k: table.components,
    noise: noisy ? Array.from(sharedNoise(seed, d, publishedStdDev({ ...privacy, rows: total }))) : null,
    siteNoise: noisy
      ? siteRows.map((count) => Array.from(ownNoise(random, d, publishedStdDev({ ...privacy, rows: count }))))
      : null,
  });
  return { ...answerSchema.parse(answer), d };
}

function largestDifference(actual: ArrayLike<number>, expected: readonly number[]): number {
  expect(actual.length).toBe(expected.length);
  return expected.reduce((most, value, i) => Math.max(most, Math.abs(value - actual[i]!)), 0);
}

/** ‖sin Θ‖_F between the row spaces of two orthonormal [k × d]. */
function sinTheta(u: Float64Array, v: readonly number[], d: number): number {
  let squares = 0;
  for (let a = 0; a < u.length; a += d) {
    const rest = Array.from(u.subarray(a, a + d));
    for (let b = 0; b < v.length; b += d) {
      let product = 0;
      for (let j = 0; j < d; j++) product += u[a + j]! * v[b + j]!;
      for (let j = 0; j < d; j++) rest[j]! -= product * v[b + j]!;
    }
    squares += rest.reduce((sum, x) => sum + x * x, 0);
  }
  return Math.sqrt(squares);
}

const heart = datasetFolder("heart-disease-4sites");
const cover = datasetFolder("covertype-20k");
const wdbc = datasetFolder("wdbc");
const tables: SplitTable[] = [
  bundledWdbc(wdbcFeatures),
  ...(wdbc === null ? [] : [uciWdbc(wdbc, wdbcFeatures)]),
  ...(heart === null ? [] : [heartDisease(heart)]),
  ...(cover === null ? [] : [covertype(cover)]),
];

describe("federated PCA against numpy", () => {
  for (const table of tables) {
    describe(table.name, () => {
      for (const scale of ["none", "declared"] as const) {
        it(`finds the pooled mean, covariance and subspace (scale: ${scale})`, async (context) => {
          const python = requirePython(context, ["numpy"]);
          const options = { scale };
          const { study, moments, matrix, subspace } = await federated(table, "elfed-pca", options);
          const oracle = await central(python, table, options);
          const { d } = oracle;
          expect(moments.n).toBe(oracle.n);
          const columnRanges = study.features.flatMap((feature) =>
            feature.type === "numeric"
              ? [scale === "declared" ? 1 : feature.max - feature.min]
              : feature.levels.map(() => 1),
          );
          const meanError = oracle.mean.reduce(
            (most, value, j) => Math.max(most, Math.abs(value - moments.mean[j]!) / columnRanges[j]!),
            0,
          );
          const covarianceError = largestDifference(matrix, oracle.covariance);
          const k = table.components;
          const gap = oracle.values[k - 1]! - oracle.values[k]!;
          const angle = sinTheta(subspace.loadings, oracle.vectors, d);
          const allowed = (1e-9 * oracle.values[0]!) / gap;
          console.log(
            `${table.name}, scale ${scale}: mean ${meanError.toExponential(1)} of the range, covariance ` +
              `${covarianceError.toExponential(1)}, sin Θ ${angle.toExponential(1)} (allowed ${allowed.toExponential(1)})`,
          );
          expect(meanError).toBeLessThanOrEqual(1e-9);
          expect(covarianceError).toBeLessThanOrEqual(1e-9);
          expect(angle).toBeLessThanOrEqual(allowed);
          expect(largestDifference(subspace.eigenvalues, oracle.values.slice(0, k))).toBeLessThanOrEqual(
            1e-9,
          );
        });
      }

      it("equals the central simulation of the same split with scaling: site", async (context) => {
        const python = requirePython(context, ["numpy"]);
        const options = { scale: "declared", scaling: "site" } as const;
        const { matrix } = await federated(table, "elfed-pca", options);
        const oracle = await central(python, table, options);
        expect(largestDifference(matrix, oracle.covariance)).toBeLessThanOrEqual(1e-9);
      });

      it("sums to the central A + E with noise, to the resolution of the ring", async (context) => {
        const python = requirePython(context, ["numpy"]);
        const options = { scale: "declared", privacy } as const;
        const { study, moments, matrix, subspace } = await federated(table, "elfed-pca", options);
        const oracle = await central(python, table, options);
        const resolution = covarianceResolution(study, moments.n, table.sites.length);
        expect(resolution).toBeLessThan(1e-15);
        // Beside the ring: doubles lose about n units in the last place while numpy adds n products.
        expect(largestDifference(matrix, oracle.covariance)).toBeLessThanOrEqual(resolution + 1e-14);
        expect(
          largestDifference(subspace.eigenvalues, oracle.values.slice(0, table.components)),
        ).toBeLessThan(1e-11);
      });

      const forms: [name: string, options: Options][] = [
        ["without noise", { scale: "declared" }],
        ["with each site's own noise", { scale: "declared", privacy }],
      ];
      for (const [name, options] of forms) {
        it(`combines DPdisPCA's partial subspaces as a central simulation of the same split ${name}`, async (context) => {
          const python = requirePython(context, ["numpy"]);
          const { study, matrix } = await federated(table, "dpdis-pca", options);
          const oracle = await central(python, table, options);
          expect(oracle.rank).toBe(Math.min(2 * table.components, oracle.d));
          const size = Math.max(...oracle.combined.map(Math.abs));
          const allowed = 1e-9 * Math.max(1, size) + subspaceResolution(study, table.sites.length);
          expect(largestDifference(matrix, oracle.combined)).toBeLessThanOrEqual(allowed);
        });
      }
    });
  }

  it("derives the shared noise as ARC4, 53-bit doubles and Box-Muller say", async (context) => {
    const python = requirePython(context, ["numpy"]);
    const file = new URL("../../methods/testing/testVectors/v1/sharedNoise.json", import.meta.url);
    const { cases } = z
      .object({
        cases: z.array(
          z.object({ seed: z.string(), d: z.int(), stdDev: z.number(), matrix: z.array(z.number()) }),
        ),
      })
      .parse(JSON.parse(readFileSync(file, "utf8")));
    for (const { seed: hex, d, stdDev, matrix } of cases) {
      const answer = await ask(python, { task: "sharedNoise", seed: hex, d, stdDev });
      const oracle = z.object({ matrix: z.array(z.number()) }).parse(answer);
      expect(largestDifference(matrix, oracle.matrix)).toBeLessThanOrEqual(1e-13 * stdDev);
    }
  });
});
