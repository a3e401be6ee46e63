import { simulateSums } from "@consilium/core/learning/sums";
import type { NumericKernels } from "@consilium/core/linalg/kernels";
import type { RandomSource } from "@consilium/core/random";
import type { ColumnBlock } from "@consilium/core/study/design";
import { type AdditiveResult, additiveConversation } from "../../dp-additive/conversation.js";
import { type AdditiveStudy, planAdditive } from "../../dp-additive/study.js";
import { onRosterOfAll } from "../rosterOfAll.js";
import { additiveVector } from "../vectors.js";

/**
 * Additive boosting with all sites in one process, as `simulateSums`. For tests and benches.
 * @param tables - per site, its blocks of rows
 */
export function simulateAdditive(options: {
  readonly study: AdditiveStudy;
  readonly tables: readonly (readonly ColumnBlock[])[];
  readonly kernels: NumericKernels;
  readonly random: RandomSource;
}): Promise<AdditiveResult> {
  const study = onRosterOfAll(options.study, options.tables);
  return simulateSums({
    ...options,
    plan: planAdditive(study),
    vector: (stage, input) => additiveVector(study, stage, input),
    run: (conversation) => additiveConversation({ study, conversation }),
  });
}
