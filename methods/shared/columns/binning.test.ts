import { featureSchema } from "@consilium/core/study/features";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Bins, binBlock, binnedFeatures, binOf } from "./binning.js";

const numeric = (more: object) =>
  featureSchema.parse({ name: "x", type: "numeric", min: 0, max: 8, ...more });

describe("binning", () => {
  it("puts a value in the interval that its edges close from above", () => {
    const [feature] = binnedFeatures([numeric({ edges: [1, 2.5, 8] })], 2);
    expect(feature!.bins).toBe(4);
    expect([0, 0.999, 1, 2.4, 2.5, 7.9, 8].map((x) => binOf(feature!, x))).toEqual([0, 0, 1, 1, 2, 2, 3]);
  });

  it("cuts into equal widths where no edges are declared", () => {
    const [feature] = binnedFeatures([numeric({})], 4);
    expect([...feature!.edges]).toEqual([2, 4, 6]);
  });

  it("counts the edges at or below a value", () => {
    const edges = fc.uniqueArray(fc.double({ min: 0.001, max: 8, noNaN: true }), {
      minLength: 1,
      maxLength: 30,
    });
    fc.assert(
      fc.property(edges, fc.double({ min: 0, max: 8, noNaN: true }), (unsorted, x) => {
        const sorted = [...unsorted].sort((a, b) => a - b);
        const [feature] = binnedFeatures([numeric({ edges: sorted })], 2);
        expect(binOf(feature!, x)).toBe(sorted.filter((edge) => edge <= x).length);
      }),
    );
  });

  it("counts them alike where they are of equal width, at and beside every edge too", () => {
    const ends = fc.tuple(
      fc.double({ min: -1e6, max: 1e6, noNaN: true }),
      fc.double({ min: 1e-3, max: 1e6, noNaN: true }),
    );
    fc.assert(
      fc.property(
        ends,
        fc.integer({ min: 2, max: 300 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        ([min, width], bins, part) => {
          const max = min + width;
          const [feature] = binnedFeatures([numeric({ min, max })], bins);
          const edges = [...feature!.edges];
          const edge = edges[Math.floor(part * (edges.length - 1))]!;
          for (const x of [min, max, min + part * width, edge, edge - 1e-9, edge + 1e-9])
            expect(binOf(feature!, x)).toBe(edges.filter((one) => one <= x).length);
        },
      ),
    );
  });

  it("tells the same of all features from flat arrays, of any number", () => {
    const category = featureSchema.parse({ name: "c", type: "categorical", levels: ["a", "b"] });
    const ends = fc.tuple(
      fc.double({ min: -1e6, max: 1e6, noNaN: true }),
      fc.double({ min: 1e-9, max: 1e6, noNaN: true }),
    );
    const value = fc.double({ min: -2e6, max: 2e6 });
    fc.assert(
      fc.property(ends, fc.integer({ min: 2, max: 40 }), value, ([min, width], equal, any) => {
        const max = min + width;
        const edges = [min + width / 4, min + width / 2];
        const wanted = [numeric({ min, max }), category, numeric({ min, max, edges })];
        fc.pre(max > edges[1]! && edges[1]! > edges[0]! && edges[0]! > min);
        const features = binnedFeatures(wanted, equal);
        const bins = Bins.for(features);
        const beyond = [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 1e300, -1e300];
        for (const x of [min, max, ...beyond, any, ...features[0]!.edges, ...edges])
          for (const f of [0, 2]) expect(bins.of(f, x)).toBe(binOf(features[f]!, x));
        expect(bins.of(1, 1)).toBe(1);
      }),
    );
  });

  it("gives a category a bin per level, its own for missing values last", () => {
    const feature = featureSchema.parse({
      name: "c",
      type: "categorical",
      levels: ["a", "b"],
      missing: "own-level",
    });
    const binned = binnedFeatures([feature], 9);
    expect(binned[0]).toMatchObject({ kind: "nominal", bins: 3, levels: ["a", "b", "(missing)"] });
    const block = { rows: 3, columns: [Float64Array.of(2, 0, 1)], labels: null };
    expect(binBlock(block, binned)).toEqual([Uint8Array.of(2, 0, 1)]);
  });

  it("refuses edges that do not ascend between the bounds", () => {
    for (const edges of [[1, 1], [2, 1], [0, 1], [1, 8.1], []]) {
      expect(featureSchema.safeParse({ name: "x", type: "numeric", min: 0, max: 8, edges }).success).toBe(
        false,
      );
    }
  });
});
