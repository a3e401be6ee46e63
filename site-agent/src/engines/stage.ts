import type { Sha256, SiteId, StageId } from "@consilium/core/ids";
import type { Broadcasts } from "@consilium/core/study/broadcast";
import type { Study, StudyDocument } from "@consilium/core/study/study";
import type { TableKeys } from "../data/rowHash.js";
import type { FoundTable } from "../data/snapshot.js";
import type { TableConfig } from "../data/tableConfig.js";
import type { Retries } from "../tables/retries.js";

/** A stage that is computed in shares of the table. */
export interface SharedStage {
  readonly document: StudyDocument;
  readonly stage: StageId;
  readonly site: SiteId;
  readonly broadcasts: Broadcasts;
  /** Of the stage's vector. */
  readonly entries: number;
  /** What was approved, of a study that does not hide its tables; else null. */
  readonly approval: { readonly rows: number; readonly contentHash: Sha256 } | null;
  /** Told what was found in a study that hides its tables. */
  readonly found: (table: FoundTable) => void;
  /** Aborted when the study is over. */
  readonly signal: AbortSignal;
}

/** The same with the readings that it may still take. */
export interface TriedStage extends SharedStage {
  readonly retries: Retries;
}

/** The same with the table. */
export interface TableStage extends TriedStage {
  readonly config: TableConfig;
  /** The study as this site runs it; see `boundedStudy`. */
  readonly bounded: Study;
  readonly keys: TableKeys;
}
