import { plainKernels } from "@consilium/core/linalg/plain";
import type { ColumnBlock } from "@consilium/core/study/design";
import { seededRandom } from "@consilium/core/testing/privacy/random";
import { describe, expect, it } from "vitest";
import {
  dealtToThree,
  drawnPatients,
  type Family,
  outcomeOf,
  regressionTestStudy,
} from "../testing/regression/patients.js";
import { simulateRegression } from "../testing/regression/simulate.js";
import { cholesky, solved, solvedMatrix } from "./dense.js";
import { estimatesOf } from "./estimates.js";
import { type RegressionStudy, regressionLayout } from "./study.js";

/** A plain fit in floating point, in the columns' own units: what a statistics program does with all rows at one place. */
function plainFit(block: ColumnBlock, family: Exclude<Family, "cox">) {
  const d = 6;
  const rows = Array.from({ length: block.rows }, (_, r) => {
    const [age, pressure, ward, smoker] = block.columns.map((column) => column[r]!);
    return [1, age!, pressure!, ward === 1 ? 1 : 0, ward === 2 ? 1 : 0, smoker!];
  });
  const outcome = Array.from({ length: block.rows }, (_, r) => block.labels?.[r] ?? block.columns[4]![r]!);
  const exposure = (r: number) => block.columns[5]![r]!;
  let beta: Float64Array = new Float64Array(d);
  let information = new Float64Array(d * d);
  for (let step = 0; step < (family === "linear" ? 1 : 30); step++) {
    information = new Float64Array(d * d);
    const score = new Float64Array(d);
    rows.forEach((x, r) => {
      const eta = x.reduce((sum, value, j) => sum + value * beta[j]!, 0);
      const chance = 1 / (1 + Math.exp(-eta));
      const [mean, weight] = {
        linear: () => [0, 1] as const,
        logistic: () => [chance, chance * (1 - chance)] as const,
        poisson: () => [exposure(r) * Math.exp(eta), exposure(r) * Math.exp(eta)] as const,
      }[family]();
      for (let i = 0; i < d; i++) {
        score[i] = score[i]! + x[i]! * (outcome[r]! - mean);
        for (let j = 0; j < d; j++) information[i * d + j] = information[i * d + j]! + weight * x[i]! * x[j]!;
      }
    });
    const move = solved(cholesky(information, d), d, score);
    beta = beta.map((value, j) => value + move[j]!);
  }
  const identity = Float64Array.from({ length: d * d }, (_, p) => (p % (d + 1) === 0 ? 1 : 0));
  const inverse = solvedMatrix(cholesky(information, d), d, identity);
  const residual = rows.reduce(
    (sum, x, r) => sum + (outcome[r]! - x.reduce((eta, value, j) => eta + value * beta[j]!, 0)) ** 2,
    0,
  );
  const variance = family === "linear" ? residual / (block.rows - d) : 1;
  return {
    beta,
    stdErrors: Float64Array.from(beta, (_, j) => Math.sqrt(variance * inverse[j * (d + 1)]!)),
  };
}

/** Rows with a time and whether it ended with the event, as lines of one interval of time each. */
function plainCox(block: ColumnBlock, edges: readonly number[]) {
  const lines: { readonly x: number[]; readonly lived: number; readonly event: number }[] = [];
  const intervals = edges.length - 1;
  for (let r = 0; r < block.rows; r++) {
    const [age, pressure, ward, smoker, time] = block.columns.map((column) => column[r]!);
    for (let k = 0; k < intervals && edges[k]! <= time!; k++) {
      const isLast = k === intervals - 1 || time! < edges[k + 1]!;
      const x = edges.slice(0, -1).map((_, i) => (i === k ? 1 : 0));
      lines.push({
        x: [...x, age! / 80, pressure! / 120, ward === 1 ? 1 : 0, ward === 2 ? 1 : 0, smoker!],
        lived: Math.min(time!, edges[k + 1]!) - edges[k]!,
        event: isLast && time! < edges[intervals]! && block.labels![r] === 1 ? 1 : 0,
      });
    }
  }
  const d = intervals + 5;
  let beta: Float64Array = new Float64Array(d).fill(-4, 0, intervals);
  let information = new Float64Array(d * d);
  for (let step = 0; step < 30; step++) {
    information = new Float64Array(d * d);
    const score = new Float64Array(d);
    for (const { x, lived, event } of lines) {
      const mean = lived * Math.exp(x.reduce((total, value, j) => total + value * beta[j]!, 0));
      for (let i = 0; i < d; i++) {
        if (x[i] === 0) continue;
        score[i] = score[i]! + x[i]! * (event - mean);
        for (let j = 0; j < d; j++) information[i * d + j] = information[i * d + j]! + mean * x[i]! * x[j]!;
      }
    }
    const move = solved(cholesky(information, d), d, score);
    beta = beta.map((value, j) => value + move[j]!);
  }
  const identity = Float64Array.from({ length: d * d }, (_, p) => (p % (d + 1) === 0 ? 1 : 0));
  const inverse = solvedMatrix(cholesky(information, d), d, identity);
  const units = [80, 120, 1, 1, 1];
  return {
    beta: units.map((unit, j) => beta[intervals + j]! / unit),
    stdErrors: units.map((unit, j) => Math.sqrt(inverse[(intervals + j) * (d + 1)]!) / unit),
    hazards: beta.slice(0, intervals),
  };
}

