import type { StageId } from "@consilium/core/ids";
import { signedNumbers } from "@consilium/core/learning/exactSums";
import { streamed } from "@consilium/core/learning/sums";
import { plainKernels } from "@consilium/core/linalg/plain";
import type { Broadcast } from "@consilium/core/study/broadcast";
import type { ColumnBlock } from "@consilium/core/study/design";
import { noiseWeight, planStudy } from "@consilium/core/study/plan";
import { type SoundStage, soundSum } from "@consilium/core/study/soundSums";
import { seededRandom } from "@consilium/core/testing/privacy/random";
import type { OneRecord } from "@consilium/gate/record";
import seedrandom from "seedrandom";
import { describe, expect, it } from "vitest";
import { regressionTestStudy } from "../testing/regression/patients.js";
import { regressionVector } from "../testing/vectors.js";
import { openedMatrix, openedStart, openedSum } from "./openedSum.js";
import { type RegressionStudy, regressionLayout, stagesOf } from "./study.js";
import { regressionProposal } from "./vector.js";

const privacy = { epsilon: 1, delta: 1e-5 };
const logistic = regressionTestStudy("logistic", { privacy, parameters: { evaluation: "none" } });
const evaluated = regressionTestStudy("logistic", { privacy, parameters: { evaluation: { heldOut: 0.3 } } });
const linear = regressionTestStudy("linear", { privacy });
const poissonOf = (parameters: Record<string, unknown>) =>
  regressionTestStudy("poisson", { privacy, parameters });
const coxOf = (parameters: Record<string, unknown>) =>
  regressionTestStudy("cox", { privacy, parameters: { intervals: 3, ...parameters } });
const poisson = poissonOf({});
const cox = coxOf({});

type Row = Pick<OneRecord, "label"> & { readonly values: readonly number[] };

/** Every corner of the columns, and a point within. */
const corners: readonly (readonly number[])[] = [20, 57.3, 100].flatMap((age) =>
  [80, 200].flatMap((pressure) =>
    [0, 1, 2].flatMap((ward) => [0, 1].map((smoker) => [age, pressure, ward, smoker])),
  ),
);
/** What a family has beside the columns of a corner: further values, and labels. */
const outcomesOf: Readonly<Record<string, readonly Row[]>> = {
  linear: [-5, 3, 25].map((stay) => ({ values: [stay], label: 0 })),
  logistic: [0, 1].map((label) => ({ values: [], label })),
  poisson: [0, 2, 8].flatMap((visits) => [0.25, 1].map((years) => ({ values: [visits, years], label: 0 }))),
  cox: [0, 1, 20, 30, 41, 60].flatMap((months) => [0, 1].map((label) => ({ values: [months], label }))),
};
const domainOf = ({ parameters }: RegressionStudy): readonly Row[] =>
  corners.flatMap((corner) =>
    outcomesOf[parameters.family]!.map(({ values, label }) => ({ values: [...corner, ...values], label })),
  );

const onGrid = (values: readonly number[]) =>
  Float64Array.from(values, (value) => Math.round(value * 2 ** 24) / 2 ** 24);
const cuts = Float64Array.from({ length: 19 }, (_, i) => (i - 9) / 5);
/** A model of a family, its first coefficient and all log hazards as given. */
function toldOf(study: RegressionStudy, first: number, hazards: readonly number[] = []): Broadcast {
  const { columns, intervals } = regressionLayout(study);
  return {
    coefficients: onGrid(Array.from({ length: columns }, (_, j) => (j === 0 ? first : 0))),
    baseline: onGrid(Array.from({ length: intervals }, (_, k) => hazards[k] ?? 0)),
    residualLimit: Float64Array.of(0.25),
    cuts,
  };
}

