import type { ColumnBlock } from "@consilium/core/study/design";
import seedrandom from "seedrandom";

/** Rows for tests: two numbers, a category of three levels, a category of two; and a label. */
export interface TestRow {
  readonly values: readonly number[];
  readonly label: number;
}

export const testFeatures = [
  { name: "age", type: "numeric", min: 0, max: 80, edges: [20, 40, 60] },
  { name: "pressure", type: "numeric", min: 0, max: 1 },
  { name: "ward", type: "categorical", levels: ["a", "b", "c"] },
  { name: "smoker", type: "categorical", levels: ["no", "yes"] },
];

/** Rows whose label goes with pressure first, then with the ward. */
export function testRows(
  count: number,
  options: { readonly classes: number; readonly seed: string },
): TestRow[] {
  const random = seedrandom(options.seed);
  return Array.from({ length: count }, () => {
    const values = [80 * random(), random(), Math.floor(3 * random()), Math.floor(2 * random())];
    const score = values[1]! + (values[2] === 1 ? 0.4 : 0) + 0.002 * values[0]! + 0.3 * random();
    const label = Math.min(options.classes - 1, Math.floor((options.classes * score) / 1.6));
    return { values, label };
  });
}

/** @param width - features, those of the test's own first */
export function blockOf(rows: readonly TestRow[], width = testFeatures.length): ColumnBlock {
  return {
    rows: rows.length,
    columns: Array.from({ length: width }, (_, f) => Float64Array.from(rows, ({ values }) => values[f]!)),
    labels: Uint16Array.from(rows, ({ label }) => label),
  };
}

/** The rows dealt to sites as a seed says, some of which may get none; of each site one or two blocks. */
export function dealt(rows: readonly TestRow[], sites: number, seed: string): ColumnBlock[][] {
  const random = seedrandom(seed);
  const own: TestRow[][] = Array.from({ length: sites }, () => []);
  for (const row of rows) own[Math.floor(random() ** 2 * sites)]!.push(row);
  return own.map((part) => {
    const half = Math.floor(part.length / 2);
    return [blockOf(part.slice(0, half)), blockOf(part.slice(half))];
  });
}
