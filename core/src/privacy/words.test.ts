import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { deltaText, epsilonDown, epsilonUp, guessText, rightInAHundred, strengthOf } from "./words.js";

describe("a cost in words", () => {
  it("has the bands that researchers use", () => {
    expect([0.5, 1, 1.001, 10, 10.5].map((epsilon) => strengthOf(epsilon).word)).toEqual([
      "strong",
      "strong",
      "moderate",
      "moderate",
      "weak",
    ]);
  });

  it("says how often a guesser is right: never less than the theorem, never under even", () => {
    expect(rightInAHundred({ epsilon: 0, delta: 0 })).toBe(50);
    expect(rightInAHundred({ epsilon: 0.5, delta: 1e-6 })).toBe(62.3);
    expect(rightInAHundred({ epsilon: 1_000, delta: 1e-6 })).toBe(100);
    const cost = { epsilon: 0.5, delta: 1e-6 };
    expect(guessText(cost, "one patient")).toMatch(
      /one patient's data were or were not used.*at most 62\.3 times/,
    );
    expect(guessText(cost, "one record of one site")).toContain("that one record was or was not used");
    fc.assert(
      fc.property(fc.double({ min: 0, max: 20, noNaN: true }), (epsilon) => {
        const right = rightInAHundred({ epsilon, delta: 1e-6 });
        const bound = (100 * (Math.exp(epsilon) + 1e-6)) / (1 + Math.exp(epsilon));
        expect(right).toBeGreaterThanOrEqual(Math.min(100, bound) - 1e-9);
        expect(right).toBeLessThan(bound + 0.11);
      }),
    );
  });

  it("rounds what is used up and what is left down, and leaves what has three decimals", () => {
    expect([0.5, 0.5001, 2.9991].map(epsilonUp)).toEqual([0.5, 0.501, 3]);
    expect([2.5, 2.4999, 0.0009].map(epsilonDown)).toEqual([2.5, 2.499, 0]);
    const thousandths = Array.from({ length: 10_000 }, (_, i) => (i + 1) / 1_000);
    expect(thousandths.map(epsilonUp)).toEqual(thousandths);
    expect(thousandths.map(epsilonDown)).toEqual(thousandths);
  });

  it("says δ as a chance", () => {
    expect(deltaText(1e-6)).toBe("1e-6 (1 in 1,000,000)");
    expect(deltaText(0.00001)).toBe("1e-5 (1 in 100,000)");
    expect(deltaText(0.5)).toBe("0.5 (1 in 2)");
    expect(deltaText(0)).toBe("0");
  });
});
