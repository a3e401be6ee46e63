import type { StageId } from "@consilium/core/ids";
import { signedNumbers } from "@consilium/core/learning/exactSums";
import { streamed } from "@consilium/core/learning/sums";
import { plainKernels } from "@consilium/core/linalg/plain";
import type { Broadcast } from "@consilium/core/study/broadcast";
import type { ColumnBlock } from "@consilium/core/study/design";
import { noiseWeight, planStudy } from "@consilium/core/study/plan";
import { soundSum } from "@consilium/core/study/soundSums";
import { seededRandom } from "@consilium/core/testing/privacy/random";
import { describe, expect, it } from "vitest";
import { type Family, regressionTestStudy } from "../testing/regression/patients.js";
import { regressionVector } from "../testing/vectors.js";
import { type RegressionStudy, regressionLayout, stagesOf } from "./study.js";

const privacy = { epsilon: 1, delta: 1e-5 };
const logistic = regressionTestStudy("logistic", {
  privacy,
  parameters: { steps: 3, evaluation: { heldOut: 0.3 } },
});
const linear = regressionTestStudy("linear", { privacy });
const poisson = regressionTestStudy("poisson", { privacy, parameters: { steps: 3 } });
const cox = regressionTestStudy("cox", { privacy, parameters: { steps: 3, intervals: 3 } });

/** Every corner of the columns, and a point within, in both classes. */
const corners: readonly (readonly number[])[] = [20, 57.3, 100].flatMap((age) =>
  [80, 200].flatMap((pressure) =>
    [0, 1, 2].flatMap((ward) => [0, 1].map((smoker) => [age, pressure, ward, smoker])),
  ),
);
interface Row {
  readonly values: readonly number[];
  readonly label: number;
}
/** What a family has beside the columns of a corner: further values, and labels. */
const outcomesOf: Readonly<Record<Family, readonly { values: readonly number[]; label: number }[]>> = {
  linear: [-5, 3, 25].map((stay) => ({ values: [stay], label: 0 })),
  logistic: [0, 1].map((label) => ({ values: [], label })),
  poisson: [0, 2, 8].flatMap((visits) => [0.25, 1].map((years) => ({ values: [visits, years], label: 0 }))),
  cox: [0, 1, 30, 41, 60].flatMap((months) => [0, 1].map((label) => ({ values: [months], label }))),
};
const domainOf = ({ parameters }: RegressionStudy): readonly Row[] =>
  corners.flatMap((corner) =>
    outcomesOf[parameters.family].map(({ values, label }) => ({ values: [...corner, ...values], label })),
  );

const blockOf = (study: RegressionStudy, rows: readonly Row[]): ColumnBlock => ({
  rows: rows.length,
  columns: study.features.map((_, j) => Float64Array.from(rows, ({ values }) => values[j]!)),
  labels: study.label === undefined ? null : Uint16Array.from(rows, ({ label }) => label),
});

/** Coefficients that are sure of the second level of everybody: a record of the first has |y - p| of nearly 1. */
const sure: Broadcast = { coefficients: Float64Array.of(40, 1, -1, 1, 1, 1) };
const open: Broadcast = { coefficients: new Float64Array(6) };
/** Counts and events without end, those of nobody, and an event at the end of a hazard that was all in the first interval. */
const many: Broadcast = { coefficients: Float64Array.of(900, 1, -1, 1, 1, 1), baseline: new Float64Array(3) };
const none: Broadcast = {
  coefficients: Float64Array.of(-900, 1, -1, 1, 1, 1),
  baseline: new Float64Array(3),
};
const early: Broadcast = { coefficients: new Float64Array(6), baseline: Float64Array.of(1.125, -900, -900) };
const cuts = Float64Array.from({ length: 19 }, (_, i) => (i - 9) / 5);

