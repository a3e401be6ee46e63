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

/** Multiplies what each row adds, `perRow` integers, with the row's weight; as it is where `weights` is null. */
export function weighed(values: Float64Array, weights: Float64Array | null, perRow = 1): Float64Array {
  if (weights === null) return values;
  for (let i = 0; i < values.length; i++) values[i] = values[i]! * weights[Math.floor(i / perRow)]!;
  return values;
}

/**
 * Divides what each row adds, `perRow` integers, by the rows of its patient and cuts it towards zero: k·|q| is at most what it was,
 * entry by entry, so k rows add no more than one. As it is where `divisors` is null.
 * @param values - integers below 2^40 in magnitude, so that no quotient is rounded up to the next integer
 */
export function divided(values: Float64Array, divisors: Uint16Array | null, perRow: number): Float64Array {
  if (divisors === null) return values;
  for (let i = 0; i < values.length; i++) {
    const divisor = divisors[Math.floor(i / perRow)]!;
    if (divisor !== 1) values[i] = Math.trunc(values[i]! / divisor) + 0;
  }
  return values;
}

/**
 * Divides integers [at, at + length) by √k and cuts them towards zero, so that k·q² is at most the square of what was there,
 * exactly: for methods that add products of two entries of a record.
 * @param values - integers below 2^26 in magnitude
 */
export function dividedByRoot(values: Float64Array, at: number, length: number, divisor: number): void {
  if (divisor === 1) return;
  const root = Math.sqrt(divisor);
  for (let j = at; j < at + length; j++) {
    const most = values[j]! * values[j]!;
    let q = Math.trunc(Math.abs(values[j]!) / root);
    // Where division rounded up. Below 2^53, so exact.
    while (divisor * q * q > most) q--;
    values[j] = values[j]! < 0 ? -q + 0 : q;
  }
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
