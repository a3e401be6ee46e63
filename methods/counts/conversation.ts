import { type SumConversation, unscaledSum } from "@consilium/core/learning/sums";
import { noiseStdDev } from "@consilium/core/study/soundSums";
import { countEstimate } from "../shared/counts/noisyCount.js";
import type { Estimate } from "../shared/evaluation/estimate.js";
import { type CountsStudy, countsLayout } from "./study.js";

export interface CountsResult {
  readonly noiseStdDev: number;
  readonly conditions: readonly ConditionCounts[];
}

export interface ConditionCounts {
  /** By group of sites as summed, noise included. */
  readonly noisy: readonly number[];
  /** At all sites. */
  readonly all: Estimate;
  /** By group of sites; of one group the same as `all`. */
  readonly groups: readonly Estimate[];
}

/**
 * Counts of conditions, aggregator side, over whatever adds the sites' vectors.
 * @param check - runs what judges a sum, and may turn its RangeError into an error of its own
 * @throws RangeError when a sum is none that honest sites can send
 */
export async function countsConversation(options: {
  readonly study: CountsStudy;
  readonly conversation: Pick<SumConversation, "sum" | "survivors">;
  readonly check?: (judge: () => Float64Array) => Float64Array;
}): Promise<CountsResult> {
  const { study, conversation } = options;
  const check = options.check ?? ((judge) => judge());
  const { groups, stage } = countsLayout(study);
  const total = await conversation.sum(stage.id, {});
  const sums = check(() => unscaledSum(study, stage, total));
  const stdDev = noiseStdDev(study, stage, conversation.survivors);
  const conditions = study.parameters.conditions.map((_, i): ConditionCounts => {
    const noisy = [...sums.subarray(i * groups, (i + 1) * groups)];
    const inAll = noisy.reduce((sum, count) => sum + count, 0);
    return {
      noisy,
      all: countEstimate(inAll, stdDev * Math.sqrt(groups)),
      groups: noisy.map((count) => countEstimate(count, stdDev)),
    };
  });
  return { noiseStdDev: stdDev, conditions };
}
