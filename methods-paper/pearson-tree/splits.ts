import { faults } from "@consilium/core/fault";
import type { StageId } from "@consilium/core/ids";
import { noNode } from "@consilium/core/linalg/histograms";
import { nameOf } from "@consilium/core/said";
import type { Broadcasts } from "@consilium/core/study/broadcast";
import type { DesignColumn } from "@consilium/core/study/design";
import type { SumStage } from "@consilium/core/study/plan";
import { type BinnedFeature, binnedFeatures } from "@consilium/methods/shared/columns/binning";
import { splitsName, treeStages } from "@consilium/methods/shared/correlation-tree/treeStudy";
import { notSent } from "@consilium/methods/shared/plans/broadcastFaults";
import type { LevelSplits } from "@consilium/methods/shared/trees/levels";
import type { BroadcastSays } from "@consilium/words/says/broadcasts";
import { DepthFirstRun } from "./depthFirst.js";
import type { PearsonTreeSays } from "./says.js";
import { cutUnit, type PearsonTreeStudy, pearsonLayout } from "./study.js";

const fault = faults<BroadcastSays & PearsonTreeSays>();
const invalid = <K extends keyof PearsonTreeSays>(code: K, params: (BroadcastSays & PearsonTreeSays)[K]) =>
  fault("BROADCAST_INVALID", code, params);

/**
 * Splits of the published tree: an attribute and, where that is a number, a threshold, a mean of records' values. Each
 * attribute is asked once in the whole tree. So a column has one threshold at most, and with it for its only edge the tree
 * is one of bins like every other.
 */

/** A row goes left where its number lies below the threshold, or where it has the attribute's level. */
export interface PearsonSplit {
  /** Index into the layout's attributes. */
  readonly attribute: number;
  /** 0 for a level. */
  readonly threshold: number;
}

/** One entry for each node of a level; null where it is not split. */
export type PearsonLevel = readonly (PearsonSplit | null)[];

/** [2 × nodes] attribute and threshold of each of these nodes; -1 and 0 for no split. */
export function encodePearson(level: PearsonLevel): Float64Array {
  return Float64Array.from(
    level.flatMap((split) => (split === null ? [-1, 0] : [split.attribute, split.threshold])),
  );
}

/** The tree of these splits in bins: every number's only edge is its threshold, and a number not asked has one bin. */
export function binnedTree(
  study: PearsonTreeStudy,
  levels: readonly PearsonLevel[],
): { readonly features: readonly BinnedFeature[]; readonly levels: readonly LevelSplits[] } {
  const { attributes } = pearsonLayout(study);
  const edges = new Map<number, number>();
  const binned = levels.map(
    (level): LevelSplits =>
      level.map((split) => {
        if (split === null) return null;
        const { feature, level: own } = attributes[split.attribute]!;
        if (own !== null) return { feature, cut: own };
        edges.set(feature, split.threshold);
        return { feature, cut: 0 };
      }),
  );
  const features = binnedFeatures(study.features, 2).map((feature, f): BinnedFeature => {
    if (feature.kind === "nominal") return feature;
    const edge = edges.get(f);
    return {
      ...feature,
      bins: edge === undefined ? 1 : 2,
      edges: Float64Array.from(edge === undefined ? [] : [edge]),
    };
  });
  return { features, levels: binned };
}

/** The attributes that some level asks. */
export function askedAttributes(levels: readonly PearsonLevel[]): Set<number> {
  return new Set(
    levels.flatMap((level) => level.flatMap((split) => (split === null ? [] : [split.attribute]))),
  );
}

/** What a stage asks of which nodes, and the tree above them, as a site was told of it. */
export interface PearsonQuestion {
  /** The levels above the nodes that are asked. */
  readonly above: readonly PearsonLevel[];
  /** By node of the next level: its place in the vector, or `noNode` where it is not asked. */
  readonly places: Uint16Array;
  /** How many nodes are asked. */
  readonly nodes: number;
  /** Attributes that are asked no more. */
  readonly asked: ReadonlySet<number>;
}

/**
 * The nodes that a stage asks.
 * @param index - of the stage among those that split nodes
 * @throws ConsiliumError FIELD_INVALID where splits are missing, BROADCAST_INVALID where they are none of this method's
 */
export function pearsonQuestion(
  broadcasts: Broadcasts,
  index: number,
  study: PearsonTreeStudy,
): PearsonQuestion {
  if (study.parameters.order === "breadth-first") {
    const above = levelsAbove(broadcasts, index, study);
    const nodes = 2 ** index;
    const places = Uint16Array.from({ length: nodes }, (_, v) => (isClosed(above, index, v) ? noNode : v));
    return { above, places, nodes, asked: askedAttributes(above) };
  }
  const stages = pearsonLayout(study).splitting.slice(1, index + 1);
  const run = replayed(broadcasts, stages, study);
  const { next, asked } = run;
  const last = stages.at(-1)?.id;
  if (next === null) throw invalid("pearson-tree.node-after-last", { stage: last! });
  const places = new Uint16Array(2 ** next.level).fill(noNode);
  places[next.place] = 0;
  return { above: run.levels.slice(0, next.level), places, nodes: 1, asked };
}