/** What a record proposes, before the gate holds it to the query. */
function proposals(study: RegressionStudy, id: StageId, told: Broadcast) {
  const { contributor, query } = regressionProposal(study, id, { broadcasts: new Map([[id, told]]) });
  const made = contributor();
  if (made.kind !== "vector" && made.kind !== "gram") throw new Error("a vector");
  const { write } = made;
  const out = new Int32Array(
    query.kind === "gram" ? query.order : query.kind === "vector" ? query.length : 0,
  );
  return (row: Row): Int32Array => {
    out.fill(0);
    write({ values: Float64Array.from(row.values), label: row.label } as unknown as OneRecord, out);
    return out;
  };
}

/** Exact: integers below 2^31. */
const squaredLength = (entries: Int32Array) => entries.reduce((sum, q) => sum + BigInt(q) ** 2n, 0n);

/** The largest squared length of a record over the limit that the gate holds it to. */
function largestPart(
  study: RegressionStudy,
  stage: SoundStage,
  told: Broadcast,
  rows: readonly Row[],
): number {
  const { query } = stage;
  if (query.kind !== "vector" && query.kind !== "gram") throw new Error("a vector");
  const write = proposals(study, stage.id, told);
  return Math.max(...(rows.map((row) => Number(squaredLength(write(row)))) as [number])) / query.limit;
}

const laterSum = (study: RegressionStudy) => regressionLayout(study).sums.at(-1)!;

