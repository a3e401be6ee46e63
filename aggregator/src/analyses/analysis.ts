import type { StageId } from "@consilium/core/ids";
import type { NumericKernels } from "@consilium/core/linalg/kernels";
import type { ReleaseColumn } from "@consilium/core/release/content";
import type { Broadcast } from "@consilium/core/study/broadcast";
import type { Study } from "@consilium/core/study/study";

/**
 * An analysis at the aggregator: a conversation of secure sums that reads like the pseudocode of its paper. It is
 * deterministic given what the conversation returns, so a restarted aggregator replays it and goes on.
 */
export type AggregatorAnalysis = (conversation: Conversation) => Promise<AnalysisResult>;

export interface Conversation {
  readonly study: Study;
  /** Sites on the roster. */
  readonly sites: number;
  readonly kernels: NumericKernels;
  /** Broadcasts, asks every site for its vector of this stage, and returns the sum in the ring Z_2^64. */
  sum(stage: StageId, broadcast: Broadcast): Promise<BigUint64Array>;
  /** Broadcasts, asks every site for its reduced rows, and returns them in random order. */
  rows(stage: StageId, broadcast: Broadcast): Promise<ReducedRows>;
  /** Sites in the last sum; those on the roster before the first. */
  readonly survivors: number;
  /**
   * A value that is drawn once: stored before it is returned, so that a replay goes on with the same one.
   * @param name - of the draw, once in the study
   * @param make - called the first time alone
   */
  draw(name: string, make: () => string): string;
  /**
   * Writes rows that the aggregator has made itself, such as synthetic ones. Stored once: a replay returns what is
   * there, and does not ask for the rows again.
   * @param name - lower-case letters, digits and hyphens; once in the study
   */
  writeRows(
    name: string,
    shape: { readonly columns: number; readonly hasLabel: boolean },
    parts: Iterable<RowsPart> | AsyncIterable<RowsPart>,
  ): Promise<ReducedRows>;
}

/** Some of the rows that are written. */
export interface RowsPart {
  readonly rows: number;
  /** [rows × columns], row-major. */
  readonly values: Float64Array;
  /** [rows], the level of each row's label; null where there is none. */
  readonly labels: Uint16Array | null;
}

/** Rows of all sites in random order, in a file: each row's float64 columns, then the label's level (16 bits). */
export interface ReducedRows {
  readonly path: string;
  readonly rows: number;
  /** Real columns of a row. */
  readonly columns: number;
  readonly hasLabel: boolean;
}

export interface AnalysisResult {
  /** Becomes model.json. */
  readonly model: Record<string, unknown>;
  /** The rows to release and what each column is, or null when the release has a model only. */
  readonly table: { readonly rows: ReducedRows; readonly columns: readonly ReleaseColumn[] } | null;
  /** Rows that took part over all sites, as the method reveals them; null where it does not. */
  readonly rowsUsed: number | null;
  /** Facts of the run for the certificate: noise scale, scaling, masking. */
  readonly facts: Record<string, string | number | boolean | null>;
  /** Paragraphs for the release's README. */
  readonly notes: readonly string[];
}
