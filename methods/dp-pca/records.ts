import { faults } from "@consilium/core/fault";
import { quantiseRecord } from "@consilium/core/privacy/quantise";
import { sentences } from "@consilium/core/said";
import { DesignRows } from "@consilium/core/study/design";
import type { OneRecord } from "@consilium/gate/record";
import type { AnySaid } from "@consilium/words/said";
import { type DpPcaBall, distanceCounts } from "./ball.js";
import type { DpPcaSays } from "./says.js";
import { type DpPcaLayout, type DpPcaStudy, directionExponent } from "./study.js";

/**
 * Rows as dp-pca adds them up: integers whose length is certain.
 *
 * A row u, mapped to the declared ranges, becomes y = clip_1((u - c0)/R), then a = trunc(2^h·y) with |a|² ≤ 4^h in
 * exact integers, then ã = (a, K). So |ã|² ≤ 4^h + K² = A whatever the row held: no rounding before this can make a
 * record count for more. Every step is a function of the one row and of public numbers, so that adding or removing
 * another row changes nothing of this one; and of IEEE operations in a fixed order, so that all machines agree.
 */
export class RecordQuantiser {
  readonly #design: DesignRows;
  readonly #layout: DpPcaLayout;
  readonly #scale: number;
  readonly #limit: number;
  /** (u - c0)/R of the record that was loaded. */
  readonly #row: Float64Array;
  /** Its squared length. */
  #squares = 0;

  constructor(study: DpPcaStudy, layout: DpPcaLayout, ball: DpPcaBall) {
    this.#design = new DesignRows(study.features, 1, { centre: ball.centre, factor: 1 / ball.radius });
    this.#layout = layout;
    this.#scale = 2 ** layout.gridExponent;
    this.#limit = 4 ** layout.gridExponent;
    this.#row = new Float64Array(layout.columns);
  }

  /** Takes a record: (u - c0)/R. */
  load({ values }: Pick<OneRecord, "values">): void {
    const row = this.#row;
    this.#design.write(values, row);
    let squares = 0;
    for (let j = 0; j < row.length; j++) squares += row[j]! * row[j]!;
    this.#squares = squares;
  }

  /**
   * Writes ã of the record that was loaded.
   * @param out - [d + 1] or longer; integers, the last one K
   */
  write(out: Int32Array): void {
    const row = this.#row;
    const d = row.length;
    const squares = this.#squares;
    // A little inside of the ball, so that the check below hardly ever has work to do.
    const factor = squares > 1 ? this.#scale * ((1 - 2 ** -40) / Math.sqrt(squares)) : this.#scale;
    let norm = 0;
    for (let j = 0; j < d; j++) {
      // Below 2^31, and cut as Math.trunc does, in half the time.
      const integer = (row[j]! * factor) | 0;
      out[j] = integer;
      // Sums of squares stay below 2^53 where the limit is met, so this sum is exact or above the limit.
      norm += integer * integer;
    }
    if (norm > this.#limit || !Number.isFinite(squares)) this.#shorten(out);
    out[d] = this.#layout.kappaUnits;
  }

  /**
   * Which count of distances the record belongs to: 0 beyond the ball's radius R, i up to 1 less than the last where R²/2^i <
   * r² ≤ R²/2^(i-1), and the last where it is nearer.
   * @throws RangeError where a value is no number
   */
  distance(): number {
    const squares = this.#squares;
    if (!Number.isFinite(squares)) throw new RangeError("a value is no number");
    let count = 0;
    for (let limit = 1; count < distanceCounts - 1 && squares <= limit; limit /= 2) count++;
    return count;
  }

  /** A record whose length on the grid is too large: rare, so plainly. @throws RangeError where it is no number */
  #shorten(out: Int32Array): void {
    const integers = new Float64Array(this.#row.length);
    const { gridExponent } = this.#layout;
    quantiseRecord({ values: this.#row, gridExponent, squaredNormLimit: this.#limit, out: integers });
    out.set(integers);
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
  const said = sentences<DpPcaSays>();
  const refuse = (what: AnySaid): never => {
    throw faults<DpPcaSays>()("BROADCAST_INVALID", "dp-pca.directions-invalid", { what });
  };
  if (values.length !== k * d)
    refuse(said("dp-pca.directions-length", { numbers: values.length, expected: k * d }));
  const scale = 2 ** directionExponent;
  const integers = values.map((value) => value * scale);
  if (!integers.every((value) => Number.isInteger(value) && Math.abs(value) <= scale)) {
    refuse(said("dp-pca.directions-values", { exponent: directionExponent }));
  }
  // Each entry is off by at most half a unit, a vector by √d/2 units, a product of two by at most √d units and a bit.
  const tolerance = (2 * Math.sqrt(d) + 1) / scale;
  for (let i = 0; i < k; i++) {
    for (let j = i; j < k; j++) {
      let product = 0;
      for (let c = 0; c < d; c++) product += values[i * d + c]! * values[j * d + c]!;
      if (!(Math.abs(product - (i === j ? 1 : 0)) <= tolerance))
        refuse(said("dp-pca.not-orthonormal", { first: i, second: j }));
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
 * @param record - holds a, [d] integers first
 * @param directions - [k × d] as `checkDirections` gives them
 * @param out - [k + 1]
 */
export function projectRecord(
  layout: DpPcaLayout,
  record: Int32Array,
  directions: Float64Array,
  out: Int32Array,
): void {
  const { columns: d, components: k, gridExponent } = layout;
  const limit = 4 ** gridExponent;
  const unit = 2 ** -directionExponent;
  let norm = 0;
  for (let i = 0, p = 0; i < k; i++) {
    // By Cauchy-Schwarz every partial sum stays below 2^20·2^25: exact in any order.
    let product = 0;
    for (let j = 0; j < d; j++, p++) product += directions[p]! * record[j]!;
    const integer = (product * unit) | 0;
    out[i] = integer;
    norm += integer * integer;
  }
  if (norm > limit) {
    const values = Float64Array.from(out.subarray(0, k));
    const reduced = new Float64Array(k);
    quantiseRecord({ values, gridExponent: 0, squaredNormLimit: limit, out: reduced });
    out.set(reduced);
  }
  out[k] = layout.kappaUnits;
}
