import { times } from "../dense.js";
import { dot } from "./matrices.js";

/** The least standard deviation, of a column's range, that path and prior believe in. */
export const minSpread = 1 / 40;

/**
 * Variances of the columns under the weights of an information matrix, `deviations` of its noise off, and 0 for columns that are alike in
 * all records: v_j = G_jj/γ - o_j² with γ = A'GA and o = GA/γ.
 * @returns [d], none below 0
 */
export function spreads(
  information: Float64Array,
  ones: Float64Array,
  stdDev: number,
  deviations: number,
): Float64Array {
  const d = ones.length;
  const own = times(information, ones);
  const weight = Math.max(dot(ones, own), 1e-9);
  return ones.map((one, j) =>
    one !== 0
      ? 0
      : Math.max(
          0,
          information[j * (d + 1)]! / weight - (own[j]! / weight) ** 2 - (deviations * stdDev) / weight,
        ),
  );
}

/**
 * Lower bounds of the columns' variances: the largest of all opened sums, and of their second moments pooled by precision. For the prior's scale
 * alone, never for the path: weights change, and a level of 5 % of the records may be 40 % of the information later.
 */
export class SeenSpreads {
  readonly #ones: Float64Array;
  readonly #pooled: Float64Array;
  #weight = 0;
  #bounds: Float64Array;

  constructor(ones: Float64Array) {
    this.#ones = ones;
    this.#pooled = new Float64Array(ones.length ** 2);
    this.#bounds = new Float64Array(ones.length);
  }

  get bounds(): Float64Array {
    return this.#bounds;
  }

  add(information: Float64Array, stdDev: number): void {
    const ones = this.#ones;
    const all = Math.max(dot(ones, times(information, ones)), 2 * stdDev, 1e-9);
    const weight = (all / Math.max(stdDev, 1e-9)) ** 2;
    for (let p = 0; p < this.#pooled.length; p++)
      this.#pooled[p] = this.#pooled[p]! + (weight * information[p]!) / all;
    this.#weight += weight;
    const mean = this.#pooled.map((value) => value / this.#weight);
    const here = spreads(information, ones, stdDev, 3);
    const pooled = spreads(mean, ones, 1 / Math.sqrt(this.#weight), 3);
    this.#bounds = this.#bounds.map((value, j) => Math.max(value, here[j]!, pooled[j]!));
  }
}
