import type { AnySaid, Name, None } from "@consilium/words/said";

/** A share of rows or patients with its 95% noise interval, at a bound of `cap`. */
type Bounded = {
  readonly cap: number;
  readonly share: number;
  readonly low: number;
  readonly high: number;
};

/** Terms of a list, of which `more` are not in it. */
type Terms = { readonly terms: readonly Name[]; readonly more: number };

/** The release of a regression. Shares are from 0 to 1; `noise` is 1 where noise was added, else 0. */
export interface RegressionSays {
  "regression.gram": { columns: number; outcome: Name };
  "regression.squares": { columns: number };
  "regression.exposures": None;
  "regression.follow-up": { intervals: number };
  "regression.sums-logistic": { parameters: number };
  "regression.sums-poisson": { parameters: number };
  "regression.sums-cox": { parameters: number };
  readonly "regression.log-odds": { readonly label: Name; readonly level: Name; readonly reference: Name };
  readonly "regression.mean": {
    readonly outcome: Name;
    readonly residual: number;
    readonly rSquared: number;
  };
  readonly "regression.log-rate": { readonly outcome: Name; readonly exposure: Name | null };
  readonly "regression.log-hazard": { readonly label: Name; readonly event: Name; readonly time: Name };
  readonly "regression.events": { readonly events: number; readonly time: Name };
  /** Of patients whose follow-up was cut at a cumulative hazard. */
  readonly "regression.cut": Bounded;
  readonly "regression.counts": {
    readonly outcome: Name;
    readonly total: number;
    readonly dispersion: number;
  };
  /** Of rows whose count was at least so far below its mean. */
  readonly "regression.at-bound": Bounded;
  readonly "regression.equal-variances": Record<never, never>;
  readonly "regression.intervals": { readonly noise: number };
  readonly "regression.weighted-rows": Record<never, never>;
  readonly "regression.associations": Record<never, never>;
  readonly "regression.pooled": Record<never, never>;
  readonly "regression.predicting": Record<never, never>;
  readonly "regression.calibrated": { readonly intercept: number; readonly slope: number };
  /** Held-out rows show no need of a calibration beyond their noise. */
  readonly "regression.not-calibrated": Record<never, never>;
  /** @param change - root mean square in the linear predictor. @param misfit - χ² of the last sum with `freedom` degrees */
  readonly "regression.convergence": {
    readonly sums: number;
    readonly change: number;
    readonly misfit: number;
    readonly freedom: number;
  };
  readonly "regression.separated": { readonly label: Name };
  readonly "regression.few-outcomes": { readonly what: Name; readonly count: number };
  readonly "regression.unbounded": { readonly noise: number } & Terms;
  readonly "regression.few-events": Terms;
  readonly "regression.wide-bounds": Terms;
  readonly "regression.not-arrived": Record<never, never>;
  /** Limits of a model, on its card. */
  readonly "regression.elsewhere": Record<never, never>;
  readonly "regression.no-device": Record<never, never>;
  "regression.few-rows": { expected: AnySaid; bearable: number; of: number };
  "regression.variant": None;
  "regression.many-coefficients": { coefficients: number; max: number };
  "regression.no-interval": { rows: number; units: AnySaid; coefficients: number };
  "regression.other-parameter": { families: readonly Name[]; family: Name };
  "regression.holds-none-out": { family: Name };
  "regression.feature-needed": None;
  "regression.no-label": { family: Name };
  "regression.label-missing": { family: Name };
  "regression.two-levels": { levels: number };
  "regression.event-missing": { levels: readonly Name[] };
  "regression.role-missing": { role: Name };
  "regression.not-numeric": { column: Name };
  "regression.is-counted": { column: Name };
  "regression.exposure-zero": None;
  "regression.time-zero": None;
  "regression.counts-zero": None;
  "regression.value-below": { min: number };
  "regression.value-missing": None;
}
