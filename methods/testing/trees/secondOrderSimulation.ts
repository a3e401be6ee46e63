import { simulateSums, unscaledSum } from "@consilium/core/learning/sums";
import type { NumericKernels } from "@consilium/core/linalg/kernels";
import type { RandomSource } from "@consilium/core/random";
import type { ColumnBlock } from "@consilium/core/study/design";
import { studyOnRoster } from "@consilium/core/study/onRoster";
import { noiseStdDev, planSoundSums } from "@consilium/core/study/soundSums";
import {
  boostingStages,
  type SecondOrderSettings,
  secondOrderStages,
} from "../../shared/trees/secondOrder.js";
import { wholeTable } from "../../shared/trees/secondOrderContributor.js";
import type { SecondOrderSums } from "../../shared/trees/secondOrderConversation.js";
import { secondOrderVector } from "../../shared/trees/secondOrderVector.js";
import type { Study } from "../studies.js";
import { noisySecondOrderVector } from "../vectors.js";

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
