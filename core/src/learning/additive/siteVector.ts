import { ConsiliumError } from "../../errors.js";
import type { StageId } from "../../ids.js";
import { type AdditiveStudy, additiveLayout } from "../../study/additive.js";
import { binBlock } from "../../study/binning.js";
import { evaluationForm } from "../../study/evaluation.js";
import { channels } from "../../study/secondOrder.js";
import { type SoundStage, soundSum } from "../../study/soundSums.js";
import { evaluationCounts } from "../evaluation.js";
import { partOf } from "../heldOut.js";
import { withinRows } from "../moments.js";
import { cutsTold } from "../scoreScale.js";
import { type SiteInput, scaledVector } from "../sums.js";
import { fullLayout } from "../trees/histograms.js";
import { boundedGradient } from "../trees/secondOrderRecords.js";
import { derivativeSums } from "../trees/secondOrderVector.js";
import { blockMargins, curvesTold, marginsOf } from "./curves.js";

/** y = 1 at the label's second level. */
const positive = 1;

/**
 * A site's vector of a stage: of every bin of every feature the sums of its rows' g and h, which depend on the row and on what was
 * broadcast alone; or the counts of the evaluation. Nothing is kept between stages.
 *
 * L2 sensitivity under add-remove: √m·2^k, in the first epoch √(5m)/4·2^k (docs/METHODS.md#dp-additive-proof).
 * @throws ConsiliumError MESSAGE_UNEXPECTED for a stage of another method; as `curvesTold`, before a row is read;
 *   ROWS_TOO_MANY as `checkRows`
 */
export async function additiveVector(
  study: AdditiveStudy,
  id: StageId,
  input: Pick<SiteInput, "broadcasts" | "blocks" | "kernels">,
): Promise<BigUint64Array> {
  const layout = additiveLayout(study);
  if (id === layout.evaluation?.id) return evaluationVector(study, layout.evaluation, input);
  const stage = layout.stages.find((one) => one.id === id);
  if (stage === undefined)
    throw new ConsiliumError("MESSAGE_UNEXPECTED", `dp-additive has no sum stage ${id}`);
  const { features, gridExponent } = layout;
  const curves = curvesTold(study, stage, input.broadcasts);
  const { evaluation, seed } = study.parameters;
  const write = boundedGradient(gridExponent, {
    limit: stage.sensitivitySquared / features.length,
    most: stage.entryMost,
  });
  return derivativeSums({
    study,
    layout: fullLayout(features, 1, channels),
    gridExponent,
    scale: soundSum(study, stage).scale,
    blocks: partOf(withinRows(study, input.blocks), "training", evaluation, seed),
    kernels: input.kernels,
    rowsOf(block) {
      const bins = binBlock(block, features);
      const margins = marginsOf(curves, layout, bins, block.rows);
      const values = new Float64Array(channels * block.rows);
      for (let r = 0; r < block.rows; r++)
        write(margins, r, block.labels![r] === positive, values, channels * r);
      return { nodes: new Uint16Array(block.rows), bins, weights: { kind: "values", values } };
    },
  });
}

/** Counts of the held-out rows by score and class. */
async function evaluationVector(
  study: AdditiveStudy,
  stage: SoundStage,
  { broadcasts, blocks }: Pick<SiteInput, "broadcasts" | "blocks">,
): Promise<BigUint64Array> {
  const layout = additiveLayout(study);
  const curves = curvesTold(study, stage, broadcasts);
  const { evaluation, seed } = study.parameters;
  const form = evaluationForm(channels);
  const counts = await evaluationCounts({
    study,
    evaluation,
    form,
    seed,
    cuts: cutsTold(form, broadcasts),
    blocks: withinRows(study, blocks),
    predict(block) {
      const own = blockMargins(curves, layout, block);
      return (row) => own[row]!;
    },
  });
  return scaledVector(study, stage, counts);
}
