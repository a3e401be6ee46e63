import type { EpsilonCost } from "@consilium/core/hospital/ledgerViews";
import { shown } from "../studies/privacyWords";

/** A cost as people read it. */
export function costText(cost: EpsilonCost | null): string {
  if (cost === null) return "-";
  if (cost.epsilon !== null) return `ε ${shown(cost.epsilon)} at δ ${cost.delta}`;
  if (cost.claimedEpsilon === null) return "no proved bound";
  return `no proved bound (claimed: ε ${cost.claimedEpsilon})`;
}
