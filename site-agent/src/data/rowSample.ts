import { randomFillSync } from "node:crypto";
import type { Study } from "@consilium/core/study/study";
import type { CellChunk } from "./cells.js";
import { patientParts } from "./patientHash.js";
import type { TableConfig } from "./tableConfig.js";

/**
 * A table longer than a study takes is thinned out, so that sums do not wrap around. Each row has a coin of its own, or
 * each patient; how often it falls on "keep" is `maxRowsPerSite` over the length that the hospital's configuration
 * states. Nothing of it depends on how many rows there are: "the first n rows" would let a row that is added push out
 * another, and change a sum by two rows.
 */
export class RowSample {
  readonly #keep: number;
  readonly #hasPatients: boolean;
  readonly #coins = new Uint32Array(2048);
  #left = 0;

  private constructor(keep: number, hasPatients: boolean) {
    this.#keep = keep;
    this.#hasPatients = hasPatients;
  }

  /** @returns null where the hospital has not said how long the table is, or every row is taken */
  static of(config: TableConfig, study: Study): RowSample | null {
    const { expectedRows } = config;
    const { maxRowsPerSite } = study.participation;
    if (expectedRows === undefined || expectedRows <= maxRowsPerSite) return null;
    return new RowSample(maxRowsPerSite / expectedRows, study.patient !== undefined);
  }

  /**
   * Clears `keep` for the rows that the sample leaves out.
   * @param from - the chunk's row that `keep` begins with
   * @returns how many rows it left out that were kept before
   */
  leaveOut(chunk: CellChunk, from: number, keep: Uint8Array): number {
    let out = 0;
    const patients = this.#hasPatients ? chunk.columns.at(-patientParts.length)! : null;
    for (let r = 0; r < keep.length; r++) {
      // A patient's hash is keyed and evenly spread: its first part is one coin for all rows of the patient.
      const coin = patients === null ? this.#coin() / 2 ** 32 : patients[from + r]! / 16 ** patientParts[0];
      if (coin < this.#keep || keep[r] === 0) continue;
      keep[r] = 0;
      out++;
    }
    return out;
  }

  #coin(): number {
    if (this.#left === 0) {
      randomFillSync(this.#coins);
      this.#left = this.#coins.length;
    }
    return this.#coins[--this.#left]!;
  }
}
