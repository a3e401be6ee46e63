import type { Part } from "@consilium/gate/part";
import { contentHash, emptySum, mergeSums } from "../data/contentHash.js";
import { fault } from "../data/fault.js";
import { tablePlace } from "../data/place.js";
import { addFound, type SharePart } from "./answer.js";
import type { TableStage } from "./stage.js";

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
    if ((this.#tasks & tasks) !== 0n) throw fault("ENGINE_FAILED", "engine.task-twice", {});
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
    const changed = (what: "uncovered" | "more" | "fewer" | "values") =>
      fault("TABLE_CHANGED", `contents.${what}`, { place: tablePlace(config.name) });
    if (this.#found.faults > 0) throw changed("uncovered");
    if (this.#table.rows > approval.rows) throw changed("more");
    if (this.#table.rows < approval.rows) throw changed("fewer");
    if (contentHash(this.#table, keys) !== approval.contentHash) throw changed("values");
  }
}
