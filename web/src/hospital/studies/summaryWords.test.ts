import type { LeavingView, StudyBudgetView } from "@consilium/core/hospital/studyViews";
import type { ClaimView } from "@consilium/core/study/planViews";
import { describe, expect, it } from "vitest";
import { endedWithout, outcomeOf } from "./statusWords.js";
import {
  decisionText,
  deltaNote,
  denialTexts,
  firstNames,
  meterParts,
  meterText,
  protectionText,
  sentKinds,
  uncountedText,
} from "./summaryWords.js";

const stage = (change: Partial<LeavingView>): LeavingView => ({
  numbers: "1",
  name: "sums",
  what: "a sum",
  form: "masked sum",
  formWords: "",
  noise: "",
  learns: "",
  bytes: 500,
  stages: 1,
  stageIds: ["sums"],
  ...change,
});
const request = {
  title: null,
  description: null,
  creator: null,
  stated: [],
  unstated: [],
  columns: ["outcome", "age", "sex"],
  makes: [],
  maxRows: 100,
  patientColumn: null,
  minimumSites: 4,
  withstands: 1,
  readers: "open" as const,
};

describe("what is sent", () => {
  it("is one line a kind, with all its stages and bytes", () => {
    const leaving = [
      stage({}),
      stage({ numbers: "2-11", bytes: 1_000, stages: 10 }),
      stage({ numbers: "12", form: "rows in the clear", bytes: 0 }),
    ];
    const toReaders = [stage({ form: "rows in the clear", learns: "learns.shuffled {}" })];
    expect(sentKinds({ leaving: toReaders, request })[0]!.text).toBe(
      "1 stage. The aggregator and everyone who reads the release read each of this hospital's rows.",
    );
    expect(sentKinds({ leaving, request })).toEqual([
      {
        form: "masked sum",
        name: "Masked sums",
        tone: "ok",
        text: "11 stages. Only the sum over at least 4 hospitals can be read, even if 1 of them colludes with the aggregator.",
      },
      {
        form: "rows in the clear",
        name: "Unmasked rows",
        tone: "bad",
        text: "1 stage. The aggregator reads each of this hospital's rows.",
      },
    ]);
  });

  it("does not promise what a dealer of masks could break", () => {
    const [kind] = sentKinds({ leaving: [stage({})], request: { ...request, withstands: 0 } });
    expect(kind!.text).toContain("unless a hospital colludes with the aggregator");
  });
});

describe("the protection", () => {
  const claim: ClaimView = {
    verdict: "proved",
    epsilon: 1,
    delta: 1e-5,
    neighbouringRelation: "add-remove",
    unit: "one patient",
    proof: null,
    reasons: [],
  };

  it("is one sentence with the odds of a guess", () => {
    expect(protectionText(claim)).toEqual({
      word: "strong",
      tone: "ok",
      text: "Someone who knows everything else guesses whether a patient's data were used right at most 73.2 times in 100 with the results, and 50 times without.",
    });
    expect(protectionText({ ...claim, epsilon: 12, unit: "one record" })).toMatchObject({
      word: "weak",
      tone: "bad",
      text: expect.stringContaining("a record was used right at most 100 times"),
    });
    // Of ε = 4 researchers say "moderate", and a guess is right 98 times in 100.
    expect(protectionText({ ...claim, epsilon: 4 }).text).toMatch(/98\.3 times .* near certainty\.$/);
  });

  it("is none or unknown where nothing is proven", () => {
    expect(protectionText({ ...claim, verdict: "no privacy", epsilon: null }).word).toBe("none");
    expect(protectionText({ ...claim, verdict: "claimed by the authors, not verified" }).word).toBe(
      "unknown",
    );
  });
});

