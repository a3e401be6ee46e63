import { expect, it } from "vitest";
import { FrameBudget, frameLimits } from "./frameBudget.js";

function takenFrom(budget: FrameBudget, tries: number): number {
  let taken = 0;
  for (let i = 0; i < tries; i++) if (budget.take()) taken++;
  return taken;
}

it("gives a burst, then so many a second, and never more than the burst", () => {
  let now = 1_000;
  const budget = new FrameBudget(() => now);
  expect(takenFrom(budget, 5_000)).toBe(frameLimits.burst);
  now += 500;
  expect(takenFrom(budget, 5_000)).toBe(frameLimits.perSecond / 2);
  now += 86_400_000;
  expect(takenFrom(budget, 5_000)).toBe(frameLimits.burst);
});

it("does not starve who asks often, nor feed who sets the clock back", () => {
  let now = 1_000_000;
  const budget = new FrameBudget(() => now);
  takenFrom(budget, 5_000);
  let taken = 0;
  for (let i = 0; i < 1_000; i++) {
    now += 1;
    if (budget.take()) taken++;
  }
  expect(Math.abs(taken - frameLimits.perSecond)).toBeLessThanOrEqual(1);
  now -= 500_000;
  expect(budget.take()).toBe(false);
});