describe("the squared length of what a record adds", () => {
  it("is at most what the first sum of a logistic regression is charged for, and reaches it", () => {
    const [first] = regressionLayout(logistic).sums;
    const part = largestPart(logistic, first!, {}, domainOf(logistic));
    expect(part).toBeLessThanOrEqual(1);
    expect(part).toBeGreaterThan(0.9999);
  });

  it("is at most that of the score alone at any log-odds of a logistic regression: its information is free", () => {
    const rows = domainOf(logistic);
    const stage = laterSum(logistic);
    const parts = Array.from({ length: 401 }, (_, i) => (i - 200) / 5).map((odds) =>
      largestPart(logistic, stage, toldOf(logistic, odds), rows),
    );
    expect(Math.max(...parts)).toBeLessThanOrEqual(1);
    expect(Math.max(...parts)).toBe(1);
    // Where the lemma is tight, at a residual of .618: k = 11 is next to φ⁵ = 11.09.
    const tight = largestPart(logistic, stage, toldOf(logistic, Math.log(0.618 / 0.382)), rows);
    expect(tight).toBeGreaterThan(0.99);
    expect(tight).toBeLessThan(1);
  });

  it("is less than a unit of rounding away from the limit nowhere: every record of odds near certainty is taken", () => {
    const rows = domainOf(logistic);
    const stage = laterSum(logistic);
    for (let odds = 28; odds < 40; odds += 0.01)
      for (const sign of [-1, 1])
        expect(largestPart(logistic, stage, toldOf(logistic, sign * odds), rows)).toBeLessThanOrEqual(1);
  });

  const poissons = [0.5, 1, 3, 4, 8, 20].map((maxEvents) => poissonOf({ maxEvents }));
  it.each(poissons)(
    "is at most what a Poisson regression is charged for, whatever its bound: %#",
    (study) => {
      const { start } = regressionLayout(study);
      const rows = domainOf(study);
      const begins = largestPart(study, start!, {}, rows);
      expect(begins).toBeLessThanOrEqual(1);
      expect(begins).toBeGreaterThan(0.9999);
      const { cap } = regressionLayout(study);
      const means = [
        -900,
        -3,
        0,
        1,
        2,
        3,
        900,
        ...[0.5, 0.99, 1, 1.01, 2].map((times) => Math.log(times * cap)),
      ];
      const parts = means.map((log) => largestPart(study, laterSum(study), toldOf(study, log), rows));
      expect(Math.max(...parts)).toBeLessThanOrEqual(1);
      expect(Math.max(...parts)).toBeGreaterThan(0.999);
    },
  );

  const coxes = [0.3, 0.7, 1, 1.3, 3, 20].map((maxHazard) => coxOf({ maxHazard }));
  it.each(coxes)(
    "is at most what a Cox regression is charged for, wherever follow-up is cut: %#",
    (study) => {
      const { start, cap } = regressionLayout(study);
      const rows = domainOf(study);
      const begins = largestPart(study, start!, {}, rows);
      expect(begins).toBeLessThanOrEqual(1);
      expect(begins).toBeGreaterThan(0.9);
      const stage = laterSum(study);
      const all = Math.log(3 * cap);
      // Corners: nobody's hazard, all of it in one interval, cut or just not.
      const corner = [
        [-900, -900, -900],
        [900, 0, 0],
        [all - 1e-6, -900, -900],
        [-900, all - 1e-6, -900],
        [all - 1e-6, -900, 900],
      ].map((hazards) => largestPart(study, stage, toldOf(study, 0, hazards), rows));
      expect(Math.max(...corner)).toBeLessThanOrEqual(1);
      expect(Math.max(...corner)).toBeGreaterThan(0.999);
      // From where a search begins, uphill.
      const uniform = seedrandom("hazards");
      let best = { part: 0, hazards: [0, 0, 0], slope: 0 };
      for (let round = 0; round < 120; round++) {
        const near = round % 2 === 1;
        const hazards = best.hazards.map((log) =>
          near ? log + uniform.double() - 0.5 : all + 6 * uniform.double() - 4,
        );
        const slope = near ? best.slope + uniform.double() - 0.5 : 4 * uniform.double() - 2;
        const told = toldOf(study, slope, hazards);
        const part = largestPart(study, stage, told, rows);
        if (part > best.part) best = { part, hazards, slope };
      }
      expect(best.part).toBeLessThanOrEqual(1);
    },
  );

  it("is at most what both sums of a linear regression are charged for, and reaches it", () => {
    const { gram, squares } = regressionLayout(linear);
    for (const stage of [gram!, squares!]) {
      const part = largestPart(linear, stage, toldOf(linear, 0.5), domainOf(linear));
      expect(part).toBeLessThanOrEqual(1);
      expect(part).toBeGreaterThan(0.9999);
    }
  });

  it("is more than it would be charged for without any one of its coordinates", () => {
    // Weakened twins: limits that forget a part of what is sent.
    const one = (study: RegressionStudy) => 4 ** regressionLayout(study).design.gridExponent;
    const limitOf = ({ query }: SoundStage) => (query.kind === "vector" ? query.limit : 0);
    const longest = (study: RegressionStudy, told: Broadcast) =>
      largestPart(study, laterSum(study), told, domainOf(study)) * limitOf(laterSum(study));
    const cut = coxOf({ maxHazard: 2 });
    expect(longest(cut, toldOf(cut, 0, [900]))).toBeGreaterThan(limitOf(laterSum(cut)) - one(cut) / 4);
    // Squares of residuals: a count of 8 where none is expected. The share at the bound: none where 8 are.
    const squares = poissonOf({ maxEvents: 1 });
    expect(longest(squares, toldOf(squares, -900))).toBeGreaterThan(
      limitOf(laterSum(squares)) - one(squares) / 4,
    );
    const bound = poissonOf({ maxEvents: 8 });
    expect(longest(bound, toldOf(bound, 900))).toBeGreaterThan(limitOf(laterSum(bound)) - one(bound) / 4);
    // The information of a logistic regression at 0 in its first sum.
    const { sums, design } = regressionLayout(logistic);
    expect(largestPart(logistic, sums[0]!, {}, domainOf(logistic)) * limitOf(sums[0]!)).toBeGreaterThan(
      design.squaredNormLimit / 4,
    );
  });

  it("is never refused at a realistic hazard without privacy, and counts as cut beyond 64", () => {
    const none = regressionTestStudy("cox", { privacy: "none", parameters: { intervals: 3 } });
    const rows = domainOf(none);
    for (const hazard of [1, 10, 63.9, 65, 1e6]) {
      const told = toldOf(none, 0, [Math.log(hazard), Math.log(hazard), Math.log(hazard)]);
      expect(largestPart(none, laterSum(none), told, rows)).toBeLessThanOrEqual(1);
      const [late] = [{ values: [100, 200, 1, 1, 59.9], label: 1 }];
      const out = proposals(none, laterSum(none).id, told)(late!);
      expect(out.at(-1)! > 0).toBe(hazard > 64);
    }
  });
});

