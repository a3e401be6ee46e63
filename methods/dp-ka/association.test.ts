import { seededRandom } from "@consilium/core/testing/privacy/random";
import { describe, expect, it } from "vitest";
import { normalStream } from "../shared/draws/gaussian.js";
import { uniformsOf } from "../shared/draws/uniforms.js";
import { associationOf, pooledTotals, resolutions } from "./association.js";

const features = 8;

/** Counts of rows whose class has nothing to do with their bin, with noise. */
function unrelated(options: {
  readonly rows: number;
  readonly bins: number;
  readonly parts: readonly number[];
  readonly stdDev: number;
  readonly seed: string;
}): Float64Array {
  const { rows, bins, parts, stdDev, seed } = options;
  const normal = normalStream(uniformsOf(seededRandom(`noise ${seed}`)));
  const uniform = uniformsOf(seededRandom(`rows ${seed}`));
  const counts = new Float64Array(bins * parts.length);
  for (let r = 0; r < rows; r++) {
    const bin = Math.floor(uniform() ** 2 * bins);
    let [at, c] = [uniform(), 0];
    while (c < parts.length - 1 && at >= parts[c]!) at -= parts[c++]!;
    counts[bin * parts.length + c]!++;
  }
  return counts.map((count) => count + stdDev * normal());
}

const measured = (counts: Float64Array, totals: Float64Array, stdDev: number, kind = "ordered" as const) =>
  associationOf({ counts, kind, totals, stdDev, features });

describe("the association of a feature with the label", () => {
  it("is 12.4 for two bins of 8 and 2 rows, and 2(9/5.75 - 1) where each count has noise of 3", () => {
    // p = ½, n = 20: R = ±3, V = 10·½·½·½ = 1.25, R²/V = 7.2; two bins, the classes' weights add up to 1.
    const counts = Float64Array.of(8, 2, 2, 8);
    const totals = pooledTotals([counts], 2);
    expect([...totals]).toEqual([10, 10]);
    expect(measured(counts, totals, 0).value).toBeCloseTo(2 * (7.2 - 1), 12);
    // Noise of 3: V = 1.25 + 9·½ = 5.75.
    expect(measured(counts, totals, 3).value).toBeCloseTo(2 * (9 / 5.75 - 1), 12);
  });

  it("looks at an ordered feature's bins by ones, twos and fours, at a nominal one's as they are", () => {
    const counts = Float64Array.from({ length: 10 }, (_, i) => i);
    expect(resolutions(counts, "ordered", 2).map((groups) => groups.map(({ bins }) => bins))).toEqual([
      [1, 1, 1, 1, 1],
      [2, 2, 1],
      [4, 1],
    ]);
    expect(resolutions(counts, "nominal", 2)).toHaveLength(1);
    expect([...resolutions(counts, "ordered", 2)[2]![0]!.counts]).toEqual([12, 16]);
  });

  const cases = [
    { rows: 240, bins: 8, parts: [0.7, 0.3], stdDev: 9 },
    { rows: 240, bins: 8, parts: [0.7, 0.3], stdDev: 30 },
    { rows: 2000, bins: 5, parts: [0.2, 0.5, 0.3], stdDev: 20 },
    { rows: 2000, bins: 16, parts: [0.95, 0.05], stdDev: 0 },
  ];

  it.each(cases)("is 0 on average where there is none, whatever the noise: %o", (one) => {
    const draws = 400;
    // What the rows are drawn by: with totals of the same rows the mean would be a little lower.
    const totals = Float64Array.from(one.parts, (part) => part * one.rows);
    const values = Array.from({ length: draws }, (_, d) =>
      measured(unrelated({ ...one, seed: `${d}` }), totals, one.stdDev),
    );
    const mean = values.reduce((sum, { value }) => sum + value, 0) / draws;
    const spread = Math.sqrt(values.reduce((sum, { value }) => sum + (value - mean) ** 2, 0) / draws);
    // Off by more than 4.9 standard deviations once in 10⁶ runs; noise that hides bins' rows makes the variance a little larger.
    expect(Math.abs(mean)).toBeLessThan((4.9 * spread) / Math.sqrt(draws) + 0.1 * spread);
    const alarms = values.filter(({ value, threshold }) => value > threshold).length;
    expect(alarms / draws).toBeLessThan(0.05 / features + 4.9 * Math.sqrt(0.05 / features / draws));
    expect(values.filter(({ value }) => value > 0).length / draws).toBeGreaterThan(0.2);
  });

  it("has about the standard deviation over noise that it states", () => {
    const rows = unrelated({ rows: 600, bins: 4, parts: [0.6, 0.4], stdDev: 0, seed: "base" });
    // The first bins' rows are mostly of the second class.
    rows[1]! += 80;
    rows[3]! += 40;
    const totals = pooledTotals([rows], 2);
    for (const stdDev of [3, 10, 25]) {
      const normal = normalStream(uniformsOf(seededRandom(`spread ${stdDev}`)));
      const draws = Array.from({ length: 600 }, () =>
        measured(
          rows.map((count) => count + stdDev * normal()),
          totals,
          stdDev,
        ),
      );
      const mean = draws.reduce((sum, { value }) => sum + value, 0) / draws.length;
      const spread = Math.sqrt(draws.reduce((sum, { value }) => sum + (value - mean) ** 2, 0) / draws.length);
      const stated = draws.reduce((sum, one) => sum + one.stdDev, 0) / draws.length;
      expect(stated / spread).toBeGreaterThan(0.85);
      expect(stated / spread).toBeLessThan(1.8);
    }
  });
});
