import { toConsiliumError } from "@consilium/core/errors";
import type { AgentAsks } from "@consilium/core/hospital/agentRequests";
import type { ProfileReportView } from "@consilium/core/hospital/profileViews";
import type { DecidedFacts } from "@consilium/core/hospital/studyFacts";
import type { StudyId } from "@consilium/core/ids";
import { parseWritten } from "@consilium/core/method/methods";
import { unwrap } from "@consilium/core/result";
import { planStudy } from "@consilium/core/study/plan";
import { type StudyDocument, studyDocument } from "@consilium/core/study/study";
import type { ProfileReport } from "../data/profile.js";
import { policySchema } from "../policy/policy.js";
import type { Joining } from "../studies/joining.js";
import { refusalRecord } from "../studies/terms.js";
import type { Tables } from "../tables/tables.js";
import {
  factsAfter,
  listStudies,
  type StudyViewsContext,
  studyFacts,
  studyIdOf,
  studyOffered,
} from "./studyViews.js";

export interface StudiesContext extends StudyViewsContext {
  readonly joining: Joining;
  readonly tables: Pick<Tables, "profile">;
  readonly connection: { readonly status: { readonly connected: boolean } };
  readonly now: () => number;
}

/** @param page.after - the id of the last study of the page before; left out for the first page */
export const listed = (
  context: StudiesContext,
  { limit, after }: { readonly limit: number; readonly after?: string | undefined },
) => listStudies(context, { limit, after: after === undefined ? undefined : studyIdOf(after) });

export const shown = (context: StudiesContext, id: string) => studyFacts(context, studyIdOf(id));

/** The study once a question about it was asked. */
export async function asked(
  context: StudiesContext,
  id: string,
  ask: (study: StudyId) => Promise<void>,
): Promise<DecidedFacts> {
  await ask(studyIdOf(id));
  return { study: await shown(context, id), connected: context.connection.status.connected };
}

/** Reserves the study's cost in the ledger; the policy is asked again. */
export async function approved(
  context: StudiesContext,
  asked: AgentAsks<"approve">,
): Promise<{ readonly decided: DecidedFacts; readonly note: string }> {
  const { by, inPlaceOf = null, shown = null } = asked;
  const id = studyIdOf(asked.id);
  const facts = () => studyFacts(context, id);
  const { note } = await context.joining.approve(id, { by, inPlaceOf, shown, facts });
  const study = await facts();
  return { decided: { study, connected: context.connection.status.connected }, note };
}

/** The aggregator learns that the study was refused and nothing of the reason. */
export async function refused(context: StudiesContext, asked: AgentAsks<"refuse">): Promise<DecidedFacts> {
  const id = studyIdOf(asked.id);
  const kept = await refusalOf(context, id, asked);
  const study = await factsAfter(context, id, () => {
    context.joining.refuse(id, asked.by, asked.reason, kept);
  });
  return { study, connected: context.connection.status.connected };
}

/** The record of a refusal. What cannot be said of the study by now keeps nobody from refusing it. */
async function refusalOf(
  context: StudiesContext,
  id: StudyId,
  { by, reason, shown }: AgentAsks<"refuse">,
): Promise<string> {
  const refused = { study: id, by, reason, shown: shown ?? null, at: context.now() };
  try {
    const { study, hash } = await studyOffered(context, id);
    const policy = unwrap(context.policy.readWritten());
    const of = { study, hash, plan: planStudy(study), policy, tables: context.knownTables };
    return refusalRecord(of, { ...refused, facts: await studyFacts(context, id) });
  } catch (thrown) {
    if (toConsiliumError(thrown).code === "STUDY_UNKNOWN") throw thrown;
    return refusalRecord(null, { ...refused, facts: { text: context.records.study(id)?.text ?? null } });
  }
}

/** The table as a study that nobody has offered would see it; it stays at the hospital. */
export async function profileOfGiven(
  context: StudiesContext,
  { study, values }: { readonly study: unknown; readonly values: boolean },
): Promise<ProfileReportView> {
  const parsed = unwrap(await parseWritten(context.methods, study));
  return profileOf(context, studyDocument(parsed), values);
}

/** The table as an offered study would see it, without any of its values. */
export async function profileOfOffered(context: StudiesContext, id: string): Promise<ProfileReportView> {
  const { study, hash } = await studyOffered(context, studyIdOf(id));
  return profileOf(context, { study, hash }, false);
}

/** @param values - whether the least, the mean and the largest of a column's values are in it: each may be one patient's */
async function profileOf(
  { tables, policy, records }: StudiesContext,
  { study, hash }: Pick<StudyDocument, "study" | "hash">,
  values: boolean,
): Promise<ProfileReportView> {
  const report = await tables.profile(study);
  records.noteLooked(hash, Date.now());
  const read = policy.read();
  const { minimumUsable } = read.ok ? read.value : policySchema.parse({});
  return {
    ...report,
    minimumUsable,
    columns: values ? report.columns : report.columns.map(withoutValues),
  };
}

function withoutValues(column: ProfileReport["columns"][number]): ProfileReport["columns"][number] {
  if (column.type !== "numeric") return column;
  const { commonestBelow: below, commonestAbove: above } = column;
  return {
    ...column,
    commonestBelow: below && { ...below, value: null },
    commonestAbove: above && { ...above, value: null },
    min: null,
    mean: null,
    max: null,
    stdDev: null,
  };
}
