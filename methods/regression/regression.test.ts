import { plainKernels } from "@consilium/core/linalg/plain";
import type { ColumnBlock } from "@consilium/core/study/design";
import seedrandom from "seedrandom";
import { describe, expect, it } from "vitest";
import {
  dealtToThree,
  drawnPatients,
  type Family,
  outcomeOf,
  regressionTestStudy,
  trueLogOdds,
} from "../testing/regression/patients.js";
import { simulateRegression } from "../testing/regression/simulate.js";
import { cholesky, solved, solvedMatrix } from "./dense.js";
import { type Estimate, estimatesOf } from "./estimates.js";
import { type RegressionStudy, regressionLayout } from "./study.js";

/** Maximum likelihood in floating point, in the columns' own units: what a statistics program does with all rows at one place. */
interface Plain {
  readonly beta: readonly number[];
  readonly stdErrors: readonly number[];
}

/** Lines of a linear predictor with what Newton's method asks of each: an outcome's residual and its weight. */
function newton(
  lines: readonly { readonly x: readonly number[] }[],
  terms: (line: number, eta: number) => readonly [residual: number, weight: number],
  start: Float64Array,
) {
  const d = start.length;
  let beta = start;
  let information = new Float64Array(d * d);
  for (let step = 0; step < 30; step++) {
    information = new Float64Array(d * d);
    const score = new Float64Array(d);
    lines.forEach(({ x }, r) => {
      const [residual, weight] = terms(
        r,
        x.reduce((sum, value, j) => sum + value * beta[j]!, 0),
      );
      for (let i = 0; i < d; i++) {
        if (x[i] === 0) continue;
        score[i] = score[i]! + x[i]! * residual;
        for (let j = 0; j < d; j++) information[i * d + j] = information[i * d + j]! + weight * x[i]! * x[j]!;
      }
    });
    const move = solved(cholesky(information, d), d, score);
    beta = beta.map((value, j) => value + move[j]!);
    if (move.every((value, j) => Math.abs(value) <= 1e-10 * (1 + Math.abs(beta[j]!)))) break;
  }
  const identity = Float64Array.from({ length: d * d }, (_, p) => (p % (d + 1) === 0 ? 1 : 0));
  const inverse = solvedMatrix(cholesky(information, d), d, identity);
  return { beta, stdErrors: Float64Array.from(beta, (_, j) => Math.sqrt(inverse[j * (d + 1)]!)) };
}

/** A patient's columns in units in which a fit is well conditioned, and these units. */
const units = [1, 80, 120, 1, 1, 1];
const columnsOf = (block: ColumnBlock, r: number) => {
  const [age, pressure, ward, smoker] = block.columns.map((column) => column[r]!);
  return [1, age! / 80, pressure! / 120, ward === 1 ? 1 : 0, ward === 2 ? 1 : 0, smoker!];
};

function plainFit(block: ColumnBlock, family: Exclude<Family, "cox">): Plain {
  const lines = Array.from({ length: block.rows }, (_, r) => ({ x: columnsOf(block, r) }));
  const y = Array.from({ length: block.rows }, (_, r) => block.labels?.[r] ?? block.columns[4]![r]!);
  const start = new Float64Array(6);
  const total = y.reduce((sum, value) => sum + value, 0);
  if (family === "logistic") start[0] = Math.log(total / (block.rows - total));
  if (family === "poisson")
    start[0] = Math.log(total / block.columns[5]!.reduce((sum, value) => sum + value, 0));
  const { beta, stdErrors } = newton(
    lines,
    (r, eta) => {
      if (family === "linear") return [y[r]! - eta, 1];
      const mean = family === "logistic" ? 1 / (1 + Math.exp(-eta)) : block.columns[5]![r]! * Math.exp(eta);
      return [y[r]! - mean, family === "logistic" ? mean * (1 - mean) : mean];
    },
    start,
  );
  const residuals = lines.map(({ x }, r) => y[r]! - x.reduce((sum, value, j) => sum + value * beta[j]!, 0));
  const variance =
    family === "linear" ? residuals.reduce((sum, value) => sum + value ** 2, 0) / (block.rows - 6) : 1;
  return {
    beta: units.map((unit, j) => beta[j]! / unit),
    stdErrors: units.map((unit, j) => (Math.sqrt(variance) * stdErrors[j]!) / unit),
  };
}

