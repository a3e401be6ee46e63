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
}

/**
 * Adds up parts. A stage is a sum in a ring, so it does not matter how rows are divided or in which order parts come, as long as
 * all rows of a patient are in one part.
 * @throws RangeError for a part that its records cannot come to, and for several parts of blocks: those need all rows in one place
 */
export async function sumOfParts(
  { query, scale }: Terms,
  patients: Patients | null,
  parts: AsyncIterable<Part> | Iterable<Part>,
): Promise<Part> {
  const length = lengthOf(query);
  const most = entryMost(query) * weightOf(query, patients) * scale;
  let sum: Part | null = null;
  for await (const part of parts) {
    checkPart(part, { length, most });
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
  return sum ?? { exact: new BigUint64Array(length), records: 0, refused: 0 };
}

/** Each entry, as a signed number, is at most what this many records add to it. */
function checkPart({ exact, records, refused }: Part, of: { length: number; most: number }): void {
  const isCounted = [records, refused].every((count) => Number.isSafeInteger(count) && count >= 0);
  if (!isCounted || refused > records || exact.length !== of.length)
    throw new RangeError(`a part has ${exact.length} entries of ${records} records, expected ${of.length}`);
  // In doubles, so with room for their rounding.
  const most = (records - refused) * of.most * (1 + 2 ** -40);
  const halves = new Int32Array(exact.buffer, exact.byteOffset, 2 * exact.length);
  for (let i = 0; i < halves.length; i += 2) {
    if (halves[i] === 0 && halves[i + 1] === 0) continue;
    const value = halves[i + 1 - lowHalf]! * 2 ** 32 + (halves[i + lowHalf]! >>> 0);
    if (Math.abs(value) > most) throw new RangeError("a part has an entry that its records cannot add up to");
  }
}
