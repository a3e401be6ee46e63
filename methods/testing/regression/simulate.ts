import { simulateSums } from "@consilium/core/learning/sums";
import type { NumericKernels } from "@consilium/core/linalg/kernels";
import type { RandomSource } from "@consilium/core/random";
import type { ColumnBlock } from "@consilium/core/study/design";
import { type RegressionResult, regressionConversation } from "../../regression/conversation.js";
import { planRegression, type RegressionStudy } from "../../regression/study.js";
import { onRosterOfAll } from "../rosterOfAll.js";
import { regressionVector } from "../vectors.js";

/**
 * A regression with all sites in one process, as `simulateSums`. For tests and benches.
 * @param tables - per site, its blocks of rows
 */
export function simulateRegression(options: {
  readonly study: RegressionStudy;
  readonly tables: readonly (readonly ColumnBlock[])[];
  readonly kernels: NumericKernels;
  readonly random: RandomSource;
}): Promise<RegressionResult> {
  const study = onRosterOfAll(options.study, options.tables);
  return simulateSums({
    ...options,
    plan: planRegression(study),
    vector: (stage, input) => regressionVector(study, stage, input),
    run: (conversation) => regressionConversation({ study, conversation }),
  });
}
