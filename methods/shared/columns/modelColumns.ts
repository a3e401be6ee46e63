import { faults } from "@consilium/core/fault";
import { nameOf } from "@consilium/core/said";
import { designColumns } from "@consilium/core/study/design";
import { type Feature, levelsOf, missingConstantOf, missingLevel } from "@consilium/core/study/features";
import type { BroadcastSays } from "@consilium/words/says/broadcasts";
import { z } from "zod";

const fault = faults<BroadcastSays>();
const of = (column: string) => ({ column: nameOf(column) });

/** The design columns of a study as models list them, and a new row's values in them. */

/** `model.json` of a PCA release: all that is needed to reduce a new row as the sites reduced theirs. */

export const modelColumnSchema = z.strictObject({
  /** The design column's name: the feature's, or `feature=level`. */
  name: z.string(),
  /** The source column. */
  feature: z.string(),
  /** The level that a 0/1 column marks; null for a numeric feature. */
  level: z.string().nullable(),
  /** Declared bounds, in `unit`; values beyond are clamped to them. */
  min: z.number(),
  max: z.number(),
  unit: z.string().nullable(),
  /** What stands for a missing value of a numeric feature; null where a row with one is rejected. */
  missing: z.number().nullable(),
});

export type ModelColumn = z.output<typeof modelColumnSchema>;

/** The design columns of a study as a model lists them. */
export function modelColumns(features: readonly Feature[]): ModelColumn[] {
  return designColumns(features).map((column) => {
    const feature = features[column.feature]!;
    const numeric = feature.type === "numeric";
    return {
      name: column.name,
      feature: feature.name,
      level: feature.type === "categorical" ? levelsOf(feature)[column.level ?? 0]! : null,
      min: column.min,
      max: column.max,
      unit: numeric ? (feature.unit ?? null) : null,
      missing: numeric ? missingConstantOf(feature) : null,
    };
  });
}

/** A row as its source has it: numbers for numeric features, texts for categorical ones, null where missing. */
export type RawRow = Readonly<Record<string, number | string | null>>;

/**
 * A row's value in one design column: clamped to the declared bounds, in declared units; 0 or 1 for a level.
 * @throws ConsiliumError COLUMN_MISSING, VALUE_MISSING, COLUMN_TYPE, VALUE_NOT_FINITE or LEVEL_UNDECLARED, naming the
 *   column and never the value
 */
export function designValue(columns: readonly ModelColumn[], raw: RawRow, index: number): number {
  const column = columns[index]!;
  if (!Object.hasOwn(raw, column.feature)) {
    throw fault("COLUMN_MISSING", "model.no-column", of(column.feature));
  }
  const given = raw[column.feature];
  if (column.level !== null) return levelValue(columns, column.feature, column.level, given);
  const value = given ?? column.missing;
  if (value === null || value === undefined) {
    throw fault("VALUE_MISSING", "model.no-value", of(column.feature));
  }
  if (typeof value !== "number") {
    throw fault("COLUMN_TYPE", "model.text", of(column.feature));
  }
  if (!Number.isFinite(value)) {
    throw fault("VALUE_NOT_FINITE", "model.not-finite", of(column.feature));
  }
  return Math.min(column.max, Math.max(column.min, value));
}

function levelValue(
  columns: readonly ModelColumn[],
  feature: string,
  level: string,
  given: number | string | null | undefined,
) {
  const levels = columns.filter((column) => column.feature === feature).map((column) => column.level);
  const value = given ?? (levels.includes(missingLevel) ? missingLevel : null);
  if (value === null) throw fault("VALUE_MISSING", "model.no-value", of(feature));
  const text = String(value);
  if (!levels.includes(text)) {
    throw fault("LEVEL_UNDECLARED", "model.no-level", of(feature));
  }
  return text === level ? 1 : 0;
}
