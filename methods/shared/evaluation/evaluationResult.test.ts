import type { TreeEnsemble } from "@consilium/core/learning/trees/tree";
import { evaluationForm, scoreBins } from "@consilium/core/study/evaluation";
import seedrandom from "seedrandom";
import { describe, expect, it } from "vitest";
import { evenScale } from "../../testing/scale.js";
import { normalStream } from "../draws/gaussian.js";
import { proportion } from "./estimate.js";
import { type EvaluationResult, evaluationResult, scaledResult } from "./evaluationResult.js";

const scale = evenScale();
const resultOf = (counts: Float64Array, noise: number) => scaledResult(counts, noise, scale);

/** A joint distribution of score bin and class: a model of middling quality, somewhat overconfident. */
const joint = Float64Array.from({ length: 2 * scoreBins }, (_, i) => {
  const middle = (Math.floor(i / 2) + 0.5) / scoreBins;
  const mass = (1 - middle) ** 1.3 + 0.6 * middle;
  const positive = 0.15 + 0.65 * middle;
  return mass * (i % 2 === 1 ? positive : 1 - positive);
}).map((weight, _, all) => weight / all.reduce((sum, one) => sum + one, 0));

/** Rows drawn one by one, listed as (bin, class). */
function drawn(rows: number, uniform: () => number): [bin: number, actual: number][] {
  return Array.from({ length: rows }, () => {
    let at = 0;
    for (let left = uniform() - joint[0]!; left > 0 && at < joint.length - 1; left -= joint[at]!) at++;
    return [Math.floor(at / 2), at % 2];
  });
}

function countsOf(rows: readonly (readonly [number, number])[]): Float64Array {
  const counts = new Float64Array(2 * scoreBins);
  for (const [bin, actual] of rows) counts[2 * bin + actual]!++;
  return counts;
}

describe("without noise", () => {
  const rows = drawn(400, seedrandom("exact"));
  const result = resultOf(countsOf(rows), 0);

  it("has the accuracy, recalls and majority of the rows", () => {
    const share = (of: readonly unknown[], all: readonly unknown[]) => of.length / all.length;
    const correct = rows.filter(([bin, actual]) => bin >= 10 === (actual === 1));
    expect(result.rows).toBe(400);
    expect(result.accuracy.value).toBe(share(correct, rows));
    const ofClass = [0, 1].map((c) => rows.filter(([, actual]) => actual === c));
    result.recall.forEach((recall, c) => {
      expect(recall.value).toBe(
        share(
          correct.filter(([, actual]) => actual === c),
          ofClass[c]!,
        ),
      );
    });
    expect(result.majority.value).toBe(Math.max(...ofClass.map((of) => share(of, rows))));
  });

  it("has the AUC of all pairs, and the loss of all rows", () => {
    let sum = 0;
    let pairs = 0;
    for (const [bin, actual] of rows) {
      if (actual === 0) continue;
      for (const [other, otherActual] of rows) {
        if (otherActual === 1) continue;
        sum += bin > other ? 1 : bin === other ? 0.5 : 0;
        pairs++;
      }
    }
    expect(result.scores?.auc.value).toBeCloseTo(sum / pairs, 12);
    const { calibration, probability, logLoss } = result.scores!;
    const loss = rows.map(([bin, actual]) => {
      const { stated } = calibration[bin]!;
      return -Math.log(actual === 1 ? stated : 1 - stated);
    });
    // Two numbers were fitted to these rows: 2/n on average, a little less for what was believed beforehand.
    expect(probability.optimism * 400).toBeGreaterThan(1.9);
    expect(probability.optimism * 400).toBeLessThan(2);
    expect(logLoss.value).toBeCloseTo(loss.reduce((a, b) => a + b) / 400 + probability.optimism, 12);
  });

  it("has a ROC curve whose area is the AUC", () => {
    const { roc, auc } = result.scores!;
    let area = 0;
    roc.slice(1).forEach((point, i) => {
      const before = roc[i]!;
      area += ((point.falsePositive - before.falsePositive) * (point.truePositive + before.truePositive)) / 2;
    });
    expect(area).toBeCloseTo(auc.value, 12);
  });

  it("has Wilson's interval", () => {
    // 81 of 263: Newcombe 1998, table I: 0.2553 to 0.3662.
    const wilson = proportion({ inside: 81, rows: 263, insideCells: 1, otherCells: 1, noiseStdDev: 0 });
    expect(wilson.low).toBeCloseTo(0.2553, 4);
    expect(wilson.high).toBeCloseTo(0.3662, 4);
  });
});

