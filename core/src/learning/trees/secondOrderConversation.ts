import type { Broadcast } from "../../study/broadcast.js";
import {
  channels,
  leavesName,
  type SecondOrderSettings,
  type SecondOrderStage,
  splitsName,
} from "../../study/secondOrder.js";
import { binsOf, fullLayout } from "./histograms.js";
import { encodeSplits, type LevelSplits, treeOfLevels } from "./levels.js";
import { baseMargin } from "./secondOrderRecords.js";
import {
  type Derivatives,
  exactChoice,
  leafValue,
  type NodeChoice,
  noisyChoice,
} from "./secondOrderSplits.js";
import { openNodes } from "./secondOrderVector.js";
import type { Tree, TreeEnsemble } from "./tree.js";

/** How the aggregator's program asks for sums. */
export interface SecondOrderSums {
  readonly settings: SecondOrderSettings;
  /** As `secondOrderStages` gives them. */
  readonly stages: readonly SecondOrderStage[];
  /** Broadcasts, and returns the sum over all sites in the method's integers, units of 2^-k. */
  sum(stage: SecondOrderStage, broadcast: Broadcast): Promise<Float64Array>;
  /** Standard deviation of the noise in one entry of the last sum, in the same integers; 0 without noise. */
  stdDev(stage: SecondOrderStage): number;
}

/** A tree with what its successor's first stage is told. */
export interface GrownTree {
  /** As they were broadcast, root first. */
  readonly levels: readonly LevelSplits[];
  /** [2^d] of the ends of the last level; ends below a leaf all hold the leaf's value. */
  readonly leaves: Float64Array;
  /** After pruning. Gains as XGBoost's, covers are sums of hessians, leaf values include η. */
  readonly tree: Tree;
}

/** Boosted trees, and what a stage after them is told of the last one. */
export interface BoostedTrees {
  /** Log-odds of the positive class. */
  readonly ensemble: TreeEnsemble;
  /** `wholeTreeBroadcasts`. */
  readonly lastTree: Broadcast;
}

/**
 * Boosting from the aggregator's seat, over whatever adds the sites' vectors.
 * @returns the ensemble of log-odds of the positive class
 */
export async function secondOrderConversation(sums: SecondOrderSums): Promise<TreeEnsemble> {
  return (await boostedTrees(sums)).ensemble;
}

/** The same, with what a stage after the trees is told. */
export async function boostedTrees(sums: SecondOrderSums): Promise<BoostedTrees> {
  const trees: Tree[] = [];
  let before: GrownTree | null = null;
  for (let tree = 0; tree < sums.settings.trees; tree++) {
    before = await growTree(sums, tree, before);
    trees.push(before.tree);
  }
  const ensemble: TreeEnsemble = { trees, base: [baseMargin(sums.settings)], link: "logistic" };
  return { ensemble, lastTree: broadcastOf([], before) };
}

/**
 * One tree, level by level.
 * @param index - which, from 0
 * @param before - the tree before it; null for the first
 */
export async function growTree(
  sums: SecondOrderSums,
  index: number,
  before: GrownTree | null,
): Promise<GrownTree> {
  const { settings, stages } = sums;
  const levels: LevelSplits[] = [];
  const choices: (NodeChoice | null)[][] = [];
  for (let level = 0; level < settings.depth; level++) {
    const stage = stages.find((one) => one.tree === index && one.level === level)!;
    const histogram = await sums.sum(stage, broadcastOf(levels, before));
    const chosen = choicesOf(settings, stage, histogram, openNodes(levels), sums.stdDev(stage));
    choices.push(chosen);
    levels.push(chosen.map((choice) => choice?.best?.split ?? null));
  }
  return finished(settings, levels, choices);
}

function broadcastOf(levels: readonly LevelSplits[], before: GrownTree | null): Broadcast {
  const last = levels.at(-1);
  if (last !== undefined) return { [splitsName]: encodeSplits(last) };
  if (before === null) return {};
  return { [splitsName]: encodeSplits(before.levels.at(-1)!), [leavesName]: before.leaves };
}

function choicesOf(
  settings: SecondOrderSettings,
  stage: SecondOrderStage,
  histogram: Float64Array,
  open: readonly boolean[],
  stdDev: number,
): (NodeChoice | null)[] {
  const layout = fullLayout(settings.features, 2 ** stage.level, channels);
  const unit = 2 ** -settings.gridExponent;
  return open.map((isOpen, node) => {
    if (!isOpen) return null;
    const bins = settings.features.map((_, f) =>
      binsOf(histogram, layout, node, f).map((value) => value * unit),
    );
    return settings.sums === "exact"
      ? exactChoice(settings, bins)
      : noisyChoice(settings, bins, stdDev * unit);
  });
}

/** Prunes a tree and gives its leaves their values. */
function finished(
  settings: SecondOrderSettings,
  levels: readonly LevelSplits[],
  choices: readonly (readonly (NodeChoice | null)[])[],
): GrownTree {
  const { depth } = settings;
  const leaves = new Float64Array(2 ** depth);
  const covers = new Float64Array(2 ** depth);
  const pruned = levels.map((splits) => [...splits]);
  const end = (level: number, node: number, sums: Derivatives): true => {
    const [from, to] = [node << (depth - level), (node + 1) << (depth - level)];
    leaves.fill(leafValue(settings, sums), from, to);
    covers.fill(sums.h, from, to);
    return true;
  };
  /** Gives a node's rows their leaves. Returns whether it is a leaf itself: as XGBoost prunes, from below. */
  const settle = (level: number, node: number, sums: Derivatives): boolean => {
    const choice = choices[level]?.[node];
    if (choice === undefined || choice === null) return end(level, node, sums);
    if (choice.best === null) return end(level, node, choice.total);
    const left = settle(level + 1, 2 * node, choice.best.left);
    const right = settle(level + 1, 2 * node + 1, choice.best.right);
    if (!left || !right || choice.best.gain >= settings.gamma) return false;
    pruned[level]![node] = null;
    return end(level, node, choice.total);
  };
  settle(0, 0, { g: 0, h: 0 });
  const tree = treeOfLevels(
    pruned,
    (level, node) => {
      const { best, total } = choices[level]![node]!;
      return { gain: best!.gain, cover: total.h };
    },
    (node) => ({ values: [leaves[node]!], cover: covers[node]! }),
  );
  return { levels, leaves, tree };
}

/** What a feature was worth to trees. */
export interface SplitImportance {
  /** Splits on the feature. */
  readonly splits: number;
  readonly totalGain: number;
  /** Per split: what XGBoost calls `gain`; 0 for a feature without splits. */
  readonly averageGain: number;
  /** Per tree: the mean that the paper's words describe. */
  readonly gainPerTree: number;
}

/** Per feature. @param features - how many there are */
export function splitImportances(trees: readonly Tree[], features: number): SplitImportance[] {
  const gains = Array.from({ length: features }, () => ({ splits: 0, total: 0 }));
  for (const { nodes } of trees) {
    for (const node of nodes) {
      if (node.kind !== "split") continue;
      const own = gains[node.feature]!;
      own.splits++;
      own.total += node.gain;
    }
  }
  return gains.map(({ splits, total }) => ({
    splits,
    totalGain: total,
    averageGain: splits === 0 ? 0 : total / splits,
    gainPerTree: trees.length === 0 ? 0 : total / trees.length,
  }));
}