const vector = (study: RegressionStudy, id: StageId, rows: readonly Row[], told: Broadcast = sure) =>
  regressionVector(study, id, {
    broadcasts: new Map(stagesOf(regressionLayout(study)).map((stage) => [stage.id, { ...told, cuts }])),
    blocks: streamed([blockOf(study, rows)]),
    kernels: plainKernels(),
    random: seededRandom("a site"),
  });

/** The most Σ w·q² over records by themselves and over neighbours in a crowd, with the weights of the plan's noise. */
async function largestChange(study: RegressionStudy, id: StageId, told: Broadcast, rows: readonly Row[]) {
  const stage = planStudy(study).stages.find((one) => one.id === id)!;
  if (stage.kind !== "sum" || stage.noise === null) throw new Error("a noisy sum");
  const weight = noiseWeight(stage.noise.weights);
  const sums = async (of: readonly Row[]) => signedNumbers(await vector(study, id, of, told));
  let most = 0;
  for (const crowd of [[], rows.slice(3, 6)]) {
    const before = await sums(crowd);
    for (const row of rows) {
      const after = await sums([...crowd, row]);
      most = Math.max(
        most,
        after.reduce((sum, value, i) => sum + weight(i) * (value - before[i]!) ** 2, 0),
      );
    }
  }
  return most;
}

describe("sensitivity by exhaustive neighbours", () => {
  it.each([
    ["gram", open],
    ["gradient-1", open],
    ["gradient-2", sure],
    ["information", open],
    ["evaluation", sure],
  ] as const)("is what %s is charged for, and is reached", async (id, told) => {
    const stage = stagesOf(regressionLayout(logistic)).find((one) => one.id === id)!;
    const { scale } = soundSum(logistic, stage);
    const limit = stage.sensitivitySquared * scale ** 2;
    const most = await largestChange(logistic, stage.id, told, domainOf(logistic));
    expect(most).toBeLessThanOrEqual(limit);
    expect(most).toBeGreaterThan(0.97 * limit);
  });

  it.each([
    [poisson, "gram", none, 0.97],
    [poisson, "gradient-1", none, 0.97],
    [poisson, "gradient-2", many, 0.97],
    [poisson, "gradient-2", open, 0],
    [poisson, "information", many, 0.97],
    [cox, "gram", none, 0.97],
    [cox, "gradient-1", none, 0.97],
    [cox, "gradient-2", many, 0.97],
    [cox, "gradient-2", none, 0.97],
    [cox, "gradient-2", early, 0],
    [cox, "information", many, 0.97],
  ] as const)(
    "is what counts and events over all of a patient's time are charged for: %#",
    async (study, id, told, reached) => {
      const stage = stagesOf(regressionLayout(study)).find((one) => one.id === id)!;
      const limit = stage.sensitivitySquared * soundSum(study, stage).scale ** 2;
      const most = await largestChange(study, stage.id, told, domainOf(study));
      expect(most).toBeLessThanOrEqual(limit);
      expect(most).toBeGreaterThan(reached * limit);
    },
  );

  it("is more than a Cox regression would be charged for without its intervals, and a Poisson one without its residuals", async () => {
    // Weakened twins: the columns' own bound, which holds for a logistic regression.
    for (const [study, told] of [
      [cox, many],
      [poisson, many],
    ] as const) {
      const { design, gradients } = regressionLayout(study);
      const forgotten = design.squaredNormLimit * soundSum(study, gradients[1]!).scale ** 2;
      expect(await largestChange(study, gradients[1]!.id, told, domainOf(study))).toBeGreaterThan(forgotten);
    }
  });

  it("holds wherever a patient's time ends, for any hazards by interval", async () => {
    const stage = regressionLayout(cox).gradients[1]!;
    const limit = stage.sensitivitySquared * soundSum(cox, stage).scale ** 2;
    const rows = [0, 5, 19.9, 20, 33, 40, 59.9, 60].flatMap((months) =>
      [0, 1].map((label): Row => ({ values: [100, 200, 1, 1, months], label })),
    );
    for (const baseline of [
      [0, 0, 0],
      [1.0986, 0, 0],
      [-900, 1.0986, -900],
      [0.5, 0.9, 1.1],
      [900, -900, 900],
    ])
      for (const coefficients of [
        [0, 0, 0, 0, 0, 0],
        [-1, 2, 1, -3, 0.5, 1],
      ])
        expect(
          await largestChange(
            cox,
            stage.id,
            {
              coefficients: Float64Array.from(coefficients),
              baseline: Float64Array.from(baseline, (log) => Math.round(log * 2 ** 24) / 2 ** 24),
            },
            rows,
          ),
        ).toBeLessThanOrEqual(limit);
  });

  it("is what the Gram matrix of a linear regression is charged for, and is reached", async () => {
    const { gram } = regressionLayout(linear);
    const most = await largestChange(linear, gram.id, {}, domainOf(linear));
    const limit = gram.sensitivitySquared * soundSum(linear, gram).scale ** 2;
    expect(most).toBeLessThanOrEqual(limit);
    expect(most).toBeGreaterThan(0.99 * limit);
  });

  it("is more than the columns alone would be charged for", async () => {
    // The weakened twin: a bound that forgets the outcome.
    const { gram, design } = regressionLayout(linear);
    const most = await largestChange(linear, gram.id, {}, domainOf(linear));
    expect(most).toBeGreaterThan((design.squaredNormLimit * soundSum(linear, gram).scale) ** 2);
  });

  it("holds for records beyond the bounds and for any coefficients: the gate leaves out what breaks it", async () => {
    const stage = regressionLayout(logistic).gradients[1]!;
    const wild: Broadcast = { coefficients: Float64Array.of(1024, -1024, 1024, -1024, 1024, 1024) };
    const rows = [1e9, -1e9].map((age) => ({ values: [age, 100, 1, 0], label: 1 }));
    const limit = stage.sensitivitySquared * soundSum(logistic, stage).scale ** 2;
    expect(
      await largestChange(logistic, stage.id, wild, [...rows, ...domainOf(logistic)]),
    ).toBeLessThanOrEqual(limit);
  });
});

