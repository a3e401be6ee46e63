import type { SiteId } from "@consilium/core/ids";
import type { Roster } from "@consilium/core/secure-sum/roster";
import type { Plan, StagePlan } from "@consilium/core/study/plan";
import type { StudyDocument } from "@consilium/core/study/study";
import type { SiteStudy } from "./records.js";

/** A study that this site is in, with everything it has read and verified for itself. */
export interface StudyView {
  readonly record: SiteStudy;
  readonly document: StudyDocument;
  readonly plan: Plan;
  readonly roster: Roster;
  readonly self: SiteId;
  /** Sites of the roster that this hospital has not pinned; they count as colluding. */
  readonly distrusted: number;
  /** Whether this hospital has pinned a site of the roster, or pins none. */
  readonly isTrusted: (site: SiteId) => boolean;
}

/** A stage of the plan that sums vectors, and the one after it. */
export type SumStagePlan = Extract<StagePlan, { kind: "sum" }>;

export function sumStages(plan: Plan): SumStagePlan[] {
  return plan.stages.filter((stage) => stage.kind === "sum");
}

/** The next stage of the plan that sums vectors: its keys travel with this one's vector. */
export function sumStageAfter(plan: Plan, stage: SumStagePlan): SumStagePlan | null {
  const stages = sumStages(plan);
  return stages[stages.findIndex((one) => one.id === stage.id) + 1] ?? null;
}
