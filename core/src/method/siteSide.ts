import type { Proposal } from "@consilium/gate/fold";
import type { StageId } from "../ids.js";
import type { SiteInput } from "../learning/sums.js";
import type { Study } from "../study/study.js";

/**
 * A method at a site: answers a stage from its table and what was broadcast so far. It keeps nothing between
 * stages. What it reads of the broadcasts it checks, because the aggregator may be hostile.
 */
export interface SiteSide {
  /** What the table must have for this study, beyond the study's schema; judged at preflight. */
  readonly demands: (study: Study) => TableDemands;
  /**
   * What each record adds to a sum stage, of a method whose privacy is proven: the gate asks, adds up, adds noise, charges and
   * sends. The method sees no table.
   * @throws ConsiliumError MESSAGE_UNEXPECTED for no stage of the study, FIELD_INVALID or BROADCAST_INVALID
   */
  readonly proposal?: (stage: StageId, input: ProposalInput) => Proposal;
  /** The site's vector of a sum stage of a published method, before masking: ring elements of Z_2^64. */
  readonly vector?: (stage: StageId, input: StageInput) => Promise<BigUint64Array>;
  /**
   * The site's tags with counts of a tags stage, as `TupleCounts.tagged` gives them; left out where a method has none.
   */
  readonly tags?: (stage: StageId, input: StageInput) => Promise<Uint8Array>;
  /** The site's reduced rows of a rows stage; left out where a method has none. */
  readonly rows?: (stage: StageId, input: StageInput) => AsyncIterable<RowsOut>;
}

/** What a method cannot compute on, or would reveal something by computing on. */
export interface TableDemands {
  /** Rows that the site can use at least, those over the bound of their patient left out; 0 for a method that takes an empty table. */
  readonly minimumRows: number;
  /** Whether a feature that has one value only at this site is refused. */
  readonly refuseConstant: boolean;
}

/** Of a method whose sums are noisy: whether a site takes part, and with which rows, must show in nothing else. */
export const anyTable: TableDemands = { minimumRows: 0, refuseConstant: false };

/** What a proposal is made from: public inputs alone, the site's id among them. */
export interface ProposalInput extends Pick<SiteInput, "site" | "broadcasts" | "pause"> {
  readonly study: Study;
}

/** The blocks are the table as it was approved; reading it to its end checks that it still is. */
export interface StageInput extends SiteInput {
  readonly study: Study;
  /** `stageSeed` of the seed that all sites share, for methods that have one. */
  readonly sharedSeed: Uint8Array | null;
}

export interface RowsOut {
  readonly rows: number;
  /** [rows × k] row-major */
  readonly values: Float64Array;
  readonly labels: Uint16Array | null;
}
