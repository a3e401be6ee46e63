import { type SumConversation, unscaledSum } from "@consilium/core/learning/sums";
import type { Split } from "@consilium/core/learning/trees/tree";
import { sumOf } from "@consilium/core/linalg/phi";
import { noiseStdDev } from "@consilium/core/study/soundSums";
import { askLeaves, broadcastOf, type Check } from "../shared/correlation-tree/askLeaves.js";
import { bestCut, type Cut } from "../shared/correlation-tree/bestCut.js";
import {
  type CorrelationTree,
  correlationTree,
  type Worth,
} from "../shared/correlation-tree/correlationTree.js";
import { type Importance, importanceOf } from "../shared/correlation-tree/importance.js";
import { askedAbove } from "../shared/correlation-tree/treeSoFar.js";
import { binsOf } from "../shared/trees/histograms.js";
import type { LevelSplits } from "../shared/trees/levels.js";
import { type DpPccLayout, type DpPccLevel, type DpPccStudy, dpPccLayout, guardRows } from "./study.js";

/**
 * dp-pcc, aggregator side: from each level's noisy counts the cut with the largest |φ| of every node, then the
 * leaves.
 * @throws RangeError when a sum is none that honest sites can send
 */
export async function dpPccConversation(options: {
  readonly study: DpPccStudy;
  readonly conversation: SumConversation;
  readonly check?: Check;
}): Promise<CorrelationTree> {
  const { study, conversation } = options;
  const check = options.check ?? ((judge) => judge());
  const layout = dpPccLayout(study);
  const levels: LevelSplits[] = [];
  const worths: Worth[][] = [];
  let importance: Importance[] = [];
  for (const level of layout.levels) {
    const told = broadcastOf(levels);
    const sum = await conversation.sum(level.stage.id, told);
    const counts = check(() => unscaledSum(study, level.stage, sum));
    const sites = conversation.survivors;
    const cuts = level.histogram.nodeFeatures.map((_, node) =>
      cutsOf({ study, layout, level, counts, node, levels, sites }),
    );
    if (levels.length === 0) importance = rootImportance(study, layout, cuts[0]!, sites);
    const found = cuts.map(bestOf);
    worths.push(found.map((one) => one?.worth ?? { gain: 0, cover: 0 }));
    levels.push(found.map((one) => one?.split ?? null));
  }
  const ended = await askLeaves({ study, layout, conversation, check, levels });
  return correlationTree({ features: layout.features, levels, worths, importance, ...ended });
}

/** [features] a node's best cut of each attribute; null for those that its path has asked. */
function cutsOf(options: {
  readonly study: DpPccStudy;
  readonly layout: DpPccLayout;
  readonly level: DpPccLevel;
  readonly counts: Float64Array;
  readonly node: number;
  /** Of the levels above. */
  readonly levels: readonly LevelSplits[];
  readonly sites: number;
}): (Cut | null)[] {
  const { study, layout, level, counts, node, levels, sites } = options;
  const asked = new Set(askedAbove(levels, levels.length, node));
  return layout.features.map(({ kind, bins }, feature) => {
    if (asked.has(feature)) return null;
    const least = guardRows(study, level, bins, sites);
    return bestCut(binsOf(counts, level.histogram, node, feature), kind, layout.classes, least);
  });
}

/** The best cut over all attributes; of equal ones the first. */
function bestOf(cuts: readonly (Cut | null)[]): { readonly split: Split; readonly worth: Worth } | null {
  let best: { readonly split: Split; readonly worth: Worth } | null = null;
  for (const [feature, cut] of cuts.entries()) {
    if (cut === null || cut.correlation <= (best?.worth.gain ?? 0)) continue;
    best = {
      split: { feature, cut: cut.cut },
      worth: { gain: cut.correlation, cover: sumOf(cut.left) + sumOf(cut.right) },
    };
  }
  return best;
}

/** |φ| of every attribute's best cut of all rows. */
function rootImportance(
  study: DpPccStudy,
  layout: DpPccLayout,
  cuts: readonly (Cut | null)[],
  sites: number,
): Importance[] {
  const stdDev = noiseStdDev(study, layout.levels[0]!.stage, sites);
  return layout.features.map((feature, f) => importanceOf(feature, cuts[f]!, stdDev));
}
