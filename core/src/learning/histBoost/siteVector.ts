import { ConsiliumError } from "../../errors.js";
import type { StageId } from "../../ids.js";
import type { BinColumn } from "../../linalg/histograms.js";
import { type BinnedFeature, binBlock } from "../../study/binning.js";
import type { ColumnBlock } from "../../study/design.js";
import { evaluationForm } from "../../study/evaluation.js";
import {
  classes,
  type HistBoostStage,
  type HistBoostStudy,
  histBoostLayout,
  leafExponent,
} from "../../study/histBoost.js";
import type { SoundStage } from "../../study/soundSums.js";
import { ensemblePrediction, evaluationCounts } from "../evaluation.js";
import { partOf } from "../heldOut.js";
import { withinRows } from "../moments.js";
import { rowWeights, weighed } from "../patientRows.js";
import { cutsTold } from "../scoreScale.js";
import { type SiteInput, scaledVector } from "../sums.js";
import { levelHistogram } from "../trees/histograms.js";
import { descend } from "../trees/levels.js";
import { type FinishedTree, type GrownTrees, grownBefore } from "./broadcastTrees.js";
import { ensembleOf } from "./ensemble.js";
import { weightOf } from "./weights.js";

/**
 * A site's vector of a stage: each row adds its weight in sixteenths, which depends on the row and on what was broadcast
 * alone, at one entry (leaves) or at one for each of its node's k features (a level). Nothing is kept between stages.
 * @throws ConsiliumError MESSAGE_UNEXPECTED for a stage of another method; as `grownBefore`, before a row is read;
 *   ROWS_TOO_MANY as `checkRows`
 */
export async function histBoostVector(
  study: HistBoostStudy,
  id: StageId,
  input: Pick<SiteInput, "broadcasts" | "blocks" | "kernels">,
): Promise<BigUint64Array> {
  const { stages, evaluation } = histBoostLayout(study);
  if (id === evaluation?.id) return evaluationVector(study, evaluation, input);
  const stage = stages.find((one) => one.id === id);
  if (stage === undefined)
    throw new ConsiliumError("MESSAGE_UNEXPECTED", `dp-histboost has no sum stage ${id}`);
  const grown = grownBefore(study, stage, input.broadcasts);
  const sums = await sumsOf(study, stage, grown, input);
  return scaledVector(study, stage, sums);
}

/** Counts of the held-out rows by score and class. */
async function evaluationVector(
  study: HistBoostStudy,
  stage: SoundStage,
  { broadcasts, blocks }: Pick<SiteInput, "broadcasts" | "blocks">,
): Promise<BigUint64Array> {
  const { finished } = grownBefore(study, { tree: study.parameters.trees, level: 0 }, broadcasts);
  const form = evaluationForm(classes);
  const { evaluation, seed } = study.parameters;
  const counts = await evaluationCounts({
    study,
    evaluation,
    form,
    seed,
    cuts: cutsTold(form, broadcasts),
    blocks: withinRows(study, blocks),
    predict: ensemblePrediction(ensembleOf(finished), histBoostLayout(study).features, form),
  });
  return scaledVector(study, stage, counts);
}

async function sumsOf(
  study: HistBoostStudy,
  stage: HistBoostStage,
  grown: GrownTrees,
  { blocks, kernels }: Pick<SiteInput, "blocks" | "kernels">,
): Promise<Float64Array> {
  const { features } = histBoostLayout(study);
  const used = usedFeatures(stage, grown);
  const level = stage.histogram === null ? null : levelHistogram(kernels, stage.histogram, "classes");
  const leaves = new Float64Array(level === null ? stage.length : 0);
  const { evaluation, seed } = study.parameters;
  for await (const block of partOf(withinRows(study, blocks), "training", evaluation, seed)) {
    const { nodes, bins, ...own } = weighedRows({ block, features, used, grown });
    const weights = weighed(own.weights, rowWeights(study, block));
    const labels = block.labels!;
    if (level === null) {
      for (let r = 0; r < block.rows; r++) leaves[nodes[r]! * classes + labels[r]!]! += weights[r]!;
    } else await level.add({ nodes, bins, weights: { kind: "classes", classes: labels, weights } });
  }
  return level === null ? leaves : level.finish();
}

/** A block's rows with the weight that the finished trees leave them, and their nodes in the tree that grows. */
export function weighedRows(options: {
  readonly block: ColumnBlock;
  readonly features: readonly BinnedFeature[];
  /** Features whose bins are asked for. */
  readonly used: ReadonlySet<number>;
  readonly grown: GrownTrees;
}): { readonly nodes: Uint16Array; readonly weights: Float64Array; readonly bins: readonly BinColumn[] } {
  const { block, features, used, grown } = options;
  const bins = binBlock(block, features, used);
  const margins = marginsOf({ block, features, bins, trees: grown.finished });
  const weights = margins.map((margin) => weightOf(margin));
  const nodes = new Uint16Array(block.rows);
  for (const splits of grown.levels) descend(nodes, splits, features, bins);
  return { nodes, weights, bins };
}

/** y·F of each row in units of 2^-24: integers below 2^53, so that the sum is exact. */
function marginsOf(options: {
  readonly block: ColumnBlock;
  readonly features: readonly BinnedFeature[];
  readonly bins: readonly BinColumn[];
  readonly trees: readonly FinishedTree[];
}): Float64Array {
  const { block, features, bins, trees } = options;
  const margins = new Float64Array(block.rows);
  const nodes = new Uint16Array(block.rows);
  for (const { levels, leaves } of trees) {
    nodes.fill(0);
    for (const splits of levels) descend(nodes, splits, features, bins);
    for (let r = 0; r < block.rows; r++) margins[r]! += leaves[nodes[r]!]!;
  }
  const unit = 2 ** leafExponent;
  for (let r = 0; r < block.rows; r++) margins[r]! *= block.labels![r] === 1 ? unit : -unit;
  return margins;
}

/** Features that a stage reads: those that trees have split by, and those that its nodes are asked for. */
export function usedFeatures(stage: HistBoostStage, { finished, levels }: GrownTrees): Set<number> {
  const used = new Set<number>();
  for (const splits of [...finished.flatMap((tree) => tree.levels), ...levels]) {
    for (const split of splits) if (split !== null) used.add(split.feature);
  }
  for (const asked of stage.histogram?.nodeFeatures ?? []) for (const feature of asked) used.add(feature);
  return used;
}
