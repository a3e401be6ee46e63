import type { StageId } from "@consilium/core/ids";
import { partOf } from "@consilium/core/learning/heldOut";
import { withinRows } from "@consilium/core/learning/stageTable";
import type { SiteInput } from "@consilium/core/learning/sums";
import type { TreeEnsemble } from "@consilium/core/learning/trees/tree";
import type { BinColumn } from "@consilium/core/linalg/histograms";
import type { ColumnBlock } from "@consilium/core/study/design";
import { binBlock } from "@consilium/methods/shared/columns/binning";
import { ensemblePrediction, evaluationCounts } from "@consilium/methods/shared/evaluation/evaluationCounts";
import { cutsTold } from "@consilium/methods/shared/evaluation/scoreScale";
import { noStage } from "@consilium/methods/shared/plans/broadcastFaults";
import { levelHistogram, noNode } from "@consilium/methods/shared/trees/histograms";
import { descend, treeOfLevels } from "@consilium/methods/shared/trees/levels";
import { evaluatedTrees, type Grown, grownBefore } from "./broadcastTrees.js";
import { holdOutDraws, resampleDraws } from "./siteDraws.js";
import {
  type CartAdaboostStage,
  type CartAdaboostStudy,
  cartAdaboostEvaluationForm,
  cartAdaboostLayout,
  classes,
  weightCells,
  weightExponent,
} from "./study.js";

/** A block's rows as the tree that grows sees them. */
interface GrowingRows {
  readonly bins: readonly BinColumn[];
  readonly labels: Uint16Array;
  readonly isHeldOut: readonly boolean[];
  /** n·D of each row: its weight, of mean 1 over all rows that are not held out. */
  readonly weights: Float64Array;
  /** e^-margin. */
  readonly unscaled: Float64Array;
  /** How often each row is in the resample; 0 where it is held out. */
  readonly multiplicity: Float64Array;
  /** Each row's node at the stage's level. */
  readonly nodes: Uint16Array;
}

/**
 * The site's vector of a stage of CART-DPsAdaBoost: exact counts, and weights in units of 2^-30.
 * @throws ConsiliumError MESSAGE_UNEXPECTED for a stage of another method; BROADCAST_INVALID where a broadcast is not
 *   the method's, before a row is read; ROWS_TOO_MANY above `maxRowsPerSite`
 */
export async function cartAdaboostVector(
  study: CartAdaboostStudy,
  id: StageId,
  input: SiteInput,
): Promise<BigUint64Array> {
  const { stages, evaluation } = cartAdaboostLayout(study);
  if (id === evaluation?.id) return evaluationVector(study, id, input);
  const stage = stages.find((one) => one.id === id);
  if (stage === undefined) throw noStage("cart-dps-adaboost", id);
  const grown = grownBefore(study, stage, input.broadcasts);
  return stage.histogram === null
    ? leafVector(study, stage, input, grown)
    : levelVector(study, stage, input, grown);
}

/** Counts of the rows that are held out from all of training, by score and class. */
async function evaluationVector(
  study: CartAdaboostStudy,
  id: StageId,
  { broadcasts, blocks }: SiteInput,
): Promise<BigUint64Array> {
  const { evaluation, seed } = study.parameters;
  const trees = evaluatedTrees(study, id, broadcasts).map(({ levels, labels, alpha }) =>
    treeOfLevels(
      levels,
      () => ({ gain: 0, cover: 0 }),
      (place) => ({ values: [alpha * labels[place]!], cover: 0 }),
    ),
  );
  const ensemble: TreeEnsemble = { trees, base: [0], link: "margin" };
  const form = cartAdaboostEvaluationForm;
  const counts = await evaluationCounts({
    study,
    evaluation,
    form,
    seed,
    cuts: cutsTold(form, broadcasts),
    blocks: withinRows(study, blocks),
    predict: ensemblePrediction(ensemble, cartAdaboostLayout(study).features, form),
  });
  return integers([...counts]);
}

