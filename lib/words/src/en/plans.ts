import type { Words } from "../said.js";
import type { PlanSays } from "../says/plans.js";

export const plans: Words<PlanSays> = {
  "plan.hospitals-pooled": () =>
    "all hospitals count as one population: where the outcome differs between them for other reasons than the columns', coefficients mix what goes with a patient and what goes with a hospital",
  "plan.counts-beyond-max": ({ outcome, max }, { number }) =>
    `a count of ${outcome} beyond ${number(max)} counts as ${number(max)}: declare a max that no more than one event in 500 lies above, or no interval holds what it says`,
  "plan.unweighted-rows": ({ rows }, { number }) =>
    `intervals take rows as independent, and up to ${number(rows)} rows of one patient are not; write weighting: patients, or maxRows: 1`,
};
