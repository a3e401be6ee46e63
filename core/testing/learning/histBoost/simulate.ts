import { type HistBoostResult, histBoostConversation } from "../../../src/learning/histBoost/conversation.js";
import { histBoostVector } from "../../../src/learning/histBoost/siteVector.js";
import { simulateSums } from "../../../src/learning/sums.js";
import type { NumericKernels } from "../../../src/linalg/kernels.js";
import type { RandomSource } from "../../../src/random.js";
import type { ColumnBlock } from "../../../src/study/design.js";
import { type HistBoostStudy, planHistBoost } from "../../../src/study/histBoost.js";
import { studyOnRoster } from "../../../src/study/onRoster.js";

/**
 * DP-HistBoost with all sites in one process, as `simulateSums`. For tests and benches.
 * @param tables - per site, its blocks of rows
 */
export function simulateHistBoost(options: {
  readonly study: HistBoostStudy;
  readonly tables: readonly (readonly ColumnBlock[])[];
  readonly kernels: NumericKernels;
  readonly random: RandomSource;
}): Promise<HistBoostResult> {
  const study = studyOnRoster(options.study, options.tables.length);
  return simulateSums({
    ...options,
    plan: planHistBoost(study),
    vector: (stage, input) => histBoostVector(study, stage, input),
    run: (conversation) => histBoostConversation({ study, conversation }),
  });
}
