import { figureSchema } from "@consilium/core/release/figures";
import { modelCardSchema } from "@consilium/core/release/modelCard";
import { predictorSchema } from "@consilium/core/release/predictor";
import { planStudy } from "@consilium/core/study/plan";
import { describe, expect, it } from "vitest";
import { releasedBySums, releasedOfImplausible } from "../testing/aggregatorSums.js";
import { blockOf, type TestRow, testRows, testStudy } from "../testing/histBoost/study.js";
import { histBoostModelSchema } from "./model.js";
import type { HistBoostStudy } from "./study.js";
import { histBoostVector } from "./vector.js";

const privacy = { epsilon: 20, delta: 1e-5 };
const three = { sites: ["x", "y", "z"], minimumSites: 3, maxRowsPerSite: 5000 };
const studyOf = (parameters: Record<string, unknown> = {}, change: Record<string, unknown> = {}) =>
  testStudy(
    { evaluation: { heldOut: 0.3, share: 0.2 }, ...parameters },
    { privacy, participation: three, ...change },
  );

/** The analysis over three sites in this process; what it asked, in order. */
const released = (study: HistBoostStudy, rows: readonly TestRow[]) =>
  releasedBySums({
    study,
    tables: [0, 1, 2].map((site) => [blockOf(rows.filter((_, r) => r % 3 === site))]),
    vector: (id, input) => histBoostVector(study, id, input),
  });

describe("dp-histboost, aggregator side", () => {
  it("asks exactly what the plan says, and releases a model that its schemas know", async () => {
    for (const mode of ["real", "discrete"]) {
      const study = studyOf({ mode, pruning: "siblings" });
      const { result, asked } = await released(study, testRows(900));
      expect(asked).toEqual(planStudy(study).stages.map(({ id, broadcasts }) => [id, broadcasts]));
      const model = histBoostModelSchema.parse(result.model);
      expect(model.trees.length).toBe(3);
      expect(model.trees.flatMap(({ nodes }) => nodes).some(({ kind }) => kind === "split")).toBe(true);
      expect(model.alphas === null).toBe(mode === "real");
      expect(model.evaluation!.accuracy.value).toBeGreaterThan(0.6);
      expect(model.rows.reduce((sum, { rows }) => sum + rows, 0)).toBeCloseTo(630, -2);
      const predictor = predictorSchema.parse(result.predictor);
      expect(predictor).toMatchObject({ kind: "trees", link: "logistic", trees: model.trees });
      expect(result.figures!.map((figure) => figureSchema.parse(figure).name)).toEqual([
        "importance",
        "first-tree",
        "calibration",
        "roc",
      ]);
      const card = modelCardSchema.parse(result.card);
      expect(card.evaluation!.measures.map(({ name }) => name)).toContain("accuracy");
      expect(result.rowsUsed).toBeNull();
      expect(result.notes.join(" ")).not.toMatch(/stand out|No tree/);
    }
  });

  it("ends with a valid release where one class is nowhere, and says so from noisy sums", async () => {
    const rows = testRows(900).map(({ values }) => ({ values, label: 0 as const }));
    const { result } = await released(studyOf(), rows);
    expect(result.notes.filter((note) => note.includes("no rows of sick = yes"))).toHaveLength(1);
    expect(result.card!.limits.join(" ")).toContain("sick = yes");
    predictorSchema.parse(result.predictor);
  });

  it("ends with a valid release where nobody has a row, and where features say nothing", async () => {
    for (const rows of [[], testRows(600).map(({ label }) => ({ values: [1, 0, 0], label }))]) {
      for (const mode of ["real", "discrete"]) {
        const { result } = await released(studyOf({ mode }), rows);
        histBoostModelSchema.parse(result.model);
        predictorSchema.parse(result.predictor);
        for (const figure of result.figures!) figureSchema.parse(figure);
        modelCardSchema.parse(result.card);
      }
    }
    const { result } = await released(
      studyOf({ evaluation: "none" }, { privacy: "none" }),
      testRows(90).map(({ label }) => ({ values: [1, 0, 0], label })),
    );
    expect(result.notes.join(" ")).toContain("No tree has a split");
    expect(result.card!.evaluation).toBeNull();
    expect(result.figures!.map(({ name }) => name)).toEqual(["first-tree"]);
  });

  it("ends the study at a sum that honest sites cannot send", async () => {
    await expect(releasedOfImplausible(studyOf())).rejects.toMatchObject({
      code: "SUM_IMPLAUSIBLE",
    });
  });
});
