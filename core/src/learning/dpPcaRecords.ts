import { ConsiliumError } from "../errors.js";
import { exceeds, quantiseRecord } from "../privacy/quantise.js";
import { type ColumnBlock, type DesignColumn, designColumns } from "../study/design.js";
import { type DpPcaLayout, type DpPcaStudy, directionExponent } from "../study/dpPca.js";
import { type DpPcaBall, distanceCounts } from "../study/dpPcaBall.js";
import { rowsPerSlice } from "./normalise.js";

/**
 * Rows as dp-pca adds them up: integers whose length is certain.
 *
 * A row u, mapped to the declared ranges, becomes y = clip_1((u - c0)/R), then a = trunc(2^h·y) with |a|² ≤ 4^h in
 * exact integers, then ã = (a, K). So |ã|² ≤ 4^h + K² = A whatever the row held: no rounding before this can make a
 * record count for more. Every step is a function of the one row and of public numbers, so that adding or removing
 * another row changes nothing of this one; and of IEEE operations in a fixed order, so that all machines agree.
 */
export class RecordQuantiser {
  readonly #columns: readonly DesignColumn[];
  readonly #layout: DpPcaLayout;
  readonly #ball: DpPcaBall;
  readonly #inverseRadius: number;
  readonly #scale: number;
  readonly #limit: number;
  /** Rows that are loaded at once. */
  readonly rowsAtMost: number;
  readonly #rows: Float64Array;

  constructor(study: DpPcaStudy, layout: DpPcaLayout, ball: DpPcaBall) {
    this.#columns = designColumns(study.features);
    this.#layout = layout;
    this.#ball = ball;
    this.#inverseRadius = 1 / ball.radius;
    this.#scale = 2 ** layout.gridExponent;
    this.#limit = 4 ** layout.gridExponent;
    this.rowsAtMost = Math.min(rowsPerSlice(layout.columns), study.participation.maxRowsPerSite);
    this.#rows = new Float64Array(this.rowsAtMost * layout.columns);
  }