async function levelVector(
  study: CartAdaboostStudy,
  stage: CartAdaboostStage,
  input: SiteInput,
  grown: Grown,
): Promise<BigUint64Array> {
  const histogram = levelHistogram(input.kernels, stage.histogram!, "classes");
  const cells = new Float64Array(stage.level === 0 ? weightCells : 0);
  const range = marginRange(grown);
  for await (const rows of growingRows(study, stage, input, grown)) {
    const nodes = rows.nodes.map((node, r) => (rows.multiplicity[r]! > 0 ? node : noNode));
    await histogram.add({
      nodes,
      bins: rows.bins,
      weights: { kind: "classes", classes: rows.labels, weights: rows.multiplicity },
    });
    if (cells.length > 0) {
      rows.unscaled.forEach((weight, r) => {
        if (!rows.isHeldOut[r]) cells[weightCell(-Math.log(weight), range)]! += 1;
      });
    }
  }
  return integers([...(await histogram.finish()), ...cells]);
}

async function leafVector(
  study: CartAdaboostStudy,
  stage: CartAdaboostStage,
  input: SiteInput,
  grown: Grown,
): Promise<BigUint64Array> {
  const part = stage.length / 3;
  const sums = new BigInt64Array(stage.length);
  for await (const rows of growingRows(study, stage, input, grown)) {
    for (let r = 0; r < rows.labels.length; r++) {
      const at = rows.nodes[r]! * classes + rows.labels[r]!;
      if (rows.isHeldOut[r]) sums[part + at]! += 1n;
      else {
        sums[at]! += BigInt(rows.multiplicity[r]!);
        sums[2 * part + at]! += BigInt(Math.round(rows.weights[r]! * 2 ** weightExponent));
      }
    }
  }
  return new BigUint64Array(sums.buffer);
}

async function* growingRows(
  study: CartAdaboostStudy,
  stage: CartAdaboostStage,
  input: SiteInput,
  grown: Grown,
): AsyncGenerator<GrowingRows> {
  const { seed, holdOut } = study.parameters;
  const { features } = cartAdaboostLayout(study);
  const isNextHeldOut = holdOutDraws(seed, input.site, holdOut);
  const timesDrawn = resampleDraws(seed, input.site, stage.tree);
  const weightMost = input.sites * study.participation.maxRowsPerSite;
  const { evaluation } = study.parameters;
  for await (const block of partOf(withinRows(study, input.blocks), "training", evaluation, seed)) {
    const bins = binBlock(block, features);
    const labels = block.labels!.subarray(0, block.rows);
    const unscaled = new Float64Array(block.rows);
    marginsOf(study, grown, block, bins).forEach((margin, r) => {
      unscaled[r] = Math.exp(-margin);
    });
    const isHeldOut = Array.from({ length: block.rows }, isNextHeldOut);
    const weights = unscaled.map((weight) => Math.min(weight * grown.scale, weightMost));
    const multiplicity = weights.map((weight, r) => {
      const times = timesDrawn(weight);
      return isHeldOut[r] ? 0 : times;
    });
    const nodes = new Uint16Array(block.rows);
    for (const level of grown.levels) descend(nodes, level, features, bins);
    yield { bins, labels, isHeldOut, weights, unscaled, multiplicity, nodes };
  }
}

/** Σ α·y·label over the finished trees, y = ±1 the row's own label. */
function marginsOf(
  study: CartAdaboostStudy,
  { finished }: Grown,
  block: ColumnBlock,
  bins: readonly BinColumn[],
): Float64Array {
  const { features } = cartAdaboostLayout(study);
  const margins = new Float64Array(block.rows);
  for (const { levels, labels, alpha } of finished) {
    const nodes = new Uint16Array(block.rows);
    for (const level of levels) descend(nodes, level, features, bins);
    for (let r = 0; r < block.rows; r++) {
      const own = block.labels![r] === 1 ? 1 : -1;
      margins[r]! += alpha * own * labels[nodes[r]!]!;
    }
  }
  return margins;
}

/** The margins that rows can have: from -Σα to Σα. */
export function marginRange({ finished }: Pick<Grown, "finished">): number {
  return finished.reduce((sum, { alpha }) => sum + alpha, 0);
}

/** The step of a weight e^-margin, from the largest weight (0) to the smallest. */
function weightCell(margin: number, range: number): number {
  if (range === 0) return 0;
  const cell = Math.floor(((margin + range) / (2 * range)) * weightCells);
  return Math.max(0, Math.min(weightCells - 1, cell));
}

/** The largest weight e^-margin that a row in this step can have. */
export function largestWeightIn(cell: number, range: number): number {
  return Math.exp(range - (2 * range * cell) / weightCells);
}

function integers(values: readonly number[]): BigUint64Array {
  return BigUint64Array.from(values, BigInt);
}
