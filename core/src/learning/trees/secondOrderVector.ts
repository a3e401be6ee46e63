import { ConsiliumError } from "../../errors.js";
import { addInto } from "../../fixed-point/ringVector.js";
import type { StageId } from "../../ids.js";
import type { BinColumn } from "../../linalg/histograms.js";
import type { NumericKernels } from "../../linalg/kernels.js";
import { binBlock } from "../../study/binning.js";
import type { Broadcasts } from "../../study/broadcast.js";
import type { ColumnBlock } from "../../study/design.js";
import {
  channels,
  leafExponent,
  leafMost,
  leavesName,
  type SecondOrderSettings,
  type SecondOrderStage,
  secondOrderStageId,
  splitsName,
} from "../../study/secondOrder.js";
import { soundSum } from "../../study/soundSums.js";
import type { Study } from "../../study/study.js";
import { ringElements } from "../exactSums.js";
import { checkRows } from "../moments.js";
import {
  fullLayout,
  type HistogramLayout,
  type HistogramRows,
  levelHistogram,
  noNode,
} from "./histograms.js";
import { decodeSplits, descend, type LevelSplits } from "./levels.js";
import { addLeaf, baseMargin, gradientWriter } from "./secondOrderRecords.js";

/** A tree as a site knows it from broadcasts. */
interface BroadcastTree {
  readonly levels: readonly LevelSplits[];
  /** [2^d] what a row at the end of the last level adds to its margin. */
  readonly leaves: Float64Array;
}

/** What a site knows at a stage: whole trees, and the levels so far of the one that grows. */
interface BroadcastModel {
  readonly trees: readonly BroadcastTree[];
  readonly growing: readonly LevelSplits[];
}

/** Rows that are looked at at once. */
const rowsAtOnce = 2 ** 16;

/**
 * A site's vector of a stage: sums of (g, h) at each node, feature and bin, integers without noise, laid out as
 * `fullLayout`. Rows of nodes that are not split any more add nothing. Margins and nodes are computed anew from what
 * was broadcast.
 *
 * L2 sensitivity under add-remove where sums have noise: √m·2^k, m features (docs/METHODS.md#second-order-boosting-proof).
 * @param blocks - the site's rows that take part, values within their declared bounds
 * @returns [stage.length] ring elements modulo 2^64, multiplied by the stage's scale where sums have noise
 * @throws ConsiliumError ROWS_TOO_MANY as `checkRows`; BROADCAST_INVALID before a row is read
 */
export async function secondOrderVector(options: {
  readonly study: Study;
  readonly settings: SecondOrderSettings;
  readonly stage: SecondOrderStage;
  readonly broadcasts: Broadcasts;
  readonly blocks: AsyncIterable<ColumnBlock>;
  readonly kernels: NumericKernels;
}): Promise<BigUint64Array> {
  const { study, settings, stage, broadcasts, blocks, kernels } = options;
  const model = broadcastModel(settings, stage, broadcasts);
  return derivativeSums({
    study,
    layout: fullLayout(settings.features, 2 ** stage.level, channels),
    gridExponent: settings.gridExponent,
    scale: settings.sums === "noisy" ? soundSum(study, stage).scale : 1,
    blocks,
    kernels,
    rowsOf: (block) => histogramRows(settings, model, block),
  });
}

/**
 * Sums of rows' pairs (g, h), integers in units of 2^-k, of any number of rows: in doubles as far as they are exact, then in 64
 * bits.
 * @param options.scale - what the sums are multiplied with
 * @param options.rowsOf - of a part of a block, what its rows add and where
 * @returns [layout.length] ring elements modulo 2^64
 * @throws ConsiliumError ROWS_TOO_MANY as `checkRows`
 */
export async function derivativeSums(options: {
  readonly study: Study;
  readonly layout: HistogramLayout;
  readonly gridExponent: number;
  readonly scale: number;
  readonly blocks: AsyncIterable<ColumnBlock>;
  readonly kernels: NumericKernels;
  readonly rowsOf: (block: ColumnBlock) => HistogramRows;
}): Promise<BigUint64Array> {
  const { study, layout, gridExponent, scale, blocks, kernels, rowsOf } = options;
  let total: BigUint64Array | null = null;
  // So few that a histogram's sums stay below 2^53.
  const rowsExact = 2 ** (52 - gridExponent);
  let sums = levelHistogram(kernels, layout, "values");
  let summed = 0;
  let seen = 0;
  const fold = async () => {
    const own = ringElements(await sums.finish(), scale);
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
      await sums.add(rowsOf(part));
      summed += part.rows;
    }
  }
  return fold();
}

