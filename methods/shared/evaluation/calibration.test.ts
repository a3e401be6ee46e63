import seedrandom from "seedrandom";
import { describe, expect, it } from "vitest";
import { normalStream } from "../draws/gaussian.js";
import { type CalibrationRange, fittedCalibration, worthwhile } from "./calibration.js";

const sigmoid = (x: number) => 1 / (1 + Math.exp(-x));
const xs = Array.from({ length: 20 }, (_, j) => -3 + j / 5);

/** Rows drawn at log-odds a + b·x, as many in each range, with noise in both counts. */
function drawn(options: {
  readonly rows: number;
  readonly intercept: number;
  readonly slope: number;
  readonly noise: number;
  readonly seed: string;
}): CalibrationRange[] {
  const { rows, intercept, slope, noise, seed } = options;
  const uniform = seedrandom(seed);
  const normal = normalStream(() => uniform.double());
  return xs.map((x) => {
    let positives = 0;
    for (let i = 0; i < rows; i++) if (uniform() < sigmoid(intercept + slope * x)) positives++;
    const [first, second] = [rows - positives + noise * normal(), positives + noise * normal()];
    return { logOdds: x, rows: first + second, positives: second };
  });
}

describe("a calibration", () => {
  it("is the logistic regression of the counts where there is no noise", () => {
    // scikit-learn 1.9.1, LogisticRegression(C=inf, tol=1e-12) on the same counts; ours believes a little in 0 and 1.
    const ranges = [
      [-2, 400, 20],
      [-1, 300, 45],
      [0, 200, 70],
      [1, 100, 60],
    ].map(([logOdds, rows, positives]) => ({ logOdds: logOdds!, rows: rows!, positives: positives! }));
    const { intercept, slope } = fittedCalibration(ranges, 0);
    expect(intercept).toBeCloseTo(-0.65139, 2);
    expect(slope).toBeCloseTo(1.11412, 2);
    // What the estimate solves: the rows' own mean is stated.
    const stated = ranges.reduce((sum, one) => sum + one.rows * sigmoid(intercept + slope * one.logOdds), 0);
    expect(stated).toBeCloseTo(195, 0);
  });

  it("leaves what the loss implies where nothing but noise was counted", () => {
    const nothing = drawn({ rows: 0, intercept: 0, slope: 1, noise: 50, seed: "nothing" });
    const { intercept, slope } = fittedCalibration(nothing, 1e6);
    expect(Math.abs(intercept)).toBeLessThan(0.05);
    expect(slope).toBeCloseTo(1, 1);
    expect(fittedCalibration([], 0)).toMatchObject({ intercept: 0, slope: 1, optimism: 0 });
  });

  it("keeps the order of rows, whatever was counted", () => {
    const { slope } = fittedCalibration(
      drawn({ rows: 500, intercept: 0, slope: -2, noise: 0, seed: "back" }),
      0,
    );
    expect(slope).toBeGreaterThan(0);
    expect(slope).toBeLessThan(0.01);
  });

  it.each([
    [2000, 0],
    [2000, 40],
    [200, 5],
    [50, 0],
  ])("finds intercept and slope within what it says, %i rows a range and noise %d", (rows, noise) => {
    const runs = 300;
    let [level, tilt, bias] = [0, 0, 0];
    for (let run = 0; run < runs; run++) {
      const ranges = drawn({ rows, intercept: -1, slope: 0.6, noise, seed: `fit ${rows} ${noise} ${run}` });
      const fit = fittedCalibration(ranges, noise);
      if (Math.abs(fit.slope - 0.6) <= 1.96 * fit.slopeStdDev) tilt++;
      const centre = xs.reduce((sum, x) => sum + x, 0) / xs.length;
      const error = fit.intercept + fit.slope * centre - (-1 + 0.6 * centre);
      if (Math.abs(error) <= 1.96 * fit.levelStdDev) level++;
      bias += error / fit.levelStdDev / runs;
    }
    // 95 % within four standard deviations of 300 runs.
    for (const part of [level / runs, tilt / runs]) {
      expect(part).toBeGreaterThan(0.9);
    }
    expect(Math.abs(bias)).toBeLessThan(0.35);
  });
});

/** Held-out rows of a rare outcome: 929 of which the model states 4.3 %, mostly low scores. */
const rare = xs.map((_, j) => ({ logOdds: -4.74 + j / 4.2, rows: 929 * 0.185 * 0.83 ** j }));
const stroke = { noise: 4.7, runs: 200 };
const meanOf = (a: number, b: number) =>
  rare.reduce((sum, { logOdds, rows }) => sum + rows * sigmoid(a + b * logOdds), 0) /
  rare.reduce((sum, { rows }) => sum + rows, 0);

/** Log-loss that probabilities which are stated lose to those that are right, a row. */
const excess = (right: readonly [number, number], stated: readonly [number, number]) => {
  const total = rare.reduce((sum, { rows }) => sum + rows, 0);
  return rare.reduce((sum, { logOdds, rows }) => {
    const [p, q] = [right, stated].map(([a, b]) => sigmoid(a + b * logOdds)) as [number, number];
    return sum + (rows / total) * (p * Math.log(p / q) + (1 - p) * Math.log((1 - p) / (1 - q)));
  }, 0);
};

describe("a calibration that is worth its noise", () => {
  const drawnRare = (right: readonly [number, number], seed: string) => {
    const uniform = seedrandom(seed);
    const normal = normalStream(() => uniform.double());
    return rare.map(({ logOdds, rows }) => {
      const p = sigmoid(right[0] + right[1] * logOdds);
      let positives = 0;
      for (let i = 0; i < Math.round(rows); i++) if (uniform() < p) positives++;
      const [first, second] = [Math.round(rows) - positives, positives].map(
        (count) => count + stroke.noise * normal(),
      ) as [number, number];
      return { logOdds, rows: first + second, positives: second };
    });
  };
  const over = (right: readonly [number, number]) => {
    const of = { released: 0, fitted: 0, implied: 0, close: 0, fittedClose: 0 };
    for (let run = 0; run < stroke.runs; run++) {
      const fit = fittedCalibration(drawnRare(right, `rare ${right.join()} ${run}`), stroke.noise);
      const released = worthwhile(fit);
      of.released += excess(right, [released.intercept, released.slope]) / stroke.runs;
      of.fitted += excess(right, [fit.intercept, fit.slope]) / stroke.runs;
      of.implied += excess(right, [0, 1]) / stroke.runs;
      const isClose = (a: number, b: number) =>
        Math.abs(Math.log(meanOf(a, b) / meanOf(...right))) < Math.log(1.5);
      if (isClose(released.intercept, released.slope)) of.close += 1 / stroke.runs;
      if (isClose(fit.intercept, fit.slope)) of.fittedClose += 1 / stroke.runs;
    }
    return of;
  };

  it("leaves a model of a rare outcome as it is where noise would be all that it adds", () => {
    const right = over([0, 1]);
    expect(meanOf(0, 1)).toBeCloseTo(0.043, 3);
    expect(right.released).toBeLessThan(right.fitted / 2);
    expect(right.close).toBeGreaterThan(0.9);
    // The control: what every calibration does to its mean risk.
    expect(right.fittedClose).toBeLessThan(0.85);
  });

  it("corrects a model that is wrong by more", () => {
    const wrong = over([2, 1]);
    expect(wrong.released).toBeLessThan(wrong.implied / 2);
  });
});
