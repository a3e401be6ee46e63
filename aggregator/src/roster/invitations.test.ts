import { ConsiliumError } from "@consilium/core/errors";
import type { Sha256, SiteId } from "@consilium/core/ids";
import type { Result } from "@consilium/core/result";
import { beforeEach, describe, expect, it } from "vitest";
import { testIdentity, testRegistry } from "../../testing/roster/registry.js";
import { invitationState } from "./invitations.js";

const site = "hospital-a" as SiteId;
const hash = (digit: string) => digit.repeat(64) as Sha256;
const token = hash("1");
const key = hash("a");
const otherKey = hash("b");

let made: ReturnType<typeof testRegistry>;
beforeEach(() => {
  made = testRegistry();
});

const codeOf = (result: Result<unknown, { code: string }>) => (result.ok ? "ok" : result.error.code);
const enrol = (secret: Sha256, fingerprint: Sha256, now: number) =>
  codeOf(made.invitations.enrol(secret, testIdentity(fingerprint), { from: "10.0.0.9", now }));
const inviting = (...given: Parameters<typeof made.invite>) => {
  try {
    return made.invite(...given) ?? "ok";
  } catch (thrown) {
    if (thrown instanceof ConsiliumError) return thrown.code;
    throw thrown;
  }
};
const fingerprint = () => made.registry.site(site)?.fingerprint;
const kinds = () => made.events.map(({ kind }) => kind);

describe("a token", () => {
  beforeEach(() => void made.invite(site, token, 1_000));

  it("is used once, and again only by the key that used it, while it lasts", () => {
    expect(made.invitations.peek(token)).toEqual({ ok: true, value: site });
    expect(enrol(token, key, 10)).toBe("ok");
    expect(enrol(token, key, 999)).toBe("ok");
    expect(enrol(token, otherKey, 11)).toBe("TOKEN_USED");
    expect(enrol(token, key, 1_000)).toBe("TOKEN_EXPIRED");
    expect(enrol(token, otherKey, 1_000)).toBe("TOKEN_USED");
    expect(fingerprint()).toBe(key);
  });

  it("expires at its very millisecond; an unknown one is invalid", () => {
    expect(enrol(token, key, 1_000)).toBe("TOKEN_EXPIRED");
    expect(enrol(hash("2"), key, 0)).toBe("TOKEN_INVALID");
    expect(codeOf(made.invitations.peek(hash("2")))).toBe("TOKEN_INVALID");
    expect(fingerprint()).toBeNull();
    expect(enrol(token, key, 999)).toBe("ok");
  });

  it("that was withdrawn says so, and its site is free again", () => {
    expect(made.invitations.withdraw(token, "anna", 5)).toBe(true);
    expect(enrol(token, key, 10)).toBe("TOKEN_WITHDRAWN");
    expect(made.registry.sites()).toEqual([]);
    expect(made.invitations.withdraw(token, "anna", 6)).toBe(false);
    expect(made.invitations.list().map((one) => invitationState(one, 10))).toEqual(["withdrawn"]);
    expect(inviting(site, hash("2"), 2_000)).toBe("ok");
    expect(kinds()).toEqual(["invited", "invitation withdrawn", "invited"]);
  });
});

describe("one open invitation for each site", () => {
  beforeEach(() => void made.invite(site, token, 1_000));

  it("refuses a second one until the first has expired", () => {
    expect(inviting(site, hash("2"), 5_000, "refuse", 999)).toBe("INVITATION_OPEN");
    expect(inviting("hospital-b" as SiteId, hash("3"), 5_000)).toBe("ok");
    expect(inviting(site, hash("2"), 5_000, "refuse", 1_000)).toBe("ok");
  });

  it("withdraws the first where it is replaced", () => {
    expect(inviting(site, hash("2"), 5_000, "replace", 10)).toBe("ok");
    expect(enrol(token, key, 20)).toBe("TOKEN_WITHDRAWN");
    expect(enrol(hash("2"), key, 20)).toBe("ok");
    expect(made.events.map(({ kind, actor }) => `${kind} ${actor ?? "-"}`)).toEqual([
      "invited anna",
      "invitation replaced anna",
      "invited anna",
      "enrolled -",
    ]);
  });

  it("writes down once that it expired unused", () => {
    made.invitations.expireUnused(999);
    expect(kinds()).toEqual(["invited"]);
    made.invitations.expireUnused(1_000);
    made.invitations.expireUnused(2_000);
    expect(kinds()).toEqual(["invited", "invitation expired"]);
  });
});

