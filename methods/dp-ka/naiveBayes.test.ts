import type { StageId } from "@consilium/core/ids";
import { probabilitiesOf } from "@consilium/core/learning/trees/link";
import { outputsOf } from "@consilium/core/learning/trees/tree";
import type { Feature } from "@consilium/core/study/features";
import { seededRandom } from "@consilium/core/testing/privacy/random";
import { describe, expect, it } from "vitest";
import { type BinnedFeature, binnedFeatures } from "../shared/columns/binning.js";
import { normalStream } from "../shared/draws/gaussian.js";
import { uniformsOf } from "../shared/draws/uniforms.js";
import { pooledTotals } from "./association.js";
import {
  evidenceOfFeatures,
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

/** Rows of a rare outcome, of whose features the first few say something. */
function rareOutcomes(rows: number, seed: string) {
  const uniform = uniformsOf(seededRandom(seed));
  const bins = Array.from({ length: rows }, () =>
    many.map(({ bins: count }) => Math.floor(count * uniform())),
  );
  const labels = bins.map((row) => {
    const risk = row.slice(0, 4).reduce((sum, bin) => sum + bin - 1, 0);
    return uniform() < 1 / (1 + Math.exp(2.6 - 0.5 * risk)) ? 1 : 0;
  });
  return { bins, labels };
}

const many: BinnedFeature[] = binnedFeatures(
  Array.from({ length: 30 }, (_, j) => ({
    name: `x${j}`,
    type: "numeric",
    min: 0,
    max: 3,
  })) as unknown as Feature[],
  3,
);

/** What the model of 300 rows is worth on others, and what it would be were all evidence taken as it is. */
function worthOfFew(stdDev: number, seed: string) {
  const normal = normalStream(uniformsOf(seededRandom(`noise ${seed}`)));
  const train = rareOutcomes(300, `train ${seed}`);
  const test = rareOutcomes(2000, `test ${seed}`);
  const counts = many.map((feature, f) => {
    const own = new Float64Array(2 * feature.bins);
    train.bins.forEach((row, r) => {
      own[2 * row[f]! + train.labels[r]!]!++;
    });
    return own.map((count) => count + stdDev * normal());
  });
  const options = { features: many, counts, totals: pooledTotals(counts, 2), stdDev };
  const { base, added } = naiveBayes(options);
  const unweighed = evidenceOfFeatures(options).evidence.map(({ changes }) =>
    Float64Array.from({ length: changes.length / 2 }, (_, b) => changes[2 * b + 1]! - changes[2 * b]!),
  );
  const judged = (evidence: readonly Float64Array[]) => {
    const scores = test.bins.map((row) => row.reduce((sum, bin, f) => sum + evidence[f]![bin]!, base[0]!));
    const right = scores.filter((score, r) => (score > 0 ? 1 : 0) === test.labels[r]).length;
    return { scores, accuracy: right / scores.length };
  };
  const ill = test.labels.reduce<number>((sum, label) => sum + label, 0) / test.labels.length;
  return { weighed: judged(added), unweighed: judged(unweighed), majority: Math.max(ill, 1 - ill) };
}

describe("naive Bayes of a histogram", () => {
  it("is on 300 rows no worse than the more frequent class, where evidence taken as it is would be", () => {
    const seeds = Array.from({ length: 12 }, (_, seed) => `${seed}`);
    const mean = (of: (one: ReturnType<typeof worthOfFew>) => number, stdDev: number) =>
      seeds.reduce((sum, seed) => sum + of(worthOfFew(stdDev, seed)), 0) / seeds.length;
    // Near that of 30 features at ε = 1 and at 4.
    for (const stdDev of [70, 20]) {
      expect(mean(({ weighed, majority }) => weighed.accuracy - majority, stdDev)).toBeGreaterThan(-0.01);
    }
    expect(mean(({ unweighed, majority }) => unweighed.accuracy - majority, 70)).toBeLessThan(-0.03);
  });

  it("orders rows as the evidence does by itself", () => {
    const { weighed, unweighed } = worthOfFew(45, "order");
    const places = (scores: readonly number[]) => [...scores.keys()].sort((a, b) => scores[a]! - scores[b]!);
    const [first, second] = [places(weighed.scores), places(unweighed.scores)];
    // Numbers on the grid may tie.
    for (const [i, place] of second.entries()) {
      expect(Math.abs(weighed.scores[place]! - weighed.scores[first[i]!]!)).toBeLessThan(1e-5);
    }
    expect(new Set(weighed.scores).size).toBeGreaterThan(1000);
  });

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
      for (const row of rows) {
        const own = outputsOf(ensemble, kinds, (f) => row[f]!);
        expect([...told({ values: Float64Array.from(row) })]).toEqual([...own]);
        const probabilities = probabilitiesOf(own, ensemble.link, null);
        expect(probabilities).toHaveLength(classes);
        expect(probabilities.reduce((sum, p) => sum + p, 0)).toBeCloseTo(1, 12);
        if (classes === 3) {
          const ratio = probabilities[2]! / probabilities[0]!;
          expect(Math.log(ratio)).toBeCloseTo(own[2]! - own[0]!, 9);
        }
      }
      const firsts = rows.map((row) => told({ values: Float64Array.from(row) })[0]);
      expect(new Set(firsts).size).toBeGreaterThan(15);
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
