import { faults } from "@consilium/core/fault";
import { type RingCodec, resolutionOf, uniformRingCodec } from "@consilium/core/fixed-point/ringVector";
import type { NumericKernels } from "@consilium/core/linalg/kernels";
import type { RandomSource } from "@consilium/core/random";
import type { ColumnBlock } from "@consilium/core/study/design";
import { principalSubspace } from "@consilium/methods/shared/pca/subspace";
import { normalisedScatter, type Scatter, symmetricFromTriangle } from "./covariance.js";
import { analysisColumns, type PcaMoments } from "./normalise.js";
import type { ElfedPcaSays } from "./says.js";
import { noiseEntryLimit, ownNoise, publishedStdDev } from "./sharedNoise.js";
import type { PaperPcaStudy } from "./study.js";

/**
 * Stage `subspace` of DPdisPCA [IS18], as the authors' program computes it (`my_dPCA_hafiz.m` of
 * github.com/hafizimtiaz/capePCA): each site takes A_s = XᵀX/N_s, adds symmetric Gaussian noise of its own at
 * τ_s = √(2 ln(1.25/δ)) / (N_s ε), and sends P_s P_sᵀ with P_s = U_R S_R^½ from the singular value decomposition,
 * R = 2K at most d. The aggregator decomposes (1/S) Σ P_s P_sᵀ.
 *
 * Noise makes A_s indefinite. The authors take singular values, which are |λ|: components are ordered by |λ|, and one
 * of negative λ goes in with |λ|, so P_s P_sᵀ is always positive semidefinite. So here. Without noise nothing is
 * negative and P_s P_sᵀ is the best approximation of A_s of rank R.
 */

/** Room for the rounding of doubles in a bound. */
const slack = 1 + 2 ** -30;

/** A site takes part with at least so many rows: it bounds the noise, and so the ring's grid. */
const dpdisMinimumRows = 2;

/** R, the number of components that a site sends. */
export function partialRank(study: PaperPcaStudy): number {
  return Math.min(2 * study.parameters.components, analysisColumns(study).columns.length);
}

/** The codec of the stage, the same at every site and the aggregator. Rows per site are not public, so the bound holds for any. */
function subspaceCodec(study: PaperPcaStudy, sites: number): RingCodec {
  const d = analysisColumns(study).columns.length;
  // |entry of P Pᵀ| ≤ ‖A_s + E_s‖₂ ≤ tr A_s + d · max|E_s| ≤ 1 + d · limit.
  const largestStdDev =
    study.privacy === "none" ? 0 : publishedStdDev({ ...study.privacy, rows: dpdisMinimumRows });
  const bound = 1 + d * noiseEntryLimit(largestStdDev);
  return uniformRingCodec({ length: (d * (d + 1)) / 2, bound: bound * slack, sites });
}

/** How far the decoded mean over sites may lie from the real one, per entry, in units of the covariance. */
export function subspaceResolution(study: PaperPcaStudy, sites: number): number {
  return resolutionOf(subspaceCodec(study, sites)) / sites;
}

/**
 * One site's vector of the stage from its scatter.
 * @param random - source of the site's own noise; not touched with `privacy: none`
 * @returns [d(d + 1)/2] ring elements: the upper triangle of P_s P_sᵀ, row-major
 * @throws ConsiliumError ROWS_TOO_FEW below two rows
 */
export async function encodeSubspace(options: {
  readonly study: PaperPcaStudy;
  readonly scatter: Scatter;
  readonly sites: number;
  readonly random: RandomSource;
  readonly kernels: NumericKernels;
}): Promise<BigUint64Array> {
  const { study, scatter, sites, random, kernels } = options;
  const d = Math.sqrt(scatter.matrix.length);
  const rows = scatter.rows;
  if (rows < dpdisMinimumRows) {
    throw faults<ElfedPcaSays>()("ROWS_TOO_FEW", "elfed-pca.rows-needed", { rows: dpdisMinimumRows });
  }
  const covariance = scatter.matrix.map((entry) => entry / rows);
  if (study.privacy !== "none") {
    const noise = ownNoise(random, d, publishedStdDev({ ...study.privacy, rows }));
    for (let p = 0; p < noise.length; p++) covariance[p] = covariance[p]! + noise[p]!;
  }
  const rank = partialRank(study);
  const { loadings, eigenvalues } = await principalSubspace(covariance, d, rank, kernels);
  const triangle = new Float64Array((d * (d + 1)) / 2);
  for (let r = 0; r < rank; r++) {
    const singularValue = Math.abs(eigenvalues[r]!);
    const row = loadings.subarray(r * d, (r + 1) * d);
    let next = 0;
    for (let i = 0; i < d; i++) {
      const scaled = singularValue * row[i]!;
      for (let j = i; j < d; j++) triangle[next++]! += scaled * row[j]!;
    }
  }
  return subspaceCodec(study, sites).encode(triangle);
}

/** `normalisedScatter`, then `encodeSubspace`. */
export async function subspaceVector(options: {
  readonly study: PaperPcaStudy;
  readonly blocks: AsyncIterable<ColumnBlock>;
  readonly moments: PcaMoments;
  readonly sites: number;
  readonly random: RandomSource;
  readonly kernels: NumericKernels;
}): Promise<BigUint64Array> {
  const { study, sites, random, kernels } = options;
  const scatter = await normalisedScatter(options);
  return encodeSubspace({ study, scatter, sites, random, kernels });
}

/**
 * (1/S) Σ P_s P_sᵀ, whose leading eigenvectors are the result.
 * @param sum - the sum of the sites' vectors modulo 2^64
 * @returns symmetric [d × d] row-major, positive semidefinite up to rounding
 */
export function subspaceFrom(sum: BigUint64Array, study: PaperPcaStudy, sites: number): Float64Array {
  const total = symmetricFromTriangle(subspaceCodec(study, sites).decodeSum(sum));
  return total.map((entry) => entry / sites);
}
