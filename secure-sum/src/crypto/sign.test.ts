import { createPrivateKey } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { generateSigningKey, rawPublicKey, signMessage, verifyMessage } from "./sign.js";

const hex = (text: string) => new Uint8Array(Buffer.from(text, "hex"));

describe("Ed25519, RFC 8032 section 7.1", () => {
  it.each([
    {
      name: "TEST 1",
      secret: "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60",
      publicKey: "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a",
      message: "",
      signature:
        "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b",
    },
    {
      name: "TEST 2",
      secret: "4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb",
      publicKey: "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c",
      message: "72",
      signature:
        "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00",
    },
  ])("$name", ({ secret, publicKey, message, signature }) => {
    // RFC 8410: PKCS#8 of an Ed25519 key is this prefix and the seed.
    const der = Buffer.concat([Buffer.from("302e020100300506032b657004220420", "hex"), hex(secret)]);
    const key = createPrivateKey({ key: der, format: "der", type: "pkcs8" });
    expect(Buffer.from(rawPublicKey(key)).toString("hex")).toBe(publicKey);
    expect(Buffer.from(signMessage(key, hex(message))).toString("hex")).toBe(signature);
    expect(verifyMessage(hex(publicKey), hex(message), hex(signature))).toBe(true);
  });
});

describe("verifyMessage", () => {
  it("refuses any changed bit, and never throws", () => {
    const { publicKey, privateKey } = generateSigningKey();
    const message = new Uint8Array([1, 2, 3]);
    const signature = signMessage(privateKey, message);
    fc.assert(
      fc.property(fc.nat(63), fc.nat(7), (byte, bit) => {
        const changed = Uint8Array.from(signature);
        changed[byte]! ^= 1 << bit;
        expect(verifyMessage(publicKey, message, changed)).toBe(false);
      }),
    );
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 80 }), fc.uint8Array({ maxLength: 80 }), (key, garbage) => {
        expect(verifyMessage(key, message, garbage)).toBe(false);
      }),
    );
  });
});
