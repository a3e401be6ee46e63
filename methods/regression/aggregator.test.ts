import { readSaid } from "@consilium/core/readSaid";
import { figureSchema } from "@consilium/core/release/figures";
import { modelCardSchema } from "@consilium/core/release/modelCard";
import {
  predictorFaults,
  predictorSchema,
  type RegressionPredictor,
} from "@consilium/core/release/predictor";
import { resultTableSchema } from "@consilium/core/release/tables";
import type { ColumnBlock } from "@consilium/core/study/design";
import { planStudy } from "@consilium/core/study/plan";
import { regressionRow } from "@consilium/core/testing/release/predict";
import { english } from "@consilium/methods/english";
import { german } from "@consilium/methods/german";
import { englishWith } from "@consilium/words/english";
import { germanWith } from "@consilium/words/german";
import { describe, expect, it } from "vitest";
import { releasedBySums, releasedOfImplausible } from "../testing/aggregatorSums.js";
import {
  dealtToThree,
  drawnPatients,
  outcomeOf,
  regressionTestStudy,
} from "../testing/regression/patients.js";
import { regressionVector } from "../testing/vectors.js";
import { regressionModelSchema } from "./model.js";
import type { RegressionStudy } from "./study.js";

const privacy = { epsilon: 8, delta: 1e-5 };
const participation = { sites: ["a", "b", "c"], minimumSites: 3, maxRowsPerSite: 5000, expectedRows: 6000 };
const evaluation = { heldOut: 0.3, share: 0.1 };

const released = (study: RegressionStudy, block: ColumnBlock) =>
  releasedBySums({
    study,
    tables: dealtToThree(block),
    vector: (id, input) => regressionVector(study, id, input),
  });

const logistic = regressionTestStudy("logistic", { privacy, parameters: { evaluation } });
const linear = regressionTestStudy("linear", { privacy });
// Counts of up to 8 a row have more noise than a single event.
const poisson = regressionTestStudy("poisson", { privacy: { epsilon: 30, delta: 1e-5 } });
// Of so many events the cap on hazards is about 1, and the noise a third of that without their number.
const cox = regressionTestStudy("cox", {
  privacy: { epsilon: 20, delta: 1e-5 },
  participation: { ...participation, expectedEvents: 900 },
});

const measures = {
  ill: "odds-ratio",
  stay: "difference",
  visits: "rate-ratio",
  death: "hazard-ratio",
} as const;
const counted = {
  ill: ["training", "events", "held-out"],
  stay: ["used"],
  visits: ["events", "exposure"],
  death: ["events", "exposure"],
} as const;

