import type { ColumnBlock, PatientRows } from "../study/design.js";
import { type PatientStudy, unitOfStudy, weighsPatients } from "../study/patientWeights.js";

/** What a row counts in a study whose patients weigh alike: docs/METHODS.md#patient-weights. */

/**
 * Per row ⌊U/k⌋, k being the used rows of its patient, so that a patient's rows weigh U at most.
 * @returns null where every row counts 1
 * @throws RangeError for a block that does not say whose rows it holds
 */
export function rowWeights(study: PatientStudy, block: ColumnBlock): Float64Array | null {
  const own = patientRowsOf(study, block);
  if (own === null) return null;
  const unit = unitOfStudy(study);
  const weights = new Float64Array(block.rows);
  for (let r = 0; r < block.rows; r++) weights[r] = Math.floor(unit / own.counts[r]!);
  return weights;
}

/** A block without the numbers of rows would weigh every row in full, and a patient beyond the bound. */
function patientRowsOf(study: PatientStudy, block: ColumnBlock): PatientRows | null {
  if (!weighsPatients(study)) return null;
  const own = block.patientRows;
  const most = study.patient!.maxRows;
  if (own === undefined || own.counts.length < block.rows)
    throw new RangeError("a study that weighs patients needs to know how many rows each patient has");
  for (let r = 0; r < block.rows; r++) {
    if (!(own.counts[r]! >= 1 && own.counts[r]! <= most))
      throw new RangeError("a patient has more used rows than the study takes, or none");
  }
  return own;
}

/** Some rows of a block's patients. */
export function patientRowsWhere(
  { patientRows }: Pick<ColumnBlock, "patientRows">,
  chosen: Uint32Array,
): Pick<ColumnBlock, "patientRows"> {
  if (patientRows === undefined) return {};
  const { counts, draws } = patientRows;
  return {
    patientRows: {
      counts: Uint16Array.from(chosen, (row) => counts[row]!),
      draws: Uint32Array.from(chosen, (row) => draws[row]!),
    },
  };
}
