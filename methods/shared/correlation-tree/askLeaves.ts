import { type SumConversation, unscaledSum } from "@consilium/core/learning/sums";
import type { Broadcast } from "@consilium/core/study/broadcast";
import { evaluationForm } from "@consilium/core/study/evaluation";
import { noiseStdDev, type SoundStage } from "@consilium/core/study/soundSums";
import { evaluationResult } from "../evaluation/evaluationResult.js";
import { cutsBroadcast } from "../evaluation/scoreScale.js";
import { encodeSplits, type LevelSplits } from "../trees/levels.js";
import { type correlationTree, ensembleOfLeaves, noisyLeafValues } from "./correlationTree.js";
import { splitsName, type TreeStudy, valuesName } from "./treeStudy.js";

/** Runs what judges a sum, and may turn its RangeError into an error of its own. */
export type Check = <T>(judge: () => T) => T;

/** What is told before the next level, or the leaves. */
export function broadcastOf(levels: readonly LevelSplits[]): Broadcast {
  const last = levels.at(-1);
  return last === undefined ? {} : { [splitsName]: encodeSplits(last) };
}

/** The last stages of both sound methods: the leaves, and how well the tree predicts. */
export async function askLeaves(options: {
  readonly study: TreeStudy;
  readonly layout: LastStages;
  readonly conversation: SumConversation;
  readonly check: Check;
  readonly levels: readonly LevelSplits[];
}): Promise<Pick<Parameters<typeof correlationTree>[0], "counts" | "values" | "evaluation">> {
  const { study, conversation, check, levels } = options;
  const { classes, leaves, evaluation } = options.layout;
  const ask = async (stage: SoundStage, broadcast: Broadcast) => {
    const sum = await conversation.sum(stage.id, broadcast);
    const counts = check(() => unscaledSum(study, stage, sum));
    return { counts, stdDev: noiseStdDev(study, stage, conversation.survivors) };
  };
  const { counts, stdDev } = await ask(leaves, broadcastOf(levels));
  const values = noisyLeafValues(counts, classes, stdDev);
  if (evaluation === null) return { counts, values, evaluation: null };
  const form = evaluationForm(classes);
  const ensemble = ensembleOfLeaves({ levels, counts, values });
  const held = await ask(evaluation, { [valuesName]: values, ...cutsBroadcast(form, ensemble) });
  const measured = conversation.part("evaluation", () =>
    evaluationResult(form, held.counts, held.stdDev, ensemble),
  );
  return { counts, values, evaluation: measured };
}

/** How a noisy tree ends. */
export interface LastStages {
  /** L. */
  readonly classes: number;
  readonly leaves: SoundStage;
  readonly evaluation: SoundStage | null;
}
