import { createHash } from "node:crypto";
import fc from "fast-check";
import { expect, it } from "vitest";
import { hexOf, Sha256 } from "./sha256.js";

const ofNode = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex");

it("is SHA-256, however the bytes are cut", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 400 }), fc.array(fc.nat({ max: 400 })), (bytes, cuts) => {
      const hash = new Sha256();
      const places = [
        0,
        ...cuts.map((cut) => Math.min(cut, bytes.length)).sort((a, b) => a - b),
        bytes.length,
      ];
      for (let i = 1; i < places.length; i++) hash.update(bytes.subarray(places[i - 1]!, places[i]!));
      expect(hexOf(hash.digest())).toBe(ofNode(bytes));
    }),
  );
  for (const length of [0, 55, 56, 63, 64, 65, 119, 120, 1_000_000]) {
    const bytes = new Uint8Array(length).map((_, at) => at % 253);
    expect([length, hexOf(new Sha256().update(bytes).digest())]).toEqual([length, ofNode(bytes)]);
  }
});