const blockOf = (study: RegressionStudy, rows: readonly Row[]): ColumnBlock => ({
  rows: rows.length,
  columns: study.features.map((_, j) => Float64Array.from(rows, ({ values }) => values[j]!)),
  labels: study.label === undefined ? null : Uint16Array.from(rows, ({ label }) => label),
});

const vector = (study: RegressionStudy, id: StageId, rows: readonly Row[], told: Broadcast) =>
  regressionVector(study, id, {
    broadcasts: new Map(stagesOf(regressionLayout(study)).map((stage) => [stage.id, told])),
    blocks: streamed([blockOf(study, rows)]),
    kernels: plainKernels(),
    random: seededRandom("a site"),
  });

/** A stage's sum over rows as the aggregator opens it, in units of 1. */
async function summed(study: RegressionStudy, stage: SoundStage, rows: readonly Row[], told: Broadcast) {
  const { scale } = soundSum(study, stage);
  const integers = signedNumbers(await vector(study, stage.id, rows, told));
  return integers.map((integer) => integer / scale / stage.integersPerUnit);
}

describe("sensitivity by exhaustive neighbours", () => {
  it.each([
    [logistic, "sum-1", toldOf(logistic, 0)],
    [logistic, "sum-2", toldOf(logistic, 40)],
    [evaluated, "evaluation", toldOf(evaluated, 40)],
    [poisson, "sum-4", toldOf(poisson, 900)],
    // Cut late, a patient of high risk adds most; cut early, one with an event just after the hazard up to the cut.
    [coxOf({ maxHazard: 3 }), "sum-4", toldOf(cox, 0, [900])],
    [cox, "sum-4", toldOf(cox, 0, [Math.log(1.5) - 1e-6, -900, -900])],
    [linear, "gram", toldOf(linear, 0)],
    [linear, "squares", toldOf(linear, 0)],
  ] as const)("is what is charged for, and is reached: %#", async (study, id, told) => {
    const stage = stagesOf(regressionLayout(study)).find((one) => one.id === id)!;
    const limit = stage.sensitivitySquared * soundSum(study, stage).scale ** 2;
    const planned = planStudy(study).stages.find((one) => one.id === id)!;
    if (planned.kind !== "sum" || planned.noise === null) throw new Error("a noisy sum");
    const weight = noiseWeight(planned.noise.weights);
    const rows = domainOf(study);
    let most = 0;
    for (const crowd of [[], rows.slice(3, 6)]) {
      const before = signedNumbers(await vector(study, stage.id, crowd, told));
      for (const row of rows) {
        const after = signedNumbers(await vector(study, stage.id, [...crowd, row], told));
        const change = after.reduce((sum, value, i) => sum + weight(i) * (value - before[i]!) ** 2, 0);
        most = Math.max(most, change);
      }
    }
    expect(most).toBeLessThanOrEqual(limit);
    expect(most).toBeGreaterThan(0.999 * limit);
  });

  it("holds for records beyond the bounds: the gate leaves out what breaks it", async () => {
    const stage = laterSum(logistic);
    const rows = [1e9, -1e9].map((age) => ({ values: [age, 100, 1, 0], label: 1 }));
    expect(await vector(logistic, stage.id, rows, toldOf(logistic, 0))).toEqual(
      new BigUint64Array(stage.length),
    );
  });
});

/** η and the columns of a row, in floating point. */
function plainColumns(study: RegressionStudy, { values }: Row): number[] {
  return regressionLayout(study).design.columns.map(({ feature, level, offset, range }) => {
    if (feature === null) return 1;
    const value = values[feature]!;
    return level === null ? (value - offset) / range : (value === level ? 1 : 0) - offset;
  });
}

