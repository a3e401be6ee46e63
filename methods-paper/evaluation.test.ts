import { unwrap } from "@consilium/core/result";
import {
  evaluationForm,
  evaluationParameter,
  evaluationShape,
  evaluationStage,
  evaluationWarnings,
  trainingShare,
  unprovedEvaluationStage,
} from "@consilium/core/study/evaluation";
import { soundSum } from "@consilium/core/study/soundSums";
import { parseStudy, type Study } from "@consilium/methods/testing/studies";
import { describe, expect, it } from "vitest";

const studyOf = (maxRowsPerSite: number): Study =>
  unwrap(
    parseStudy({
      name: "evaluated",
      table: "records",
      analysis: "pca",
      features: [{ name: "x", type: "numeric", min: 0, max: 1 }],
      privacy: { epsilon: 1, delta: 1e-5 },
      participation: { sites: ["a", "b", "c"], minimumSites: 3, maxRowsPerSite },
      parameters: { components: 1 },
    }),
  );

describe("the parameter", () => {
  it("is on by default, and off when switched off", () => {
    expect(evaluationParameter.parse(undefined)).toEqual({ heldOut: 0.2, share: 0.05 });
    expect(evaluationParameter.parse({ heldOut: 0.3 })).toEqual({ heldOut: 0.3, share: 0.05 });
    expect(evaluationParameter.parse("none")).toBe("none");
    expect([trainingShare("none"), trainingShare({ heldOut: 0.2, share: 0.25 })]).toEqual([1, 0.75]);
  });

  it.each([{ heldOut: 0.6 }, { heldOut: 0.01 }, { share: 0.6 }, { share: 0 }, { part: 1 }, "all", null])(
    "refuses %j",
    (raw) => expect(evaluationParameter.safeParse(raw).success).toBe(false),
  );
});

describe("the stage", () => {
  const evaluation = { heldOut: 0.2, share: 0.05 };

  it("has a cell for each score bin and class of two, and a square of more", () => {
    expect(evaluationShape(evaluationForm(2))).toEqual({ predictions: 20, classes: 2 });
    expect(evaluationShape(evaluationForm(5))).toEqual({ predictions: 5, classes: 5 });
    expect(evaluationStage("none", evaluationForm(2), [])).toBeNull();
  });

  it("has noise for its share of the study's ρ at sensitivity 1", () => {
    const study = studyOf(10_000);
    const stage = evaluationStage(evaluation, evaluationForm(2), [])!;
    expect(stage).toMatchObject({ length: 40, share: 0.05, sensitivitySquared: 1 });
    // ρ = 0.0305566 at (1, 1e-5): σ = 1/√(2·0.05·ρ) in the sum of the 2 shares that count.
    expect(soundSum(study, stage).shareStdDev * Math.SQRT2).toBeCloseTo(1 / Math.sqrt(0.1 * 0.0305566), 3);
  });

  it("says when there can be too few rows for it to tell anything", () => {
    const stage = evaluationStage(evaluation, evaluationForm(2), [])!;
    expect(evaluationWarnings(studyOf(100), stage, evaluation)).toHaveLength(1);
    expect(evaluationWarnings(studyOf(10_000), stage, evaluation)).toEqual([]);
  });

  it("is the same without noise in a published method, and costs what nobody proved", () => {
    const stage = unprovedEvaluationStage(studyOf(100), evaluation, evaluationForm(3), [])!;
    expect(stage).toMatchObject({ kind: "sum", length: 9, ringBits: 32, noise: null });
    expect(stage.disclosure.event.kind).toBe("no-bound");
    expect(unprovedEvaluationStage(studyOf(100), "none", evaluationForm(3), [])).toBeNull();
  });
});
