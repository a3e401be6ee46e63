import { nearestCounts } from "../shared/counts/nearestCounts.js";
import { naturalLog } from "../shared/draws/gaussian.js";
import { dependentTable, type NoisyTable, pooledMargins } from "./margins.js";

/** The tree of columns that the first sum chooses: docs/methods/synthetic-table.md#tree. */

/** A pair of columns with what the first sum says that they have in common. */
export interface PairDependence {
  readonly columns: readonly [number, number];
  /** Mutual information in nats, of the coarse table less its noise. */
  readonly information: number;
  /** The table, with the margins of all of them, none of its counts negative. */
  readonly counts: Float64Array;
}

/** @param sizes - coarse cells of each column @param stdDev - σ: a count of weight w has noise of standard deviation σ/w */
export function pairDependences(
  sizes: readonly number[],
  tables: readonly (NoisyTable & { readonly columns: readonly [number, number] })[],
  stdDev: number,
): PairDependence[] {
  const { total, counts } = pooledMargins(sizes, tables, stdDev);
  return tables.map((table) => {
    const [i, j] = table.columns;
    const own = { rows: counts[i]!, own: counts[j]!, stdDev: stdDev / table.weight };
    const valid = nearestCounts(dependentTable(table, own), Math.max(0, total.noisy));
    return {
      columns: table.columns,
      information: mutualInformation(valid, sizes[i]!, sizes[j]!),
      counts: valid,
    };
  });
}

/** Σ p·log(p/(p_a p_b)) of a table without negative counts, at least 0; the same on every machine. */
export function mutualInformation(counts: Float64Array, height: number, width: number): number {
  const [rows, own] = [new Float64Array(height), new Float64Array(width)];
  let total = 0;
  counts.forEach((count, cell) => {
    rows[Math.floor(cell / width)]! += count;
    own[cell % width]! += count;
    total += count;
  });
  const information = counts.reduce((sum, count, cell) => {
    const expected = (rows[Math.floor(cell / width)]! * own[cell % width]!) / total;
    return count > 0 && expected > 0 ? sum + (count / total) * naturalLog(count / expected) : sum;
  }, 0);
  return Math.max(0, information);
}

/** A tree of columns: each one's parent, -1 of the root, and an order in which parents come first. */
export interface ColumnTree {
  readonly parents: readonly number[];
  readonly order: readonly number[];
}

/** The tree whose pairs have the most information together [CL68], by Prim's algorithm from the root; of equals the first column. */
export function spanningTree(
  columns: number,
  root: number,
  dependences: readonly Pick<PairDependence, "columns" | "information">[],
): ColumnTree {
  const information = new Float64Array(columns ** 2);
  for (const {
    columns: [i, j],
    information: own,
  } of dependences) {
    information[i * columns + j] = own;
    information[j * columns + i] = own;
  }
  const parents = new Array<number>(columns).fill(root);
  parents[root] = -1;
  const order = [root];
  const left = new Set(parents.keys());
  left.delete(root);
  const worth = (column: number) => information[parents[column]! * columns + column]!;
  while (left.size > 0) {
    const next = [...left].reduce((best, column) => (worth(column) > worth(best) ? column : best));
    left.delete(next);
    order.push(next);
    for (const column of left) {
      if (information[next * columns + column]! > worth(column)) parents[column] = next;
    }
  }
  return { parents, order };
}
