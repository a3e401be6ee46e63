import { simulateSums } from "@consilium/core/learning/sums";
import type { NumericKernels } from "@consilium/core/linalg/kernels";
import type { RandomSource } from "@consilium/core/random";
import type { ColumnBlock } from "@consilium/core/study/design";
import { type HistBoostResult, histBoostConversation } from "../../dp-histboost/conversation.js";
import { type HistBoostStudy, planHistBoost } from "../../dp-histboost/study.js";
import { onRosterOfAll } from "../rosterOfAll.js";
import { histBoostVector } from "../vectors.js";

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
