import { canonicalJson } from "../canonicalJson.js";
import type { PrivacyEvent } from "../privacy/events.js";
import { zcdpAccountant } from "../privacy/zcdp.js";
import type { Plan } from "../study/plan.js";
import type { StageAttempt } from "./attempts.js";

/** What a release's events add up to; null where nothing is proven. */
export interface ReleaseTotal {
  /** ρ of zCDP, rounded up. */
  readonly rho: number | null;
  /** ε at the study's δ, rounded up. */
  readonly epsilon: number | null;
}

/**
 * Adds up what a release did, each event once, under adding or removing one unit. The arithmetic is exact intervals over
 * integers, so that anyone who recomputes it comes to the same doubles to the last bit.
 *
 * Equal events are added as one with their count, which costs no more than one: a hostile list of ten thousand attempts
 * keeps nobody busy.
 * @param events - of every attempt at every stage, in the order in which a certificate lists them
 * @param delta - 0 < δ < 1, or null where the study has none
 * @returns ε and ρ, rounded up; null for both where an event has no bound, and for ε without a δ
 */
export function accountFor(events: readonly PrivacyEvent[], delta: number | null): ReleaseTotal {
  const accountant = zcdpAccountant({ neighbouringRelation: "add-remove" });
  const counts = new Map<string, { readonly event: PrivacyEvent; count: number }>();
  for (const event of events) {
    const text = canonicalJson(event);
    const known = counts.get(text);
    if (known === undefined) counts.set(text, { event, count: 1 });
    else known.count++;
  }
  for (const { event, count } of counts.values()) accountant.compose(event, count);
  return {
    rho: finiteOrNull(accountant.rho()),
    epsilon: delta === null ? null : finiteOrNull(accountant.epsilon(delta)),
  };
}

/** JSON has no infinity. */
function finiteOrNull(value: number): number | null {
  return Number.isFinite(value) ? value : null;
}

/** Total of a study in all of its attempts. */
export interface StudyTotal extends ReleaseTotal {
  /**
   * ε by the plan's exact loss distribution, where nothing was attempted twice; null elsewhere: no other composition was fixed
   * before the study ran.
   */
  readonly exact: number | null;
  /** The one ε that a release shows: of a method that is not proven its authors' claim. */
  readonly headline: number | null;
}

/**
 * Stages that were never attempted are counted, of a proven method, as if they had been: composition is proven against a bound that is
 * fixed before the study runs (docs/methods/k-anonymous-selection.md#skipped-tests).
 */
export function totalOf(
  { claim, stages }: Plan,
  attempts: readonly Pick<StageAttempt, "stage">[],
): StudyTotal {
  const isProved = claim.verdict === "proved";
  const times = new Map<string, number>();
  for (const { stage } of attempts) times.set(stage, (times.get(stage) ?? 0) + 1);
  const events = stages.flatMap(({ id, disclosure }) => {
    const count = Math.max(times.get(id) ?? 0, isProved ? 1 : 0);
    return Array<PrivacyEvent>(count).fill(disclosure.event);
  });
  const total = accountFor(events, claim.delta);
  const isOnce = [...times.values()].every((count) => count === 1);
  const exact = isProved && isOnce ? (claim.lossDistribution?.epsilon ?? null) : null;
  const headline = !isProved ? claim.epsilon : claim.isExact && exact !== null ? exact : total.epsilon;
  return { ...total, exact, headline };
}
