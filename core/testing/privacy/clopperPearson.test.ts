import { RandomWords } from "@consilium/gate/noise/randomWords";
import { describe, expect, it } from "vitest";
import { clopperPearson, epsilonLowerBound } from "./clopperPearson.js";
import { seededRandom } from "./random.js";

/** scipy.stats.beta.ppf(alpha/2, k, n - k + 1) and ppf(1 - alpha/2, k + 1, n - k), SciPy 1.17.1. */
const quantiles = [
  [3, 10, 0.05, 0.06673951117773447, 0.6524528500599973],
  [50, 100, 0.01, 0.3688614373589241, 0.6311385626410759],
  [1, 1000000, 0.01, 5.012541810981495e-9, 7.430105611978525e-6],
  [7, 500000, 0.01, 4.0746911040603274e-6, 3.426683928930093e-5],
  [250000, 500000, 0.01, 0.4981776205948217, 0.5018223794051784],
  [499000, 500000, 0.001, 0.9977834523463999, 0.9982014030650396],
  [12345, 200000, 1e-6, 0.05912589414341436, 0.06439557626759863],
] as const;

describe("clopperPearson", () => {
  it("has SciPy's quantiles of the beta distribution", () => {
    for (const [successes, trials, alpha, low, high] of quantiles) {
      const interval = clopperPearson({ successes, trials, alpha });
      expect(interval.low / low).toBeCloseTo(1, 9);
      expect(interval.high / high).toBeCloseTo(1, 9);
    }
  });

  it("is closed at the ends of the range", () => {
    expect(clopperPearson({ successes: 0, trials: 10, alpha: 0.05 }).low).toBe(0);
    expect(clopperPearson({ successes: 10, trials: 10, alpha: 0.05 }).high).toBe(1);
    // One-sided closed forms: 1 - (alpha/2)^(1/n).
    expect(clopperPearson({ successes: 0, trials: 10, alpha: 0.05 }).high).toBeCloseTo(1 - 0.025 ** 0.1, 12);
    expect(clopperPearson({ successes: 10, trials: 10, alpha: 0.05 }).low).toBeCloseTo(0.025 ** 0.1, 12);
  });

  it("covers the true probability at least as often as it says", () => {
    const words = new RandomWords(seededRandom("coverage"));
    let missed = 0;
    const experiments = 2000;
    for (let i = 0; i < experiments; i++) {
      let successes = 0;
      for (let j = 0; j < 200; j++) if (words.below(10) === 0) successes++;
      const { low, high } = clopperPearson({ successes, trials: 200, alpha: 0.1 });
      if (low > 0.1 || high < 0.1) missed++;
    }
    // Five standard errors above the 10 % that are allowed; and not far fewer, as a trivial interval would miss.
    expect(missed).toBeLessThan(experiments * 0.1 + 5 * Math.sqrt(experiments * 0.09));
    expect(missed).toBeGreaterThan(experiments * 0.03);
  });

  it("refuses invalid counts", () => {
    for (const [successes, trials] of [
      [-1, 10],
      [11, 10],
      [0.5, 10],
      [0, 0],
    ] as const) {
      expect(() => clopperPearson({ successes, trials, alpha: 0.05 })).toThrow(RangeError);
    }
    expect(() => clopperPearson({ successes: 1, trials: 2, alpha: 0 })).toThrow(RangeError);
  });
});

describe("epsilonLowerBound", () => {
  it("is 0 without evidence, and near the logarithm of the ratio with much of it", () => {
    const common = { trials: 500_000, delta: 1e-5, alpha: 0.01 };
    expect(epsilonLowerBound({ ...common, hits: 1000, otherHits: 1000 })).toBe(0);
    expect(epsilonLowerBound({ ...common, hits: 0, otherHits: 0 })).toBe(0);
    const bound = epsilonLowerBound({ ...common, hits: 200_000, otherHits: 20_000 });
    expect(bound).toBeLessThan(Math.log(10));
    expect(bound).toBeGreaterThan(Math.log(10) - 0.05);
  });
});
