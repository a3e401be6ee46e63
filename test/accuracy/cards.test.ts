import { scoreOf } from "@consilium/core/learning/trees/link";
import { inGate } from "@consilium/core/testing/wholeRun";
import { normalStream } from "@consilium/methods/shared/draws/gaussian";
import type { Estimate } from "@consilium/methods/shared/evaluation/estimate";
import { type EvaluationResult, scaledResult } from "@consilium/methods/shared/evaluation/evaluationResult";
import { rangeOf, type ScoreScale, scoreScale } from "@consilium/methods/shared/evaluation/scoreScale";
import {
  drawnOutcomes,
  type Outcomes,
  predictingMethods,
  type Stated,
  statedOf,
  type TrainedModel,
  trainedOn,
} from "@consilium/methods/testing/outcomes";
import seedrandom from "seedrandom";
import { describe, expect, it } from "vitest";

/**
 * What a model card and a model state, held against outcomes whose every row's probability is known: each predicting method,
 * prevalences from 1 to 50 %, 300 to 100,000 rows. `npm run bench -- calibration` tries more of each.
 */

const populationRows = 4_000;
const populations = new Map<number, Outcomes>();
function populationOf(prevalence: number): Outcomes {
  const known = populations.get(prevalence);
  if (known !== undefined) return known;
  const drawn = drawnOutcomes(populationRows, prevalence, `population ${prevalence}`);
  populations.set(prevalence, drawn);
  return drawn;
}

const mean = (values: ArrayLike<number>, rows: readonly number[]) =>
  rows.reduce((sum, r) => sum + values[r]!, 0) / rows.length;
const logit = (p: number) => Math.log(p) - Math.log(1 - p);

/**
 * How far what is stated lies from what is true, in log-odds, beyond what the card admits: over all rows, and over each quarter of
 * them by what is stated.
 */
function excessOf(
  stated: Float64Array,
  { probabilities }: Outcomes,
  { levelStdDev, slopeStdDev, slope }: NonNullable<EvaluationResult["scores"]>["probability"],
): { readonly whole: number; readonly quarters: readonly number[] } {
  const rows = [...stated.keys()].sort((a, b) => stated[a]! - stated[b]!);
  const centre = logit(mean(stated, rows));
  const excess = (some: readonly number[], room: number) => {
    const at = logit(mean(stated, some));
    // The slope is known to a factor; how far from the mean a quarter lies is known in stated log-odds.
    const admitted = 3 * Math.hypot(levelStdDev, (slopeStdDev / slope) * (at - centre));
    return Math.abs(at - logit(mean(probabilities, some))) - admitted - room;
  };
  const size = rows.length / 4;
  return {
    whole: excess(rows, 0.1),
    // Two numbers cannot bend a curve to fit each quarter.
    quarters: [0, 1, 2, 3].map((q) => excess(rows.slice(q * size, (q + 1) * size), 0.35)),
  };
}

interface Case {
  readonly rows: number;
  readonly prevalence: number;
  readonly epsilon: number | null;
}

const allCases: readonly Case[] = [
  ...[0.01, 0.1, 0.5].map((prevalence) => ({ rows: 300, prevalence, epsilon: null })),
  ...[0.03, 0.25].map((prevalence) => ({ rows: 3_000, prevalence, epsilon: 4 })),
  ...[0.01, 0.1, 0.5].map((prevalence) => ({ rows: 10_000, prevalence, epsilon: 1 })),
  { rows: 100_000, prevalence: 0.03, epsilon: 1 },
];
/** Of the gate: the fewest rows, the rarest outcome, and an even one. */
const cases = inGate(
  [1, 3, 5, 7].map((i) => allCases[i]!),
  { whole: allCases },
);

function trained(method: (typeof predictingMethods)[number], { rows, prevalence, epsilon }: Case) {
  return trainedOn(method, drawnOutcomes(rows, prevalence, `${method.name} ${rows}`), epsilon, method.name);
}

describe.each(predictingMethods)("$name", (method) => {
  it("states probabilities that are right on average and in each quarter, to what its card admits", async () => {
    for (const one of cases) {
      const population = populationOf(one.prevalence);
      const model = await trained(method, one);
      const { probabilities } = statedOf(model.predictor, population);
      const { whole, quarters } = excessOf(probabilities, population, model.evaluation.scores!.probability);
      expect([one, "all rows", whole <= 0]).toEqual([one, "all rows", true]);
      expect([one, "quarters", quarters.map((excess) => excess <= 0)]).toEqual([
        one,
        "quarters",
        [true, true, true, true],
      ]);
    }
  });
});

