import fc from "fast-check";
import { expect, it } from "vitest";
import { sayEnglish } from "./english.js";
import { sayGerman } from "./german.js";
import { decimalsOf, roundedTo } from "./rounding.js";

const shown = (value: number | null, low: number | null, high: number | null) => {
  const decimals = decimalsOf({ value, low, high });
  return [value, low, high].map((one) => (one === null ? null : roundedTo(one, decimals)));
};

it.each([
  [1.2478, 1.1512, 1.3526, [1.25, 1.15, 1.35]],
  [4908.2, 4801.3, 5015.1, [4910, 4800, 5020]],
  [8.03, 2.04, 51.2, [8, 2, 51]],
  [31.34, 27.1, 35.9, [31, 27, 36]],
  [0.5812, 0.561, 0.602, [0.581, 0.561, 0.602]],
  [0.5, 0, 1, [0.5, 0, 1]],
  [209, null, null, [209, null, null]],
  [0.0123456, null, null, [0.0123, null, null]],
  [17.23456, 17.23456, 17.23456, [17.2, 17.2, 17.2]],
  [0, 0, 0, [0, 0, 0]],
  [59.93, 48, null, [60, 48, null]],
  [null, 48.25, null, [null, 48.3, null]],
  [4e13, 3e13, 5e13, [4e13, 3e13, 5e13]],
] as const)("%d (%s to %s)", (value, low, high, expected) => {
  expect(shown(value, low, high)).toEqual(expected);
});

it("moves no end of an interval by more than a sixth of its narrower half", () => {
  const size = fc.double({ min: 1e-9, max: 1e12, noNaN: true });
  fc.assert(
    fc.property(fc.double({ min: -1e12, max: 1e12, noNaN: true }), size, size, (value, below, above) => {
      const [low, high] = [value - below, value + above];
      fc.pre(low < value && value < high);
      const decimals = decimalsOf({ value, low, high });
      for (const one of [value, low, high])
        expect(Math.abs(roundedTo(one, decimals) - one)).toBeLessThanOrEqual(
          Math.min(below, above) / 6 + 1e-12 * Math.max(1, Math.abs(one)),
        );
    }),
  );
});

it("is what sentences show", () => {
  const of = { outcome: "status = dead", term: "age", reference: null, step: 10, unit: "years", clear: 1 };
  const params = { ...of, value: 1.2478, low: 1.1512, high: 1.3526, of: 9, chosen: 0.002, whole: 1e-9 };
  expect(sayEnglish({ code: "finding.odds-ratio", params: params as never })).toBe(
    "Odds ratio of status = dead, age (per 10 years): 1.25 (95% CI 1.15 to 1.35); the clearest of 9 terms, p = 0.002 allowing for that choice. Test of the whole model: p < 0.0001.",
  );
});

it.each([
  ["years", "per year", "pro Jahr"],
  ["Jahre", "per year", "pro Jahr"],
  ["mmHg", "per mmHg", "pro mmHg"],
  ["cigarettes", "per increase by 1; unit: cigarettes", "je Anstieg um 1; Einheit: cigarettes"],
])("names one of %s as people do", (unit, english, german) => {
  const of = { outcome: "dead", term: "age", reference: null, step: 1, unit, clear: 1 };
  const params = { ...of, value: 1.2478, low: 1.1512, high: 1.3526, of: 1, chosen: 0.002, whole: 1e-9 };
  const said = { code: "finding.odds-ratio", params: params as never } as const;
  expect(sayEnglish(said)).toContain(`age (${english}): `);
  expect(sayGerman(said)).toContain(`age (${german}): `);
});
