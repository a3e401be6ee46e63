import { classOf, leafOf, outputsOf, type Split } from "@consilium/core/learning/trees/tree";
import { plainKernels } from "@consilium/core/linalg/plain";
import { featureSchema } from "@consilium/core/study/features";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { addToHistogram } from "../../testing/trees/addToHistogram.js";
import { binnedFeatures } from "../columns/binning.js";
import {
  binsOf,
  fullLayout,
  type HistogramWeights,
  histogramLayout,
  levelHistogram,
  noNode,
} from "./histograms.js";
import { decodeSplits, descend, encodeSplits, type LevelSplits, treeOfLevels } from "./levels.js";

const features = binnedFeatures(
  [
    featureSchema.parse({ name: "x", type: "numeric", min: 0, max: 4 }),
    featureSchema.parse({ name: "c", type: "categorical", levels: ["a", "b", "c"] }),
  ],
  4,
);
const kinds = features.map(({ kind }) => kind);
const split: fc.Arbitrary<Split | null> = fc.oneof(
  fc.constant(null),
  fc.record({ feature: fc.constant(0), cut: fc.nat(2) }),
  fc.record({ feature: fc.constant(1), cut: fc.nat(2) }),
);
const levels = (depth: number): fc.Arbitrary<LevelSplits[]> =>
  fc.tuple(
    ...Array.from({ length: depth }, (_, l) => fc.array(split, { minLength: 2 ** l, maxLength: 2 ** l })),
  );

describe("trees by levels", () => {
  it("come to the same leaf as the tree that they make", () => {
    fc.assert(
      fc.property(levels(3), fc.array(fc.tuple(fc.nat(3), fc.nat(2)), { maxLength: 20 }), (grown, rows) => {
        const bins = [0, 1].map((f) => Uint16Array.from(rows, (row) => row[f]!));
        const nodes = new Uint16Array(rows.length);
        for (const level of grown) descend(nodes, level, features, bins);
        const tree = treeOfLevels(
          grown,
          () => ({ gain: 1, cover: 1 }),
          (node) => ({ values: [node], cover: 1 }),
        );
        rows.forEach((row, r) => {
          expect(leafOf(tree, kinds, (f) => row[f]!).values).toEqual([nodes[r]!]);
        });
      }),
    );
  });

  it("travel as pairs of feature and cut", () => {
    fc.assert(
      fc.property(levels(3), (grown) => {
        for (const level of grown) expect(decodeSplits(encodeSplits(level), features)).toEqual(level);
      }),
    );
  });

  it("are refused where they ask for what is not there", () => {
    for (const values of [
      [2, 0],
      [0, 3],
      [1, 3],
      [0, 0.5],
      [-1, 0],
      [0, -1],
      [Number.NaN, 0],
      [0.5, 0],
      [0],
    ]) {
      expect(() => decodeSplits(Float64Array.from(values), features)).toThrow(RangeError);
    }
  });
});

describe("an ensemble", () => {
  const leaf = (value: number) => ({ nodes: [{ kind: "leaf" as const, values: [value], cover: 1 }] });

  it("adds its leaves to its base", () => {
    const ensemble = { trees: [leaf(0.25), leaf(-1)], base: [0.5], link: "margin" as const };
    const outputs = outputsOf(ensemble, kinds, () => 0);
    expect([...outputs]).toEqual([-0.25]);
    expect(classOf(outputs, "margin")).toBe(0);
  });

  it("takes the first of the largest outputs", () => {
    expect(classOf(Float64Array.of(0, 2, 2), "classes")).toBe(1);
    expect(classOf(Float64Array.of(-3, -1, -2), "softmax")).toBe(1);
    expect(classOf(Float64Array.of(0), "logistic")).toBe(0);
  });
});

describe("a level's histogram", () => {
  it("counts every row once in each feature of its node, whatever the blocks", () => {
    const row = fc.record({
      node: fc.constantFrom(0, 1, noNode),
      bins: fc.tuple(fc.nat(3), fc.nat(2)),
      label: fc.nat(1),
      weight: fc.nat(16),
    });
    fc.assert(
      fc.property(fc.array(row, { maxLength: 40 }), fc.nat(40), (rows, at) => {
        const layout = histogramLayout(features, [[1], [0, 1]], 2);
        const sums = new Float64Array(layout.length);
        for (const part of [rows.slice(0, at), rows.slice(at)]) {
          addToHistogram(sums, layout, {
            nodes: Uint16Array.from(part, ({ node }) => node),
            bins: [0, 1].map((f) => Uint16Array.from(part, ({ bins }) => bins[f]!)),
            weights: {
              kind: "classes",
              classes: Uint16Array.from(part, ({ label }) => label),
              weights: Float64Array.from(part, ({ weight }) => weight),
            },
          });
        }
        const expected = (node: number, feature: number, bin: number, label: number) =>
          rows
            .filter((one) => one.node === node && one.bins[feature] === bin && one.label === label)
            .reduce((sum, { weight }) => sum + weight, 0);
        layout.nodeFeatures.forEach((asked, node) => {
          asked.forEach((feature, position) => {
            binsOf(sums, layout, node, position).forEach((sum, i) => {
              expect(sum).toBe(expected(node, feature, i >> 1, i & 1));
            });
          });
        });
      }),
    );
  });

  it("adds a value to every channel where rows carry one for each", () => {
    const layout = fullLayout(features.slice(0, 1), 1, 2);
    const sums = new Float64Array(layout.length);
    const values = Float64Array.of(1, 10, 2, 20);
    addToHistogram(sums, layout, {
      nodes: Uint16Array.of(0, 0),
      bins: [Uint16Array.of(3, 3)],
      weights: { kind: "values", values },
    });
    expect([...binsOf(sums, layout, 0, 0)]).toEqual([0, 0, 0, 0, 0, 0, 3, 30]);
  });

  it.each<HistogramWeights>([
    { kind: "classes", classes: Uint16Array.of(0, 1, 1), weights: Float64Array.of(1, 2, 4) },
    { kind: "values", values: Float64Array.of(1, 10, 2, 20, 4, 40) },
  ])("is the same on the kernels, for $kind", async (weights) => {
    const layout = histogramLayout(features, [[1], [1, 0]], 2);
    const bins = [Uint8Array.of(3, 0, 2), Uint8Array.of(2, 1, 1)];
    const rows = { nodes: Uint16Array.of(0, 1, 1), bins, weights };
    const expected = new Float64Array(layout.length);
    addToHistogram(expected, layout, rows);
    const sums = levelHistogram(plainKernels(), layout, weights.kind);
    await sums.add(rows);
    expect(await sums.finish()).toEqual(expected);
  });
});
