import type { ColumnBlock } from "@consilium/core/study/design";
import { databaseOf } from "./databaseConfig.js";
import { fileState } from "./files.js";
import { fileTablesOf, placeOnSpark, type TableConfig, viewFilesOf } from "./tableConfig.js";
import { tableFiles } from "./tableFiles.js";

/**
 * Blocks of approved tables that were read a moment ago. A study of many stages reads its table at every stage; of a small
 * table that nobody touched in between, the blocks are those of the last reading. They are in memory alone, and go when no
 * stage has asked for a while.
 */

interface HeldBlocksOptions {
  /** Of all tables together. */
  readonly bytesMost: number;
  readonly idleMs: number;
}

interface Held {
  readonly signature: string;
  readonly blocks: readonly ColumnBlock[];
  readonly bytes: number;
}

/** A file that changed so shortly before may change again within one tick of its clock. */
const settledMs = 2_000;

export class HeldBlocks {
  readonly #options: HeldBlocksOptions;
  readonly #held = new Map<string, Held>();
  #idle: NodeJS.Timeout | null = null;

  constructor(options: HeldBlocksOptions) {
    this.#options = options;
  }

  /**
   * A table's blocks: those that are held, where its files are as they were then; else as `read` gives them, which are
   * held if they are few and no file changed meanwhile.
   * @param key - of the table's contents as approved
   * @param signature - of its files; null where they cannot be told apart from changed ones
   * @param read - ends by itself only where the contents are the approved ones
   */
  async *blocks(
    key: string,
    signature: () => Promise<string | null>,
    read: () => AsyncIterable<ColumnBlock>,
  ): AsyncGenerator<ColumnBlock> {
    this.#restartIdle();
    const before = await signature();
    const held = this.#held.get(key);
    if (held !== undefined && held.signature === before) {
      yield* held.blocks;
      return;
    }
    this.#held.delete(key);
    const blocks: ColumnBlock[] = [];
    let bytes = 0;
    for await (const block of read()) {
      bytes += bytesOf(block);
      if (bytes <= this.#options.bytesMost) blocks.push(block);
      else blocks.length = 0;
      yield block;
    }
    if (before === null || bytes > this.#options.bytesMost || (await signature()) !== before) return;
    this.#hold(key, { signature: before, blocks, bytes });
  }

  /** Lets go of everything. */
  clear(): void {
    if (this.#idle !== null) clearTimeout(this.#idle);
    this.#idle = null;
    this.#held.clear();
  }

  #hold(key: string, held: Held): void {
    this.#held.set(key, held);
    let total = 0;
    for (const { bytes } of this.#held.values()) total += bytes;
    // The one that was held longest goes first.
    for (const [oldest, { bytes }] of this.#held) {
      if (total <= this.#options.bytesMost) break;
      this.#held.delete(oldest);
      total -= bytes;
    }
  }

  #restartIdle(): void {
    if (this.#idle !== null) clearTimeout(this.#idle);
    this.#idle = setTimeout(() => this.clear(), this.#options.idleMs);
    this.#idle.unref();
  }
}

function bytesOf({ columns, labels, patientRows }: ColumnBlock): number {
  const own = (patientRows?.counts.byteLength ?? 0) + (patientRows?.draws.byteLength ?? 0);
  return columns.reduce((sum, column) => sum + column.byteLength, (labels?.byteLength ?? 0) + own);
}

/**
 * Whose change would be seen: every file that it is made of. Null for a database or a cluster, which changes beside its
 * file or elsewhere, and where a file changed just now.
 */
export async function filesSignature(config: TableConfig, now: number): Promise<string | null> {
  if (databaseOf(config) !== null || placeOnSpark(config) !== null) return null;
  const all: string[] = [...viewFilesOf(config)];
  for (const part of fileTablesOf(config)) {
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