  /**
   * Takes rows of a block, column by column: (u - c0)/R.
   * @param from - first row
   * @param rows - at most `rowsAtMost`
   */
  load(block: ColumnBlock, from: number, rows: number): void {
    const out = this.#rows;
    const d = this.#layout.columns;
    const inverse = this.#inverseRadius;
    this.#columns.forEach((column, j) => {
      const source = block.columns[column.feature]!;
      const centre = this.#ball.centre[j]!;
      const { level, min } = column;
      if (level === null) {
        const range = column.max - min;
        for (let r = 0, o = j; r < rows; r++, o += d) {
          out[o] = ((source[from + r]! - min) / range - centre) * inverse;
        }
      } else {
        const here = (1 - centre) * inverse;
        const elsewhere = -centre * inverse;
        for (let r = 0, o = j; r < rows; r++, o += d) out[o] = source[from + r] === level ? here : elsewhere;
      }
    });
  }

  /**
   * Writes ã of a loaded row.
   * @param row - its place among the loaded ones
   * @param out - at least offset + d + 1; integers, the last one K
   * @throws ConsiliumError VALUE_NOT_FINITE naming the column
   */
  write(row: number, out: Float64Array, offset: number): void {
    const d = this.#layout.columns;
    const rows = this.#rows;
    const start = row * d;
    let squares = 0;
    for (let p = start; p < start + d; p++) squares += rows[p]! * rows[p]!;
    // A little inside of the ball, so that the check below hardly ever has work to do.
    const factor = squares > 1 ? this.#scale * ((1 - 2 ** -40) / Math.sqrt(squares)) : this.#scale;
    let norm = 0;
    for (let p = start, o = offset; p < start + d; p++, o++) {
      const integer = Math.trunc(rows[p]! * factor) + 0;
      out[o] = integer;
      // Sums of squares stay below 2^53 where the limit is met, so this sum is exact or above the limit.
      norm += integer * integer;
    }
    if (!(norm <= this.#limit)) this.#shorten(row, out.subarray(offset, offset + d));
    out[offset + d] = this.#layout.kappaUnits;
  }

  /**
   * Which count of distances a loaded row belongs to: 0 beyond the ball's radius R, i up to 1 less than the last where R²/2^i <
   * r² ≤ R²/2^(i-1), and the last where it is nearer. One of them, whatever the row holds.
   * @throws ConsiliumError VALUE_NOT_FINITE naming the column
   */
  distance(row: number): number {
    const d = this.#layout.columns;
    const rows = this.#rows;
    let squares = 0;
    for (let p = row * d; p < (row + 1) * d; p++) squares += rows[p]! * rows[p]!;
    if (!Number.isFinite(squares)) this.#refuseUnfit(row);
    let count = 0;
    for (let limit = 1; count < distanceCounts - 1 && squares <= limit; limit /= 2) count++;
    return count;
  }

  #refuseUnfit(row: number): void {
    const d = this.#layout.columns;
    const broken = this.#rows.subarray(row * d, (row + 1) * d).findIndex((value) => !Number.isFinite(value));
    if (broken < 0) return;
    throw new ConsiliumError(
      "VALUE_NOT_FINITE",
      `column "${this.#columns[broken]!.name}" holds a value that is NaN or infinite`,
    );
  }

  /** A row whose length on the grid is too large, or no number: rare, so plainly. */
  #shorten(row: number, out: Float64Array): void {
    const d = this.#layout.columns;
    this.#refuseUnfit(row);
    const values = this.#rows.slice(row * d, (row + 1) * d);
    const { gridExponent } = this.#layout;
    quantiseRecord({ values, gridExponent, squaredNormLimit: this.#limit, out });
  }
}

/**
 * What a broadcast of directions must be: k vectors of d multiples of 2^-24, orthonormal but for their rounding. The
 * proof of privacy needs none of this, for the length of what is added is checked for every record; but a site does
 * not answer an aggregator that asks for something else than the plan says.
 * @param values - [k × d] row-major
 * @returns the same in units of 2^-24, integers
 * @throws ConsiliumError BROADCAST_INVALID
 */
export function checkDirections(values: Float64Array, k: number, d: number): Float64Array {
  const refuse = (what: string): never => {
    throw new ConsiliumError("BROADCAST_INVALID", `the broadcast directions: ${what}`);
  };
  if (values.length !== k * d) refuse(`${values.length} numbers instead of ${k * d}`);
  const scale = 2 ** directionExponent;
  const integers = values.map((value) => value * scale);
  if (!integers.every((value) => Number.isInteger(value) && Math.abs(value) <= scale)) {
    refuse(`not multiples of 2^-${directionExponent} from -1 to 1`);
  }
  // Each entry is off by at most half a unit, a vector by √d/2 units, a product of two by at most √d units and a bit.
  const tolerance = (2 * Math.sqrt(d) + 1) / scale;
  for (let i = 0; i < k; i++) {
    for (let j = i; j < k; j++) {
      let product = 0;
      for (let c = 0; c < d; c++) product += values[i * d + c]! * values[j * d + c]!;
      if (!(Math.abs(product - (i === j ? 1 : 0)) <= tolerance)) refuse(`${i} and ${j} are not orthonormal`);
    }
  }
  return integers;
}

/** Directions as they are broadcast: rounded to multiples of 2^-24. */
export function roundedDirections(directions: Float64Array): Float64Array {
  const scale = 2 ** directionExponent;
  return directions.map((value) => Math.round(value * scale) / scale + 0);
}

/**
 * b̃ = (b, K) with b = trunc(V̂a) of one record, |b|² ≤ 4^h in exact integers: shortened where it were longer.
 * @param record - holds a, [d] integers, from `at`
 * @param directions - [k × d] as `checkDirections` gives them
 * @param out - at least offset + k + 1
 */
export function projectRecord(options: {
  readonly layout: DpPcaLayout;
  readonly record: Float64Array;
  readonly at: number;
  readonly directions: Float64Array;
  readonly out: Float64Array;
  readonly offset: number;
}): void {
  const { layout, record, at, directions, out, offset } = options;
  const { columns: d, components: k, gridExponent } = layout;
  const limit = 4 ** gridExponent;
  const unit = 2 ** -directionExponent;
  for (let i = 0, p = 0; i < k; i++) {
    // By Cauchy-Schwarz every partial sum stays below 2^20·2^25: exact in any order.
    let product = 0;
    for (let j = at; j < at + d; j++, p++) product += directions[p]! * record[j]!;
    out[offset + i] = Math.trunc(product * unit) + 0;
  }
  const reduced = out.subarray(offset, offset + k);
  if (exceeds(reduced, limit)) {
    quantiseRecord({ values: reduced.slice(), gridExponent: 0, squaredNormLimit: limit, out: reduced });
  }
  out[offset + k] = layout.kappaUnits;
}