describe("an enrolled site", () => {
  beforeEach(() => {
    made.invite(site, token, 1_000);
    enrol(token, key, 10);
  });

  it("is not invited again without saying that its key may be replaced", () => {
    expect(inviting(site, hash("2"), 5_000, "refuse", 20)).toBe("SITE_ENROLLED");
    expect(inviting(site, hash("2"), 5_000, "replace", 20)).toBe(key);
    expect(enrol(hash("2"), otherKey, 30)).toBe("ok");
    expect(made.registry.site(site)).toMatchObject({
      fingerprint: otherKey,
      keySince: 30,
      replacedFingerprint: key,
      replacedAt: 30,
      enrolledAt: 10,
    });
    expect(made.events.at(-1)).toMatchObject({
      kind: "key replaced",
      detail: `key ${"b".repeat(16)} in place of ${"a".repeat(16)}, from 10.0.0.9`,
    });
  });

  it("has its former key back by a further invitation", () => {
    made.invite(site, hash("2"), 5_000, "replace", 20);
    enrol(hash("2"), otherKey, 30);
    // Neither its own used token nor the thief's brings it back.
    expect(enrol(token, key, 40)).toBe("SITE_ENROLLED");
    expect(enrol(hash("2"), key, 40)).toBe("TOKEN_USED");
    expect(fingerprint()).toBe(otherKey);
    made.invite(site, hash("3"), 5_000, "replace", 50);
    expect(enrol(hash("3"), key, 60)).toBe("ok");
    expect(fingerprint()).toBe(key);
    expect(enrol(hash("2"), otherKey, 70)).toBe("SITE_ENROLLED");
    expect(fingerprint()).toBe(key);
  });

  it("with an invitation for the same key admits that key and no other", () => {
    expect(inviting(site, hash("2"), 5_000, "same-key", 20)).toBe("ok");
    expect(enrol(hash("2"), otherKey, 30)).toBe("SITE_ENROLLED");
    expect(enrol(hash("2"), key, 30)).toBe("ok");
    expect(made.registry.site(site)).toMatchObject({ fingerprint: key, keySince: 10, replacedAt: null });
    expect(kinds().at(-1)).toBe("enrolled again");
    expect(inviting("new" as SiteId, hash("3"), 5_000, "same-key")).toBe("FIELD_INVALID");
    expect(made.registry.site("new" as SiteId)).toBeNull();
  });

  it("may be invited freely once its key is expelled", () => {
    made.expelled.add(key);
    expect(inviting(site, hash("2"), 5_000, "refuse", 20)).toBe(key);
    expect(enrol(hash("2"), otherKey, 30)).toBe("ok");
  });
});

describe("a race", () => {
  it("lets no invitation replace a key that was enrolled after it was made", () => {
    made.invite(site, token, 1_000);
    // As an aggregator before this rule left them: two open invitations.
    made.store.run(
      "INSERT INTO invitations (secret_hash, site, expires_at) VALUES (?, ?, ?)",
      hash("2"),
      site,
      1_000,
    );
    expect(enrol(hash("2"), key, 10)).toBe("ok");
    expect(enrol(token, otherKey, 11)).toBe("SITE_ENROLLED");
    expect(fingerprint()).toBe(key);
    // The same key is no other site's doing.
    expect(enrol(token, key, 12)).toBe("ok");
  });

  it("lets an invitation replace only the key that the operator saw", () => {
    made.invite(site, token, 1_000);
    enrol(token, key, 10);
    made.invite(site, hash("2"), 5_000, "replace", 20);
    made.registry.enrolled(site, testIdentity(hash("c")), 25);
    expect(enrol(hash("2"), otherKey, 30)).toBe("SITE_ENROLLED");
    expect(fingerprint()).toBe(hash("c"));
  });

  it("lets no renewal bring a replaced key back", () => {
    made.invite(site, token, 1_000);
    enrol(token, key, 10);
    made.registry.renewed(site, { ...testIdentity(key), expiresAt: 99_000 }, 15);
    expect(made.registry.site(site)?.certificateExpiresAt).toBe(99_000);
    made.invite(site, hash("2"), 5_000, "replace", 20);
    enrol(hash("2"), otherKey, 30);
    expect(() => made.registry.renewed(site, testIdentity(key), 40)).toThrow(
      expect.objectContaining({ code: "IDENTITY_REPLACED" }),
    );
    expect(fingerprint()).toBe(otherKey);
  });
});
