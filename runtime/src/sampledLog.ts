import type { EventMessage, FieldsOf } from "@consilium/core/logging/events";
import type { Logger } from "./log.js";

/**
 * Warnings that strangers can cause as often as they like: the first of each kind in a minute is a line in the log, the
 * others are one line with their number when the minute is over.
 */
export class SampledWarnings {
  readonly #log: Pick<Logger, "warn">;
  readonly #counts = new Map<string, Counted>();
  #timer: NodeJS.Timeout | null = null;

  constructor(log: Pick<Logger, "warn">) {
    this.#log = log;
  }

  /**
   * @param fields - make a kind together with the message; of few values, none of them a stranger's own
   * @param detail - further fields of a line that is written
   */
  warn<M extends EventMessage>(message: M, fields: FieldsOf<M>, detail?: FieldsOf<M>): void {
    const kind = `${message} ${JSON.stringify(fields)}`;
    const known = this.#counts.get(kind);
    if (known !== undefined) {
      known.more++;
      return;
    }
    this.#counts.set(kind, {
      more: 0,
      writeMore: (moreInThisMinute) => this.#log.warn(message, { ...fields, moreInThisMinute }),
    });
    this.#log.warn(message, { ...fields, ...detail });
    this.#timer ??= setTimeout(() => this.#endMinute(), 60_000).unref();
  }

  #endMinute(): void {
    this.#timer = null;
    const counted = [...this.#counts.values()];
    this.#counts.clear();
    for (const { more, writeMore } of counted) if (more > 0) writeMore(more);
  }
}

interface Counted {
  more: number;
  readonly writeMore: (more: number) => void;
}
