import type { RandomSource } from "@consilium/secure-sum/random";
import { DiscreteGaussian } from "./discreteGaussian.js";
import { RandomWords } from "./randomWords.js";
import { dividedBy, exactRational } from "./rational.js";

/**
 * Adds one site's share of noise to its vector, in place and modulo 2^64.
 * @param vector - ring elements, two's complement
 * @param shareVariance - V_loc as the sum's event states it
 * @param weightOf - the weight of the group that an entry belongs to
 * @param random - the operating system's generator, or a stream keyed by it
 */
export function addNoiseShare(options: {
  readonly vector: BigUint64Array;
  readonly shareVariance: number;
  readonly weightOf: (index: number) => number;
  readonly random: RandomSource;
}): void {
  const { vector, shareVariance, weightOf, random } = options;
  const words = new RandomWords(random);
  const samplers = new Map<number, DiscreteGaussian>();
  const draws = new BigInt64Array(Math.min(drawsAtOnce, vector.length));
  for (let from = 0; from < vector.length; ) {
    const weight = weightOf(from);
    let to = from + 1;
    const most = Math.min(vector.length, from + draws.length);
    while (to < most && weightOf(to) === weight) to++;
    let sampler = samplers.get(weight);
    if (sampler === undefined) {
      sampler = new DiscreteGaussian(dividedBy(exactRational(shareVariance), BigInt(weight)), words);
      samplers.set(weight, sampler);
    }
    const run = draws.subarray(0, to - from);
    sampler.fill(run);
    // Entries of a BigUint64Array wrap modulo 2^64 by themselves, and take a negative number as its complement.
    for (let i = 0; i < run.length; i++, from++) vector[from] = vector[from]! + run[i]!;
  }
  draws.fill(0n);
}

/** Neighbouring entries of one weight are drawn together, up to so many. */
const drawsAtOnce = 1024;
