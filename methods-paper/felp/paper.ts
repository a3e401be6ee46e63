import { type RingCodec, ringCodecFor } from "@consilium/core/fixed-point/ringVector";
import type { SiteInput, SumConversation } from "@consilium/core/learning/sums";
import type { RandomSource } from "@consilium/core/random";
import { fwellWeights } from "@consilium/methods/shared/local-learning/fwell";
import { solverOf } from "@consilium/methods/shared/local-learning/localLearning";
import { marginsOf, nearestNeighbours } from "@consilium/methods/shared/local-learning/neighbours";
import type { WeightNoise } from "@consilium/methods/shared/local-learning/ranking";
import {
  featureOfColumn,
  readUnitTable,
  type UnitTable,
} from "@consilium/methods/shared/local-learning/unitRows";
import { normNoiseHalfWidth, normNoiseLimit, normNoiseStdDev, unitNormNoise } from "./normNoise.js";
import { type PaperFelpStudy, paperFelpStage, publishedScale } from "./study.js";
import { subsamplesOf } from "./subsamples.js";

/** FELP and its relatives as published [LYJ16], over sites: docs/methods/feature-selection.md#felp. */

/**
 * With so many neighbours kept, a subsample with replacement lacks all of a row's in 1 of 10^6 rows, and is searched
 * for them.
 */
const neighboursKept = 16;

/** N_i times weights, and N_i: [d + 1], on the finest grid on which all sites' sum fits 64 bits. */
function codecOf(study: PaperFelpStudy, sites: number): RingCodec {
  const d = study.features.length;
  const rows = study.participation.maxRowsPerSite;
  const bounds = new Float64Array(d + 1).fill(rows * weightLimit(study) + ownNoiseLimit(study));
  bounds[d] = rows;
  return ringCodecFor({ bounds, sites });
}

/** At the minimum 2λw is a mean of parts of margins, which are from -1 to 1. */
const weightLimit = (study: PaperFelpStudy) => 1 / (2 * study.parameters.lambda);

/** N_i·b of fple has the scale 2/(λε) whatever N_i is. */
const ownNoiseLimit = (study: PaperFelpStudy) =>
  study.method === "fple" ? publishedScale(study, 1) * normNoiseLimit(study.features.length) : 0;

const clamp = (value: number, limit: number) => Math.min(limit, Math.max(-limit, value));

/**
 * A site's vector: (N_i·w_i, N_i), or zeros where no row has both a nearest hit and a nearest miss: then the site
 * abstains, whatever the reason.
 * @param pause - awaited now and then during long searches
 * @throws ConsiliumError ROWS_TOO_MANY above `maxRowsPerSite`; VALUE_NOT_FINITE naming the column
 */
export async function paperFelpVector(
  study: PaperFelpStudy,
  input: SiteInput,
  pause: () => Promise<void> = async () => {},
): Promise<BigUint64Array> {
  const d = study.features.length;
  const vector = new Float64Array(d + 1);
  const table = await readUnitTable(study, input.blocks);
  const weights = await ensembleWeights({ study, input, table, pause });
  if (weights !== null) {
    const noise = study.method === "fple" && study.privacy !== "none" ? unitNormNoise(d, input.random) : null;
    const scale = publishedScale(study, 1);
    for (let j = 0; j < d; j++) {
      const own = table.rows * clamp(weights[j]!, weightLimit(study));
      vector[j] = own + (noise === null ? 0 : clamp(scale * noise[j]!, ownNoiseLimit(study)));
    }
    vector[d] = table.rows;
  }
  return codecOf(study, input.sites).encode(vector);
}

