import type { StageNoise } from "@consilium/core/study/plan";
import { addShares } from "./noisySum.js";
import {
  chiSquareProbability,
  correlation,
  falsePositiveRate,
  meanOf,
  meanSquareOf,
  normalCdf,
  normalTwoSided,
  seededRandom,
} from "./statistics.js";

/**
 * The noise as the sites' code adds it, against the plan's event: the exact distribution of one share and of the sums
 * that a proof counts on, mean and variance, and that no two shares, rounds or runs have anything to do with each
 * other.
 */
export interface NoiseTest {
  readonly what: string;
  /** The probability of what was seen, or farther off, if the noise is as stated. */
  readonly probability: number;
}

export interface NoiseFinding {
  readonly draws: number;
  readonly tests: readonly NoiseTest[];
  /** The least probable of them. */
  readonly worst: NoiseTest;
}

/** Whether the noise may be as stated: no test is less probable than the false-positive rate spread over all of them. */
export function noiseHolds({ tests, worst }: NoiseFinding): boolean {
  return worst.probability * tests.length >= falsePositiveRate;
}

/**
 * @param stated - the noise as the plan states it
 * @param added - the noise that is really added; another one in positive controls
 * @param draws - per share and weight
 */
export function examineNoise(options: {
  readonly stated: StageNoise;
  readonly added?: StageNoise;
  readonly draws: number;
  readonly seed: string;
}): NoiseFinding {
  const { stated, draws, seed } = options;
  const added = options.added ?? stated;
  const { sites, noiseShares, shareVariance, groups } = stated.event;
  const tests: NoiseTest[] = [];
  // A plan that names no sites counts with a roster of the greatest size; a few beyond the shares proved tell as much.
  const examined = Math.min(sites, noiseShares + 2);
  for (const { weight } of groups) {
    const variance = shareVariance / weight;
    const name = groups.length > 1 ? `, weight ${weight}` : "";
    // Each site draws from a source of its own, as it does in the field.
    const shares = Array.from({ length: examined }, (_, site) => {
      const vector = new BigUint64Array(draws);
      addShares(vector, added, 1, () => weight, seededRandom(`${seed} weight ${weight} site ${site}`));
      return Float64Array.from(new BigInt64Array(vector.buffer), Number);
    });
    const again = new BigUint64Array(draws);
    addShares(again, added, 1, () => weight, seededRandom(`${seed} weight ${weight} next round`));

    tests.push(...distributionTests(`one share${name}`, shares[0]!, variance));
    // Any noiseShares of the shares: whichever sites collude. All choices share draws, so a few say it all.
    for (let first = 0; first < examined; first += Math.max(1, noiseShares)) {
      const chosen = Array.from({ length: noiseShares }, (_, k) => shares[(first + k) % examined]!);
      tests.push(
        ...distributionTests(
          `${noiseShares} shares from site ${first}${name}`,
          summed(chosen),
          variance * noiseShares,
        ),
      );
    }
    tests.push(...distributionTests(`all ${examined} shares${name}`, summed(shares), variance * examined));
    for (let site = 0; site < examined; site++) {
      const other = shares[(site + 1) % examined]!;
      tests.push(correlationTest(`sites ${site} and ${(site + 1) % examined}${name}`, shares[site]!, other));
    }
    const nextRound = Float64Array.from(new BigInt64Array(again.buffer), Number);
    tests.push(correlationTest(`two rounds of one site${name}`, shares[0]!, nextRound));
  }
  const worst = tests.reduce((least, test) => (test.probability < least.probability ? test : least));
  return { draws, tests, worst };
}

function summed(vectors: readonly Float64Array[]): Float64Array {
  const sum = new Float64Array(vectors[0]!.length);
  for (const vector of vectors) for (let i = 0; i < sum.length; i++) sum[i]! += vector[i]!;
  return sum;
}

function correlationTest(what: string, a: Float64Array, b: Float64Array): NoiseTest {
  const probability = normalTwoSided(correlation(a, b) * Math.sqrt(a.length));
  return { what: `no correlation of ${what}`, probability };
}

/** χ² against the discrete Gaussian of this parameter, the mean against 0, the variance against the parameter's. */
function distributionTests(what: string, draws: Float64Array, variance: number): NoiseTest[] {
  const n = draws.length;
  const truth = trueVariance(variance);
  const meanDeviation = meanOf(draws) / Math.sqrt(truth / n);
  const varianceDeviation = (meanSquareOf(draws) / truth - 1) / Math.sqrt(2 / n);
  return [
    { what: `distribution of ${what}`, probability: fitOf(draws, variance) },
    { what: `mean of ${what}`, probability: normalTwoSided(meanDeviation) },
    { what: `variance of ${what}`, probability: normalTwoSided(varianceDeviation) },
  ];
}

/** From this variance on the discrete Gaussian's is its parameter, to a relative 1e-15. */
const broad = 4;

function trueVariance(parameter: number): number {
  if (parameter >= broad) return parameter;
  let [total, squares] = [1, 0];
  for (let y = 1; y < 40; y++) {
    const weight = 2 * Math.exp((-y * y) / (2 * parameter));
    total += weight;
    squares += weight * y * y;
  }
  return squares / total;
}

/** Up to this standard deviation every integer is weighed by itself; above, in cells of a sixteenth. */
const singleIntegersTo = 32;

/**
 * χ² of draws against N_Z(0, variance), cells of expectation below 20 put together. In wide cells the probability is
 * that of the continuous Gaussian between half-integers, which differs by a relative 1/(24·σ²) at most where it counts.
 */
export function fitOf(draws: Float64Array, variance: number): number {
  const stdDev = Math.sqrt(variance);
  const width = stdDev <= singleIntegersTo ? 1 : Math.floor(stdDev / 16);
  const reach = Math.ceil((7 * stdDev) / width) + 1;
  const counts = new Float64Array(2 * reach + 1);
  // Cell c holds the integers from c·width - ⌊width/2⌋ on.
  const half = Math.floor(width / 2);
  for (let i = 0; i < draws.length; i++) {
    const cell = Math.floor((draws[i]! + half) / width);
    if (Math.abs(cell) <= reach) counts[cell + reach]!++;
  }
  const probabilities =
    width === 1 ? pointProbabilities(variance, reach) : cellProbabilities(stdDev, width, reach);
  const kept: number[] = [];
  const expected: number[] = [];
  let [keptSum, expectedSum] = [0, 0];
  for (let cell = 0; cell < counts.length; cell++) {
    const expectation = draws.length * probabilities[cell]!;
    if (expectation < 20) continue;
    kept.push(counts[cell]!);
    expected.push(expectation);
    keptSum += counts[cell]!;
    expectedSum += expectation;
  }
  kept.push(draws.length - keptSum);
  expected.push(draws.length - expectedSum);
  return chiSquareProbability(kept, expected);
}

function pointProbabilities(variance: number, reach: number): Float64Array {
  const weight = (y: number) => Math.exp((-y * y) / (2 * variance));
  let total = weight(0);
  for (let y = 1; y <= 40 * Math.sqrt(variance) + 10; y++) total += 2 * weight(y);
  return Float64Array.from({ length: 2 * reach + 1 }, (_, cell) => weight(cell - reach) / total);
}

function cellProbabilities(stdDev: number, width: number, reach: number): Float64Array {
  const half = Math.floor(width / 2);
  const below = (cell: number) => normalCdf((cell * width - half - 0.5) / stdDev);
  return Float64Array.from({ length: 2 * reach + 1 }, (_, k) => below(k - reach + 1) - below(k - reach));
}
