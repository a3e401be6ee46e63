import type { ColumnBlock } from "@consilium/core/study/design";
import { fileState } from "./files.js";
import { sourceOf } from "./sources/places.js";
import type { TableConfig } from "./tableConfig.js";
import { tableFiles } from "./tableFiles.js";

/**
 * Blocks of approved tables that were read a moment ago. A study of many stages reads its table at every stage; of a table
 * that fits and that nobody touched in between, the blocks are those of the last reading. They are in memory alone, outside of
 * V8's heap, and go when no stage has asked for a while.
 */

interface HeldBlocksOptions {
  /** Of all tables together, those included that are being read. */
  readonly maxBytes: number;
  readonly idleMs: number;
}

/** A table's contents as they were approved. */
interface Contents {
  readonly table: string;
  readonly hash: string;
}

/** What is known of contents, since their first request. */
interface Known {
  /** Number of the last request, of all contents' requests. */
  at: number;
  /** Of the last reading to its end; null before there was one. */
  needs: number | null;
  held: {
    readonly signature: string;
    readonly blocks: readonly ColumnBlock[];
    readonly bytes: number;
  } | null;
}

/** A file that changed so shortly before may change again within one tick of its clock. */
const settledMs = 2_000;
/** Contents that are not held, of which something is known. */
const maxKnown = 1_000;

export class HeldBlocks {
  readonly #options: HeldBlocksOptions;
  readonly #known = new Map<string, Known>();
  readonly #needs = new Map<string, number>();
  #requests = 0;
  /** Held, or gathered by readings that are under way. */
  #bytes = 0;
  #reading = 0;
  #idle: NodeJS.Timeout | undefined;

  constructor(options: HeldBlocksOptions) {
    this.#options = options;
  }

  /** Bytes of a table's blocks in its last reading to the end; null before there was one. */
  needs(table: string): number | null {
    return this.#needs.get(table) ?? null;
  }

  /**
   * A table's blocks: those that are held, where its files are as they were then; else as `read` gives them, which are
   * held if there is room and no file changed meanwhile.
   * @param signature - of its files; null where they cannot be told apart from changed ones
   * @param read - ends by itself only where the contents are the approved ones
   */
  async *blocks(
    { table, hash }: Contents,
    signature: () => Promise<string | null>,
    read: () => AsyncIterable<ColumnBlock>,
  ): AsyncGenerator<ColumnBlock> {
    this.#reading++;
    clearTimeout(this.#idle);
    let taken = 0;
    try {
      const before = await signature();
      const known = this.#knownOf(`${table} ${hash}`);
      const last = known.at;
      known.at = ++this.#requests;
      if (known.held !== null && known.held.signature === before) {
        yield* known.held.blocks;
        return;
      }
      this.#letGo(known);
      let blocks: ColumnBlock[] | null = before !== null && this.#makeRoom(known.needs, last) ? [] : null;
      let needs = 0;
      for await (const block of read()) {
        const bytes = bytesOf(block);
        needs += bytes;
        if (blocks !== null && this.#bytes + bytes <= this.#options.maxBytes) {
          taken += bytes;
          this.#bytes += bytes;
          blocks.push(withoutPatients(block));
        } else {
          this.#bytes -= taken;
          [blocks, taken] = [null, 0];
        }
        yield block;
      }
      known.needs = needs;
      this.#needs.set(table, needs);
      if (before === null || blocks === null || (await signature()) !== before) return;
      // Another reading of the same contents may have ended first.
      this.#letGo(known);
      known.held = { signature: before, blocks, bytes: taken };
      taken = 0;
    } finally {
      this.#bytes -= taken;
      this.#reading--;
      if (this.#reading === 0) this.#idle = setTimeout(() => this.clear(), this.#options.idleMs).unref();
    }
  }

  /** Lets go of everything. */
  clear(): void {
    clearTimeout(this.#idle);
    for (const known of this.#known.values()) this.#letGo(known);
    this.#known.clear();
  }

  #knownOf(key: string): Known {
    const known = this.#known.get(key) ?? { at: 0, needs: null, held: null };
    this.#known.set(key, known);
    for (const [oldest, { held }] of this.#known) {
      if (this.#known.size <= maxKnown) break;
      if (held === null && oldest !== key) this.#known.delete(oldest);
    }
    return known;
  }

  /**
   * Before contents are read again. Others that nobody has asked for since they were read last give way, the one that was asked for longest ago
   * first, if that makes room. Of two studies at once neither has been idle: tables that have no room together do not push each
   * other out at every stage.
   * @param needs - null where it is their first reading, which shows it
   * @param last - number of the request before this one
   * @returns false where they will not fit
   */
  #makeRoom(needs: number | null, last: number): boolean {
    if (needs === null) return true;
    const free = this.#options.maxBytes - this.#bytes;
    const idle = [...this.#known.values()].filter(({ held, at }) => held !== null && at < last);
    if (free + idle.reduce((sum, { held }) => sum + held!.bytes, 0) < needs) return false;
    for (const oldest of idle.sort((a, b) => a.at - b.at))
      if (this.#bytes + needs > this.#options.maxBytes) this.#letGo(oldest);
    return true;
  }

  #letGo(known: Known): void {
    this.#bytes -= known.held?.bytes ?? 0;
    known.held = null;
  }
}

/** Whose rows they are is not held. */
function withoutPatients({ rows, columns, labels, patientRows }: ColumnBlock): ColumnBlock {
  return patientRows === undefined ? { rows, columns, labels } : { rows, columns, labels, patientRows };
}

/** Bytes of the memory that a block's arrays lie in: several may share one piece, of which they use a part. */
function bytesOf({ columns, labels, patientRows }: ColumnBlock): number {
  const arrays: ArrayBufferView[] = [...columns];
  if (labels !== null) arrays.push(labels);
  if (patientRows !== undefined) arrays.push(patientRows.counts, patientRows.draws);
  const pieces = new Set(arrays.map(({ buffer }) => buffer));
  return [...pieces].reduce((sum, { byteLength }) => sum + byteLength, 0);
}

/**
 * Whose change would be seen: every file that it is made of. Null for a database or a cluster, which changes beside its
 * file or elsewhere, and where a file changed just now.
 */
export async function filesSignature(config: TableConfig, now: number): Promise<string | null> {
  const place = sourceOf(config);
  if (place.elsewhere() !== null) return null;
  const all: string[] = [...place.beside()];
  for (const part of place.files()) {
    const { format, files } = await tableFiles(part);
    if (format === "sqlite") return null;
    all.push(...files);
  }
  const lines: string[] = [];
  for (const file of all) {
    const { text, changedMs } = await fileState(file);
    if (now - changedMs < settledMs) return null;
    lines.push(text);
  }
  return lines.join("\n");
}
