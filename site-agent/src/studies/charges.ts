import type { Sha256, StageId, StudyId } from "@consilium/core/ids";
import type { PrivacyEvent } from "@consilium/core/privacy/events";
import type { LedgerPosition } from "@consilium/core/release/countersignature";
import type { StagePlan } from "@consilium/core/study/plan";
import type { LedgerStage } from "@consilium/gate/account";
import type { Charged } from "@consilium/gate/door";
import type { WireLedgerHead } from "../rpc/toDomain.js";
import type { SiteStudy } from "./records.js";
import type { StudyView } from "./studyView.js";

/** A stage of a study that this site has paid for. */
export interface CommittedStage {
  readonly stage: StageId;
  readonly attempt: number;
  readonly event: PrivacyEvent;
}

/**
 * What studies cost, in the hospital's ledger: reserved when this site joins, committed with the vector before it
 * leaves, released when a study ends. Everything that writes does so within the caller's transaction.
 */
export interface Charges {
  /** Before anything of a study is answered: an old copy of the ledger stands for old keys, too. @throws LEDGER_BEHIND */
  demandCurrent(): void;
  /** @throws ConsiliumError BUDGET_EXHAUSTED, LEDGER_BEHIND; CEILING_REACHED beyond what the study may cost in all its attempts */
  reserveStudy(record: SiteStudy, joined?: Sha256): void;
  /** Once, with the roster: what is set aside takes the events of the plan that runs. @throws as reserveStudy; PLAN_DIFFERS */
  reserveRunning(view: StudyView): void;
  /** A further attempt costs again. @throws as reserveStudy; PLAN_DIFFERS where what is set aside is not the plan's */
  reserveAttempt(view: StudyView, stage: StagePlan, attempt: number): void;
  /** A person lets the study cost its plan once more than it has spent. @throws ConsiliumError POLICY_EPSILON where the policy does not, LEDGER_BEHIND */
  raiseCeiling(record: SiteStudy): void;
  commit(view: StudyView, stage: StagePlan, attempt: number): void;
  /** What is set aside or spent for a stage. @throws RangeError for nothing */
  chargeOf(study: StudyId, stage: StageId, attempt: number): LedgerStage;
  /** Of a stage that is committed, if only in the caller's transaction. Call `keepHead` before it is given out. */
  noteOf(study: StudyId, stage: StageId, attempt: number): Charged;
  /** Keeps the ledger's head beside the database, too. */
  keepHead(): Promise<void>;
  /** What was reserved for a study and not committed. */
  release(study: StudyId): void;
  committed(study: StudyId): readonly CommittedStage[];
  /** Hashes of the entries that committed something for a study, in the ledger's order. */
  committedEntries(study: StudyId): readonly Sha256[];
  /** Notes that a person approved a study, by the hash of what is kept of it. @throws LEDGER_BEHIND */
  approve(study: StudyId, record: Sha256): void;
  /** The same of a refusal. */
  refuse(study: StudyId, record: Sha256): void;
  /** Notes the one statement that this site signs of a study. @throws LEDGER_BEHIND; RangeError for a second one */
  sign(study: StudyId, statement: Sha256): void;
  /** Hash of that statement; null where none was signed. */
  statementOf(study: StudyId): Sha256 | null;
  head(): { readonly head: WireLedgerHead; readonly reference: LedgerPosition };
}
