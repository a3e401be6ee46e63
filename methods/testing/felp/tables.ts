import type { ColumnBlock } from "@consilium/core/study/design";
import seedrandom from "seedrandom";
import { blockVector } from "../../felp-s/blocks.js";
import type { FelpSStudy } from "../../felp-s/study.js";
import type { UnitTable } from "../../shared/local-learning/unitRows.js";

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

/** Σ over blocks of their answers, each row in the block that is said. */
export async function blockSums(options: {
  readonly study: FelpSStudy;
  readonly table: UnitTable;
  readonly blocks: Uint32Array;
}): Promise<Float64Array> {
  const { study, table, blocks } = options;
  const { columns: d } = table;
  const sums = new Float64Array(study.features.length);
  for (const block of new Set(blocks)) {
    const rows = [...blocks.keys()].filter((row) => blocks[row] === block);
    const part: UnitTable = {
      rows: rows.length,
      columns: d,
      values: Float64Array.from(rows.flatMap((row) => [...table.values.subarray(row * d, (row + 1) * d)])),
      labels: Uint16Array.from(rows, (row) => table.labels[row]!),
    };
    const own = await blockVector(study, part, async () => {});
    for (let j = 0; j < sums.length; j++) sums[j]! += own[j]!;
  }
  return sums;
}
