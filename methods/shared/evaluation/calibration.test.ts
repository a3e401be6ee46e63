import seedrandom from "seedrandom";
import { describe, expect, it } from "vitest";
import { normalStream } from "../draws/gaussian.js";
import { type CalibrationRange, fittedCalibration } from "./calibration.js";

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