describe("a regression at the aggregator", () => {
  it.each([
    ["logistic", logistic, "ill", 4000],
    ["linear", linear, "stay", 4000],
    ["poisson", poisson, "visits", 12_000],
    ["cox", cox, "death", 4000],
  ] as const)(
    "asks exactly what the plan says, and releases what its schemas know: %s",
    async (_, study, outcome, rows) => {
      const { result, asked } = await released(study, drawnPatients(rows, "released", outcome));
      expect(asked).toEqual(planStudy(study).stages.map(({ id, broadcasts }) => [id, broadcasts]));
      const model = regressionModelSchema.parse(result.model);
      expect(model.coefficients.map(({ name }) => name)).toEqual([
        ...(outcome === "death" ? [] : ["(intercept)"]),
        "age",
        "pressure",
        "ward=heart",
        "ward=children",
        "smoker=yes",
      ]);
      expect(predictorFaults(predictorSchema.parse(result.predictor))).toEqual([]);
      for (const table of result.tables!) resultTableSchema.parse(table);
      for (const figure of result.figures!) figureSchema.parse(figure);
      modelCardSchema.parse(result.card);
      expect(result.finding).toMatchObject({ isClear: true });
      const { code, params } = readSaid(result.finding!.text)!;
      expect(code).toBe(`finding.${measures[outcome]}`);
      expect(params).toMatchObject({ of: 5, clear: 1 });
      expect(params.whole).toBeLessThan(0.001);
      expect(model.whole).toMatchObject({ degreesOfFreedom: 5, pValue: params.whole });
      expect(result.counted!.map(({ of }) => of)).toEqual(counted[outcome]);
      for (const { low, high } of result.counted!.filter(({ of }) => of !== "exposure"))
        expect([0 < low, high < 2 * rows]).toEqual([true, true]);
      expect(result.notes.join(" ")).not.toMatch(/regression\.(separated|unbounded|few-events|not-arrived)/);
    },
  );

  it("predicts with its coefficients in the columns' own units what its predictor predicts", async () => {
    for (const [study, outcome] of [
      [logistic, "ill"],
      [linear, "stay"],
      [poisson, "visits"],
      [cox, "death"],
    ] as const) {
      const { result } = await released(study, drawnPatients(4000, "predicted", outcome));
      const { coefficients, predicting, evaluation: measured } = regressionModelSchema.parse(result.model);
      const of = (name: string) => predicting[coefficients.findIndex((one) => one.name === name)]!;
      const row = { age: 61, pressure: 133, ward: "children", smoker: "yes" };
      const along = (age: number, pressure: number) => age * of("age") + pressure * of("pressure");
      const levels = of("ward=children") + of("smoker=yes");
      const sum = (outcome === "death" ? 0 : of("(intercept)")) + along(61, 133) + levels;
      const { intercept, slope } = measured?.calibration ?? { intercept: 0, slope: 1 };
      const stated = regressionRow(result.predictor as RegressionPredictor, row);
      const expected = {
        ill: 1 / (1 + Math.exp(-intercept - slope * sum)),
        stay: sum,
        visits: Math.exp(sum),
        death: Math.exp(along(61 - 60, 133 - 140) + levels),
      }[outcome];
      expect(stated).toBeCloseTo(expected, 9);
    }
  });

  it("says of a column that tells the outcome alone that it separates", async () => {
    const block = drawnPatients(4000, "separated", "ill");
    const labels = Uint16Array.from(block.columns[3]!, (smoker) => smoker);
    const { result } = await released(logistic, { ...block, labels });
    expect(result.notes.join(" ")).toContain("regression.separated");
    expect(result.card!.limits.join(" ")).toContain("regression.separated");
    predictorSchema.parse(result.predictor);
  });

  it("is Cox's by name only where hardly anybody's follow-up is cut, and says how many are", async () => {
    const block = drawnPatients(4000, "cut", "death");
    const named = async (maxHazard: number) => {
      const study = regressionTestStudy("cox", {
        privacy: { epsilon: 30, delta: 1e-5 },
        participation,
        parameters: { maxHazard },
      });
      const { result } = await released(study, block);
      const cut = result.notes.map(readSaid).find((said) => said?.code === "regression.cut")!;
      return { title: result.tables![0]!.title, cut: cut.params };
    };
    const whole = await named(3);
    expect(whole.title).toMatch(/: Cox regression$/);
    expect(whole.cut).toMatchObject({ cap: 3 });
    expect(whole.cut.share).toBeLessThan(0.002);
    const cut = await named(0.1);
    expect(cut.title).toMatch(
      /: piecewise exponential regression, follow-up to a cumulative hazard of 0\.1$/,
    );
    expect(cut.cut).toMatchObject({ cap: 0.1 });
    expect(cut.cut.share).toBeGreaterThan(0.1);
  });

  it("states no hazard of an interval that nobody reaches, and those of the others", async () => {
    const block = drawnPatients(4000, "reached", "death");
    // Ten intervals of six months: the study ends for everybody within the fifth.
    const end = 27;
    const labels = Uint16Array.from(block.labels!, (label, r) => (block.columns[4]![r]! <= end ? label : 0));
    const columns = block.columns.map((column, j) =>
      j === 4 ? column.map((at) => Math.min(at, end)) : column,
    );
    for (const study of [cox, regressionTestStudy("cox")]) {
      const { result } = await released(study, { ...block, columns, labels });
      const { events } = regressionModelSchema.parse(result.model);
      const stated = [true, true, true, true, true, false, false, false, false, false];
      expect(events!.baseline!.map(({ hazard }) => hazard !== null)).toEqual(stated);
      const { rows } = result.tables!.find(({ name }) => name === "baseline")!;
      expect(rows.map(([, , hazard]) => hazard !== null)).toEqual(stated);
    }
  });

  it("says what it is in codes that both languages have", async () => {
    for (const [study, outcome] of [
      [logistic, "ill"],
      [linear, "stay"],
      [poisson, "visits"],
      [cox, "death"],
    ] as const) {
      const { result } = await released(study, drawnPatients(1000, "codes", outcome));
      const own = outcome === "ill" ? [] : result.card!.limits;
      for (const note of [...result.notes, ...own]) {
        const said = readSaid(note);
        expect(said, note).not.toBeNull();
        expect(englishWith(english)(said!)).not.toMatch(/undefined|NaN/);
        expect(germanWith(german)(said!)).not.toMatch(/undefined|NaN/);
      }
      const codes = result.notes.map((note) => readSaid(note)!.code);
      expect(codes).toContain("regression.pooled");
      // Squares are asked for from 2,000 expected rows on.
      expect(codes).not.toContain("regression.equal-variances");
    }
    const few = regressionTestStudy("linear", {
      privacy,
      participation: { ...participation, expectedRows: 1000 },
    });
    const { result } = await released(few, drawnPatients(1000, "codes", "stay"));
    expect(result.notes).toContain("regression.equal-variances {}");
  });

  it("states nothing of columns of which one follows from the other, and does of the others", async () => {
    const block = drawnPatients(4000, "singular", "ill");
    // Every smoker is in the heart ward, and nobody else.
    const smokers = Float64Array.from(block.columns[2]!, (ward) => (ward === 1 ? 1 : 0));
    for (const study of [logistic, regressionTestStudy("logistic")]) {
      const { result } = await released(study, {
        ...block,
        columns: [...block.columns.slice(0, 3), smokers],
      });
      const { coefficients, categories, scaled } = regressionModelSchema.parse(result.model);
      const reasons = Object.fromEntries(coefficients.map(({ name, imprecise }) => [name, imprecise]));
      expect(reasons).toMatchObject({
        age: null,
        pressure: null,
        "ward=heart": "unbounded",
        "smoker=yes": "unbounded",
      });
      expect(scaled).toBeNull();
      expect(categories).toEqual([]);
      const [, ...table] = result.tables!.find(({ name }) => name === "coefficients")!.rows;
      const heart = table.find(([term]) => term === "ward=heart")!;
      expect(heart.slice(5, -1).every((cell) => cell === null)).toBe(true);
      expect(heart.at(-1)).toBe("unbounded");
      expect(
        result.figures![0]!.kind === "bars" && result.figures![0]!.bars.map(({ label }) => label),
      ).not.toContain("smoker=yes");
      expect(result.notes.join(" ")).toMatch(/regression\.unbounded \{.*ward=heart/);
    }
  });

  it("says of counts and events that there are next to none, and ends with numbers", async () => {
    for (const [study, outcome] of [
      [poisson, "visits"],
      [cox, "death"],
      [regressionTestStudy("cox"), "death"],
    ] as const) {
      const block = drawnPatients(3000, "few", outcome);
      const columns = block.columns.map((column, j) =>
        outcome === "visits" && j === 4 ? new Float64Array(block.rows) : column,
      );
      const labels = block.labels && new Uint16Array(block.rows);
      const { result } = await released(study, { ...block, columns, labels });
      const { coefficients } = regressionModelSchema.parse(result.model);
      expect(result.notes.join(" ")).toContain("regression.few-outcomes");
      for (const { found, imprecise } of coefficients) expect(found === null).toBe(imprecise !== null);
    }
    // The control: of as many patients with their events the release says no such thing.
    const { result } = await released(cox, drawnPatients(3000, "few", "death"));
    expect(result.notes.join(" ")).not.toContain("regression.few-outcomes");
  });

  it("ends with a valid release where one class is nowhere, and where no site has a row", async () => {
    const block = drawnPatients(3000, "one class", "ill");
    const { result } = await released(logistic, { ...block, labels: new Uint16Array(3000) });
    expect(result.notes.join(" ")).toContain("no rows of ill = yes");
    for (const study of [logistic, linear, poisson, cox]) {
      const { result: nothing } = await released(
        study,
        drawnPatients(0, "nobody", outcomeOf(study.parameters.family)),
      );
      regressionModelSchema.parse(nothing.model);
      for (const figure of nothing.figures!) figureSchema.parse(figure);
      for (const table of nothing.tables!) resultTableSchema.parse(table);
      expect(nothing.finding).toMatchObject({ isClear: false });
    }
  });

  it("states a number's coefficient and ratio for its declared step, and its p value as without one", async () => {
    const block = drawnPatients(4000, "steps", "ill");
    const of = async (study: RegressionStudy) => {
      const { result } = await released(study, block);
      const { coefficients } = regressionModelSchema.parse(result.model);
      return { result, age: coefficients.find(({ name }) => name === "age")! };
    };
    const features = logistic.features.map((one) => (one.name === "age" ? { ...one, per: 10 } : one));
    const [unit, ten] = [await of(logistic), await of({ ...logistic, features } as RegressionStudy)];
    expect([unit.age.per, ten.age.per]).toEqual([1, 10]);
    for (const key of ["coefficient", "low", "high"] as const)
      expect(ten.age.found![key] / unit.age.found![key]).toBeCloseTo(10, 4);
    expect(ten.age.found!.ratio!.value).toBeCloseTo(Math.exp(10 * unit.age.found!.coefficient), 4);
    expect(ten.age.found!.pValue).toBeCloseTo(unit.age.found!.pValue!, 9);
    const table = ten.result.tables!.find(({ name }) => name === "coefficients")!;
    const at = table.columns.findIndex(({ name }) => name === "per");
    expect(table.rows.find(([term]) => term === "age")![at]).toBe(10);
    // The figure compares columns of any unit: by the declared step, or the one that is proposed.
    const [forest] = ten.result.figures!;
    expect(forest!.kind === "bars" && readSaid(forest!.bars[0]!.label)).toEqual({
      code: "finding.term",
      params: { term: "age", step: 10, unit: "years" },
    });
    // What predicts does not depend on it.
    expect(ten.result.predictor).toEqual(unit.result.predictor);
  });

  it("finds a clear association whatever its evaluation comes to", async () => {
    // Next to nothing of ρ is left to the evaluation, whose interval then covers chance.
    const study = regressionTestStudy("logistic", {
      privacy: { epsilon: 3, delta: 1e-5 },
      parameters: { evaluation: { heldOut: 0.05, share: 0.01 } },
    });
    const { result } = await released(study, drawnPatients(4000, "evaluated by noise", "ill"));
    const { auc } = regressionModelSchema.parse(result.model).evaluation!;
    expect(auc.low).toBeLessThan(0.5);
    expect(result.finding).toMatchObject({ isClear: true });
  });

  it("ends the study at a sum that honest sites cannot send", async () => {
    for (const study of [logistic, linear, poisson, cox])
      await expect(releasedOfImplausible(study)).rejects.toMatchObject({ code: "SUM_IMPLAUSIBLE" });
  });
});
