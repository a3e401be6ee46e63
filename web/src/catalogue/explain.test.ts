import { describe, expect, it } from "vitest";
import { explain, ledgerNote, signedInWords, toneOf, verdictInShort } from "./explain";

const certified = {
  verdict: "proved" as const,
  epsilon: 0.98761234,
  delta: 1e-5,
  unit: "one patient",
  neighbouringRelation: "add or remove one patient",
  reasons: [],
  countersigned: { by: 3, of: 4 },
};

describe("a certificate in words", () => {
  it("gives a proven bound, rounded up, and whom it protects", () => {
    const told = explain(certified);
    expect(told.headline).toBe("Privacy is proven: ε is at most 0.988 at δ 1e-5.");
    expect(told.protects).toBe("one patient.");
    // (e^0.9876 + 1e-5) / (1 + e^0.9876) = 0.7286
    expect(told.epsilon).toMatch(
      /one patient's data were or were not used.*at most 72\.9 times\. ε up to 1 is strong/,
    );
    expect(told.notProtected.join()).not.toContain("several records");
    expect(told.delta).toContain("1 in 100,000");
    expect(told.notProtected.length).toBeGreaterThan(2);
  });

  it("mentions persons with several records when the bound is per record", () => {
    const told = explain({ ...certified, unit: "one record of one site" });
    expect(told.epsilon).toContain("one record was or was not used");
    expect(told.notProtected[0]).toContain("several records");
  });

  it("never shows a claim as a bound", () => {
    const told = explain({ ...certified, verdict: "claimed by the authors, not verified", epsilon: 1 });
    expect(told.headline).toBe("Privacy is not proven. This is an as-published variant.");
    expect(told.meaning).toContain("They claim ε 1 at δ 1e-5; this is not verified");
    expect([told.epsilon, told.delta, told.protects]).toEqual([null, null, null]);
    expect(told.notProtected[0]).toContain("Any single patient");
    const without = explain({ ...certified, verdict: "no privacy", epsilon: null });
    expect([without.headline, without.epsilon]).toEqual(["No privacy: no noise was added anywhere.", null]);
  });

  it("says that the bound always holds when δ is 0", () => {
    expect(explain({ ...certified, delta: 0 }).delta).toContain("always holds");
  });

  it("says why a hospital's ledger has another ε, where one is proven", () => {
    expect(ledgerNote(certified)).toContain("the δ that the study states, 1e-5.");
    expect(ledgerNote({ verdict: "no privacy", delta: null })).toBeNull();
  });

  it("has a tone and a short text for each verdict", () => {
    expect(["proved", "no privacy", "claimed by the authors, not verified"].map(toneOf)).toEqual([
      "ok",
      "bad",
      "warn",
    ]);
    expect(verdictInShort({ verdict: "proved", epsilon: 0.5, delta: 1e-5 })).toBe(
      "Proven, ε ≤ 0.5 at δ 1e-5",
    );
    const claimed = { verdict: "claimed by the authors, not verified", epsilon: 1, delta: 1e-5 };
    expect(verdictInShort(claimed)).toBe("Claimed ε 1 at δ 1e-5, not verified");
    expect(verdictInShort({ verdict: "no privacy", epsilon: null, delta: null })).toBe("No privacy");
    expect(signedInWords(certified)).toContain("3 of 4 hospitals signed");
    expect(signedInWords({ countersigned: { by: 4, of: 4 } })).toContain("All 4 hospitals");
  });
});
