import { faults } from "@consilium/core/fault";
import { type RingCodec, ringCodecFor } from "@consilium/core/fixed-point/ringVector";
import { checkRows } from "@consilium/core/learning/stageTable";
import { nameOf } from "@consilium/core/said";
import type { ColumnBlock } from "@consilium/core/study/design";
import { notFinite } from "@consilium/methods/shared/plans/broadcastFaults";
import { type AnalysisColumns, analysisColumns, type PcaMoments, zeroThresholds } from "./normalise.js";
import type { ElfedPcaSays } from "./says.js";
import type { PaperPcaStudy } from "./study.js";

const fault = faults<ElfedPcaSays>();

/**
 * Stage `moments` of federated PCA [ZY22, step 1]: the sum of each column and the number of rows, over all sites.
 *
 * Each column is summed as its distance from the middle of its declared range, which is public, so that the
 * resolution does not depend on where the range lies. The vector is [d + 1]: the d sums, then the number of rows.
 */

/** Room for the rounding of sums of doubles at the bound. */
const slack = 1 + 2 ** -30;

/** The codec of the stage, the same at every site and the aggregator. */
function momentsCodec(study: PaperPcaStudy, sites: number): RingCodec {
  const layout = analysisColumns(study);
  const rows = study.participation.maxRowsPerSite;
  const bounds = new Float64Array(layout.columns.length + 1);
  for (let j = 0; j < layout.columns.length; j++) {
    bounds[j] = rows * ((layout.high[j]! - layout.low[j]!) / 2) * slack;
  }
  bounds[layout.columns.length] = rows;
  return ringCodecFor({ bounds, sites });
}

/**
 * One site's vector of the stage, in one pass over its rows.
 *
 * Sums are compensated [Neu74], so that they are off by a few units in the last place whatever the number of rows.
 * @param blocks - the site's rows, values within their declared bounds
 * @param sites - number of sites of the roster
 * @returns [d + 1] ring elements
 * @throws ConsiliumError ROWS_TOO_MANY above `maxRowsPerSite`; VALUE_NOT_FINITE naming the column
 */
export async function momentsVector(
  study: PaperPcaStudy,
  blocks: AsyncIterable<ColumnBlock>,
  sites: number,
): Promise<BigUint64Array> {
  const layout = analysisColumns(study);
  const d = layout.columns.length;
  const centres = middles(layout);
  const sums = new Float64Array(d);
  const corrections = new Float64Array(d);
  let rows = 0;
  for await (const block of blocks) {
    rows += block.rows;
    checkRows(rows, study);
    layout.columns.forEach((column, j) => {
      const source = block.columns[column.feature]!;
      const { level, min } = column;
      const centre = centres[j]!;
      const range = layout.toUnitRange ? column.max - min : null;
      let sum = sums[j]!;
      let correction = corrections[j]!;
      for (let r = 0; r < block.rows; r++) {
        const raw = source[r]!;
        let value = raw;
        if (level !== null) value = raw === level ? 1 : 0;
        else if (range !== null) value = (raw - min) / range;
        const term = value - centre;
        const next = sum + term;
        correction += Math.abs(sum) >= Math.abs(term) ? sum - next + term : term - next + sum;
        sum = next;
      }
      sums[j] = sum;
      corrections[j] = correction;
    });
  }
  const vector = new Float64Array(d + 1);
  for (let j = 0; j < d; j++) {
    vector[j] = sums[j]! + corrections[j]!;
    if (!Number.isFinite(vector[j])) throw notFinite(layout.columns[j]!.name);
  }
  vector[d] = rows;
  return momentsCodec(study, sites).encode(vector);
}

/**
 * The exact mean and number of rows over all sites.
 * @param sum - the sum of the sites' vectors modulo 2^64
 * @param sites - number of vectors in it
 * @returns mean within the declared bounds; it is off by at most `momentsResolution`
 * @throws RangeError when the sum cannot come from `sites` honest sites, or holds fewer than two rows
 */
export function meanFrom(sum: BigUint64Array, study: PaperPcaStudy, sites: number): PcaMoments {
  const layout = analysisColumns(study);
  const d = layout.columns.length;
  const codec = momentsCodec(study, sites);
  const decoded = codec.decodeSum(sum);
  const n = decoded[d]!;
  if (!Number.isInteger(n) || n > sites * study.participation.maxRowsPerSite) {
    throw new RangeError("the sum of the numbers of rows is not one that the study's sites can send");
  }
  if (n < 2) throw new RangeError("the sites hold fewer than two rows together: there is no covariance");
  const centres = middles(layout);
  const mean = new Float64Array(d);
  for (let j = 0; j < d; j++) {
    const low = layout.low[j]!;
    const high = layout.high[j]!;
    const value = centres[j]! + decoded[j]! / n;
    const tolerance = 1e-6 * (high - low) + (sites * codec.step(j)) / n;
    if (!(value >= low - tolerance && value <= high + tolerance)) {
      throw new RangeError(
        `the mean of column "${layout.columns[j]!.name}" lies outside its declared bounds: a site sent no honest sum`,
      );
    }
    mean[j] = Math.min(high, Math.max(low, value));
  }
  return { n, mean };
}

/**
 * What a site checks of the moments that it is sent, before it uses them.
 * @throws ConsiliumError FIELD_INVALID
 */
export function checkMoments(moments: PcaMoments, study: PaperPcaStudy, sites: number): void {
  const layout = analysisColumns(study);
  const { n, mean } = moments;
  if (!Number.isInteger(n) || n < 2 || n > sites * study.participation.maxRowsPerSite) {
    throw fault("FIELD_INVALID", "elfed-pca.rows-range", {});
  }
  if (mean.length !== layout.columns.length) {
    const params = { entries: mean.length, expected: layout.columns.length };
    throw fault("FIELD_INVALID", "elfed-pca.mean-length", params);
  }
  const outside = mean.findIndex((value, j) => !(value >= layout.low[j]! && value <= layout.high[j]!));
  if (outside >= 0) {
    const column = nameOf(layout.columns[outside]!.name);
    throw fault("FIELD_INVALID", "elfed-pca.mean-outside", { column });
  }
}

/**
 * How far the published mean may lie from the exact one, as a fraction of the declared range: the largest over all
 * columns. Quantisation alone; doubles add a few units in the last place.
 * @param n - rows over all sites
 */
export function momentsResolution(study: PaperPcaStudy, sites: number, n: number): number {
  const layout = analysisColumns(study);
  const codec = momentsCodec(study, sites);
  return layout.low.reduce((largest, low, j) => {
    const distance = (sites * codec.step(j)) / 2 / n;
    return Math.max(largest, distance / (layout.high[j]! - low));
  }, 0);
}

/** The thresholds of `zeroThresholds` for this study, as every site and every reader of the model use them. */
export function pcaZeroThresholds(study: PaperPcaStudy, n: number, sites: number): Float64Array {
  const codec = momentsCodec(study, sites);
  return zeroThresholds({ layout: analysisColumns(study), sumSteps: (j) => codec.step(j), n, sites });
}

function middles(layout: AnalysisColumns): Float64Array {
  return layout.low.map((low, j) => low + (layout.high[j]! - low) / 2);
}
