import { rhoFromEpsilon } from "../privacy/conversions.js";
import { planStudy } from "./plan.js";
import type { Study } from "./study.js";

/**
 * The ρ that a study may state for itself (`privacy.rho`) where its plan's exact loss distribution is proven: less noise for the
 * same ε. It is found once, by anyone who writes the study, and stands in its text; everybody else only checks that the plan
 * keeps within ε, so that no two programs need to search alike.
 */

/** ρ is tried in steps of this part of zCDP's. */
const steps = 1024;
/** Never more than so many times zCDP's ρ: at ε = 0.01 and δ = 10^-5 it is 1.29, at ε = 1 it is 1.17. */
const mostTimes = 4;
/** Left of ε, so that a plan for other sites, whose noise is rounded otherwise, keeps within it too. */
const reserve = 2 ** -13;

export interface Calibration {
  readonly rho: number;
  /** What zCDP allows at the study's ε and δ. */
  readonly zcdpRho: number;
  /** Of the plan at `rho`, by its exact loss distribution. */
  readonly epsilon: number;
}

/**
 * @returns the greatest ρ of the grid with which the plan is within its ε; null where no exact accounting is proven, or it
 *   gives nothing
 */
export function calibrate(study: Study): Calibration | null {
  const { privacy } = study;
  if (study.variant !== "sound" || privacy === "none") return null;
  const zcdpRho = rhoFromEpsilon(privacy);
  const within = (multiple: number): Calibration | null => {
    const rho = Number(((zcdpRho * multiple) / steps).toPrecision(6));
    const epsilon = exactEpsilon(study, rho);
    return epsilon === null || epsilon > privacy.epsilon * (1 - reserve) ? null : { rho, zcdpRho, epsilon };
  };
  let best: Calibration | null = null;
  let [passing, failing] = [steps, mostTimes * steps];
  while (failing - passing > 1) {
    const middle = Math.floor((passing + failing) / 2);
    const found = within(middle);
    if (found === null) failing = middle;
    else [passing, best] = [middle, found];
  }
  return best;
}

/** Of the study's plan at another ρ; null where there is none. */
function exactEpsilon(study: Study, rho: number): number | null {
  if (study.privacy === "none") return null;
  const { epsilon, delta } = study.privacy;
  try {
    const { claim } = planStudy({ ...study, privacy: { epsilon, delta, rho } });
    return claim.lossDistribution?.epsilon ?? null;
  } catch (thrown) {
    if (thrown instanceof RangeError) return null;
    throw thrown;
  }
}
