import seedrandom from "seedrandom";
import type { ColumnBlock } from "../../../src/study/design.js";

/** A record of the test studies: two numbers (of a: 0 to 1, of b: -2 to 2), a level of c (0 to 2) and its class. */
export interface TestRecord {
  readonly values: readonly [number, number, number];
  readonly label: number;
}

/** Records whose first column tells the classes apart, the second one less, the category hardly. */
export function testRecords(count: number, seed: string, classes = 2): TestRecord[] {
  const uniform = seedrandom(seed);
  return Array.from({ length: count }, (): TestRecord => {
    const label = Math.floor(uniform() * classes);
    const a = (0.7 * label) / classes + 0.3 * uniform();
    const b = -1.5 + label / classes + 2 * uniform();
    return { values: [a, b, Math.floor(uniform() * 3)], label };
  });
}

export function blockOf(records: readonly TestRecord[]): ColumnBlock {
  return {
    rows: records.length,
    columns: [0, 1, 2].map((j) => Float64Array.from(records, ({ values }) => values[j]!)),
    labels: Uint16Array.from(records, ({ label }) => label),
  };
}

/** Cuts records into blocks of at most so many rows. */
export function blocksOfRows(records: readonly TestRecord[], rows: number): ColumnBlock[] {
  return Array.from({ length: Math.ceil(records.length / rows) }, (_, i) =>
    blockOf(records.slice(i * rows, (i + 1) * rows)),
  );
}
