import { faults } from "@consilium/core/fault";
import { checkRows } from "@consilium/core/learning/stageTable";
import type { ColumnBlock } from "@consilium/core/study/design";
import { projectInto } from "@consilium/methods/shared/pca/projectInto";
import { checkMoments, pcaZeroThresholds } from "./moments.js";
import { analysisColumns, fillNormalised, type PcaMoments, rowsPerSlice } from "./normalise.js";
import type { ElfedPcaSays } from "./says.js";
import type { PaperPcaStudy } from "./study.js";

const fault = faults<ElfedPcaSays>();

/** Stage `projection` [ZY22, step 7]: Y = X Vᵀ, the rows reduced to k numbers each. */

/** Reduced rows of one slice. */
export interface ProjectedRows {
  readonly rows: number;
  /** [rows × k] row-major; each row has length at most 1. */
  readonly values: Float64Array;
  /** [rows] the label's level, when the study declares a label. */
  readonly labels: Uint16Array | null;
}

/** Loadings count as orthonormal when V Vᵀ is the identity to this. */
const orthonormalTolerance = 1e-8;

/**
 * Reduces one site's rows, in the order in which they come, slice by slice.
 * @param blocks - the site's rows, values within their declared bounds
 * @param sites - number of sites of the roster
 * @param loadings - V, [k × d] row-major, orthonormal rows
 * @throws ConsiliumError FIELD_INVALID on moments or loadings that no honest federation sends; ROWS_TOO_MANY;
 *   VALUE_NOT_FINITE
 */
export async function* projectRows(options: {
  readonly study: PaperPcaStudy;
  readonly blocks: AsyncIterable<ColumnBlock>;
  readonly moments: PcaMoments;
  readonly sites: number;
  readonly loadings: Float64Array;
}): AsyncGenerator<ProjectedRows, void, undefined> {
  const { study, blocks, moments, sites, loadings } = options;
  checkMoments(moments, study, sites);
  const layout = analysisColumns(study);
  const d = layout.columns.length;
  const k = study.parameters.components;
  checkLoadings(loadings, k, d);
  const thresholds = pcaZeroThresholds(study, moments.n, sites);
  const normalised = new Float64Array(rowsPerSlice(d) * d);
  let seen = 0;
  for await (const block of blocks) {
    seen += block.rows;
    checkRows(seen, study);
    for (let from = 0; from < block.rows; from += rowsPerSlice(d)) {
      const rows = Math.min(rowsPerSlice(d), block.rows - from);
      fillNormalised({ block, from, rows, layout, mean: moments.mean, thresholds, out: normalised });
      const values = new Float64Array(rows * k);
      for (let r = 0; r < rows; r++) {
        projectInto(normalised.subarray(r * d, (r + 1) * d), loadings, values.subarray(r * k, (r + 1) * k));
      }
      yield { rows, values, labels: block.labels === null ? null : block.labels.slice(from, from + rows) };
    }
  }
}

/**
 * What a site checks of loadings that it is sent: with rows of other lengths the reduced rows would say more than
 * the plan does.
 * @throws ConsiliumError FIELD_INVALID
 */
function checkLoadings(loadings: Float64Array, k: number, d: number): void {
  if (loadings.length !== k * d) {
    throw fault("FIELD_INVALID", "elfed-pca.loadings", { entries: loadings.length, expected: k * d });
  }
  for (let a = 0; a < k; a++) {
    for (let b = a; b < k; b++) {
      let product = 0;
      for (let j = 0; j < d; j++) product += loadings[a * d + j]! * loadings[b * d + j]!;
      if (!(Math.abs(product - (a === b ? 1 : 0)) <= orthonormalTolerance)) {
        throw fault("FIELD_INVALID", "elfed-pca.not-orthonormal", { first: a, second: b });
      }
    }
  }
}

/** The captured energy of released rows, gathered slice by slice. */
export interface ReleasedEnergy {
  /** Σ‖y‖²/(n-1): the part of the covariance's trace that the released rows hold. */
  readonly energy: number;
  /** The same as a fraction of the trace that n rows of length 1 have, n/(n-1). */
  readonly fraction: number;
}

/** Σ of squares of all entries: add it up over the slices of a release. */
export function sumOfSquares(values: Float64Array): number {
  let sum = 0;
  for (let i = 0; i < values.length; i++) sum += values[i]! * values[i]!;
  return sum;
}

/**
 * Captured energy of the released rows.
 * @param squares - Σ‖y‖² over all released rows, as `sumOfSquares` adds it up
 * @param n - number of released rows, 2 or more
 * @throws RangeError below two rows
 */
export function energyOfRows(squares: number, n: number): ReleasedEnergy {
  if (!(n >= 2)) throw new RangeError("the energy of a release needs two rows");
  return { energy: squares / (n - 1), fraction: squares / n };
}