describe("the meter of the budget", () => {
  const budget: StudyBudgetView = {
    population: "default",
    tables: [],
    delta: 1e-6,
    unit: "patient",
    factor: 1,
    limit: 2,
    before: 0.5,
    after: 1.50001,
    remainingBefore: 1.5,
    remainingAfter: 0.49999,
    fits: true,
    unprovedBefore: 0,
    unprovedHere: 0,
    charged: false,
  };

  it("rounds against the hospital and names the unit", () => {
    expect(meterText(budget)).toBe(
      "ε = 0.5 → 1.501 of 2 per patient at δ = 1e-6 (1 in 1,000,000); 0.499 remains",
    );
    expect(meterText({ ...budget, limit: null, remainingAfter: null })).toBe(
      "ε = 0.5 → 1.501 per patient at δ = 1e-6 (1 in 1,000,000), without a limit",
    );
  });

  it("does not look as if a study without a proof cost nothing", () => {
    expect(uncountedText(budget)).toBe(
      "The budget of population default (ε = 0.5 of 2) does not count it: what it reveals has no bound, and no limit stops it.",
    );
    expect(uncountedText({ ...budget, limit: null })).toContain("what it reveals has no bound");
  });

  it("has parts of its limit, or of the spending beyond it", () => {
    expect(meterParts(budget)).toEqual({ before: 25, study: 50, limit: null });
    expect(meterParts({ before: 1, after: 4, limit: 2 })).toEqual({ before: 25, study: 75, limit: 50 });
    expect(meterParts({ before: 0, after: 0, limit: null })).toEqual({ before: 0, study: 0, limit: null });
  });
});

it("names as many columns as fit into a line", () => {
  expect(firstNames(["outcome", "age", "sex"])).toBe("outcome, age, sex");
  expect(firstNames(["diagnosis", "radius_mean", "texture_mean", "area"])).toBe("diagnosis, radius_mean, …");
  expect(firstNames(["a".repeat(40), "b"])).toBe(`${"a".repeat(40)}, …`);
});

it("says what a denial changes", () =>
  expect(denialTexts({ minimumSites: 4 }).join(" ")).toContain("if at least 4 others join"));

describe("who decides", () => {
  const decided = (change: object) =>
    decisionText({
      status: "waiting for approval",
      decision: { outcome: "person", rule: "approval", words: "", code: null },
      decidedAt: null,
      decidedBy: null,
      ...change,
    });
  const automatic = { outcome: "automatic" as const, rule: "approval", words: "", code: null };
  const at = { decidedAt: "2026-01-02T03:04:05Z", decidedBy: "dr.ada", decision: automatic };

  it("is a person where the study waits for one, whatever the policy says since", () => {
    expect(decided({})).toBeNull();
    expect(decided({ decision: automatic })).toMatch(/^A person decides: /);
  });

  it("is who decided, once somebody has", () => {
    expect(decided({ ...at, status: "refused" })).toMatch(/^dr\.ada denied it on 2 Jan 2026/);
    expect(decided({ ...at, status: "joined" })).toMatch(/^dr\.ada approved it on /);
    expect(decided({ status: "refused" })).toMatch(/no person was asked/);
    expect(decided({ status: "released" })).toMatch(/^The policy approved it/);
  });
});

it("says why the budget falls by another epsilon, where its delta is another", () => {
  const claim = { verdict: "proved", epsilon: 1, delta: 1e-5 } as ClaimView;
  expect(deltaNote({ claim, budget: { delta: 1e-6 } as StudyBudgetView })).toMatch(/δ = 1e-6.*δ = 1e-5/);
  expect(deltaNote({ claim, budget: { delta: 1e-5 } as StudyBudgetView })).toBeNull();
  expect(deltaNote({ claim, budget: null })).toBeNull();
});

it("knows the studies that ended without this hospital", () => {
  expect(endedWithout({ status: "refused", joined: false })).toBe(true);
  expect(endedWithout({ status: "cancelled", joined: false })).toBe(true);
  expect(endedWithout({ status: "cancelled", joined: true })).toBe(false);
  expect(endedWithout({ status: "waiting for approval", joined: false })).toBe(false);
});

it("tells a person's denial from a refusal by the policy", () => {
  expect(outcomeOf({ status: "refused", code: "REFUSED_BY_SITE" })).toBe("denied");
  expect(outcomeOf({ status: "refused", code: "POLICY_LIMIT" })).toBe("refused");
  expect(outcomeOf({ status: "released", code: "RELEASE_WITHDRAWN" })).toBe("released");
});