describe("an opened sum", () => {
  const near = (got: ArrayLike<number>, expected: readonly number[]) =>
    expected.forEach((value, i) => {
      expect(got[i]).toBeCloseTo(value, 2);
    });

  it("is the score and the information of a logistic regression", async () => {
    const study = logistic;
    const layout = regressionLayout(study);
    const rows = domainOf(study);
    const beta = onGrid([0.4, -1.1, 0.7, 0.2, -0.6, 1.3]);
    for (const [stage, at] of [
      [layout.sums[0]!, new Float64Array(6)],
      [layout.sums[3]!, beta],
    ] as const) {
      const opened = openedSum(layout, stage, await summed(study, stage, rows, { coefficients: at }), 2);
      const [score, information] = [new Array(6).fill(0), new Array(36).fill(0)];
      for (const row of rows) {
        const x = plainColumns(study, row);
        const p = 1 / (1 + Math.exp(-x.reduce((sum, value, j) => sum + value * at[j]!, 0)));
        x.forEach((xi, i) => {
          score[i] += (row.label - p) * xi;
          x.forEach((xj, j) => {
            information[6 * i + j] += p * (1 - p) * xi * xj;
          });
        });
      }
      near(opened.score, score);
      near(opened.information, information);
      expect(opened.scoreStdDev).toBe(2);
      const weight = stage === layout.sums[0] ? 4 : 11;
      expect(opened.informationStdDev).toBeCloseTo(2 * Math.sqrt(2.25 / weight), 12);
      expect([opened.squares, opened.bounded]).toEqual([null, null]);
    }
  });

  it("is that of a Poisson regression, with squares and rows at the bound", async () => {
    const study = poissonOf({ maxEvents: 2 });
    const layout = regressionLayout(study);
    const rows = domainOf(study);
    const beta = onGrid([0.9, -0.3, 0.7, 0.2, -0.6, 1.3]);
    const [stage] = layout.sums;
    const opened = openedSum(layout, stage!, await summed(study, stage!, rows, { coefficients: beta }), 2);
    const [score, information] = [new Array(6).fill(0), new Array(36).fill(0)];
    let [squares, bounded] = [0, 0];
    for (const row of rows) {
      const x = plainColumns(study, row);
      const [y, e] = row.values.slice(4) as [number, number];
      const mean = e * Math.exp(x.reduce((sum, value, j) => sum + value * beta[j]!, 0));
      const residual = Math.max(y - mean, -2);
      squares += residual ** 2;
      if (y - mean <= -2) bounded++;
      x.forEach((xi, i) => {
        score[i] += residual * xi;
        x.forEach((xj, j) => {
          information[6 * i + j] += Math.min(mean, 2) * xi * xj;
        });
      });
    }
    near(opened.score, score);
    near(opened.information, information);
    expect(opened.squares).toBeCloseTo(squares, 1);
    expect(bounded).toBeGreaterThan(0);
    expect(opened.bounded).toBeCloseTo(bounded, 6);
    expect([opened.scoreStdDev, opened.squaresStdDev, opened.boundedStdDev]).toEqual([16, 256, 4]);
    const start = openedStart(layout, await summed(study, layout.start!, rows, {}), 1);
    near(start.events, [rows.reduce((sum, { values }) => sum + values[4]!, 0)]);
    near(start.exposures, [rows.reduce((sum, { values }) => sum + values[5]!, 0)]);
    expect([start.eventsStdDev, start.exposuresStdDev]).toEqual([8, 1]);
  });

  it("is that of a Cox regression by columns and intervals, closed on the right, up to the cut", async () => {
    const study = coxOf({ maxHazard: 1.5 });
    const layout = regressionLayout(study);
    const rows = domainOf(study);
    const beta = onGrid([-0.3, 0.7, 0.2, -0.6, 1.3]);
    const baseline = onGrid([0.2, -0.4, 1.9]);
    const [stage] = layout.sums;
    const opened = openedSum(
      layout,
      stage!,
      await summed(study, stage!, rows, { coefficients: beta, baseline }),
      2,
    );
    const [score, information] = [new Array(8).fill(0), new Array(64).fill(0)];
    const [events, exposures] = [
      [0, 0, 0],
      [0, 0, 0],
    ];
    let cut = 0;
    for (const row of rows) {
      const x = plainColumns(study, row);
      const eta = x.reduce((sum, value, j) => sum + value * beta[j]!, 0);
      const [time] = row.values.slice(4) as [number];
      let cumulative = 0;
      let isCut = false;
      const died = row.label === 1 && time < 60;
      const eventIn = !died ? -1 : time <= 20 ? 0 : time <= 40 ? 1 : 2;
      if (died) events[eventIn]!++;
      [0, 1, 2].forEach((k) => {
        const lived = Math.min(20, Math.max(0, time - 20 * k)) / 60;
        exposures[k]! += lived;
        const all = lived * Math.exp(eta + baseline[k]!);
        const u = Math.min(all, 1.5 - cumulative);
        if (all > u) isCut = true;
        cumulative += u;
        const counts = eventIn === k && !isCut ? 1 : 0;
        const z = [...x, ...[0, 1, 2].map((other) => (other === k ? 1 : 0))];
        z.forEach((zi, i) => {
          score[i] += (counts - u) * zi;
          z.forEach((zj, j) => {
            information[8 * i + j] += u * zi * zj;
          });
        });
      });
      if (isCut) cut++;
    }
    near(opened.score, score);
    near(opened.information, information);
    expect(cut).toBeGreaterThan(0);
    expect(cut).toBeLessThan(rows.length);
    expect(opened.bounded).toBeCloseTo(cut, 6);
    const start = openedStart(layout, await summed(study, layout.start!, rows, {}), 1);
    near(start.events, events!);
    near(start.exposures, exposures!);
  });

  it("is that of a linear regression at coefficients of 0, and the squares of its residuals", async () => {
    const layout = regressionLayout(linear);
    const rows = domainOf(linear);
    const gram = openedSum(layout, layout.gram!, await summed(linear, layout.gram!, rows, {}), 2);
    const beta = onGrid([0.1, -0.3, 0.2, 0.2, -0.1, 0.3]);
    const told = { coefficients: beta, residualLimit: Float64Array.of(0.25) };
    const squares = openedMatrix(await summed(linear, layout.squares!, rows, told), 6);
    const [score, information, variances] = [
      new Array(6).fill(0),
      new Array(36).fill(0),
      new Array(36).fill(0),
    ];
    let own = 0;
    for (const row of rows) {
      const x = plainColumns(linear, row);
      const y = (row.values[4]! - 10) / 30;
      const residual = y - x.reduce((sum, value, j) => sum + value * beta[j]!, 0);
      const q = Math.min(1, Math.abs(residual) / 0.25) ** 2;
      own += y ** 2;
      x.forEach((xi, i) => {
        score[i] += y * xi;
        x.forEach((xj, j) => {
          information[6 * i + j] += xi * xj;
          variances[6 * i + j] += q * xi * xj;
        });
      });
    }
    near(gram.score, score);
    near(gram.information, information);
    near(squares, variances);
    expect(gram.squares).toBeCloseTo(own, 2);
    expect([gram.scoreStdDev, gram.informationStdDev]).toEqual([Math.SQRT2, 2]);
  });

  it("is not biased by cutting: of rare outcomes what is cut off many rows is small beside chance and noise", () => {
    // 50,000 rows of p = .5 %, whose residuals and weights are the same number over and over: the worst of cutting.
    const study = regressionTestStudy("logistic", {
      privacy: { epsilon: 4, delta: 1e-5 },
      participation: { minimumSites: 3, maxRowsPerSite: 100_000, expectedRows: 50_000 },
      parameters: { evaluation: "none" },
    });
    const layout = regressionLayout(study);
    const stage = laterSum(study);
    const p = 0.005;
    const rows = 50_000;
    const told = toldOf(study, Math.log(p / (1 - p)));
    const write = proposals(study, stage.id, told);
    const odds = told.coefficients![0]!;
    const mean = 1 / (1 + Math.exp(-odds));
    const { shareStdDev } = soundSum(study, stage);
    const noise = (shareStdDev * Math.sqrt(3)) / stage.integersPerUnit;
    const bearable = 0.05 * Math.sqrt(noise ** 2 + rows * p);
    for (const corner of corners) {
      const integers = write({ values: corner, label: 0 });
      const sum = Float64Array.from(integers, (integer) => (rows * integer) / stage.integersPerUnit);
      const opened = openedSum(layout, stage, sum, 1);
      const x = plainColumns(study, { values: corner, label: 0 });
      x.forEach((xi, i) => {
        expect(Math.abs(opened.score[i]! + rows * mean * xi)).toBeLessThan(bearable);
        x.forEach((xj, j) => {
          const exact = rows * mean * (1 - mean) * xi * xj;
          expect(Math.abs(opened.information[6 * i + j]! - exact)).toBeLessThan(bearable);
        });
      });
    }
  });
});

