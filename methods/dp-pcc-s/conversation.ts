import { type SumConversation, unscaledSum } from "@consilium/core/learning/sums";
import type { Split } from "@consilium/core/learning/trees/tree";
import { noiseStdDev } from "@consilium/core/study/soundSums";
import { askLeaves, broadcastOf, type Check } from "../shared/correlation-tree/askLeaves.js";
import { type CorrelationTree, correlationTree } from "../shared/correlation-tree/correlationTree.js";
import type { Importance } from "../shared/correlation-tree/importance.js";
import { splitWorths } from "../shared/correlation-tree/splitWorths.js";
import { askedAbove } from "../shared/correlation-tree/treeSoFar.js";
import type { LevelSplits } from "../shared/trees/levels.js";
import { answerUnit, type DpPccSLayout, type DpPccSStudy, dpPccSLayout } from "./study.js";

/**
 * dp-pcc-s, aggregator side: every node takes the attribute on which the blocks' answers are largest, at their mean
 * cut, then the leaves.
 * @throws RangeError when a sum is none that honest sites can send
 */
export async function dpPccSConversation(options: {
  readonly study: DpPccSStudy;
  readonly conversation: SumConversation;
  readonly check?: Check;
}): Promise<CorrelationTree> {
  const { study, conversation } = options;
  const check: Check = options.check ?? ((judge) => judge());
  const layout = dpPccSLayout(study);
  const { features, nodeLength } = layout;
  const levels: LevelSplits[] = [];
  let importance: Importance[] = [];
  for (const stage of layout.levels) {
    const sum = await conversation.sum(stage.id, broadcastOf(levels));
    const answers = check(() => unscaledSum(study, stage, sum)).map((answer) => answer / answerUnit);
    const stdDev = noiseStdDev(study, stage, conversation.survivors) / answerUnit;
    const least = study.parameters.guard * stdDev;
    const at = (node: number) => answers.subarray(node * nodeLength, (node + 1) * nodeLength);
    const blocks = conversation.survivors * study.parameters.blocks;
    if (levels.length === 0) importance = rootImportance(layout, at(0), blocks, stdDev);
    const above = [...levels];
    levels.push(
      Array.from({ length: stage.length / nodeLength }, (_, node) =>
        chooseSplit(layout, at(node), new Set(askedAbove(above, above.length, node)), least),
      ),
    );
  }
  const ended = await askLeaves({ study, layout, conversation, check, levels });
  const worths = splitWorths(levels, ended.counts, layout.classes);
  return correlationTree({ features, levels, worths, importance, ...ended });
}

/** What the blocks say of an attribute in a node: Σ|φ| and the cut on which they agree. */
function answerOf(
  layout: DpPccSLayout,
  answers: Float64Array,
  feature: number,
): { score: number; cut: number } {
  const { at, length } = layout.answers[feature]!;
  const own = answers.subarray(at, at + length);
  const { kind, bins } = layout.features[feature]!;
  if (kind === "nominal") {
    const score = Math.max(...own);
    return { score, cut: own.indexOf(score) };
  }
  const score = own[0]!;
  const rank = score > 0 ? own[1]! / score : 0.5;
  return { score, cut: Math.min(bins - 2, Math.max(0, Math.round(rank * (bins - 1)) - 1)) };
}

/** The attribute with the largest score that the path has not asked; of equal ones the first; none below `least`. */
function chooseSplit(
  layout: DpPccSLayout,
  answers: Float64Array,
  asked: ReadonlySet<number>,
  least: number,
): Split | null {
  let best: Split | null = null;
  let most = 0;
  for (let feature = 0; feature < layout.features.length; feature++) {
    if (asked.has(feature)) continue;
    const { score, cut } = answerOf(layout, answers, feature);
    if (score <= most || score < least) continue;
    most = score;
    best = { feature, cut };
  }
  return best;
}

/** The mean over all blocks of what they say of an attribute at the root. */
function rootImportance(
  layout: DpPccSLayout,
  answers: Float64Array,
  blocks: number,
  stdDev: number,
): Importance[] {
  return layout.features.map(({ name }, feature) => {
    const { score } = answerOf(layout, answers, feature);
    const within = (value: number) => Math.min(1, Math.max(0, value / blocks));
    const value = within(score);
    if (stdDev === 0) return { feature: name, value, low: null, high: null };
    return { feature: name, value, low: within(score - 1.96 * stdDev), high: within(score + 1.96 * stdDev) };
  });
}
