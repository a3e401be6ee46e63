import type { Name } from "../said.js";

type Nothing = Record<never, never>;
type Of = { readonly column: Name };
type At = { readonly at: number; readonly unit: Name | null };

/** Forecast of a study's precision, before it runs. */
export interface ForecastSays {
  /** Names of figures. */
  readonly "forecast.count": Nothing;
  readonly "forecast.count-of": Of;
  readonly "forecast.share-of": Of;
  readonly "forecast.mean-of": Of;
  readonly "forecast.median-of": Of;
  readonly "forecast.survival": At;
  readonly "forecast.survival-of": Of & At;
  readonly "forecast.difference-of": Of;
  readonly "forecast.odds-of": Of;
  readonly "forecast.rate-of": Of;
  readonly "forecast.hazard-of": Of;
  readonly "forecast.accuracy": Nothing;
  readonly "forecast.area": Nothing;
  readonly "forecast.association-of": Of;

  /** Half of an interval's width. */
  readonly "forecast.within": { readonly half: number; readonly unit: Name | null };
  readonly "forecast.points": { readonly points: number };
  /** Factor by which a ratio's interval reaches up and down. */
  readonly "forecast.factor": { readonly factor: number };
  readonly "forecast.imprecise": Nothing;

  /** Smallest effects that are seen, over a column's whole range. */
  readonly "forecast.odds-unseen": { readonly epsilon: number; readonly ratio: number };
  readonly "forecast.rate-unseen": { readonly epsilon: number; readonly ratio: number };
  readonly "forecast.hazard-unseen": { readonly epsilon: number; readonly ratio: number };
  readonly "forecast.difference-unseen": {
    readonly epsilon: number;
    readonly difference: number;
    readonly unit: Name | null;
  };
  /** Smallest difference of two groups' curves that is seen. */
  readonly "forecast.curves-unseen": At & { readonly epsilon: number; readonly points: number };
  readonly "forecast.nothing-seen": { readonly epsilon: number };
  /** Events for each coefficient, where they are fewer than ten. */
  readonly "forecast.few-events": {
    readonly events: number;
    readonly coefficients: number;
  };
  /** `participation.expectedEvents` is left out. @param percent - of the rows that are taken to have one */
  readonly "forecast.events-assumed": { readonly percent: number };
  /**
   * Rows and ε that would do for the lines that are likely to be too wide; null where not even 32 times as much.
   * @param wide - of so many `figures`
   */
  readonly "forecast.enough": {
    readonly wide: number;
    readonly figures: number;
    readonly rows: number | null;
    readonly epsilon: number | null;
  };

  /** Why there is none. */
  readonly "forecast.unproven": Nothing;
  readonly "forecast.no-noise": Nothing;
  readonly "forecast.no-interval": Nothing;
}