/** Patients as lines of one interval of time each, closed on the right: nobody's follow-up is cut. */
function plainCox(block: ColumnBlock, edges: readonly number[]): Plain {
  const lines: { x: number[]; lived: number; event: number }[] = [];
  const intervals = edges.length - 1;
  const died = new Float64Array(intervals);
  const lived = new Float64Array(intervals);
  for (let r = 0; r < block.rows; r++) {
    const time = block.columns[4]![r]!;
    for (let k = 0; k < intervals && edges[k]! < time; k++) {
      const isLast = time <= edges[k + 1]! && time < edges[intervals]!;
      const event = isLast && block.labels![r] === 1 ? 1 : 0;
      const own = Math.min(time, edges[k + 1]!) - edges[k]!;
      died[k] = died[k]! + event;
      lived[k] = lived[k]! + own;
      lines.push({
        x: [...edges.slice(1).map((_, i) => (i === k ? 1 : 0)), ...columnsOf(block, r).slice(1)],
        lived: own,
        event,
      });
    }
  }
  const start = new Float64Array(intervals + 5);
  died.forEach((count, k) => {
    start[k] = Math.log(Math.max(count, 0.5) / lived[k]!);
  });
  const { beta, stdErrors } = newton(
    lines,
    (l, eta) => {
      const mean = lines[l]!.lived * Math.exp(eta);
      return [lines[l]!.event - mean, mean];
    },
    start,
  );
  return {
    beta: units.slice(1).map((unit, j) => beta[intervals + j]! / unit),
    stdErrors: units.slice(1).map((unit, j) => stdErrors[intervals + j]! / unit),
  };
}

const nothingDrawn = {
  bytes: (): never => {
    throw new Error("nothing is drawn");
  },
};

const fitted = async (study: RegressionStudy, tables: readonly (readonly ColumnBlock[])[]) =>
  simulateRegression({ study, tables, kernels: plainKernels(), random: nothingDrawn });

/** Every coefficient within a twentieth of its standard error, and every standard error within 2 %. */
function expectPlain(estimates: readonly Estimate[], { beta, stdErrors }: Plain) {
  expect(estimates).toHaveLength(beta.length);
  estimates.forEach(({ name, found }, j) => {
    expect(Math.abs(found!.coefficient - beta[j]!) / stdErrors[j]!, name).toBeLessThan(0.05);
    expect(Math.abs(found!.stdError / stdErrors[j]! - 1), name).toBeLessThan(0.02);
  });
}

describe.each(["logistic", "linear", "poisson", "cox"] as const)(
  "a %s regression without noise",
  (family) => {
    const block = drawnPatients(5000, "without noise", outcomeOf(family));
    const study = regressionTestStudy(family);

    it("is that of all rows at one place, bit by bit", async () => {
      const apart = await fitted(study, dealtToThree(block));
      const together = await fitted({ ...study }, [[block], [], []]);
      expect(await estimatesOf(study, together)).toEqual(await estimatesOf(study, apart));
      expect(together.events).toEqual(apart.events);
      expect(apart.fit.hasArrived).toBe(true);
    });

    it("has the coefficients and standard errors of maximum likelihood", async () => {
      const estimates = await estimatesOf(study, await fitted(study, dealtToThree(block)));
      const { followUp } = regressionLayout(study);
      expectPlain(estimates, family === "cox" ? plainCox(block, followUp!.edges) : plainFit(block, family));
    });
  },
);

describe("a logistic regression without noise", () => {
  const block = drawnPatients(20_000, "rare", "ill");

  it.each([0.5, 0.3, 0.1, 0.05, 0.03, 0.01, 0.005])(
    "has the coefficients and standard errors of maximum likelihood at a prevalence of %d",
    async (prevalence) => {
      const rare = { ...block, labels: labelsAt(block, prevalence) };
      const study = regressionTestStudy("logistic", {
        participation: { sites: ["a", "b", "c"], minimumSites: 3, maxRowsPerSite: 10_000 },
      });
      const result = await fitted(study, dealtToThree(rare));
      expectPlain(await estimatesOf(study, result), plainFit(rare, "logistic"));
    },
  );
});

