import type { Sha256, StageId } from "../ids.js";
import type { SumConversation } from "../learning/sums.js";
import type { ClassSizes } from "../learning/tags.js";
import type { RandomSource } from "../random.js";
import type { ReleaseColumn } from "../release/content.js";
import type { Curve } from "../release/curves.js";
import type { Figure } from "../release/figures.js";
import type { Counted, Finding } from "../release/finding.js";
import type { FlowCounts } from "../release/flowSchema.js";
import type { ModelCard } from "../release/modelCard.js";
import type { Predictor } from "../release/predictor.js";
import type { ResultTable } from "../release/tables.js";
import type { Broadcast } from "../study/broadcast.js";
import type { Study } from "../study/study.js";

/**
 * A method at the aggregator: a conversation of secure sums that reads like the pseudocode of its paper. It is
 * deterministic given what the conversation returns, so a restarted aggregator replays it and continues. What the rest of the
 * result can do without it computes by the conversation's `part`: a fault there costs nothing else.
 */
export type AggregatorSide = (conversation: Conversation) => Promise<MethodResult>;

export interface Conversation extends SumConversation {
  readonly study: Study;
  /** Of what the aggregator draws; a draw that decides anything goes through `draw`. */
  readonly random: RandomSource;
  /** Broadcasts, asks every site for its reduced rows, and returns them in random order. */
  rows(stage: StageId, broadcast: Broadcast): Promise<ReducedRows>;
  /** Rows from their file, part by part. */
  readRows(rows: ReducedRows): AsyncIterable<RowsPart>;
  /**
   * Broadcasts, and asks every site for its tags with counts.
   * @returns the sizes of the classes of rows with the same tag, over all sites
   */
  tags(stage: StageId, broadcast: Broadcast): Promise<ClassSizes>;
  /**
   * Writes rows that the aggregator has made itself, such as synthetic ones. Stored once: a replay returns what is
   * there, and does not ask for the rows again.
   * @param name - lower-case letters, digits and hyphens; once in the study
   */
  writeRows(
    name: string,
    shape: { readonly columns: number; readonly levels: number },
    parts: Iterable<RowsPart> | AsyncIterable<RowsPart>,
  ): Promise<ReducedRows>;
}

/** Some of the rows that are written. */
export interface RowsPart {
  readonly rows: number;
  /** [rows × columns], row-major. */
  readonly values: Float64Array;
  /** [rows × levels], row-major: each row's indices of levels, such as its label's; null where it has none. */
  readonly labels: Uint16Array | null;
}

/** Rows of all sites in random order, in a file: each row's float64 columns, then its levels (16 bits each). */
export interface ReducedRows {
  readonly path: string;
  readonly rows: number;
  /** Real columns of a row. */
  readonly columns: number;
  /** Columns of levels beside them, the label's last. */
  readonly levels: number;
  /** Of the file, where it is known since it was written. */
  readonly sha256?: Sha256;
}

export interface MethodResult {
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
  /** Becomes model.onnx, and XGBoost's JSON where it is one; null or left out where there is nothing to run. */
  readonly predictor?: Predictor | null;
  /** Of an additive model: become curves.csv. */
  readonly curves?: readonly Curve[] | null;
  /** Become a file of CSV and one of Parquet each. */
  readonly tables?: readonly ResultTable[] | null;
  /** Become plots/*.svg. */
  readonly figures?: readonly Figure[] | null;
  /** Of a model that predicts. */
  readonly card?: ModelCard | null;
  /** Finding of the study; null of a paper variant that states no uncertainty. */
  readonly finding: Finding | null;
  /** Who was counted by the method's own sums, in the order in which people ask. */
  readonly counted?: readonly Counted[];
  /** Flow of the study's rows, which no method counts: `aggregatorSideOf` adds it. */
  readonly flow?: FlowCounts;
}
