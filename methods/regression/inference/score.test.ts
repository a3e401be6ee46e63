import { describe, expect, it } from "vitest";
import { scoreReference } from "../../testing/regression/scoreReference.js";
import { semidefinite } from "./matrices.js";
import { stepOf } from "./path.js";
import { type LastSum, Score } from "./score.js";

const reach = { perSpread: 2.5, level: 15 };
const limits = 3.841458820694124;

type Reference = (typeof scoreReference)[number];

function lastSum(reference: Reference): LastSum {
  const { score, information, sampling, ones, ...rest } = reference;
  return {
    ...rest,
    point: new Float64Array(score.length),
    score: Float64Array.from(score),
    information: Float64Array.from(information),
    sampling: Float64Array.from(sampling),
    ones: Float64Array.from(ones),
    reach: reference.name === "linear" ? { perSpread: 0.5, level: 1 } : reach,
  };
}

const unit = (d: number, j: number) => Float64Array.from({ length: d }, (_, i) => (i === j ? 1 : 0));
const common = () => lastSum(scoreReference[0]);

describe.each(scoreReference.map((reference) => [reference.name, reference] as const))(
  "a last sum: %s",
  (_, reference) => {
    const sum = lastSum(reference);
    const score = new Score(sum);
    const d = sum.score.length;

    it("comes to the reference's tests and intervals, within 1 % of a standard error", async () => {
      expect(score.isSecond).toBe(reference.isSecond);
      expect(score.change).toBeCloseTo(reference.change, 3);
      expect(Math.abs(score.misfit / reference.misfit - 1)).toBeLessThan(1e-4);
      for (const [j, { interval, tests }] of reference.coefficients.entries()) {
        const row = unit(d, j);
        for (const [value, t] of tests)
          expect(Math.abs(Math.sqrt(score.statistic([row], [value])) - Math.sqrt(t))).toBeLessThan(0.01);
        const found = await score.interval(row);
        if (interval === null) expect(found).toBeNull();
        else {
          const [value, low, high] = interval;
          const room = 0.01 * ((high - low) / 2);
          expect(Math.abs(found!.value - value)).toBeLessThan(room);
          expect(Math.abs(found!.low - low)).toBeLessThan(room);
          expect(Math.abs(found!.high - high)).toBeLessThan(room);
        }
      }
    });

    it("ends its intervals where T is 3.84, around the estimate", async () => {
      for (let j = 0; j < d; j++) {
        const row = unit(d, j);
        const found = await score.interval(row);
        if (found === null) continue;
        const { low, value, high } = found;
        expect(low).toBeLessThan(value);
        expect(value).toBeLessThan(high);
        for (const end of [low, high]) {
          const t = score.statistic([row], [end]);
          expect(t).toBeGreaterThan(limits - 0.01);
          expect(t).toBeLessThan(limits * 1.03);
        }
      }
    });

    it("takes the reference's step", () => {
      const step = stepOf({
        ...sum,
        score: sum.score.map((value) => 3 * value),
        reach: 1.5,
        dispersion: 1.4,
      });
      reference.step.forEach((value, j) => {
        expect(Math.abs(step[j]! - value)).toBeLessThan(1e-4 * Math.max(1, Math.abs(value)));
      });
    });
  },
);

it("scales an interval with the row of its coefficient", async () => {
  const score = new Score(common());
  const one = (await score.interval(unit(4, 1)))!;
  const many = (await score.interval(unit(4, 1).map((value) => value * 250)))!;
  for (const key of ["value", "low", "high", "stdError"] as const)
    expect(many[key]).toBeCloseTo(250 * one[key], 6);
});

it("tests a contrast as its rows: the order and the length of rows change nothing", () => {
  const score = new Score(common());
  const rows = [Float64Array.of(0, 1, -1, 0), unit(4, 3)];
  const p = score.pValue(rows, [0.2, 0.1]);
  expect(score.pValue([unit(4, 3), rows[0]!.map((value) => -7 * value)], [0.1, -1.4])).toBeCloseTo(p, 3);
  expect(() => score.pValue([rows[0]!, rows[0]!], [0, 0])).toThrow(RangeError);
});

it("is 1.96 standard errors of the sandwich either way without noise", async () => {
  const { information } = common();
  const d = 4;
  const sampling = information.map((value, p) => value * 1.7 + (p === 5 ? 40 : 0));
  const score = new Score({ ...common(), sampling, scoreStdDev: 0, informationStdDev: 0, curve: 0 });
  const inverse = inverted(information, d);
  const half = multiplied(multiplied(inverse, sampling, d), inverse, d);
  for (let j = 0; j < d; j++) {
    const { value, low, high, stdError } = (await score.interval(unit(d, j)))!;
    const estimate = common().score.reduce((sum, g, i) => sum + g * inverse[j * d + i]!, 0);
    expect(value).toBeCloseTo(estimate, 9);
    expect(stdError / Math.sqrt(half[j * (d + 1)]!)).toBeCloseTo(1, 6);
    expect((low + high) / 2).toBeCloseTo(value, 9);
    expect(score.statistic([unit(d, j)], [high])).toBeCloseTo(limits, 6);
    expect(score.statistic([unit(d, j)], [value])).toBeCloseTo(0, 9);
  }
});

