import { describe, expect, it } from "vitest";
import { Draws } from "../../testing/regression/cells.js";
import { cholesky, solved } from "../dense.js";
import type { OpenedSum } from "../openedSum.js";
import { sumsWithoutNoise } from "../study.js";
import { fitCox } from "./cox.js";
import type { Fit } from "./fit.js";
import { fitLinear } from "./linear.js";
import { fitLogistic } from "./logistic.js";
import { fitPoisson } from "./poisson.js";

/** Rows of columns, the intercept first where there is one. */
type Rows = readonly (readonly number[])[];
type Mean = (eta: number, row: number) => { readonly mean: number; readonly weight: number };

const quiet = {
  scoreStdDev: 0,
  informationStdDev: 0,
  squares: null,
  squaresStdDev: 0,
  bounded: null,
  boundedStdDev: 0,
};
const etaOf = (x: readonly number[], beta: ArrayLike<number>) =>
  x.reduce((sum, value, j) => sum + value * beta[j]!, 0);
const odds: Mean = (eta) => {
  const mean = 1 / (1 + Math.exp(-eta));
  return { mean, weight: mean * (1 - mean) };
};

/** Score and information of rows whose outcome has a mean. */
function sumOf(rows: Rows, y: readonly number[], mean: Mean, beta: ArrayLike<number>): OpenedSum {
  const d = rows[0]!.length;
  const score = new Float64Array(d);
  const information = new Float64Array(d * d);
  let squares = 0;
  rows.forEach((x, r) => {
    const at = mean(etaOf(x, beta), r);
    const residual = y[r]! - at.mean;
    squares += residual ** 2;
    for (let i = 0; i < d; i++) {
      score[i] = score[i]! + residual * x[i]!;
      for (let j = 0; j < d; j++)
        information[i * d + j] = information[i * d + j]! + at.weight * x[i]! * x[j]!;
    }
  });
  return { ...quiet, score, information, squares };
}

/** Fisher's scoring from 0 to the last digit, halved where the likelihood falls: what glm comes to. */
function glm(rows: Rows, y: readonly number[], mean: Mean, likelihood: (beta: Float64Array) => number) {
  const d = rows[0]!.length;
  let beta: Float64Array = new Float64Array(d);
  for (let turn = 0; turn < 200; turn++) {
    const { score, information } = sumOf(rows, y, mean, beta);
    const step = solved(cholesky(information, d), d, score);
    if (step.reduce((sum, value, j) => sum + value * score[j]!, 0) < 1e-16) break;
    let by = 1;
    const before = likelihood(beta);
    while (by > 1e-9 && !(likelihood(beta.map((value, j) => value + by * step[j]!)) >= before - 1e-12))
      by /= 2;
    beta = beta.map((value, j) => value + by * step[j]!);
  }
  const { information } = sumOf(rows, y, mean, beta);
  const lower = cholesky(information, d);
  const errors = Array.from({ length: d }, (_, j) => Math.sqrt(solved(lower, d, unit(d, j))[j]!));
  return { beta, errors };
}

const unit = (d: number, j: number) => Float64Array.from({ length: d }, (_, i) => (i === j ? 1 : 0));

const logLikelihood = (rows: Rows, y: readonly number[]) => (beta: Float64Array) =>
  rows.reduce((sum, x, r) => {
    const eta = etaOf(x, beta);
    return sum + y[r]! * eta - Math.max(eta, 0) - Math.log1p(Math.exp(-Math.abs(eta)));
  }, 0);

const logistic = (rows: Rows, y: readonly number[]) =>
  fitLogistic({
    d: rows[0]!.length,
    sums: sumsWithoutNoise,
    hasNoise: false,
    ask: async (beta) => sumOf(rows, y, odds, beta),
  });

function drawnRows(draws: Draws, n: number): number[][] {
  return Array.from({ length: n }, () => [
    1,
    Math.max(-0.5, Math.min(0.5, draws.normal() / 6)),
    Math.min(draws.exponential() / 12, 1) - 0.5,
    draws.uniform() < 0.3 ? 0.5 : -0.5,
    draws.uniform() < 0.05 ? 0.5 : -0.5,
  ]);
}

