import type { SiteStatusView } from "@consilium/core/hospital/statusViews";
import { describe, expect, it } from "vitest";
import { attentionOf } from "./attention.js";

const now = Date.parse("2026-05-06T00:00:00Z");
const well: SiteStatusView = {
  site: "st-mary",
  federation: "test",
  software: "1.0.0",
  startedAt: "2026-05-05T00:00:00Z",
  aggregator: "a.example:7443",
  connected: true,
  connectedSince: "2026-05-05T00:00:00Z",
  lastFault: null,
  aggregatorSoftware: "1.0.0",
  certificateExpiresAt: "2026-06-06T00:00:00Z",
  certificateRenewsAt: "2026-05-16T00:00:00Z",
  signingKeyFingerprint: "ab",
  expelledList: {
    number: 1,
    sites: 0,
    issuedAt: "2026-01-01T00:00:00.000Z",
    nextUpdate: "2027-01-01T00:00:00.000Z",
    confirmedAt: "2026-03-01T00:00:00.000Z",
    fault: null,
  },
  tables: ["visits"],
  units: {},
  policy: { path: "policy.yaml", state: "read", sha256: "cd", fault: null },
  ledger: { entries: 1, behind: false },
  disk: { freeBytes: 5e10, totalBytes: 1e11 },
  studies: [],
};
const titles = (change: Partial<SiteStatusView>) =>
  attentionOf({ ...well, ...change }, now).map(({ tone, title }) => `${tone}: ${title}`);

describe("what needs attention", () => {
  it("is empty when everything is running normally, or when disk space is unknown", () => {
    expect(titles({})).toEqual([]);
    expect(titles({ disk: null })).toEqual([]);
    expect(titles({ policy: { ...well.policy, state: "absent" } })).toEqual([]);
  });

  it("describes each problem", () => {
    expect(titles({ certificateExpiresAt: "2026-05-07T00:00:00Z" })).toEqual([
      "warn: The site's certificate expires in 1 d.",
    ]);
    expect(titles({ certificateExpiresAt: "2026-05-05T00:00:00Z" })).toEqual([
      "bad: The site's certificate has expired.",
    ]);
    expect(titles({ ledger: { entries: 1, behind: true } })).toEqual(["bad: The ledger is an old copy."]);
    expect(titles({ policy: { ...well.policy, state: "invalid" } })[0]).toMatch(
      /^bad: The policy is invalid/,
    );
    expect(titles({ disk: { freeBytes: 1e9, totalBytes: 1e11 } })[0]).toMatch(/^warn: .*1\.0 GB left/);
    expect(titles({ disk: { freeBytes: 1e8, totalBytes: 1e11 } })[0]).toMatch(/^bad: /);
    expect(titles({ tables: [] })[0]).toMatch(/^warn: No table/);
  });

  it("starts with why the aggregator is not connected and what to do", () => {
    const study = {
      id: "x",
      name: "x",
      status: "waiting for approval" as const,
      firstSeenAt: "",
      endedAt: null,
      code: null,
      reason: null,
    };
    const lastFault = { code: "UNREACHABLE", message: "no answer", remedy: "check the cable" };
    const [first, second] = attentionOf({ ...well, connected: false, lastFault, studies: [study] }, now);
    expect(first).toMatchObject({ tone: "bad" });
    expect(first!.text).toMatch(/^No answer\. Check the cable\. /);
    expect(second).toMatchObject({ tone: "warn", href: "/studies" });
  });
});
