import { randomBytes } from "node:crypto";
import { describe, expect, it } from "vitest";
import { isX25519Key, x25519, x25519Key, x25519PublicKey } from "./x25519.js";

const hex = (text: string) => new Uint8Array(Buffer.from(text, "hex"));

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
    expect(Buffer.from(x25519PublicKey(x25519Key(hex(privateKey)))).toString("hex")).toBe(publicKey);
  });

  it("agrees on the secret of the vectors, and on none with a key of low order", () => {
    const own = x25519Key(hex("77076d0a7318a57d3c16c17251b26645df4c2f87ebc0992ab177fba51db92c2a"));
    const other = hex("de9edb7d7b7dc1b4d35b61c2ece435373f8343c85b78674dadfc7e146f882b4f");
    expect(Buffer.from(x25519(own, other)).toString("hex")).toBe(
      "4a5d9d5ba4ce2de1728e3bf480350f25e07e21c947d19e3376f09b3c1e161742",
    );
    expect(() => x25519(own, new Uint8Array(32))).toThrow();
    expect(() => x25519(own, other.subarray(1))).toThrow(RangeError);
    expect(() => x25519Key(new Uint8Array(31))).toThrow(RangeError);
  });

  it("knows beforehand which public keys it can seal for", () => {
    expect(isX25519Key(x25519PublicKey(x25519Key(randomBytes(32))))).toBe(true);
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
      expect(isX25519Key(hex(text)), text).toBe(false);
      const high = hex(text);
      high[31]! |= 0x80;
      expect(isX25519Key(high), `${text}, top bit`).toBe(false);
    }
    for (const length of [0, 31, 33]) expect(isX25519Key(new Uint8Array(length).fill(9))).toBe(false);
  });
});
