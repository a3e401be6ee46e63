import { type DpKaStudy, planDpKa } from "@consilium/methods/dp-ka/study";
import { parseStudy } from "@consilium/methods/testing/studies";
import { describe, expect, it } from "vitest";
import { gaussianDelta } from "../../testing/privacy/analyticGaussian.js";
import { dpKaEndings, worstStoppedDelta } from "../../testing/privacy/stopping.js";
import { rhoFromEpsilon } from "../privacy/conversions.js";
import { unwrap } from "../result.js";

/**
 * Why a certificate states the ε of the plan and not of the stages that took place: anyone who decides by noisy results when dp-ka's
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
        order: "boosting",
        budget,
        evaluation: { heldOut: 0.2, share: 0.01 },
      },
    }),
  ) as DpKaStudy;
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
    const plan = planDpKa(studyOf(splits["nearly all to the tests"], 100));
    const delta = worstStoppedDelta(dpKaEndings(plan, "realised"));
    // What the plan says holds for anyone who ends the tests.
    expect(worstStoppedDelta(dpKaEndings(plan, "plan"))).toBeLessThan(privacy.delta / 2);
    expect(delta).toBeGreaterThan(1.3 * privacy.delta);
    expect(delta).toBeLessThan(1.6 * privacy.delta);
  });
});
