import { dependentTable, type NoisyTable, pooledMargins } from "./margins.js";

/** The tree of columns that the first sum chooses: docs/methods/synthetic-table.md#tree. */

/** A pair of columns with what the first sum says that they have in common. */
export interface PairDependence {
  readonly columns: readonly [number, number];
  /** `dependenceOf` the coarse table, less its noise. */
  readonly dependence: number;
}

/** @param sizes - coarse cells of each column @param stdDev - σ: a count of weight w has noise of standard deviation σ/w */
export function pairDependences(
  sizes: readonly number[],
  tables: readonly (NoisyTable & { readonly columns: readonly [number, number] })[],
  stdDev: number,
): PairDependence[] {
  const { counts } = pooledMargins(sizes, tables, stdDev);
  return tables.map((table) => {
    const [i, j] = table.columns;
    const own = { rows: counts[i]!, own: counts[j]!, stdDev: stdDev / table.weight };
    const dependence = dependenceOf(dependentTable(table, own).counts, sizes[i]!, sizes[j]!);
    return { columns: table.columns, dependence };
  });
}

/** The part of a table that would have to be in other cells for its columns to be independent: ½Σ|p - p_a·p_b|; 0 of an empty one. */
export function dependenceOf(counts: Float64Array, height: number, width: number): number {
  const [rows, own] = [new Float64Array(height), new Float64Array(width)];
  let total = 0;
  counts.forEach((count, cell) => {
    rows[Math.floor(cell / width)]! += count;
    own[cell % width]! += count;
    total += count;
  });
  if (!(total > 0)) return 0;
  const apart = counts.reduce(
    (sum, count, cell) =>
      sum + Math.abs(count - (rows[Math.floor(cell / width)]! * own[cell % width]!) / total),
    0,
  );
  return apart / (2 * total);
}

/** A tree of columns: each one's parent, -1 of the root, and an order in which parents come first. */
export interface ColumnTree {
  readonly parents: readonly number[];
  readonly order: readonly number[];
}

/** The tree whose pairs have the most in common together, as MST has it [MMS21], by Prim's algorithm from the root; of equals the first column. */
export function spanningTree(
  columns: number,
  root: number,
  dependences: readonly PairDependence[],
): ColumnTree {
  const common = new Float64Array(columns ** 2);
  for (const {
    columns: [i, j],
    dependence: own,
  } of dependences) {
    common[i * columns + j] = own;
    common[j * columns + i] = own;
  }
  const parents = new Array<number>(columns).fill(root);
  parents[root] = -1;
  const order = [root];
  const left = new Set(parents.keys());
  left.delete(root);
  const worth = (column: number) => common[parents[column]! * columns + column]!;
  while (left.size > 0) {
    const next = [...left].reduce((best, column) => (worth(column) > worth(best) ? column : best));
    left.delete(next);
    order.push(next);
    for (const column of left) {
      if (common[next * columns + column]! > worth(column)) parents[column] = next;
    }
  }
  return { parents, order };
}