/** w_i: the mean of the subsamples' weights; null where the table tells nothing apart. */
async function ensembleWeights(options: {
  readonly study: PaperFelpStudy;
  readonly input: SiteInput;
  readonly table: UnitTable;
  readonly pause: () => Promise<void>;
}): Promise<Float64Array | null> {
  const { study, input, table, pause } = options;
  const features = study.features.length;
  const featureOf = featureOfColumn(study.features);
  const kept = study.method === "fwell" ? 1 : Math.min(neighboursKept, Math.max(1, table.rows - 1));
  const neighbours = await nearestNeighbours(table, kept, pause);
  const whole = new Uint32Array(table.rows).fill(1);
  if (marginsOf({ table, neighbours, counts: whole, featureOf, features }).rows === 0) return null;
  const { lambda } = study.parameters;
  const solver = solverOf(study.parameters, features);
  const mean = new Float64Array(features);
  let drawn = 0;
  for (const counts of subsamplesOf(study, input.site, table.rows)) {
    const weights = fwellWeights(
      marginsOf({ table, neighbours, counts, featureOf, features }),
      lambda,
      solver,
    );
    for (let j = 0; j < features; j++) mean[j] = mean[j]! + weights[j]!;
    drawn++;
    await pause();
  }
  return mean.map((sum) => sum / drawn);
}

export interface PaperFelpResult {
  /** n, exactly: rows of the sites that did not abstain. */
  readonly rows: number;
  /** [d] with the published noise. */
  readonly weights: Float64Array;
  readonly noise: WeightNoise | null;
}

/**
 * @param random - of the noise that felp adds at the aggregator: drawn once and stored
 * @param check - runs what judges the sum, and may turn its RangeError into an error of its own
 * @throws RangeError when the sum is none that honest sites can send
 */
export async function paperFelpConversation(
  study: PaperFelpStudy,
  conversation: SumConversation,
  random: RandomSource,
  check: <T>(judge: () => T) => T = (judge) => judge(),
): Promise<PaperFelpResult> {
  const d = study.features.length;
  const codec = codecOf(study, conversation.sites);
  const total = await conversation.sum(paperFelpStage, {});
  const sum = check(() => plausibleSum(study, codec.decodeSum(total), conversation.survivors));
  const rows = sum[d]!;
  if (rows === 0) return { rows, weights: new Float64Array(d), noise: null };
  const weights = sum.subarray(0, d).map((value) => value / rows);
  if (study.privacy === "none" || (study.method !== "felp" && study.method !== "fple")) {
    return { rows, weights, noise: null };
  }
  const scale = publishedScale(study, rows);
  if (study.method === "felp") {
    // felp's noise is the aggregator's alone: it is drawn once, so that a replay releases the same weights.
    const text = conversation.draw("felp-noise", () => JSON.stringify(Array.from(unitNormNoise(d, random))));
    const noise = JSON.parse(text) as number[];
    for (let j = 0; j < d; j++) weights[j] = weights[j]! + scale * noise[j]!;
  }
  return { rows, weights, noise: noiseOf(d, scale, study.method === "felp" ? 1 : conversation.survivors) };
}

/** Of so many vectors of noise; sites that abstained add none, so that for fple it is at most this. */
function noiseOf(d: number, scale: number, vectors: number): WeightNoise {
  const stdDev = normNoiseStdDev(d, vectors);
  return {
    stdDev: new Float64Array(d).fill(scale * stdDev),
    halfWidth: normNoiseHalfWidth(d, vectors) / stdDev,
  };
}

/** @returns the sum, its number of rows rounded to the whole one that it stands for */
function plausibleSum(study: PaperFelpStudy, sum: Float64Array, sites: number): Float64Array {
  const d = study.features.length;
  const rows = sum[d]!;
  const whole = Math.round(rows) + 0;
  if (!(Math.abs(rows - whole) < 1e-6 && whole >= 0 && whole <= sites * study.participation.maxRowsPerSite)) {
    throw new RangeError("the sum holds no number of rows that the sites can have");
  }
  // Rounding to the grid adds half a step for each site, far below a millionth of a row.
  const most = whole * weightLimit(study) + sites * ownNoiseLimit(study) + 1e-6 * (1 + weightLimit(study));
  if (!sum.subarray(0, d).every((value) => Math.abs(value) <= most)) {
    throw new RangeError("the sum holds weights that no sites can have");
  }
  const plausible = sum.slice();
  plausible[d] = whole;
  return plausible;
}
