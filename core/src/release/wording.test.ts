import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { epsilonText, privacySentence } from "./wording.js";

describe("an ε to read", () => {
  it.each([
    [1, "1"],
    [0.98761234, "0.9877"],
    [0.98764, "0.9877"],
    [0.9999999, "1"],
    [9.9999, "10"],
    [12.3456, "12.35"],
    [1234.5, "1235"],
    [1e-9, "1e-9"],
    [0, "0"],
  ])("%d is %s", (epsilon, text) => {
    expect(epsilonText(epsilon)).toBe(text);
  });

  it("is never below the ε, nor more than a thousandth above it", () => {
    fc.assert(
      fc.property(fc.double({ min: 1e-12, max: 1e6, noNaN: true }), (epsilon) => {
        const shown = Number(epsilonText(epsilon));
        expect(shown).toBeGreaterThanOrEqual(epsilon);
        expect(shown).toBeLessThanOrEqual(epsilon * 1.0011);
      }),
    );
  });
});

describe("privacy in a sentence", () => {
  const privacy = {
    epsilon: 0.98761234,
    delta: 1e-5,
    neighbouringRelation: "one record added or removed",
    unit: "one record of one site",
    proof: "docs/METHODS.md#x",
    reasons: [] as string[],
    countersigned: { by: 5, of: 5 },
  };

  it("never gives an ε without its verdict", () => {
    expect(privacySentence({ ...privacy, verdict: "proved" })).toBe(
      "Proven: epsilon 0.9877, delta 0.00001. It protects one record of one site (one record added or removed).",
    );
    const claimed = { ...privacy, epsilon: 1, proof: null, reasons: ["The mean is exact."] };
    expect(privacySentence({ ...claimed, verdict: "claimed by the authors, not verified" })).toBe(
      "Claimed by the authors, not verified: epsilon 1, delta 0.00001. The mean is exact.",
    );
    const none = { ...privacy, epsilon: null, delta: null, verdict: "no privacy" as const };
    expect(privacySentence(none)).toMatch(/^No privacy: /);
  });
});
