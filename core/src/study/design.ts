import type { Feature } from "./features.js";
import { levelsOf } from "./features.js";

/**
 * The design matrix: numeric features are one column each, categorical ones a 0/1 column per level. The layout is
 * public, so every site and the aggregator derive the same.
 */
export interface DesignColumn {
  readonly name: string;
  /** Index into the study's features. */
  readonly feature: number;
  /** The level that this 0/1 column marks, or null for a numeric feature. */
  readonly level: number | null;
  /** Declared bounds of the column's values, in source units (0 and 1 for a level). */
  readonly min: number;
  readonly max: number;
}

export function designColumns(features: readonly Feature[]): DesignColumn[] {
  return features.flatMap((feature, index): DesignColumn[] => {
    if (feature.type === "numeric") {
      return [{ name: feature.name, feature: index, level: null, min: feature.min, max: feature.max }];
    }
    return levelsOf(feature).map((level, position) => ({
      name: `${feature.name}=${level}`,
      feature: index,
      level: position,
      min: 0,
      max: 1,
    }));
  });
}

export function designWidth(features: readonly Feature[]): number {
  return features.reduce(
    (sum, feature) => sum + (feature.type === "numeric" ? 1 : levelsOf(feature).length),
    0,
  );
}

/**
 * Writes records as rows of the design matrix in units of the declared ranges: a number as (x - min)/(max - min), a level as
 * `here` in its own column and 0 in the category's others; then each less its column's centre, times a factor. Millions of records
 * are written so: by flat arrays, a category at once.
 */
export class DesignRows {
  readonly features: number;
  /** Design columns. */
  readonly width: number;
  readonly #centre: Float64Array;
  readonly #factor: number;
  /** What a level's column holds, at that level and at others. */
  readonly #here: Float64Array;
  readonly #elsewhere: Float64Array;
  /** Of each feature: its first column, its levels (0 for a number), and what its values are measured by. */
  readonly #starts: Int32Array;
  readonly #levels: Int32Array;
  readonly #mins: Float64Array;
  readonly #ranges: Float64Array;

  /** @param about - left out: nothing is taken off, and the factor is 1 */
  constructor(
    features: readonly Feature[],
    here: number,
    about?: { readonly centre: ArrayLike<number>; readonly factor: number },
  ) {
    this.features = features.length;
    this.width = designWidth(features);
    this.#centre = Float64Array.from(about?.centre ?? new Float64Array(this.width));
    this.#factor = about?.factor ?? 1;
    this.#here = this.#centre.map((centre) => (here - centre) * this.#factor);
    this.#elsewhere = this.#centre.map((centre) => (0 - centre) * this.#factor);
    this.#starts = Int32Array.from(features, (_, f) => designWidth(features.slice(0, f)));
    this.#levels = Int32Array.from(features, (one) => (one.type === "numeric" ? 0 : levelsOf(one).length));
    this.#mins = Float64Array.from(features, (one) => (one.type === "numeric" ? one.min : 0));
    this.#ranges = Float64Array.from(features, (one) => (one.type === "numeric" ? one.max - one.min : 1));
  }

  /**
   * @param from - where the record begins in `values`
   * @param out - [width] from `at` on, overwritten
   */
  write(values: Float64Array, out: Float64Array, from = 0, at = 0): void {
    const starts = this.#starts;
    const levels = this.#levels;
    const mins = this.#mins;
    const ranges = this.#ranges;
    const centre = this.#centre;
    const elsewhere = this.#elsewhere;
    const factor = this.#factor;
    for (let f = 0; f < starts.length; f++) {
      const start = starts[f]!;
      const end = start + levels[f]!;
      const value = values[from + f]!;
      if (end === start) {
        out[at + start] = ((value - mins[f]!) / ranges[f]! - centre[start]!) * factor;
        continue;
      }
      for (let j = start; j < end; j++) out[at + j] = elsewhere[j]!;
      const column = start + value;
      if (column >= start && column < end) out[at + column] = this.#here[column]!;
    }
  }
}

/**
 * A block of rows as a site's data layer hands it out, column by column.
 * Numeric columns hold finite values within the declared bounds; categorical ones hold the level's index.
 */
export interface ColumnBlock {
  readonly rows: number;
  /** One array per feature of the study, in its order, each with at least `rows` entries. */
  readonly columns: readonly Float64Array[];
  /** The label's level per row, when the study declares a label. */
  readonly labels: Uint16Array | null;
  /** In a study whose patients weigh alike; left out of all others. */
  readonly patientRows?: PatientRows;
}

/** What each row's patient is, as far as it matters how much the row weighs: not who. */
export interface PatientRows {
  /** Per row k: how many rows of its patient the study uses, in the whole table. */
  readonly counts: Uint16Array;
  /** Per row a hash of the values of all of its patient's used rows: what decides whether the patient is held out. */
  readonly draws: Uint32Array;
}
