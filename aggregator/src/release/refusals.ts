import type { Refusals } from "@consilium/core/release/refusalsSchema";
import type { InvitedRecord } from "../rounds/records.js";

type Decided = Pick<InvitedRecord, "decision" | "refusalCode" | "mayPublishRefusal">;

/** Codes of refusals whose hospitals let them be published, by code, without which hospital it was. */
export function publicRefusals(invited: readonly Decided[]): Refusals {
  const hospitals = new Map<string, number>();
  for (const { decision, refusalCode, mayPublishRefusal } of invited) {
    if (decision !== "refused" || refusalCode === null || !mayPublishRefusal) continue;
    hospitals.set(refusalCode, (hospitals.get(refusalCode) ?? 0) + 1);
  }
  return [...hospitals]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([code, count]) => ({ code, hospitals: count }));
}
