import { seededRandom, systemRandom } from "@consilium/core/testing/privacy/random";
import {
  correlation,
  distributionOf,
  expectMoments,
  falsePositiveRate,
  fitOf,
  momentsOf,
} from "@consilium/core/testing/privacy/statistics";
import { describe, expect, it } from "vitest";
import { addNoiseShare } from "./noiseShare.js";

describe("addNoiseShare", () => {
  const length = 200_000;
  const share = (variance: number, seed: string, weightOf = (_: number) => 1) => {
    const vector = new BigUint64Array(length);
    addNoiseShare({ vector, shareVariance: variance, weightOf, random: seededRandom(seed) });
    return vector;
  };
  const signed = (vector: BigUint64Array) => Float64Array.from(new BigInt64Array(vector.buffer), Number);
  const summed = (vectors: BigUint64Array[]) => {
    const sum = new BigUint64Array(length);
    for (const vector of vectors) for (let i = 0; i < length; i++) sum[i] = sum[i]! + vector[i]!;
    return signed(sum);
  };

  it("makes s shares carry σ²·s/(s - t), and any s - t of them σ²", () => {
    const [sites, colluding, variance] = [5, 1, 36];
    const shareVariance = variance / (sites - colluding);
    const shares = Array.from({ length: sites }, (_, i) => share(shareVariance, `site ${i}`));
    expectMoments(summed(shares), (variance * sites) / (sites - colluding));
    for (let left = 0; left < sites; left++) {
      const others = summed(shares.filter((_, i) => i !== left));
      expectMoments(others, variance);
    }
    // And is caught where one share is missing from the four that must carry it.
    const { meanSquare } = momentsOf(summed(shares.slice(0, 3)));
    expect(Math.abs(meanSquare / variance - 1)).toBeGreaterThan(5 * Math.sqrt(2 / length));
  });

  it("sums to what the convolution of discrete Gaussians is", () => {
    const total = summed([share(1, "first"), share(1, "second"), share(1, "third")]);
    const weight = (y: number) => Math.exp((-y * y) / 2);
    const reach = 30;
    const two = (y: number) => {
      let sum = 0;
      for (let x = -reach; x <= reach; x++) sum += weight(x) * weight(y - x);
      return sum;
    };
    const twos = new Map<number, number>();
    for (let y = -2 * reach; y <= 2 * reach; y++) twos.set(y, two(y));
    const three = (y: number) => {
      let sum = 0;
      for (let x = -reach; x <= reach; x++) sum += weight(x) * (twos.get(y - x) ?? 0);
      return sum;
    };
    expect(fitOf(total, distributionOf(three, reach))).toBeGreaterThan(falsePositiveRate);
  });

  it("gives an entry of weight w the variance of weight 1 over w", () => {
    const noise = signed(share(40, "weights", (i) => (i % 2 === 0 ? 1 : 2)));
    expectMoments(
      noise.filter((_, i) => i % 2 === 0),
      40,
    );
    expectMoments(
      noise.filter((_, i) => i % 2 === 1),
      20,
    );
  });

  it("is added to the vector modulo 2^64, and is unrelated between sites and rounds", () => {
    const noise = share(100, "one");
    const vector = new BigUint64Array(length).fill(2n ** 64n - 1n);
    addNoiseShare({ vector, shareVariance: 100, weightOf: () => 1, random: seededRandom("one") });
    for (let i = 0; i < length; i += 997) expect(vector[i]).toBe(BigInt.asUintN(64, noise[i]! - 1n));
    const limit = 5 / Math.sqrt(length);
    expect(Math.abs(correlation(signed(noise), signed(share(100, "two"))))).toBeLessThan(limit);
    const first = new BigUint64Array(length);
    const second = new BigUint64Array(length);
    addNoiseShare({ vector: first, shareVariance: 100, weightOf: () => 1, random: systemRandom });
    addNoiseShare({ vector: second, shareVariance: 100, weightOf: () => 1, random: systemRandom });
    expect(first).not.toEqual(second);
    expect(Math.abs(correlation(signed(first), signed(second)))).toBeLessThan(limit);
    // The same noise twice would be caught.
    expect(correlation(signed(noise), signed(share(100, "one")))).toBeCloseTo(1, 12);
  });
});
