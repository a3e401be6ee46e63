import { ConsiliumError } from "@consilium/core/errors";
import { addInto } from "@consilium/core/fixed-point/ringVector";
import type { SiteId, StageId } from "@consilium/core/ids";
import { ringElements } from "@consilium/core/learning/exactSums";
import { checkRows } from "@consilium/core/learning/stageTable";
import type { BinColumn } from "@consilium/core/linalg/histograms";
import type { NumericKernels } from "@consilium/core/linalg/kernels";
import type { Broadcasts } from "@consilium/core/study/broadcast";
import type { ColumnBlock } from "@consilium/core/study/design";
import type { Study } from "@consilium/core/study/study";
import { binBlock } from "../columns/binning.js";
import { type HistogramRows, levelHistogram, noNode } from "./histograms.js";
import { decodeSplits, descend, type LevelSplits } from "./levels.js";
import { rowDraws } from "./rowDraws.js";
import {
  type BoostingStage,
  cutsStageId,
  firstStageId,
  leafExponent,
  leafMost,
  leavesName,
  type SecondOrderSettings,
  secondOrderStageId,
  splitsName,
  treeCutsName,
} from "./secondOrder.js";
import { addLeaf, baseMargin, gradientWriter } from "./secondOrderRecords.js";
import { boostingLayout, type TreeGrid, treeGrid } from "./treeGrid.js";
import { cutsLength } from "./treeMethod.js";

/** A tree as a site knows it from broadcasts. */
export interface BroadcastTree {
  readonly levels: readonly LevelSplits[];
  /** [2^d] what a row at the end of the last level adds to its margin. */
  readonly leaves: Float64Array;
}

/** What a site knows at a stage: whole trees, and the levels so far of the one that grows. */
export interface BroadcastModel {
  readonly trees: readonly BroadcastTree[];
  readonly growing: readonly LevelSplits[];
  /** The bins of the one that grows. */
  readonly grid: TreeGrid;
}

/** Rows that are looked at at once. */
const rowsAtOnce = 2 ** 16;

/**
 * A site's vector of a stage with exact sums, laid out as `boostingLayout`. Of a level the sums of (g, h) at each
 * node, feature and bin of the tree; rows of nodes that are not split any more, and rows that the tree is not grown of,
 * add nothing. Of a sketch the rows of each feature's declared intervals, and of `approx` their hessians. Margins and nodes
 * are computed anew from what was broadcast.
 * @param blocks - the site's rows that take part, values within their declared bounds
 * @returns [stage.length] ring elements modulo 2^64
 * @throws ConsiliumError ROWS_TOO_MANY as `checkRows`; BROADCAST_INVALID before a row is read
 */
export async function secondOrderVector(options: {
  readonly study: Study;
  readonly settings: SecondOrderSettings;
  readonly stage: BoostingStage;
  /** Whose rows these are: it draws those that a tree is grown of. */
  readonly site: SiteId;
  readonly broadcasts: Broadcasts;
  readonly blocks: AsyncIterable<ColumnBlock>;
  readonly kernels: NumericKernels;
}): Promise<BigUint64Array> {
  const { study, settings, stage, site, broadcasts, blocks, kernels } = options;
  if (settings.sums !== "exact") throw new RangeError("noisy sums are added up by the gate");
  const model = broadcastModel(settings, stage, broadcasts);
  const isDrawn = rowDraws(settings, stage.tree, site);
  const layout = boostingLayout(settings, stage);
  let total: BigUint64Array | null = null;
  // So few that a histogram's sums stay below 2^53.
  const rowsExact = 2 ** (52 - settings.gridExponent);
  let sums = levelHistogram(kernels, layout, "values");
  let summed = 0;
  let seen = 0;
  const fold = async () => {
    const own = ringElements(await sums.finish(), 1);
    if (total !== null) addInto(own, total);
    total = own;
    return own;
  };
  for await (const block of blocks) {
    seen += block.rows;
    checkRows(seen, study);
    for (const part of partsOf(block, Math.min(rowsAtOnce, rowsExact))) {
      if (summed + part.rows > rowsExact) {
        await fold();
        sums = levelHistogram(kernels, layout, "values");
        summed = 0;
      }
      await sums.add(histogramRows({ settings, stage, model, isDrawn, block: part }));
      summed += part.rows;
    }
  }
  return fold();
}

