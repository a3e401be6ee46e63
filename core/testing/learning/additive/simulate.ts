import { type AdditiveResult, additiveConversation } from "../../../src/learning/additive/conversation.js";
import { additiveVector } from "../../../src/learning/additive/siteVector.js";
import { simulateSums } from "../../../src/learning/sums.js";
import type { NumericKernels } from "../../../src/linalg/kernels.js";
import type { RandomSource } from "../../../src/random.js";
import { type AdditiveStudy, planAdditive } from "../../../src/study/additive.js";
import type { ColumnBlock } from "../../../src/study/design.js";
import { onRosterOfAll } from "../rosterOfAll.js";

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
