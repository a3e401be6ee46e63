import type { RandomSource } from "@consilium/core/random";
import { noiseWeight } from "@consilium/core/study/plan";
import { epsilonLowerBound } from "@consilium/core/testing/privacy/clopperPearson";
import type { AuditedStage, Integers, SumMechanism } from "./auditedMethod.js";
import { addShares, noisySum, scaledNoise } from "./noisySum.js";
import { squaredDistance } from "./sensitivity.js";

/**
 * A lower bound on ε by experiment: a mechanism is run often on two neighbours, one half of the runs chooses the event
 * that tells them apart best, the other half counts it (intervals of Clopper and Pearson). What comes out is below the mechanism's ε but
 * with probability alpha, whatever the event.
 */

/** With probability at most this, a bound lies above the true ε. */
export const epsilonAlpha = 0.01;

/** Events are chosen more cautiously than they are counted: the best of many rare ones is best by luck. */
const choosingAlpha = 1e-5;

export interface EpsilonFinding {
  /** Runs per table; half of them chose the event. */
  readonly runs: number;
  /** ε is at least this, with confidence 1 - alpha. */
  readonly epsilonAtLeast: number;
  /** How often the event came on each table, in the counting half. */
  readonly hits: number;
  readonly otherHits: number;
}

/**
 * @param first - one number per run on one table; @param second - on its neighbour, as many
 * @param delta - δ of the claim
 */
export function measureEpsilon(first: Float64Array, second: Float64Array, delta: number): EpsilonFinding {
  if (first.length !== second.length || first.length < 4)
    throw new RangeError("as many runs on either table, from 4");
  const trials = Math.floor(first.length / 2);
  const choosing = { first: first.slice(0, trials).sort(), second: second.slice(0, trials).sort() };
  let best = { threshold: 0, above: true, swapped: false, bound: -1 };
  for (const threshold of candidates(choosing.first, choosing.second)) {
    const hits = {
      first: countFrom(choosing.first, threshold),
      second: countFrom(choosing.second, threshold),
    };
    for (const above of [true, false]) {
      for (const swapped of [true, false]) {
        const [a, b] = swapped ? [hits.second, hits.first] : [hits.first, hits.second];
        const [likely, unlikely] = above ? [a, b] : [trials - a, trials - b];
        if (likely <= unlikely) continue;
        const bound = epsilonLowerBound({
          hits: likely,
          otherHits: unlikely,
          trials,
          delta,
          alpha: choosingAlpha,
        });
        if (bound > best.bound) best = { threshold, above, swapped, bound };
      }
    }
  }
  const counted = (values: Float64Array) => {
    const from = countFrom(values.slice(trials, 2 * trials).sort(), best.threshold);
    return best.above ? from : trials - from;
  };
  const [hits, otherHits] = best.swapped
    ? [counted(second), counted(first)]
    : [counted(first), counted(second)];
  const epsilonAtLeast = epsilonLowerBound({ hits, otherHits, trials, delta, alpha: epsilonAlpha });
  return { runs: 2 * trials, epsilonAtLeast, hits, otherHits };
}

/** Thresholds to choose from: order statistics of both samples, close together in their tails. */
function candidates(first: Float64Array, second: Float64Array): number[] {
  const ranks = new Set<number>();
  for (let rank = 1; rank <= first.length / 2; rank = Math.ceil(rank * 1.25)) {
    ranks.add(rank - 1).add(first.length - rank);
  }
  return [...new Set([...ranks].flatMap((rank) => [first[rank]!, second[rank]!]))];
}

/** How many of the ascending values are at least the threshold. */
function countFrom(values: Float64Array, threshold: number): number {
  let [low, high] = [0, values.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (values[middle]! < threshold) low = middle + 1;
    else high = middle;
  }
  return values.length - low;
}

/** Two neighbours of a mechanism, as lists of records. */
export interface NeighbourPair {
  readonly smaller: readonly number[];
  readonly larger: readonly number[];
}

export interface SampleOptions {
  readonly mechanism: SumMechanism;
  readonly pair: NeighbourPair;
  readonly on: keyof NeighbourPair;
  readonly runs: number;
  /** 1, or the factor by which the noise is wrong in a positive control. */
  readonly stdDevFactor: number;
  readonly random: RandomSource;
}

/**
 * Runs a mechanism on one of two neighbours and reduces each transcript to the logarithm of how much likelier it is on
 * the larger table: the best that anybody can tell them apart by, up to the noise's being discrete.
 */
export async function sampleAdaptive(options: SampleOptions): Promise<Float64Array> {
  const { mechanism, pair, on, runs, stdDevFactor, random } = options;
  const values = new Float64Array(runs);
  for (let run = 0; run < runs; run++) {
    const published: Integers[] = [];
    for (const stage of mechanism.stages) {
      const vectors = await vectorsOf(stage, pair, published);
      const sum = noisySum(vectors[on], scaledNoise(stage.noise, stdDevFactor), random);
      values[run]! += likelihood(stage, vectors, (j) => sum[j]!);
      published.push(sum);
    }
  }
  return values;
}

