import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import vectors from "../../vectors/fips203/ml-kem-768.json" with { type: "json" };
import { encapsulate, isKemKey, kemKey } from "./kem.js";

const unhex = (text: string) => new Uint8Array(Buffer.from(text, "hex"));
const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString("hex");
const sha = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex");

describe("ML-KEM-768", () => {
  it("has the keys and the secrets of FIPS 203's vectors", () => {
    for (const { d, z, ek, decapsulation } of vectors.keyGen) {
      const key = kemKey(unhex(d + z));
      expect(sha(key.publicKey)).toBe(ek);
      expect(isKemKey(key.publicKey)).toBe(true);
      const { ciphertext, secret } = encapsulate(key.publicKey, unhex(decapsulation.m));
      expect(sha(ciphertext)).toBe(decapsulation.c);
      expect(hex(secret)).toBe(decapsulation.k);
      expect(hex(key.decapsulate(ciphertext))).toBe(decapsulation.k);
      ciphertext[0]! ^= 1;
      expect(hex(key.decapsulate(ciphertext))).toBe(decapsulation.kOfChanged);
      for (const length of [0, 1087, 1089]) expect(() => key.decapsulate(new Uint8Array(length))).toThrow();
    }
  });

  it("encapsulates as in FIPS 203's vectors", () => {
    for (const { ek, m, c, k } of vectors.encapsulation) {
      expect(isKemKey(unhex(ek))).toBe(true);
      const { ciphertext, secret } = encapsulate(unhex(ek), unhex(m));
      expect([sha(ciphertext), hex(secret)]).toEqual([c, k]);
    }
  });

  it("takes seeds of 64 bytes and keys of 1184 with every coefficient below 3329, and no others", () => {
    expect(() => kemKey(new Uint8Array(63))).toThrow(RangeError);
    const { publicKey } = kemKey(new Uint8Array(64));
    const changed = (...bytes: [number, number][]) => {
      const copy = Uint8Array.from(publicKey);
      for (const [at, byte] of bytes) copy[at] = byte;
      return copy;
    };
    // 3328 is the greatest coefficient: 0xd00. The low and the high half of three bytes, at both ends of the vector.
    for (const at of [0, 1149]) {
      const low = (value: number) =>
        changed([at, value & 255], [at + 1, (value >> 8) | (publicKey[at + 1]! & 0xf0)]);
      const high = (value: number) =>
        changed([at + 1, (publicKey[at + 1]! & 0x0f) | ((value & 15) << 4)], [at + 2, value >> 4]);
      for (const half of [low, high]) {
        expect(isKemKey(half(3328))).toBe(true);
        expect(isKemKey(half(3329))).toBe(false);
        expect(() => encapsulate(half(3329), new Uint8Array(32))).toThrow();
      }
    }
    expect(isKemKey(changed([1152, 255], [1183, 255]))).toBe(true);
    for (const length of [0, 1183, 1185]) expect(isKemKey(new Uint8Array(length))).toBe(false);
  });
});
