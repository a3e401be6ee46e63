import { describe, expect, it } from "vitest";
import { leastWithin } from "./search.js";

describe("leastWithin", () => {
  it("finds the least that passes, to 2^-46, in few evaluations where the bound is smooth", () => {
    for (const [bound, truth] of [
      [(x: number) => 1 / x, 1 / 3],
      [(x: number) => Math.exp(-x) / x, 0.9119],
      [(x: number) => x ** -40, 3 ** (-1 / 40)],
    ] as const) {
      let calls = 0;
      const target = bound(truth);
      const counted = (x: number) => {
        calls++;
        return bound(x);
      };
      const found = leastWithin(counted, target, truth / 20, truth * 20);
      expect(bound(found)).toBeLessThanOrEqual(target);
      expect(found / truth - 1).toBeLessThan(2 ** -45);
      expect(calls).toBeLessThan(16);
    }
  });

  it("needs no smoothness: a step is found in the steps of a bisection", () => {
    let calls = 0;
    const step = (x: number) => {
      calls++;
      return x < Math.PI ? 1e9 : 1e-9;
    };
    const found = leastWithin(step, 1, 1e-3, 1e6);
    expect(found).toBeGreaterThanOrEqual(Math.PI);
    expect(found / Math.PI - 1).toBeLessThan(2 ** -45);
    expect(calls).toBeLessThan(60);
  });

  it("refuses ends that do not bracket the target", () => {
    expect(() => leastWithin((x) => 1 / x, 1, 2, 3)).toThrow(RangeError);
    expect(() => leastWithin((x) => 1 / x, 1, 0.1, 0.5)).toThrow(RangeError);
  });
});
