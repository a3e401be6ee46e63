import { figureSchema } from "@consilium/core/release/figures";
import { describe, expect, it } from "vitest";
import { noisyRows } from "../../felp-a/conversation.js";
import { featureSelectionStudy, numeric } from "../../testing/study/featureSelection.js";
import { featureSelectionModel, featureSelectionModelSchema, importanceFigure } from "./model.js";
import { descending, normalNoise, rankedFeatures, standsOut } from "./ranking.js";

const features = ["a", "b", "c", "d"].map((name) => numeric(name)) as never;
const privacy = { epsilon: 1, delta: 1e-5 };
const even = (stdDev: number) => normalNoise(new Float64Array(4).fill(stdDev));

describe("a ranking", () => {
  const weights = Float64Array.of(0.1, 0.9, -0.3, 0.9);

  it("is by weight, the first declared of equal ones first", () => {
    expect([...descending(weights)]).toEqual([1, 3, 0, 2]);
    const ranked = rankedFeatures({ features, weights, noise: null, select: 2, seed: "s" });
    expect(ranked.map(({ name, rank, selected }) => [name, rank, selected])).toEqual([
      ["b", 1, true],
      ["d", 2, true],
      ["a", 3, false],
      ["c", 4, false],
    ]);
    expect(ranked[0]).toMatchObject({ stdDev: null, low: null, high: null, topShare: null });
  });

  it("says how far the noise lets it be trusted", () => {
    const clear = rankedFeatures({ features, weights, noise: even(0.01), select: 2, seed: "s" });
    expect(clear.map(({ topShare }) => Math.round(topShare! * 1e6) / 1e6)).toEqual([1, 1, 0, 0]);
    expect(clear[0]!.high! - clear[0]!.low!).toBeCloseTo(2 * 1.96 * 0.01, 4);
    const drowned = rankedFeatures({ features, weights, noise: even(1000), select: 2, seed: "s" });
    for (const { topShare } of drowned) expect(Math.abs(topShare! - 0.5)).toBeLessThan(0.1);
    expect(rankedFeatures({ features, weights, noise: even(1), select: 2, seed: "s" })).toEqual(
      rankedFeatures({ features, weights, noise: even(1), select: 2, seed: "s" }),
    );
  });

  it("stands out where its first exceeds the largest of as many noises", () => {
    expect(standsOut(weights, even(0.5))).toBe(true);
    expect(standsOut(weights, even(0.6))).toBe(false);
    expect(standsOut(weights, null)).toBe(true);
  });
});

describe("model.json of a feature selection", () => {
  const study = featureSelectionStudy({ privacy, parameters: { select: 2 } });
  const classes = [true, true].map((present, c) => ({
    rows: 50 + c,
    present,
    standsOut: present,
    prototype: new Float64Array(5).fill(0.25),
  }));
  const result = { weights: Float64Array.of(0.4, 0.1, 0.2), noise: even(0.05), classes, rows: 101 };

  it("has every feature with its interval, and what is needed to read the weights", () => {
    const model = featureSelectionModel(study, result, "a meaning", "seed");
    expect(featureSelectionModelSchema.parse(JSON.parse(JSON.stringify(model)))).toEqual(model);
    expect(model.selected).toEqual(["a", "c"]);
    expect(model.columns.map(({ name }) => name)).toEqual(["a", "b", "c=x", "c=y", "c=z"]);
    expect(model.classes!.map(({ level, rows }) => [level, rows])).toEqual([
      ["no", 50],
      ["yes", 51],
    ]);
    expect(model.warnings).toEqual([]);
    expect(model.noise.epsilon).toBeLessThanOrEqual(1);
    expect(noisyRows(classes)).toBe(101);
  });

  it("warns by what was released: absent classes, weights within the noise, none positive", () => {
    const warned = (change: Partial<typeof result>) =>
      featureSelectionModel(study, { ...result, ...change }, "a meaning", "seed").warnings.join();
    const absent = (...which: boolean[]) => classes.map((one, c) => ({ ...one, standsOut: !which[c]! }));
    expect(warned({ classes: absent(true, false) })).toMatch(/fewer than two levels of class/);
    expect(warned({ noise: even(0.5) })).toMatch(/no weight stands out of the noise/);
    const three = featureSelectionStudy({ levels: ["x", "y", "z"], privacy });
    const third = { rows: 0, present: false, standsOut: false, prototype: new Float64Array(5) };
    expect(
      featureSelectionModel(three, { ...result, classes: [...classes, third] }, "a meaning", "s").warnings,
    ).toEqual(["levels of class that do not stand out of the noise took no part: z"]);
    const none = featureSelectionModel(
      featureSelectionStudy({ variant: "paper", method: "fwell" }),
      { weights: new Float64Array(3), noise: null, classes: null, rows: 0 },
      "a meaning",
      "seed",
    );
    expect(none.warnings).toEqual(["no weight is positive: no feature tells the classes apart"]);
  });

  it("is drawn as bars with intervals", () => {
    const figure = importanceFigure(featureSelectionModel(study, result, "a meaning", "seed"));
    expect(figureSchema.parse(figure)).toEqual(figure);
    expect(figure).toMatchObject({
      kind: "bars",
      name: "importance",
      bars: [{ label: "a", value: 0.4 }, { label: "c" }, { label: "b" }],
    });
  });
});
