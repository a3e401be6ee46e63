import { unwrap } from "@consilium/core/result";
import type { ColumnBlock } from "@consilium/core/study/design";
import { asHistBoost, type HistBoostStudy } from "../../dp-histboost/study.js";
import { seededNormals } from "../../shared/draws/seededNormals.js";
import { parseStudy } from "../studies.js";

/** A small study and table for tests: two numbers, a category of three levels, a label of two. */

export interface TestRow {
  readonly values: readonly number[];
  readonly label: 0 | 1;
}

export const testStudySource = {
  name: "boosted",
  table: "t",
  analysis: "boosted-trees",
  features: [
    { name: "a", type: "numeric", min: 0, max: 8 },
    { name: "b", type: "numeric", min: 0, max: 1, edges: [0.25, 0.5, 0.6] },
    { name: "c", type: "categorical", levels: ["x", "y", "z"] },
  ],
  label: { name: "sick", levels: ["no", "yes"] },
  privacy: "none",
  participation: { minimumSites: 3, maxRowsPerSite: 5000 },
} as const;

export function testStudy(
  parameters: Record<string, unknown> = {},
  change: Record<string, unknown> = {},
): HistBoostStudy {
  const plain = { trees: 3, depth: 2, featuresPerNode: 2, bins: 8, evaluation: "none" };
  return asHistBoost(
    unwrap(parseStudy({ ...testStudySource, ...change, parameters: { ...plain, ...parameters } })),
  );
}

/** Rows of which the label depends on all three features, with some luck. */
export function testRows(count: number, seed = "rows"): TestRow[] {
  const normal = seededNormals(seed);
  return Array.from({ length: count }, () => {
    const a = Math.min(8, Math.max(0, 4 + 2 * normal()));
    const b = Math.min(1, Math.max(0, 0.5 + 0.3 * normal()));
    const c = Math.abs(Math.floor(3 * normal())) % 3;
    const score = (a - 4) / 2 + (b > 0.5 ? 1 : -1) * (c === 1 ? -1 : 1) + 0.7 * normal();
    return { values: [a, b, c], label: score > 0 ? 1 : 0 };
  });
}

export function blockOf(rows: readonly TestRow[]): ColumnBlock {
  return {
    rows: rows.length,
    columns: testStudySource.features.map((_, f) => Float64Array.from(rows, ({ values }) => values[f]!)),
    labels: Uint16Array.from(rows, ({ label }) => label),
  };
}
