import { plainKernels } from "@consilium/core/linalg/plain";
import type { ColumnBlock } from "@consilium/core/study/design";
import { seededRandom } from "@consilium/core/testing/privacy/random";
import { describe, expect, it } from "vitest";
import { dealtToThree, drawnPatients, regressionTestStudy } from "../testing/regression/patients.js";
import { simulateRegression } from "../testing/regression/simulate.js";
import { cholesky, solved, solvedMatrix } from "./dense.js";
import { estimatesOf } from "./estimates.js";
import type { RegressionStudy } from "./study.js";

/** A plain fit in floating point, in the columns' own units: what a statistics program does with all rows at one place. */
function plainFit(block: ColumnBlock, family: "logistic" | "linear") {
  const d = 6;
  const rows = Array.from({ length: block.rows }, (_, r) => {
    const [age, pressure, ward, smoker] = block.columns.map((column) => column[r]!);
    return [1, age!, pressure!, ward === 1 ? 1 : 0, ward === 2 ? 1 : 0, smoker!];
  });
  const outcome = Array.from({ length: block.rows }, (_, r) => block.labels?.[r] ?? block.columns[4]![r]!);
  let beta: Float64Array = new Float64Array(d);
  let information = new Float64Array(d * d);
  for (let step = 0; step < (family === "linear" ? 1 : 30); step++) {
    information = new Float64Array(d * d);
    const score = new Float64Array(d);
    rows.forEach((x, r) => {
      const eta = x.reduce((sum, value, j) => sum + value * beta[j]!, 0);
      const mean = family === "linear" ? 0 : 1 / (1 + Math.exp(-eta));
      const weight = family === "linear" ? 1 : mean * (1 - mean);
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

const nothingDrawn = {
  bytes: (): never => {
    throw new Error("nothing is drawn");
  },
};

const fitted = async (study: RegressionStudy, tables: readonly (readonly ColumnBlock[])[]) =>
  simulateRegression({ study, tables, kernels: plainKernels(), random: nothingDrawn });

describe.each(["logistic", "linear"] as const)("a %s regression without noise", (family) => {
  const block = drawnPatients(5000, "without noise", family === "linear" ? "stay" : "ill");
  const study = regressionTestStudy(family);

  it("is that of all rows at one place, bit by bit", async () => {
    const apart = await fitted(study, dealtToThree(block));
    const together = await fitted({ ...study }, [[block], [], []]);
    expect(together.coefficients).toEqual(apart.coefficients);
    expect(together.error).toEqual(apart.error);
  });

  it("has the coefficients and standard errors of a plain fit", async () => {
    const estimates = estimatesOf(study, await fitted(study, dealtToThree(block)));
    const { beta, stdErrors } = plainFit(block, family);
    estimates.forEach(({ coefficient, stdError }, j) => {
      // Far within the sampling error, of which nobody would notice a fiftieth.
      expect(Math.abs(coefficient - beta[j]!)).toBeLessThan(stdErrors[j]! / 50);
      expect(stdError / stdErrors[j]!).toBeCloseTo(1, 1);
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