function* partsOf(block: ColumnBlock, rowsMost: number): Generator<ColumnBlock> {
  for (let from = 0; from < block.rows; from += rowsMost) {
    const to = Math.min(block.rows, from + rowsMost);
    yield {
      rows: to - from,
      columns: block.columns.map((column) => column.subarray(from, to)),
      labels: block.labels!.subarray(from, to),
    };
  }
}

function histogramRows(options: {
  readonly settings: SecondOrderSettings;
  readonly stage: BoostingStage;
  readonly model: BroadcastModel;
  readonly isDrawn: (() => boolean) | null;
  readonly block: ColumnBlock;
}): HistogramRows {
  const { settings, stage, model, isDrawn, block } = options;
  const bins = binBlock(block, settings.features);
  const nodes = new Uint16Array(block.rows);
  const isLeftOut = isDrawn === null ? null : Uint8Array.from(nodes, () => (isDrawn() ? 0 : 1));
  if (stage.kind === "sketch" && settings.treeMethod === "hist")
    return {
      nodes,
      bins,
      weights: { kind: "values", values: new Float64Array(block.rows).fill(1) } as const,
    };
  const values = derivativesOf(settings, stage.tree, model, bins, block);
  if (stage.kind === "sketch") {
    // Every row counts, and one that the tree is not grown of has no weight: as XGBoost has it.
    for (let r = 0; r < block.rows; r++) {
      values[2 * r] = 1;
      if (isLeftOut?.[r] === 1) values[2 * r + 1] = 0;
    }
    return { nodes, bins, weights: { kind: "values", values } as const };
  }
  for (const splits of model.growing) descend(nodes, splits, settings.features, bins);
  const open = openNodes(model.growing);
  for (let r = 0; r < nodes.length; r++) if (!open[nodes[r]!] || isLeftOut?.[r] === 1) nodes[r] = noNode;
  return { nodes, bins: model.grid.binsOf(bins), weights: { kind: "values", values } as const };
}

/** [rows × (g, h)] in units of 2^-k, by the margins before the tree's round. */
function derivativesOf(
  settings: SecondOrderSettings,
  tree: number,
  { trees }: BroadcastModel,
  bins: readonly BinColumn[],
  block: ColumnBlock,
): Float64Array {
  const { outputs, positive } = settings;
  const margins = marginsOf(settings, trees.slice(0, tree - (tree % outputs)), bins, block.rows);
  const write = gradientWriter(settings, tree);
  const own = outputs === 1 ? positive : tree % outputs;
  const values = new Float64Array(2 * block.rows);
  for (let r = 0; r < block.rows; r++) write(margins, outputs * r, block.labels![r] === own, values, 2 * r);
  return values;
}

/** [rows × outputs] */
function marginsOf(
  settings: SecondOrderSettings,
  trees: readonly BroadcastTree[],
  bins: readonly BinColumn[],
  rows: number,
): Float64Array {
  const { outputs } = settings;
  const margins = new Float64Array(outputs * rows).fill(baseMargin(settings));
  const nodes = new Uint16Array(rows);
  trees.forEach(({ levels, leaves }, t) => {
    nodes.fill(0);
    for (const splits of levels) descend(nodes, splits, settings.features, bins);
    for (let r = 0, at = t % outputs; r < rows; r++, at += outputs)
      margins[at] = addLeaf(settings, margins[at]!, leaves[nodes[r]!]!);
  });
  return margins;
}

/** Per node of the next level, whether all nodes above it are split. */
export function openNodes(levels: readonly LevelSplits[]): boolean[] {
  let open = [true];
  for (const splits of levels)
    open = splits.flatMap((split, v) => new Array<boolean>(2).fill(open[v]! && split !== null));
  return open;
}

