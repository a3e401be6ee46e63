import type { ConsoleSiteView } from "@consilium/core/operator/consoleViews";
import { describe, expect, it } from "vitest";
import { clockText, compareVersions, concernsOf, headline } from "./siteHealth";

const now = Date.parse("2026-03-01T00:00:00.000Z");
const inDays = (days: number) => new Date(now + days * 86_400_000).toISOString();

function siteWith(changes: Partial<ConsoleSiteView> = {}): ConsoleSiteView {
  return {
    id: "st-mary",
    presence: "online",
    lastSeenAt: inDays(0),
    software: "0.2.0",
    clockSkewMs: 300,
    agentsAlternatedAt: null,
    certificateExpiresAt: inDays(20),
    signingKeyFingerprint: "ab",
    keySince: inDays(-90),
    keyReplaced: null,
    displacedKey: null,
    behind: [],
    admits: null,
    tables: ["patients"],
    doing: [],
    turnedAway: null,
    invitedUntil: null,
    ...changes,
  };
}

const textsOf = (changes: Partial<ConsoleSiteView>) =>
  concernsOf(siteWith(changes), "0.2.0", now).map(({ tone, text }) => `${tone}: ${text}`);

describe("concernsOf", () => {
  it("has nothing to say of a healthy site", () => {
    expect(textsOf({})).toEqual([]);
  });

  it("tells of two agents with one identity", () => {
    expect(textsOf({ agentsAlternatedAt: "2026-01-01T00:00:00.000Z" })).toEqual([
      expect.stringMatching(/^bad: two agents with its identity end each other's connection/),
    ]);
  });

  it("warns of a clock from a minute on, in either direction", () => {
    expect(textsOf({ clockSkewMs: 59_000 })).toEqual([]);
    expect(textsOf({ clockSkewMs: 60_000 })).toEqual([
      "warn: its clock is 1 min fast: synchronise it with a time server",
    ]);
    expect(textsOf({ clockSkewMs: -90_000 })[0]).toContain("1 min 30 s slow");
  });

  it("warns of a certificate that was not renewed, and says when it has expired", () => {
    expect(textsOf({ certificateExpiresAt: inDays(2) })[0]).toMatch(/^warn: its certificate expires in 2 d/);
    expect(textsOf({ certificateExpiresAt: inDays(-1) })[0]).toMatch(/^bad: its certificate expired 1 d ago/);
  });

  it("says which edition or format a site does not speak", () => {
    const older = [
      { what: "counts", speaks: 1, newest: 2 },
      { what: "plan", speaks: 3, newest: 4 },
    ];
    expect(textsOf({ behind: older })).toEqual([
      "warn: its software is older: it speaks edition 1 of counts, not 2",
      "warn: its software is older: it speaks format 3 of a plan, not 4",
    ]);
  });

  it("says which side of two versions to upgrade", () => {
    expect(textsOf({ software: "0.1.9" })[0]).toContain("older than the aggregator's 0.2.0: upgrade it");
    expect(textsOf({ software: "0.10.0" })[0]).toContain("upgrade the aggregator");
  });

  it("says why a site is rejected, and which side must upgrade", () => {
    const turnedAway = {
      code: "PROTOCOL_VERSION",
      message: "it speaks protocol 1: upgrade the site",
      at: inDays(0),
    };
    expect(textsOf({ turnedAway })).toEqual([
      "bad: is rejected: it speaks protocol 1: upgrade the site (PROTOCOL_VERSION)",
    ]);
  });

  it("says that a key is new, for a week, and that the replaced one still tries", () => {
    const keyReplaced = { signingKeyFingerprint: "cd".repeat(32), at: inDays(-6) };
    expect(textsOf({ keyReplaced, keySince: inDays(-6) })[0]).toMatch(
      /^warn: has a new key since 2026-02-23 00:00 UTC, in place of cdcdcdcdcdcdcdcd: ask/,
    );
    expect(textsOf({ keyReplaced, keySince: inDays(-8) })).toEqual([]);
    const displacedKey = {
      signingKeyFingerprint: "cd".repeat(32),
      from: "10.0.0.9",
      attempts: 3,
      firstAt: inDays(-1),
      lastAt: inDays(0),
    };
    expect(textsOf({ displacedKey })[0]).toMatch(/^bad: enrolled with another key, and 10\.0\.0\.9/);
  });

  it("says nothing of a site that is not in the federation", () => {
    expect(textsOf({ presence: "expelled", certificateExpiresAt: inDays(-9) })).toEqual([]);
  });
});

describe("headline", () => {
  it("counts online sites, and the others by state", () => {
    const sites = [siteWith(), siteWith({ presence: "slow" }), siteWith({ presence: "invited" })];
    expect(headline(sites)).toBe("1 of 2 sites are online, 1 slow, 1 invited.");
    expect(headline([siteWith({ presence: "invited" })])).toBe("No site has enrolled yet.");
  });
});

it("compares versions by their numbers", () => {
  expect(compareVersions("0.10.0", "0.9.9")).toBeGreaterThan(0);
  expect(compareVersions("1.0.0-beta", "1.0.0")).toBe(0);
});

it("calls a clock in sync within two seconds", () => {
  expect(clockText(1_900)).toBe("in sync");
  expect(clockText(-5_000)).toBe("5 s slow");
});
