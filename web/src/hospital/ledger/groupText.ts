import type { EntryView, EpsilonCost } from "@consilium/core/hospital/ledgerViews";
import type { OfferedStudyView } from "@consilium/core/hospital/studyViews";
import { formatDelta } from "../../shared/format";
import { t } from "../../shared/language";
import { shown } from "../studies/privacyWords";
import { costText } from "./costText";

type Stated = OfferedStudyView["stated"];

/**
 * What a study was charged, by all of its entries; null without a reservation. First the ε that the study states, as its
 * certificate does, then what that is of the budget. A reservation's cost is that of all its stages, and costs do not add, so a
 * part of it is counted in stages.
 */
export function groupText(entries: readonly EntryView[], stated: Stated = null): string | null {
  const reservations = entries.filter(({ kind }) => kind === "reserve");
  const [reserved] = reservations;
  if (reserved === undefined) return null;
  const spent = entries.filter(({ kind }) => kind === "commit");
  const stages = new Set(reservations.flatMap((one) => one.stages));
  if (spent.length === stages.size && reservations.length === 1)
    return t("charged: {cost}", { cost: wholeCost(reserved.cost, stated) });
  const isOver = entries.some(({ kind }) => kind === "release") || spent.length === stages.size;
  if (!isOver) return t("reserved: {cost}", { cost: wholeCost(reserved.cost, stated) });
  const [first] = spent;
  if (first === undefined) return t("nothing charged");
  if (spent.length === 1) return t("charged: {cost}", { cost: costText(first.cost) });
  return t("charged: {count} of {stages} reserved stages", { count: spent.length, stages: stages.size });
}

/** Of a whole study: at its own δ, and at the budget's where that is another. */
function wholeCost(cost: EpsilonCost | null, stated: Stated): string {
  const ofBudget = costText(cost);
  if (cost === null || stated === null) return ofBudget;
  const values = { epsilon: shown(stated.epsilon), delta: formatDelta(stated.delta) };
  // An entry has the claim of one stage, and the study that of all.
  if (cost.epsilon === null)
    return cost.claimedEpsilon === null
      ? ofBudget
      : t("no proven bound (claimed: ε {epsilon} at δ {delta})", values);
  if (stated.delta === cost.delta) return ofBudget;
  return t("ε {epsilon} at the study's δ {delta}; of the budget {cost}", { ...values, cost: ofBudget });
}
