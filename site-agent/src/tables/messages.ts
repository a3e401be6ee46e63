import { ConsiliumError, type ErrorCode, isErrorCode } from "@consilium/core/errors";
import type { TableExamination } from "@consilium/core/hospital/tableExamination";
import type { Sha256, SiteId, StageId } from "@consilium/core/ids";
import type { Broadcasts } from "@consilium/core/study/broadcast";
import type { ColumnBlock } from "@consilium/core/study/design";
import type { Part } from "@consilium/gate/part";
import type { RefusalRules } from "../data/refusals.js";
import type { DeclaredTable, TableDescription } from "../data/schema.js";
import type { FoundTable } from "../data/snapshot.js";
import type { TableUnit } from "../data/tableUnit.js";
import type { Permitted } from "../nodePermission.js";
import type { RecordSource } from "./knownTables.js";
import type { ApprovedContents, CheckedProfile, Examined } from "./tables.js";

/**
 * What the agent and the process that reads its tables say to each other, over a pipe, or the Unix socket of a door (`frames.ts`):
 * values as structured clones. The agent asks; each request has one answer, or for `blocks` one for each block that is asked
 * for. No file sees it, and no user of the machine but those two.
 */

/** A study as it travels; its method is loaded on the other side. */
export interface SentStudy {
  readonly text: string;
  readonly hash: Sha256;
  /** Null before there is a roster. */
  readonly rosterSites: number | null;
}

/** What a process that reads tables must have of the machine, by their configuration; of all else it has nothing. */
export interface Needs extends Permitted {
  /** Names of the environment. */
  readonly variables: readonly string[];
  /** Where the folders above the tables' places lead: the process may not look. */
  readonly links: ReadonlyMap<string, string>;
}

export interface Opening {
  /** The agent's version and build: a door may start the program of another. */
  readonly software: string;
  readonly configPath: string;
  /** As the agent has read it: a process that is started again serves the same tables. */
  readonly configText: string;
  /** What tables are hashed under, 32 bytes. */
  readonly secret: Uint8Array;
  /** What the places of tables are hashed under, 32 bytes. */
  readonly sourceKey: Uint8Array;
  /** Of the process's `Needs`. */
  readonly links: Needs["links"];
}

/** Of one table, what the agent's policy asks before anything is read. */
export interface OpenedTable {
  readonly name: string;
  readonly unit: TableUnit;
  readonly hasDeclaredColumns: boolean;
}

export interface FoundSources {
  readonly sources: ReadonlyMap<string, RecordSource>;
  readonly overlaps: readonly (readonly [string, string])[];
}

interface StageAsked {
  readonly study: SentStudy;
  readonly stage: StageId;
  readonly site: SiteId;
  readonly broadcasts: Broadcasts;
  readonly entries: number;
  readonly approval: ApprovedContents | null;
}

/** What each request takes, and what answers it. */
export interface Requests {
  /** Asked of a process that opens nothing afterwards. */
  readonly needs: { readonly asked: Pick<Opening, "configPath" | "configText">; readonly answer: Needs };
  readonly open: { readonly asked: Opening; readonly answer: readonly OpenedTable[] };
  readonly resolve: { readonly asked: null; readonly answer: FoundSources };
  readonly describe: { readonly asked: null; readonly answer: TableDescription[] };
  readonly declared: { readonly asked: null; readonly answer: DeclaredTable[] };
  readonly check: { readonly asked: SentStudy; readonly answer: null };
  readonly preflight: {
    readonly asked: { readonly study: SentStudy; readonly rules: RefusalRules };
    readonly answer: ApprovedContents;
  };
  readonly part: {
    readonly asked: StageAsked;
    readonly answer: { readonly part: Part | null; readonly found: FoundTable | null };
  };
  /** The first block, or null for none; `next` asks for further ones. */
  readonly blocks: {
    readonly asked: { readonly study: SentStudy; readonly approved: ApprovedContents | null };
    readonly answer: NextBlock;
  };
  readonly next: { readonly asked: { readonly of: number }; readonly answer: NextBlock };
  readonly profile: { readonly asked: SentStudy; readonly answer: CheckedProfile };
  readonly tableCheck: { readonly asked: { readonly table: string }; readonly answer: TableExamination };
  readonly examine: {
    readonly asked: { readonly studies: readonly SentStudy[]; readonly configText: string };
    readonly answer: Examined;
  };
}

export type NextBlock =
  | { readonly block: ColumnBlock }
  | { readonly block: null; readonly found: FoundTable | null };

export type RequestName = keyof Requests;

export type ToTables =
  | {
      [N in RequestName]: {
        readonly id: number;
        readonly name: N;
        readonly asked: Requests[N]["asked"];
        /** Number of further readings that it may take by itself. */
        readonly retries: number;
      };
    }[RequestName]
  /** The study with this hash is over. */
  | { readonly ended: Sha256 }
  /** No further block is asked for, of those that this request began. */
  | { readonly leave: number };

export type FromTables =
  | { readonly id: number; readonly answer: unknown }
  | { readonly id: number; readonly fault: Fault }
  /** The request begins a further reading. */
  | { readonly id: number; readonly retried: true }
  /** Something in a method was rejected that nobody waited for. */
  | { readonly rejected: true };

export interface Fault {
  readonly code: ErrorCode;
  readonly message: string;
  readonly remedy: string;
}

/** @param code - that came over the channel */
export function errorOf({ code, message, remedy }: Fault): ConsiliumError {
  return new ConsiliumError(isErrorCode(code) ? code : "INTERNAL", message, { remedy });
}
