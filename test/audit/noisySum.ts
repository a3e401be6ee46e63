import type { RandomSource } from "@consilium/core/random";
import { noiseWeight, type StageNoise } from "@consilium/core/study/plan";
import { addNoiseShare } from "@consilium/gate/noise/noiseShare";
import type { Integers, SumMechanism } from "./auditedMethod.js";

/**
 * The sum as anyone who sees it and knows the colluding sites' shares sees it: one table's vector, and the shares of
 * `noiseShares` sites, added by the sites' own code.
 */
export function noisySum(vector: Integers, noise: StageNoise, random: RandomSource): Integers {
  const sum = new BigUint64Array(vector.length);
  sum.set(new BigUint64Array(vector.buffer, vector.byteOffset, vector.length));
  addShares(sum, noise, noise.event.noiseShares, noiseWeight(noise.weights), random);
  return new BigInt64Array(sum.buffer);
}

/** What the stages before `stages` publish of a table, each with the noise that it really has. */
export async function transcriptOf(
  mechanism: SumMechanism,
  options: { readonly table: readonly number[]; readonly stages: number; readonly random: RandomSource },
): Promise<Integers[]> {
  const published: Integers[] = [];
  for (const stage of mechanism.stages.slice(0, options.stages)) {
    const vector = await stage.vector(options.table, published);
    published.push(noisySum(vector, stage.noise, options.random));
  }
  return published;
}

/** Adds so many sites' shares. */
export function addShares(
  vector: BigUint64Array,
  noise: StageNoise,
  shares: number,
  weightOf: (index: number) => number,
  random: RandomSource,
): void {
  const { shareVariance } = noise.event;
  for (let share = 0; share < shares; share++) addNoiseShare({ vector, shareVariance, weightOf, random });
}

/** The stage's noise with a standard deviation that is `factor` times as large: for positive controls. */
export function scaledNoise(noise: StageNoise, factor: number): StageNoise {
  const shareVariance = noise.event.shareVariance * factor * factor;
  return { ...noise, event: { ...noise.event, shareVariance } };
}
