import type { Patients } from "@consilium/gate/cost";
import type { AnySaid } from "@consilium/words/said";
import type { StudyFaultSays } from "@consilium/words/says/studyFaults";
import { methodKey } from "../method/method.js";
import { nameOf, sentences } from "../said.js";
import type { Study } from "./study.js";

/**
 * Patients who weigh alike: each of the k used rows of a patient counts 1/k, so that the rows of a patient together change a
 * sum by no more than one row does. Proof: docs/METHODS.md#patient-weights.
 */

/** As far as weights depend on a study. */
export type PatientStudy = Pick<Study, "patient">;

/** Whether the rows of a patient weigh 1 over their number. A patient with one row at most has nothing to divide. */
export function weighsPatients({ patient }: PatientStudy): boolean {
  return patient !== undefined && patient.maxRows > 1 && patient.weighting === "patients";
}

/** What a study's sums count: for warnings and descriptions. */
export function countedUnits(study: PatientStudy): "patients" | "rows" {
  return weighsPatients(study) ? "patients" : "rows";
}

/** The same for a sentence. */
export const unitsOf = (study: PatientStudy) =>
  ({ code: `finding.${countedUnits(study)}`, params: {} }) as const;

/** Up to this bound the least common multiple is small: 840. */
const exactMost = 8;
/** Sums of 10^9 rows that weigh sixteenths of it stay below 2^53. */
const unitMost = 2 ** 16;
/** Of a power of two, rounding down takes less than 1/64 of a patient's weight. */
const unitsPerRow = 64;

/**
 * U, the integer that one row of a patient without other rows weighs: ⌊U/k⌋ is what each of k rows weighs. Up to 8 rows it is
 * the least common multiple of all k, so that every patient weighs exactly U; beyond, a power of two of at least 64 times the
 * bound, but none beyond 2^16. Public: it follows from the bound alone.
 */
export function patientUnit(maxRows: number): number {
  if (maxRows <= exactMost) {
    let unit = 1;
    for (let rows = 2; rows <= maxRows; rows++) unit = (unit * rows) / commonDivisor(unit, rows);
    return unit;
  }
  return Math.min(unitMost, 2 ** Math.ceil(Math.log2(unitsPerRow * maxRows)));
}

function commonDivisor(a: number, b: number): number {
  return b === 0 ? a : commonDivisor(b, a % b);
}

/** U of a study; 1 where rows count. */
export function unitOfStudy(study: PatientStudy): number {
  return weighsPatients(study) ? patientUnit(study.patient!.maxRows) : 1;
}

/** Whose privacy the gate counts, where it is not a row's. */
export function countedPatients(study: PatientStudy): Patients | null {
  const { patient } = study;
  if (patient === undefined) return null;
  return { rowsMost: patient.maxRows, unit: weighsPatients(study) ? unitOfStudy(study) : null };
}

/** Why a study cannot have the weights that it asks for; null where it can. */
export function weightingFault(study: Pick<Study, "method" | "patient" | typeof methodKey>): AnySaid | null {
  if (study.patient?.weighting !== "patients" || study[methodKey].weighsPatients === true) return null;
  return sentences<StudyFaultSays>()("fault.patient-weights", { method: nameOf(study.method) });
}
