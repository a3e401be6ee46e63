import { simulateSums, unscaledSum } from "../../../src/learning/sums.js";
import { noisySecondOrderVector, wholeTable } from "../../../src/learning/trees/secondOrderContributor.js";
import type { SecondOrderSums } from "../../../src/learning/trees/secondOrderConversation.js";
import { secondOrderVector } from "../../../src/learning/trees/secondOrderVector.js";
import type { NumericKernels } from "../../../src/linalg/kernels.js";
import type { RandomSource } from "../../../src/random.js";
import type { ColumnBlock } from "../../../src/study/design.js";
import { studyOnRoster } from "../../../src/study/onRoster.js";
import {
  boostingStages,
  type SecondOrderSettings,
  secondOrderStages,
} from "../../../src/study/secondOrder.js";
import { noiseStdDev, planSoundSums } from "../../../src/study/soundSums.js";
import type { Study } from "../../../src/study/study.js";

/**
 * Boosting by itself with all sites in one process, on the whole of a study's budget: for tests, audits and benches.
 * @param study - with `privacy: none` for exact sums
 * @param tables - per site, its blocks of rows
 * @param run - the aggregator's side: `secondOrderConversation`, or tree by tree
 */
export function simulateSecondOrder<R>(options: {
  readonly study: Study;
  readonly settings: SecondOrderSettings;
  readonly tables: readonly (readonly ColumnBlock[])[];
  readonly kernels: NumericKernels;
  readonly random: RandomSource;
  readonly run: (sums: SecondOrderSums) => Promise<R>;
}): Promise<R> {
  const study = studyOnRoster(options.study, options.tables.length);
  const { settings, tables, kernels, random, run } = options;
  const stages = settings.sums === "exact" ? boostingStages(settings) : secondOrderStages(settings, 1);
  const plan = planSoundSums(study, () => ({
    stages,
    proof: "docs/METHODS.md#second-order-boosting-proof",
    warnings: [],
  }));
  return simulateSums({
    plan,
    tables,
    kernels,
    random,
    vector(id, input) {
      const { site, broadcasts, blocks } = input;
      const stage = stages.find((one) => one.id === id)!;
      if (settings.sums === "noisy" && stage.kind === "level")
        return noisySecondOrderVector({ study, settings, stage, broadcasts, training: wholeTable, input });
      return secondOrderVector({ study, settings, stage, site, broadcasts, blocks, kernels });
    },
    run: (conversation) =>
      run({
        settings,
        stages,
        sum: async (stage, broadcast) =>
          unscaledSum(study, stage, await conversation.sum(stage.id, broadcast)),
        stdDev: (stage) => noiseStdDev(study, stage, conversation.survivors),
      }),
  });
}
