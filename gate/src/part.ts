import { entryMost, isDivisible, type Query } from "./query.js";

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
 * @param unit - U where patients count once, else null
 * @throws RangeError for a part that its records cannot come to, and for several parts of blocks: those need all rows in one place
 */
export async function sumOfParts(
  { query, scale, length }: { readonly query: Query; readonly scale: number; readonly length: number },
  unit: number | null,
  parts: AsyncIterable<Part>,
): Promise<Part> {
  const most = entryMost(query) * (unit === null || isDivisible(query) ? 1 : unit) * scale;
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
  // In doubles, so with room for their rounding; beyond 2^63 the ring itself is the limit.
  const most = (records - refused) * of.most * (1 + 2 ** -40);
  if (most >= 2 ** 63) return;
  const bound = BigInt(Math.floor(most));
  for (const entry of new BigInt64Array(exact.buffer, exact.byteOffset, exact.length))
    if (entry > bound || entry < -bound)
      throw new RangeError("a part has an entry that its records cannot add up to");
}
