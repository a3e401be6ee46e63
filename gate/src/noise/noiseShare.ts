import type { RandomSource } from "@consilium/secure-sum/random";
import type { RingVector } from "@consilium/secure-sum/ring";
import { DiscreteGaussian } from "./discreteGaussian.js";
import { RandomWords } from "./randomWords.js";
import { dividedBy, exactRational } from "./rational.js";

/** Where the less significant half of a 64-bit word lies among 32-bit words on this machine. */
const lowHalf = new Uint8Array(Uint32Array.of(1).buffer)[0] === 1 ? 0 : 1;

/**
 * Adds one site's share of noise to its vector, in place and modulo 2^64 or 2^32, the vector's own width. Both widths
 * draw the same integers from the same source.
 * @param vector - ring elements, two's complement
 * @param shareVariance - V_loc as the sum's event states it
 * @param weightOf - the weight of the group that an entry belongs to
 * @param random - the operating system's generator, or a stream keyed by it
 */
export function addNoiseShare(options: {
  readonly vector: RingVector;
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
    addDraws(vector, from, run);
    from = to;
  }
  draws.fill(0n);
}

/** Neighbouring entries of one weight are drawn together, up to so many. */
const drawsAtOnce = 1024;

/** Adds draws to the entries from `from` on. Storing to a typed array reduces modulo 2 to the power of its width. */
function addDraws(vector: RingVector, from: number, draws: BigInt64Array): void {
  if (vector instanceof BigUint64Array) {
    const bits = new BigUint64Array(draws.buffer, draws.byteOffset, draws.length);
    for (let i = 0; i < bits.length; i++) vector[from + i] = vector[from + i]! + bits[i]!;
    return;
  }
  const halves = new Uint32Array(draws.buffer, draws.byteOffset, 2 * draws.length);
  for (let i = 0; i < draws.length; i++) vector[from + i] = vector[from + i]! + halves[2 * i + lowHalf]!;
}
