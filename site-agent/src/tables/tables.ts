import type { ConsiliumError } from "@consilium/core/errors";
import type { DoctorFacts } from "@consilium/core/hospital/doctorFacts";
import type { ProfileReportView } from "@consilium/core/hospital/profileViews";
import type { TableExamination } from "@consilium/core/hospital/tableExamination";
import type { Sha256 } from "@consilium/core/ids";
import { nameOf } from "@consilium/core/said";
import type { ColumnBlock } from "@consilium/core/study/design";
import type { Study } from "@consilium/core/study/study";
import type { Part } from "@consilium/gate/part";
import type { RefusalRules } from "../data/refusals.js";
import type { DeclaredTable, TableDescription } from "../data/schema.js";
import type { FoundTable } from "../data/snapshot.js";
import type { SharedStage } from "../engines/stage.js";
import { fault } from "./fault.js";

/** What was approved of a table. */
export interface ApprovedContents {
  /** Rows that the study uses. */
  readonly rows: number;
  readonly contentHash: Sha256;
}

/** A site's tables, as the agent asks the process that reads them. */
export interface Tables {
  readonly names: readonly string[];
  /** The columns of every table that can be read now; of the others, the name alone. For the hospital's own eyes. */
  describe(): Promise<TableDescription[]>;
  /** Of every table the columns that the configuration or a schema declares. */
  declared(): Promise<DeclaredTable[]>;
  /**
   * Checks the study's table by its files and columns alone.
   * @throws ConsiliumError for what no record can change: TABLE_UNKNOWN, TABLE_UNREADABLE, COLUMN_MISSING and others
   */
  check(study: Study): Promise<void>;
  /**
   * Reads the study's table through and judges it.
   * @throws ConsiliumError for the first thing that is wrong with it
   */
  preflight(study: Study, rules: RefusalRules): Promise<ApprovedContents>;
  /**
   * What the records of a stage come to, without noise and without mask: of a study that hides tables those that there are now,
   * whatever they are; of every other the approved ones.
   * @returns null for a published method, where its vector is computed from `blocks`
   * @throws ConsiliumError METHOD_REFUSED, before a record is read; TABLE_CHANGED, TABLE_UNREADABLE, ENGINE_FAILED
   */
  part(stage: SharedStage): Promise<Part | null>;
  /**
   * The rows themselves, block by block, for a published method. Whatever is computed from them counts only once the iteration
   * has ended by itself: it ends with TABLE_CHANGED where the table is no longer what was approved.
   * @param approved - null for a study that hides tables
   */
  blocks(
    study: Study,
    approved: ApprovedContents | null,
    found: (table: FoundTable) => void,
  ): AsyncIterable<ColumnBlock>;
  /** With the table check of what the study reads. */
  profile(study: Study): Promise<CheckedProfile>;
  /** A table by itself, every row read: all its columns, or those of a study. @throws ConsiliumError TABLE_UNKNOWN */
  tableCheck(name: string, study?: Study): Promise<TableExamination>;
  /** For the doctor: the tables as this text of the configuration names them, held against these studies. */
  examine(studies: readonly Study[], configText: string): Promise<Examined>;
}

export type CheckedProfile = Omit<ProfileReportView, "minimumUsable">;
export type Examined = Pick<DoctorFacts, "configuration" | "tables" | "strangers">;

export function unknownTable(name: string, known: readonly string[]): ConsiliumError {
  const remedy = { code: "table.name-it", params: { tables: known.map((one) => nameOf(one)) } } as const;
  return fault("TABLE_UNKNOWN", "table.unknown", { table: nameOf(name) }, { remedy });
}
