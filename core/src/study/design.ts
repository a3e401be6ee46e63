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

/**
 * Fills a row-major design block.
 * @param out - at least [rows × columns.length]; overwritten
 */
export function fillDesign(block: ColumnBlock, columns: readonly DesignColumn[], out: Float64Array): void {
  const d = columns.length;
  columns.forEach((column, j) => {
    const source = block.columns[column.feature]!;
    const level = column.level;
    if (level === null) for (let r = 0, o = j; r < block.rows; r++, o += d) out[o] = source[r]!;
    else for (let r = 0, o = j; r < block.rows; r++, o += d) out[o] = source[r] === level ? 1 : 0;
  });
}
