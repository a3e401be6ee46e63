import { ConsiliumError } from "@consilium/core/errors";
import { faults } from "@consilium/core/fault";
import type { StudyFacts } from "@consilium/core/hospital/studyFacts";
import type { OfferedStudyView } from "@consilium/core/hospital/studyViews";
import { parseStudyId, type Sha256, type StudyId } from "@consilium/core/ids";
import { unwrap } from "@consilium/core/result";
import { sentences } from "@consilium/core/said";
import { type Plan, planStudy, verdictOf } from "@consilium/core/study/plan";
import type { Study, StudyDocument } from "@consilium/core/study/study";
import { costOfStages } from "@consilium/gate/account";
import type { SiteSays } from "@consilium/words/says/site";
import type { FoundTable } from "../data/snapshot.js";
import { accountOf, accountsOf } from "../ledger/accounts.js";
import { budgetState } from "../ledger/budgetState.js";
import { epsilonOf, shownUp } from "../ledger/epsilon.js";
import type { Ledger } from "../ledger/ledger.js";
import { studyBudget } from "../ledger/studyBudget.js";
import { ceilingOf } from "../policy/ceiling.js";
import { chargedUnitOf } from "../policy/chargedUnit.js";
import { decisionOn } from "../policy/decision.js";
import { chargedTo, judge } from "../policy/judge.js";
import { type Policy, populationOf } from "../policy/policy.js";
import type { PolicyFile } from "../policy/policyFile.js";
import { unansweredIn } from "../policy/populations.js";
import { type Approvals, approverName } from "../studies/approvals.js";
import type { Questions } from "../studies/questions.js";
import type { SiteRecords, SiteStudy, StudySummary } from "../studies/records.js";
import type { SiteMethods } from "../studies/siteMethods.js";
import { inWords } from "../studies/statusWords.js";
import { unknownStudy } from "../studies/studyView.js";
import { type Judging, shownTermsOf, termsOf } from "../studies/terms.js";
import type { KnownTables } from "../tables/knownTables.js";

const fault = faults<SiteSays>();
const said = sentences<SiteSays>();

/** What the views of studies are made from. */
export interface StudyViewsContext {
  readonly records: SiteRecords;
  readonly approvals: Approvals;
  readonly policy: PolicyFile;
  readonly methods: Pick<SiteMethods, "load" | "loadedFor">;
  readonly allowNoPrivacy: boolean;
  readonly knownTables: KnownTables;
  readonly ledger: Ledger;
  /** To the operator; null where none was ever asked. */
  readonly questions: () => Promise<Pick<Questions, "of" | "answeredSince">> | null;
}

/** @param page - how many, and after which one; newest first */
export function listStudies(
  context: StudyViewsContext,
  page: Parameters<SiteRecords["studies"]>[0],
): OfferedStudyView[] {
  return context.records.studies(page).map((record) => offeredView(context, record));
}

/** @throws ConsiliumError STUDY_UNKNOWN, STUDY_STATE where the study's text is not kept; POLICY_INVALID while the policy cannot be read */
export function studyFacts(context: StudyViewsContext, id: StudyId): Promise<StudyFacts> {
  return factsOf(context, recordOf(context, id));
}

/** The facts of a study from before a decision, with what was decided: its text may go with the decision. */
export function factsAfter(context: StudyViewsContext, id: StudyId, decide: () => void): Promise<StudyFacts> {
  const before = recordOf(context, id);
  decide();
  return factsOf(context, { ...recordOf(context, id), text: before.text });
}

async function factsOf(context: StudyViewsContext, record: SiteStudy): Promise<StudyFacts> {
  const { study } = await documentOf(context, record);
  const plan = planStudy(study);
  const written = unwrap(context.policy.readWritten());
  const { policy } = written;
  const { allowNoPrivacy, knownTables: tables, ledger } = context;
  const unanswered = unansweredIn(context.records, policy, tables);
  const permissions = { policy, allowNoPrivacy, tables, unanswered };
  const judged = judge(study, plan, permissions);
  const judging = { study, hash: record.hash, plan, policy: written, tables };
  const population = populationOf(policy, study.table);
  return {
    ...offeredView(context, record),
    hash: record.hash,
    terms: shownTermsOf(judging),
    text: record.text,
    verdict: {
      allowed: judged.ok,
      code: judged.ok ? null : judged.error.code,
      message: judged.ok ? null : judged.error.describe(),
    },
    decision: decisionOn(study, plan, permissions),
    approvals: policy.approvals,
    questions: (await context.questions())?.of(record.id) ?? [],
    changedSince: await changedSince(context, record, judging),
    budget: budgetOf(context, record, { study, plan, policy }),
    population: population === null ? null : { name: population.name, budget: population.budget },
    chargedUnit: chargedUnitOf(study, plan, permissions),
    spent: population === null ? null : budgetState(ledger, population, accountsOf(policy, tables)),
    maxEpsilon: maxEpsilonOf(context, record, { study, plan, policy }),
    pinned: Object.keys(policy.members).length,
    isCharged: record.exchangeKey !== null,
    found: record.tableFound === null ? null : (JSON.parse(record.tableFound) as FoundTable),
  };
}

