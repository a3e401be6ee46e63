import { upperGamma } from "@consilium/core/linalg/upperGamma";
import { EigenvalueDecomposition, Matrix } from "ml-matrix";
import type { Root } from "../shared/counts/root.js";
import { atRisk, atRiskNoise, type GroupCounts, lostIn, nobody } from "./counts.js";

/** χ² of one rule of who is exposed within an interval. */
interface Tested {
  readonly statistic: number;
  /** With the noise in the variance. */
  readonly pValue: number;
}

/** The log-rank test [Man66] of whether the groups' hazards differ, by both rules. */
export interface LogRank {
  /** Those who leave otherwise are exposed for half of their interval: without noise R's `survdiff` of grouped times. */
  readonly halfInterval: Tested;
  readonly constantHazards: Tested;
  /** Rank of the covariance: one less than the groups, unless a direction has next to no variance. */
  readonly degreesOfFreedom: number;
  /** At 5 %; `imprecise` where the rules disagree: the intervals are too wide for this test. */
  readonly decision: "differ" | "no evidence" | "imprecise";
  /** Events of each group, up to the test's last interval; expected: if all groups had one hazard. By the first rule. */
  readonly observed: readonly number[];
  readonly expected: readonly number[];
  /** Intervals that the test compares, from the first on. */
  readonly intervals: number;
  /** Groups of which nobody is exposed in the first interval: of them it says nothing. */
  readonly leftOut: readonly number[];
}

const level = 0.05;

/** The pooled number exposed is above 0 by so many standard deviations of its noise. */
const pooledDeviations = 4;

/** Why groups are not compared: fewer than two have anybody exposed, no event was counted, or no difference of them has a variance. */
export type Untested = "nobody" | "no-events" | "no-variance";

/**
 * Σ_b (d_gb - d_b·m_gb/m_b) of each group, over the pseudo-inverse of its covariance: that of drawing the events, and to first order that of
 * the noise (docs/methods/survival.md#log-rank).
 * @param groups - their noisy counts as they are: what makes counts valid would bias a difference of groups
 * @param stdDev - of the noise in each number of the sum
 * @returns step by step, each some 15 ms with 12 groups and 1,000 intervals; null where there is one group alone
 * @throws RangeError where a count is not finite
 */
export function* logRankSteps(
  groups: readonly GroupCounts[],
  root: Root,
  stdDev: number,
): Generator<void, LogRank | Untested | null> {
  const risks = groups.map(atRisk);
  if (!risks.every((one) => one.every(Number.isFinite))) throw new RangeError("a count is not finite");
  if (groups.length === 1) return null;
  const until = exposedUntil(groups, risks, stdDev);
  const intervals = comparedIntervals(groups, risks, { until, root, stdDev });
  if (intervals === 0) return "nobody";
  const compared = { groups, risks, until, root, stdDev, intervals };
  const half = yield* testedBy(halfInterval, compared);
  if (typeof half === "string") return half;
  const constant = yield* testedBy(constantHazards, compared);
  if (typeof constant === "string") return constant;
  const isBelow = [half, constant].map(({ pValue }) => pValue < level);
  return {
    halfInterval: { statistic: half.statistic, pValue: half.pValue },
    constantHazards: { statistic: constant.statistic, pValue: constant.pValue },
    degreesOfFreedom: half.degreesOfFreedom,
    decision: isBelow[0] !== isBelow[1] ? "imprecise" : isBelow[0] ? "differ" : "no evidence",
    observed: half.observed,
    expected: half.expected,
    intervals,
    leftOut: until.flatMap((end, g) => (end === 0 ? [g] : [])),
  };
}

/** The same at once; null wherever groups are not compared. */
export function logRankTest(...of: Parameters<typeof logRankSteps>): LogRank | null {
  const steps = logRankSteps(...of);
  let step = steps.next();
  while (!step.done) step = steps.next();
  return typeof step.value === "string" ? null : step.value;
}

