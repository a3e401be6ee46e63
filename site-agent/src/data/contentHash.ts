import { canonicalJson } from "@consilium/core/canonicalJson";
import type { Sha256 } from "@consilium/core/ids";
import { sha256 } from "@consilium/secure-sum/crypto/hash";
import type { DecodedBlock } from "./decode.js";
import { hashWords, type RowHasher, type TableKeys } from "./rowHash.js";

/**
 * A multiset of rows: how many there are, and the sum of their keyed hashes modulo 2^256. Sums of parts of a table
 * add up to that of the table, whatever the parts and in whatever order. Without the key nobody can find another
 * multiset with the same sum (MSet-Add-Hash in [CDDGS03]).
 */
export interface TableSum {
  readonly rows: number;
  readonly sum: bigint;
}

export const emptySum: TableSum = { rows: 0, sum: 0n };

export function mergeSums(one: TableSum, other: TableSum): TableSum {
  return { rows: one.rows + other.rows, sum: BigInt.asUintN(32 * hashWords, one.sum + other.sum) };
}

/** What is stored of an approved table: SHA-256 of the declared columns and of the sum of its used rows. */
export function contentHash({ rows, sum }: TableSum, { schema }: Pick<TableKeys, "schema">): Sha256 {
  const header = canonicalJson({ rows, schema });
  return sha256("consilium table v2\n", header, "\n", sum.toString(16).padStart(8 * hashWords, "0"));
}

/** Sums of 32-bit words stay exact for so many rows. */
const rowsMost = 2 ** 21;

/**
 * Sums up the rows that a study uses of a table, as it sees them: numbers within their bounds, indices of levels, and
 * where the study names the patient a keyed hash of who it is. The same rows of other patients are another table.
 */
export class TableSummer {
  readonly #hasher: RowHasher;
  readonly #words = new Float64Array(hashWords);
  #pending = 0;
  #sum = emptySum;

  constructor(keys: TableKeys) {
    this.#hasher = keys.hasher("content");
  }

  add({ rows, columns, labels, patients }: DecodedBlock): void {
    if (rows > rowsMost) throw new RangeError(`blocks of more than ${rowsMost} rows cannot be summed up`);
    if (this.#pending + rows > rowsMost) this.#fold();
    const all = [
      ...columns,
      ...(labels === null ? [] : [new Float64Array(labels)]),
      ...(patients === null ? [] : patients.patient),
    ];
    this.#hasher.addTo(this.#words, all, rows);
    this.#pending += rows;
  }

  get rows(): number {
    return this.#sum.rows + this.#pending;
  }

  get sum(): TableSum {
    this.#fold();
    return this.#sum;
  }

  #fold(): void {
    const sum = this.#words.reduce((total, word, i) => total + (BigInt(word) << BigInt(32 * i)), 0n);
    this.#sum = mergeSums(this.#sum, { rows: this.#pending, sum });
    this.#words.fill(0);
    this.#pending = 0;
  }
}
