import { describe, expect, it } from "vitest";
import { broadcastBytes, broadcastValues } from "./broadcast.js";
import { designColumns, designWidth } from "./design.js";
import { type Feature, featureSchema, levelsOf, missingLevel } from "./features.js";

const features: Feature[] = [
  featureSchema.parse({ name: "a", type: "numeric", min: -1, max: 1 }),
  featureSchema.parse({ name: "sex", type: "categorical", levels: ["f", "m"], missing: "own-level" }),
  featureSchema.parse({ name: "b", type: "numeric", min: 0, max: 5 }),
];

describe("the design matrix", () => {
  it("has a column per number and per level, a missing value's own level last", () => {
    expect(designColumns(features)).toEqual([
      { name: "a", feature: 0, level: null, min: -1, max: 1 },
      { name: "sex=f", feature: 1, level: 0, min: 0, max: 1 },
      { name: "sex=m", feature: 1, level: 1, min: 0, max: 1 },
      { name: `sex=${missingLevel}`, feature: 1, level: 2, min: 0, max: 1 },
      { name: "b", feature: 2, level: null, min: 0, max: 5 },
    ]);
    expect(designWidth(features)).toBe(5);
    expect(
      features.map((feature) => (feature.type === "categorical" ? levelsOf(feature).length : 0)),
    ).toEqual([0, 3, 0]);
  });
});

describe("a broadcast", () => {
  it("is float64, little-endian, bit for bit", () => {
    const values = Float64Array.of(
      1,
      -0,
      Number.MIN_VALUE,
      Number.MAX_VALUE,
      Number.NaN,
      Number.NEGATIVE_INFINITY,
    );
    const bytes = broadcastBytes(values);
    expect([...bytes.subarray(0, 8)]).toEqual([0, 0, 0, 0, 0, 0, 0xf0, 0x3f]);
    const framed = new Uint8Array(3 + bytes.length);
    framed.set(bytes, 3);
    const read = broadcastValues(framed.subarray(3));
    expect(read.length).toBe(6);
    expect([...read].map((value, i) => Object.is(value, values[i]))).toEqual(Array(6).fill(true));
    expect(broadcastValues(new Uint8Array())).toEqual(new Float64Array());
    expect(() => broadcastValues(new Uint8Array(9))).toThrow(RangeError);
  });
});
