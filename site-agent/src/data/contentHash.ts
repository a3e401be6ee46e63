import { createHash, type Hash } from "node:crypto";
import { endianness } from "node:os";
import { canonicalJson } from "@consilium/core/canonicalJson";
import type { Sha256 } from "@consilium/core/ids";
import type { Study } from "@consilium/core/study/study";
import { sha256 } from "@consilium/secure-sum/crypto/hash";
import type { DecodedBlock } from "./decode.js";

/**
 * SHA-256 of a table as a study sees it, whatever the blocks in which it came: each column is hashed by itself
 * (float64 and labels uint16, little-endian, row by row), then the digests in order, under a prefix that fixes
 * their number and the number of rows. Where the study names the patient, the last column is each row's patient as a
 * number (uint32, by first appearance): the same rows of other patients are another table.
 */
export class ContentHasher {
  readonly #columns: readonly Hash[];
  readonly #labels: Hash | null;
  readonly #patients: Hash | null;
  #rows = 0;

  constructor(study: Study) {
    if (endianness() !== "LE") throw new RangeError("tables are hashed on little-endian machines only");
    this.#columns = study.features.map(() => createHash("sha256"));
    this.#labels = study.label === undefined ? null : createHash("sha256");
    this.#patients = study.patient === undefined ? null : createHash("sha256");
  }

  get rows(): number {
    return this.#rows;
  }

  add(block: DecodedBlock): void {
    this.#columns.forEach((hash, k) => {
      hash.update(bytesOf(block.columns[k]!, block.rows));
    });
    if (block.labels !== null) this.#labels?.update(bytesOf(block.labels, block.rows));
    if (block.patients !== null) this.#patients?.update(bytesOf(block.patients, block.rows));
    this.#rows += block.rows;
  }

  /** Ends the hashing. */
  digest(): Sha256 {
    const header = canonicalJson({
      columns: this.#columns.length,
      labels: this.#labels !== null,
      ...(this.#patients === null ? {} : { patients: true }),
      rows: this.#rows,
    });
    const digests = [...this.#columns, this.#labels, this.#patients].flatMap((hash) =>
      hash === null ? [] : [hash.digest()],
    );
    return sha256("consilium table v1\n", header, "\n", ...digests);
  }
}

function bytesOf(values: Float64Array | Uint16Array | Uint32Array, rows: number): Uint8Array {
  return new Uint8Array(values.buffer, values.byteOffset, rows * values.BYTES_PER_ELEMENT);
}
