import { drawParts } from "@consilium/core/learning/heldOut";
import type { PatientRows } from "@consilium/core/study/design";
import { weighsPatients } from "@consilium/core/study/patientWeights";
import type { Study } from "@consilium/core/study/study";
import type { DecodedBlock } from "./decode.js";
import { PatientBound } from "./patientBound.js";

/**
 * How many rows of each patient are used, which a row's weight needs before the first row is handed out: a first pass
 * counts, a second one reads with `again`. Between them the table may change, and a row that came in would weigh its patient
 * beyond what the noise is sized for; so the second pass takes of each patient no more rows than were counted, and of a
 * patient that was not counted none. 11 to 21 bytes for each patient, beside those of the bound; gone when the second pass ends.
 */
export class PatientCounts {
  /** For the first pass. */
  readonly bound: PatientBound;
  /** By the patient's place. */
  #counts = new Uint32Array(1024);
  #draws = new Uint32Array(1024);

  private constructor(maxRows: number) {
    this.bound = new PatientBound(maxRows);
  }

  /** @returns null for a study whose rows count 1 each: it needs no second pass */
  static of(study: Study): PatientCounts | null {
    return weighsPatients(study) ? new PatientCounts(study.patient!.maxRows) : null;
  }

  /** Counts a block of the first pass. */
  add(block: DecodedBlock): void {
    const patients = placesOf(block);
    const parts = drawParts(block);
    while (this.#counts.length < this.bound.patients) this.#grow();
    for (let r = 0; r < block.rows; r++) {
      const place = patients[r]!;
      this.#counts[place]!++;
      // Modulo 2^32, so that the order of a patient's rows does not matter.
      this.#draws[place]! += parts[r]!;
    }
  }

  /** What the rows of a block of the second pass count. */
  rowsOf(block: DecodedBlock): PatientRows {
    const patients = placesOf(block).subarray(0, block.rows);
    return {
      counts: Uint16Array.from(patients, (place) => this.#counts[place]!),
      draws: Uint32Array.from(patients, (place) => this.#draws[place]!),
    };
  }

  #grow(): void {
    const [counts, draws] = [this.#counts, this.#draws];
    this.#counts = new Uint32Array(2 * counts.length);
    this.#draws = new Uint32Array(2 * draws.length);
    this.#counts.set(counts);
    this.#draws.set(draws);
  }
}

function placesOf({ patients }: DecodedBlock): Uint32Array {
  if (patients === null) throw new RangeError("a block of a study that names no patient");
  return patients;
}
