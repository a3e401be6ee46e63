import type { ErrorCode } from "@consilium/core/errors";
import { faults } from "@consilium/core/fault";
import type { SiteId } from "@consilium/core/ids";
import { fewOfGroup, toldApart } from "@consilium/core/study/apart";
import type { PlanSays } from "@consilium/words/says/plans";
import { perHospitalFault } from "../policy/judge.js";
import type { StudyView } from "./studyView.js";

const fault = faults<PlanSays>();

/**
 * Demands that no figure is of too few of these hospitals: of a group of sites, and of those that levels or conditions name.
 * Those whom this hospital has not pinned do not count: they may be the aggregator.
 * @throws ConsiliumError `code` for a group, POLICY_PER_HOSPITAL
 */
export function demandTogether(
  code: ErrorCode,
  { document: { study }, policy, isTrusted }: Pick<StudyView, "document" | "policy" | "isTrusted">,
  sites: readonly SiteId[],
): void {
  const trusted = sites.filter(isTrusted);
  const few = fewOfGroup(study, trusted);
  if (few !== null) throw fault(code, "plan.group-few", few);
  const refused = perHospitalFault(study, policy, toldApart(study, trusted));
  if (refused !== null) throw refused;
}
