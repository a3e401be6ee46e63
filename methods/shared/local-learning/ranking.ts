import { z95 } from "@consilium/core/linalg/z95";
import type { Feature } from "@consilium/core/study/features";
import { seededNormals } from "../draws/seededNormals.js";
import { largestOfNormals } from "./localLearning.js";

/** A feature as it is released. */
export interface RankedFeature {
  readonly name: string;
  /** 1 for the largest weight; of equal ones the first declared comes first. */
  readonly rank: number;
  readonly weight: number;
  /** Of the noise in the weight; null where the weight carries none. */
  readonly stdDev: number | null;
  /** Where the weight without noise lies with probability 0.95, over the noise. */
  readonly low: number | null;
  readonly high: number | null;
  readonly selected: boolean;
  /**
   * How often the feature is among the q largest when noise as large as the one in the weights is added to them once more:
   * near 0 or 1 for a choice that the noise hardly touches. Null where the weights carry none.
   */
  readonly topShare: number | null;
}

/** How uncertain weights are. */
export interface WeightNoise {
  /** [d]. */
  readonly stdDev: Float64Array;
  /** Half of a 0.95 interval, in standard deviations: 1.96 where the noise is normal. */
  readonly halfWidth: number;
}

/** Noise that is normal, or as good as. @param stdDev - [d] */
export const normalNoise = (stdDev: Float64Array): WeightNoise => ({ stdDev, halfWidth: z95 });

const drawsOfShare = 1000;
const drawnNumbersMost = 2 ** 24;

/**
 * Ranks features by weight and selects the first q.
 * @param weights - [d]
 * @param noise - in them; null for none
 * @param seed - public, of the draws behind `topShare`
 */
export function rankedFeatures(options: {
  readonly features: readonly Feature[];
  readonly weights: Float64Array;
  readonly noise: WeightNoise | null;
  readonly select: number;
  readonly seed: string;
}): RankedFeature[] {
  const { features, weights, noise, select, seed } = options;
  const order = descending(weights);
  const shares = noise === null ? null : topShares({ weights, stdDev: noise.stdDev, select, seed });
  return Array.from(order, (j, place): RankedFeature => {
    const weight = weights[j]!;
    const stdDev = noise?.stdDev[j] ?? null;
    const half = noise === null || stdDev === null ? null : noise.halfWidth * stdDev;
    return {
      name: features[j]!.name,
      rank: place + 1,
      weight,
      stdDev,
      low: half === null ? null : weight - half,
      high: half === null ? null : weight + half,
      selected: place < select,
      topShare: shares?.[j] ?? null,
    };
  });
}

/** Indices by descending weight, then ascending. */
export function descending(weights: Float64Array): Uint32Array {
  return Uint32Array.from(weights.keys()).sort((a, b) => weights[b]! - weights[a]! || a - b);
}

function topShares(options: {
  readonly weights: Float64Array;
  readonly stdDev: Float64Array;
  readonly select: number;
  readonly seed: string;
}): Float64Array {
  const { weights, stdDev, select, seed } = options;
  const d = weights.length;
  const normal = seededNormals(`${seed} top shares`);
  const draws = Math.max(100, Math.min(drawsOfShare, Math.floor(drawnNumbersMost / d)));
  const times = new Float64Array(d);
  for (let draw = 0; draw < draws; draw++) {
    const again = weights.map((weight, j) => weight + stdDev[j]! * normal());
    for (const j of descending(again).subarray(0, select)) times[j] = times[j]! + 1;
  }
  return times.map((count) => count / draws);
}

/** Whether any weight exceeds what the largest of d noises alone would be. */
export function standsOut(weights: Float64Array, noise: WeightNoise | null): boolean {
  const most = largestOfNormals(weights.length);
  return weights.some((weight, j) => weight > most * (noise?.stdDev[j] ?? 0));
}
