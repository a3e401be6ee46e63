import { goesLeft, levelSetFault, type Split, singleCut } from "@consilium/core/learning/trees/tree";
import { featureSchema } from "@consilium/core/study/features";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { binnedFeatures } from "../columns/binning.js";
import { descend } from "./levels.js";
import { decodeSetSplits, encodeSetSplits, setSplitsLength, setWords } from "./setSplits.js";

const levels = Array.from({ length: 70 }, (_, level) => `level ${level}`);
const features = binnedFeatures(
  [
    featureSchema.parse({ name: "x", type: "numeric", min: 0, max: 4 }),
    featureSchema.parse({ name: "c", type: "categorical", levels: ["a", "b", "c"] }),
    featureSchema.parse({ name: "wide", type: "categorical", levels }),
  ],
  4,
);

const set = (feature: number, count: number): fc.Arbitrary<Split> =>
  fc
    .uniqueArray(fc.nat(count - 1), { minLength: 1, maxLength: count - 1 })
    .map((chosen) => ({ feature, cut: chosen.sort((a, b) => a - b) }));
const split: fc.Arbitrary<Split | null> = fc.oneof(
  fc.constant(null),
  fc.record({ feature: fc.constant(0), cut: fc.nat(2) }),
  set(1, 3),
  set(2, 70),
);

describe("splits by sets of levels", () => {
  it("travel in numbers of planned length, and come back as they were", () => {
    expect(setWords(features)).toBe(3);
    expect(setWords(features.slice(0, 1))).toBe(1);
    fc.assert(
      fc.property(fc.array(split, { maxLength: 8 }), (level) => {
        const told = encodeSetSplits(level, features);
        expect(told).toHaveLength(setSplitsLength(features, level.length));
        expect(decodeSetSplits(told, features)).toEqual(level);
      }),
    );
  });

  it("send the levels of the set left, all others right, in a tree and in a level", () => {
    fc.assert(
      fc.property(set(2, 70), (one) => {
        const nodes = new Uint16Array(70);
        const bins = [new Uint8Array(70), new Uint8Array(70), Uint8Array.from(levels.keys())];
        descend(nodes, [one], features, bins);
        const left = [...levels.keys()].filter((level) => goesLeft(one, "nominal", level));
        expect(left).toEqual(one.cut);
        expect([...nodes]).toEqual([...levels.keys()].map((level) => (left.includes(level) ? 0 : 1)));
      }),
    );
  });

  it("are refused where they ask for what is not there", () => {
    const decoded = (...values: number[]) => {
      return () => decodeSetSplits(Float64Array.from(values), features);
    };
    expect(decoded(0, 2, 0, 0)).not.toThrow();
    expect(decoded(1, 3, 0, 0)).not.toThrow();
    expect(decoded(2, 2 ** 32 - 1, 0, 63)).not.toThrow();
    for (const values of [
      // A cut without a bin, or with more words than it needs.
      [0, 3, 0, 0],
      [0, 0.5, 0, 0],
      [0, 1, 1, 0],
      // No level, every level, a level too many.
      [1, 0, 0, 0],
      [1, 7, 0, 0],
      [1, 8, 0, 0],
      [2, 2 ** 32 - 1, 2 ** 32 - 1, 63],
      [2, 1, 0, 64],
      // No words.
      [1, 0.5, 0, 0],
      [2, 2 ** 32, 0, 0],
      [2, -1, 0, 0],
      [1, Number.NaN, 0, 0],
      // No feature.
      [3, 1, 0, 0],
      [-1, 0, 0, 0],
      [-1, -1, -1, 0],
      [Number.NaN, 1, 0, 0],
      [1, 3],
    ]) {
      expect(decoded(...values), String(values)).toThrow(RangeError);
    }
  });

  it("are no single cut", () => {
    expect(singleCut({ feature: 0, cut: 2 })).toBe(2);
    expect(() => singleCut({ feature: 1, cut: [2] })).toThrow("a set of levels");
    expect(levelSetFault([0, 2], 3)).toBeNull();
    expect(levelSetFault([2, 0], 3)).toContain("not ascending");
  });
});
