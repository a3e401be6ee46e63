import { inspect } from "node:util";
import { describe, expect, it } from "vitest";
import { testRandom } from "../../testing/sum.js";
import { ExchangeKey, exchangeKeyBytes, isExchangeKey, x25519Half } from "./exchange.js";

const random = testRandom("exchange");
const [secret, other] = [random.bytes(32), random.bytes(32)];
const [a, b] = [new ExchangeKey(secret), new ExchangeKey(other)];

describe("an exchange key", () => {
  it("gives both ends the same two secrets", () => {
    expect(a.agree(b.publicKey)).toEqual(b.agree(a.publicKey));
    const { ciphertext, secret: encapsulated } = a.encapsulate(b.publicKey);
    expect(b.decapsulate(ciphertext)).toEqual(encapsulated);
    expect(encapsulated).not.toEqual(a.agree(b.publicKey));
    expect(a.decapsulate(ciphertext)).not.toEqual(encapsulated);
  });

  it("does all again from its secret: its public key, its ciphertexts, what others sent it", () => {
    const again = new ExchangeKey(Uint8Array.from(secret));
    expect(again.publicKey).toEqual(a.publicKey);
    expect(again.encapsulate(b.publicKey)).toEqual(a.encapsulate(b.publicKey));
    const { ciphertext, secret: encapsulated } = b.encapsulate(a.publicKey);
    expect(again.decapsulate(ciphertext)).toEqual(encapsulated);
    // Asked twice, it gives what it gave.
    expect(again.decapsulate(ciphertext)).toEqual(encapsulated);
  });

  it("encapsulates another secret to every key, and each sender another to one", () => {
    const c = new ExchangeKey(random.bytes(32));
    const secrets = [a.encapsulate(b.publicKey), a.encapsulate(c.publicKey), c.encapsulate(b.publicKey)];
    expect(new Set(secrets.map((one) => Buffer.from(one.secret).toString("hex"))).size).toBe(3);
  });

  it("gives another secret for a changed ciphertext, and none for one of another length", () => {
    const { ciphertext, secret: encapsulated } = a.encapsulate(b.publicKey);
    const changed = Uint8Array.from(ciphertext);
    changed[1087]! ^= 128;
    expect(b.decapsulate(changed)).not.toEqual(encapsulated);
    expect(() => b.decapsulate(ciphertext.subarray(1))).toThrow();
  });

  it("does not show its secrets", () => {
    a.encapsulate(b.publicKey);
    const shown = inspect(a, { showHidden: true, depth: 9 }) + JSON.stringify(a);
    for (const bytes of [secret, a.encapsulate(b.publicKey).secret])
      for (const text of [Buffer.from(bytes).toString("hex"), [...bytes].join()])
        expect(shown.replaceAll(/\s/g, "")).not.toContain(text);
    expect(inspect(a)).toBe("ExchangeKey {}");
  });

  it("is refused from elsewhere unless both halves are of use", () => {
    expect(isExchangeKey(a.publicKey)).toBe(true);
    const withHalf = (at: number, bytes: Uint8Array) => {
      const key = Uint8Array.from(a.publicKey);
      key.set(bytes, at);
      return key;
    };
    expect(isExchangeKey(withHalf(0, new Uint8Array(32)))).toBe(false);
    expect(isExchangeKey(withHalf(32, new Uint8Array(3).fill(255)))).toBe(false);
    for (const length of [0, 32, 1184, exchangeKeyBytes - 1])
      expect(isExchangeKey(a.publicKey.slice(0, length))).toBe(false);
    expect(isExchangeKey(new Uint8Array(exchangeKeyBytes + 1))).toBe(false);
    expect(x25519Half(a.publicKey)).toEqual(a.x25519Public);
  });
});
