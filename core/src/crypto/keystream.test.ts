import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { addKeystream, deriveKey } from "./keystream.js";

describe("addKeystream", () => {
  it("is AES-256-CTR from counter zero: E(0), E(1) and E(2) under the zero key, GCM specification, test cases 13 and 14", () => {
    const vector = new BigUint64Array(6);
    addKeystream(vector, new Uint8Array(32), 1);
    const bytes = Buffer.alloc(48);
    vector.forEach((entry, i) => {
      bytes.writeBigUInt64LE(entry, i * 8);
    });
    expect(bytes.toString("hex")).toBe(
      "dc95c078a2408989ad48a21492842087" +
        "530f8afbc74536b9a963b4f1c4cb738b" +
        "cea7403d4d606b6e074ec5d3baf39d18",
    );
  });

  it("takes away what it added, whatever the length and contents", () => {
    fc.assert(
      fc.property(
        fc.bigUint64Array({ maxLength: 20_000 }),
        fc.uint8Array({ minLength: 32, maxLength: 32 }),
        (before, key) => {
          const vector = BigUint64Array.from(before);
          addKeystream(vector, key, 1);
          addKeystream(vector, key, -1);
          expect(vector).toEqual(before);
        },
      ),
      { numRuns: 20 },
    );
  });

  it("goes on over block borders as one stream", () => {
    const long = new BigUint64Array(20_000);
    addKeystream(long, new Uint8Array(32).fill(7), 1);
    const short = new BigUint64Array(9_000);
    addKeystream(short, new Uint8Array(32).fill(7), 1);
    expect(long.subarray(0, 9_000)).toEqual(short);
    expect(new Set(long).size).toBe(20_000);
  });
});

describe("deriveKey", () => {
  it("gives each purpose a key of its own, always the same", () => {
    const secret = new Uint8Array(32).fill(1);
    expect(deriveKey(secret, "a")).toEqual(deriveKey(secret, "a"));
    expect(deriveKey(secret, "a")).not.toEqual(deriveKey(secret, "b"));
    expect(deriveKey(new Uint8Array(32), "a")).not.toEqual(deriveKey(secret, "a"));
    expect(() => deriveKey(new Uint8Array(16), "a")).toThrow(RangeError);
  });
});
