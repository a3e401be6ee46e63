import { type Patients, weightOf } from "./cost.js";
import { lowHalf } from "./halves.js";
import { entryMost, lengthOf, type Terms } from "./query.js";

/** What records add up to, those of a table or of a share of its rows: ring elements modulo 2^64, without noise. */
export interface Part {
  readonly exact: BigUint64Array;
  /** Records that the method was asked about. */
  readonly records: number;
  /** Those of them whose contributions broke the query and were left out: nothing that leaves depends on it. */
  readonly refused: number;
  /** Blocks whose answers broke the query and count as zeros, where there are any. */
  readonly refusedBlocks?: number;
}

/**
 * Adds up parts. A stage is a sum in a ring, so it does not matter how rows are divided or in which order parts come, as long as
 * all rows of a patient are in one part. A part that its records cannot come to counts as zeros, all its records refused: what a
 * record or a method brings about never ends in a fault.
 * @throws RangeError for several parts of blocks: those need all rows in one place
 */
export async function sumOfParts(
  { query, scale }: Terms,
  patients: Patients | null,
  parts: AsyncIterable<Part> | Iterable<Part>,
): Promise<Part> {
  const length = lengthOf(query);
  const most = entryMost(query) * weightOf(query, patients) * scale;
  let sum: Part | null = null;
  for await (const given of parts) {
    const part = isPossible(given, { length, most }) ? given : zeros(length, given.records);
    if (sum === null) {
      sum = part;
      continue;
    }
    if (query.kind === "blocks") throw new RangeError("blocks of records do not add up from parts");
    const exact: BigUint64Array = sum.exact;
    // Entries of a BigUint64Array wrap modulo 2^64 by themselves.
    for (let i = 0; i < length; i++) exact[i] = exact[i]! + part.exact[i]!;
    sum = { exact, records: sum.records + part.records, refused: sum.refused + part.refused };
  }
  return sum ?? zeros(length, 0);
}

const isCount = (value: number) => Number.isSafeInteger(value) && value >= 0;

function zeros(length: number, refused: number): Part {
  const records = isCount(refused) ? refused : 1;
  return { exact: new BigUint64Array(length), records, refused: records };
}

/** Holds each entry, as a signed number, against what this many records add to it. */
function isPossible({ exact, records, refused }: Part, of: { length: number; most: number }): boolean {
  if (!isCount(records) || !isCount(refused) || refused > records) return false;
  if (!(exact instanceof BigUint64Array) || exact.length !== of.length) return false;
  // In doubles, so with room for their rounding.
  const most = (records - refused) * of.most * (1 + 2 ** -40);
  const halves = new Int32Array(exact.buffer, exact.byteOffset, 2 * exact.length);
  for (let i = 0; i < halves.length; i += 2) {
    if (halves[i] === 0 && halves[i + 1] === 0) continue;
    const value = halves[i + 1 - lowHalf]! * 2 ** 32 + (halves[i + lowHalf]! >>> 0);
    if (Math.abs(value) > most) return false;
  }
  return true;
}