describe("what a card admits", () => {
  const method = predictingMethods[0]!;

  it("is little once there are rows enough", async () => {
    for (const prevalence of [0.1, 0.5]) {
      const model = await trained(method, { rows: 20_000, prevalence, epsilon: 4 });
      expect(model.evaluation.scores!.probability.levelStdDev).toBeLessThan(0.15);
    }
  });

  it.each([
    ["twice F, which is right for weights that are not cut", 0.1, 2, 4],
    ["F by itself, where the outcome is rarer than a weight of a sixteenth can tell", 0.01, 1, null],
  ])("is less than %s is wrong by", async (_, prevalence, factor, epsilon) => {
    const population = populationOf(prevalence);
    const model = await trained(method, { rows: 20_000, prevalence, epsilon });
    const { outputs } = statedOf(model.predictor, population);
    const stated = Float64Array.from(outputs, ([f]) => 1 / (1 + Math.exp(-factor * f!)));
    const { probability } = model.evaluation.scores!;
    expect(excessOf(stated, population, probability).whole).toBeGreaterThan(0);
  });
});

// ---- intervals ----------------------------------------------------------------------------------------------------

/** A model's rows by range of its score, and what its card's measures are of the whole population. */
interface Measured {
  /** [2 × ranges] parts of all rows, by range and outcome. */
  readonly joint: Float64Array;
  readonly truths: Readonly<Record<string, number>>;
}

function measured(scale: ScoreScale, stated: Stated, link: string, { probabilities: q }: Outcomes): Measured {
  const joint = new Float64Array(2 * scale.isReached.length);
  const scores = stated.outputs.map((outputs) => scoreOf(outputs, link as "logistic"));
  const n = q.length;
  let [right, rightNo, rightYes, yes] = [0, 0, 0, 0];
  q.forEach((p, r) => {
    const range = rangeOf(scale.cuts, scores[r]!);
    joint[2 * range]! += (1 - p) / n;
    joint[2 * range + 1]! += p / n;
    yes += p;
    if (stated.predicted[r] === 1) rightYes += p;
    else rightNo += 1 - p;
    right += stated.predicted[r] === 1 ? p : 1 - p;
  });
  return {
    joint,
    truths: {
      accuracy: right / n,
      majority: Math.max(yes, n - yes) / n,
      "balanced accuracy": (rightYes / yes + rightNo / (n - yes)) / 2,
      AUC: areaOf(scores, q),
      "recall for yes": rightYes / yes,
      "recall for no": rightNo / (n - yes),
    },
  };
}

/** The area under the ROC curve of the score itself, of rows that are of the second class with probability q. */
function areaOf(scores: readonly number[], q: Float64Array): number {
  const order = [...scores.keys()].sort((a, b) => scores[a]! - scores[b]!);
  let [area, below, pairs, at] = [0, 0, 0, 0];
  const [positives, negatives] = [q.reduce((sum, p) => sum + p, 0), q.reduce((sum, p) => sum + 1 - p, 0)];
  while (at < order.length) {
    let [same, negative, positive] = [at, 0, 0];
    for (; same < order.length && scores[order[same]!] === scores[order[at]!]; same++) {
      positive += q[order[same]!]!;
      negative += 1 - q[order[same]!]!;
    }
    area += positive * (below + negative / 2);
    below += negative;
    pairs += positive;
    at = same;
  }
  return area / (pairs === 0 ? 1 : positives * negatives);
}

const measures: Readonly<Record<string, (result: EvaluationResult) => Estimate>> = {
  accuracy: (result) => result.accuracy,
  majority: (result) => result.majority,
  "balanced accuracy": (result) => result.balancedAccuracy,
  AUC: (result) => result.scores!.auc,
  "recall for yes": (result) => result.recall[1]!,
  "recall for no": (result) => result.recall[0]!,
  "log-loss": (result) => result.scores!.logLoss,
};

/** How often each interval holds what it is for, over evaluations of one model with rows and noise drawn anew. */
function coverageOf(options: {
  readonly scale: ScoreScale;
  readonly measured: Measured;
  readonly heldOut: number;
  readonly noise: number;
  readonly runs: number;
}): Record<string, number> {
  const { scale, measured: own, heldOut, noise, runs } = options;
  const uniform = seedrandom(`coverage ${heldOut} ${noise}`);
  const normal = normalStream(() => uniform.double());
  const held: Record<string, number> = Object.fromEntries(Object.keys(measures).map((name) => [name, 0]));
  const upTo = new Float64Array(own.joint.length);
  own.joint.forEach((part, i) => {
    upTo[i] = (upTo[i - 1] ?? 0) + part;
  });
  for (let run = 0; run < runs; run++) {
    const counts = drawnCounts(own.joint, upTo, heldOut, uniform, normal);
    for (let i = 0; i < counts.length; i++) counts[i]! += noise * normal();
    const result = scaledResult(counts, noise, scale);
    for (const [name, of] of Object.entries(measures)) {
      const { low, high } = of(result);
      const truth = name === "log-loss" ? lossOf(result, scale, own.joint) : own.truths[name]!;
      if (truth >= low - 1e-9 && truth <= high + 1e-9) held[name]! += 1 / runs;
    }
  }
  return held;
}

