import type { NumericKernels } from "../../linalg/kernels.js";
import type { RandomSource } from "../../random.js";
import type { ColumnBlock } from "../../study/design.js";
import { type HistBoostStudy, planHistBoost } from "../../study/histBoost.js";
import { studyOnRoster } from "../../study/onRoster.js";
import { simulateSums } from "../sums.js";
import { type HistBoostResult, histBoostConversation } from "./conversation.js";
import { histBoostVector } from "./siteVector.js";

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
