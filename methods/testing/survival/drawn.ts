import { rootOf } from "@consilium/gate/root";
import type seedrandom from "seedrandom";
import { Root } from "../../shared/counts/root.js";
import { normalStream } from "../../shared/draws/gaussian.js";
import { type GroupCounts, groupCounts } from "../../survival/counts.js";

/** For tests: groups whose times follow known laws, with noise of the size that a plan gives it, as the aggregator reads them. */

export const horizon = 60;
const exponent = 8;

/** Of one group. Times are Weibull's. */
export interface Law {
  readonly records: number;
  /** Of each cause, the event first: scale of its time. */
  readonly scales: readonly number[];
  /** 1: exponential; below, hazards fall. */
  readonly shape?: number;
  /** Mean of the exponential time to the end of follow-up. */
  readonly followed: number;
}

/** Standard deviation of the noise for a sum to which a record adds 1, at ε = 1 and δ = 10⁻⁵, three sites of which one colludes. */
export const noiseAtEpsilon1 = 4.954;

export class DrawnGroups {
  readonly root: Root;
  /** Of the noise in each number of the sum. */
  readonly stdDev: number;
  readonly edges: readonly number[];
  readonly #column: Float64Array;
  readonly #intervals: number;
  readonly #uniform: () => number;
  readonly #normal: () => number;

  /** @param noise - standard deviation where a record adds 1; 0: none */
  constructor(options: {
    readonly intervals: number;
    readonly noise: number;
    readonly uniform: seedrandom.PRNG;
  }) {
    const { intervals, noise, uniform } = options;
    this.root = new Root(intervals + 1, exponent);
    this.#column = rootOf(intervals + 1, exponent);
    this.stdDev = noise * Math.hypot(...this.#column);
    this.edges = Array.from({ length: intervals + 1 }, (_, b) => (b * horizon) / intervals);
    this.#intervals = intervals;
    this.#uniform = () => uniform();
    this.#normal = normalStream(() => uniform.double());
  }

  group({ records, scales, shape = 1, followed }: Law): GroupCounts {
    const run = this.#intervals + 1;
    const cells = new Float64Array((1 + scales.length) * run);
    const uniform = this.#uniform;
    for (let r = 0; r < records; r++) {
      let time = -followed * Math.log(1 - uniform());
      let stream = 0;
      scales.forEach((scale, cause) => {
        const own = -Math.log(1 - uniform());
        const at = scale * (shape === 1 ? own : own ** (1 / shape));
        if (at < time) [time, stream] = [at, 1 + cause];
      });
      const isBeyond = time >= horizon;
      const interval = Math.max(0, Math.ceil((time * this.#intervals) / horizon) - 1);
      cells[isBeyond ? run - 1 : stream * run + interval]!++;
    }
    return groupCounts(this.#summed(cells), this.root);
  }

  /** What the sites' sum is of these cells. */
  #summed(cells: Float64Array): Float64Array {
    const run = this.#intervals + 1;
    const sums = new Float64Array(cells.length);
    for (let at = 0; at < cells.length; at += run)
      for (let i = 0; i < run; i++) {
        let sum = this.stdDev === 0 ? 0 : Math.round(this.stdDev * this.#normal());
        for (let j = 0; j <= i; j++) sum += cells[at + j]! * this.#column[i - j]!;
        sums[at + i] = sum;
      }
    return sums;
  }
}