/** Every coefficient within .05 standard errors, and standard errors within 2 %. */
async function expectSame(
  fit: Fit,
  plain: { beta: ArrayLike<number>; errors: readonly number[] },
  factor = 1,
) {
  expect(fit.hasArrived).toBe(true);
  for (const [j, error] of plain.errors.entries()) {
    const found = await fit.score.interval(unit(plain.errors.length, j));
    expect(found).not.toBeNull();
    expect(Math.abs(found!.value - plain.beta[j]!)).toBeLessThan(0.05 * error);
    expect(Math.abs(found!.stdError / (factor * error) - 1)).toBeLessThan(0.02);
  }
}

describe("without privacy a regression is the maximum of its likelihood", () => {
  it.each([
    [0.5, 1500, 1],
    [0.3, 1500, 1],
    [0.1, 1500, 1],
    [0.05, 2000, 1],
    [0.03, 3000, 1],
    [0.01, 6000, 1],
    [0.005, 12_000, 1],
    [0.002, 30_000, 1],
    [0.1, 2000, 4],
    [0.02, 6000, 3],
  ])("logistic: %f of rows have the outcome, %i rows, effects %f times", async (prevalence, n, times) => {
    const draws = new Draws(7 + n);
    const rows = drawnRows(draws, n);
    const effects = [0, 3 * times, 4 * times, 0.8 * times, 1.5];
    const etas = rows.map((x) => etaOf(x, effects));
    let [low, high] = [-40, 40];
    while (high - low > 1e-9) {
      const middle = (low + high) / 2;
      const mean = etas.reduce((sum, eta) => sum + 1 / (1 + Math.exp(-middle - eta)), 0) / n;
      if (mean < prevalence) low = middle;
      else high = middle;
    }
    const y = etas.map((eta) => (draws.uniform() < 1 / (1 + Math.exp(-low - eta)) ? 1 : 0));
    const fit = await logistic(rows, y);
    expect(fit.isSeparated).toBe(false);
    await expectSame(fit, glm(rows, y, odds, logLikelihood(rows, y)));
  });

  it("logistic, 40 rows", async () => {
    const draws = new Draws(3);
    const rows = drawnRows(draws, 40).map((x) => [x[0]!, x[1]!, x[3]!]);
    const y = rows.map((x) => (draws.uniform() < 1 / (1 + Math.exp(-etaOf(x, [0, 2, 0.5]))) ? 1 : 0));
    await expectSame(await logistic(rows, y), glm(rows, y, odds, logLikelihood(rows, y)));
  });

  it.each([1, 2.5])("Poisson with an exposure, its mean times %f", async (times) => {
    const draws = new Draws(11);
    const rows = drawnRows(draws, 2000);
    const exposure = rows.map(() => 0.2 + draws.uniform());
    const truth = [-1, 1.5 * times, 2 * times, 0.8, 0.5];
    const y = rows.map((x, r) => draws.poisson(exposure[r]! * Math.exp(etaOf(x, truth))));
    const mean: Mean = (eta, r) => {
      const value = exposure[r]! * Math.exp(eta);
      return { mean: value, weight: value };
    };
    const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
    const fit = await fitPoisson({
      d: 5,
      sums: sumsWithoutNoise,
      hasNoise: false,
      largest: 1,
      start: {
        events: Float64Array.of(sum(y)),
        exposures: Float64Array.of(sum(exposure)),
        eventsStdDev: 0,
        exposuresStdDev: 0,
      },
      ask: async (beta) => sumOf(rows, y, mean, beta),
    });
    const plain = glm(rows, y, mean, (beta) =>
      rows.reduce(
        (total, x, r) => total + y[r]! * etaOf(x, beta) - exposure[r]! * Math.exp(etaOf(x, beta)),
        0,
      ),
    );
    const means = rows.map((x, r) => exposure[r]! * Math.exp(etaOf(x, plain.beta)));
    const squares = sum(y.map((value, r) => (value - means[r]!) ** 2));
    expect(fit.dispersion).toBeCloseTo(Math.max(1, squares / sum(means)), 5);
    await expectSame(fit, plain, Math.sqrt(samplingFactor(fit.dispersion!)));
  });

  it("linear, 40 rows: lm's standard errors", async () => {
    const draws = new Draws(5);
    const rows = drawnRows(draws, 40).map((x) => [x[0]!, x[1]!, x[3]!]);
    // Residuals of a two-hundredth of the outcome's range.
    const y = rows.map((x) => etaOf(x, [0.1, 0.2, -0.1]) + draws.normal() / 200);
    const one: Mean = (eta) => ({ mean: eta, weight: 1 });
    const gram = {
      ...sumOf(rows, y, one, [0, 0, 0]),
      squares: y.reduce((sum, value) => sum + value ** 2, 0),
    };
    const fit = await fitLinear({ gram });
    const lower = cholesky(gram.information, 3);
    const beta = solved(lower, 3, gram.score);
    const residuals = rows.reduce((sum, x, r) => sum + (y[r]! - etaOf(x, beta)) ** 2, 0);
    const errors = [0, 1, 2].map((j) => Math.sqrt((solved(lower, 3, unit(3, j))[j]! * residuals) / (40 - 3)));
    await expectSame(fit, { beta, errors });
  });

  it.each([0.1, 0.6, 0.95])("Cox, an event of %f of the patients", async (part) => {
    const { fit, plain } = await cox(part, 1500);
    await expectSame(fit, plain);
  });

  it("Cox, an interval without an event: its own hazard alone stays open", async () => {
    const { fit } = await cox(0.3, 800, 2);
    expect(fit.hasArrived).toBe(true);
    for (let j = 0; j < 3; j++) expect(await fit.score.interval(unit(8, j))).not.toBeNull();
    for (let k = 0; k < 5; k++) {
      const found = await fit.score.interval(unit(8, 3 + k));
      if (k === 2) expect(found).toBeNull();
      else expect(found).not.toBeNull();
    }
  });
});

