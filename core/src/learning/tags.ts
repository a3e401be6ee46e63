import { hmacSha256 } from "@consilium/secure-sum/crypto/hmac";
import { deriveKey } from "@consilium/secure-sum/crypto/keystream";
import type { StageId } from "../ids.js";
import { tagRecordBytes } from "../study/plan.js";

/**
 * How the sizes of the classes of equal rows are counted over sites that show nobody their values: a tuple's tag is the
 * start of its HMAC-SHA256 [RFC2104] under a key of the sites, so equal tuples of different sites have equal tags. The
 * order of the tags is that of their bytes, and tells nothing of the rows.
 *
 * Two different of n tuples have the same tag with a probability of at most n²/2^129.
 */
const tagBytes = tagRecordBytes - 4;

/** A count is 32 bits. */
const countMost = 2 ** 32 - 1;

/** The key of one stage: tags of different stages have nothing in common. @param sharedSeed - 32 bytes, of the sites alone */
export function tagKey(sharedSeed: Uint8Array, stage: StageId): Uint8Array {
  return deriveKey(sharedSeed, `consilium tags v1 ${stage}`);
}

/** Counts tuples of bins, each below 65,536. */
export class TupleCounts {
  readonly #width: number;
  readonly #counts = new Map<string, number>();

  /** @param width - entries of a tuple */
  constructor(width: number) {
    this.#width = width;
  }

  add(tuple: ArrayLike<number>): void {
    let key = "";
    for (let j = 0; j < this.#width; j++) key += String.fromCharCode(tuple[j]!);
    this.#counts.set(key, (this.#counts.get(key) ?? 0) + 1);
  }

  /** Sizes of the classes of equal tuples. */
  sizes(): ClassSizes {
    const sizes = new SizeCounter();
    for (const count of this.#counts.values()) sizes.add(count);
    return sizes.total;
  }

  /**
   * @returns `tagRecordBytes` for each different tuple, ascending: its tag, then how often it came, little-endian
   */
  tagged(key: Uint8Array): Uint8Array {
    const records: Buffer[] = [];
    for (const [tuple, count] of this.#counts) {
      const record = Buffer.alloc(tagRecordBytes);
      record.set(hmacSha256(key, Buffer.from(tuple, "utf16le")).subarray(0, tagBytes));
      record.writeUInt32LE(count, tagBytes);
      records.push(record);
    }
    return Buffer.concat(records.sort(Buffer.compare));
  }
}

/** What counts by tag come to. */
export interface ClassSizes {
  readonly rows: number;
  /** Different tuples. */
  readonly classes: number;
  /** Rows of the smallest class; 0 without rows. */
  readonly smallest: number;
}

/** Whether every class has at least k rows. A table without rows has nothing to publish and counts as not. */
export function isKAnonymous({ rows, smallest }: ClassSizes, k: number): boolean {
  return rows > 0 && smallest >= k;
}

class SizeCounter {
  #rows = 0;
  #classes = 0;
  #smallest = Number.POSITIVE_INFINITY;

  add(size: number): void {
    this.#rows += size;
    this.#classes++;
    this.#smallest = Math.min(this.#smallest, size);
  }

  get total(): ClassSizes {
    return { rows: this.#rows, classes: this.#classes, smallest: this.#classes === 0 ? 0 : this.#smallest };
  }
}

interface Head {
  readonly records: AsyncIterator<Uint8Array>;
  record: Buffer;
}

/**
 * Adds the sites' counts by tag. Reads all of them once, in step, and holds one record of each.
 * @param sources - each site's records, one by one
 * @param rowsMost - that a site can have
 * @throws RangeError when a site's records are not ascending, or count nothing or too much
 */
export async function mergeTagCounts(
  sources: readonly AsyncIterable<Uint8Array>[],
  rowsMost: number,
): Promise<ClassSizes> {
  const heads: Head[] = [];
  for (const source of sources) {
    const records = checkedRecords(source, rowsMost);
    const first = await records.next();
    if (!first.done) heads.push({ records, record: first.value });
  }
  const sizes = new SizeCounter();
  while (heads.length > 0) {
    const least = heads.map(({ record }) => record).reduce((a, b) => (compareTags(a, b) <= 0 ? a : b));
    let size = 0;
    for (let i = heads.length - 1; i >= 0; i--) {
      const head = heads[i]!;
      if (head.record !== least && compareTags(head.record, least) !== 0) continue;
      size += head.record.readUInt32LE(tagBytes);
      const next = await head.records.next();
      if (next.done) heads.splice(i, 1);
      else head.record = next.value as Buffer;
    }
    sizes.add(size);
  }
  return sizes.total;
}

async function* checkedRecords(
  source: AsyncIterable<Uint8Array>,
  rowsMost: number,
): AsyncGenerator<Buffer, undefined> {
  let before: Buffer | null = null;
  let rows = 0;
  for await (const bytes of source) {
    const record = Buffer.from(bytes);
    if (record.length !== tagRecordBytes) throw new RangeError("a tag of the wrong length");
    if (before !== null && compareTags(before, record) >= 0) throw new RangeError("tags are not ascending");
    const count = record.readUInt32LE(tagBytes);
    rows += count;
    if (count === 0 || rows > Math.min(rowsMost, countMost))
      throw new RangeError("tags count rows that there are not, or more than a site can have");
    before = record;
    yield record;
  }
}

function compareTags(a: Buffer, b: Buffer): number {
  return a.compare(b, 0, tagBytes, 0, tagBytes);
}
