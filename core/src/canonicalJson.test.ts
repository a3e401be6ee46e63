import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { canonicalJson } from "./canonicalJson.js";

describe("canonicalJson", () => {
  it("sorts keys by code unit and prints numbers as ECMAScript does, RFC 8785 section 3.2", () => {
    expect(canonicalJson({ b: [1e30, 4.5, 2e-3, 1e-27], a: null, "\u20ac": "\u000f\n", A: true })).toBe(
      '{"A":true,"a":null,"b":[1e+30,4.5,0.002,1e-27],"\u20ac":"\\u000f\\n"}',
    );
    expect(canonicalJson({ kept: 1, left: undefined })).toBe('{"kept":1}');
  });

  it("is the same for any order of keys, and reads back as what it was", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = canonicalJson(value);
        expect(canonicalJson(JSON.parse(text))).toBe(text);
        expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.integer()), (record) => {
        const reversed = Object.fromEntries(Object.entries(record).reverse());
        expect(canonicalJson(reversed)).toBe(canonicalJson(record));
      }),
    );
  });

  it("refuses what JSON cannot hold", () => {
    expect(() => canonicalJson(Number.NaN)).toThrow(RangeError);
    expect(() => canonicalJson({ a: 1n })).toThrow(RangeError);
    expect(() => canonicalJson([() => 1])).toThrow(RangeError);
  });
});