/** As far as it is known without the table's content. */
async function changedSince(
  { approvals }: StudyViewsContext,
  { id, status }: SiteStudy,
  judging: Judging,
): Promise<string[]> {
  const first = status === "waiting for approval" ? (approvals.of(id)?.first ?? null) : null;
  if (first === null) return [];
  const { changedTerms, termNames } = await import("../studies/secondApproval.js");
  const terms = termsOf(judging, first.terms.content as Sha256 | null);
  return changedTerms(first.terms, terms, judging.policy.policy).map((term) => termNames[term]);
}

/** @throws ConsiliumError STUDY_UNKNOWN */
export function studyOffered(
  context: Pick<StudyViewsContext, "records" | "methods">,
  id: StudyId,
): Promise<StudyDocument> {
  return documentOf(context, recordOf(context, id));
}

function recordOf({ records }: Pick<StudyViewsContext, "records">, id: StudyId): SiteStudy {
  const record = records.study(id);
  if (record !== null) return record;
  throw unknownStudy(id);
}

/** Of a study that may still spend, or has. */
function budgetOf(
  { ledger, knownTables }: StudyViewsContext,
  record: SiteStudy,
  { study, plan, policy }: { readonly study: Study; readonly plan: Plan; readonly policy: Policy },
) {
  if (!mayCharge.includes(record.status)) return null;
  const account = accountOf(policy, knownTables, study.table);
  const charged = chargedTo(study, plan, { policy, tables: knownTables });
  if (account === null || !charged.ok) return null;
  const accounts = accountsOf(policy, knownTables);
  const { charging } = charged.value;
  return studyBudget(ledger.totals, { study: record.id, plan, account, accounts, charging });
}

/** What all attempts may cost, if a person approves now. */
function maxEpsilonOf(
  { ledger, knownTables }: StudyViewsContext,
  { id, status, exchangeKey }: SiteStudy,
  { study, plan, policy }: { readonly study: Study; readonly plan: Plan; readonly policy: Policy },
): number | null {
  if (status !== "waiting for approval" || plan.claim.verdict !== "proved") return null;
  const charged = chargedTo(study, plan, { policy, tables: knownTables });
  if (!charged.ok) return null;
  const spent = exchangeKey === null ? {} : { spent: costOfStages(ledger.committed(id)) };
  const ceiling = ceilingOf(plan, { ...charged.value, policy, isApproved: true, ...spent });
  return shownUp(epsilonOf(ceiling, charged.value.population.delta), 3);
}

const mayCharge: readonly SiteStudy["status"][] = ["waiting for approval", "joined", "waiting"];

/** @throws ConsiliumError STUDY_UNKNOWN for a text that is no study's id */
export function studyIdOf(text: string): StudyId {
  const parsed = parseStudyId(text);
  if (parsed.ok) return parsed.value;
  throw fault("STUDY_UNKNOWN", "socket.no-study-id", {}, { remedy: said("socket.list-studies", {}) });
}

function offeredView(context: StudyViewsContext, record: StudySummary): OfferedStudyView {
  const approval = context.approvals.of(record.id);
  const iso = (time: number | null) => (time === null ? null : new Date(time).toISOString());
  const first = record.status === "waiting for approval" ? (approval?.first ?? null) : null;
  const { id, name, status, table, analysis, method, variant, privacy } = record;
  return {
    id,
    name,
    status,
    table,
    analysis,
    method,
    variant,
    words:
      first === null ? inWords(record) : `approved by ${approverName(first)}, it waits for a second approver`,
    joined: record.exchangeKey !== null,
    verdict: privacy === "" ? null : verdictOf(variant, privacy === "none"),
    stated: privacy.startsWith("{") ? (JSON.parse(privacy) as OfferedStudyView["stated"]) : null,
    firstSeenAt: new Date(record.firstSeenAt).toISOString(),
    endedAt: iso(record.endedAt),
    approveUntil:
      record.status === "waiting for approval" && record.exchangeKey === null
        ? iso(approval?.deadlineAt ?? null)
        : null,
    joinUntil: iso(approval?.deadlineAt ?? null),
    firstApproval: first === null ? null : { by: approverName(first), at: iso(first.at)! },
    decidedAt: iso(approval?.decidedAt ?? null),
    decidedBy: approval?.decidedBy ?? null,
    code: record.localCode,
    reason: record.localReason,
  };
}

async function documentOf(
  context: Pick<StudyViewsContext, "methods">,
  record: SiteStudy,
): Promise<StudyDocument> {
  if (record.text === "") {
    throw new ConsiliumError(
      "STUDY_STATE",
      `the text of study ${record.id} is not kept: ${inWords(record)}${record.localReason === null ? "" : ` (${record.localReason})`}`,
      { remedy: "list the studies with `consilium site studies`: each has its code and reason there" },
    );
  }
  return unwrap(await context.methods.load(record.text, record.hash));
}