const nothingDrawn = {
  bytes: (): never => {
    throw new Error("nothing is drawn");
  },
};

const fitted = async (study: RegressionStudy, tables: readonly (readonly ColumnBlock[])[]) =>
  simulateRegression({ study, tables, kernels: plainKernels(), random: nothingDrawn });

describe.each(["logistic", "linear", "poisson", "cox"] as const)(
  "a %s regression without noise",
  (family) => {
    const block = drawnPatients(5000, "without noise", outcomeOf(family));
    const study = regressionTestStudy(family);

    it("is that of all rows at one place, bit by bit", async () => {
      const apart = await fitted(study, dealtToThree(block));
      const together = await fitted({ ...study }, [[block], [], []]);
      expect(together.coefficients).toEqual(apart.coefficients);
      expect(together.error).toEqual(apart.error);
      expect(together.events).toEqual(apart.events);
    });

    // Cox below: beside all periods that patients lived through.
    if (family === "cox") return;
    it("has the coefficients and standard errors of a plain fit", async () => {
      const estimates = estimatesOf(study, await fitted(study, dealtToThree(block)));
      const { beta, stdErrors } = plainFit(block, family);
      estimates.forEach(({ coefficient, stdError }, j) => {
        // Far within the sampling error, of which nobody would notice a fiftieth; counts are cut to parts of the largest.
        expect(Math.abs(coefficient - beta[j]!)).toBeLessThan(
          stdErrors[j]! / (family === "poisson" ? 30 : 50),
        );
        expect(stdError / stdErrors[j]!).toBeCloseTo(1, 1);
      });
    });
  },
);

describe("a Cox regression without noise", () => {
  it("has the hazard ratios and standard errors of all periods that all patients lived through, at one place", async () => {
    const block = drawnPatients(5000, "without noise", "death");
    const study = regressionTestStudy("cox");
    const { followUp } = regressionLayout(study);
    const result = await fitted(study, dealtToThree(block));
    const { beta, stdErrors, hazards } = plainCox(block, followUp!.edges);
    const [intercept, ...estimates] = estimatesOf(study, result);
    estimates.forEach(({ coefficient, stdError }, j) => {
      // Those who die late at a high hazard are not followed so far: a little is left of what they tell.
      expect(Math.abs(coefficient - beta[j]!)).toBeLessThan(stdErrors[j]! / 3);
      expect(stdError / stdErrors[j]!).toBeCloseTo(1.02, 1);
    });
    result.events!.baseline.forEach((log, k) => {
      expect(Math.abs(intercept!.coefficient + log - hazards[k]!)).toBeLessThan(0.35);
    });
  });
});

describe("a regression with noise", () => {
  it("comes near the plain fit at a great epsilon, and says how near", async () => {
    for (const family of ["logistic", "linear"] as const) {
      const block = drawnPatients(5000, "with noise", family === "linear" ? "stay" : "ill");
      const study = regressionTestStudy(family, { privacy: { epsilon: 50, delta: 1e-5 } });
      const result = await simulateRegression({
        study,
        tables: dealtToThree(block),
        kernels: plainKernels(),
        random: seededRandom("noise"),
      });
      const { beta, stdErrors } = plainFit(block, family);
      estimatesOf(study, result).forEach(({ coefficient, stdError }, j) => {
        expect(Math.abs(coefficient - beta[j]!)).toBeLessThan(stdErrors[j]!);
        expect(stdError).toBeGreaterThan(0.9 * stdErrors[j]!);
        expect(stdError).toBeLessThan(1.5 * stdErrors[j]!);
      });
    }
  });

  it("has wider intervals at a smaller epsilon", async () => {
    const block = drawnPatients(5000, "wider", "ill");
    const widths: number[] = [];
    for (const epsilon of [8, 2, 0.5]) {
      const study = regressionTestStudy("logistic", { privacy: { epsilon, delta: 1e-5 } });
      const result = await simulateRegression({
        study,
        tables: dealtToThree(block),
        kernels: plainKernels(),
        random: seededRandom("noise"),
      });
      widths.push(
        estimatesOf(study, result).reduce(
          (sum, { name, stdError }) => sum + (name === "age" ? stdError : 0),
          0,
        ),
      );
    }
    expect(widths[1]).toBeGreaterThan(widths[0]!);
    expect(widths[2]).toBeGreaterThan(widths[1]!);
  });
});