describe("more than two classes", () => {
  it("reads the confusion matrix: predicted down, actual across", () => {
    const counts = Float64Array.of(5, 1, 0, 2, 6, 1, 0, 0, 5);
    const result = evaluationResult(evaluationForm(3), counts, 0, {} as TreeEnsemble);
    expect(result.scores).toBeNull();
    expect(result.accuracy.value).toBe(16 / 20);
    expect(result.majority.value).toBe(7 / 20);
    expect(result.recall.map(({ value }) => value)).toEqual([5 / 7, 6 / 7, 5 / 6]);
    expect(result.balancedAccuracy.value).toBeCloseTo((5 / 7 + 6 / 7 + 5 / 6) / 3, 15);
  });
});

describe("intervals", () => {
  const whole = resultOf(
    joint.map((p) => p * 1e6),
    0,
  );
  /** Of a result, what its interval is for: the loss is that of the probabilities that the result itself states. */
  const truthOf = (
    name: string,
    of: (result: EvaluationResult) => { value: number },
    result: EvaluationResult,
  ) =>
    name === "log-loss"
      ? joint.reduce((sum, part, i) => {
          const { stated } = result.scores!.calibration[Math.floor(i / 2)]!;
          return sum - part * Math.log(i % 2 === 1 ? stated : 1 - stated);
        }, 0)
      : of(whole).value;
  const measures: [
    name: string,
    of: (result: EvaluationResult) => { value: number; low: number; high: number },
  ][] = [
    ["accuracy", (result) => result.accuracy],
    ["majority", (result) => result.majority],
    ["recall of the second class", (result) => result.recall[1]!],
    ["balanced accuracy", (result) => result.balancedAccuracy],
    ["AUC", (result) => result.scores!.auc],
    ["log-loss", (result) => result.scores!.logLoss],
    ["a bin's frequency", (result) => result.scores!.calibration[3]!.observed],
  ];

  it.each([
    [500, 0],
    [500, 5],
    [2000, 20],
    [150, 12],
  ])("hold the truth in at least 95 of 100 cases, %i rows and noise %d", (rows, noise) => {
    const uniform = seedrandom(`coverage ${rows} ${noise}`);
    const normal = normalStream(() => uniform.double());
    const runs = 600;
    const held = measures.map(() => 0);
    for (let run = 0; run < runs; run++) {
      const counts = countsOf(drawn(rows, uniform)).map((count) => count + noise * normal());
      const result = resultOf(counts, noise);
      measures.forEach(([name, of], m) => {
        const { low, high } = of(result);
        const truth = truthOf(name, of, result);
        if (truth >= low && truth <= high) held[m]!++;
      });
    }
    const coverage = Object.fromEntries(measures.map(([name], m) => [name, held[m]! / runs]));
    // 95 % less 3.1 standard deviations of 600 runs.
    for (const [name, part] of Object.entries(coverage)) expect([name, part > 0.922]).toEqual([name, true]);
  });

  it("are not wider than they need be", () => {
    const counts = joint.map((p) => p * 2000);
    const { accuracy, scores: read } = resultOf(counts, 5);
    const sampling = Math.sqrt((accuracy.value * (1 - accuracy.value)) / 2000);
    const noise = (5 * Math.sqrt(20)) / 2000;
    const expected = 1.96 * Math.hypot(sampling, noise);
    expect((accuracy.high - accuracy.low) / 2).toBeLessThan(1.15 * expected);
    expect(read!.auc.high - read!.auc.low).toBeLessThan(0.12);
  });

  it("say nothing where there is nothing", () => {
    const empty = resultOf(new Float64Array(2 * scoreBins), 0);
    for (const [name, of] of measures) {
      const { low, high } = of(empty);
      expect([name, low, high >= 1]).toEqual([name, 0, true]);
    }
    const noise = Float64Array.from({ length: 2 * scoreBins }, (_, i) => (i % 3 === 0 ? 40 : -30));
    const drowned = resultOf(noise, 50);
    expect(drowned.rows).toBe(0);
    expect([drowned.accuracy.low, drowned.accuracy.high]).toEqual([0, 1]);
  });

  it("stay within bounds and around their values, whatever the counts", () => {
    const uniform = seedrandom("any counts");
    for (let run = 0; run < 300; run++) {
      const noise = uniform() * 30;
      const counts = Float64Array.from({ length: 2 * scoreBins }, () => 120 * uniform() - 50 * uniform());
      const result = resultOf(counts, noise);
      for (const [name, of] of measures) {
        const { value, low, high } = of(result);
        expect([name, 0 <= low && low <= value && value <= high]).toEqual([name, true]);
      }
      for (const point of result.scores!.roc) {
        expect(point.falsePositive).toBeGreaterThanOrEqual(0);
        expect(point.truePositive).toBeLessThanOrEqual(1);
      }
    }
  });
});
