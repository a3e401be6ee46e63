import { thresholdFor } from "@consilium/secure-sum/parameters";
import type { SiteId, StageId } from "../ids.js";
import type { Plan } from "../study/plan.js";
import { maxAttemptsOfStage } from "../study/planFacts.js";
import type { Study } from "../study/study.js";

/**
 * One attempt at a stage in which a vector, or rows, may have left a site. It is charged whether a sum came of it or not:
 * a site commits the charge before the first byte leaves.
 */
export interface StageAttempt {
  readonly stage: StageId;
  /** From 1; numbers may be skipped by attempts that ended before any vector was asked for. */
  readonly attempt: number;
  /** Whose vectors or rows were taken, in order of ids; null where the attempt was given up. */
  readonly survivors: readonly SiteId[] | null;
}

/** How many sites must be in every sum of a study, and must countersign its certificate. */
export function survivorsNeeded(plan: Plan, study: Study, sites: number): number {
  if (plan.masking === "dealer") return sites;
  const { minimumSites, tolerateColluding } = study.participation;
  return thresholdFor({ sites, minimumSites, tolerateColluding });
}

/** The sites of a roster that are not among the survivors, in the roster's order. */
export function droppedFrom(roster: readonly SiteId[], survivors: readonly SiteId[]): SiteId[] {
  const there = new Set(survivors);
  return roster.filter((site) => !there.has(site));
}

/**
 * What is wrong with a list of attempts as that of a finished study, in words, or null.
 *
 * The list follows the plan's stages. Attempts at a stage rise in number; the last one succeeded and the others were given
 * up. A stage that the plan lets a study do without may have none. Survivors are sites of the roster, in its order, and never fewer than the threshold.
 */
export function attemptsFault(
  attempts: readonly StageAttempt[],
  of: { readonly plan: Plan; readonly study: Study; readonly roster: readonly SiteId[] },
): string | null {
  const needed = survivorsNeeded(of.plan, of.study, of.roster.length);
  const order = new Map(of.roster.map((site, index) => [site, index]));
  let at = 0;
  for (const { id, mayBeSkipped } of of.plan.stages) {
    let before: StageAttempt | undefined;
    const last = at + maxAttemptsOfStage;
    for (; attempts[at]?.stage === id; at++) {
      const one = attempts[at]!;
      if (at === last) return `stage ${id} was attempted more than ${maxAttemptsOfStage} times`;
      const place = `stage ${id}, attempt ${one.attempt}`;
      if (before !== undefined && one.attempt <= before.attempt) return `${place} is out of order`;
      if (before !== undefined && before.survivors !== null) {
        return `${place} comes after one that succeeded`;
      }
      const fault = one.survivors === null ? null : survivorsFault(one.survivors, order, needed);
      if (fault !== null) return `${place} ${fault}`;
      before = one;
    }
    if (before === undefined) {
      if (mayBeSkipped) continue;
      return `stage ${id} has no attempt`;
    }
    if (before.survivors === null) return `stage ${id} has no attempt that succeeded`;
  }
  const more = attempts[at];
  return more === undefined ? null : `stage ${more.stage} is not the plan's, or not in its place`;
}

function survivorsFault(
  survivors: readonly SiteId[],
  order: ReadonlyMap<SiteId, number>,
  needed: number,
): string | null {
  let last = -1;
  for (const site of survivors) {
    const index = order.get(site);
    if (index === undefined) return "names a survivor that is not on the roster";
    if (index <= last) return "does not list its survivors in order, each once";
    last = index;
  }
  return survivors.length < needed ? `has ${survivors.length} survivors, ${needed} are the least` : null;
}
