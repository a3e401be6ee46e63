import type { StageId } from "@consilium/core/ids";
import type { SiteInput } from "@consilium/core/learning/sums";
import type { Study } from "@consilium/core/study/study";
import type { RefusalRules } from "../data/refusals.js";

/**
 * An analysis at a site: answers a stage from its table and what was broadcast so far. It keeps nothing between
 * stages. What it reads of the broadcasts it checks, because the aggregator may be hostile.
 */
export interface SiteAnalysis {
  /** What the table must have for this study, beyond the study's schema; judged at preflight. */
  readonly demands: (study: Study) => RefusalRules;
  /** The site's vector of a sum stage, before masking: ring elements of Z_2^64. */
  readonly vector: (stage: StageId, input: StageInput) => Promise<BigUint64Array>;
  /**
   * The site's tags with counts of a tags stage, as `TupleCounts.tagged` gives them; left out where a method has none.
   */
  readonly tags?: (stage: StageId, input: StageInput) => Promise<Uint8Array>;
  /** The site's reduced rows of a rows stage. */
  readonly rows: (stage: StageId, input: StageInput) => AsyncIterable<RowsOut>;
}

/** The blocks are the table as it was approved; reading it to its end checks that it still is. */
export interface StageInput extends SiteInput {
  readonly study: Study;
  /** `stageSeed` of the seed that all sites share, for methods that have one. */
  readonly sharedSeed: Uint8Array | null;
}

interface RowsOut {
  readonly rows: number;
  /** [rows × k] row-major */
  readonly values: Float64Array;
  readonly labels: Uint16Array | null;
}
