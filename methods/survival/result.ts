import type { SumConversation } from "@consilium/core/learning/sums";
import { unscaledSum } from "@consilium/core/learning/sums";
import { noiseStdDev } from "@consilium/core/study/soundSums";
import { atRiskNoise, type GroupCounts, groupCounts, validCounts } from "./counts.js";
import { type CurvePoint, curvePoints } from "./curve.js";
import { type LogRank, logRankSteps, type Untested } from "./logRank.js";
import { type SurvivalStudy, survivalLayout } from "./study.js";

/** Result of a survival study: all of it computed from one sum. */
export interface SurvivalResult {
  /** Counts of each group, as the noise has them; without noise whole numbers. */
  readonly counts: readonly GroupCounts[];
  readonly curves: readonly (readonly CurvePoint[])[];
  /** Null where there is nothing to compare, or the test could not be computed. */
  readonly logRank: LogRank | null;
  /** Why there is nothing to compare; null where there is, of one group, and where the test could not be computed. */
  readonly untested: Untested | null;
  /** Standard deviation of the noise in each number of the sum, in its own integers. */
  readonly stdDev: number;
  /** Standard deviation of the noise in a group's number of records. */
  readonly recordsStdDev: number;
}

/** @param check - wraps the reading of a sum that comes from outside */
export async function survivalConversation(options: {
  readonly study: SurvivalStudy;
  readonly conversation: Pick<SumConversation, "sum" | "survivors" | "part" | "pause">;
  readonly check?: <T>(decode: () => T) => T;
}): Promise<SurvivalResult> {
  const { study, conversation, check = (decode) => decode() } = options;
  const { stage, edges, root, causes, groups } = survivalLayout(study);
  const sums = await conversation.sum(stage.id, {});
  const values = check(() => unscaledSum(study, stage, sums));
  const size = (1 + causes.length) * root.run;
  const counts = groups.map((_, g) => groupCounts(values.subarray(g * size, (g + 1) * size), root));
  const stdDev = noiseStdDev(study, stage, conversation.survivors);
  const curves: CurvePoint[][] = [];
  for (const one of counts) {
    const points: CurvePoint[] = [];
    for (const point of curvePoints(validCounts(one), root, edges, stdDev)) {
      if (points.push(point) % pointsAtOnce === 0) await conversation.pause?.();
    }
    curves.push(points);
    await conversation.pause?.();
  }
  const steps = logRankSteps(counts, root, stdDev);
  let step = conversation.part("test", () => steps.next());
  while (step !== null && step.done !== true) {
    await conversation.pause?.();
    step = conversation.part("test", () => steps.next());
  }
  const tested = step === null ? null : step.value;
  return {
    counts,
    curves,
    logRank: typeof tested === "string" ? null : tested,
    untested: typeof tested === "string" ? tested : null,
    stdDev,
    recordsStdDev: stdDev * atRiskNoise(root, 1 + causes.length)[0]!,
  };
}

/** Some tens of milliseconds at the most intervals and causes. */
const pointsAtOnce = 25;
