import seedrandom from "seedrandom";
import { describe, expect, it } from "vitest";
import { normalStream } from "../draws/gaussian.js";
import { aucOf } from "./auc.js";
import { type Estimate, proportion } from "./estimate.js";

/**
 * Intervals of held-out patients with several rows that go together: docs/methods/evaluation.md#patients. Nominal rates are 95 %;
 * 600 draws tell them from 92 % by three standard deviations.
 */

const draws = 600;
const bins = 12;

interface Counts {
  readonly negatives: Float64Array;
  readonly positives: Float64Array;
}

/** Rows of 1 to 5 for each patient, whose scores and labels go together; labels may differ within a patient. */
function drawn(patients: number, seed: string, weightOf: (rows: number) => number): Counts {
  const generator = seedrandom(seed);
  const uniform = () => generator.double();
  const normal = normalStream(uniform);
  const [negatives, positives] = [new Float64Array(bins), new Float64Array(bins)];
  for (let i = 0; i < patients; i++) {
    const own = 1.6 * normal();
    const rows = 1 + Math.floor(5 * uniform());
    for (let r = 0; r < rows; r++) {
      const label = uniform() < 1 / (1 + Math.exp(-2 * own - 0.4 * normal()));
      const score = own + 0.3 * normal() + 1.2;
      const bin = Math.min(bins - 1, Math.max(0, Math.floor(bins / 2 + 2 * score - 2.4)));
      (label ? positives : negatives)[bin]! += weightOf(rows);
    }
  }
  return { negatives, positives };
}

const figures: readonly [string, (counts: Counts) => Estimate][] = [
  ["the area", ({ negatives, positives }) => aucOf(negatives, positives, 0, new Float64Array(bins))],
  [
    "the accuracy",
    ({ negatives, positives }) => {
      const sum = (counts: Float64Array) => counts.reduce((all, count) => all + count, 0);
      const inside = sum(negatives.subarray(0, bins / 2)) + sum(positives.subarray(bins / 2));
      const rows = sum(negatives) + sum(positives);
      return proportion({ inside, rows, insideCells: bins, otherCells: bins, noiseStdDev: 0 });
    },
  ],
  [
    "a recall",
    ({ positives }) => {
      const rows = positives.reduce((all, count) => all + count, 0);
      const inside = positives.subarray(bins / 2).reduce((all, count) => all + count, 0);
      return proportion({ inside, rows, insideCells: bins / 2, otherCells: bins / 2, noiseStdDev: 0 });
    },
  ],
];

describe.each(figures)("the interval of %s", (_, figure) => {
  const coverage = (weightOf: (rows: number) => number) => {
    const truth = figure(drawn(200_000, "truth", weightOf)).value;
    let covered = 0;
    for (let draw = 0; draw < draws; draw++) {
      const { low, high } = figure(drawn(150, `draw ${draw}`, weightOf));
      if (low <= truth && truth <= high) covered++;
    }
    return covered / draws;
  };

  it("holds what it names at least as often as it says where each patient counts 1", () => {
    expect(coverage((rows) => 1 / rows)).toBeGreaterThan(0.92);
  });

  it("does not where each row counts 1", () => {
    expect(coverage(() => 1)).toBeLessThan(0.92);
  });
});
