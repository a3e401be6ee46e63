import type { SiteId } from "@consilium/core/ids";
import type { NumericKernels } from "@consilium/core/linalg/kernels";
import type { MissingPart } from "@consilium/core/method/parts";
import type { RandomSource } from "@consilium/core/random";
import type { PublishedSums } from "@consilium/core/release/publishedSums";
import type { Refusals } from "@consilium/core/release/refusalsSchema";
import type { Federation } from "@consilium/core/release/statement";
import type { FinishedResult } from "@consilium/core/release/withFlow";
import type { Plan } from "@consilium/core/study/plan";
import type { StudyDocument } from "@consilium/core/study/study";
import type { After } from "@consilium/runtime/after";
import type { Logger } from "@consilium/runtime/log";
import type { DiskSpace } from "@consilium/runtime/store/diskSpace";
import type { Roster } from "@consilium/secure-sum/roster";
import type { StudyMeter } from "../metrics.js";
import type { CountersignedStudy } from "../release/countersigned.js";
import type { Presence } from "../roster/presence.js";
import type { FileCopies } from "./fileCopies.js";
import type { StudyRecord, StudyRecords } from "./records.js";
import type { StudyPlans } from "./studyPlans.js";

/** A run's dependencies on its process. */
export interface RunContext {
  readonly federation: Federation;
  readonly records: StudyRecords;
  readonly plans: StudyPlans;
  readonly presence: Presence;
  readonly kernels: NumericKernels;
  /** The operating system's generator: it shuffles the rows. */
  readonly random: RandomSource;
  readonly now: () => number;
  /** For the deadlines of steps; left out: Node's timers. */
  readonly after?: After;
  /** Whether the site with this signing key has been expelled. */
  readonly isExpelled: (signingKey: Uint8Array) => boolean;
  /** Whether the key with which a site is enrolled now is on the list. */
  readonly isSiteExpelled: (site: SiteId) => boolean;
  readonly software: string;
  readonly stateFolder: string;
  /** Where another aggregator may take over: what it finds of the files. */
  readonly copies?: FileCopies;
  /** Disk space of the state folder. */
  readonly disk: DiskSpace;
  readonly log: Logger;
  /** Records metrics. */
  readonly meter?: StudyMeter;
  /** Renders, signs and deposits the release; idempotent by the study's id. `onSigned` comes before it can be committed. */
  readonly publish: (
    finished: FinishedStudy,
    signal: AbortSignal,
    onSigned: () => void,
  ) => Promise<{ url: string }>;
}

/** The input of a release. */
export interface FinishedStudy {
  readonly record: StudyRecord;
  /** The version that came to the result. */
  readonly software: string;
  readonly document: StudyDocument;
  readonly plan: Plan;
  readonly roster: Roster;
  readonly result: FinishedResult;
  /** Parts that the operator has accepted the release without. */
  readonly missing: readonly MissingPart[];
  /** Sums and draws that the release holds, and in their order the bytes of each sum or its file; null where it has none. */
  readonly published: (PublishedSums & { readonly contents: readonly (Uint8Array | string)[] }) | null;
  /** Why hospitals refused that let it be published. */
  readonly refusals: Refusals;
  /** When the computation ended, milliseconds; drawn once, so that a second deposit is the same. */
  readonly finishedAt: number;
  readonly countersigned: CountersignedStudy;
}
