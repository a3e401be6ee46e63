import { describe, expect, it } from "vitest";
import { seededRandom } from "../../../testing/privacy/random.js";
import type { StageId } from "../../ids.js";
import { type BinnedFeature, binnedFeatures } from "../../study/binning.js";
import type { Feature } from "../../study/features.js";
import { normalStream } from "../gaussian.js";
import { probabilitiesOf } from "../trees/link.js";
import { outputsOf } from "../trees/tree.js";
import { uniformsOf } from "../uniforms.js";
import { pooledTotals } from "./association.js";
import {
  type NaiveBayes,
  naiveBayes,
  naiveBayesBroadcast,
  naiveBayesEnsemble,
  naiveBayesTold,
} from "./naiveBayes.js";

const features: BinnedFeature[] = binnedFeatures(
  [
    { name: "age", type: "numeric", min: 0, max: 5, edges: [1, 2, 3, 4] },
    { name: "ward", type: "categorical", levels: ["a", "b", "c", "d"] },
    { name: "sex", type: "categorical", levels: ["f", "m"] },
  ] as unknown as Feature[],
  16,
);
const kinds = features.map(({ kind }) => kind);

/** P(c | bin) of the first two features; the third says nothing. */
const parts = {
  2: [
    [0.1, 0.2, 0.3, 0.5, 0.8],
    [0.1, 0.6, 0.3, 0.2],
    [0.3, 0.3],
  ],
};

/** So many rows in each bin, by class, with noise. */
function countsOf(perBin: number, stdDev: number, seed: string): Float64Array[] {
  const normal = normalStream(uniformsOf(seededRandom(seed)));
  return parts[2].map((own) =>
    Float64Array.from(own.flatMap((p) => [perBin * (1 - p), perBin * p])).map(
      (count) => count + stdDev * normal(),
    ),
  );
}

function modelOf(counts: readonly Float64Array[], classes: number, stdDev: number): NaiveBayes {
  return naiveBayes({ features, counts, totals: pooledTotals(counts, classes), stdDev });
}

describe("naive Bayes of a histogram", () => {
  it("adds what a bin says beside all rows, as the counts' own log-odds where rows are many", () => {
    const counts = countsOf(1e6, 0, "many").slice(1, 2);
    const totals = pooledTotals(counts, 2);
    const model = naiveBayes({ features: features.slice(1, 2), counts, totals, stdDev: 0 });
    const base = Math.log(0.3 / 0.7);
    expect(model.base[0]).toBeCloseTo(base, 6);
    parts[2][1]!.forEach((p, b) => {
      expect(model.added[0]![b]).toBeCloseTo(Math.log(p / (1 - p)) - base, 3);
    });
  });

  it("says less the more noise there is, and next to nothing of what is noise alone", () => {
    const sizes = [0, 20, 60, 200].map((stdDev) => {
      const draws = Array.from({ length: 40 }, (_, d) => modelOf(countsOf(200, stdDev, `${d}`), 2, stdDev));
      const mean = (f: number) =>
        draws.reduce((sum, { added }) => sum + Math.hypot(...added[f]!) / added[f]!.length, 0) / draws.length;
      return [mean(0), mean(2)] as const;
    });
    for (let i = 1; i < sizes.length - 1; i++) expect(sizes[i]![0]).toBeLessThan(sizes[i - 1]![0]);
    for (const [said, nothing] of sizes.slice(0, 2)) expect(nothing).toBeLessThan(said / 4);
    const all = modelOf(countsOf(200, 1e5, "all noise"), 2, 1e5);
    expect(Math.max(...all.added.flatMap((own) => [...own].map(Math.abs)))).toBeLessThanOrEqual(6);
  });

  it("is the same as trees and at the sites, for two classes and three, in doubles exactly", () => {
    for (const classes of [2, 3]) {
      const random = uniformsOf(seededRandom(`trees ${classes}`));
      const counts = features.map(({ bins }) =>
        Float64Array.from({ length: bins * classes }, () => Math.round(300 * random() ** 3) - 5),
      );
      // Two levels that say the same.
      counts[1]!.copyWithin(classes, 0, classes);
      const model = modelOf(counts, classes, 4);
      const ensemble = naiveBayesEnsemble(model, features);
      const stage = "evaluation" as StageId;
      const told = naiveBayesTold({
        features,
        classes,
        broadcasts: new Map([[stage, naiveBayesBroadcast(model)]]),
        stage,
      });
      const rows = [0, 1, 2, 3, 4].flatMap((a) => [0, 1, 2, 3].flatMap((w) => [0, 1].map((s) => [a, w, s])));
      const outputs = told({
        rows: rows.length,
        columns: features.map((_, f) => Float64Array.from(rows, (row) => row[f]!)),
        labels: new Uint16Array(rows.length),
      });
      rows.forEach((row, r) => {
        const own = outputsOf(ensemble, kinds, (f) => row[f]!);
        expect([...outputs.subarray(r * own.length, (r + 1) * own.length)]).toEqual([...own]);
        const probabilities = probabilitiesOf(own, ensemble.link, null);
        expect(probabilities).toHaveLength(classes);
        expect(probabilities.reduce((sum, p) => sum + p, 0)).toBeCloseTo(1, 12);
        if (classes === 3) {
          const ratio = probabilities[2]! / probabilities[0]!;
          expect(Math.log(ratio)).toBeCloseTo(own[2]! - own[0]!, 9);
        }
      });
      expect(new Set(rows.map((_, r) => outputs[r * (outputs.length / rows.length)])).size).toBeGreaterThan(
        15,
      );
    }
  });

  it("is a constant where no feature says anything", () => {
    const counts = features.map(({ bins }) => new Float64Array(2 * bins).fill(50));
    const model = modelOf(counts, 2, 10);
    const ensemble = naiveBayesEnsemble(model, features);
    expect(ensemble.trees).toHaveLength(1);
    expect(outputsOf(ensemble, kinds, () => 1)[0]).toBe(0);
  });
});