/** Outcomes by the patients' own coefficients, but for the intercept. */
function labelsAt(block: ColumnBlock, prevalence: number): Uint16Array {
  const eta = Array.from({ length: block.rows }, (_, r) => {
    const x = columnsOf(block, r).map((value, j) => value * units[j]!);
    return Object.values(trueLogOdds).reduce((sum, value, j) => sum + value * x[j]!, 0);
  });
  let [low, high] = [-20, 20];
  for (let i = 0; i < 50; i++) {
    const middle = (low + high) / 2;
    const mean = eta.reduce((sum, value) => sum + 1 / (1 + Math.exp(-value - middle)), 0) / block.rows;
    if (mean < prevalence) low = middle;
    else high = middle;
  }
  const uniform = seedrandom(`outcomes ${prevalence}`);
  return Uint16Array.from(eta, (value) => (uniform.double() < 1 / (1 + Math.exp(-value - low)) ? 1 : 0));
}

describe("a Cox regression without noise", () => {
  it("follows everybody to the end where hazards are far from proportional", async () => {
    // Early deaths by pressure alone: whom a model takes for doomed may live on.
    const block = drawnPatients(5000, "not proportional", "death");
    const uniform = seedrandom("not proportional");
    const [, pressure, , , months] = block.columns;
    const labels = Uint16Array.from(months!, (_, r) => {
      const isEarly = uniform.double() < ((pressure![r]! - 80) / 120) ** 2;
      const time = isEarly ? 12 * uniform.double() : 80 * uniform.double();
      months![r] = Math.min(60, time);
      return time < 60 ? 1 : 0;
    });
    const study = regressionTestStudy("cox");
    const { followUp } = regressionLayout(study);
    const result = await fitted(study, dealtToThree({ ...block, labels }));
    expectPlain(await estimatesOf(study, result), plainCox({ ...block, labels }, followUp!.edges));
    expect(result.bounded!.count).toBe(0);
  });
});

describe("a Poisson regression without noise", () => {
  it("has the rate ratios of events per person-year, of which a patient has one at most", async () => {
    // Expected numbers of up to several events, in years of up to 25.
    const block = drawnPatients(6000, "deaths", "visits");
    const uniform = seedrandom("deaths");
    const [age, , , , deaths, years] = block.columns;
    for (let r = 0; r < block.rows; r++) {
      const rate = Math.exp(-5.5 + 0.05 * (age![r]! - 20));
      const until = -Math.log(1 - uniform.double()) / rate;
      const left = 25 * uniform.double();
      deaths![r] = until < left ? 1 : 0;
      years![r] = Math.max(0.01, Math.min(until, left));
    }
    const study = regressionTestStudy("poisson", {
      features: regressionTestStudy("poisson").features.map((feature) =>
        feature.name === "visits"
          ? { ...feature, max: 1 }
          : feature.name === "years"
            ? { ...feature, min: 0.01, max: 25 }
            : feature,
      ),
    });
    const result = await fitted(study, dealtToThree(block));
    expectPlain(await estimatesOf(study, result), plainFit(block, "poisson"));
    expect(result.bounded!.count).toBe(0);
  });

  it.each([60, 365, 1000])(
    "has the same rate ratios and dispersion where counts may be up to %d",
    async (max) => {
      const block = drawnPatients(6000, "wide", "visits");
      const wide = regressionTestStudy("poisson", {
        features: regressionTestStudy("poisson").features.map((feature) =>
          feature.name === "visits" ? { ...feature, max } : feature,
        ),
      });
      const [narrow, found] = [
        await fitted(regressionTestStudy("poisson"), dealtToThree(block)),
        await fitted(wide, dealtToThree(block)),
      ];
      expect(found.fit.dispersion! / narrow.fit.dispersion!).toBeCloseTo(1, 2);
      expect(found.fit.opened.length).toBeLessThan(10);
      const expected = await estimatesOf(wide, narrow);
      for (const [j, { found: own }] of (await estimatesOf(wide, found)).entries()) {
        const other = expected[j]!.found!;
        expect(Math.abs(own!.coefficient - other.coefficient) / other.stdError).toBeLessThan(0.02);
        expect(Math.abs(own!.stdError / other.stdError - 1)).toBeLessThan(0.02);
      }
    },
  );
});
