import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { hostileTexts } from "../testing/hostileTexts.js";
import { utf8Of } from "./bytes.js";
import { canonicalDepthMax, canonicalJson, readCanonicalBytes, readCanonicalJson } from "./canonicalJson.js";

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

describe("readCanonicalJson", () => {
  it("reads what canonicalJson writes, and the text is the one of what was read", () => {
    const isPortable = (text: string) => !text.includes("\\ud") && !text.includes("__proto__");
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6, stringUnit: "binary" }), (value) => {
        const text = canonicalJson(value);
        const read = readCanonicalJson(text);
        if (isPortable(text)) expect(read).toEqual({ ok: true, value: JSON.parse(text) });
        if (read.ok) expect(canonicalJson(read.value)).toBe(text);
      }),
      { numRuns: 1_000 },
    );
  });

  it("never throws, and accepts no text but the one of what it reads", () => {
    const fixed = (text: string) => {
      const read = readCanonicalJson(text);
      if (read.ok) expect(canonicalJson(read.value)).toBe(text);
      else expect(["not JSON", "not in canonical form"]).toContain(read.error);
    };
    const pieces = [
      "{",
      "}",
      "[",
      "]",
      ":",
      ",",
      '"',
      "\\",
      "\\u",
      "d800",
      "-0",
      "0",
      "1e400",
      "1E1",
      "null",
      "a",
      " ",
    ];
    fc.assert(fc.property(fc.string({ unit: "binary" }), fixed), { numRuns: 1_000 });
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...pieces), { maxLength: 40 }), (all) => fixed(all.join(""))),
      { numRuns: 5_000 },
    );
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 60 }), (bytes) => {
        const read = readCanonicalBytes(bytes);
        if (read.ok) expect(utf8Of(canonicalJson(read.value))).toEqual(bytes);
      }),
      { numRuns: 2_000 },
    );
  });

  it.each(hostileTexts(canonicalJson({ a: "text", b: [7, { c: "more" }] })))("refuses $name", ({ text }) => {
    expect(readCanonicalJson(text).ok).toBe(false);
    // Half a pair has no form in UTF-8: what comes of it is another text.
    const bytes = utf8Of(text);
    if (new TextDecoder().decode(bytes) === text) expect(readCanonicalBytes(bytes).ok).toBe(false);
  });

  it("reads 64 levels and refuses 65, whatever stands in texts", () => {
    const levels = (n: number) => "[".repeat(n) + JSON.stringify('[{\\"'.repeat(100)) + "]".repeat(n);
    expect(readCanonicalJson(levels(canonicalDepthMax)).ok).toBe(true);
    expect(readCanonicalJson(levels(canonicalDepthMax + 1))).toEqual({
      ok: false,
      error: "not in canonical form",
    });
    expect(readCanonicalJson("[[],".repeat(40)).ok).toBe(false);
    expect(readCanonicalJson(`[${Array(100).fill("[]").join(",")}]`).ok).toBe(true);
  });

  it("refuses bytes that are not UTF-8, and a byte order mark", () => {
    expect(readCanonicalBytes(Uint8Array.of(0x22, 0xff, 0x22)).ok).toBe(false);
    expect(readCanonicalBytes(Uint8Array.of(0x22, 0xed, 0xa0, 0x80, 0x22)).ok).toBe(false);
    expect(readCanonicalBytes(Uint8Array.of(0xef, 0xbb, 0xbf, 0x31)).ok).toBe(false);
    expect(readCanonicalBytes(Uint8Array.of(0x31)).ok).toBe(true);
  });
});
