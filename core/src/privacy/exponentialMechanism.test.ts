import { describe, expect, it } from "vitest";
import { chooseByScore } from "./exponentialMechanism.js";
import { RandomWords } from "./randomWords.js";
import { seededRandom } from "./testRandom.js";
import { chiSquare, falsePositiveRate } from "./testStatistics.js";

const choices = 60_000;

function tally(scores: number[], sensitivity: number, epsilon: number, seed: string): number[] {
  const words = new RandomWords(seededRandom(seed));
  const counts = scores.map(() => 0);
  for (let i = 0; i < choices; i++) counts[chooseByScore({ scores, sensitivity, epsilon, words })]! += 1;
  return counts;
}

function expected(scores: number[], sensitivity: number, epsilon: number): number[] {
  const best = Math.max(...scores);
  const weights = scores.map((score) => Math.exp((epsilon * (score - best)) / (2 * sensitivity)));
  const total = weights.reduce((sum, weight) => sum + weight);
  return weights.map((weight) => (choices * weight) / total);
}

describe("chooseByScore", () => {
  it("chooses with the probabilities of the exponential mechanism", () => {
    for (const [scores, sensitivity, epsilon] of [
      [[0, 0, 0, 0], 1, 1],
      [[3, 1, 0, 2, -4], 1, 1],
      [[10, 12, 11], 2.5, 0.3],
      [[-1_000_000_000, -1_000_000_001], 1, 2],
    ] as const) {
      const counts = tally([...scores], sensitivity, epsilon, `choose ${scores}`);
      expect(chiSquare(counts, expected([...scores], sensitivity, epsilon)).probability).toBeGreaterThan(
        falsePositiveRate,
      );
    }
  });

  it("is caught where it is not one: twice the ε", () => {
    const counts = tally([3, 1, 0, 2], 1, 2, "twice");
    expect(chiSquare(counts, expected([3, 1, 0, 2], 1, 1)).probability).toBeLessThan(falsePositiveRate);
  });

  it("keeps within e^ε between neighbours: the exact probabilities", () => {
    const before = expected([5, 3, 4], 1, 0.7);
    const after = expected([4, 4, 5], 1, 0.7);
    for (const [i, p] of before.entries()) expect(Math.abs(Math.log(p / after[i]!))).toBeLessThanOrEqual(0.7);
  });

  it("never leaves the best of a hopeless lot, and takes one option as it is", () => {
    expect(tally([0, -1_000_000], 1, 100, "hopeless")).toEqual([choices, 0]);
    expect(tally([7], 1, 1, "one")).toEqual([choices]);
  });

  it("refuses scores that are not integers, and parameters out of range", () => {
    const words = new RandomWords(seededRandom("range"));
    for (const scores of [[], [0.5], [Number.NaN], [2 ** 53]]) {
      expect(() => chooseByScore({ scores, sensitivity: 1, epsilon: 1, words })).toThrow(RangeError);
    }
    for (const bad of [0, -1, Number.NaN, Number.POSITIVE_INFINITY]) {
      expect(() => chooseByScore({ scores: [1], sensitivity: bad, epsilon: 1, words })).toThrow(RangeError);
      expect(() => chooseByScore({ scores: [1], sensitivity: 1, epsilon: bad, words })).toThrow(RangeError);
    }
  });
});
