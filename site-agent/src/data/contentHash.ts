import { createHash, type Hash } from "node:crypto";
import { endianness } from "node:os";
import { canonicalJson } from "@consilium/core/canonicalJson";
import { sha256 } from "@consilium/core/crypto/hash";
import type { Sha256 } from "@consilium/core/ids";
import type { ColumnBlock } from "@consilium/core/study/design";

/**
 * SHA-256 of a table as a study sees it, whatever the blocks in which it came: each column is hashed by itself
 * (float64 and labels uint16, little-endian, row by row), then the digests in order, under a prefix that fixes
 * their number and the number of rows.
 */
export class ContentHasher {
  readonly #columns: readonly Hash[];
  readonly #labels: Hash | null;
  #rows = 0;

  constructor(features: number, hasLabel: boolean) {
    if (endianness() !== "LE") throw new RangeError("tables are hashed on little-endian machines only");
    this.#columns = Array.from({ length: features }, () => createHash("sha256"));
    this.#labels = hasLabel ? createHash("sha256") : null;
  }

  get rows(): number {
    return this.#rows;
  }

  add(block: ColumnBlock): void {
    this.#columns.forEach((hash, k) => {
      hash.update(bytesOf(block.columns[k]!, block.rows));
    });
    if (block.labels !== null) this.#labels?.update(bytesOf(block.labels, block.rows));
    this.#rows += block.rows;
  }

  /** Ends the hashing. */
  digest(): Sha256 {
    const header = canonicalJson({
      columns: this.#columns.length,
      labels: this.#labels !== null,
      rows: this.#rows,
    });
    const digests = [...this.#columns, ...(this.#labels === null ? [] : [this.#labels])].map((hash) =>
      hash.digest(),
    );
    return sha256("consilium table v1\n", header, "\n", ...digests);
  }
}

function bytesOf(values: Float64Array | Uint16Array, rows: number): Uint8Array {
  return new Uint8Array(values.buffer, values.byteOffset, rows * values.BYTES_PER_ELEMENT);
}
