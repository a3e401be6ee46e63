import { ConsiliumError } from "@consilium/core/errors";
import { parseStudyId, type StudyId } from "@consilium/core/ids";
import { unwrap } from "@consilium/core/result";
import { planStudy } from "@consilium/core/study/plan";
import { readStudyDocument, type StudyDocument } from "@consilium/core/study/study";
import { type BudgetState, explainStudy, type Section } from "../policy/explain.js";
import { judge } from "../policy/judge.js";
import { type PopulationBudget, populationOf } from "../policy/policy.js";
import type { PolicyFile } from "../policy/policyFile.js";
import type { Approvals } from "../studies/approvals.js";
import { inWords } from "../studies/joining.js";
import type { SiteRecords, SiteStudy } from "../studies/records.js";

/** What the views of studies are made from. */
export interface StudyViewsContext {
  readonly records: SiteRecords;
  readonly approvals: Approvals;
  readonly policy: PolicyFile;
  readonly allowNoPrivacy: boolean;
  /** What the ledger says of a population; null while there is none to ask. */
  readonly spent: ((population: PopulationBudget) => BudgetState) | null;
}

/** A study in the hospital's own list. */
export interface OfferedStudyView {
  readonly id: string;
  readonly name: string;
  readonly status: SiteStudy["status"];
  /** The status as the end of a sentence. */
  readonly words: string;
  readonly table: string;
  readonly firstSeenAt: string;
  readonly endedAt: string | null;
  /** Until when it can be approved; null when it does not wait for that. */
  readonly approveUntil: string | null;
  readonly decidedAt: string | null;
  /** Why it was refused or came to a stop: stays at the site. */
  readonly code: string | null;
  readonly reason: string | null;
}

export interface ExplainedStudyView extends OfferedStudyView {
  readonly hash: string;
  /** The study as it was offered. */
  readonly study: unknown;
  /** What the policy says of it as it stands now. */
  readonly verdict: {
    readonly allowed: boolean;
    readonly code: string | null;
    readonly message: string | null;
  };
  readonly explanation: readonly Section[];
}

export function listStudies(context: StudyViewsContext): OfferedStudyView[] {
  return context.records.studies().map((record) => offeredView(context, record));
}

/** @throws ConsiliumError STUDY_UNKNOWN; POLICY_INVALID while the policy cannot be read */
export function explainedStudy(context: StudyViewsContext, id: StudyId): ExplainedStudyView {
  const record = context.records.study(id);
  if (record === null) {
    throw new ConsiliumError("STUDY_UNKNOWN", `no study ${id} has been offered to this hospital`, {
      remedy: "list the ones that were with `consilium site studies`",
    });
  }
  const { study } = documentOf(record);
  const plan = planStudy(study);
  const policy = unwrap(context.policy.read());
  const judged = judge(study, plan, { policy, allowNoPrivacy: context.allowNoPrivacy });
  const population = populationOf(policy, study.table);
  return {
    ...offeredView(context, record),
    hash: record.hash,
    study: JSON.parse(record.text),
    verdict: {
      allowed: judged.ok,
      code: judged.ok ? null : judged.error.code,
      message: judged.ok ? null : judged.error.describe(),
    },
    explanation: explainStudy({
      study,
      plan,
      population,
      spent: context.spent?.(population) ?? null,
      pinned: Object.keys(policy.members).length,
      charged: record.exchangeKey !== null,
    }),
  };
}

/** @throws ConsiliumError STUDY_UNKNOWN for a text that is no study's id */
export function studyIdOfPath(text: string): StudyId {
  const parsed = parseStudyId(text);
  if (parsed.ok) return parsed.value;
  throw new ConsiliumError("STUDY_UNKNOWN", "the request names no study's id", {
    remedy: "list the studies with `consilium site studies`",
  });
}

function offeredView(context: StudyViewsContext, record: SiteStudy): OfferedStudyView {
  const approval = context.approvals.of(record.id);
  const iso = (time: number | null) => (time === null ? null : new Date(time).toISOString());
  return {
    id: record.id,
    name: record.name,
    status: record.status,
    words: inWords(record),
    table: documentOf(record).study.table,
    firstSeenAt: new Date(record.firstSeenAt).toISOString(),
    endedAt: iso(record.endedAt),
    approveUntil: record.status === "waiting for approval" ? iso(approval?.deadlineAt ?? null) : null,
    decidedAt: iso(approval?.decidedAt ?? null),
    code: record.localCode,
    reason: record.localReason,
  };
}

function documentOf(record: SiteStudy): StudyDocument {
  return unwrap(readStudyDocument(record.text, record.hash));
}
