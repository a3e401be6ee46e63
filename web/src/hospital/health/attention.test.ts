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
  tablesApart: true,
  leftOut: [],
  units: {},
  policy: { path: "policy.yaml", state: "read", sha256: "cd", fault: null },
  ledger: { entries: 1, behind: false },
  budgets: [],
  unproven: [],
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

  it("warns of a budget from three quarters, with what can still be asked, and says when nothing can", () => {
    const use = (held: number, fits: number) => ({
      population: "default",
      unit: "patient" as const,
      delta: 1e-6,
      limit: 3,
      held,
      fits,
      unanswered: [],
      maxUnanswered: 5,
      unproven: 0,
      remaining: 3 - held,
    });
    expect(titles({ budgets: [use(2.25, 1.8)] })).toEqual([]);
    expect(titles({ budgets: [{ ...use(9, 0), limit: null }] })).toEqual([]);
    const budget = { ...well, budgets: [use(2.7304, 1.05)] };
    expect(attentionOf(budget, now)).toEqual([
      {
        tone: "warn",
        title: "91 % of the privacy budget of population default is used.",
        text: "ε = 2.731 of 3 per patient at δ = 1e-6 is spent or reserved; 0.269 remains. One more study of at most ε = 1.05 still fits, for the costs of studies add up to less than the sum of their ε. What is spent never comes back.",
        href: "/ledger",
      },
    ]);
    expect(attentionOf({ ...well, budgets: [use(3, 0)] }, now)[0]!.text).toContain("No further study fits");
  });

  it("names the studies that send data without a proof, or have of late", () => {
    const study = {
      id: "a-1",
      name: "as published",
      population: "default",
      sends: 2,
      isRunning: false,
      lastAt: "2026-05-01T00:00:00Z",
    };
    const [found] = attentionOf({ ...well, unproven: [study] }, now);
    expect(found).toMatchObject({
      tone: "warn",
      href: null,
      title: "1 study sends data without proven protection, or did so recently.",
      studies: [{ id: "a-1", name: "as published", about: expect.stringContaining("data sent 2 times") }],
    });
    expect(titles({ unproven: [{ ...study, lastAt: "2026-03-01T00:00:00Z" }] })).toEqual([]);
  });

  it("says of studies that continued without the hospital's records which stage, and why", () => {
    const of = (step: string) => ({ step, attempt: 1, code: "TABLE_UNREADABLE" });
    const zeros = [
      ...["a", "b", "c", "d", "e"].map((step) => ({ ...of(step), reason: "the table cannot be read" })),
      { ...of("f"), reason: "[TABLE_UNREADABLE] line 7 is broken. Check the file." },
    ];
    const study = {
      id: "a-1",
      name: "vitals",
      status: "released" as const,
      firstSeenAt: "",
      endedAt: "",
      code: null,
    };
    const [first] = attentionOf(
      { ...well, studies: [{ ...study, reason: null, zeros, fewUsed: null }] },
      now,
    );
    expect(first).toMatchObject({
      tone: "bad",
      studies: [
        {
          id: "a-1",
          name: "vitals",
          about:
            "The table cannot be read. (TABLE_UNREADABLE; 5 stages: a, b, c, d, …) Line 7 is broken. Check the file. (TABLE_UNREADABLE; 1 stage: f)",
        },
      ],
    });
  });

  it("names studies that use few rows, until somebody has looked", () => {
    const study = { id: "a-1", name: "vitals", status: "joined" as const, firstSeenAt: "", endedAt: null };
    const studies = [{ ...study, code: null, reason: null, zeros: [], fewUsed: { used: 12, meant: 200 } }];
    expect(attentionOf({ ...well, studies }, now)).toMatchObject([
      { tone: "warn", studies: [{ id: "a-1", name: "vitals", about: "12 of 200 rows" }] },
    ]);
    expect(attentionOf({ ...well, studies: [{ ...studies[0]!, fewUsed: null }] }, now)).toEqual([]);
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
      zeros: [],
      fewUsed: null,
    };
    const lastFault = { code: "UNREACHABLE", message: "no answer", remedy: "check the cable" };
    const [first, second] = attentionOf({ ...well, connected: false, lastFault, studies: [study] }, now);
    expect(first).toMatchObject({ tone: "bad" });
    expect(first!.text).toMatch(/^No answer\. Check the cable\. /);
    expect(second).toMatchObject({ tone: "warn", href: "/studies" });
  });
});
