import { noiseStdDev } from "@consilium/core/study/soundSums";
import seedrandom from "seedrandom";
import { expect, it } from "vitest";
import { normalStream } from "../shared/draws/gaussian.js";
import { RecordSums, tableStudy } from "../testing/describe.js";
import { describeResult } from "./conversation.js";
import { asDescribe, describeLayout } from "./study.js";

/**
 * Tables one of skewed columns of generous bounds over draws of the noise, by group: a laboratory value of lognormal spread, and whole numbers
 * of visits. Draws are by fixed seeds, so no test fails by chance.
 */

const people = 7874;
const uniform = seedrandom("skewed");
const normal = normalStream(() => uniform.double());
const rows = Array.from({ length: people }, () => {
  const ill = uniform.double() < 0.4 ? 1 : 0;
  const creatinine = Math.min(12, Math.max(0.2, Math.exp(0.37 * normal() + 0.02 + 0.1 * ill)));
  const visits = Math.min(60, Math.floor(-(2.5 + 2 * ill) * Math.log(1 - uniform.double())));
  return { values: [creatinine, visits], ill };
});

const tableOf = (epsilon: number, draws: number) => {
  const study = tableStudy(asDescribe, {
    features: [
      { name: "creatinine", type: "numeric", min: 0.2, max: 12 },
      { name: "visits", type: "numeric", min: 0, max: 60 },
    ],
    parameters: { bins: 20 },
    privacy: { epsilon, delta: 1e-6 },
  });
  const exact = new RecordSums(study);
  for (const { values, ill } of rows) exact.add(values, ill);
  const sums = exact.opened(() => 0);
  const stdDev = noiseStdDev(study, describeLayout(study).stage, 3);
  return {
    exact: describeResult(study, sums, 0),
    drawn: Array.from({ length: draws }, () =>
      describeResult(
        study,
        sums.map((sum) => sum + stdDev * normal()),
        stdDev,
      ),
    ),
  };
};

/** Of a column, over all records and by group. */
const truths = [0, 1].map((f) =>
  [null, 0, 1].map((group) => {
    const own = rows.flatMap(({ values, ill }) => (group === null || ill === group ? [values[f]!] : []));
    const mean = own.reduce((sum, value) => sum + value, 0) / own.length;
    const stdDev = Math.sqrt(own.reduce((sum, value) => sum + (value - mean) ** 2, 0) / own.length);
    const ascending = own.sort((a, b) => a - b);
    return {
      mean,
      stdDev,
      quartiles: [0.25, 0.5, 0.75].map((q) => ascending[Math.ceil(q * own.length) - 1]!),
    };
  }),
);

const inGroups = (column: ReturnType<typeof describeResult>["columns"][number]) =>
  [column.all, ...column.groups].map(({ numbers }) => numbers!);

it("have means without the bias of noise or of intervals", () => {
  const { drawn } = tableOf(1, 300);
  truths.forEach((groups, f) => {
    groups.forEach(({ mean }, g) => {
      const means = drawn.map(({ columns }) => inGroups(columns[f]!)[g]!.mean);
      const bias = means.reduce((sum, { value }) => sum + value - mean, 0) / means.length;
      const half = means.reduce((sum, { low, high }) => sum + (high - low) / 2, 0) / means.length;
      expect(Math.abs(bias) / half, `column ${f}, group ${g}`).toBeLessThan(0.1);
    });
  });
});

it("tell a standard deviation where it holds, and none that noise has made", () => {
  let printed = 0;
  for (const epsilon of [1, 20, 100]) {
    const { drawn } = tableOf(epsilon, 100);
    truths.forEach((groups, f) => {
      groups.forEach(({ stdDev }, g) => {
        const deviations = drawn.map(({ columns }) => inGroups(columns[f]!)[g]!.stdDev);
        const told = deviations.filter(({ value }) => value !== null);
        const held = (of: typeof told) =>
          of.filter(({ low, high }) => low <= stdDev && stdDev <= high).length;
        expect(held(deviations), `${epsilon}, column ${f}, group ${g}`).toBeGreaterThanOrEqual(90);
        expect(held(told)).toBeGreaterThanOrEqual(0.9 * told.length);
        for (const { value } of told) expect(Math.abs(value! / stdDev - 1)).toBeLessThan(0.5);
        printed += told.length;
      });
    });
  }
  expect(printed).toBeGreaterThan(300);
});

it("have quartiles within a small cell without noise, and whole numbers as they are", () => {
  const { exact } = tableOf(1, 0);
  truths.forEach((groups, f) => {
    groups.forEach(({ mean, stdDev, quartiles }, g) => {
      const numbers = inGroups(exact.columns[f]!)[g]!;
      const width = [11.8, 60][f]! / 256;
      expect(Math.abs(numbers.mean.value - mean)).toBeLessThan(width / 50);
      expect(Math.abs(numbers.stdDev.value! - stdDev)).toBeLessThan(width / 50);
      const own = [numbers.lowerQuartile, numbers.median, numbers.upperQuartile].map(({ value }) => value);
      own.forEach((value, i) => {
        expect(Math.abs(value - quartiles[i]!)).toBeLessThanOrEqual(width);
      });
      if (f === 1) expect(own).toEqual(quartiles);
    });
  });
});
