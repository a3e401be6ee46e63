import { plainKernels } from "@consilium/core/linalg/plain";
import { seededRandom } from "@consilium/core/testing/privacy/random";
import { expect, it } from "vitest";
import {
  dealtToThree,
  drawnPatients,
  type Family,
  outcomeOf,
  regressionTestStudy,
} from "../testing/regression/patients.js";
import { simulateRegression } from "../testing/regression/simulate.js";

const families = ["logistic", "linear", "poisson", "cox"] as const;

const run = (family: Family, epsilon: number | null, { seed = "noise", rows = 3000 } = {}) =>
  simulateRegression({
    study: regressionTestStudy(family, { privacy: epsilon === null ? "none" : { epsilon, delta: 1e-5 } }),
    tables: dealtToThree(drawnPatients(rows, family, outcomeOf(family))),
    kernels: plainKernels(),
    random: seededRandom(seed),
  });

const length = (values: Float64Array) => Math.hypot(...values);

it.each(families)("predicts with the fit itself where there is no noise: %s", async (family) => {
  const { fit, predicting } = await run(family, null);
  predicting.forEach((value, j) => {
    expect(value).toBeCloseTo(fit.score.estimate[j]!, 3);
  });
});

it.each(families)(
  "draws coefficients nearer to 0 than those of intervals where noise hides them: %s",
  async (family) => {
    let [drawn, plain] = [0, 0];
    for (const seed of ["a", "b", "c", "d", "e"]) {
      const { fit, predicting } = await run(family, 0.5, { seed, rows: 600 });
      const from = family === "cox" ? 0 : 1;
      drawn += length(predicting.slice(from));
      plain += length(fit.score.estimate.slice(from, predicting.length));
    }
    expect(drawn).toBeLessThan(0.9 * plain);
  },
);

it.each(families)("stays finite where there is next to nothing but noise: %s", async (family) => {
  for (const seed of ["a", "b", "c"]) {
    const { predicting } = await run(family, 0.5, { seed, rows: 30 });
    expect(predicting.every((value) => Math.abs(value) <= 1024)).toBe(true);
  }
});