describe("a site's vector", () => {
  it("has the plan's length for any table, and is zeros for an empty one", async () => {
    for (const study of [evaluated, linear, poisson, cox]) {
      for (const stage of planStudy(study).stages) {
        if (stage.kind !== "sum") throw new Error("sums alone");
        const told = toldOf(study, 1);
        expect(await vector(study, stage.id, domainOf(study), told)).toHaveLength(stage.length);
        expect(await vector(study, stage.id, [], told)).toEqual(new BigUint64Array(stage.length));
      }
    }
  });

  it("refuses what no honest aggregator sends, before it reads a row", async () => {
    const read = (study: RegressionStudy, id: string, told: Broadcast) =>
      regressionVector(study, id as StageId, {
        broadcasts: new Map([[id as StageId, told]]),
        kernels: plainKernels(),
        random: seededRandom("a site"),
        // biome-ignore lint/correctness/useYield: it must not come so far
        blocks: (async function* (): AsyncGenerator<ColumnBlock> {
          throw new Error("the table was read");
        })(),
      });
    const flat = (value: number, length = 6): Broadcast => ({
      coefficients: new Float64Array(length).fill(value),
    });
    // The control: honest ones are taken, and then the table is read.
    await expect(read(logistic, "sum-2", flat(1024))).rejects.toThrow("the table was read");
    for (const told of [flat(1025), flat(2 ** -41), flat(Number.NaN), flat(0, 5), flat(0, 7)])
      await expect(read(logistic, "sum-2", told)).rejects.toMatchObject({ code: "BROADCAST_INVALID" });
    await expect(read(logistic, "sum-2", {})).rejects.toMatchObject({ code: "FIELD_INVALID" });
    await expect(read(logistic, "sum-9", flat(0))).rejects.toMatchObject({ code: "MESSAGE_UNEXPECTED" });
    const squares = (limit: number) =>
      read(linear, "squares", { ...flat(0), residualLimit: Float64Array.of(limit) });
    await expect(squares(0.25)).rejects.toThrow("the table was read");
    for (const limit of [0, -0.25, Number.NaN])
      await expect(squares(limit)).rejects.toMatchObject({ code: "BROADCAST_INVALID" });
  });

  it("trains on no row that is held out", async () => {
    const rows = domainOf(evaluated);
    const { evaluation, sums } = regressionLayout(evaluated);
    const held = signedNumbers(await vector(evaluated, evaluation!.id, rows, toldOf(evaluated, 0)));
    const counted = held.reduce((sum, value) => sum + value, 0) / soundSum(evaluated, evaluation!).scale;
    const first = await summed(evaluated, sums[0]!, rows, {});
    const trained = 4 * openedSum(regressionLayout(evaluated), sums[0]!, first, 0).information[0]!;
    expect(counted).toBeGreaterThan(0);
    expect(trained + counted).toBeCloseTo(rows.length, 3);
  });
});
