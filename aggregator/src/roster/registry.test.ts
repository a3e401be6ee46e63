import type { Sha256, SiteId } from "@consilium/core/ids";
import type { Result } from "@consilium/core/result";
import { openTestStore } from "@consilium/runtime/store/testStore";
import { beforeEach, describe, expect, it } from "vitest";
import { migrations } from "../store/schema.js";
import { SiteRegistry } from "./registry.js";

const site = "hospital-a" as SiteId;
const hash = (digit: string) => digit.repeat(64) as Sha256;
const token = hash("1");
const key = hash("a");
const otherKey = hash("b");
const codeOf = (result: Result<unknown, { code: string }>) => (result.ok ? "ok" : result.error.code);

let registry: SiteRegistry;
beforeEach(() => {
  registry = new SiteRegistry(openTestStore(migrations));
  registry.invite(site, token, 1_000);
});

const identity = (fingerprint: Sha256) => ({
  signingKey: new Uint8Array(32).fill(1),
  fingerprint,
  chain: "[]",
  expiresAt: 9_000,
  software: "0.1.0",
});

describe("an invitation", () => {
  it("is used once, and again only by the key that used it, while it lasts", () => {
    expect(registry.peekToken(token)).toEqual({ ok: true, value: site });
    expect(registry.useToken(token, key, 10)).toEqual({ ok: true, value: site });
    expect(codeOf(registry.useToken(token, key, 999))).toBe("ok");
    expect(codeOf(registry.useToken(token, otherKey, 11))).toBe("TOKEN_USED");
    // Used up or not, it has no power when its time is over.
    expect(codeOf(registry.useToken(token, key, 1_000))).toBe("TOKEN_EXPIRED");
    expect(codeOf(registry.useToken(token, otherKey, 1_000))).toBe("TOKEN_USED");
  });

  it("is not spent by looking at it", () => {
    registry.peekToken(token);
    expect(codeOf(registry.useToken(token, otherKey, 10))).toBe("ok");
  });

  it("expires at its very millisecond, and an unknown one is nobody's", () => {
    expect(codeOf(registry.useToken(token, key, 1_000))).toBe("TOKEN_EXPIRED");
    expect(codeOf(registry.useToken(hash("2"), key, 0))).toBe("TOKEN_INVALID");
    expect(codeOf(registry.peekToken(hash("2")))).toBe("TOKEN_INVALID");
  });

  it("may be given again to a site that has one", () => {
    registry.invite(site, hash("2"), 5_000);
    expect(codeOf(registry.useToken(hash("2"), otherKey, 2_000))).toBe("ok");
    expect(registry.sites().map(({ id }) => id)).toEqual([site]);
  });
});

describe("a site", () => {
  it("is invited, then enrolled, then renewed: the first date stays", () => {
    expect(registry.site(site)).toMatchObject({ id: site, enrolledAt: null, fingerprint: null, tables: [] });
    registry.enrolled(site, identity(key), 100);
    registry.enrolled(site, { ...identity(otherKey), software: "0.2.0" }, 200);
    expect(registry.site(site)).toMatchObject({ enrolledAt: 100, fingerprint: otherKey, software: "0.2.0" });
  });

  it("is known by what it last said", () => {
    registry.enrolled(site, identity(key), 100);
    registry.greeted(site, { software: "0.3.0", tables: ["visits", "labs"], clockSkewMs: -4 }, 300);
    registry.seen(site, 400);
    expect(registry.site(site)).toMatchObject({
      software: "0.3.0",
      tables: ["visits", "labs"],
      clockSkewMs: -4,
      lastSeenAt: 400,
    });
  });

  it("that nobody invited is not there, and the others are in order", () => {
    registry.invite("b-first" as SiteId, hash("3"), 1_000);
    registry.greeted("stranger" as SiteId, { software: "x", tables: [], clockSkewMs: 0 }, 1);
    expect(registry.site("stranger" as SiteId)).toBeNull();
    expect(registry.sites().map(({ id }) => id)).toEqual(["b-first", site]);
  });
});
