import { noiseStdDev } from "@consilium/core/study/soundSums";
import seedrandom from "seedrandom";
import { expect, it } from "vitest";
import { normalStream } from "../shared/draws/gaussian.js";
import { RecordSums, tableStudy } from "../testing/describe.js";
import { describeResult } from "./conversation.js";
import { asDescribe, describeLayout } from "./study.js";

/** Means of columns of several shapes over draws of the noise, by fixed seeds: no test fails by chance. */

const people = 1000;
const uniform = seedrandom("joined");
const normal = normalStream(() => uniform.double());
/** Values, and what the interval of their mean is at most of that by the moment alone. */
const shapes: Readonly<Record<string, readonly [value: () => number, limit: number]>> = {
  even: [() => 100 * uniform.double(), 0.9],
  "as ages": [() => Math.min(100, Math.max(0, Math.round(60 + 14 * normal()))), 0.9],
  // Far from the middle, where the noise in the number of records counts as well: 1.16 by the moment alone.
  skewed: [() => Math.min(100, Math.exp(1 + normal())), 1.05],
  "at a cell's edge": [() => (uniform.double() < 0.7 ? 33.2032 : 71.8749), 0.9],
};
const draws = 100;

it.each(Object.entries(shapes))(
  "of %s values are unbiased, hold, and are narrower than by the moment",
  (_, [shape, limit]) => {
    const values = Array.from({ length: people }, shape);
    const mean = values.reduce((sum, value) => sum + value, 0) / people;
    const study = tableStudy(asDescribe, {
      label: undefined,
      features: [
        { name: "x", type: "numeric", min: 0, max: 100 },
        ...Array.from({ length: 2 }, (_, i) => ({ name: `y${i}`, type: "numeric", min: 0, max: 100 })),
      ],
      parameters: { bins: 20 },
      privacy: { epsilon: 1, delta: 1e-6 },
    });
    const exact = new RecordSums(study);
    for (const value of values) exact.add(Array(3).fill(value));
    const sums = exact.opened(() => 0);
    const layout = describeLayout(study);
    const stdDev = noiseStdDev(study, layout.stage, 3);
    let [error, held, half] = [0, 0, 0];
    for (let i = 0; i < draws; i++) {
      const drawn = sums.map((sum) => sum + stdDev * normal());
      const told = describeResult(study, drawn, stdDev).columns[0]!.all.numbers!.mean;
      error += (told.value - mean) / draws;
      half += (told.high - told.low) / 2 / draws;
      if (told.low <= mean && mean <= told.high) held++;
    }
    // By the moment alone: 1.96 standard deviations of its noise, which is that of one entry over twice 64 units, and of sampling.
    const { unit } = layout.numbers[0]!;
    const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / people;
    const byMoment = 1.96 * Math.hypot((100 * stdDev) / (128 * unit * people), Math.sqrt(variance / people));
    expect(Math.abs(error)).toBeLessThan(0.15 * half);
    expect(held).toBeGreaterThanOrEqual(0.95 * draws);
    expect(half / byMoment).toBeLessThan(limit);
  },
);
