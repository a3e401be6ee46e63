import { ConsiliumError } from "@consilium/core/errors";
import { quoted } from "@consilium/core/text";
import type { Part } from "@consilium/gate/part";
import { contentHash, emptySum, mergeSums } from "../data/contentHash.js";
import type { TableConfig } from "../data/tableConfig.js";
import { addFound, type SharePart } from "./answer.js";
import type { TableStage } from "./stage.js";

export const changed = (config: TableConfig, what: string) =>
  new ConsiliumError("TABLE_CHANGED", `table ${quoted(config.name)}: ${what}`);

/** The vector of a published method, of those of a table's shares: modulo 2^64. */
export async function addedUp(parts: AsyncIterable<Part>, length: number): Promise<BigUint64Array> {
  const sum = new BigUint64Array(length);
  for await (const { exact } of parts) for (let i = 0; i < length; i++) sum[i] = sum[i]! + exact[i]!;
  return sum;
}

/** What all shares of a table come to. */
export class Totals {
  /** Rows that could not be taken apart, by who read them last. */
  readonly #malformed = new Map<number, number>();
  readonly #stage: TableStage;
  #found: SharePart["found"] = { rows: 0, used: 0, faults: 0, outside: 0, overBound: 0, unsampled: 0 };
  #table = emptySum;
  #tasks = 0n;

  constructor(stage: TableStage) {
    this.#stage = stage;
  }

  leftOut(malformed: ReadonlyMap<number, number>): void {
    for (const [reader, rows] of malformed) this.#malformed.set(reader, rows);
  }

  /** @throws ConsiliumError ENGINE_FAILED where one map task came to two shares: its answer is not the sum of theirs */
  add(part: SharePart): Part {
    const tasks = part.tasks ?? 0n;
    if ((this.#tasks & tasks) !== 0n)
      throw new ConsiliumError("ENGINE_FAILED", "rows of one map task came to two fold workers");
    this.#tasks |= tasks;
    this.#found = addFound(this.#found, part.found);
    if (part.table !== null) this.#table = mergeSums(this.#table, part.table);
    const { exact, records, refused } = part;
    return { exact, records, refused };
  }

  /** @throws ConsiliumError TABLE_CHANGED where the table is not the one that was approved */
  check(): void {
    const { approval, config, keys, found } = this.#stage;
    if (approval === null) {
      found({
        ...this.#found,
        malformed: [...this.#malformed.values()].reduce((sum, rows) => sum + rows, 0),
      });
      return;
    }
    const since = (what: string) => changed(config, `${what} since it was approved`);
    if (this.#found.faults > 0) throw since("values that no rule covers have come into it");
    if (this.#table.rows > approval.rows) throw since("usable rows have come into it");
    if (this.#table.rows < approval.rows) throw since("usable rows have gone from it");
    if (contentHash(this.#table, keys) !== approval.contentHash) throw since("its values have changed");
  }
}