describe("a site's vector", () => {
  it("has the plan's length for any table, and is zeros for an empty one", async () => {
    for (const study of [logistic, linear]) {
      for (const stage of planStudy(study).stages) {
        if (stage.kind !== "sum") throw new Error("sums alone");
        expect(await vector(study, stage.id, domainOf(study))).toHaveLength(stage.length);
        expect(await vector(study, stage.id, [])).toEqual(new BigUint64Array(stage.length));
      }
    }
  });

  it("refuses what no honest aggregator sends, before it reads a row", async () => {
    const read = (told: Broadcast, id = "gradient-2") =>
      regressionVector(logistic, id as StageId, {
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
    await expect(read(flat(1024))).rejects.toThrow("the table was read");
    for (const told of [flat(1025), flat(2 ** -25), flat(Number.NaN), flat(0, 5), flat(0, 7)])
      await expect(read(told)).rejects.toMatchObject({ code: "BROADCAST_INVALID" });
    await expect(read({})).rejects.toMatchObject({ code: "FIELD_INVALID" });
    await expect(read(flat(0), "gradient-9")).rejects.toMatchObject({ code: "MESSAGE_UNEXPECTED" });
  });

  it("trains on no row that is held out", async () => {
    const rows = domainOf(logistic);
    const count = async (id: string) => signedNumbers(await vector(logistic, id as StageId, rows, open));
    const held = (await count("evaluation")).reduce((sum, value) => sum + value, 0);
    const { gram, design } = regressionLayout(logistic);
    const trained =
      (await count("gram"))[0]! / 4 ** (design.gridExponent - 1) / soundSum(logistic, gram).scale;
    expect(held).toBeGreaterThan(0);
    expect(trained + held).toBe(rows.length);
  });
});
