import { rhoFromEpsilon } from "@consilium/core/privacy/conversions";
import type { Plan } from "@consilium/core/study/plan";
import { plusSpent, type Spent, timesUp } from "@consilium/gate/account";
import type { Policy, PopulationBudget } from "./policy.js";
import { type Charging, judgedCost, plannedCost } from "./unitCost.js";

interface CeilingOf {
  readonly charging: Charging;
  readonly policy: Policy;
  readonly population: Pick<PopulationBudget, "delta">;
  readonly isApproved: boolean;
  /** By the study until now; left out: it has not begun. */
  readonly spent?: Spent;
}

/**
 * How much a study may cost in all its attempts together. A person lets it cost its plan once more than a first run, or than it has
 * spent by then, within `perStudy.epsilon`. What a rule joined may cost `perStudy.epsilon` and `automatic.maxEpsilon`.
 * @param plan - as invited; the policy allows it
 */
export function ceilingOf(plan: Plan, of: CeilingOf): Spent {
  const planned = plannedCost(plan, of.charging);
  const repeated = plusSpent(of.spent ?? planned, planned);
  const limit = limitOf(plan, of, planned);
  if (limit === null) return repeated;
  if (!of.isApproved) return limit;
  return {
    rho: Math.min(repeated.rho, limit.rho),
    unbounded: Math.min(repeated.unbounded, limit.unbounded),
  };
}

/** Null where the policy has no limit for one study. Costs that are claimed alone add by their ε. */
function limitOf(plan: Plan, of: CeilingOf, planned: Spent): Spent | null {
  const { charging, policy, population, isApproved } = of;
  const { approval } = policy;
  const byRule = isApproved || typeof approval === "string" ? undefined : approval.automatic.maxEpsilon;
  const epsilon = Math.min(policy.perStudy.epsilon ?? unlimited, byRule ?? unlimited);
  const cost = judgedCost(plan, charging, population.delta);
  if (epsilon === unlimited || cost.epsilon === null) return null;
  if (!cost.claimed) {
    const rho = rhoFromEpsilon({ epsilon, delta: population.delta });
    return { rho: Math.max(planned.rho, rho), unbounded: planned.unbounded };
  }
  const runs = Math.max(1, Math.min(maxRuns, Math.floor(epsilon / cost.epsilon)));
  return { rho: timesUp(planned.rho, runs), unbounded: planned.unbounded * runs };
}

const unlimited = Number.POSITIVE_INFINITY;
/** No study has so many attempts. */
const maxRuns = 1_000;
