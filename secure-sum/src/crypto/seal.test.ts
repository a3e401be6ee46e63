import { createHash } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { RandomSource } from "../random.js";
import { exchangePublicKey, generateExchangeKey, isExchangeKey, open, seal } from "./seal.js";

const hex = (text: string) => new Uint8Array(Buffer.from(text, "hex"));

function counterRandom(seed: string): RandomSource {
  let counter = 0;
  return {
    bytes: (count) =>
      new Uint8Array(createHash("shake256", { outputLength: count }).update(`${seed}/${counter++}`).digest()),
  };
}

describe("X25519, RFC 7748 section 6.1", () => {
  it.each([
    [
      "77076d0a7318a57d3c16c17251b26645df4c2f87ebc0992ab177fba51db92c2a",
      "8520f0098930a754748b7ddcb43ef75a0dbf3a0d26381af4eba4a98eaa9b4e6a",
    ],
    [
      "5dab087e624a8a4b79e17f8b83800ee66f3bb1292618b6fd1c2f8b27ff88e0eb",
      "de9edb7d7b7dc1b4d35b61c2ece435373f8343c85b78674dadfc7e146f882b4f",
    ],
  ])("private %s has the public key of the vectors", (privateKey, publicKey) => {
    expect(Buffer.from(exchangePublicKey(hex(privateKey))).toString("hex")).toBe(publicKey);
  });
});

describe("seal and open", () => {
  const random = counterRandom("seal");
  const a = generateExchangeKey(random);
  const b = generateExchangeKey(random);
  const c = generateExchangeKey(random);
  const context = "roster\ndeal\nsite-a\nsite-b";
  const sealed = (plaintext: Uint8Array) =>
    seal({ ownPrivate: a, otherPublic: exchangePublicKey(b), context, plaintext, random });

  it("gives back what was sealed, to its receiver only", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (plaintext) => {
        const message = sealed(plaintext);
        const opened = open({ ownPrivate: b, otherPublic: exchangePublicKey(a), context, sealed: message });
        expect(opened).toEqual({ ok: true, value: plaintext });
        const stranger = open({ ownPrivate: c, otherPublic: exchangePublicKey(a), context, sealed: message });
        expect(stranger.ok).toBe(false);
      }),
      { numRuns: 30 },
    );
  });

  it("fails with SEAL_BROKEN for any changed bit, another sender, another place, or garbage", () => {
    const message = sealed(new Uint8Array([1, 2, 3, 4]));
    const from = (bytes: Uint8Array, place = context, sender = a) => {
      const result = open({
        ownPrivate: b,
        otherPublic: exchangePublicKey(sender),
        context: place,
        sealed: bytes,
      });
      return result.ok ? "opened" : result.error.code;
    };
    expect(from(message)).toBe("opened");
    for (let bit = 0; bit < message.length * 8; bit++) {
      const changed = Uint8Array.from(message);
      changed[bit >> 3]! ^= 1 << (bit & 7);
      expect(from(changed)).toBe("SEAL_BROKEN");
    }
    expect(from(message, `${context}x`)).toBe("SEAL_BROKEN");
    expect(from(message, context, c)).toBe("SEAL_BROKEN");
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 100 }), (garbage) => {
        expect(from(garbage)).toBe("SEAL_BROKEN");
      }),
    );
  });

  it("never seals the same bytes the same way twice", () => {
    const plaintext = new Uint8Array(32);
    expect(sealed(plaintext)).not.toEqual(sealed(plaintext));
  });

  it("refuses a public key of low order, whose shared secret anybody knows", () => {
    const result = open({
      ownPrivate: b,
      otherPublic: new Uint8Array(32),
      context,
      sealed: sealed(new Uint8Array(8)),
    });
    expect(result.ok).toBe(false);
    expect(() =>
      seal({ ownPrivate: a, otherPublic: new Uint8Array(32), context, plaintext: new Uint8Array(8), random }),
    ).toThrow();
  });

  it("knows beforehand which public keys it can seal for", () => {
    expect(isExchangeKey(exchangePublicKey(generateExchangeKey(counterRandom("usable"))))).toBe(true);
    // All points of small order, with the top bit set and without; RFC 7748, section 6.1, and cr.yp.to/ecdh.html.
    const small = [
      "0000000000000000000000000000000000000000000000000000000000000000",
      "0100000000000000000000000000000000000000000000000000000000000000",
      "e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800",
      "5f9c95bca3508c24b1d0b1559c83ef5b04445cc4581c8e86d8224eddd09f1157",
      "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
      "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
      "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    ];
    for (const text of small) {
      expect(isExchangeKey(hex(text)), text).toBe(false);
      const high = hex(text);
      high[31]! |= 0x80;
      expect(isExchangeKey(high), `${text}, top bit`).toBe(false);
    }
    for (const length of [0, 31, 33]) expect(isExchangeKey(new Uint8Array(length).fill(9))).toBe(false);
  });
});
