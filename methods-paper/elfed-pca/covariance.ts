import { faults } from "@consilium/core/fault";
import { type RingCodec, resolutionOf, uniformRingCodec } from "@consilium/core/fixed-point/ringVector";
import { checkRows } from "@consilium/core/learning/stageTable";
import type { NumericKernels } from "@consilium/core/linalg/kernels";
import type { ColumnBlock } from "@consilium/core/study/design";
import { checkMoments, pcaZeroThresholds } from "./moments.js";
import { analysisColumns, fillNormalised, type PcaMoments, rowsPerSlice } from "./normalise.js";
import type { ElfedPcaSays } from "./says.js";
import { noiseEntryLimit, publishedStdDev, sharedNoise } from "./sharedNoise.js";
import type { PaperPcaStudy } from "./study.js";

const fault = faults<ElfedPcaSays>();

/**
 * Stage `covariance` of ELFedPCA [ZY22, steps 2 to 5]: each site sends the scatter of its centred rows of length 1,
 * scaled, with its part E/s of the shared noise inside. The vector is the upper triangle, row-major,
 * [d(d + 1)/2].
 */

/** Room for the rounding of doubles in a bound. */
const slack = 1 + 2 ** -30;

/** A site's own data at this stage, before scaling and noise. */
export interface Scatter {
  /** XᵀX of the site's normalised rows: symmetric [d × d] row-major, trace at most `rows`. */
  readonly matrix: Float64Array;
  /** Rows of the site, those that stayed zero included. */
  readonly rows: number;
}

/**
 * XᵀX of one site's rows, centred by the mean over all sites and divided by their length, in one pass.
 * @param blocks - the site's rows, values within their declared bounds
 * @param sites - number of sites of the roster
 * @throws ConsiliumError FIELD_INVALID on moments that no honest federation sends; ROWS_TOO_MANY above
 *   `maxRowsPerSite`; VALUE_NOT_FINITE naming the column
 */
export async function normalisedScatter(options: {
  readonly study: PaperPcaStudy;
  readonly blocks: AsyncIterable<ColumnBlock>;
  readonly moments: PcaMoments;
  readonly sites: number;
  readonly kernels: NumericKernels;
}): Promise<Scatter> {
  const { study, blocks, moments, sites, kernels } = options;
  checkMoments(moments, study, sites);
  const layout = analysisColumns(study);
  const d = layout.columns.length;
  const thresholds = pcaZeroThresholds(study, moments.n, sites);
  const gram = kernels.gram(d);
  let out = new Float64Array(0);
  let rows = 0;
  for await (const block of blocks) {
    rows += block.rows;
    checkRows(rows, study);
    const slice = Math.min(rowsPerSlice(d), block.rows);
    if (out.length < slice * d) out = new Float64Array(slice * d);
    for (let from = 0; from < block.rows; from += slice) {
      const count = Math.min(slice, block.rows - from);
      fillNormalised({ block, from, rows: count, layout, mean: moments.mean, thresholds, out });
      await gram.add(out.subarray(0, count * d), count);
    }
  }
  if (rows > moments.n) {
    throw fault("FIELD_INVALID", "elfed-pca.rows-below", {});
  }
  return { matrix: await gram.finish(), rows };
}

/**
 * τ of the study's shared noise, in units of the covariance; 0 with `privacy: none`.
 * @param n - rows over all sites
 */
export function sharedStdDev(study: PaperPcaStudy, n: number): number {
  return study.privacy === "none" ? 0 : publishedStdDev({ ...study.privacy, rows: n });
}

/** The codec of the stage, the same at every site and the aggregator. */
function covarianceCodec(study: PaperPcaStudy, n: number, sites: number): RingCodec {
  const d = analysisColumns(study).columns.length;
  // A site's scatter has entries of at most its number of rows: N_i/(n-1) ≤ 2 and N_i/(N_i-1) ≤ 2.
  const bound = 2 + noiseEntryLimit(sharedStdDev(study, n)) / sites;
  return uniformRingCodec({ length: (d * (d + 1)) / 2, bound: bound * slack, sites });
}

