import { inspect } from "node:util";
import { parseSha256, parseSiteId } from "@consilium/core/ids";
import { unwrap } from "@consilium/core/result";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { osRandom } from "../random.js";
import { createInvitation, parseInvitation, secretHash } from "./invitation.js";

const now = Date.UTC(2030, 0, 1);
const rootFingerprint = unwrap(parseSha256("ab".repeat(32)));
const siteId = unwrap(parseSiteId("clinic-1"));

function invite(changes: Partial<Parameters<typeof createInvitation>[0]> = {}) {
  return createInvitation({
    address: "aggregator.example.org:7443",
    rootFingerprint,
    siteId,
    expiresAt: now + 3_600_000,
    random: osRandom,
    ...changes,
  });
}

function codeOf(text: string, at = now) {
  const result = parseInvitation(text, at);
  return result.ok ? "ok" : result.error.code;
}

function handMade(payload: unknown): string {
  return `cns1.${Buffer.from(JSON.stringify(payload)).toString("base64url")}`;
}

describe("an invitation", () => {
  it("is read back, and its secret hashes to what the aggregator stored", () => {
    const { token, secretHash: stored } = invite();
    const read = unwrap(parseInvitation(token, now));
    expect(read).toMatchObject({
      address: "aggregator.example.org:7443",
      rootFingerprint,
      siteId: "clinic-1",
      expiresAt: now + 3_600_000,
    });
    expect(read.secret.reveal().length).toBe(32);
    expect(secretHash(read.secret.reveal())).toBe(stored);
    expect(token).toMatch(/^cns1\.[A-Za-z0-9_-]{200,400}$/);
  });

  it("carries the addresses of standbys, and is otherwise what earlier versions read", () => {
    const payload = (token: string) =>
      JSON.parse(Buffer.from(token.slice("cns1.".length), "base64url").toString()) as object;
    expect(Object.keys(payload(invite({ standbys: [] }).token))).toEqual(["a", "f", "s", "k", "e"]);
    const { token } = invite({ standbys: ["second.example.org:7443", "192.0.2.7:443"] });
    const { standbys } = unwrap(parseInvitation(token, now));
    expect(standbys).toEqual(["second.example.org:7443", "192.0.2.7:443"]);
    expect(codeOf(handMade({ ...payload(token), b: ["no address"] }))).toBe("TOKEN_INVALID");
    expect(codeOf(handMade({ ...payload(token), b: Array(4).fill("a.example.org:1") }))).toBe(
      "TOKEN_INVALID",
    );
    expect(codeOf(handMade(payload(token)))).toBe("ok");
  });

  it("survives line breaks and spaces around it", () => {
    const { token } = invite();
    expect(codeOf(`  ${token.slice(0, 76)}\r\n${token.slice(76)}\n`)).toBe("ok");
  });

  it("has another secret each time and never shows it", () => {
    const [a, b] = [invite(), invite()];
    expect(a.secretHash).not.toBe(b.secretHash);
    const read = unwrap(parseInvitation(a.token, now));
    const hidden = Buffer.from(read.secret.reveal()).toString("base64url");
    expect(inspect(read, { depth: 9, showHidden: true }) + JSON.stringify(read)).not.toContain(hidden);
  });

  it("expires", () => {
    const { token } = invite();
    expect(codeOf(token, now + 3_599_999)).toBe("ok");
    expect(codeOf(token, now + 3_600_000)).toBe("TOKEN_EXPIRED");
  });
});

describe("a token is refused", () => {
  const good = {
    a: "host:1",
    f: rootFingerprint,
    s: siteId,
    k: Buffer.alloc(32).toString("base64url"),
    e: now + 1,
  };

  it("only for the fault: the control is accepted", () => expect(codeOf(handMade(good))).toBe("ok"));

  it.each<[string, unknown]>([
    ["a missing field", { ...good, k: undefined }],
    ["an extra field", { ...good, x: 1 }],
    ["a bad address", { ...good, a: "http://host:1" }],
    ["a bad fingerprint", { ...good, f: "ab" }],
    ["a bad site id", { ...good, s: "../etc" }],
    ["a short secret", { ...good, k: "AAAA" }],
    ["a time that is no time", { ...good, e: 9e15 }],
    ["a fractional time", { ...good, e: now + 0.5 }],
    ["no object", [1, 2]],
  ])("with %s", (_, payload) => expect(codeOf(handMade(payload))).toBe("TOKEN_INVALID"));

  it.each(["", "cns1.", "cns2.abcd", "cns1.!!!!", `cns1.${"A".repeat(1100)}`, " ".repeat(5000)])(
    "as %j",
    (text) => expect(codeOf(text)).toBe("TOKEN_INVALID"),
  );

  it("for any text, without throwing and without repeating it", () => {
    fc.assert(
      fc.property(fc.string({ minLength: 12 }), (text) => {
        const result = parseInvitation(`cns1.${text}`, now);
        return !result.ok && !result.error.message.includes(text);
      }),
    );
  });
});
