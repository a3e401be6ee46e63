import { sign } from "node:crypto";
import { canonicalJson } from "@consilium/core/canonicalJson";
import { parseSha256, parseSiteId } from "@consilium/core/ids";
import { unwrap } from "@consilium/core/result";
import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { type TestFederation, testFederation } from "../../testing/identity/federation.js";
import { issueRevocations, listLifetimeMs } from "./issueRevocations.js";
import { verifyRevocations } from "./revocations.js";
import { isRevoked, type Revocation } from "./revoked.js";
import { signedLines } from "./signedLines.js";

let federation: TestFederation;
beforeAll(async () => {
  federation = await testFederation();
});

function entry(id: string, digit: string): Revocation {
  return {
    siteId: unwrap(parseSiteId(id)),
    signingKeyFingerprint: unwrap(parseSha256(digit.repeat(64))),
    reason: "left the federation — §3",
    revokedAt: 1_900_000_000_000,
  };
}

function verifyWith(bytes: Uint8Array, knownSequence = 0) {
  return verifyRevocations(bytes, { rootPem: federation.root.certificatePem, knownSequence });
}

function codeOf(result: ReturnType<typeof verifyWith>) {
  return result.ok ? "ok" : result.error.code;
}

describe("the list of expelled sites", () => {
  it("grows by number, keeps what was there, and names a key once", () => {
    const first = unwrap(verifyWith(issueRevocations(federation.root, undefined, [entry("b", "b")])));
    const second = unwrap(
      verifyWith(issueRevocations(federation.root, first, [entry("a", "a"), entry("again", "b")]), 1),
    );
    expect([first.sequence, second.sequence]).toEqual([1, 2]);
    expect(second.revocations.map((one) => one.siteId)).toEqual(["a", "b"]);
    expect(isRevoked(second, "b".repeat(64))).toBe(true);
    expect(isRevoked(second, "c".repeat(64))).toBe(false);
    expect(isRevoked(undefined, "b".repeat(64))).toBe(false);
  });

  it("is accepted again, but not an older one", () => {
    const firstBytes = issueRevocations(federation.root, undefined, [entry("a", "a")]);
    const first = unwrap(verifyWith(firstBytes));
    const secondBytes = issueRevocations(federation.root, first, []);
    expect(codeOf(verifyWith(secondBytes, 2))).toBe("ok");
    expect(codeOf(verifyWith(firstBytes, 2))).toBe("REVOCATIONS_STALE");
  });

  it("is refused from another authority, and from the issuing key", async () => {
    const other = await testFederation();
    const bytes = issueRevocations(other.root, undefined, [entry("a", "a")]);
    expect(codeOf(verifyWith(bytes))).toBe("REVOCATIONS_INVALID");
    const json = Buffer.from(bytes).subarray(0, Buffer.from(bytes).indexOf(10));
    const signature = sign("sha256", json, federation.issuer.privateKey).toString("base64url");
    expect(codeOf(verifyWith(Buffer.concat([json, Buffer.from(`\n${signature}\n`)])))).toBe(
      "REVOCATIONS_INVALID",
    );
  });

  it("is refused when the root signed something else than its canonical text", () => {
    const bytes = issueRevocations(federation.root, undefined, [entry("b", "b"), entry("a", "a")]);
    const json = Buffer.from(bytes).subarray(0, Buffer.from(bytes).indexOf(10)).toString("utf8");
    const resigned = (text: string) => {
      const signature = sign("sha256", Buffer.from(text), federation.root.privateKey).toString("base64url");
      return Buffer.from(`${text}\n${signature}\n`);
    };
    expect(codeOf(verifyWith(resigned(json)))).toBe("ok");
    expect(codeOf(verifyWith(resigned(json.replace('"sequence":1', '"sequence": 1'))))).toBe(
      "REVOCATIONS_INVALID",
    );
    expect(codeOf(verifyWith(resigned(json.replace('"sequence":1', '"sequence":0'))))).toBe(
      "REVOCATIONS_INVALID",
    );
    expect(codeOf(verifyWith(resigned(json.replace("test-federation", "other"))))).toBe(
      "REVOCATIONS_INVALID",
    );
    expect(codeOf(verifyWith(resigned("{}")))).toBe("REVOCATIONS_INVALID");
    expect(codeOf(verifyWith(resigned("not json")))).toBe("REVOCATIONS_INVALID");
  });

  it("is refused with any changed byte, cut, over its limit, or random; never throws", () => {
    const bytes = issueRevocations(federation.root, undefined, [entry("a", "a")]);
    fc.assert(
      fc.property(fc.nat({ max: bytes.length - 1 }), fc.integer({ min: 1, max: 255 }), (at, flip) => {
        const changed = Uint8Array.from(bytes);
        changed[at]! ^= flip;
        // The last character of base64url has bits that decode to nothing: those alone may change.
        return !verifyWith(changed).ok || at === bytes.length - 2;
      }),
    );
    fc.assert(
      fc.property(fc.nat({ max: bytes.length - 2 }), (end) => !verifyWith(bytes.subarray(0, end)).ok),
    );
    fc.assert(fc.property(fc.uint8Array(), (random) => !verifyWith(random).ok));
    expect(codeOf(verifyWith(new Uint8Array((1 << 20) + 1)))).toBe("REVOCATIONS_INVALID");
  });

  it("has the dates that the root signed, and none where it was signed before lists had any", () => {
    const now = 1_900_000_000_000;
    const dated = issueRevocations(federation.root, undefined, [], now);
    const { dates } = unwrap(verifyWith(dated));
    expect(dates).toEqual({ issuedAt: now, nextUpdate: now + listLifetimeMs });
    const json = Buffer.from(dated).subarray(0, Buffer.from(dated).indexOf(10)).toString("utf8");
    const signed = (text: string) => verifyWith(signedLines(Buffer.from(text), federation.root.privateKey));
    const undated = canonicalJson({
      federation: "test-federation",
      revocations: [],
      sequence: 4,
      type: "consilium-revocations-v1",
    });
    expect(unwrap(signed(undated))).toMatchObject({ sequence: 4, dates: null });
    const next = unwrap(verifyWith(issueRevocations(federation.root, unwrap(signed(undated)), [], now)));
    expect(next).toMatchObject({ sequence: 5, dates: { issuedAt: now } });
    expect(codeOf(signed(json.replace("-v2", "-v1")))).toBe("REVOCATIONS_INVALID");
    expect(codeOf(signed(json.replace("-v2", "-v3")))).toBe("REVOCATIONS_INVALID");
    expect(codeOf(signed(json.replace(`"issuedAt":${now}`, `"issuedAt":${now + listLifetimeMs}`)))).toBe(
      "REVOCATIONS_INVALID",
    );
    expect(codeOf(signed(json))).toBe("ok");
  });

  it("of another federation is not continued", async () => {
    const other = await testFederation("other");
    const list = unwrap(verifyWith(issueRevocations(federation.root, undefined, [])));
    expect(() => issueRevocations(other.root, list, [])).toThrow(RangeError);
  });
});
