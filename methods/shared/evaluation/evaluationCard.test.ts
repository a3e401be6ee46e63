import type { TreeEnsemble } from "@consilium/core/learning/trees/tree";
import { figureSchema } from "@consilium/core/release/figures";
import { modelCardSchema } from "@consilium/core/release/modelCard";
import { unwrap } from "@consilium/core/result";
import { evaluationForm, scoreBins } from "@consilium/core/study/evaluation";
import { describe, expect, it } from "vitest";
import { evenScale } from "../../testing/scale.js";
import { parseStudy } from "../../testing/studies.js";
import { evaluationFigures, modelCard } from "./evaluationCard.js";
import { evaluationResult, scaledResult } from "./evaluationResult.js";
import { modelFinding } from "./finding.js";

const study = unwrap(
  parseStudy({
    name: "carded",
    table: "records",
    analysis: "pca",
    features: [{ name: "x", type: "numeric", min: 0, max: 1 }],
    patient: { column: "id", maxRows: 2 },
    privacy: { epsilon: 1, delta: 1e-5 },
    participation: { sites: ["a", "b", "c"], minimumSites: 3, maxRowsPerSite: 1000 },
    parameters: { components: 1 },
  }),
);
const evaluation = { heldOut: 0.2, share: 0.05 };
const two = { name: "diagnosis", levels: ["benign", "m".repeat(128)] };

/** Of each class as many rows, the second class with higher scores. */
const good = Float64Array.from({ length: 2 * scoreBins }, (_, i) => {
  const bin = Math.floor(i / 2);
  return i % 2 === 1 ? bin * 4 : (scoreBins - 1 - bin) * 4;
});
const resultOf = (counts: Float64Array, noise: number) => scaledResult(counts, noise, evenScale());

describe("a model card", () => {
  it("has the measures with their intervals, and fits its schema", () => {
    const result = resultOf(good, 3);
    const card = modelCard({ study, label: two, sites: 3, evaluation, result, limits: ["Of this method."] });
    expect(modelCardSchema.parse(card)).toEqual(card);
    expect(card.evaluation?.majority).toBeCloseTo(0.5, 12);
    expect(card.evaluation?.measures.map(({ name }) => name.slice(0, 20))).toEqual([
      "accuracy",
      "balanced accuracy",
      "area under the ROC c",
      "log-loss, one probab",
      "recall for benign",
      "recall for mmmmmmmmm",
    ]);
    expect(card.evaluation?.measures[0]).toEqual({ name: "accuracy", ...result.accuracy });
    expect(card.limits[0]).toBe("Of this method.");
    expect(card.limits.join(" ")).not.toContain("Rows of one patient");
    expect(card.trainedOn).toContain("Each row weighed 1 over the number of its patient's rows");
    expect(card.evaluation?.method).toContain("held-out patients");
    expect(card.limits.join(" ")).not.toContain("no better than");
  });

  it("says where rows of one patient may be on both sides of the split", () => {
    const patient = { column: "id", maxRows: 2, weighting: "rows" } as const;
    const result = resultOf(good, 3);
    const card = modelCard({ study: { ...study, patient }, label: two, sites: 3, evaluation, result });
    expect(card.limits.join(" ")).toContain("Rows of one patient");
    expect(card.evaluation?.method).toContain("held-out rows");
  });

  it("says that a model may be worth nothing, and that nobody measured it", () => {
    const flat = resultOf(
      good.map(() => 20),
      3,
    );
    const worthless = modelCard({ study, label: two, sites: 3, evaluation, result: flat });
    expect(worthless.limits.join(" ")).toContain("no better than");
    const unmeasured = modelCard({ study, label: two, sites: 3, evaluation: "none", result: null });
    expect(unmeasured.evaluation).toBeNull();
    expect(unmeasured.limits.join(" ")).toContain("Nobody measured");
  });
});

describe("an evaluation of which noise leaves nothing", () => {
  it("is too imprecise to interpret, with no figure and no other number beside it", () => {
    const result = resultOf(good, 500);
    const card = modelCardSchema.parse(modelCard({ study, label: two, sites: 3, evaluation, result }));
    expect(card.evaluation!.measures).toEqual([
      { name: "area under the ROC curve", value: null, low: 0, high: 1 },
    ]);
    expect(card.evaluation!.majority).toBeNull();
    expect(card.limits.join(" ")).toContain("too imprecise to interpret");
    expect(evaluationFigures(two, result)).toEqual([]);
    expect(modelFinding(two, result, "age")).toMatchObject({ isClear: false, by: "interval" });
    // The control: with less noise there are numbers, and the finding is how well it predicts.
    expect(modelFinding(two, resultOf(good, 5), null).text).toMatch(/^finding\.auc .*"clear":1/);
  });
});

describe("its figures", () => {
  it("are calibration and ROC of two classes", () => {
    const figures = evaluationFigures(two, resultOf(good, 0));
    expect(figures.map(({ name }) => name)).toEqual(["calibration", "roc"]);
    for (const figure of figures) expect(figureSchema.parse(figure)).toEqual(figure);
  });

  it("leave out bins that may be noise alone", () => {
    expect(evaluationFigures(two, resultOf(new Float64Array(2 * scoreBins), 5))).toEqual([]);
    const figures = evaluationFigures(two, resultOf(good.with(0, 0).with(1, 3), 5));
    const points = figures[0]?.kind === "curves" ? figures[0].series[0]!.points : [];
    expect(points).toHaveLength(scoreBins - 1);
  });

  it("are the recalls of more classes, and nothing without an evaluation", () => {
    const three = { name: "stage", levels: ["a", "b", "c"] };
    const result = evaluationResult(
      evaluationForm(3),
      Float64Array.of(5, 1, 0, 2, 6, 1, 0, 0, 5),
      0,
      {} as TreeEnsemble,
    );
    const [bars] = evaluationFigures(three, result);
    expect(bars?.kind === "bars" && bars.bars.map(({ label, value }) => [label, value])).toEqual([
      ["a", 5 / 7],
      ["b", 6 / 7],
      ["c", 5 / 6],
    ]);
    expect(evaluationFigures(two, null)).toEqual([]);
  });
});
