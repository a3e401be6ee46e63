import type { Margins } from "./fwell.js";
import type { UnitTable } from "./unitRows.js";

/**
 * Nearest hit and miss of every row [LYJ16]: the nearest row of its own class, and the nearest of another one, by the
 * Euclidean distance of unit coordinates. Of rows at the same distance the one that comes first in the table counts.
 * Neighbours are lists of the nearest few, so that those within any subsample are found without another search.
 */
export interface Neighbours {
  /** [rows × kept] row numbers of the same class, nearest first; -1 after the last. */
  readonly hits: Int32Array;
  /** The same of other classes. */
  readonly misses: Int32Array;
  /** Neighbours of each kind that are kept for each row. */
  readonly kept: number;
}

/** Distances that are computed before others get their turn. */
const pauseEvery = 2 ** 26;

/**
 * O(rows²·D) additions.
 * @param kept - at least 1
 * @param pause - awaited now and then
 */
export async function nearestNeighbours(
  table: UnitTable,
  kept: number,
  pause: () => Promise<void>,
): Promise<Neighbours> {
  const { rows, columns: d, values, labels } = table;
  const hits = new NearestFew(rows, kept);
  const misses = new NearestFew(rows, kept);
  let work = 0;
  for (let i = 0; i < rows; i++) {
    const own = i * d;
    // Each pair once: of every row the others still come in the table's order.
    for (let j = i + 1, at = own + d; j < rows; j++, at += d) {
      const few = labels[j] === labels[i] ? hits : misses;
      const one = few.limit(i);
      const other = few.limit(j);
      const limit = one > other ? one : other;
      let distance = 0;
      for (let c = 0; c < d && distance < limit; c++) {
        const difference = values[own + c]! - values[at + c]!;
        distance += difference * difference;
      }
      if (distance < one) few.take(i, j, distance);
      if (distance < other) few.take(j, i, distance);
    }
    work += (rows - i) * d;
    if (work > pauseEvery) {
      work = 0;
      await pause();
    }
  }
  return { hits: hits.rows, misses: misses.rows, kept };
}

/** For each row the nearest so far, ascending. */
class NearestFew {
  readonly rows: Int32Array;
  readonly #distances: Float64Array;
  readonly #kept: number;

  constructor(rows: number, kept: number) {
    this.#kept = kept;
    this.rows = new Int32Array(rows * kept).fill(-1);
    this.#distances = new Float64Array(rows * kept).fill(Number.POSITIVE_INFINITY);
  }

  /** Only what is nearer than this is taken. */
  limit(row: number): number {
    return this.#distances[(row + 1) * this.#kept - 1]!;
  }

  take(row: number, other: number, distance: number): void {
    const start = row * this.#kept;
    let at = start + this.#kept - 1;
    for (; at > start && this.#distances[at - 1]! > distance; at--) {
      this.#distances[at] = this.#distances[at - 1]!;
      this.rows[at] = this.rows[at - 1]!;
    }
    this.#distances[at] = distance;
    this.rows[at] = other;
  }
}

/**
 * z_i = |x_i - NM(x_i)| - |x_i - NH(x_i)| of the rows of a sample, the absolute differences of a feature's columns added
 * up. Rows without a hit or a miss in the sample are left out.
 * @param counts - [rows] how often each row is in the sample
 * @param featureOf - [D] the feature of each column
 * @param features - d
 */
export function marginsOf(options: {
  readonly table: UnitTable;
  readonly neighbours: Neighbours;
  readonly counts: Uint32Array;
  readonly featureOf: Uint32Array;
  readonly features: number;
}): Margins {
  const { table, neighbours, counts, featureOf, features } = options;
  const { columns: d, values } = table;
  const found: number[] = [];
  for (let i = 0; i < table.rows; i++) {
    if (counts[i] === 0) continue;
    const hit = nearestIn({
      table,
      list: neighbours.hits,
      kept: neighbours.kept,
      row: i,
      counts,
      same: true,
    });
    if (hit < 0) continue;
    const miss = nearestIn({
      table,
      list: neighbours.misses,
      kept: neighbours.kept,
      row: i,
      counts,
      same: false,
    });
    if (miss >= 0) found.push(i, hit, miss);
  }
  const rows = found.length / 3;
  const margins = new Float64Array(rows * features);
  const times = new Uint32Array(rows);
  for (let r = 0; r < rows; r++) {
    const [own, hit, miss] = [found[3 * r]!, found[3 * r + 1]!, found[3 * r + 2]!];
    times[r] = counts[own]!;
    for (let c = 0; c < d; c++) {
      const x = values[own * d + c]!;
      const entry = r * features + featureOf[c]!;
      margins[entry] =
        margins[entry]! + Math.abs(x - values[miss * d + c]!) - Math.abs(x - values[hit * d + c]!);
    }
  }
  return { rows, features, values: margins, counts: times };
}

/** The nearest neighbour of a row that is in the sample, or -1. */
function nearestIn(options: {
  readonly table: UnitTable;
  readonly list: Int32Array;
  readonly kept: number;
  readonly row: number;
  readonly counts: Uint32Array;
  readonly same: boolean;
}): number {
  const { list, kept, row, counts } = options;
  for (let at = row * kept; at < (row + 1) * kept; at++) {
    const other = list[at]!;
    if (other < 0) return -1;
    if (counts[other]! > 0) return other;
  }
  return searched(options);
}

/** None of the few that were kept is in the sample: rare, so plainly. */
function searched(options: {
  readonly table: UnitTable;
  readonly row: number;
  readonly counts: Uint32Array;
  readonly same: boolean;
}): number {
  const { table, row, counts, same } = options;
  const { rows, columns: d, values, labels } = table;
  let best = -1;
  let least = Number.POSITIVE_INFINITY;
  for (let j = 0; j < rows; j++) {
    if (j === row || counts[j] === 0 || (labels[j] === labels[row]) !== same) continue;
    let distance = 0;
    for (let c = 0; c < d && distance < least; c++) {
      const difference = values[row * d + c]! - values[j * d + c]!;
      distance += difference * difference;
    }
    if (distance < least) {
      least = distance;
      best = j;
    }
  }
  return best;
}
