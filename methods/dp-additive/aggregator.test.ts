import { curveSchema } from "@consilium/core/release/curves";
import { figureSchema } from "@consilium/core/release/figures";
import { modelCardSchema } from "@consilium/core/release/modelCard";
import { predictorFaults, predictorSchema, type TreePredictor } from "@consilium/core/release/predictor";
import { planStudy } from "@consilium/core/study/plan";
import { predictRow } from "@consilium/core/testing/release/predict";
import { describe, expect, it } from "vitest";
import { additiveTestStudy } from "../testing/additive/study.js";
import { releasedBySums, releasedOfImplausible } from "../testing/aggregatorSums.js";
import { blockOf, type TestRow, testRows } from "../testing/histBoost/study.js";
import { additiveVector } from "../testing/vectors.js";
import { additiveModelSchema } from "./model.js";
import type { AdditiveStudy } from "./study.js";

const privacy = { epsilon: 20, delta: 1e-5 };
const three = { sites: ["x", "y", "z"], minimumSites: 3, maxRowsPerSite: 5000 };
const studyOf = (parameters: Record<string, unknown> = {}, change: Record<string, unknown> = {}) =>
  additiveTestStudy(
    { evaluation: { heldOut: 0.3, share: 0.2 }, ...parameters },
    { privacy, participation: three, ...change },
  );

/** The analysis over three sites in this process; what it asked, in order. */
const released = (study: AdditiveStudy, rows: readonly TestRow[]) =>
  releasedBySums({
    study,
    tables: [0, 1, 2].map((site) => [blockOf(rows.filter((_, r) => r % 3 === site))]),
    vector: (id, input) => additiveVector(study, id, input),
  });

describe("dp-additive at the aggregator", () => {
  it("asks exactly what the plan says, and releases a model that its schemas know", async () => {
    const study = studyOf();
    const { result, asked } = await released(study, testRows(900));
    expect(asked).toEqual(planStudy(study).stages.map(({ id, broadcasts }) => [id, broadcasts]));
    const model = additiveModelSchema.parse(result.model);
    expect(model.curves.map(({ feature, bins }) => [feature, bins.length])).toEqual([
      ["a", 8],
      ["b", 4],
      ["c", 3],
    ]);
    expect(model.importances[0]).toMatchObject({ feature: "a" });
    expect(model.evaluation!.accuracy.value).toBeGreaterThan(0.6);
    expect(model.rows.reduce((sum, { rows }) => sum + rows, 0)).toBeCloseTo(630, -2);
    const predictor = predictorSchema.parse(result.predictor) as TreePredictor;
    expect(predictorFaults(predictor)).toEqual([]);
    expect(predictor.trees).toEqual(model.trees);
    expect(result.curves!.map((curve) => curveSchema.parse(curve))).toEqual(model.curves);
    expect(result.figures!.map((figure) => figureSchema.parse(figure).name)).toEqual([
      "importance",
      "curve-1",
      "curve-2",
      "curve-3",
      "calibration",
      "roc",
    ]);
    const card = modelCardSchema.parse(result.card);
    expect(card.evaluation!.measures.map(({ name }) => name)).toContain("accuracy");
    expect(result.rowsUsed).toBeNull();
    expect(result.finding).toMatchObject({ isClear: true, by: "interval" });
    expect(result.notes.join(" ")).not.toMatch(/stand out|Noise explains/);
  });

  it("predicts from its curves alone what its predictor predicts", async () => {
    const { result } = await released(studyOf(), testRows(900));
    const { curves, intercept, probability } = additiveModelSchema.parse(result.model);
    const predictor = predictorSchema.parse(result.predictor) as TreePredictor;
    const { intercept: level, slope } = probability.calibration ?? { intercept: 0, slope: 1 };
    for (const { values } of testRows(60, "others")) {
      const row = { a: values[0]!, b: values[1]!, c: ["x", "y", "z"][values[2]!]! };
      const added = curves.map(({ feature, bins }) => {
        const value = row[feature as "a" | "b" | "c"];
        const at = bins.findIndex((bin, i) =>
          "level" in bin ? bin.level === value : i === bins.length - 1 || Number(value) < bin.to,
        );
        return bins[at]!.logOdds;
      });
      const logOdds = added.reduce((sum, one) => sum + one, intercept);
      const told = predictRow(predictor, row);
      expect(told.outputs[0]).toBe(logOdds);
      expect(told.probabilities[1]).toBeCloseTo(1 / (1 + Math.exp(-(level + slope * logOdds))), 12);
    }
  });

  it("ends with a valid release where one class is nowhere, and says so from noisy sums", async () => {
    const rows = testRows(900).map(({ values }) => ({ values, label: 0 as const }));
    const { result } = await released(studyOf(), rows);
    expect(result.notes.filter((note) => note.includes("no rows of sick = yes"))).toHaveLength(1);
    expect(result.card!.limits.join(" ")).toContain("sick = yes");
    predictorSchema.parse(result.predictor);
  });

  it("ends with a valid release where no site has a row, and says that noise explains it", async () => {
    for (const rows of [[], testRows(600).map(({ label }) => ({ values: [1, 0, 0], label }))]) {
      const { result } = await released(studyOf(), rows);
      additiveModelSchema.parse(result.model);
      expect(predictorFaults(predictorSchema.parse(result.predictor))).toEqual([]);
      for (const figure of result.figures!) figureSchema.parse(figure);
      modelCardSchema.parse(result.card);
      expect(result.finding).toMatchObject({ isClear: false, by: "interval" });
    }
    const { result } = await released(
      studyOf({ evaluation: "none" }, { privacy: "none" }),
      testRows(90).map(({ label }) => ({ values: [1, 0, 0], label })),
    );
    expect(result.card!.evaluation).toBeNull();
  });

  it("ends the study at a sum that honest sites cannot send", async () => {
    await expect(releasedOfImplausible(studyOf())).rejects.toMatchObject({
      code: "SUM_IMPLAUSIBLE",
    });
  });
});
