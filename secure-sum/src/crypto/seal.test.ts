import { createHash } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { RandomSource } from "../random.js";
import { ExchangeKey } from "./exchange.js";
import { open, seal } from "./seal.js";

function counterRandom(seed: string): RandomSource {
  let counter = 0;
  return {
    bytes: (count) =>
      new Uint8Array(createHash("shake256", { outputLength: count }).update(`${seed}/${counter++}`).digest()),
  };
}

describe("seal and open", () => {
  const random = counterRandom("seal");
  const [a, b, c] = ["a", "b", "c"].map(() => new ExchangeKey(random.bytes(32))) as [
    ExchangeKey,
    ExchangeKey,
    ExchangeKey,
  ];
  const context = "roster\ndeal\nsite-a\nsite-b";
  const sealed = (plaintext: Uint8Array) =>
    seal({
      agreed: a.agree(b.publicKey),
      encapsulated: a.encapsulate(b.publicKey),
      context,
      plaintext,
      random,
    });
  const openedBy = (own: ExchangeKey, from: ExchangeKey, message: Uint8Array, place = context) =>
    open({ agreed: own.agree(from.publicKey), own, context: place, sealed: message });

  it("gives back what was sealed, to its receiver only", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (plaintext) => {
        const message = sealed(plaintext);
        expect(openedBy(b, a, message)).toEqual({ ok: true, value: plaintext });
        expect(openedBy(c, a, message).ok).toBe(false);
        // Neither secret does without the other.
        const half = { context, sealed: message };
        expect(open({ ...half, agreed: b.agree(a.publicKey), own: c }).ok).toBe(false);
        expect(open({ ...half, agreed: c.agree(a.publicKey), own: b }).ok).toBe(false);
      }),
      { numRuns: 30 },
    );
  });

  it("fails with SEAL_BROKEN for any changed bit, another sender, another place, or garbage", () => {
    const message = sealed(new Uint8Array([1, 2, 3, 4]));
    const from = (bytes: Uint8Array, place = context, sender = a) => {
      const result = openedBy(b, sender, bytes, place);
      return result.ok ? "opened" : result.error.code;
    };
    expect(from(message)).toBe("opened");
    // Every bit of what is sealed, and some of each part of the ciphertext before it.
    for (let bit = 0; bit < message.length * 8; bit += bit < 1080 * 8 ? 509 : 1) {
      const changed = Uint8Array.from(message);
      changed[bit >> 3]! ^= 1 << (bit & 7);
      expect(from(changed)).toBe("SEAL_BROKEN");
    }
    expect(from(message, `${context}x`)).toBe("SEAL_BROKEN");
    expect(from(message, context, c)).toBe("SEAL_BROKEN");
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 1200 }), (garbage) => {
        expect(from(garbage)).toBe("SEAL_BROKEN");
      }),
    );
  });

  it("never seals the same bytes the same way twice", () => {
    const plaintext = new Uint8Array(32);
    expect(sealed(plaintext)).not.toEqual(sealed(plaintext));
  });
});
