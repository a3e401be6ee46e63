import { z95 } from "@consilium/core/linalg/z95";
import seedrandom from "seedrandom";
import { describe, expect, it } from "vitest";
import { normalStream } from "../draws/gaussian.js";
import { proportion } from "./estimate.js";
import { zBeyond } from "./normal.js";
import { heightsAt, rocBandOf } from "./rocBand.js";

const draws = 500;
const ranges = 20;

/** Parts of the two classes in each range, ascending score: a model of middling quality with small ranges at its ends. */
const classes = [-0.5, 0.6].map((shift) => {
  const weights = Array.from({ length: ranges }, (_, b) => Math.exp(-(((b - 9.5) / 4 - shift) ** 2) / 2));
  const total = weights.reduce((sum, one) => sum + one, 0);
  return weights.map((one) => one / total);
}) as [number[], number[]];

/** True parts above each inner cut, falling score. */
const above = (parts: readonly number[]) => {
  let sum = 0;
  return [...parts]
    .reverse()
    .slice(0, -1)
    .map((part) => (sum += part));
};
const truth = [
  { x: 0, y: 0 },
  ...above(classes[0]).map((x, i) => ({ x, y: above(classes[1])[i]! })),
  { x: 1, y: 1 },
];

function drawn(rows: readonly [number, number], noise: number, seed: string): [number[], number[]] {
  const uniform = seedrandom(seed);
  const normal = normalStream(() => uniform.double());
  return classes.map((parts, c) => {
    const counts = parts.map(() => noise * normal());
    for (let row = 0; row < rows[c]!; row++) {
      let at = 0;
      for (let left = uniform.double() - parts[0]!; left > 0 && at < ranges - 1; left -= parts[at]!) at++;
      counts[at]!++;
    }
    return counts;
  }) as [number[], number[]];
}

/** Whether the true curve lies in the band everywhere: both are straight between these places. */
function holds(negatives: readonly number[], positives: readonly number[], noise: number): boolean {
  const band = rocBandOf(
    negatives,
    positives,
    noise,
    truth.map(({ x }) => x),
  );
  return (band ?? []).every(({ falsePositive, low, high }) =>
    heightsAt(truth, falsePositive).every((y) => y >= low - 1e-12 && y <= high + 1e-12),
  );
}

describe("the band around a ROC curve", () => {
  it.each([
    [[300, 300], 0],
    [[2_000, 60], 0],
    [[300, 200], 3],
    [[150, 40], 4],
  ] as const)("%j rows, noise %d: holds the whole curve in 95 of 100", (rows, noise) => {
    const held = Array.from({ length: draws }, (_, i) =>
      holds(...drawn(rows, noise, `${rows} ${noise} ${i}`), noise),
    );
    // Three standard deviations of 500 draws below 95 %.
    expect(held.filter(Boolean).length).toBeGreaterThan(draws * 0.92);
  });

  it("needs more than intervals that hold each by itself", () => {
    const all = Array.from({ length: draws }, (_, i) =>
      drawn([300, 300], 0, `each ${i}`).every((counts, c) => {
        const falling = [...counts].reverse();
        return above(classes[c]!).every((part, cut) => {
          const inside = falling.slice(0, cut + 1).reduce((sum, one) => sum + one, 0);
          const cells = { insideCells: cut + 1, otherCells: ranges - cut - 1 };
          const { low, high } = proportion({ inside, rows: 300, ...cells, noiseStdDev: 0, z: z95 });
          return part >= low && part <= high;
        });
      }),
    );
    expect(all.filter(Boolean).length).toBeLessThan(draws * 0.8);
  });

  it("is narrow with many rows, and absent where noise hides a class or there is one range", () => {
    const [negatives, positives] = classes.map((parts) => parts.map((part) => part * 100_000)) as [
      number[],
      number[],
    ];
    const widths = rocBandOf(negatives, positives, 10)!.map(({ low, high }) => high - low);
    expect(Math.max(...widths)).toBeLessThan(0.03);
    expect(
      rocBandOf(
        negatives,
        positives.map((n) => n / 10_000),
        10,
      ),
    ).toBeNull();
    expect(rocBandOf([5], [5], 0)).toBeNull();
  });
});

it("zBeyond is a little more than the exact z", () => {
  for (const [probability, exact] of [
    [0.05, 1.959964],
    [0.05 / 38, 3.212],
    [1e-9, 6.109],
  ] as const) {
    expect(zBeyond(probability)).toBeGreaterThan(exact - 5e-4);
    expect(zBeyond(probability)).toBeLessThan(exact * 1.01);
  }
});