/** How far the decoded sum may lie from the real one, per entry, in units of the covariance. */
export function covarianceResolution(study: PaperPcaStudy, n: number, sites: number): number {
  return resolutionOf(covarianceCodec(study, n, sites));
}

/**
 * One site's vector of the stage from its scatter.
 * @param sharedSeed - the seed that all sites agreed on, or null with `privacy: none`
 * @returns [d(d + 1)/2] ring elements
 * @throws ConsiliumError ROWS_TOO_FEW with `scaling: site` and fewer than two rows
 * @throws RangeError when the study needs a seed and there is none, or has one and needs none
 */
export function encodeCovariance(options: {
  readonly study: PaperPcaStudy;
  readonly scatter: Scatter;
  readonly n: number;
  readonly sites: number;
  readonly sharedSeed: Uint8Array | null;
}): BigUint64Array {
  const { study, scatter, n, sites, sharedSeed } = options;
  const d = Math.sqrt(scatter.matrix.length);
  if (study.parameters.scaling === "site" && scatter.rows < 2) {
    throw fault("ROWS_TOO_FEW", "elfed-pca.two-rows", {});
  }
  if ((study.privacy === "none") !== (sharedSeed === null)) {
    throw new RangeError("the shared seed and the study's privacy go together");
  }
  const divisor = study.parameters.scaling === "pooled" ? n - 1 : scatter.rows - 1;
  const noise = sharedSeed === null ? null : sharedNoise(sharedSeed, d, sharedStdDev(study, n));
  const triangle = new Float64Array((d * (d + 1)) / 2);
  let next = 0;
  for (let i = 0; i < d; i++) {
    for (let p = i * d + i; p < (i + 1) * d; p++) {
      triangle[next++] = scatter.matrix[p]! / divisor + (noise === null ? 0 : noise[p]! / sites);
    }
  }
  return covarianceCodec(study, n, sites).encode(triangle);
}

/** `normalisedScatter`, then `encodeCovariance`. */
export async function covarianceVector(options: {
  readonly study: PaperPcaStudy;
  readonly blocks: AsyncIterable<ColumnBlock>;
  readonly moments: PcaMoments;
  readonly sites: number;
  readonly sharedSeed: Uint8Array | null;
  readonly kernels: NumericKernels;
}): Promise<BigUint64Array> {
  const { study, moments, sites, sharedSeed } = options;
  const scatter = await normalisedScatter(options);
  return encodeCovariance({ study, scatter, n: moments.n, sites, sharedSeed });
}

/**
 * A' = Σ A_i + E: the covariance over all sites, with the shared noise in it.
 * @param sum - the sum of the sites' vectors modulo 2^64
 * @returns symmetric [d × d] row-major, off by at most `covarianceResolution` per entry. With noise it may have
 *   negative eigenvalues
 */
export function covarianceFrom(
  sum: BigUint64Array,
  study: PaperPcaStudy,
  n: number,
  sites: number,
): Float64Array {
  return symmetricFromTriangle(covarianceCodec(study, n, sites).decodeSum(sum));
}

/**
 * @param triangle - the upper triangle with diagonal, row-major, [d(d + 1)/2]
 * @returns symmetric [d × d] row-major
 */
export function symmetricFromTriangle(triangle: Float64Array): Float64Array {
  const d = (Math.sqrt(8 * triangle.length + 1) - 1) / 2;
  if (!Number.isInteger(d)) throw new RangeError(`${triangle.length} entries are no upper triangle`);
  const matrix = new Float64Array(d * d);
  let next = 0;
  for (let i = 0; i < d; i++) {
    for (let j = i; j < d; j++) {
      const entry = triangle[next++]!;
      matrix[i * d + j] = entry;
      matrix[j * d + i] = entry;
    }
  }
  return matrix;
}
