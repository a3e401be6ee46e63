import { sha256 } from "@consilium/secure-sum/crypto/hash";
import { ConsiliumError } from "../../errors.js";
import type { StageId } from "../../ids.js";
import type { ColumnBlock } from "../../study/design.js";
import { answerUnit, type DpPccSLayout, type DpPccSStudy, dpPccSLayout } from "../../study/dpPccS.js";
import { rowHashes } from "../heldOut.js";
import { type SiteInput, scaledVector } from "../sums.js";
import { binsOf, fullLayout, levelHistogram } from "../trees/histograms.js";
import { bestCut } from "./bestCut.js";
import { lastVector } from "./dpPccVector.js";
import { trainingRows } from "./leafCounts.js";
import { levelsAbove, placedRows } from "./treeSoFar.js";

/**
 * A site's vector of a stage of dp-pcc-s: integers without noise. At a level, of each node the sum of its blocks' answers. A
 * record is in one block and one node, so it changes one answer: of each attribute by at most √2, L2 sensitivity √(2m) under
 * add-remove. At the leaves and in the evaluation a record is a single 1.
 * @throws ConsiliumError as `dpPccVector`
 */
export async function dpPccSVector(
  study: DpPccSStudy,
  id: StageId,
  input: SiteInput,
): Promise<BigUint64Array> {
  const layout = dpPccSLayout(study);
  if (id === layout.leaves.id || id === layout.evaluation?.id) return lastVector(study, layout, id, input);
  const level = layout.levels.findIndex((stage) => stage.id === id);
  if (level === -1) throw new ConsiliumError("MESSAGE_UNEXPECTED", `dp-pcc-s has no sum stage ${id}`);
  return levelVector(study, layout, level, input);
}

async function levelVector(
  study: DpPccSStudy,
  layout: DpPccSLayout,
  level: number,
  input: SiteInput,
): Promise<BigUint64Array> {
  const { features, classes, nodeLength } = layout;
  const { blocks, depth } = study.parameters;
  const stage = layout.levels[level]!;
  const splits = levelsAbove(input.broadcasts, level, depth, features);
  const nodes = 2 ** level;
  const histogram = fullLayout(features, blocks * nodes, classes);
  const sums = levelHistogram(input.kernels, histogram, "classes");
  for await (const block of trainingRows(study, input)) {
    const placed = placedRows(block, splits, features);
    const own = blocksOf(study, stage.id, block);
    const weights = new Float64Array(block.rows).fill(1);
    await sums.add({
      bins: placed.bins,
      nodes: placed.nodes.map((node, r) => own[r]! * nodes + node),
      weights: { kind: "classes", classes: block.labels!, weights },
    });
  }
  const counts = await sums.finish();
  const vector = new Float64Array(stage.length);
  for (let at = 0; at < blocks * nodes; at++) {
    const part = vector.subarray((at % nodes) * nodeLength, ((at % nodes) + 1) * nodeLength);
    for (let f = 0; f < features.length; f++) addAnswer(part, layout, f, binsOf(counts, histogram, at, f));
  }
  return scaledVector(study, stage, vector);
}

/**
 * A block's answer about one attribute: of an ordered one |φ| and |φ|·c, c from 0 to 1 by the rank of the cut, 1 for the last;
 * of a nominal one |φ| at the level that is taken out. Nothing where no cut has a correlation.
 */
function addAnswer(part: Float64Array, layout: DpPccSLayout, feature: number, bins: Float64Array): void {
  const { kind, bins: count } = layout.features[feature]!;
  const best = bestCut(bins, kind, layout.classes, 0);
  if (best === null) return;
  const { at } = layout.answers[feature]!;
  const units = Math.trunc(best.correlation * answerUnit);
  if (kind === "nominal") part[at + best.cut]! += units;
  else {
    part[at]! += units;
    part[at + 1]! += Math.trunc((units * (best.cut + 1)) / (count - 1));
  }
}

/** The block of each row: a function of its own features, of public text and of nothing else; other ones at each level. */
function blocksOf(study: DpPccSStudy, stage: StageId, block: ColumnBlock): Uint32Array {
  const { seed, blocks } = study.parameters;
  const start = Number.parseInt(sha256("consilium blocks of rows v1\n", `${stage} ${seed}`).slice(0, 8), 16);
  return rowHashes(block, start).map((hash) => hash % blocks);
}
