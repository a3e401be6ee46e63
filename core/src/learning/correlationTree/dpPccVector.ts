import { ConsiliumError } from "../../errors.js";
import type { StageId } from "../../ids.js";
import type { BinnedFeature } from "../../study/binning.js";
import { type DpPccLayout, type DpPccStudy, dpPccLayout } from "../../study/dpPcc.js";
import type { SoundStage } from "../../study/soundSums.js";
import type { Study } from "../../study/study.js";
import { checkRows } from "../moments.js";
import { type SiteInput, scaledVector } from "../sums.js";
import { levelHistogram } from "../trees/histograms.js";
import type { LevelSplits } from "../trees/levels.js";
import { levelsAbove, placedRows } from "./treeSoFar.js";

/**
 * A site's vector of a stage of dp-pcc: integers without noise. At a level a record adds 1 at (its node, attribute, its
 * bin, its class) for each of the m attributes: L2 sensitivity √m under add-remove. At the leaves it adds a single 1.
 * Its length depends on public numbers alone; an empty table is zeros.
 * @throws ConsiliumError MESSAGE_UNEXPECTED for no stage of the study, FIELD_INVALID or BROADCAST_INVALID before a row is
 *   read, ROWS_TOO_MANY above `maxRowsPerSite`
 */
export async function dpPccVector(study: DpPccStudy, id: StageId, input: SiteInput): Promise<BigUint64Array> {
  const layout = dpPccLayout(study);
  const { features, levels, leaves } = layout;
  if (id === leaves.id) {
    const splits = levelsAbove(input.broadcasts, levels.length, levels.length, features);
    return leafVector({ study, stage: leaves, splits, features, input });
  }
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
  let seen = 0;
  for await (const block of input.blocks) {
    seen += block.rows;
    checkRows(seen, study);
    const weights = new Float64Array(block.rows).fill(1);
    await sums.add({
      ...placedRows(block, splits, features),
      weights: { kind: "classes", classes: block.labels!, weights },
    });
  }
  return scaledVector(study, stage, await sums.finish());
}

/** Counts by leaf and class, [2^h × L]: the last stage of both sound methods. */
export async function leafVector(options: {
  readonly study: Study;
  readonly stage: SoundStage;
  readonly splits: readonly LevelSplits[];
  readonly features: readonly BinnedFeature[];
  readonly input: SiteInput;
}): Promise<BigUint64Array> {
  const { study, stage, splits, features, input } = options;
  const classes = stage.length / 2 ** splits.length;
  const counts = new Float64Array(stage.length);
  let seen = 0;
  for await (const block of input.blocks) {
    seen += block.rows;
    checkRows(seen, study);
    const { nodes } = placedRows(block, splits, features);
    for (let r = 0; r < block.rows; r++) counts[nodes[r]! * classes + block.labels![r]!]!++;
  }
  return scaledVector(study, stage, counts);
}
