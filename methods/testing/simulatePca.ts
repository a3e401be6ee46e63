import { addInto } from "@consilium/core/fixed-point/ringVector";
import { streamed } from "@consilium/core/learning/sums";
import type { NumericKernels } from "@consilium/core/linalg/kernels";
import type { RandomSource } from "@consilium/core/random";
import { assertNever } from "@consilium/core/result";
import type { ColumnBlock } from "@consilium/core/study/design";
import {
  covarianceFrom,
  encodeCovariance,
  normalisedScatter,
  type Scatter,
} from "@consilium/methods-paper/elfed-pca/covariance";
import { encodeSubspace, subspaceFrom } from "@consilium/methods-paper/elfed-pca/dpdis";
import { meanFrom, momentsVector } from "@consilium/methods-paper/elfed-pca/moments";
import type { PcaMoments } from "@consilium/methods-paper/elfed-pca/normalise";
import type { PaperPcaStudy } from "@consilium/methods-paper/elfed-pca/study";
import { type PrincipalSubspace, principalSubspace } from "../shared/pca/subspace.js";

/**
 * Federated PCA with all sites in one process: the same vectors, codec, ring additions and decompositions as over
 * the network, without masks, which cancel. For benches and tests.
 */

export interface SimulatedMoments {
  readonly moments: PcaMoments;
  /** One per site. */
  readonly scatters: readonly Scatter[];
}

/**
 * The stage `moments` and each site's pass over its rows: what does not depend on noise.
 * @param tables - per site, its blocks of rows
 */
export async function simulateMoments(options: {
  readonly study: PaperPcaStudy;
  readonly tables: readonly (readonly ColumnBlock[])[];
  readonly kernels: NumericKernels;
}): Promise<SimulatedMoments> {
  const { study, tables, kernels } = options;
  const sites = tables.length;
  const vectors: BigUint64Array[] = [];
  for (const table of tables) vectors.push(await momentsVector(study, streamed(table), sites));
  const moments = meanFrom(ringSum(vectors), study, sites);
  const scatters: Scatter[] = [];
  for (const table of tables) {
    scatters.push(await normalisedScatter({ study, blocks: streamed(table), moments, sites, kernels }));
  }
  return { moments, scatters };
}

/**
 * The stage `covariance` or `subspace`, and the decomposition of its result.
 * @param sharedSeed - ELFedPCA's seed; null with `privacy: none`
 * @param random - DPdisPCA's noise, drawn by the sites one after the other
 * @returns `matrix`: what the aggregator decomposes, [d × d] row-major
 */
export async function simulateSubspace(options: {
  readonly study: PaperPcaStudy;
  readonly simulated: SimulatedMoments;
  readonly sharedSeed: Uint8Array | null;
  readonly random: RandomSource;
  readonly kernels: NumericKernels;
}): Promise<{ readonly matrix: Float64Array; readonly subspace: PrincipalSubspace }> {
  const { study, simulated, sharedSeed, random, kernels } = options;
  const { moments, scatters } = simulated;
  const sites = scatters.length;
  const vectors: BigUint64Array[] = [];
  for (const scatter of scatters) {
    switch (study.method) {
      case "elfed-pca":
        vectors.push(encodeCovariance({ study, scatter, n: moments.n, sites, sharedSeed }));
        break;
      case "dpdis-pca":
        vectors.push(await encodeSubspace({ study, scatter, sites, random, kernels }));
        break;
      default:
        assertNever(study.method);
    }
  }
  const sum = ringSum(vectors);
  const matrix =
    study.method === "elfed-pca"
      ? covarianceFrom(sum, study, moments.n, sites)
      : subspaceFrom(sum, study, sites);
  const subspace = await principalSubspace(matrix, moments.mean.length, study.parameters.components, kernels);
  return { matrix, subspace };
}

function ringSum(vectors: readonly BigUint64Array[]): BigUint64Array {
  const [first, ...others] = vectors;
  if (first === undefined) throw new RangeError("a federation has at least one site");
  const sum = first.slice();
  for (const vector of others) addInto(sum, vector);
  return sum;
}