/** 1 + 1.3(φ - 1) */
const samplingFactor = (dispersion: number) => 1 + 1.3 * (dispersion - 1);

async function cox(part: number, n: number, quietInterval = -1) {
  const draws = new Draws(13);
  const K = 5;
  const rows = drawnRows(draws, n).map((x) => x.slice(1, 4));
  const rate = -Math.log(1 - part) / 3.5;
  const time: number[] = [];
  const event: number[] = [];
  for (const x of rows) {
    const until = draws.exponential() / (rate * Math.exp(etaOf(x, [2, 2, 0.7])));
    const censored = 0.2 + 1.4 * draws.uniform();
    const at = Math.min(until, censored, 0.999999);
    time.push(at);
    event.push(until <= censored && until < 1 && Math.floor(at * K) !== quietInterval ? 1 : 0);
  }
  // A row a patient and interval: a Poisson regression without an intercept.
  const cells = rows.flatMap((x, r) =>
    Array.from({ length: K }, (_, k) => ({ x, r, k, lived: Math.min(time[r]! - k / K, 1 / K) }))
      .filter(({ lived }) => lived > 0)
      .map(({ k, lived }) => ({
        z: [...x, ...Array.from({ length: K }, (_, i) => (i === k ? 1 : 0))],
        lived,
        died: event[r] === 1 && Math.min(K - 1, Math.floor(time[r]! * K)) === k ? 1 : 0,
      })),
  );
  const z = cells.map((cell) => cell.z);
  const y = cells.map((cell) => cell.died);
  const mean: Mean = (eta, r) => {
    const value = cells[r]!.lived * Math.exp(eta);
    return { mean: value, weight: value };
  };
  const events = new Float64Array(K);
  const exposures = new Float64Array(K);
  for (const cell of cells) {
    const k = cell.z.indexOf(1, 3) - 3;
    events[k] = events[k]! + cell.died;
    exposures[k] = exposures[k]! + cell.lived;
  }
  const fit = await fitCox({
    columns: 3,
    sums: sumsWithoutNoise,
    hasNoise: false,
    start: { events, exposures, eventsStdDev: 0, exposuresStdDev: 0 },
    ask: async (point) => sumOf(z, y, mean, point),
  });
  const plain =
    quietInterval >= 0
      ? { beta: new Float64Array(8), errors: [] }
      : glm(z, y, mean, (beta) =>
          z.reduce(
            (sum, x, r) => sum + y[r]! * etaOf(x, beta) - cells[r]!.lived * Math.exp(etaOf(x, beta)),
            0,
          ),
        );
  return { fit, plain };
}

