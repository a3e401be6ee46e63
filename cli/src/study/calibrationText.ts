import type { Calibration } from "@consilium/core/study/calibrate";
import type { Study } from "@consilium/core/study/study";

/** The calibration result for the operator. */
export function calibrationText({ privacy }: Study, found: Calibration | null): string {
  if (privacy === "none") return "No noise to calibrate: the study has no privacy.";
  const { epsilon, delta } = privacy;
  if (found === null) {
    return "No rho to set: exact accounting is not proven for every stage of this study, so its noise is sized by zCDP.";
  }
  const noise = 100 * (1 - Math.sqrt(found.zcdpRho / found.rho));
  return [
    `privacy: { epsilon: ${epsilon}, delta: ${delta}, rho: ${found.rho} }`,
    `${noise.toFixed(1)} % less noise: the plan's exact epsilon is ${found.epsilon}. Budgets are charged rho ${found.rho} instead of ${found.zcdpRho.toPrecision(6)}.`,
  ].join("\n");
}
