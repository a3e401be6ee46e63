import { describe, expect, it } from "vitest";
import { Enclosure } from "./enclosure.js";
import { portableExponential } from "./portableExponential.js";

describe("portableExponential", () => {
  it("is within 2^-48 of e^x, by exact arithmetic", () => {
    for (let i = 0; i < 4000; i++) {
      const x = i < 2000 ? -690 * (i / 2000) ** 3 : ((i * 0.6180339887) % 1) * 1400 - 700;
      if (x < -690) continue;
      const truth = Enclosure.of(x).exponential();
      const error = Enclosure.of(portableExponential(x)).dividedBy(truth).minus(Enclosure.one);
      expect(error.isAtMost(2 ** -48) && error.isAtLeast(-(2 ** -48)), String(x)).toBe(true);
    }
  });

  it("is at least e^x where that hardly is a number", () => {
    for (const x of [-690.1, -745, -1e6])
      expect(portableExponential(x)).toBeGreaterThanOrEqual(Math.exp(-690.1));
    expect(portableExponential(0)).toBe(1);
    expect(() => portableExponential(701)).toThrow(RangeError);
    expect(() => portableExponential(Number.NaN)).toThrow(RangeError);
  });

  it("uses nothing that engines compute each in its own way", () => {
    const own = [Math.exp, Math.expm1, Math.log, Math.pow] as const;
    const math = Math as unknown as Record<string, unknown>;
    const names = ["exp", "expm1", "log", "pow"];
    try {
      for (const name of names) {
        math[name] = () => {
          throw new Error(name);
        };
      }
      expect(portableExponential(-1)).toBeCloseTo(0.36787944117144233, 15);
    } finally {
      for (const [i, name] of names.entries()) math[name] = own[i];
    }
  });
});