/** Those exposed in an interval, with the derivatives by the counts. */
interface Exposed {
  readonly value: number;
  readonly byRisk: number;
  readonly byEvents: number;
  readonly byLost: number;
}

interface Rule {
  exposed(risk: number, events: number, lost: number): Exposed;
  /** Variance of the number of events. */
  variance(events: number, exposed: number): number;
}

const halfInterval: Rule = {
  exposed: (risk, _, lost) => ({ value: risk - lost / 2, byRisk: 1, byEvents: 0, byLost: -1 / 2 }),
  variance: (events, exposed) => (exposed > 1 ? (events * Math.max(0, exposed - events)) / (exposed - 1) : 0),
};

/** (n - n')/log(n/n'): their time in the interval, over its width, where hazards are constant. */
const constantHazards: Rule = {
  exposed(risk, events, lost) {
    const least = Math.min(1, risk) / 2;
    const after = risk - events - lost;
    const isCut = after < least;
    const { value, byFirst, bySecond } = logarithmicMean(risk, isCut ? least : after);
    const byAfter = isCut ? 0 : bySecond;
    return { value, byRisk: byFirst + byAfter, byEvents: -byAfter, byLost: -byAfter };
  },
  variance: (events) => events,
};

function logarithmicMean(first: number, second: number) {
  if (Math.abs(first - second) < 1e-6 * first)
    return { value: (first + second) / 2, byFirst: 1 / 2, bySecond: 1 / 2 };
  const log = Math.log(first / second);
  const value = (first - second) / log;
  return { value, byFirst: (1 - value / first) / log, bySecond: (value / second - 1) / log };
}

/** Number of intervals of each group in which somebody is exposed in it, from the first on. */
function exposedUntil(
  groups: readonly GroupCounts[],
  risks: readonly Float64Array[],
  stdDev: number,
): number[] {
  const someone = stdDev === 0 ? nobody : 1;
  return groups.map((one, g) => {
    const until = risks[g]!.findIndex((risk, b) => !(Math.min(risk, risk - lostIn(one, b) / 2) > someone));
    return until < 0 ? risks[g]!.length : until;
  });
}

/** From the first interval on, those in which two groups are exposed, and all that are stand out of their noise together. */
function comparedIntervals(
  groups: readonly GroupCounts[],
  risks: readonly Float64Array[],
  of: { readonly until: readonly number[]; readonly root: Root; readonly stdDev: number },
): number {
  const { until, root, stdDev } = of;
  const streams = 2 + groups[0]!.competing.length;
  const noise = stdDev === 0 ? null : atRiskNoise(root, streams);
  const intervals = risks[0]!.length;
  for (let b = 0; b < intervals; b++) {
    let [exposed, left] = [0, 0];
    groups.forEach((one, g) => {
      if (b >= until[g]!) return;
      exposed++;
      left += risks[g]![b]! - lostIn(one, b) / 2 - one.events[b]!;
    });
    const least = pooledDeviations * Math.sqrt(exposed) * stdDev * (noise?.[b] ?? 0);
    if (!(exposed > 1 && left > Math.max(nobody, least))) return b;
  }
  return intervals;
}

interface Compared {
  readonly groups: readonly GroupCounts[];
  readonly risks: readonly Float64Array[];
  /** Number of intervals of each group in which it is compared; of the largest two at least `intervals`. */
  readonly until: readonly number[];
  readonly root: Root;
  readonly stdDev: number;
  readonly intervals: number;
}

const none = { value: 0, byRisk: 0, byEvents: 0, byLost: 0 };

