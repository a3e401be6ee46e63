import { nearestCounts } from "../shared/counts/nearestCounts.js";
import { dependentTable, type Margins } from "./margins.js";
import type { ColumnTree } from "./tree.js";

/**
 * The distribution that rows are drawn from: a column given its parent, from the root on
 * (docs/methods/synthetic-table.md#model). Additions, multiplications and divisions alone, so that it is the same on every machine.
 */
export interface TreeModel extends ColumnTree {
  /** Of each column, the probabilities of its cells. */
  readonly margins: readonly Float64Array[];
  /** Of each column, those given its parent's cell: [parent's cells × own]; null of the root. */
  readonly conditionals: readonly (Float64Array | null)[];
  /** Whether any column's dependence on its parent is more than chance makes of noise. */
  readonly standsOut: boolean;
}

/** Times that a table is scaled to the margins of its rows and columns. */
const scalings = 50;

/** @param joints - of each column its noisy table with its parent, and the standard deviation of the noise in a count of it */
export function treeModel(
  tree: ColumnTree,
  { total, counts }: Margins,
  joints: readonly ({ readonly counts: Float64Array; readonly stdDev: number } | null)[],
): TreeModel {
  const margins = counts.map(probabilities);
  const conditionals = new Array<Float64Array | null>(counts.length).fill(null);
  let standsOut = false;
  for (const column of tree.order.slice(1)) {
    const rows = margins[tree.parents[column]!]!;
    const wanted = margins[column]!;
    const { counts: noisy, stdDev } = joints[column]!;
    const records = Math.max(0, total.noisy);
    const inRecords = (margin: Float64Array) => margin.map((part) => part * records);
    const dependent = dependentTable(
      { counts: noisy },
      { rows: inRecords(rows), own: inRecords(wanted), stdDev },
    );
    const fitted = withMargins(nearestCounts(dependent.counts, records), rows, wanted);
    standsOut ||= dependent.standsOut;
    const conditional = givenRows(fitted, wanted);
    conditionals[column] = conditional;
    margins[column] = childMargin(rows, conditional, wanted.length);
  }
  return { ...tree, margins, conditionals, standsOut };
}

/** Even where nothing is known. */
function probabilities(counts: Float64Array): Float64Array {
  const total = counts.reduce((sum, count) => sum + count, 0);
  return counts.map((count) => (total > 0 ? count / total : 1 / counts.length));
}

/** A table scaled to its columns' and its rows' margins in turn, the rows' last [DS40]. */
function withMargins(counts: Float64Array, rows: Float64Array, own: Float64Array): Float64Array {
  const width = own.length;
  const table = counts.slice();
  for (let round = 0; round < scalings; round++) {
    for (const side of ["own", "rows"] as const) {
      const wanted = side === "own" ? own : rows;
      const place = (cell: number) => (side === "own" ? cell % width : Math.floor(cell / width));
      const sums = new Float64Array(wanted.length);
      table.forEach((count, cell) => {
        sums[place(cell)]! += count;
      });
      for (let cell = 0; cell < table.length; cell++) {
        const sum = sums[place(cell)]!;
        table[cell] = sum > 0 ? (table[cell]! / sum) * wanted[place(cell)]! : 0;
      }
    }
  }
  return table;
}

/** Of a row of which nothing is known, the column's own margin. */
function givenRows(table: Float64Array, own: Float64Array): Float64Array {
  const width = own.length;
  const given = new Float64Array(table.length);
  for (let from = 0; from < table.length; from += width) {
    const row = table.subarray(from, from + width);
    const sum = row.reduce((total, count) => total + count, 0);
    given.set(sum > 0 ? row.map((count) => count / sum) : own, from);
  }
  return given;
}

function childMargin(rows: Float64Array, conditional: Float64Array, width: number): Float64Array {
  const margin = new Float64Array(width);
  conditional.forEach((part, cell) => {
    margin[cell % width]! += rows[Math.floor(cell / width)]! * part;
  });
  return margin;
}

/** What the model says of each pair of columns, also of those that are no pair of the tree: [first's cells × second's]. */
export function pairProbabilities(model: TreeModel): (first: number, second: number) => Float64Array {
  const { margins, conditionals, parents, order } = model;
  const known = new Map<string, Float64Array>();
  for (const [at, column] of order.entries()) {
    const width = margins[column]!.length;
    for (const before of order.slice(0, at)) {
      const parent = parents[column]!;
      const upTo = before === parent ? diagonal(margins[parent]!) : known.get(`${before} ${parent}`)!;
      const pair = product(upTo, conditionals[column]!, margins[parent]!.length, width);
      known.set(`${before} ${column}`, pair);
      known.set(`${column} ${before}`, transposed(pair, width));
    }
  }
  return (first, second) => known.get(`${first} ${second}`)!;
}

function diagonal(values: Float64Array): Float64Array {
  const matrix = new Float64Array(values.length ** 2);
  values.forEach((value, i) => {
    matrix[i * values.length + i] = value;
  });
  return matrix;
}

/** [h × m] times [m × w] */
function product(a: Float64Array, b: Float64Array, m: number, w: number): Float64Array {
  const h = a.length / m;
  const out = new Float64Array(h * w);
  for (let i = 0; i < h; i++) {
    for (let k = 0; k < m; k++) {
      const left = a[i * m + k]!;
      if (left === 0) continue;
      for (let j = 0; j < w; j++) out[i * w + j]! += left * b[k * w + j]!;
    }
  }
  return out;
}

/** @param width - of the matrix as it is */
function transposed(matrix: Float64Array, width: number): Float64Array {
  const height = matrix.length / width;
  return Float64Array.from(matrix, (_, i) => matrix[(i % height) * width + Math.floor(i / height)]!);
}
