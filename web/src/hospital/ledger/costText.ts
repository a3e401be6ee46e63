import type { EpsilonCost } from "@consilium/core/hospital/ledgerViews";
import { formatDelta } from "../../shared/format";
import { served, t } from "../../shared/language";
import { shown } from "../studies/privacyWords";

/** A cost in words; no line breaks between a letter and its number. */
export function costText(cost: EpsilonCost | null): string {
  if (cost === null) return "-";
  if (cost.epsilon !== null)
    return t("ε {epsilon} per {unit} at δ {delta}", {
      epsilon: shown(cost.epsilon),
      unit: served(cost.unit),
      delta: formatDelta(cost.delta),
    });
  if (cost.claimedEpsilon === null) return t("no proven bound");
  return t("no proven bound (claimed: ε {claimedEpsilon})", { claimedEpsilon: cost.claimedEpsilon });
}
