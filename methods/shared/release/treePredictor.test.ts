import { predictorSchema } from "@consilium/core/release/predictor";
import { featureSchema, labelSchema } from "@consilium/core/study/features";
import { describe, expect, it } from "vitest";
import { binnedFeatures } from "../columns/binning.js";
import { treePredictor } from "./treePredictor.js";

const features = [
  featureSchema.parse({ name: "age", type: "numeric", min: 0, max: 4, missing: { constant: 1 } }),
  featureSchema.parse({ name: "ward", type: "categorical", levels: ["a", "b"], missing: "own-level" }),
  featureSchema.parse({ name: "bmi", type: "numeric", min: 0, max: 4, edges: [1, 3] }),
];

describe("a tree predictor", () => {
  it("says of each column what it may be, where it is cut, and what stands for a missing value", () => {
    const predictor = treePredictor({
      features,
      binned: binnedFeatures(features, 2),
      label: labelSchema.parse({ name: "died", levels: ["no", "yes"] }),
      ensemble: {
        trees: [{ nodes: [{ kind: "leaf", values: [0.5], cover: 3 }] }],
        base: [0],
        link: "margin",
      },
      derivation: "docs/methods/boosted-trees.md#cart-dps-adaboost-link",
      evaluation: null,
      isXgboost: false,
    });
    expect(predictor.inputs).toEqual([
      { name: "age", type: "numeric", min: 0, max: 4, missing: 1, edges: [2] },
      { name: "ward", type: "categorical", levels: ["a", "b", "(missing)"], missing: 2 },
      { name: "bmi", type: "numeric", min: 0, max: 4, missing: null, edges: [1, 3] },
    ]);
    expect(predictorSchema.parse(predictor)).toEqual(predictor);
  });
});
