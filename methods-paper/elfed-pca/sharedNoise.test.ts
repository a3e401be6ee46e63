import { describe, expect, it } from "vitest";
import vectors from "../../methods/testing/testVectors/v1/sharedNoise.json" with { type: "json" };
import { noiseEntryLimit, ownNoise, publishedStdDev, sharedNoise } from "./sharedNoise.js";

const bytesOf = (hex: string) => Uint8Array.from(hex.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));

describe("sharedNoise", () => {
  it("gives the committed matrices, bit for bit", () => {
    for (const { seed, d, stdDev, matrix } of vectors.cases) {
      expect(Array.from(sharedNoise(bytesOf(seed), d, stdDev))).toEqual(matrix);
    }
    expect(vectors.cases.length).toBeGreaterThan(0);
  });

  it("is symmetric, scales with the standard deviation and depends on the seed", () => {
    const seed = new Uint8Array(32).fill(9);
    const d = 17;
    const noise = sharedNoise(seed, d, 1);
    for (let i = 0; i < d; i++) for (let j = 0; j < d; j++) expect(noise[i * d + j]).toBe(noise[j * d + i]);
    expect(Array.from(sharedNoise(seed, d, 0.25))).toEqual(Array.from(noise, (x) => x / 4));
    expect(Array.from(sharedNoise(seed, d, 0))).toEqual(Array.from(noise, (x) => 0 * x));
    seed[31] = 8;
    expect(Array.from(sharedNoise(seed, d, 1))).not.toEqual(Array.from(noise));
    expect(noise.every((x) => Math.abs(x) < noiseEntryLimit(1))).toBe(true);
  });

  it("refuses a seed or a scale out of range", () => {
    expect(() => sharedNoise(new Uint8Array(15), 3, 1)).toThrow(RangeError);
    expect(() => sharedNoise(new Uint8Array(65), 3, 1)).toThrow(RangeError);
    for (const stdDev of [-1, Number.NaN, Number.POSITIVE_INFINITY]) {
      expect(() => sharedNoise(new Uint8Array(32), 3, stdDev)).toThrow(RangeError);
    }
  });
});

describe("ownNoise", () => {
  it("turns 53 low bits of each eight bytes into a uniform", () => {
    // Every uniform is 1/2: √(-2 ln ½)·(cos π, sin π).
    const half = Uint8Array.of(0, 0, 0, 0, 0, 0, 0xf0, 0xff);
    const noise = ownNoise(
      { bytes: (count) => Uint8Array.from({ length: count }, (_, i) => half[i % 8]!) },
      2,
      3,
    );
    expect(noise[0]).toBeCloseTo(-3 * Math.sqrt(2 * Math.LN2), 12);
    expect(noise[1]).toBeCloseTo(0, 12);
    expect(noise[2]).toBe(noise[1]);
    expect(noise[3]).toBeCloseTo(-3 * Math.sqrt(2 * Math.LN2), 12);
  });
});

describe("publishedStdDev", () => {
  it("is √(2 ln(1.25/δ)) / (n ε)", () => {
    expect(publishedStdDev({ epsilon: 0.5, delta: 0.01, rows: 1000 })).toBe(
      Math.sqrt(2 * Math.log(125)) / 500,
    );
    for (const bad of [
      { epsilon: 0, delta: 0.1, rows: 1 },
      { epsilon: 1, delta: 0, rows: 1 },
      { epsilon: 1, delta: 1, rows: 1 },
      { epsilon: 1, delta: 0.1, rows: 0 },
      { epsilon: Number.NaN, delta: 0.1, rows: 1 },
    ]) {
      expect(() => publishedStdDev(bad)).toThrow(RangeError);
    }
  });
});
