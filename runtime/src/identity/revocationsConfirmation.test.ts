import { canonicalJson } from "@consilium/core/canonicalJson";
import { unwrap } from "@consilium/core/result";
import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { type TestFederation, testFederation } from "../../testing/identity/federation.js";
import { issueIssuer } from "./authority.js";
import { confirmRevocations } from "./confirmRevocations.js";
import { issueRevocations } from "./issueRevocations.js";
import { confirmationMaxBytes, verifyConfirmation } from "./revocationsConfirmation.js";
import { signedLines } from "./signedLines.js";

const now = Date.now();
let federation: TestFederation;
let list: { bytes: Uint8Array; sequence: number };
beforeAll(async () => {
  federation = await testFederation("harbour", now);
  list = { bytes: issueRevocations(federation.root, undefined, [], now), sequence: 1 };
});

const check = (bytes: Uint8Array, of = list, at = now) => {
  const checked = verifyConfirmation(bytes, of, { rootPem: federation.root.certificatePem, now: at });
  return checked.ok ? "ok" : checked.error.code;
};

describe("a confirmation that a list of expelled sites is the newest", () => {
  it("says when the issuing key made it", () => {
    const made = confirmRevocations(federation.issuer, list, now);
    const rootPem = federation.root.certificatePem;
    expect(unwrap(verifyConfirmation(made, list, { rootPem, now: now + 5_000 }))).toBe(now);
    // Looked at again long after, such as at a restart.
    expect(check(made, list, now + 6 * 365.25 * 86_400_000)).toBe("ok");
  });

  it("is of one list alone", () => {
    const made = confirmRevocations(federation.issuer, list, now);
    const resigned = issueRevocations(federation.root, undefined, [], now + 1);
    expect(check(made, { ...list, sequence: 2 })).toBe("REVOCATIONS_INVALID");
    expect(check(made, { ...list, bytes: resigned })).toBe("REVOCATIONS_INVALID");
    expect(check(made)).toBe("ok");
  });

  it("is not made in advance: five minutes are the clocks' difference", () => {
    const minute = 60_000;
    expect(check(confirmRevocations(federation.issuer, list, now + 5 * minute))).toBe("ok");
    expect(check(confirmRevocations(federation.issuer, list, now + 6 * minute))).toBe("REVOCATIONS_INVALID");
  });

  it("is made by an issuing key of this federation, within its dates", async () => {
    const other = await testFederation("harbour", now);
    expect(check(confirmRevocations(other.issuer, list, now))).toBe("REVOCATIONS_INVALID");
    const site = await federation.leaf("site", "st-mary");
    const leafAsIssuer = { ...federation.issuer, certificatePem: site.chainPem, privateKey: site.tlsKey };
    expect(check(confirmRevocations(leafAsIssuer, list, now))).toBe("REVOCATIONS_INVALID");
    const rootAsIssuer = { ...federation.issuer, certificatePem: federation.root.certificatePem };
    expect(
      check(confirmRevocations({ ...rootAsIssuer, privateKey: federation.root.privateKey }, list, now)),
    ).toBe("REVOCATIONS_INVALID");
    const wrongKey = { ...federation.issuer, privateKey: other.issuer.privateKey };
    expect(check(confirmRevocations(wrongKey, list, now))).toBe("REVOCATIONS_INVALID");
    const sixYears = now + 6 * 365.25 * 86_400_000;
    expect(check(confirmRevocations(federation.issuer, list, sixYears), list, sixYears)).toBe(
      "REVOCATIONS_INVALID",
    );
    const next = await issueIssuer(federation.root, { now: sixYears });
    expect(check(confirmRevocations(next, list, sixYears), list, sixYears)).toBe("ok");
  });

  it("is refused in any other form; never throws", () => {
    const made = confirmRevocations(federation.issuer, list, now);
    const text = Buffer.from(made).toString("utf8").split("\n")[0]!;
    const resigned = (json: string) => signedLines(Buffer.from(json), federation.issuer.privateKey);
    expect(check(resigned(text))).toBe("ok");
    const parsed = JSON.parse(text) as Record<string, unknown>;
    const changes = [
      { federation: "other" },
      { more: 1 },
      { confirmedAt: -1 },
      { type: "x" },
      { issuer: "" },
    ];
    for (const change of changes)
      expect(check(resigned(canonicalJson({ ...parsed, ...change } as never)))).toBe("REVOCATIONS_INVALID");
    expect(check(resigned(`${text} `))).toBe("REVOCATIONS_INVALID");
    expect(check(new Uint8Array(confirmationMaxBytes + 1))).toBe("REVOCATIONS_INVALID");
    fc.assert(
      fc.property(fc.nat({ max: made.length - 1 }), fc.integer({ min: 1, max: 255 }), (at, flip) => {
        const changed = Uint8Array.from(made);
        changed[at]! ^= flip;
        // The last character of base64url has bits that decode to nothing: those alone may change.
        return check(changed) !== "ok" || at === made.length - 2;
      }),
      { numRuns: 60 },
    );
    fc.assert(fc.property(fc.uint8Array(), (random) => check(random) !== "ok"));
  });
});
