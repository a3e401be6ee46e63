import type { AnySaid, Name, None, Said } from "@consilium/words/said";

/** @param column - of which groups are values; null, and no group, where all records are one */
type SurvivalGroups = { readonly column: Name | null; readonly groups: readonly Name[] };

/** `group` is one such as `arm = new`; null where all records are one. Survival: why a study is refused, what its plan warns of, and what a release says. */
export interface SurvivalSays {
  "survival.sent": { time: Name; status: Name; events: readonly Name[]; group: Name | null };
  "survival.precise": { what: AnySaid; rows: number; groups: number; within: number };
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
  /** What an interval holds. @param noise - 1: of a release with noise, else 0 */
  readonly "survival.intervals": { readonly noise: number };
  /** The error that noise adds, group by group. */
  readonly "survival.noise-errors": {
    readonly errors: readonly Said<SurvivalSays, "survival.noise-error">[];
  };
  /** @param deviation - the largest of the noise in survival, at `time`. @param wider - than an interval without noise; null where that has no width */
  readonly "survival.noise-error": {
    readonly group: Name | null;
    readonly deviation: number;
    readonly time: number;
    readonly unit: Name | null;
    readonly sampling: number;
    readonly wider: number | null;
  };
  readonly "survival.medians": { readonly medians: readonly Said<SurvivalSays, "survival.median">[] };
  /** @param value - null, as the ends of its interval, beyond the curve */
  readonly "survival.median": {
    readonly group: Name | null;
    readonly value: number | null;
    readonly low: number | null;
    readonly high: number | null;
    readonly unit: Name | null;
  };
  readonly "survival.log-rank": {
    readonly column: Name;
    readonly until: number;
    readonly unit: Name | null;
    readonly statistic: number;
    readonly freedom: number;
    readonly pValue: number;
    readonly noise: number;
  };
  /** The test compares the other groups alone. @param noise - 1: too few to stand out of it, 0: nobody is in them */
  readonly "survival.left-out": { readonly noise: number } & SurvivalGroups;
  /** Why there is no test of the groups. */
  readonly "survival.untested-nobody": { readonly column: Name };
  readonly "survival.untested-no-events": { readonly column: Name; readonly event: Name };
  readonly "survival.untested-no-variance": { readonly column: Name };
  /** @param noise - 1: the number at risk is within it, 0: it is none */
  readonly "survival.curve-ends": {
    readonly ends: readonly Said<SurvivalSays, "survival.curve-end">[];
    readonly noise: number;
  };
  readonly "survival.curve-end": {
    readonly group: Name | null;
    readonly time: number;
    readonly unit: Name | null;
  };
  readonly "survival.no-curve": { readonly noise: number } & SurvivalGroups;
  "survival.variant": None;
  "survival.ring": None;
  "survival.one-time": { columns: number };
  "survival.one-group": { columns: number };
  "survival.many-groups": { groups: number; max: number };
  "survival.time-zero": None;
  "survival.time-below": None;
  "survival.time-missing": None;
}