export function broadcastModel(
  settings: SecondOrderSettings,
  stage: BoostingStage,
  broadcasts: Broadcasts,
): BroadcastModel {
  const level = stage.kind === "sketch" ? 0 : stage.level;
  const cutsAt = stage.kind === "sketch" ? null : cutsStageId(settings, stage.tree);
  return {
    trees: treesTold(settings, stage.tree, broadcasts, null),
    growing: levelsTold(settings, broadcasts, stage.tree, level, null),
    grid:
      cutsAt === null
        ? treeGrid(settings, stage.tree, null)
        : gridTold(settings, broadcasts, stage.tree, cutsAt),
  };
}

/** @param last - the stage after all trees; null where the trees are not all that there are */
export function treesTold(
  settings: SecondOrderSettings,
  count: number,
  broadcasts: Broadcasts,
  last: StageId | null,
): BroadcastTree[] {
  return Array.from({ length: count }, (_, tree) => {
    const after = stageAfter(settings, tree, last);
    const leaves = toldAt(broadcasts, after, leavesName, 2 ** settings.depth);
    return {
      levels: levelsTold(settings, broadcasts, tree, settings.depth, last),
      leaves: checkedLeaves(settings, leaves, after),
    };
  });
}

/** The stage that is told the end of a tree. */
function stageAfter(settings: SecondOrderSettings, tree: number, last: StageId | null): StageId {
  return tree + 1 === settings.trees && last !== null ? last : firstStageId(settings, tree + 1);
}

/** The first levels of a tree; those of a level are told at the stage after it. */
function levelsTold(
  settings: SecondOrderSettings,
  broadcasts: Broadcasts,
  tree: number,
  count: number,
  last: StageId | null,
): LevelSplits[] {
  const levels: LevelSplits[] = [];
  for (let level = 0; level < count; level++) {
    const id =
      level + 1 < settings.depth ? secondOrderStageId(tree, level + 1) : stageAfter(settings, tree, last);
    const values = toldAt(broadcasts, id, splitsName, 2 * 2 ** level);
    levels.push(checkedSplits(settings, values, openNodes(levels), id));
  }
  return levels;
}

function gridTold(
  settings: SecondOrderSettings,
  broadcasts: Broadcasts,
  tree: number,
  id: StageId,
): TreeGrid {
  const values = toldAt(broadcasts, id, treeCutsName, cutsLength(settings, tree));
  try {
    return treeGrid(settings, tree, values);
  } catch (thrown) {
    if (thrown instanceof RangeError) refuse(id, thrown.message);
    throw thrown;
  }
}

function toldAt(broadcasts: Broadcasts, id: StageId, name: string, length: number): Float64Array {
  const values = broadcasts.get(id)?.[name];
  if (values?.length !== length) refuse(id, `it holds no "${name}" of ${length} numbers`);
  return values!;
}

function checkedSplits(
  settings: SecondOrderSettings,
  values: Float64Array,
  open: readonly boolean[],
  id: string,
): LevelSplits {
  try {
    const splits = decodeSplits(values, settings.features);
    if (splits.some((split, v) => split !== null && !open[v]))
      throw new RangeError("a node is split below one that is not");
    return splits;
  } catch (thrown) {
    if (thrown instanceof RangeError) refuse(id, thrown.message);
    throw thrown;
  }
}

/** Sums of a thousand leaves of this size are still singles. */
const singleLeafMost = 2 ** 100;

function checkedLeaves(settings: SecondOrderSettings, leaves: Float64Array, id: string): Float64Array {
  const fits =
    settings.sums === "exact"
      ? (leaf: number) => Math.fround(leaf) === leaf && Math.abs(leaf) <= singleLeafMost
      : (leaf: number) => Number.isInteger(leaf * 2 ** leafExponent) && Math.abs(leaf) <= leafMost(settings);
  if (!leaves.every(fits)) refuse(id, "a leaf is none that the method makes");
  return leaves;
}

function refuse(id: string, what: string): never {
  throw new ConsiliumError("BROADCAST_INVALID", `the broadcast of stage ${id}: ${what}`);
}
