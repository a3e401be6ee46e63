import type { EpsilonCost } from "@consilium/core/hospital/ledgerViews";
import { shown } from "../studies/privacyWords";

/** A cost in words; no line breaks between a letter and its number. */
export function costText(cost: EpsilonCost | null): string {
  if (cost === null) return "-";
  if (cost.epsilon !== null) return `ε\u00a0${shown(cost.epsilon)} per ${cost.unit} at δ\u00a0${cost.delta}`;
  if (cost.claimedEpsilon === null) return "no proven bound";
  return `no proven bound (claimed: ε ${cost.claimedEpsilon})`;
}
