import { withStep } from "@consilium/core/study/step";
import { isRecord } from "../../shared/yaml/values";

/** Steps of a regression's coefficients to propose where bounds are declared. They follow from what is public. */

type Feature = Readonly<Record<string, unknown>>;

/** Parameters that name a column which has no coefficient. */
const otherRoles = ["outcome", "exposure", "time"] as const;

/** Whether a column of the draft has a coefficient for an increase. */
export function hasSteps(study: Readonly<Record<string, unknown>>, feature: Feature): boolean {
  const { analysis, parameters } = study;
  if (analysis !== "regression" || feature.type !== "numeric") return false;
  return !isRecord(parameters) || otherRoles.every((role) => parameters[role] !== feature.name);
}

/** What is proposed for a column; null where its bounds are not known. */
function stepOf({ per: _per, ...feature }: Feature): number | null {
  const { per } = withStep<{ readonly per?: unknown }>(feature);
  return typeof per === "number" ? per : null;
}

/** A column after a change of its bounds: a step that was proposed, and no person's, follows them. */
export function withFollowingStep(before: Feature, after: Feature): Feature {
  if (before.per === undefined || before.per !== stepOf(before)) return after;
  const per = stepOf(after);
  // While a bound is typed, what was proposed stays.
  return per === null ? after : { ...after, per };
}

/** Places of columns that have bounds and no step, with what is proposed. */
export function openSteps(study: Readonly<Record<string, unknown>>): ReadonlyMap<number, number> {
  const open = new Map<number, number>();
  const features: readonly unknown[] = Array.isArray(study.features) ? study.features : [];
  features.forEach((one, at) => {
    if (!isRecord(one) || one.per !== undefined || !hasSteps(study, one)) return;
    const step = stepOf(one);
    if (step !== null) open.set(at, step);
  });
  return open;
}
