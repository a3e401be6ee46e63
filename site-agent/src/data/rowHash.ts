import { type Cipher, createCipheriv, hkdfSync, randomBytes } from "node:crypto";
import { endianness } from "node:os";
import { canonicalJson } from "@consilium/core/canonicalJson";
import type { Study } from "@consilium/core/study/study";

/** What one row adds to the sum of a table: 256 bits. */
export const hashWords = 8;

/** For tables that no approval outlives this process of. */
export const processSecret: Uint8Array = randomBytes(32);

/** Rows whose hashes are computed at a time: what they need stays in a processor's cache. */
const rowsAtATime = 2048;

type HashPurpose = "content" | "choice";
type HasherKeys = readonly [chain: Uint8Array, firstHalf: Uint8Array, secondHalf: Uint8Array];

/** Keys as another process is handed them, in hexadecimal: those that it needs, and nothing that they are derived from. */
export interface LentKeys {
  readonly content?: readonly string[] | undefined;
  readonly choice?: readonly string[] | undefined;
  readonly patients?: string | undefined;
}

/**
 * What a table is hashed under: keys derived from a secret of the site and from the columns that the study declares. So hashes
 * of different columns have nothing in common, and without the secret a hash cannot be compared with a guessed table.
 */
export class TableKeys {
  /** The declared columns, as canonical JSON. */
  readonly schema: string;
  /** For `PatientHash`: 64 hex digits; null where it was not lent. */
  readonly patients: string | null;
  readonly #keys: Readonly<Record<HashPurpose, HasherKeys | null>>;

  private constructor(schema: string, { patients, content, choice }: LentKeys) {
    this.schema = schema;
    this.patients = patients ?? null;
    this.#keys = { content: hasherKeys(content), choice: hasherKeys(choice) };
  }

  /** @param secret - 32 bytes that stay at the site, the same for as long as approvals are to hold */
  static derive(secret: Uint8Array, study: Study): TableKeys {
    if (secret.length !== 32) throw new RangeError("the secret of table hashes must have 32 bytes");
    const schema = schemaOf(study);
    const key = (purpose: string) =>
      Buffer.from(hkdfSync("sha256", secret, schema, `consilium table v2 ${purpose}`, keyBytes)).toString(
        "hex",
      );
    const three = (purpose: HashPurpose) =>
      ["rows", "first half", "second half"].map((part) => key(`${purpose} ${part}`));
    return new TableKeys(schema, {
      patients: key("patients"),
      content: three("content"),
      choice: three("choice"),
    });
  }

  /** The keys that `lend` gave. */
  static borrow(lent: LentKeys, study: Study): TableKeys {
    return new TableKeys(schemaOf(study), lent);
  }

  lend(purposes: readonly (keyof LentKeys)[]): LentKeys {
    const keys = { ...this.#keys, patients: this.patients };
    return Object.fromEntries(
      purposes.map((purpose) => {
        const lent = keys[purpose];
        return [
          purpose,
          typeof lent === "string" ? lent : lent?.map((key) => Buffer.from(key).toString("hex")),
        ];
      }),
    );
  }

  hasher(purpose: HashPurpose): RowHasher {
    const keys = this.#keys[purpose];
    if (keys === null) throw new RangeError(`no keys were lent for ${purpose}`);
    return new RowHasher(keys);
  }
}

const keyBytes = 32;

function hasherKeys(lent: readonly string[] | undefined): HasherKeys | null {
  if (lent === undefined) return null;
  const [chain, first, second] = lent.map((key) => Buffer.from(key, "hex"));
  return [chain!, first!, second!];
}

function schemaOf({ features, label, patient, columns, where }: Study): string {
  return canonicalJson({
    features,
    label: label ?? null,
    columns,
    where,
    patient: patient === undefined ? null : patient.column,
  });
}

/**
 * A keyed hash of each row of a block: CBC-MAC with AES-256 over the row's float64 values, two to a block of the cipher.
 * All rows of one key have the same number of values, and for messages of one length CBC-MAC is a pseudorandom function
 * [BKR94]: two different rows of n rows with b blocks have one hash with a probability of about n²b²/2^128, below 2^-60 for 10^9 rows of
 * 10 values. One cipher call advances all rows by a block, which makes this at least five times as fast as HMAC row by row.
 */
export class RowHasher {
  readonly #chain: Cipher;
  readonly #halves: readonly [Cipher, Cipher];

  constructor([chain, ...halves]: HasherKeys) {
    if (endianness() !== "LE") throw new RangeError("tables are hashed on little-endian machines only");
    this.#chain = blockCipher(chain);
    this.#halves = [blockCipher(halves[0]), blockCipher(halves[1])];
  }

  /** Per row a whole number from 0 to 2^53. @param columns - finite numbers, without -0, or the one NaN of a missing one */
  keys(columns: readonly Float64Array[], rows: number): Float64Array {
    const keys = new Float64Array(rows);
    for (let from = 0; from < rows; from += rowsAtATime) {
      const words = this.#chained(columns, from, Math.min(rows, from + rowsAtATime));
      for (let r = from, w = 0; w < words.length; r++, w += 4)
        keys[r] = (words[w]! >>> 0) + (words[w + 1]! >>> 11) * 2 ** 32;
    }
    return keys;
  }

  /**
   * Adds each row's 256 bits to sums of 32-bit words.
   * @param sums - [hashWords], least significant first
   */
  addTo(sums: Float64Array, columns: readonly Float64Array[], rows: number): void {
    for (let from = 0; from < rows; from += rowsAtATime) {
      const chained = this.#chained(columns, from, Math.min(rows, from + rowsAtATime));
      this.#halves.forEach((half, h) => {
        const words = encrypted(half, chained);
        for (let w = 0; w < words.length; w += 4)
          for (let i = 0; i < 4; i++) sums[4 * h + i]! += words[w + i]! >>> 0;
      });
    }
  }

  /** Rows [from, to), four words each: with a sign, for V8 keeps large ones without as doubles. */
  #chained(columns: readonly Float64Array[], from: number, to: number): Int32Array {
    const wordsOf = (of: Float64Array) =>
      new Int32Array(of.buffer, of.byteOffset + 8 * from, 2 * (to - from));
    let state = new Int32Array(4 * (to - from));
    for (let c = 0; c < columns.length; c += 2) {
      const one = wordsOf(columns[c]!);
      const other = c + 1 < columns.length ? wordsOf(columns[c + 1]!) : new Int32Array(one.length);
      for (let w = 0, s = 0; w < one.length; w += 2, s += 4) {
        state[s]! ^= one[w]!;
        state[s + 1]! ^= one[w + 1]!;
        state[s + 2]! ^= other[w]!;
        state[s + 3]! ^= other[w + 1]!;
      }
      state = encrypted(this.#chain, state);
    }
    return state;
  }
}

/** One block at a time, each by itself: what CBC-MAC is made of. */
function blockCipher(key: Uint8Array): Cipher {
  return createCipheriv("aes-256-ecb", key, null).setAutoPadding(false);
}

function encrypted(cipher: Cipher, words: Int32Array): Int32Array<ArrayBuffer> {
  const bytes = cipher.update(new Uint8Array(words.buffer, words.byteOffset, words.byteLength));
  const aligned = bytes.byteOffset % 4 === 0 ? bytes : Uint8Array.from(bytes);
  return new Int32Array(aligned.buffer as ArrayBuffer, aligned.byteOffset, bytes.length / 4);
}
