import { describe, expect, it } from "vitest";
import type { Figure } from "./figures.js";
import type { TreePredictor } from "./predictor.js";
import { shownFigures } from "./shownFigures.js";

const predictor: TreePredictor = {
  kind: "trees",
  inputs: [
    { name: "radius", type: "numeric", min: 0, max: 40, missing: null, edges: [10, 16.23456] },
    { name: "sex", type: "categorical", levels: ["female", "male"], missing: null },
  ],
  label: { name: "diagnosis", levels: ["benign", "malignant"] },
  trees: [
    {
      nodes: [
        { kind: "split", feature: 0, cut: 1, gain: 1, cover: 100, left: 1, right: 2 },
        { kind: "leaf", values: [-0.4], cover: 60 },
        { kind: "split", feature: 1, cut: 1, gain: 1, cover: 40, left: 3, right: 4 },
        { kind: "leaf", values: [0.7], cover: 25 },
        { kind: "leaf", values: [0], cover: 15 },
      ],
    },
  ],
  base: [0],
  link: "logistic",
  probability: { derivation: "made up", calibration: null },
  isXgboost: false,
};
const tree: Figure = { kind: "tree", name: "tree-1", title: "The first tree", tree: 0 };

describe("shownFigures", () => {
  it("puts a tree's questions and the class of its leaves into words", () => {
    const [shown] = shownFigures([tree], predictor);
    expect(shown).toMatchObject({
      kind: "tree",
      nodes: [
        { column: "radius", condition: "< 16.23", yes: 1, no: 2 },
        { leansTo: "benign" },
        { column: "sex", condition: "is male" },
        { leansTo: "malignant" },
        { leansTo: "benign" },
      ],
    });
  });

  it("names the levels of a set, the first eight of a long one", () => {
    const wards = Array.from({ length: 12 }, (_, i) => `ward ${i}`);
    const condition = (cut: number[]) => {
      const { nodes } = predictor.trees[0]!;
      const changed: TreePredictor = {
        ...predictor,
        inputs: [predictor.inputs[0]!, { name: "ward", type: "categorical", levels: wards, missing: null }],
        trees: [{ nodes: nodes.map((node, n) => (n === 2 ? { ...node, cut } : node)) }],
      };
      const [shown] = shownFigures([tree], changed);
      return (shown as { nodes: { condition: string }[] }).nodes[2]!.condition;
    };
    expect(condition([3])).toBe("is ward 3");
    expect(condition([0, 4])).toBe("is one of ward 0, ward 4");
    expect(condition([0, 1, 2, 3, 4, 5, 6, 7, 9, 11])).toMatch(/^is one of ward 0, .*ward 7 and 2 more$/);
  });

  it("reads the largest value where there is one for each class", () => {
    const many: TreePredictor = {
      ...predictor,
      link: "classes",
      base: [0, 0],
      trees: [{ nodes: [{ kind: "leaf", values: [0.2, 0.8], cover: 9 }] }],
    };
    expect(shownFigures([tree], many)[0]).toMatchObject({ nodes: [{ leansTo: "malignant" }] });
    const ofOne = (values: number[]): TreePredictor => ({
      ...many,
      link: "softmax",
      trees: [{ nodes: [{ kind: "leaf", values, cover: 9 }] }],
    });
    expect(shownFigures([tree], ofOne([0, 0.3]))[0]).toMatchObject({ nodes: [{ leansTo: "malignant" }] });
    // Of a tree of one class: it speaks against it, for none of the others.
    expect(shownFigures([tree], ofOne([0, -0.3]))[0]).toMatchObject({
      nodes: [{ leansTo: "not malignant" }],
    });
  });

  it("leaves out a tree that is not there, and nothing else", () => {
    const bars: Figure = {
      kind: "bars",
      name: "importance",
      title: "Importance",
      valueLabel: "weight",
      bars: [{ label: "a", value: 1, low: null, high: null }],
    };
    expect(shownFigures([bars, tree], null)).toEqual([bars]);
  });
});
