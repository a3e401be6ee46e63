import { describe, expect, it } from "vitest";
import { gaussianDelta } from "../privacy/analyticGaussian.js";
import { epsilonFromRho, rhoFromEpsilon } from "../privacy/conversions.js";
import { unwrap } from "../result.js";
import { type DpKaStudy, planDpKa } from "../study/dpKa.js";
import { parseStudy } from "../study/study.js";

/**
 * Why a certificate states the ε of the plan and not of the stages that took place: whoever decides by noisy results when dp-ka's
 * tests end can make the second one a lie.
 */

const privacy = { epsilon: 1, delta: 1e-5 };
const splits = {
  default: { importance: 0.4, count: 0.02, tests: 0.28, table: 0.3 },
  "nearly all to the tests": { importance: 0.01, count: 0.01, tests: 0.96, table: 0.01 },
  "nearly all to the importance": { importance: 0.96, count: 0.01, tests: 0.01, table: 0.01 },
  "nearly all to the table": { importance: 0.01, count: 0.01, tests: 0.01, table: 0.96 },
};
type Split = (typeof splits)["default"];

function studyOf(budget: Split, features: number): DpKaStudy {
  return unwrap(
    parseStudy({
      name: "stopped",
      table: "t",
      analysis: "k-anonymous-selection",
      method: "dp-ka",
      features: Array.from({ length: features }, (_, f) => ({
        name: `x${f}`,
        type: "numeric",
        min: 0,
        max: 1,
      })),
      label: { name: "y", levels: ["no", "yes"] },
      privacy,
      participation: { minimumSites: 3, maxRowsPerSite: 10_000_000 },
      parameters: {
        k: 2,
        bins: 2,
        maxCells: 64,
        trees: 1,
        depth: 1,
        budget,
        evaluation: { heldOut: 0.2, share: 0.01 },
      },
    }),
  ) as DpKaStudy;
}

/** Of the standard normal above x, right in the far tail too: by Simpson's rule. */
function upperTail(x: number): number {
  const density = (t: number) => Math.exp((-t * t) / 2) / Math.sqrt(2 * Math.PI);
  const [steps, width] = [400, 12];
  let sum = 0;
  for (let i = 0; i <= steps; i++) {
    const weight = i === 0 || i === steps ? 1 : i % 2 === 1 ? 4 : 2;
    sum += weight * density(x + (i * width) / steps);
  }
  return (sum * width) / steps / 3;
}

/** E[(1 - e^(ε - L))+] of a privacy loss L with this much so far, and variance v to come. */
function excess(epsilon: number, loss: number, v: number): number {
  const s = Math.sqrt(v);
  return (
    upperTail((epsilon - loss - v / 2) / s) -
    Math.exp(epsilon - loss) * upperTail((epsilon - loss + v / 2) / s)
  );
}

/**
 * The δ of the statement (ε of the stages that ran, δ) under the worst rule that ends the tests, of all rules that see the
 * noise: by backward induction over the privacy loss of continuous Gaussian noise.
 */
function worstDelta(budget: Split, tests: number, share: number): number {
  const rho = rhoFromEpsilon(privacy) * (1 - share);
  const own = rhoFromEpsilon(privacy) * share;
  const before = rho * (budget.importance + budget.count);
  const each = (rho * budget.tests) / tests;
  const after = rho * budget.table + own;
  const stated = (made: number) =>
    epsilonFromRho({ rho: before + made * each + after, delta: privacy.delta });
  const step = Math.sqrt(2 * each) / 4;
  const low = -1;
  const points = Math.ceil(3 / step);
  const at = (i: number) => low + i * step;
  const stop = (made: number) =>
    Float64Array.from({ length: points }, (_, i) => excess(stated(made), at(i), 2 * after));
  const reach = 24;
  const kernel = Float64Array.from({ length: 2 * reach + 1 }, (_, k) => {
    const x = (k - reach) * step - each;
    return (step / Math.sqrt(4 * Math.PI * each)) * Math.exp((-x * x) / (4 * each));
  });
  let value = stop(tests);
  for (let made = tests - 1; made >= 0; made--) {
    const next = value;
    const now = made === 0 ? null : stop(made);
    value = Float64Array.from({ length: points }, (_, i) => {
      let onwards = 0;
      for (let k = 0; k < kernel.length; k++)
        onwards += kernel[k]! * next[Math.min(points - 1, Math.max(0, i + k - reach))]!;
      return now === null ? onwards : Math.max(onwards, now[i]!);
    });
  }
  // The loss of what comes before the tests.
  let sum = 0;
  for (let i = 0; i < points; i++) {
    const x = at(i) - before;
    sum += (step / Math.sqrt(4 * Math.PI * before)) * Math.exp((-x * x) / (4 * before)) * value[i]!;
  }
  return sum;
}

describe("the ε of a study that may leave stages out", () => {
  it.each(Object.entries(splits))("is the plan's, which holds whatever is left out: %s", (_, budget) => {
    const { claim, stages } = planDpKa(studyOf(budget, 4));
    expect(claim.epsilon).toBeLessThanOrEqual(privacy.epsilon);
    expect(stages.some((stage) => stage.kind === "sum" && stage.mayBeSkipped === true)).toBe(true);
    const rho = rhoFromEpsilon(privacy);
    const whole = gaussianDelta({
      l2Sensitivity: 1,
      stdDev: 1 / Math.sqrt(2 * rho),
      epsilon: claim.epsilon!,
    });
    expect(whole).toBeLessThan(privacy.delta);
  });

  it("of the stages that ran would be too small for its δ with a split that the schema allows", () => {
    expect(studyOf(splits["nearly all to the tests"], 100).parameters.budget.tests).toBe(0.96);
    const delta = worstDelta(splits["nearly all to the tests"], 100, 0.01);
    expect(delta).toBeGreaterThan(1.3 * privacy.delta);
    expect(delta).toBeLessThan(1.6 * privacy.delta);
  });
});
