import type { Name } from "../said.js";

/** Survival: why a study is refused, what its plan warns of, and what a release says. */
export interface SurvivalSays {
  /** No curve would begin. @param rows - expected of all sites. @param needed - of which the number stands out of its noise */
  readonly "survival.noise-as-large": {
    readonly rows: number;
    readonly groups: number;
    readonly needed: number;
  };
  /** @param declared - 1: the study says how many rows it expects, 0: half of the most that there may be */
  readonly "survival.too-few-rows": {
    readonly rows: number;
    readonly groups: number;
    readonly needed: number;
    readonly declared: number;
  };
  /** Of a study that compares groups. */
  readonly "survival.few-intervals": { readonly intervals: number };
  readonly "survival.competing-event": { readonly level: Name };
  readonly "survival.no-level": {
    readonly level: Name;
    readonly column: Name;
    readonly levels: readonly Name[];
  };
  /** The two rules of the test disagree about 5 %. @param half, constant - their p values */
  readonly "survival.test-imprecise": { readonly half: number; readonly constant: number };
  /** @param groups - those with few records; empty where all records are one group */
  readonly "survival.few-records": {
    readonly records: readonly number[];
    readonly groups: readonly Name[];
    readonly needed: number;
  };
  /** What the released rows are. @param censored - levels at which records are censored, and how many more */
  readonly "survival.curves": {
    readonly status: Name;
    readonly event: Name;
    readonly time: Name;
    readonly censored: readonly Name[];
    readonly more: number;
    readonly horizon: number;
    readonly unit: Name | null;
  };
  /** What curves and incidence mean where causes compete. */
  readonly "survival.competing": { readonly event: Name; readonly competing: readonly Name[] };
}
