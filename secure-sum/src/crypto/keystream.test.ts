import { createCipheriv } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { RingVector } from "../ring.js";
import { addMasks, deriveKey } from "./keystream.js";

const addKeystream = (vector: RingVector, key: Uint8Array, sign: 1 | -1) => addMasks(vector, [{ key, sign }]);

describe("addMasks, one mask", () => {
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

  it("continues over block borders as one stream", () => {
    const long = new BigUint64Array(20_000);
    addKeystream(long, new Uint8Array(32).fill(7), 1);
    const short = new BigUint64Array(9_000);
    addKeystream(short, new Uint8Array(32).fill(7), 1);
    expect(long.subarray(0, 9_000)).toEqual(short);
    expect(new Set(long).size).toBe(20_000);
  });
});

describe("addMasks, a part of a vector", () => {
  it("continues the keystream where the part begins", () => {
    const whole = new Uint32Array(40_000);
    addKeystream(whole, new Uint8Array(32).fill(7), 1);
    for (const from of [0, 4, 16_384, 39_996]) {
      const part = new Uint32Array(whole.length - from);
      addMasks(part, [{ key: new Uint8Array(32).fill(7), sign: 1 }], 4 * from);
      expect(part).toEqual(whole.subarray(from));
    }
  });

  it("refuses a part that begins within a block of the cipher", () => {
    const masks = [{ key: new Uint8Array(32), sign: 1 as const }];
    for (const from of [4, 8, 15])
      expect(() => addMasks(new Uint32Array(4), masks, from)).toThrow(RangeError);
    expect(() => addMasks(new Uint32Array(4), masks, 16)).not.toThrow();
  });
});

describe("addMasks", () => {
  const keyOf = (i: number) => new Uint8Array(32).fill(i + 1);

  /** The keystream one entry at a time, as the definition has it. */
  function reference(
    bytesPerElement: 4 | 8,
    length: number,
    masks: readonly { key: Uint8Array; sign: 1 | -1 }[],
  ) {
    const modulus = 1n << BigInt(8 * bytesPerElement);
    const sum = Array.from({ length }, () => 0n);
    for (const { key, sign } of masks) {
      const cipher = createCipheriv("aes-256-ctr", key, Buffer.alloc(16));
      const stream = cipher.update(Buffer.alloc(length * bytesPerElement));
      for (let i = 0; i < length; i++) {
        const word =
          bytesPerElement === 4 ? BigInt(stream.readUInt32LE(4 * i)) : stream.readBigUInt64LE(8 * i);
        sum[i] = (sum[i]! + BigInt(sign) * word + modulus) % modulus;
      }
    }
    return sum;
  }

  it("adds and takes away as many as there are, in both widths, over block borders", () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom(1 as const, -1 as const), { maxLength: 11 }),
        fc.constantFrom(0, 1, 3, 8_191, 8_192, 8_193, 16_384, 16_385, 20_001),
        (signs, length) => {
          const masks = signs.map((sign, i) => ({ key: keyOf(i), sign }));
          const narrow = new Uint32Array(length);
          addMasks(narrow, masks);
          expect([...narrow].map(BigInt)).toEqual(reference(4, length, masks));
          const wide = new BigUint64Array(length);
          addMasks(wide, masks);
          expect([...wide]).toEqual(reference(8, length, masks));
        },
      ),
      { numRuns: 25 },
    );
  });

  it("touches nothing but the vector, wherever it lies in its buffer", () => {
    const whole = new Uint32Array(40_000);
    addMasks(whole.subarray(7, 30_007), [{ key: keyOf(0), sign: 1 }]);
    expect(whole.subarray(0, 7).every((entry) => entry === 0)).toBe(true);
    expect(whole.subarray(30_007).every((entry) => entry === 0)).toBe(true);
    const alone = new Uint32Array(30_000);
    addMasks(alone, [{ key: keyOf(0), sign: 1 }]);
    expect(whole.subarray(7, 30_007)).toEqual(alone);
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
