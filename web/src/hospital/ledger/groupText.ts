import type { EntryView } from "@consilium/core/hospital/ledgerViews";
import { t } from "../../shared/language";
import { costText } from "./costText";

/**
 * What a study was charged, by all of its entries; null without a reservation. A reservation's cost is that of all its
 * stages, and costs do not add, so a part of it is counted in stages.
 */
export function groupText(entries: readonly EntryView[]): string | null {
  const reservations = entries.filter(({ kind }) => kind === "reserve");
  const [reserved] = reservations;
  if (reserved === undefined) return null;
  const spent = entries.filter(({ kind }) => kind === "commit");
  const stages = new Set(reservations.flatMap((one) => one.stages));
  if (spent.length === stages.size && reservations.length === 1)
    return t("charged: {cost}", { cost: costText(reserved.cost) });
  const isOver = entries.some(({ kind }) => kind === "release") || spent.length === stages.size;
  if (!isOver) return t("reserved: {cost}", { cost: costText(reserved.cost) });
  const [first] = spent;
  if (first === undefined) return t("nothing charged");
  if (spent.length === 1) return t("charged: {cost}", { cost: costText(first.cost) });
  return t("charged: {count} of {stages} reserved stages", { count: spent.length, stages: stages.size });
}
