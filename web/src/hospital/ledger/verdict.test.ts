import type { LedgerReportView } from "@consilium/core/hospital/ledgerViews";
import { describe, expect, it } from "vitest";
import { costText } from "./costText.js";
import { verdictOf } from "./verdict.js";

const report: LedgerReportView = {
  federation: "test",
  site: "st-mary",
  entries: 3,
  verifiedFrom: 1,
  archives: [],
  head: { sequence: 3, hash: "ab" },
  keys: ["k"],
  populations: [],
  anchors: [],
};
const anchor = (state: "held" | "reconciled" | "missing") => ({
  from: "a file",
  sequence: 2,
  hash: "cd",
  state,
});

describe("a verified ledger", () => {
  it("is intact, reconciled, or an old copy, most severe first", () => {
    expect(verdictOf(report)).toMatchObject({ tone: "ok" });
    expect(verdictOf({ ...report, anchors: [anchor("held")] }).texts[1]).toContain("contains every head");
    expect(verdictOf({ ...report, anchors: [anchor("held"), anchor("reconciled")] })).toMatchObject({
      tone: "warn",
    });
    const all = [anchor("reconciled"), anchor("missing"), anchor("held")];
    expect(verdictOf({ ...report, anchors: all })).toMatchObject({ tone: "bad" });
  });

  it("names by how many keys it was signed", () => {
    expect(verdictOf({ ...report, keys: ["k", "l"] }).texts[0]).toContain("one of this site's 2 keys");
  });
});

describe("a cost", () => {
  it("is rounded up, or has no bound", () => {
    expect(costText(null)).toBe("-");
    expect(costText({ epsilon: 0.12341, delta: 1e-6, unit: "patient", claimedEpsilon: null })).toBe(
      "ε\u00a00.124 per patient at δ\u00a01e-6",
    );
    expect(costText({ epsilon: null, delta: 1e-6, unit: "patient", claimedEpsilon: null })).toBe(
      "no proven bound",
    );
    expect(costText({ epsilon: null, delta: 1e-6, unit: "patient", claimedEpsilon: 2 })).toContain(
      "claimed: ε 2",
    );
  });
});
