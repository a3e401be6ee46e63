import type { Name } from "../said.js";

/** What a plan warns of, or a study is refused for, before anybody takes part. */
export interface PlanSays {
  /** A regression over several hospitals. */
  readonly "plan.hospitals-pooled": Record<never, never>;
  /** Counts of a Poisson regression. @param max - its declared one */
  readonly "plan.counts-beyond-max": { readonly outcome: Name; readonly max: number };
  /** A regression of patients with several rows that each count 1. @param rows - of a patient, at most */
  readonly "plan.unweighted-rows": { readonly rows: number };
}
