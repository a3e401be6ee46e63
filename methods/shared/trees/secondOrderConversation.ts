import type { Tree, TreeEnsemble } from "@consilium/core/learning/trees/tree";
import type { Broadcast } from "@consilium/core/study/broadcast";
import { binsOf } from "./histograms.js";
import { encodeSplits, type LevelSplits, treeOfLevels } from "./levels.js";
import {
  type BoostingStage,
  cutsStageId,
  leavesName,
  type SecondOrderSettings,
  type SecondOrderStage,
  splitsName,
  treeCutsName,
} from "./secondOrder.js";
import { baseMargin } from "./secondOrderRecords.js";
import { type Derivatives, leafValue, type NodeChoice, nodeChoice } from "./secondOrderSplits.js";
import { openNodes } from "./secondOrderVector.js";
import { boostingLayout, encodedCuts, type TreeGrid, treeGrid } from "./treeGrid.js";

/** How the aggregator's program asks for sums. */
export interface SecondOrderSums {
  readonly settings: SecondOrderSettings;
  /** As `secondOrderStages` or `boostingStages` gives them. */
  readonly stages: readonly BoostingStage[];
  /** Broadcasts, and returns the sum over all sites in the method's integers, units of 2^-k. */
  sum(stage: BoostingStage, broadcast: Broadcast): Promise<Float64Array>;
  /** Standard deviation of the noise in one entry of the last sum, in the same integers; 0 without noise. */
  stdDev(stage: BoostingStage): number;
}

/** The stage of a tree's level. */
export function levelStage(stages: readonly BoostingStage[], tree: number, level: number): SecondOrderStage {
  return stages.find(
    (one): one is SecondOrderStage => one.kind === "level" && one.tree === tree && one.level === level,
  )!;
}

/** A tree with what its successor's first stage is told. */
export interface GrownTree {
  /** As they were broadcast, root first. */
  readonly levels: readonly LevelSplits[];
  /** [2^d] of the ends of the last level; ends below a leaf all hold the leaf's value. */
  readonly leaves: Float64Array;
  /** What the tree's cuts were broadcast as; null where none were chosen. */
  readonly cuts: Float64Array | null;
  /** After pruning. Gains as XGBoost's, covers are sums of hessians, leaf values include η. */
  readonly tree: Tree;
}

/** Boosted trees, and what a stage after them is told of the last one. */
export interface BoostedTrees {
  /** Log-odds of the positive class, or the margins of each of several. */
  readonly ensemble: TreeEnsemble;
  /** `wholeTreeBroadcasts`. */
  readonly lastTree: Broadcast;
}

/**
 * Boosting, aggregator side, over whatever adds the sites' vectors.
 * @returns the ensemble of `BoostedTrees`
 */
export async function secondOrderConversation(sums: SecondOrderSums): Promise<TreeEnsemble> {
  return (await boostedTrees(sums)).ensemble;
}

/** The same, with what a stage after the trees is told. */
export async function boostedTrees(sums: SecondOrderSums): Promise<BoostedTrees> {
  const { settings } = sums;
  const { outputs } = settings;
  const trees: Tree[] = [];
  let before: GrownTree | null = null;
  for (let tree = 0; tree < settings.trees; tree++) {
    before = await growTree(sums, tree, before);
    trees.push(outputs === 1 ? before.tree : treeOfClass(before.tree, tree % outputs, outputs));
  }
  const ensemble: TreeEnsemble = {
    trees,
    base: new Array<number>(outputs).fill(baseMargin(settings)),
    link: outputs === 1 ? "logistic" : "softmax",
  };
  return { ensemble, lastTree: broadcastOf([], before) };
}

/** A tree whose leaves add to one class of several. */
function treeOfClass({ nodes }: Tree, own: number, outputs: number): Tree {
  return {
    nodes: nodes.map((node) =>
      node.kind === "split"
        ? node
        : { ...node, values: Array.from({ length: outputs }, (_, c) => (c === own ? node.values[0]! : 0)) },
    ),
  };
}

/**
 * One tree, level by level.
 * @param index - which, from 0
 * @param before - the tree before it; null for the first
 * @returns of several classes with one value a leaf too, that of the tree's own class
 */
export async function growTree(
  sums: SecondOrderSums,
  index: number,
  before: GrownTree | null,
): Promise<GrownTree> {
  const { settings, stages } = sums;
  const sketch = stages.find((one) => one.kind === "sketch" && one.tree === index);
  const chosen =
    sketch === undefined
      ? null
      : encodedCuts(settings, sketch, await sums.sum(sketch, broadcastOf([], before)));
  const cuts = chosen ?? (cutsStageId(settings, index) === null ? null : before!.cuts);
  const grid = treeGrid(settings, index, cuts);
  const levels: LevelSplits[] = [];
  const choices: (NodeChoice | null)[][] = [];
  for (let level = 0; level < settings.depth; level++) {
    const stage = levelStage(stages, index, level);
    const told = level === 0 && chosen !== null ? { [treeCutsName]: chosen } : broadcastOf(levels, before);
    const histogram = await sums.sum(stage, told);
    const choice = choicesOf({
      settings,
      stage,
      grid,
      histogram,
      open: openNodes(levels),
      stdDev: sums.stdDev(stage),
    });
    choices.push(choice);
    levels.push(choice.map((one) => one?.best?.split ?? null));
  }
  return { ...finished(settings, levels, choices), cuts };
}

function broadcastOf(levels: readonly LevelSplits[], before: GrownTree | null): Broadcast {
  const last = levels.at(-1);
  if (last !== undefined) return { [splitsName]: encodeSplits(last) };
  if (before === null) return {};
  return { [splitsName]: encodeSplits(before.levels.at(-1)!), [leavesName]: before.leaves };
}

function choicesOf(options: {
  readonly settings: SecondOrderSettings;
  readonly stage: SecondOrderStage;
  readonly grid: TreeGrid;
  readonly histogram: Float64Array;
  readonly open: readonly boolean[];
  readonly stdDev: number;
}): (NodeChoice | null)[] {
  const { settings, stage, grid, histogram, open, stdDev } = options;
  const layout = boostingLayout(settings, stage);
  const unit = 2 ** -settings.gridExponent;
  return open.map((isOpen, node) => {
    if (!isOpen) return null;
    const bins = grid.chosen.map((_, position) =>
      binsOf(histogram, layout, node, position).map((value) => value * unit),
    );
    return nodeChoice(settings, grid, bins, stdDev * unit);
  });
}

/** Prunes a tree and gives its leaves their values. */
function finished(
  settings: SecondOrderSettings,
  levels: readonly LevelSplits[],
  choices: readonly (readonly (NodeChoice | null)[])[],
): Omit<GrownTree, "cuts"> {
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
  /** Per round of trees, of one tree where there are two classes: the mean that the paper's words describe. */
  readonly gainPerTree: number;
}

/**
 * Per feature, of the trees of all classes.
 * @param features - how many there are
 * @param outputs - trees of a round
 */
export function splitImportances(trees: readonly Tree[], features: number, outputs = 1): SplitImportance[] {
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
    gainPerTree: trees.length === 0 ? 0 : (total * outputs) / trees.length,
  }));
}
