import { type SumConversation, unscaledSum } from "@consilium/core/learning/sums";
import type { Broadcast } from "@consilium/core/study/broadcast";
import { evaluationForm } from "@consilium/core/study/evaluation";
import { noiseStdDev, type SoundStage } from "@consilium/core/study/soundSums";
import { type EvaluationResult, evaluationResult } from "../shared/evaluation/evaluationResult.js";
import { cutsBroadcast } from "../shared/evaluation/scoreScale.js";
import { encodeSplits } from "../shared/trees/levels.js";
import { ensembleOf } from "./ensemble.js";
import { leavesOf, nextReached, type TreeLeaves } from "./leaves.js";
import { type ChosenSplit, chooseSplits, rootWeight } from "./splits.js";
import {
  classes,
  guardWeight,
  type HistBoostStage,
  type HistBoostStudy,
  histBoostLayout,
  histBoostNames,
  weightUnits,
} from "./study.js";

/** What DP-HistBoost comes to: all of it computed from noisy sums. */
export interface HistBoostResult {
  readonly trees: readonly BoostedTree[];
  /** On the held-out rows; null where the study asks for none. */
  readonly evaluation: EvaluationResult | null;
}

/** A tree as it grew. */
export interface BoostedTree extends TreeLeaves {
  /** Per level and node, before pruning. */
  readonly chosen: readonly (readonly (ChosenSplit | null)[])[];
  /** Standard deviation of the noise in one entry, in units of weight: of each level, and of the leaves. */
  readonly levelStdDevs: readonly number[];
  readonly leafStdDev: number;
}

/**
 * DP-HistBoost, aggregator side, over whatever adds the sites' vectors: tree by tree, level by level, the
 * noisy histogram and its best splits; then the noisy leaves.
 * @param check - runs what judges a sum, and may turn its RangeError into an error of its own
 * @throws RangeError when a sum is none that honest sites can send
 */
export async function histBoostConversation(options: {
  readonly study: HistBoostStudy;
  readonly conversation: Pick<SumConversation, "sum" | "survivors" | "part">;
  readonly check?: (judge: () => Float64Array) => Float64Array;
}): Promise<HistBoostResult> {
  const { study, conversation } = options;
  const check = options.check ?? ((judge) => judge());
  const { stages, evaluation } = histBoostLayout(study);
  const { trees, depth } = study.parameters;
  const grown: BoostedTree[] = [];
  /** @returns the sum in the stage's integers, and the standard deviation of one entry in them */
  const ask = async (stage: SoundStage, broadcast: Broadcast) => {
    const total = await conversation.sum(stage.id, broadcast);
    const sums = check(() => unscaledSum(study, stage, total));
    return { sums, stdDev: noiseStdDev(study, stage, conversation.survivors) };
  };
  for (let tree = 0; tree < trees; tree++) {
    const [levelStages, leafStage] = stagesOfTree(stages, tree, depth);
    const chosen: (ChosenSplit | null)[][] = [];
    const levelStdDevs: number[] = [];
    let isReached: readonly boolean[] = [true];
    let weight = 0;
    for (const stage of levelStages) {
      const { sums, stdDev } = await ask(stage, broadcastBefore(grown, chosen));
      const layout = stage.histogram!;
      if (stage.level === 0) weight = rootWeight(layout, sums);
      const least = guardWeight(study, stdDev, weight);
      const splits = chooseSplits({ layout, sums, stdDev, least, isReached });
      chosen.push(splits);
      levelStdDevs.push(stdDev / weightUnits);
      isReached = nextReached(isReached, splits);
    }
    const { sums, stdDev } = await ask(leafStage, broadcastBefore(grown, chosen));
    const leafStdDev = stdDev / weightUnits;
    const leaves = leavesOf({ study, levels: chosen, sums, stdDev: leafStdDev });
    grown.push({ ...leaves, chosen, levelStdDevs, leafStdDev });
  }
  if (evaluation === null) return { trees: grown, evaluation: null };
  const form = evaluationForm(classes);
  const ensemble = ensembleOf(grown);
  const about = { ...broadcastBefore(grown, []), ...cutsBroadcast(form, ensemble) };
  const { sums, stdDev } = await ask(evaluation, about);
  const measured = conversation.part("evaluation", () => evaluationResult(form, sums, stdDev, ensemble));
  return { trees: grown, evaluation: measured };
}

function stagesOfTree(
  stages: readonly HistBoostStage[],
  tree: number,
  depth: number,
): [levels: readonly HistBoostStage[], leaves: HistBoostStage] {
  const first = tree * (depth + 1);
  return [stages.slice(first, first + depth), stages[first + depth]!];
}

/** What the sites do not know yet when a stage begins. */
function broadcastBefore(
  grown: readonly BoostedTree[],
  chosen: readonly (readonly (ChosenSplit | null)[])[],
): Broadcast {
  const level = chosen.at(-1);
  if (level !== undefined) return { [histBoostNames.splits]: encodeSplits(level) };
  const before = grown.at(-1);
  return before === undefined ? {} : { [histBoostNames.leaves]: before.leaves };
}