it("bounds no coefficient that no record tells of, without noise, and every other", async () => {
  // A column alike in all records, and two that are one.
  const x = [
    [1, -0.5, 0.2, 0.2],
    [1, -0.5, -0.1, -0.1],
    [1, -0.5, 0.4, 0.4],
    [1, -0.5, -0.3, -0.3],
  ];
  const information = new Float64Array(16);
  for (const row of x)
    for (let i = 0; i < 4; i++)
      for (let j = 0; j < 4; j++) information[i * 4 + j] = information[i * 4 + j]! + 100 * row[i]! * row[j]!;
  const score = new Score({
    ...common(),
    score: new Float64Array(4),
    information,
    sampling: information,
    scoreStdDev: 0,
    informationStdDev: 0,
    curve: 0,
  });
  for (let j = 0; j < 4; j++) expect(await score.interval(unit(4, j))).toBeNull();
  // What records do tell of: the sum of both, and the level where the column is.
  const both = (await score.interval(Float64Array.of(0, 0, 1, 1)))!;
  expect(both.stdError).toBeCloseTo(1 / Math.sqrt(29), 6);
  expect(await score.interval(Float64Array.of(1, -0.5, 0, 0))).not.toBeNull();
});

it("ends where rounding leaves the matrix of a search without a factor", async () => {
  const information = Float64Array.of(
    1753.9382087918138,
    874.9457867293777,
    874.9457867293777,
    436.3797080857382,
  );
  const score = new Score({
    point: Float64Array.of(-3.481391400755456, 2.5253326605761686),
    score: Float64Array.of(-1.1691496011932816, -5.729417832738423),
    information,
    sampling: semidefinite(information, 2),
    scoreStdDev: 3,
    informationStdDev: 1.0112997936948631,
    curve: 0.8,
    spreads: Float64Array.of(0, 0.0075),
    ones: Float64Array.of(1, 0),
    reach,
  });
  expect(await score.interval(unit(2, 1))).toBeNull();
  expect(score.covariance().every(Number.isFinite)).toBe(true);
});

it("refuses what is not finite", () => {
  for (const bad of [Number.NaN, Number.POSITIVE_INFINITY]) {
    const { score, information, sampling } = common();
    expect(() => new Score({ ...common(), score: score.with(1, bad) })).toThrow(RangeError);
    expect(() => new Score({ ...common(), information: information.with(2, bad) })).toThrow(RangeError);
    expect(() => new Score({ ...common(), sampling: sampling.with(2, bad) })).toThrow(RangeError);
  }
});

describe("noise larger than all there is", () => {
  const bad: Record<string, Partial<LastSum>> = {
    "negative eigenvalues": {
      information: common().information.map((value) => -value),
      sampling: new Float64Array(16),
    },
    nothing: { information: new Float64Array(16), sampling: new Float64Array(16) },
    "nothing at all": {
      score: new Float64Array(4),
      information: new Float64Array(16),
      sampling: new Float64Array(16),
    },
    "huge noise": { scoreStdDev: 1e9, informationStdDev: 1e9 },
    "a huge score": { score: new Float64Array(4).fill(1e12) },
  };
  it.each(Object.entries(bad))("prints no coefficient and ends: %s", async (_, change) => {
    const score = new Score({ ...common(), ...change });
    for (let j = 0; j < 4; j++) expect(await score.interval(unit(4, j))).toBeNull();
    expect(score.pValue([unit(4, 1)], [0])).toBeGreaterThanOrEqual(0);
    const step = stepOf({ ...common(), ...change, reach: 2 });
    expect(step.every(Number.isFinite)).toBe(true);
  });
  it.each(Object.entries(bad).slice(0, 3))("without noise: %s", async (_, change) => {
    const score = new Score({ ...common(), ...change, scoreStdDev: 0, informationStdDev: 0, curve: 0 });
    for (let j = 0; j < 4; j++) expect(await score.interval(unit(4, j))).toBeNull();
  });
});

function inverted(matrix: Float64Array, d: number): Float64Array {
  const a = Array.from({ length: d }, (_, i) => [...matrix.slice(i * d, (i + 1) * d), ...unit(d, i)]);
  for (let i = 0; i < d; i++) {
    const pivot = a[i]![i]!;
    a[i] = a[i]!.map((value) => value / pivot);
    for (let k = 0; k < d; k++) {
      const by = a[k]![i]!;
      if (k !== i) a[k] = a[k]!.map((value, j) => value - by * a[i]![j]!);
    }
  }
  return Float64Array.from(a.flatMap((row) => row.slice(d)));
}

function multiplied(a: Float64Array, b: Float64Array, d: number): Float64Array {
  return Float64Array.from(a, (_, p) => {
    let sum = 0;
    for (let k = 0; k < d; k++) sum += a[Math.floor(p / d) * d + k]! * b[k * d + (p % d)]!;
    return sum;
  });
}
