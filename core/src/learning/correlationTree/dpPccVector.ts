import { ConsiliumError } from "../../errors.js";
import type { StageId } from "../../ids.js";
import type { SoundTreeStudy } from "../../study/correlationTree.js";
import type { ColumnBlock } from "../../study/design.js";
import { type DpPccLayout, type DpPccStudy, dpPccLayout } from "../../study/dpPcc.js";
import { rowWeights } from "../patientRows.js";
import { type SiteInput, scaledVector } from "../sums.js";
import { levelHistogram } from "../trees/histograms.js";
import { heldOutCounts, leafCounts, trainingRows } from "./leafCounts.js";
import { levelsAbove, placedRows } from "./treeSoFar.js";

/**
 * A site's vector of a stage of dp-pcc: integers without noise. At a level a record adds 1 at (its node, attribute, its
 * bin, its class) for each of the m attributes: L2 sensitivity √m under add-remove. At the leaves it adds a single 1.
 * Its length depends on public numbers alone; an empty table is zeros.
 * @throws ConsiliumError MESSAGE_UNEXPECTED for no stage of the study, FIELD_INVALID or BROADCAST_INVALID before a row is
 *   read, ROWS_TOO_MANY as `checkRows`
 */
export async function dpPccVector(study: DpPccStudy, id: StageId, input: SiteInput): Promise<BigUint64Array> {
  const layout = dpPccLayout(study);
  const { levels, leaves, evaluation } = layout;
  if (id === leaves.id || id === evaluation?.id) return lastVector(study, layout, id, input);
  const level = levels.findIndex(({ stage }) => stage.id === id);
  if (level === -1) throw new ConsiliumError("MESSAGE_UNEXPECTED", `dp-pcc has no sum stage ${id}`);
  return levelVector(study, layout, level, input);
}

async function levelVector(
  study: DpPccStudy,
  { features, levels }: DpPccLayout,
  level: number,
  input: SiteInput,
): Promise<BigUint64Array> {
  const { stage, histogram } = levels[level]!;
  const splits = levelsAbove(input.broadcasts, level, levels.length, features);
  const sums = levelHistogram(input.kernels, histogram, "classes");
  for await (const block of trainingRows(study, input)) {
    const weights = rowWeights(study, block) ?? new Float64Array(block.rows).fill(1);
    await sums.add({
      ...placedRows(block, splits, features),
      weights: { kind: "classes", classes: block.labels!, weights },
    });
  }
  return scaledVector(study, stage, await sums.finish());
}

/**
 * The last stages of both sound methods: counts by leaf and class, [2^h × L], and the evaluation's.
 * @throws ConsiliumError as `dpPccVector`
 */
export async function lastVector(
  study: SoundTreeStudy,
  layout: Pick<DpPccLayout, "features" | "leaves" | "evaluation">,
  id: StageId,
  input: SiteInput,
): Promise<BigUint64Array> {
  const { features, leaves, evaluation } = layout;
  const { depth } = study.parameters;
  const splits = levelsAbove(input.broadcasts, depth, depth, features);
  const place = (block: ColumnBlock) => placedRows(block, splits, features).nodes;
  if (id === evaluation?.id) return scaledVector(study, evaluation, await heldOutCounts(study, input, place));
  return scaledVector(study, leaves, await leafCounts(study, input, place));
}
