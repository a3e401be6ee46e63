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
import { describe, expect, it } from "vitest";
import { releasedBySums, releasedOfImplausible } from "../testing/aggregatorSums.js";
import { dealtToThree, drawnPatients, regressionTestStudy } from "../testing/regression/patients.js";
import { regressionVector } from "../testing/vectors.js";
import { regressionModelSchema } from "./model.js";
import type { RegressionStudy } from "./study.js";

const privacy = { epsilon: 8, delta: 1e-5 };
const evaluation = { heldOut: 0.3, share: 0.1 };

const released = (study: RegressionStudy, block: ColumnBlock) =>
  releasedBySums({
    study,
    tables: dealtToThree(block),
    vector: (id, input) => regressionVector(study, id, input),
  });

const logistic = regressionTestStudy("logistic", { privacy, parameters: { evaluation } });
const linear = regressionTestStudy("linear", { privacy });

describe("a regression at the aggregator", () => {
  it.each([
    ["logistic", logistic, "ill"],
    ["linear", linear, "stay"],
  ] as const)(
    "asks exactly what the plan says, and releases what its schemas know: %s",
    async (_, study, outcome) => {
      const { result, asked } = await released(study, drawnPatients(4000, "released", outcome));
      expect(asked).toEqual(planStudy(study).stages.map(({ id, broadcasts }) => [id, broadcasts]));
      const model = regressionModelSchema.parse(result.model);
      expect(model.coefficients.map(({ name }) => name)).toEqual([
        "(intercept)",
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
      expect(result.caution).toBeNull();
      expect(result.notes.join(" ")).not.toMatch(/separation|singular/);
    },
  );

  it("predicts with its coefficients in the columns' own units what its predictor predicts", async () => {
    for (const [study, outcome] of [
      [logistic, "ill"],
      [linear, "stay"],
    ] as const) {
      const { result } = await released(study, drawnPatients(4000, "predicted", outcome));
      const { coefficients, evaluation: measured } = regressionModelSchema.parse(result.model);
      const of = (name: string) => coefficients.find((one) => one.name === name)!.coefficient;
      const row = { age: 61, pressure: 133, ward: "children", smoker: "yes" };
      const sum =
        of("(intercept)") + 61 * of("age") + 133 * of("pressure") + of("ward=children") + of("smoker=yes");
      const { intercept, slope } = measured?.calibration ?? { intercept: 0, slope: 1 };
      const stated = regressionRow(result.predictor as RegressionPredictor, row);
      expect(stated).toBeCloseTo(outcome === "stay" ? sum : 1 / (1 + Math.exp(-intercept - slope * sum)), 9);
    }
  });

  it("says of a column that tells the outcome alone that it separates", async () => {
    const block = drawnPatients(4000, "separated", "ill");
    const labels = Uint16Array.from(block.columns[3]!, (smoker) => smoker);
    const { result } = await released(logistic, { ...block, labels });
    expect(result.notes.join(" ")).toContain("separation");
    expect(result.card!.limits.join(" ")).toContain("separation");
    predictorSchema.parse(result.predictor);
  });

  it("says of columns of which one follows from the other that the Gram matrix is singular", async () => {
    const block = drawnPatients(4000, "singular", "ill");
    // Every smoker is in the heart ward, and nobody else.
    const smokers = Float64Array.from(block.columns[2]!, (ward) => (ward === 1 ? 1 : 0));
    for (const study of [logistic, regressionTestStudy("logistic")]) {
      const { result } = await released(study, {
        ...block,
        columns: [...block.columns.slice(0, 3), smokers],
      });
      const { hidden, coefficients } = regressionModelSchema.parse(result.model);
      expect(hidden).toBe(1);
      expect(result.notes.join(" ")).toContain("singular Gram matrix");
      expect(coefficients.every(({ low, high }) => Number.isFinite(low) && Number.isFinite(high))).toBe(true);
    }
  });

  it("ends with a valid release where one class is nowhere, and where no site has a row", async () => {
    const block = drawnPatients(3000, "one class", "ill");
    const { result } = await released(logistic, { ...block, labels: new Uint16Array(3000) });
    expect(result.notes.join(" ")).toContain("no rows of ill = yes");
    for (const study of [logistic, linear]) {
      const { result: nothing } = await released(
        study,
        drawnPatients(0, "nobody", study === linear ? "stay" : "ill"),
      );
      regressionModelSchema.parse(nothing.model);
      for (const figure of nothing.figures!) figureSchema.parse(figure);
      for (const table of nothing.tables!) resultTableSchema.parse(table);
      expect(nothing.caution).toMatch(/Noise (explains|may explain) this result/);
    }
  });

  it("ends the study at a sum that honest sites cannot send", async () => {
    for (const study of [logistic, linear])
      await expect(releasedOfImplausible(study)).rejects.toMatchObject({ code: "SUM_IMPLAUSIBLE" });
  });
});