describe("columns that records cannot tell apart", () => {
  const draws = new Draws(17);
  const rows = drawnRows(draws, 800);
  const y = rows.map((x) => (draws.uniform() < 1 / (1 + Math.exp(-etaOf(x, [-1, 3, 2, 0.5, 1]))) ? 1 : 0));
  const plain = glm(rows, y, odds, logLikelihood(rows, y));

  it("are open where a level is in no row, and nothing else is", async () => {
    const fit = await logistic(
      rows.map((x) => [...x, -0.5]),
      y,
    );
    expect(fit.hasArrived).toBe(true);
    expect(await fit.score.interval(unit(6, 5))).toBeNull();
    for (let j = 1; j < 5; j++) {
      const found = (await fit.score.interval(unit(6, j)))!;
      expect(Math.abs(found.value - plain.beta[j]!)).toBeLessThan(0.05 * plain.errors[j]!);
      expect(Math.abs(found.stdError / plain.errors[j]! - 1)).toBeLessThan(0.02);
    }
    // Where every row is, at the reference of the level.
    const found = (await fit.score.interval(Float64Array.of(1, 0, 0, 0, 0, -0.5)))!;
    expect(Math.abs(found.value - plain.beta[0]!)).toBeLessThan(0.05 * plain.errors[0]!);
    expect(fit.score.pValue([unit(6, 5)], [3])).toBeCloseTo(1, 4);
    // Jointly, what is told of decides.
    expect(fit.score.statistic([unit(6, 1), unit(6, 5)], [0, 0])).toBeCloseTo(
      fit.score.statistic([unit(6, 1)], [0]),
      6,
    );
  });

  it("are open where two are alike, and their sum is not", async () => {
    const fit = await logistic(
      rows.map((x) => [...x, x[1]!]),
      y,
    );
    expect(fit.hasArrived).toBe(true);
    expect(await fit.score.interval(unit(6, 1))).toBeNull();
    expect(await fit.score.interval(unit(6, 5))).toBeNull();
    const both = (await fit.score.interval(Float64Array.of(0, 0.5, 0, 0, 0, 0.5)))!;
    expect(Math.abs(2 * both.value - plain.beta[1]!)).toBeLessThan(1e-3);
    expect((await fit.score.interval(unit(6, 2)))!.stdError / plain.errors[2]!).toBeCloseTo(1, 2);
  });
});

describe("outcomes that columns tell without exception", () => {
  it.each([200, 5000])("are separated: %i rows", async (n) => {
    const rows = drawnRows(new Draws(19), n);
    const fit = await logistic(
      rows,
      rows.map((x) => (x[1]! + 0.2 * x[3]! > 0.11 ? 1 : 0)),
    );
    expect(fit.isSeparated).toBe(true);
  });

  it("are not where one level alone has no event: that level stays open", async () => {
    const draws = new Draws(23);
    const rows = drawnRows(draws, 2000);
    const y = rows.map((x) => (x[4] === 0.5 || draws.uniform() > 0.1 ? 0 : 1));
    const fit = await logistic(rows, y);
    expect(fit.isSeparated).toBe(false);
    expect(fit.hasArrived).toBe(true);
    expect(await fit.score.interval(unit(5, 4))).toBeNull();
    const others = rows.filter((x) => x[4] !== 0.5).map((x) => x.slice(0, 4));
    const own = y.filter((_, r) => rows[r]![4] !== 0.5);
    const plain = glm(others, own, odds, logLikelihood(others, own));
    for (let j = 1; j < 4; j++) {
      const found = (await fit.score.interval(unit(5, j)))!;
      expect(Math.abs(found.value - plain.beta[j]!)).toBeLessThan(0.05 * plain.errors[j]!);
    }
  });

  it("are neither where one row is an exception, or the effect is very large", async () => {
    const draws = new Draws(29);
    const rows = drawnRows(draws, 3000);
    const y = rows.map((x) => (x[1]! > 0.1 ? 1 : 0));
    const at = rows.findIndex((x) => x[1]! < -0.3);
    y[at] = 1;
    const fit = await logistic(rows, y);
    expect(fit.isSeparated).toBe(false);
    const steep = rows.map((x) => (draws.uniform() < 1 / (1 + Math.exp(-60 * x[1]!)) ? 1 : 0));
    const strong = await logistic(rows, steep);
    expect(strong.isSeparated).toBe(false);
    expect(strong.hasArrived).toBe(true);
  });
});
