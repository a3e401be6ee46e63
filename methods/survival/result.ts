import type { SumConversation } from "@consilium/core/learning/sums";
import { unscaledSum } from "@consilium/core/learning/sums";
import { noiseStdDev } from "@consilium/core/study/soundSums";
import { atRiskStdDev, type GroupCounts, groupCounts } from "./counts.js";
import { type CurvePoint, survivalCurve } from "./curve.js";
import { type LogRank, logRankTest } from "./logRank.js";
import { type SurvivalStudy, survivalLayout } from "./study.js";

/** What a survival study comes to: all of it computed from one sum. */
export interface SurvivalResult {
  /** Of each group. */
  readonly counts: readonly GroupCounts[];
  readonly curves: readonly (readonly CurvePoint[])[];
  /** Null where there is nothing to compare, or the test could not be computed. */
  readonly logRank: LogRank | null;
  /** Of the noise in each count, and in a group's records. */
  readonly stdDev: number;
  readonly recordsStdDev: number;
}

/** @param check - wraps the reading of a sum that comes from outside */
export async function survivalConversation(options: {
  readonly study: SurvivalStudy;
  readonly conversation: Pick<SumConversation, "sum" | "survivors" | "part">;
  readonly check?: <T>(decode: () => T) => T;
}): Promise<SurvivalResult> {
  const { study, conversation, check = (decode) => decode() } = options;
  const { stage, edges } = survivalLayout(study);
  const intervals = edges.length - 1;
  const sum = await conversation.sum(stage.id, {});
  const counts = groupCounts(
    check(() => unscaledSum(study, stage, sum)),
    intervals,
  );
  const stdDev = noiseStdDev(study, stage, conversation.survivors);
  return {
    counts,
    curves: counts.map((one) => survivalCurve(one, edges, stdDev)),
    logRank: conversation.part("test", () => logRankTest(counts, stdDev)),
    stdDev,
    recordsStdDev: atRiskStdDev(stdDev, intervals, 0),
  };
}
