import { type HistBoostResult, histBoostConversation } from "../../../src/learning/histBoost/conversation.js";
import { histBoostVector } from "../../../src/learning/histBoost/siteVector.js";
import { simulateSums } from "../../../src/learning/sums.js";
import type { NumericKernels } from "../../../src/linalg/kernels.js";
import type { RandomSource } from "../../../src/random.js";
import type { ColumnBlock } from "../../../src/study/design.js";
import { type HistBoostStudy, planHistBoost } from "../../../src/study/histBoost.js";
import { onRosterOfAll } from "../rosterOfAll.js";

/**
 * DP-HistBoost with all sites in one process, as `simulateSums`: on the roster of all, unless the study has one. For tests and benches.
 * @param tables - per site, its blocks of rows
 */
export function simulateHistBoost(options: {
  readonly study: HistBoostStudy;
  readonly tables: readonly (readonly ColumnBlock[])[];
  readonly kernels: NumericKernels;
  readonly random: RandomSource;
}): Promise<HistBoostResult> {
  const study = onRosterOfAll(options.study, options.tables);
  return simulateSums({
    ...options,
    plan: planHistBoost(study),
    vector: (stage, input) => histBoostVector(study, stage, input),
    run: (conversation) => histBoostConversation({ study, conversation }),
  });
}