function* testedBy(rule: Rule, compared: Compared) {
  const { groups, risks, until, root, stdDev, intervals } = compared;
  const size = groups.length;
  const streams = 2 + groups[0]!.competing.length;
  const [observed, expected] = [new Float64Array(size), new Float64Array(size)];
  const covariance = new Float64Array(size * size);
  /** Share of each group in those exposed, by interval, and the derivatives of those exposed times the pooled rate. */
  const parts = groups.map(() => new Float64Array(intervals));
  const rates = groups.map(() => ["byRisk", "byEvents", "byLost"].map(() => new Float64Array(intervals)));
  for (let b = 0; b < intervals; b++) {
    const isOut = groups.map((_, g) => b >= until[g]!);
    const exposed = groups.map((one, g) =>
      isOut[g] ? none : rule.exposed(risks[g]![b]!, one.events[b]!, lostIn(one, b)),
    );
    const all = exposed.reduce((sum, { value }) => sum + value, 0);
    const events = groups.reduce((sum, one, g) => sum + (isOut[g] ? 0 : one.events[b]!), 0);
    const spread = rule.variance(Math.max(0, events), all);
    groups.forEach((one, g) => {
      const { value, byRisk, byEvents, byLost } = exposed[g]!;
      const part = value / all;
      parts[g]![b] = part;
      [byRisk, byEvents, byLost].forEach((by, i) => {
        rates[g]![i]![b] = (events / all) * by;
      });
      if (!isOut[g]) observed[g]! += one.events[b]!;
      expected[g]! += events * part;
    });
    addUpper(covariance, size, (g, k) => spread * parts[g]![b]! * ((g === k ? 1 : 0) - parts[k]![b]!));
  }
  if (!observed.some((one) => one > nobody)) return "no-events" as const;
  if (stdDev > 0) {
    for (let h = 0; h < size; h++) {
      for (let stream = 0; stream < streams; stream++) {
        const slopes = groups.map((_, g) =>
          slopeBy({ g, h, stream, parts, rates: rates[h]!, until: until[h]!, root }),
        );
        for (let j = 0; j < root.run; j++)
          addUpper(covariance, size, (g, k) => stdDev ** 2 * slopes[g]![j]! * slopes[k]![j]!);
        yield;
      }
    }
  }
  const differences = groups.map((_, g) => observed[g]! - expected[g]!);
  const { statistic, degreesOfFreedom } = weighed(differences, mirrored(covariance, size));
  if (degreesOfFreedom === 0) return "no-variance" as const;
  const pValue = upperGamma(degreesOfFreedom / 2, statistic / 2);
  return { statistic, degreesOfFreedom, pValue, observed: [...observed], expected: [...expected] };
}

/** Derivatives of the difference of group g by each coordinate of the noise in a stream of group h, [run]. */
function slopeBy(of: {
  readonly g: number;
  readonly h: number;
  readonly stream: number;
  readonly parts: readonly Float64Array[];
  readonly rates: readonly Float64Array[];
  /** Intervals in which group h is compared. */
  readonly until: number;
  readonly root: Root;
}): Float64Array {
  const { g, h, stream, parts, until, root } = of;
  const [byRisk, byEvents, byLost] = of.rates;
  const isEvent = stream === 1;
  const intervals = parts[g]!.length;
  const slope = new Float64Array(root.run);
  let taken = 0;
  for (let b = 0; b < intervals; b++) {
    const other = (g === h ? 1 : 0) - parts[g]![b]!;
    taken += other * byRisk![b]!;
    const own = b >= until ? 0 : isEvent ? other - other * byEvents![b]! : -other * byLost![b]!;
    root.addCell(slope, b, own - taken);
  }
  root.addCells(slope, intervals, stream === 0 ? root.run : root.run - 1, -taken);
  return slope;
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

/** Adds to the upper triangle of a matrix. */
function addUpper(matrix: Float64Array, size: number, value: (row: number, column: number) => number): void {
  for (let g = 0; g < size; g++) for (let k = g; k < size; k++) matrix[g * size + k]! += value(g, k);
}

/** The symmetric matrix of an upper triangle: what is equal is so to the last bit. */
function mirrored(upper: Float64Array, size: number): Matrix {
  const matrix = Matrix.zeros(size, size);
  for (let g = 0; g < size; g++) {
    for (let k = g; k < size; k++) {
      matrix.set(g, k, upper[g * size + k]!);
      matrix.set(k, g, upper[g * size + k]!);
    }
  }
  return matrix;
}
