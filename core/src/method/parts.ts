import type { AnySaid } from "@consilium/words/said";
import { z } from "zod";

/**
 * Parts of a result that the rest can do without. One that cannot be computed is missing, by id and reason: its sums are paid for,
 * and what else follows from them stands. Numbers, notes and cautions are no parts: without them a release misleads.
 */
export const partIds = ["test", "evaluation", "predictor", "curves", "tables", "figures", "card"] as const;
export type PartId = (typeof partIds)[number];

/** `fault`: its computation failed. `unfit`: a release cannot hold what it came to. `unwritten`: its files could not be written. */
export const missingPartSchema = z.strictObject({
  part: z.enum(partIds),
  reason: z.enum(["fault", "unfit", "unwritten"]),
});
export type MissingPart = z.output<typeof missingPartSchema>;

/**
 * Computes a part.
 * @returns null where it cannot be computed; the run of the study keeps that as a fact
 */
export type ComputePart = <T>(part: PartId, compute: () => T) => T | null;

/** Where nothing may be missing: simulations, tests and benches. */
export const wholly: ComputePart = (_, compute) => compute();

/** Parts of one run of a method. */
export class ResultParts {
  readonly #without: ReadonlySet<PartId>;
  readonly #missing = new Map<PartId, MissingPart["reason"]>();
  readonly #failed: (part: PartId, thrown: unknown) => void;

  /**
   * @param without - not computed at all: the operator has accepted a release without them
   * @param failed - called with what was thrown, for the log
   */
  constructor(without: readonly PartId[], failed: (part: PartId, thrown: unknown) => void) {
    this.#without = new Set(without);
    this.#failed = failed;
  }

  /** Sorted by id. */
  get missing(): MissingPart[] {
    return partIds.flatMap((part) => {
      const reason = this.#missing.get(part);
      return reason === undefined ? [] : [{ part, reason }];
    });
  }

  /** Whether the operator has accepted a release without it. */
  isWithout(part: PartId): boolean {
    return this.#without.has(part);
  }

  readonly compute: ComputePart = (part, compute) => {
    if (this.isWithout(part)) return null;
    try {
      return compute();
    } catch (thrown) {
      this.lacks(part, "fault", thrown);
      return null;
    }
  };

  lacks(part: PartId, reason: MissingPart["reason"], cause: unknown): void {
    if (this.isWithout(part)) return;
    if (!this.#missing.has(part)) this.#missing.set(part, reason);
    this.#failed(part, cause);
  }
}

/** Missing parts as sentences, each with its reason. */
export function lacks(missing: readonly MissingPart[]): AnySaid[] {
  return missing.map(({ part, reason }) => ({
    code: "result.lacks",
    params: {
      part: { code: `result.part.${part}`, params: {} },
      reason: { code: `result.reason.${reason}`, params: {} },
    },
  }));
}
