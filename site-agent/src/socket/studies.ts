import type { ProfileView } from "@consilium/core/hospital/profileViews";
import type { DecidedView } from "@consilium/core/hospital/studyViews";
import { unwrap } from "@consilium/core/result";
import type { Study } from "@consilium/core/study/study";
import { readStudyYaml } from "@consilium/runtime/yaml/studyYaml";
import type { ProfileReport } from "../data/profile.js";
import { formatProfile } from "../data/profileText.js";
import type { Tables } from "../data/tables.js";
import type { Joining } from "../studies/joining.js";
import {
  explainedAfter,
  explainedStudy,
  type StudyViewsContext,
  studyIdOf,
  studyOffered,
} from "./studyViews.js";

export interface StudiesContext extends StudyViewsContext {
  readonly joining: Joining;
  readonly tables: Pick<Tables, "profile">;
  readonly connection: { readonly status: { readonly connected: boolean } };
}

/** Reserves the study's cost in the ledger; the policy is asked again. */
export async function approved(
  context: StudiesContext,
  { id, by }: { readonly id: string; readonly by: string },
): Promise<DecidedView> {
  await context.joining.approve(studyIdOf(id), by);
  return { study: explainedStudy(context, studyIdOf(id)), connected: context.connection.status.connected };
}

/** The aggregator learns that the study was refused and nothing of the reason. */
export function refused(
  context: StudiesContext,
  { id, by, reason }: { readonly id: string; readonly by: string; readonly reason: string | null },
): DecidedView {
  const study = explainedAfter(context, studyIdOf(id), () => {
    context.joining.refuse(studyIdOf(id), by, reason);
  });
  return { study, connected: context.connection.status.connected };
}

/** The table as a study file would see it; it stays at the hospital. */
export async function profileOfText(
  context: StudiesContext,
  { study, values }: { readonly study: string; readonly values: boolean },
): Promise<ProfileView> {
  return profileOf(context, unwrap(context.methods.parse(await readStudyYaml(study))), values);
}

/** The table as an offered study would see it, without any of its values. */
export function profileOfOffered(context: StudiesContext, id: string): Promise<ProfileView> {
  return profileOf(context, studyOffered(context, studyIdOf(id)), false);
}

/** @param values - whether the least, the mean and the largest of a column's values are in it: each may be one patient's */
async function profileOf(context: StudiesContext, study: Study, values: boolean): Promise<ProfileView> {
  const full = await context.tables.profile(study);
  const report = values ? full : { ...full, columns: full.columns.map(withoutValues) };
  return { report, text: formatProfile(report) };
}

function withoutValues(column: ProfileReport["columns"][number]): ProfileReport["columns"][number] {
  return column.type === "numeric" ? { ...column, min: null, mean: null, max: null, stdDev: null } : column;
}
