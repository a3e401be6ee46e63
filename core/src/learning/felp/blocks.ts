import { ConsiliumError } from "../../errors.js";
import type { StageId } from "../../ids.js";
import { quantiseRecord } from "../../privacy/quantise.js";
import { RandomWords } from "../../privacy/randomWords.js";
import { blockGridExponent, blocksOf, type FelpSStudy, felpSLayout, felpSStage } from "../../study/felpS.js";
import { solverOf } from "../../study/localLearning.js";
import { noiseStdDev } from "../../study/soundSums.js";
import { type SiteInput, type SumConversation, scaledVector, unscaledSum } from "../sums.js";
import { fwellWeights } from "./fwell.js";
import { marginsOf, nearestNeighbours } from "./neighbours.js";
import { normalNoise, type WeightNoise } from "./ranking.js";
import { featureOfColumn, readUnitTable, type UnitTable } from "./unitRows.js";

/** A block takes at most so many times the rows that it has in a table of `maxRowsPerSite`. */
const fullestBlock = 4;

/** FELP-S: what a site adds, and what is made of the sum (docs/METHODS.md#felp-s-proof). */

/**
 * The site's vector before noise and mask: Σ over its blocks of trunc(2^h·v), v = max(w, 0)/|max(w, 0)| of the block's
 * FWELL; 0 where a block tells nothing apart. Each row draws its block for itself, with `random`, never by its place in
 * the table: another row would shift the blocks of all that follow. Rows beyond a public number in one block are left
 * out, so that memory and time are bounded whatever the table; that concerns their own block alone.
 * @throws ConsiliumError MESSAGE_UNEXPECTED for another stage; VALUE_NOT_FINITE; without noise also ROWS_TOO_MANY above
 *   `maxRowsPerSite`
 */
export async function felpSVector(
  study: FelpSStudy,
  id: StageId,
  input: Pick<SiteInput, "blocks" | "random">,
  pause: () => Promise<void> = async () => {},
): Promise<BigUint64Array> {
  if (id !== felpSStage) throw new ConsiliumError("MESSAGE_UNEXPECTED", `felp-s has no sum stage ${id}`);
  const words = new RandomWords(input.random);
  const count = blocksOf(study);
  const most = fullestBlock * Math.ceil(study.participation.maxRowsPerSite / count);
  const rowsOf = new Uint32Array(count);
  const drawn: number[] = [];
  const table = await readUnitTable(study, input.blocks, () => {
    const block = words.below(count);
    if (rowsOf[block] === most) return false;
    rowsOf[block]!++;
    drawn.push(block);
    return true;
  });
  const blocks = Uint32Array.from(drawn);
  return scaledVector(study, felpSLayout(study), await blockSums({ study, table, blocks, pause }));
}

/**
 * Σ over blocks of their integer vectors.
 * @param blocks - [rows] the block of each row
 */
export async function blockSums(options: {
  readonly study: FelpSStudy;
  readonly table: UnitTable;
  readonly blocks: Uint32Array;
  readonly pause: () => Promise<void>;
}): Promise<Float64Array> {
  const { study, table, blocks, pause } = options;
  const members = new Map<number, number[]>();
  blocks.forEach((block, row) => {
    const rows = members.get(block);
    if (rows === undefined) members.set(block, [row]);
    else rows.push(row);
  });
  const sums = new Float64Array(study.features.length);
  for (const rows of members.values()) {
    const own = await blockVector(study, partOf(table, rows), pause);
    for (let j = 0; j < sums.length; j++) sums[j] = sums[j]! + own[j]!;
  }
  return sums;
}

/** A block's part: integers without a negative one, Σ q² ≤ 4^h checked exactly. */
async function blockVector(
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

function partOf(table: UnitTable, rows: readonly number[]): UnitTable {
  const { columns: d } = table;
  const values = new Float64Array(rows.length * d);
  rows.forEach((row, r) => {
    values.set(table.values.subarray(row * d, (row + 1) * d), r * d);
  });
  return {
    rows: rows.length,
    columns: d,
    values,
    labels: Uint16Array.from(rows, (row) => table.labels[row]!),
  };
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
