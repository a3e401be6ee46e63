import type { StageId } from "@consilium/core/ids";
import { type SumConversation, unscaledSum } from "@consilium/core/learning/sums";
import { quantiseRecord } from "@consilium/core/privacy/quantise";
import type { DesignRows } from "@consilium/core/study/design";
import { noiseStdDev } from "@consilium/core/study/soundSums";
import type { BlockRecords, Contributor } from "@consilium/gate/contributions";
import type { Proposal } from "@consilium/gate/fold";
import { fwellWeights } from "../shared/local-learning/fwell.js";
import { solverOf } from "../shared/local-learning/localLearning.js";
import { marginsOf, nearestNeighbours } from "../shared/local-learning/neighbours.js";
import { normalNoise, type WeightNoise } from "../shared/local-learning/ranking.js";
import { featureOfColumn, type UnitTable, unitRowsOf } from "../shared/local-learning/unitRows.js";
import { noStage } from "../shared/plans/broadcastFaults.js";
import { proposed } from "../shared/records/proposal.js";
import { blockGridExponent, blocksOf, type FelpSStudy, felpSLayout, felpSStage } from "./study.js";

/** FELP-S: what a site adds, and what is made of the sum (docs/METHODS.md#felp-s-proof). */

/**
 * The site's vector before noise and mask: Σ over its blocks of trunc(2^h·v), v = max(w, 0)/|max(w, 0)| of the block's
 * FWELL; 0 where a block tells nothing apart. Blocks are drawn by lot.
 * @throws ConsiliumError MESSAGE_UNEXPECTED for another stage
 */
export function felpSProposal(
  study: FelpSStudy,
  id: StageId,
  pause: () => Promise<void> = async () => {},
): Proposal {
  if (id !== felpSStage) throw noStage("felp-s", id);
  const unitRows = unitRowsOf(study.features);
  const contributor = (): Contributor => ({
    kind: "blocks",
    placeOf: () => 0,
    answer: async (records, out) => out.set(await blockVector(study, unitTableOf(unitRows, records), pause)),
  });
  return proposed(study, felpSLayout(study), contributor, pause);
}

function unitTableOf(unitRows: DesignRows, { rows, values, labels }: BlockRecords): UnitTable {
  const [d, f] = [unitRows.width, unitRows.features];
  const unit = new Float64Array(rows * d);
  for (let r = 0; r < rows; r++) unitRows.write(values, unit, r * f, r * d);
  return { rows, columns: d, values: unit, labels };
}

/** What a block answers: integers without a negative one, Σ q² ≤ 4^h checked exactly. */
export async function blockVector(
  study: FelpSStudy,
  table: UnitTable,
  pause: () => Promise<void>,
): Promise<Float64Array> {
  const features = study.features.length;
  const neighbours = await nearestNeighbours(table, 1, pause);
  const counts = new Uint32Array(table.rows).fill(1);
  const featureOf = featureOfColumn(study.features);
  const margins = marginsOf({ table, neighbours, counts, featureOf, features });
  const weights = fwellWeights(margins, study.parameters.lambda, solverOf(study.parameters, features));
  const positive = weights.map((weight) => Math.max(weight, 0));
  const length = Math.sqrt(positive.reduce((sum, weight) => sum + weight * weight, 0));
  const out = new Float64Array(features);
  if (!(length > 0)) return out;
  quantiseRecord({
    values: positive.map((weight) => (weight / length) * (1 - 2 ** -40)),
    gridExponent: blockGridExponent,
    squaredNormLimit: 4 ** blockGridExponent,
    out,
  });
  return out;
}

export interface FelpSResult {
  /** [d] the mean over all blocks of the sites in the sum, abstaining ones included. */
  readonly weights: Float64Array;
  readonly noise: WeightNoise | null;
  /** Blocks over the sites in the sum. */
  readonly blocks: number;
}

/** @throws RangeError when the sum is none that honest sites can send */
export async function felpSConversation(
  study: FelpSStudy,
  conversation: SumConversation,
  check: <T>(judge: () => T) => T = (judge) => judge(),
): Promise<FelpSResult> {
  const stage = felpSLayout(study);
  const sum = await conversation.sum(stage.id, {});
  const blocks = conversation.survivors * blocksOf(study);
  const unit = blocks * stage.integersPerUnit;
  const weights = check(() => unscaledSum(study, stage, sum)).map((value) => value / unit);
  const stdDev = noiseStdDev(study, stage, conversation.survivors) / unit;
  return { weights, noise: stdDev === 0 ? null : normalNoise(weights.map(() => stdDev)), blocks };
}
