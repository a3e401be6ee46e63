import type { MethodIssue } from "@consilium/core/method/method";
import { nameOf, sentences } from "@consilium/core/said";
import {
  countsMissing,
  type Feature,
  levelsOf,
  missingLevel,
  type NumericFeature,
} from "@consilium/core/study/features";
import type { StudyFaultSays } from "@consilium/words/says/studyFaults";
import { z } from "zod";
import { type BinnedFeature, binnedFeatures, binOf } from "./binning.js";

/** Columns as tables of counts have them: a cell for each interval or level, and one for missing values. */

/** A column as it is counted: its bins, and a cell for missing values, the last one, where they are counted. */
export interface CountedFeature {
  readonly binned: BinnedFeature;
  readonly cells: number;
  /** Null where rows with a missing value are left out, or a constant stands for it. */
  readonly missing: number | null;
}

/** The parameter of methods that count by interval. */
export const binsParameter = z
  .int()
  .min(2)
  .max(1000)
  .optional()
  .describe(
    "Intervals of equal width of a numeric column that declares no edges. Left out: every numeric column must declare edges.",
  );

interface CountedStudy {
  readonly features: readonly Feature[];
  readonly parameters: { readonly bins?: number | undefined };
}

/** Of a study without a fault. */
export function countedFeatures({ features, parameters }: CountedStudy): CountedFeature[] {
  const binned = binnedFeatures(features, parameters.bins ?? 2);
  return features.map((feature, f) => {
    const own = binned[f]!;
    if (!countsMissing(feature)) return { binned: own, cells: own.bins, missing: null };
    // Of a category the missing level is a bin already.
    const cells = feature.type === "numeric" ? own.bins + 1 : own.bins;
    return { binned: own, cells, missing: cells - 1 };
  });
}

/** The cell of a value among its column's. */
export function cellOf({ binned, missing }: CountedFeature, value: number): number {
  return missing !== null && Number.isNaN(value) ? missing : binOf(binned, value);
}

/** Edges of a number's intervals, ascending, [intervals + 1]. */
export const edgesOf = ({ min, max }: NumericFeature, { binned }: CountedFeature): number[] => [
  min,
  ...binned.edges,
  max,
];

/** What a cell of a column is called: an interval, a level, or missing. */
export function cellNames(feature: Feature, counted: CountedFeature): string[] {
  if (feature.type === "categorical") return [...levelsOf(feature)];
  const { binned, missing } = counted;
  const edges = edgesOf(feature, counted);
  const intervals = Array.from({ length: binned.bins }, (_, b) => {
    const end = b === binned.bins - 1 ? "]" : ")";
    return `[${edges[b]}, ${edges[b + 1]}${end}`;
  });
  return missing === null ? intervals : [...intervals, missingLevel];
}

/** Numeric columns that nothing cuts into intervals. */
export function edgeIssues({ features, parameters }: CountedStudy): MethodIssue[] {
  if (parameters.bins !== undefined) return [];
  return features.flatMap((feature, f): MethodIssue[] => {
    if (feature.type !== "numeric" || feature.edges !== undefined) return [];
    const column = nameOf(feature.name);
    return [[["features", f, "edges"], sentences<StudyFaultSays>()("fault.edges-lacking", { column })]];
  });
}
