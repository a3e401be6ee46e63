import { expect, it } from "vitest";
import { ratioOf, reasonsOf } from "./estimates.js";
import { Score } from "./inference/score.js";

it("leaves out a ratio that no number holds", () => {
  expect(ratioOf(Math.log(2), { low: 0, high: Math.log(3) })).toEqual({
    value: expect.closeTo(2),
    low: 1,
    high: expect.closeTo(3),
  });
  expect(ratioOf(40, { low: -700, high: 780 })).toBeNull();
  expect(ratioOf(800, { low: 790, high: 810 })).toBeNull();
  expect(ratioOf(-800, { low: -1000, high: -600 })).toMatchObject({ value: 0, low: 0 });
});

/** A last sum of so many events at each of two levels, the first the reference. */
function ofTwoLevels(reference: number, level: number, excess = 0): Score {
  const all = reference + level;
  const column = (level - reference) / 2;
  const information = Float64Array.of(all, column, column, all / 4);
  return new Score({
    point: new Float64Array(2),
    score: Float64Array.of(excess, excess / 2),
    information,
    sampling: information,
    scoreStdDev: 1,
    informationStdDev: 0.3,
    ones: Float64Array.of(1, 0),
    curve: 1,
    reach: { perSpread: 2.5, level: 15 },
  });
}

it.each([
  [200, 200, [null, null]],
  [200, 4, ["few-events", "few-events"]],
  [4, 200, ["few-events", "few-events"]],
] as const)(
  "looks for no contrast of levels with %d and %d events where either has few",
  (reference, level, reasons) => {
    const categories = [{ from: 1, width: 1, low: -0.5 }];
    const fit = { score: ofTwoLevels(reference, level), hasArrived: true };
    expect(reasonsOf(fit, categories, 2)).toEqual(reasons);
    expect(reasonsOf(fit, [], 2)).toEqual([null, null]);
  },
);

it("counts the events of a level that there are, not those of too high a rate where the sum was asked for", () => {
  const categories = [{ from: 1, width: 1, low: -0.5 }];
  const reasons = (excess: number) =>
    reasonsOf({ score: ofTwoLevels(200, 12, excess), hasArrived: true }, categories, 2);
  expect(reasons(0)).toEqual([null, null]);
  expect(reasons(-9)).toEqual(["few-events", "few-events"]);
  expect(reasons(9)).toEqual([null, null]);
});
