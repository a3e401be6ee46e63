import type { NumericKernels } from "../../linalg/kernels.js";
import type { RandomSource } from "../../random.js";
import { type AdditiveStudy, planAdditive } from "../../study/additive.js";
import type { ColumnBlock } from "../../study/design.js";
import { studyOnRoster } from "../../study/onRoster.js";
import { simulateSums } from "../sums.js";
import { type AdditiveResult, additiveConversation } from "./conversation.js";
import { additiveVector } from "./siteVector.js";

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
  const study = studyOnRoster(options.study, options.tables.length);
  return simulateSums({
    ...options,
    plan: planAdditive(study),
    vector: (stage, input) => additiveVector(study, stage, input),
    run: (conversation) => additiveConversation({ study, conversation }),
  });
}