/**
 * The same where every stage is asked after the sums given, instead of those of its run: one choice that an adaptive
 * mechanism allows, so its ε holds for it. Then all runs have the same vectors, and a million of them cost seconds.
 */
export async function sampleFixed(
  options: SampleOptions & { readonly published: readonly Integers[] },
): Promise<Float64Array> {
  const { mechanism, pair, on, runs, stdDevFactor, random, published } = options;
  const values = new Float64Array(runs);
  for (const [index, stage] of mechanism.stages.entries()) {
    const vectors = await vectorsOf(stage, pair, published.slice(0, index));
    addOneStage(values, stage, vectors, on, stdDevFactor, random);
  }
  return values;
}

async function vectorsOf(stage: AuditedStage, pair: NeighbourPair, published: readonly Integers[]) {
  return {
    smaller: await stage.vector(pair.smaller, published),
    larger: await stage.vector(pair.larger, published),
  };
}

/** The background, and with it the record that moves the sums farthest from there, all stages together. */
export async function worstPair(
  mechanism: SumMechanism,
  published: readonly Integers[],
): Promise<NeighbourPair> {
  const smaller = mechanism.background ?? [];
  let worst = { pair: { smaller, larger: smaller }, distance: -1 };
  for (let record = 0; record < mechanism.records; record++) {
    const pair = { smaller, larger: [...smaller, record].sort((a, b) => a - b) };
    let distance = 0;
    for (const [index, stage] of mechanism.stages.entries()) {
      const vectors = await vectorsOf(stage, pair, published.slice(0, index));
      const { event, weights } = stage.noise;
      const moved = squaredDistance(vectors.smaller, vectors.larger, noiseWeight(weights));
      distance += Number(moved) / (event.shareVariance * event.noiseShares);
    }
    if (distance > worst.distance) worst = { pair, distance };
  }
  return worst.pair;
}

/** Runs whose noise is held in memory at once. */
const chunkRuns = 2 ** 16;

/**
 * Adds one stage's likelihood to all runs. With d = q' - q and noise x the sum of `likelihood` is
 * Σ w_j·d_j·(2·x_j ± d_j)/(2σ²), + on the larger table: only entries in which the neighbours differ are drawn. The sum is of
 * integers and is divided once: a result that both tables have must be one number, or a threshold falls between the two.
 */
function addOneStage(
  values: Float64Array,
  { noise }: AuditedStage,
  vectors: { readonly smaller: Integers; readonly larger: Integers },
  on: keyof NeighbourPair,
  stdDevFactor: number,
  random: RandomSource,
): void {
  const entries = [...vectors.smaller.keys()].filter((j) => vectors.smaller[j] !== vectors.larger[j]);
  const weights = entries.map(noiseWeight(noise.weights));
  const variance = noise.event.shareVariance * noise.event.noiseShares;
  const differences = entries.map((j) => Number(vectors.larger[j]! - vectors.smaller[j]!));
  const slopes = differences.map((d, e) => 2 * weights[e]! * d);
  const squares = differences.reduce((sum, d, e) => sum + weights[e]! * d ** 2, 0);
  const offset = on === "larger" ? squares : -squares;
  const width = entries.length;
  for (let from = 0; from < values.length; from += chunkRuns) {
    const runs = Math.min(chunkRuns, values.length - from);
    const drawn = new BigUint64Array(runs * width);
    const wrong = scaledNoise(noise, stdDevFactor);
    addShares(drawn, wrong, noise.event.noiseShares, (i) => weights[i % width]!, random);
    const signed = new BigInt64Array(drawn.buffer);
    for (let run = 0, at = 0; run < runs; run++) {
      let sum = offset;
      for (let e = 0; e < width; e++, at++) sum += slopes[e]! * Number(signed[at]!);
      values[from + run]! += sum / (2 * variance);
    }
  }
}

/** Σ w_j·((z_j - q_j)² - (z_j - q'_j)²)/(2σ²), q of the smaller table, q' of the larger one. */
function likelihood(
  { noise }: AuditedStage,
  { smaller, larger }: { readonly smaller: Integers; readonly larger: Integers },
  seen: (index: number) => bigint,
): number {
  const weight = noiseWeight(noise.weights);
  const variance = noise.event.shareVariance * noise.event.noiseShares;
  let sum = 0;
  for (let j = 0; j < smaller.length; j++) {
    if (smaller[j] === larger[j]) continue;
    const z = seen(j);
    const [from, to] = [Number(z - smaller[j]!), Number(z - larger[j]!)];
    sum += weight(j) * (from - to) * (from + to);
  }
  return sum / (2 * variance);
}
