import { createHash } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { maxShares } from "../parameters.js";
import type { RandomSource } from "../random.js";
import { type Share, splitSecret } from "./shamir.js";
import { interpolate } from "./shamirJoin.js";

const joinSecret = (shares: readonly Share[]) => interpolate(0, shares);

function counterRandom(seed: string): RandomSource {
  let counter = 0;
  return {
    bytes: (count) =>
      new Uint8Array(createHash("shake256", { outputLength: count }).update(`${seed}/${counter++}`).digest()),
  };
}

describe("splitSecret and the interpolation at 0", () => {
  it("give the secret back from any threshold of shares, in any order", () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ minLength: 1, maxLength: 40 }),
        fc.integer({ min: 1, max: 40 }),
        fc.integer({ min: 0, max: 39 }),
        fc.string(),
        (secret, count, below, seed) => {
          const threshold = Math.max(1, count - below);
          const shares = splitSecret(secret, { count, threshold, random: counterRandom(seed) });
          const chosen = shares
            .map((share) => ({
              share,
              order: createHash("sha256")
                .update(seed + share.index)
                .digest("hex"),
            }))
            .sort((a, b) => (a.order < b.order ? -1 : 1))
            .slice(0, threshold)
            .map(({ share }) => share);
          expect(joinSecret(chosen)).toEqual(secret);
          expect(joinSecret(shares)).toEqual(secret);
        },
      ),
    );
  });

  it("say nothing below the threshold: every secret fits the shares equally often", () => {
    // One share of two, for each of the 256 coefficients: the share takes every value once, whatever the secret.
    for (const secret of [0, 1, 77, 255]) {
      const seen = new Set<number>();
      for (let coefficient = 0; coefficient < 256; coefficient++) {
        const random = { bytes: () => Uint8Array.of(coefficient) };
        seen.add(splitSecret(Uint8Array.of(secret), { count: 2, threshold: 2, random })[0]!.bytes[0]!);
      }
      expect(seen.size).toBe(256);
    }
  });

  it("work in the field of AES: 0x57 · 0x83 = 0xc1, FIPS 197 section 4.2", () => {
    // With one coefficient a, the share at index x of secret 0 is a·x.
    const random = { bytes: () => Uint8Array.of(0x57) };
    const shares = splitSecret(Uint8Array.of(0), { count: maxShares, threshold: 2, random });
    expect(shares[0x83 - 1]!.bytes[0]).toBe(0xc1);
    expect(shares[0x13 - 1]!.bytes[0]).toBe(0xfe);
  });

  it("refuse invalid arguments", () => {
    const random = counterRandom("x");
    const secret = new Uint8Array(4);
    expect(() => splitSecret(secret, { count: 256, threshold: 2, random })).toThrow(RangeError);
    expect(() => splitSecret(secret, { count: 3, threshold: 4, random })).toThrow(RangeError);
    expect(() => splitSecret(secret, { count: 3, threshold: 0, random })).toThrow(RangeError);
    const [a, b] = splitSecret(secret, { count: 3, threshold: 2, random });
    expect(() => joinSecret([])).toThrow(RangeError);
    expect(() => joinSecret([a!, a!])).toThrow(RangeError);
    expect(() => joinSecret([a!, { index: 0, bytes: b!.bytes }])).toThrow(RangeError);
    expect(() => joinSecret([a!, { index: 2, bytes: new Uint8Array(3) }])).toThrow(RangeError);
  });

  it("say which share a site should hold, from any threshold of the others", () => {
    const random = counterRandom("at");
    const secret = random.bytes(32);
    const shares = splitSecret(secret, { count: 20, threshold: 7, random });
    for (const { index, bytes } of shares) {
      expect(interpolate(index, shares.slice(3, 10))).toEqual(bytes);
      expect(interpolate(index, shares.slice(12, 19))).toEqual(bytes);
    }
    expect(interpolate(0, shares.slice(12, 19))).toEqual(secret);
    // They may come in another order.
    expect(interpolate(0, shares.slice(12, 19).toReversed())).toEqual(secret);
    expect(interpolate(0, shares.slice(12, 18))).not.toEqual(secret);
  });
});
