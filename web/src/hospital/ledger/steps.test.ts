import { describe, expect, it } from "vitest";
import { stepsUntil } from "./steps.js";

const at = (second: number) => `2026-05-06T00:00:0${second}.000Z`;
const point = (second: number, spent: number) => ({
  at: at(second),
  entry: second,
  spent,
  held: spent + 1,
  unproved: 0,
});

describe("a population's curve", () => {
  it("starts at 0 before the first entry and continues until now", () => {
    const now = Date.parse(at(9));
    const steps = stepsUntil({ points: [point(1, 0), point(5, 2)] }, now);
    expect(steps.map(({ spent }) => spent)).toEqual([0, 0, 2, 2]);
    expect(steps[0]!.at.getTime()).toBeLessThan(Date.parse(at(1)));
    expect(steps[0]!.held).toBe(0);
    expect(steps.at(-1)!.at.getTime()).toBe(now);
    const times = steps.map((step) => step.at.getTime());
    expect(times).toEqual([...times].sort((a, b) => a - b));
  });

  it("never goes back in time when this page's clock is behind the agent's, and is empty without entries", () => {
    const steps = stepsUntil({ points: [point(5, 1)] }, Date.parse(at(1)));
    expect(steps.at(-1)!.at.getTime()).toBe(Date.parse(at(5)));
    expect(stepsUntil({ points: [] }, 0)).toEqual([]);
  });
});
