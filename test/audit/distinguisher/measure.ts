import type { RandomSource } from "@consilium/core/random";
import { noiseWeight, type StageNoise } from "@consilium/core/study/plan";
import { addShares } from "../noisySum.js";
import type { FoundPair } from "./pairs.js";

/** ρ of a pair by experiment: what the best linear test makes of both tables' noisy sums. */
export interface MeasuredRho {
  readonly rho: number;
  readonly standardError: number;
  /** Noisy sums of each table. */
  readonly draws: number;
}

/** By so many standard errors what is measured must exceed what is charged. */
export const sigmas = 3;

/** A figure that ρ exceeds, but for three standard errors' chance: 0.0013. */
export const rhoAtLeast = ({ rho, standardError }: MeasuredRho) => rho - sigmas * standardError;

/** Entries of noise held in memory at once. */
const chunkEntries = 2 ** 20;

/**
 * Adds the noise of `shares` sites to either table's vector, as sites do, and projects on the vectors' difference d:
 * y = Σ w_j·d_j·(z_j - q_j) / Σ w_j·d_j², whose mean is 0 on the smaller table and 1 on the larger one. Of Gaussians of one variance
 * ρ is half the squared distance of the means over the variance; no other linear test tells more. The squared distance is found too
 * large by 2/draws of the variance, which is taken off.
 */
export function measureRho(
  { smaller, larger }: FoundPair,
  noise: StageNoise,
  options: { readonly shares: number; readonly draws: number; readonly random: RandomSource },
): MeasuredRho {
  const { shares, draws, random } = options;
  const entries = [...smaller.keys()].filter((j) => smaller[j] !== larger[j]);
  const width = entries.length;
  if (width === 0) return { rho: 0, standardError: 0, draws };
  const weights = entries.map(noiseWeight(noise.weights));
  const differences = entries.map((j) => Number(larger[j]! - smaller[j]!));
  const squares = differences.reduce((sum, d, e) => sum + weights[e]! * d * d, 0);
  const slopes = differences.map((d, e) => (weights[e]! * d) / squares);
  const at = (vector: BigInt64Array) => BigInt64Array.from(entries, (j) => vector[j]!);
  const origin = at(smaller);
  const sums = [origin, at(larger)].map((vector) => {
    let [sum, square] = [0, 0];
    for (let from = 0; from < draws; ) {
      const runs = Math.min(draws - from, Math.max(1, Math.floor(chunkEntries / width)));
      const noisy = new BigInt64Array(runs * width);
      for (let run = 0; run < runs; run++) noisy.set(vector, run * width);
      addShares(new BigUint64Array(noisy.buffer), noise, shares, (i) => weights[i % width]!, random);
      for (let run = 0, i = 0; run < runs; run++) {
        let y = 0;
        for (let e = 0; e < width; e++, i++) y += slopes[e]! * Number(noisy[i]! - origin[e]!);
        sum += y;
        square += y * y;
      }
      from += runs;
    }
    const mean = sum / draws;
    return { mean, variance: (square - draws * mean * mean) / (draws - 1) };
  });
  const [without, within] = sums as [(typeof sums)[number], (typeof sums)[number]];
  const variance = (without.variance + within.variance) / 2;
  const distance = (within.mean - without.mean) ** 2 / variance;
  return {
    rho: Math.max(0, distance / 2 - 1 / draws),
    // Of δ = distance^½: var δ = 2/n + δ²/(4n); ρ = δ²/2.
    standardError: Math.sqrt(distance * (2 / draws + distance / (4 * draws))),
    draws,
  };
}

/**
 * Noisy sums of each table for which three standard errors are a tenth or so of ρ, or as many as `entries` of noise allow.
 * @param relative - the standard error over ρ
 */
export function drawsFor(
  { smaller, larger, ratio }: FoundPair,
  rho: number,
  {
    relative,
    entries,
    shares,
  }: { readonly relative: number; readonly entries: number; readonly shares: number },
): number {
  const width = smaller.reduce((sum, entry, j) => sum + (entry === larger[j] ? 0 : 1), 0);
  const wanted = (4 / Math.max(rho * ratio, 1e-6) + 0.5) / relative ** 2;
  const afforded = entries / (2 * shares * Math.max(1, width));
  return Math.max(100, Math.floor(Math.min(wanted, afforded)));
}
