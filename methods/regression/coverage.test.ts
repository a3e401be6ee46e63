import { plainKernels } from "@consilium/core/linalg/plain";
import { seededRandom } from "@consilium/core/testing/privacy/random";
import { inGate } from "@consilium/core/testing/wholeRun";
import { describe, expect, it } from "vitest";
import {
  dealtToThree,
  drawnPatients,
  type Family,
  outcomeOf,
  regressionTestStudy,
  truths,
} from "../testing/regression/patients.js";
import { simulateRegression } from "../testing/regression/simulate.js";
import { estimatesOf } from "./estimates.js";

const runs = inGate(40, { whole: 200 });
/** Four standard deviations of the part of some 5 coefficients in so many runs; two of them in the whole run. */
const room = inGate(0.06, { whole: 0.02 });
const rows = 4000;

/** Of all coefficients of all runs the part whose interval holds the truth; and the part of intervals half as wide. */
async function coverage(family: Family, epsilon: number) {
  const truth = truths[family];
  let [covered, narrow, all] = [0, 0, 0];
  for (let run = 0; run < runs; run++) {
    const study = regressionTestStudy(family, { privacy: { epsilon, delta: 1e-5 } });
    const seed = `${family} ${epsilon} ${run}`;
    const result = await simulateRegression({
      study,
      tables: dealtToThree(drawnPatients(rows, seed, outcomeOf(family))),
      kernels: plainKernels(),
      random: seededRandom(seed),
    });
    for (const { name, low, high, coefficient } of estimatesOf(study, result)) {
      const value = truth[name]!;
      all++;
      if (low <= value && value <= high) covered++;
      if (Math.abs(coefficient - value) <= (high - low) / 4) narrow++;
    }
  }
  return { covered: covered / all, narrow: narrow / all };
}

/** Of each family one figure; the others in the whole run, for they take minutes. */
const usual = [
  ["logistic", 1],
  ["linear", 4],
  ["poisson", 4],
  ["cox", 1],
] as const;
const others = [
  ["logistic", 4],
  ["linear", 1],
  ["poisson", 1],
  ["cox", 4],
] as const;

describe("intervals of 95 %", () => {
  it.each(inGate([...usual], { whole: [...usual, ...others] }))(
    "hold the truth as often as they say: %s, epsilon %d",
    async (family, epsilon) => {
      const { covered, narrow } = await coverage(family, epsilon);
      expect(covered).toBeGreaterThanOrEqual(0.95 - room);
      expect(covered).toBeLessThanOrEqual(0.95 + room);
      // The control: half as wide they do not.
      expect(narrow).toBeLessThan(0.8);
    },
  );
});
