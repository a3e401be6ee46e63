import type { Name } from "../said.js";

/** What a hospital's own people check before they approve a study: remarks on a profile of their table. They stay at the hospital. */
export interface ProfileSays {
  readonly "profile.none-used": { readonly rows: number };
  /** @param percent - of all rows that the study is about */
  readonly "profile.few-used": { readonly used: number; readonly rows: number; readonly percent: number };
  /** Rows that cannot be taken apart; at least so many. */
  readonly "profile.unreadable": { readonly rows: number };
  /** Rows left out because a column has no value, or one that the study refuses. */
  readonly "profile.rejects": { readonly column: Name; readonly rows: number };
  /** Cells that are no number, or no date as the study writes them. */
  readonly "profile.wrong-type": { readonly column: Name; readonly cells: number };
  /** Cells that hold none of a column's levels. */
  readonly "profile.undeclared": { readonly column: Name; readonly cells: number };
  /** @param unit - null where the study states none */
  readonly "profile.above": {
    readonly column: Name;
    readonly percent: number;
    readonly max: number;
    readonly unit: Name | null;
  };
  readonly "profile.below": {
    readonly column: Name;
    readonly percent: number;
    readonly min: number;
    readonly unit: Name | null;
  };
  /** One value beyond a bound that many rows have. */
  readonly "profile.one-value-above": {
    readonly column: Name;
    readonly rows: number;
    readonly max: number;
    readonly value: number | null;
  };
  readonly "profile.one-value-below": {
    readonly column: Name;
    readonly rows: number;
    readonly min: number;
    readonly value: number | null;
  };
  /** @param more - levels beyond those that are named */
  readonly "profile.levels-unused": {
    readonly column: Name;
    readonly levels: readonly Name[];
    readonly more: number;
  };
  /** Of the label. */
  readonly "profile.outcome-unused": {
    readonly column: Name;
    readonly levels: readonly Name[];
    readonly more: number;
  };
}