/** Rows drawn one by one; of many, each cell's number by the normal that it is nearly. */
function drawnCounts(
  joint: Float64Array,
  upTo: Float64Array,
  rows: number,
  uniform: () => number,
  normal: () => number,
): Float64Array {
  if (rows > 2_000)
    return joint.map((part) => Math.max(0, Math.round(rows * part + Math.sqrt(rows * part) * normal())));
  const counts = new Float64Array(joint.length);
  for (let r = 0; r < rows; r++) {
    const at = uniform();
    const cell = upTo.findIndex((sum) => at < sum);
    counts[cell === -1 ? joint.length - 1 : cell]!++;
  }
  return counts;
}

/** The population's mean loss of what a result states for each range. */
function lossOf(result: EvaluationResult, scale: ScoreScale, joint: Float64Array): number {
  const reached = [...scale.isReached.keys()].filter((b) => scale.isReached[b]);
  return result.scores!.calibration.reduce((sum, { stated }, i) => {
    const b = reached[i]!;
    return sum - joint[2 * b]! * Math.log(1 - stated) - joint[2 * b + 1]! * Math.log(stated);
  }, 0);
}

const runs = 250;
/** 95 % less four standard deviations of so many runs. */
const least = 0.95 - 4 * Math.sqrt((0.95 * 0.05) / runs);

const populationsTried = inGate<readonly (readonly [number, number])[]>(
  [
    [0.01, 20_000],
    [0.5, 3_000],
  ],
  {
    whole: [
      [0.01, 20_000],
      [0.1, 20_000],
      [0.5, 3_000],
    ],
  },
);

describe("intervals of 95 %", () => {
  it.each(predictingMethods)("hold what they name: $name", async (method) => {
    for (const [prevalence, rows] of populationsTried) {
      const { scale, own } = await ofModel(method, prevalence, rows);
      for (const [heldOut, noise] of [
        [60, 0],
        [60, 2],
        [1_000, 5],
        [20_000, 5],
      ] as const) {
        const coverage = coverageOf({ scale, measured: own, heldOut, noise, runs });
        for (const [name, part] of Object.entries(coverage))
          expect([prevalence, heldOut, noise, name, part >= least ? "holds" : part]).toEqual([
            prevalence,
            heldOut,
            noise,
            name,
            "holds",
          ]);
      }
    }
  });

  it("would not hold the area with ranges of equal width of a probability", async () => {
    const { scale, own, model, stated } = await ofModel(predictingMethods[0]!, 0.03, 20_000);
    const even: ScoreScale = {
      ...scale,
      cuts: Float64Array.from({ length: scale.cuts.length }, (_, b) => logit((b + 1) / 20) / 2),
      isReached: scale.isReached.map(() => true),
      isSecond: scale.isReached.map((_, b) => b >= 10),
      logOdds: scale.isReached.map((_, b) => logit((b + 0.5) / 20) / 2),
      widths: scale.isReached.map(() => 0),
    };
    const { link } = model.predictor;
    const twin = measured(even, stated, link, populationOf(0.03));
    const coverage = (of: ScoreScale, by: Measured) =>
      coverageOf({ scale: of, measured: by, heldOut: 20_000, noise: 5, runs }).AUC!;
    expect(coverage(even, twin)).toBeLessThan(0.5);
    expect(coverage(scale, own)).toBeGreaterThan(least);
  });

  it("are no wider than rows, noise and ranges make them", async () => {
    const { scale, own } = await ofModel(predictingMethods[0]!, 0.1, 20_000);
    const exact = scaledResult(
      own.joint.map((part) => 20_000 * part),
      5,
      scale,
    );
    const { auc } = exact.scores!;
    expect(auc.high - auc.low).toBeLessThan(0.08);
    expect(Math.abs(auc.value - own.truths.AUC!)).toBeLessThan(0.005);
  });
});

async function ofModel(
  method: (typeof predictingMethods)[number],
  prevalence: number,
  rows: number,
): Promise<{ scale: ScoreScale; own: Measured; model: TrainedModel; stated: Stated }> {
  const population = populationOf(prevalence);
  const model = await trained(method, { rows, prevalence, epsilon: 4 });
  const scale = scoreScale(model.predictor);
  const stated = statedOf(model.predictor, population);
  return { scale, own: measured(scale, stated, model.predictor.link, population), model, stated };
}