/**
 * All levels of the tree, as a site was told of them by the stage of the leaves.
 * @throws ConsiliumError as `pearsonQuestion`
 */
export function pearsonLevels(broadcasts: Broadcasts, study: PearsonTreeStudy): readonly PearsonLevel[] {
  if (study.parameters.order === "breadth-first")
    return levelsAbove(broadcasts, study.parameters.depth, study);
  const { splitting, leaves } = pearsonLayout(study);
  const skipped = splitting.findIndex(({ id }, visit) => visit > 0 && !broadcasts.has(id));
  const visited = splitting.slice(1, skipped === -1 ? undefined : skipped);
  const run = replayed(broadcasts, [...visited, leaves], study);
  if (run.next !== null) throw invalid("pearson-tree.leaves-early", { stage: leaves.id });
  return run.levels;
}

/** The run up to these stages, each of which says what became of the node before. */
function replayed(
  broadcasts: Broadcasts,
  stages: readonly SumStage[],
  study: PearsonTreeStudy,
): DepthFirstRun {
  const { attributes } = pearsonLayout(study);
  const run = new DepthFirstRun(study.parameters.depth, attributes.length);
  for (const { id } of stages) {
    const [split] = splitsTold(broadcasts, id, 1, attributes);
    if (run.next === null) throw invalid("pearson-tree.split-after-last", { stage: id });
    if (split !== null && run.asked.has(split!.attribute)) throw invalid("pearson-tree.asked-twice", {});
    run.visited(split!);
  }
  return run;
}

/** The splits of the levels above one. @param level - the level that is asked for; h for the leaves */
function levelsAbove(broadcasts: Broadcasts, level: number, study: PearsonTreeStudy): PearsonLevel[] {
  const { attributes } = pearsonLayout(study);
  const levels = Array.from({ length: level }, (_, above): PearsonLevel => {
    const last = above + 1 === study.parameters.depth;
    const told = last ? treeStages.leaves : treeStages.level(above + 1);
    return splitsTold(broadcasts, told, 2 ** above, attributes);
  });
  checkOnce(levels);
  return levels;
}

/** The splits of so many nodes, as a stage was told of them. */
function splitsTold(
  broadcasts: Broadcasts,
  told: StageId,
  nodes: number,
  attributes: readonly DesignColumn[],
): PearsonLevel {
  const values = broadcasts.get(told)?.[splitsName];
  if (values === undefined) throw notSent(told, splitsName);
  if (values.length !== 2 * nodes)
    throw fault("BROADCAST_INVALID", "broadcast.nodes", {
      stage: told,
      nodes: values.length / 2,
      expected: nodes,
    });
  return Array.from({ length: nodes }, (_, node) =>
    decoded(values[2 * node]!, values[2 * node + 1]!, attributes, told),
  );
}

function decoded(
  attribute: number,
  threshold: number,
  attributes: readonly DesignColumn[],
  told: StageId,
): PearsonSplit | null {
  if (attribute === -1 && threshold === 0) return null;
  const column = attributes[attribute];
  if (column === undefined) throw invalid("pearson-tree.no-attribute", { stage: told });
  // A mean cut lies within the bounds, but for the step by which cuts are rounded up.
  const room = (column.max - column.min) * (2 / cutUnit);
  const fits =
    column.level === null ? threshold >= column.min && threshold <= column.max + room : threshold === 0;
  if (!fits) throw invalid("pearson-tree.cut-outside", { stage: told, column: nameOf(column.name) });
  return { attribute, threshold };
}

function checkOnce(levels: readonly PearsonLevel[]): void {
  const all = levels.flatMap((level) => level.flatMap((split) => (split === null ? [] : [split.attribute])));
  if (new Set(all).size < all.length) throw invalid("pearson-tree.asked-twice", {});
  levels.forEach((level, depth) => {
    if (level.some((split, node) => split !== null && isClosed(levels, depth, node)))
      throw invalid("pearson-tree.split-below", {});
  });
}

/** Whether a node lies below one that was not split: that one is a leaf. */
export function isClosed(levels: readonly PearsonLevel[], level: number, node: number): boolean {
  for (let above = level - 1, at = node >> 1; above >= 0; above--, at >>= 1)
    if (levels[above]![at]! === null) return true;
  return false;
}
