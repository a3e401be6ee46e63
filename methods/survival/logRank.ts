import { upperGamma } from "@consilium/core/linalg/upperGamma";
import { EigenvalueDecomposition, Matrix } from "ml-matrix";
import { atRisk, atRiskStdDev, type GroupCounts, nobody, riskDeviations } from "./counts.js";

/** Whether the groups' hazards differ: the log-rank test [Man66] with the noise in its variance. */
export interface LogRank {
  readonly statistic: number;
  /** Rank of the covariance: one less than the groups, unless a direction has next to no variance. */
  readonly degreesOfFreedom: number;
  readonly pValue: number;
  /** Of each group, up to the test's last interval; expected: if all groups had one hazard. */
  readonly observed: readonly number[];
  readonly expected: readonly number[];
  /** Intervals that the test compares, from the first on. */
  readonly intervals: number;
}

/**
 * Σ_b (d_gb - d_b·m_gb/m_b) of each group, over the pseudo-inverse of its covariance: the hypergeometric one, and to first order that of
 * the noise (docs/methods/survival.md#log-rank).
 * @param stdDev - of the noise in each count
 * @returns null where there is nothing to compare: one group, no events, nobody at risk in one of the groups, or no variance
 * @throws RangeError where a count is not finite
 */
export function logRankTest(groups: readonly GroupCounts[], stdDev: number): LogRank | null {
  const all = groups[0]!.events.length;
  const risks = groups.map(atRisk);
  const exposed = groups.map(({ censored }, g) => risks[g]!.map((risk, b) => risk - censored[b]! / 2));
  const total = (arrays: readonly Float64Array[], b: number) => arrays.reduce((sum, one) => sum + one[b]!, 0);
  const events = groups.map((one) => one.events);
  let used = 0;
  const isCompared = (b: number) => {
    const noise = Math.sqrt(groups.length) * riskDeviations * atRiskStdDev(stdDev, all, b);
    return (
      exposed.every((one) => one[b]! > nobody) &&
      total(exposed, b) - total(events, b) > Math.max(nobody, noise)
    );
  };
  while (used < all && isCompared(used)) used++;
  const sums = new LogRankSums(groups.length, stdDev);
  for (let b = 0; b < used; b++)
    sums.add(
      events.map((one) => one[b]!),
      exposed.map((one) => one[b]!),
    );
  return sums.result(used, 2 * (all - used) + 1);
}

class LogRankSums {
  readonly #groups: number;
  readonly #stdDev: number;
  readonly #observed: number[];
  readonly #expected: number[];
  /** [G × G] */
  readonly #variance: Matrix;
  readonly #noise: Matrix;
  /** Row h: Σ_b r_b·(δ_gh - p_gb), less what each record at risk in group h takes from every group's difference. */
  readonly #taken: Float64Array[];

  constructor(groups: number, stdDev: number) {
    this.#groups = groups;
    this.#stdDev = stdDev;
    this.#observed = new Array<number>(groups).fill(0);
    this.#expected = new Array<number>(groups).fill(0);
    this.#variance = Matrix.zeros(groups, groups);
    this.#noise = Matrix.zeros(groups, groups);
    this.#taken = Array.from({ length: groups }, () => new Float64Array(groups));
  }

  /** One interval. */
  add(events: readonly number[], exposed: readonly number[]): void {
    const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
    const [d, m] = [sum(events), sum(exposed)];
    const rate = d / m;
    const parts = exposed.map((one) => one / m);
    const spread = m > 1 ? (d * (m - d)) / (m - 1) : 0;
    for (let g = 0; g < this.#groups; g++) {
      this.#observed[g] = this.#observed[g]! + events[g]!;
      this.#expected[g] = this.#expected[g]! + d * parts[g]!;
    }
    addTo(this.#variance, (g, h) => spread * parts[g]! * ((g === h ? 1 : 0) - parts[h]!));
    this.#taken.forEach((taken, h) => {
      const own = parts.map((part, g) => (g === h ? 1 : 0) - part);
      const ofEvent = own.map((q, g) => q - taken[g]! - rate * q);
      const ofCensored = own.map((q, g) => -taken[g]! - (rate * q) / 2);
      addTo(this.#noise, (g, k) => ofEvent[g]! * ofEvent[k]! + ofCensored[g]! * ofCensored[k]!);
      own.forEach((q, g) => {
        taken[g] = taken[g]! + rate * q;
      });
    });
  }

  /** @param later - cells of a group after the last interval */
  result(intervals: number, later: number): LogRank | null {
    for (const taken of this.#taken) addTo(this.#noise, (g, k) => later * taken[g]! * taken[k]!);
    if (this.#groups === 1 || !this.#observed.some((one) => one > nobody)) return null;
    const covariance = Matrix.add(this.#variance, Matrix.mul(this.#noise, this.#stdDev ** 2));
    const differences = this.#observed.map((one, g) => one - this.#expected[g]!);
    const { statistic, degreesOfFreedom } = weighed(differences, covariance);
    if (degreesOfFreedom === 0) return null;
    return {
      statistic,
      degreesOfFreedom,
      pValue: upperGamma(degreesOfFreedom / 2, statistic / 2),
      observed: this.#observed,
      expected: this.#expected,
      intervals,
    };
  }
}

/** Eigenvalues below this part of the largest are rounding: differences of all groups add up to 0, so that one always is. */
const negligible = 1e-9;

/** x'C⁺x and the rank of C. @param covariance - [n × n] symmetric to the bit, positive semidefinite up to rounding */
function weighed(x: readonly number[], covariance: Matrix) {
  if (!covariance.to1DArray().every(Number.isFinite)) throw new RangeError("a covariance is not finite");
  const { realEigenvalues, eigenvectorMatrix } = new EigenvalueDecomposition(covariance, {
    assumeSymmetric: true,
  });
  const least = negligible * Math.max(...realEigenvalues);
  let [statistic, degreesOfFreedom] = [0, 0];
  realEigenvalues.forEach((variance, k) => {
    if (variance <= least || variance <= 0) return;
    const along = x.reduce((sum, value, g) => sum + value * eigenvectorMatrix.get(g, k), 0);
    statistic += along ** 2 / variance;
    degreesOfFreedom++;
  });
  return { statistic, degreesOfFreedom };
}

/** Adds a symmetric matrix, of which the upper triangle is computed: what is equal is so to the last bit. */
function addTo(matrix: Matrix, value: (row: number, column: number) => number): void {
  for (let g = 0; g < matrix.rows; g++) {
    for (let h = g; h < matrix.columns; h++) {
      const sum = matrix.get(g, h) + value(g, h);
      matrix.set(g, h, sum);
      matrix.set(h, g, sum);
    }
  }
}