/** [rows × 2] each row's (g, h) at its margin. @param positive - the label's level that is y = 1 */
export function derivativesOf(
  settings: Pick<SecondOrderSettings, "sums" | "gridExponent" | "positive">,
  margins: Float64Array,
  labels: Uint16Array,
): Float64Array {
  const write = gradientWriter(settings);
  const values = new Float64Array(channels * margins.length);
  for (let r = 0; r < margins.length; r++)
    write(margins[r]!, labels[r] === settings.positive, values, channels * r);
  return values;
}

/**
 * What the whole ensemble says of rows, from everything that was broadcast.
 * @param last - the stage that is told the last tree
 * @returns of a block, its rows' margins: log-odds of the positive class
 * @throws ConsiliumError BROADCAST_INVALID
 */
export function ensembleMargins(
  settings: SecondOrderSettings,
  broadcasts: Broadcasts,
  last: StageId,
): (block: ColumnBlock) => Float64Array {
  const { trees } = broadcastModel(settings, { tree: settings.trees, level: 0 }, broadcasts, last);
  return (block) => marginsOf(settings, trees, binBlock(block, settings.features), block.rows);
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

function histogramRows(
  settings: SecondOrderSettings,
  model: BroadcastModel,
  block: ColumnBlock,
): HistogramRows {
  const bins = binBlock(block, settings.features);
  const margins = marginsOf(settings, model.trees, bins, block.rows);
  const values = derivativesOf(settings, margins, block.labels!);
  const nodes = new Uint16Array(block.rows);
  for (const splits of model.growing) descend(nodes, splits, settings.features, bins);
  const open = openNodes(model.growing);
  for (let r = 0; r < nodes.length; r++) if (!open[nodes[r]!]) nodes[r] = noNode;
  return { nodes, bins, weights: { kind: "values", values } as const };
}

function marginsOf(
  settings: SecondOrderSettings,
  trees: readonly BroadcastTree[],
  bins: readonly BinColumn[],
  rows: number,
): Float64Array {
  const margins = new Float64Array(rows).fill(baseMargin(settings));
  const nodes = new Uint16Array(rows);
  for (const { levels, leaves } of trees) {
    nodes.fill(0);
    for (const splits of levels) descend(nodes, splits, settings.features, bins);
    for (let r = 0; r < rows; r++) margins[r] = addLeaf(settings, margins[r]!, leaves[nodes[r]!]!);
  }
  return margins;
}

/** Per node of the next level, whether all nodes above it are split. */
export function openNodes(levels: readonly LevelSplits[]): boolean[] {
  let open = [true];
  for (const splits of levels)
    open = splits.flatMap((split, v) => new Array<boolean>(2).fill(open[v]! && split !== null));
  return open;
}

/** @param last - the stage after all trees */
function broadcastModel(
  settings: SecondOrderSettings,
  stage: Pick<SecondOrderStage, "tree" | "level">,
  broadcasts: Broadcasts,
  last: StageId | null = null,
): BroadcastModel {
  const { depth } = settings;
  const stageOf = (tree: number, level: number): StageId =>
    tree === settings.trees && last !== null ? last : secondOrderStageId(tree, level);
  const toldAt = (tree: number, level: number, name: string, length: number): Float64Array => {
    const id = stageOf(tree, level);
    const values = broadcasts.get(id)?.[name];
    if (values?.length !== length) refuse(id, `it holds no "${name}" of ${length} numbers`);
    return values!;
  };
  /** Splits of a level are told at the stage after it. */
  const levelsOf = (tree: number, count: number): LevelSplits[] => {
    const levels: LevelSplits[] = [];
    for (let level = 0; level < count; level++) {
      const [nextTree, nextLevel] = level + 1 < depth ? [tree, level + 1] : [tree + 1, 0];
      const values = toldAt(nextTree, nextLevel, splitsName, 2 * 2 ** level);
      levels.push(checkedSplits(settings, values, openNodes(levels), stageOf(nextTree, nextLevel)));
    }
    return levels;
  };
  return {
    trees: Array.from({ length: stage.tree }, (_, tree) => ({
      levels: levelsOf(tree, depth),
      leaves: checkedLeaves(settings, toldAt(tree + 1, 0, leavesName, 2 ** depth), stageOf(tree + 1, 0)),
    })),
    growing: levelsOf(stage.tree, stage.level),
  };
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
