import { createHash } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import * as inBrowser from "./nodeCrypto.js";

const ofNode = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex");

describe("node:crypto in a page", () => {
  it("matches Node's SHA-256 for any split of the bytes", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 400 }), fc.array(fc.nat({ max: 400 })), (bytes, cuts) => {
        const hash = inBrowser.createHash("sha256");
        const places = [
          0,
          ...cuts.map((cut) => Math.min(cut, bytes.length)).sort((a, b) => a - b),
          bytes.length,
        ];
        for (let i = 1; i < places.length; i++) hash.update(bytes.subarray(places[i - 1]!, places[i]!));
        expect(hash.digest("hex")).toBe(ofNode(bytes));
      }),
    );
    const text = "größer als ε";
    expect(inBrowser.createHash("sha256").update(text).digest("hex")).toBe(ofNode(Buffer.from(text)));
  });

  it("offers nothing else", () => {
    expect(() => inBrowser.createHash("sha512")).toThrow(RangeError);
    expect(() => inBrowser.randomBytes()).toThrow(RangeError);
    expect(() => inBrowser.sign()).toThrow(RangeError);
  });
});
