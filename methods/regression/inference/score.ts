import { upperGamma } from "@consilium/core/linalg/upperGamma";
import { cholesky, product, quadratic, solved, symmetric, times } from "../dense.js";
import { dot, generalisedInverse, inverseQuadratic, symmetricEigen } from "./matrices.js";
import { minSpread, spreads } from "./spreads.js";
import { Surface } from "./surface.js";

/**
 * Tests and intervals of a regression by inverting the score test of the last sum that was opened [AR49]. With d = β - β̄, β̄ where the sum
 * was asked for, r(d) = g̃ - G̃d - q(d) has mean 0 at the truth and covariance J(d), whatever the noise is: nothing is inverted that noise
 * could make singular. T(d) = r'J⁻¹r is χ² there. Formulas and assumptions: docs/methods/regression.md#intervals.
 */
export interface LastSum {
  /** [d] where the sum was asked for, on the scale of the columns. */
  readonly point: Float64Array;
  /** g̃: [d] Σ r·x, with the noise. */
  readonly score: Float64Array;
  /** G̃: [d × d] symmetric, Σ w·xx', with the noise. */
  readonly information: Float64Array;
  /** S: [d × d] positive semidefinite, the covariance of the score by sampling. */
  readonly sampling: Float64Array;
  /** Standard deviation of the noise of an entry of `score`; 0 without. */
  readonly scoreStdDev: number;
  /** On the diagonal of `information`; divided by √2 off it. */
  readonly informationStdDev: number;
  /** A: [d] 1 for the columns that add up to 1 in every record, 0 for others. */
  readonly ones: Float64Array;
  /** c of the second order: 1 - 2p logistic, 1 Poisson and Cox, 0 linear. */
  readonly curve: number;
  /** [d] lower bounds of the columns' variances by all opened sums; left out: by this one. */
  readonly spreads?: Float64Array;
  /** τ: standard deviation of what is left of other coefficients, in sixths of it an outcome's unit; 8, of a linear one 12 of the outcome's. */
  readonly priorStdDev?: number;
  /** Distance up to which an interval is looked for. */
  readonly reach: { readonly perSpread: number; readonly level: number };
}

/** An interval at 95 % of a combination of coefficients. */
export interface Interval {
  readonly value: number;
  readonly low: number;
  readonly high: number;
  /** Half of its width over 1.96. */
  readonly stdError: number;
}

/** χ² with one degree of freedom is beyond it in 5 %. */
const critical95 = 3.841458820694124;
/** The second order is taken while its own noise is below so many deviations of r. */
const secondOrderNoise = 2;
/** A jump to a hypothesis ends in a local minimum: it is walked to in so many steps. */
const walkSteps = 8;
const scanDirections = 3;
const scanDistances = [0.6, 1.7, 5];
/** Points whose T is not within this of the least value found are not polished. */
const scanRoom = 6;

/** An interval of time weighs nothing where its information is within so many deviations of its noise. */
const blankDeviations = 4;
/** Variance of the score of such an interval, beside all that is there: it says nothing. */
const blankVariance = 1e4;

/**
 * [d] intervals in which no patient is, by the noisy information: their hazards are no part of what is tested. Left free, a hazard that
 * nothing bounds makes J(d) as large as it likes, and no hypothesis is rejected.
 */
function blankIntervals(information: Float64Array, ones: Float64Array, stdDev: number): boolean[] {
  const d = ones.length;
  const isAlone = dot(ones, ones) === 1;
  return Array.from(
    ones,
    (one, j) => one !== 0 && !isAlone && stdDev > 0 && information[j * (d + 1)]! < blankDeviations * stdDev,
  );
}

interface Found {
  readonly t: number;
  readonly at: Float64Array;
}

export class Score {
  readonly point: Float64Array;
  readonly #d: number;
  readonly #score: Float64Array;
  /** A. */
  readonly ones: Float64Array;
  /** γ = A'GA, the weight of all records, and o = GA/γ, the weighted means of the columns. */
  readonly #weight: number;
  readonly #means: Float64Array;
  readonly #noise: number;
  readonly #spread: Float64Array;
  readonly #reach: LastSum["reach"];
  /** Without noise T is quadratic. */
  readonly #plain: Plain | null;
  /** [d] */
  readonly #isBlank: readonly boolean[];
  /** No record weighs anything, by the noisy information. */
  readonly #isEmpty: boolean;
  /** T; points and hypotheses are in its basis from here on. */
  readonly #surface: Surface;
  /** [d × d] the prior on every coefficient. */
  readonly #prior: Float64Array;
  /** Distance at which the noise of the information equals everything else. */
  readonly #hiddenAt: number;
  /** Change that the last sum still asks for: the least T with the prior on all. */
  readonly #left: Float64Array;
  /** Root mean square change of the linear predictor that the last sum still asks for. */
  readonly change: number;
  /** T of no change at all. */
  readonly misfit: number;
  /** γ·change³/6, the third order that r(d) leaves out, in standard deviations of A'r at what is left; 0 of a linear regression. */
  readonly remainder: number;

  /** @throws RangeError where an entry is not finite */
  constructor(sum: LastSum) {
    const { score, information, sampling, scoreStdDev, informationStdDev, ones } = sum;
    const d = score.length;
    for (const values of [score, information, sampling])
      if (!values.every(Number.isFinite)) throw new RangeError("a sum has an entry that is not finite");
    this.point = sum.point;
    this.#d = d;
    this.#score = score;
    this.#noise = informationStdDev;
    this.ones = ones;
    this.#reach = sum.reach;
    const own = times(information, ones);
    this.#isEmpty = !(dot(ones, own) > 0);
    const weight = Math.max(dot(ones, own), 1e-9);
    this.#weight = weight;
    this.#means = own.map((value) => value / weight);
    const curve = weight > 4 * informationStdDev * Math.sqrt(dot(ones, ones)) ? sum.curve : 0;
    const base = sampling.slice();
    let [largest, trace] = [0, 0];
    for (let i = 0; i < d; i++) largest = Math.max(largest, sampling[i * (d + 1)]!);
    for (let i = 0; i < d; i++) {
      base[i * (d + 1)] = base[i * (d + 1)]! + scoreStdDev ** 2 + 1e-12 * largest;
      trace += base[i * (d + 1)]!;
    }
    const isBlank = blankIntervals(information, ones, informationStdDev);
    this.#isBlank = isBlank;
    this.#hiddenAt = Math.sqrt((2 * trace) / d) / informationStdDev;
    // Without noise that of the sum that shows most of it: a level without an event has no weight in the last one.
    const shown = informationStdDev === 0 ? sum.spreads : undefined;
    this.#spread = (shown ?? spreads(information, ones, informationStdDev, 1)).map((value, j) =>
      ones[j] !== 0 ? 1 : Math.sqrt(Math.max(value, (minSpread / 2) ** 2)),
    );
    isBlank.forEach((blank, j) => {
      if (blank) base[j * (d + 1)] = base[j * (d + 1)]! + blankVariance * trace;
    });
    const surface = new Surface({ score, information, base, informationStdDev, ones, weight, curve });
    this.#surface = surface;
    const tau = sum.priorStdDev ?? 8;
    const seen = sum.spreads ?? spreads(information, ones, informationStdDev, 3);
    const prior = seen.map((value, j) =>
      isBlank[j]!
        ? 36 / tau ** 2
        : ones[j] !== 0 || informationStdDev === 0
          ? 0
          : (36 / tau ** 2) * Math.max(value, minSpread ** 2),
    );
    this.#prior = surface.turnedDiagonal(prior);
    this.#plain = informationStdDev === 0 && curve === 0 ? plainOf(score, information, base) : null;
    const all = { basis: [], targets: [], prior: this.#prior };
    const least = () =>
      this.#plain === null ? this.#least(all, [new Float64Array(d)]).at : surface.turned(this.#plain.at);
    let left = least();
    if (curve !== 0) {
      const o = this.#means;
      const noise = (Math.abs(curve) / 2) * informationStdDev * dot(left, left) * dot(o, o);
      if (noise < secondOrderNoise * Math.sqrt(quadratic(base, o))) {
        surface.isSecond = true;
        left = least();
      }
    }
    this.#left = left;
    const change = quadratic(sampling, surface.back(left)) / weight;
    this.change = Math.sqrt(Math.max(0, change));
    this.misfit = surface.value(new Float64Array(d), null);
    const deviation = Math.sqrt(surface.variance(left, surface.turned(ones)));
    const cube = this.change * this.change * this.change;
    this.remainder = sum.curve === 0 ? 0 : (weight * cube) / 6 / deviation;
  }

  /** True where the second-order term is in r. */
  get isSecond(): boolean {
    return this.#surface.isSecond;
  }

  /** Interval of time, by its place among the coefficients, in which no patient stands out of the noise; false of other coefficients. */
  isBlank(j: number): boolean {
    return this.#isBlank[j]!;
  }

  /** γ: about how many events there are in all, by the noisy information. */
  get weight(): number {
    return this.#weight;
  }

  /**
   * About how many events a level has, by the noisy information.
   * @param low - the column's lower value
   */
  levelWeight(j: number, low: number): number {
    return (this.#means[j]! - low) * this.#weight;
  }

  /** By how many events a level has more than where the sum was asked for, by the noisy score; of all records `j` is null. */
  excess(j: number | null, low: number): number {
    const all = dot(this.ones, this.#score);
    return j === null ? all : this.#score[j]! - low * all;
  }

  /** [d] the point of least T with the prior on every coefficient: all are drawn a little to where the sum was asked for. */
  get estimate(): Float64Array {
    const left = this.#surface.back(this.#left);
    return this.point.map((value, j) => value + left[j]!);
  }

  /** [d] standard deviations of the columns, one deviation of noise off; 1 where records are all alike. */
  get spread(): Float64Array {
    return this.#spread;
  }

  /** True where the test at 95 % does not reject row'β = value. */
  holds(row: Float64Array, value: number): boolean {
    if (this.#plain === null) {
      const hypothesis = this.#hypothesis(orthonormal([row], [value - dot(row, this.point)]));
      const near = onto(this.#left, hypothesis.basis, hypothesis.targets);
      // What is found nearby is enough; only the search over all starts rejects.
      if (this.#polish(near, hypothesis).t <= critical95) return true;
    }
    return this.statistic([row], [value]) <= critical95;
  }

  /** T of rows·β = values: χ² there, with as many degrees of freedom. @param rows - linearly independent */
  statistic(rows: readonly Float64Array[], values: readonly number[]): number {
    const hypothesis = orthonormal(
      rows,
      values.map((value, i) => value - dot(rows[i]!, this.point)),
    );
    return this.#plain === null
      ? this.#test(this.#hypothesis(hypothesis), null).t
      : plainStatistic(this.#plain, hypothesis);
  }

  /** p value of rows·β = values. @param rows - linearly independent */
  pValue(rows: readonly Float64Array[], values: readonly number[]): number {
    return upperGamma(rows.length / 2, this.statistic(rows, values) / 2);
  }

  /**
   * The values of row'β that the test does not reject; null where they are not bounded within the limits.
   * @param options.limits - of row'β; left out: of a coefficient as far as `reach` says
   * @param options.pause - awaited between searches, each some 50 ms with a hundred coefficients
   */
  async interval(
    row: Float64Array,
    options: {
      readonly limits?: readonly [low: number, high: number];
      readonly pause?: () => Promise<unknown>;
    } = {},
  ): Promise<Interval | null> {
    const { limits, pause } = options;
    const at = dot(row, this.point);
    const length = Math.sqrt(dot(row, row));
    const unit = row.map((value) => value / length);
    const [low, high] = (limits ?? this.#limits(row)).map((value) => (value - at) / length) as [
      number,
      number,
    ];
    if (this.#isEmpty) return null;
    const found = (from: number, to: readonly [number, number]): Interval => {
      const [first, last] = to.map((end) => at + end * length) as [number, number];
      return {
        value: at + from * length,
        low: first,
        high: last,
        stdError: (last - first) / (2 * Math.sqrt(critical95)),
      };
    };
    if (this.#plain !== null) {
      const { value, variance } = plainValue(this.#plain, unit);
      const half = Math.sqrt(critical95 * variance);
      // Where T is a parabola the limits bound its width alone.
      return half > 0 && half < (high - low) / 2 ? found(value, [value - half, value + half]) : null;
    }
    const hypothesis = this.#hypothesis({ basis: [unit], targets: [0] });
    const { prior } = hypothesis;
    const start = [this.#left, new Float64Array(this.#d)];
    const centre = this.#least({ basis: [], targets: [], prior }, start);
    const own = hypothesis.basis[0]!;
    const from = dot(own, centre.at);
    if (!(centre.t <= critical95) || !(low < from && from < high)) return null;
    const { hessian } = this.#surface.slope(centre.at, null);
    const curvature = hessian.map((value, p) => value / 2 + this.#prior[p]!);
    const deviation = Math.sqrt(Math.max(inverseQuadratic(curvature, this.#d, own), 1e-18));
    const ends: number[] = [];
    for (const limit of [low, high]) {
      await pause?.();
      const end = await this.#end(hypothesis, { from, centre, limit, deviation, pause });
      if (end === null) return null;
      ends.push(end);
    }
    return found(from, [ends[0]!, ends[1]!]);
  }

  #limits(row: Float64Array): readonly [number, number] {
    let [most, level] = [0, 0];
    row.forEach((weight, j) => {
      if (this.ones[j] !== 0) level = Math.max(level, Math.abs(weight) * this.#reach.level);
      else most += (Math.abs(weight) * this.#reach.perSpread) / this.#spread[j]!;
    });
    const reach = Math.max(most, level);
    return [-reach, reach];
  }

  /** One end of an interval: walks out, and closes in by the root of T. Only the search over all starts rejects. */
  async #end(
    hypothesis: Hypothesis,
    walk: {
      readonly pause: (() => Promise<unknown>) | undefined;
      readonly from: number;
      readonly centre: Found;
      readonly limit: number;
      readonly deviation: number;
    },
  ): Promise<number | null> {
    const { from, centre, limit, deviation, pause } = walk;
    const at = (value: number, start: Float64Array | null, isWide: boolean) =>
      isWide
        ? this.#test({ ...hypothesis, targets: [value] }, start)
        : this.#polish(onto(start!, hypothesis.basis, [value]), hypothesis);
    if (at(limit, null, true).t <= critical95) return null;
    const sign = Math.sign(limit - from);
    const z = Math.sqrt(critical95);
    const within = (x: number) => (sign > 0 ? Math.min(x, limit) : Math.max(x, limit));
    let inner = { at: from, root: Math.sqrt(Math.max(0, centre.t)), start: centre.at };
    let outer: { readonly at: number; readonly root: number } | null = null;
    let step = deviation;
    let next = from + sign * 1.96 * deviation;
    for (let turn = 0; turn < 80; turn++) {
      let isWide = false;
      if (outer === null) next = within(next);
      else if (Math.abs(outer.at - inner.at) > 0.01 * Math.abs(outer.at - from)) {
        const part = (z - inner.root) / Math.max(outer.root - inner.root, 1e-9);
        next = inner.at + Math.min(Math.max(part, 0.1), 0.9) * (outer.at - inner.at);
      } else {
        next = outer.at;
        isWide = true;
      }
      if (isWide) await pause?.();
      const found = at(next, inner.start, isWide);
      if (found.t <= critical95) {
        if (next === limit) return null;
        inner = { at: next, root: Math.sqrt(Math.max(0, found.t)), start: found.at };
        if (outer === null || isWide) {
          outer = null;
          next += sign * step;
          step *= 1.6;
        }
      } else if (isWide) return next;
      else outer = { at: next, root: Math.sqrt(found.t) };
    }
    return null;
  }

  /** T of basis·d = targets: walks there from what is left, and searches. */
  #test(hypothesis: Hypothesis, start: Float64Array | null): Found {
    const { basis, targets } = hypothesis;
    let x = this.#left;
    const first = basis.map((one) => dot(one, x));
    for (let k = 1; k <= walkSteps; k++) {
      const b = first.map((value, i) => value + ((targets[i]! - value) * k) / walkSteps);
      x = this.#polish(onto(x, basis, b), hypothesis).at;
    }
    const starts = [x, onto(new Float64Array(this.#d), basis, targets)];
    if (start !== null) starts.push(onto(start, basis, targets));
    return this.#least(hypothesis, starts);
  }

  /** A hypothesis in the surface's basis, with the prior on what is off it alone: KPK with K = I - Σ aa'. */
  #hypothesis({ basis, targets }: Orthonormal): Hypothesis {
    const d = this.#d;
    const own = basis.map((one) => this.#surface.turned(one));
    const prior = this.#prior.slice();
    for (const a of own) {
      const pa = times(prior, a);
      const apa = dot(a, pa);
      for (let i = 0; i < d; i++)
        for (let j = 0; j < d; j++)
          prior[i * d + j] = prior[i * d + j]! - a[i]! * pa[j]! - pa[i]! * a[j]! + apa * a[i]! * a[j]!;
    }
    return { basis: own, targets, prior };
  }

  /** The least T + d'Pd: from every start, and from the best of them along the three most hidden directions, both ways, at three distances. */
  #least(hypothesis: Hypothesis, starts: readonly Float64Array[]): Found {
    const { basis, prior } = hypothesis;
    const d = this.#d;
    let best: Found | null = null;
    for (const start of starts) {
      const found = this.#polish(start, hypothesis);
      if (best === null || found.t < best.t) best = found;
    }
    const free = d - basis.length;
    if (this.#noise === 0 || free === 0) return best!;
    const origin = best!.at;
    const { hessian } = this.#surface.slope(origin, prior);
    // Within the hypothesis: what is off it comes last.
    let inside = hessian;
    for (const a of basis) inside = without(inside, a, d);
    const { values, vectors } = symmetricEigen(inside, d);
    const order = values.map((value, k) => [value, k] as const).sort((a, b) => a[0] - b[0]);
    const unit = this.#hiddenAt;
    for (const [, k] of order.slice(0, Math.min(scanDirections, free))) {
      for (const sign of [-1, 1]) {
        let side: Found | null = null;
        for (const distance of scanDistances) {
          const at = origin.map((value, i) => value + sign * distance * unit * vectors[i * d + k]!);
          const t = this.#surface.value(at, prior);
          if (side === null || t < side.t) side = { t, at };
        }
        if (!(side!.t < best!.t + scanRoom)) continue;
        const polished = this.#polish(side!.at, hypothesis);
        if (polished.t < best!.t) best = polished;
      }
    }
    return best!;
  }

  /** Gauss and Newton's steps, halved until they go down, within the hypothesis. */
  #polish(start: Float64Array, { basis, prior }: Hypothesis, steps = 30): Found {
    const d = this.#d;
    let at = start;
    let { value, gradient, hessian } = this.#surface.slope(at, prior);
    if (basis.length === d) return { t: value, at };
    for (let step = 0; step < steps; step++) {
      const along = restricted(raisedFactor(hessian, d), gradient, basis);
      const down = dot(gradient, along);
      let length = 1;
      let moved: Found | null = null;
      for (; length > 1e-4; length /= 2) {
        const to = new Float64Array(d);
        for (let i = 0; i < d; i++) to[i] = at[i]! + length * along[i]!;
        const t = this.#surface.value(to, prior);
        if (t <= value + 1e-4 * length * down) {
          moved = { t, at: to };
          break;
        }
      }
      if (moved === null) break;
      const isDone = value - moved.t < 1e-3;
      at = moved.at;
      value = moved.t;
      if (isDone) break;
      ({ value, gradient, hessian } = this.#surface.slope(at, prior));
    }
    return { t: value, at };
  }

  /** [d × d] G̃⁻¹J(d̂)G̃⁻¹: of all coefficients together, where each is bounded. */
  covariance(): Float64Array {
    if (this.#plain !== null) return this.#plain.covariance;
    const d = this.#d;
    const precision = this.#surface.slope(this.#left, null).hessian.map((value) => value / 2);
    const lower = raisedFactor(precision, d);
    const out = new Float64Array(d * d);
    for (let j = 0; j < d; j++) {
      const unit = new Float64Array(d);
      unit[j] = 1;
      out.set(solved(lower, d, unit), j * d);
    }
    return this.#surface.backMatrix(symmetric(out, d));
  }
}

/**
 * The factor of a Gauss–Newton matrix, which is semidefinite but for rounding: its diagonal is raised, from 1e-9 of the trace on, as far as it
 * takes.
 */
function raisedFactor(matrix: Float64Array, d: number): Float64Array {
  let trace = 0;
  for (let k = 0; k < d; k++) trace += Math.abs(matrix[k * (d + 1)]!);
  for (let part = 1e-9; part < 1; part *= 100) {
    const raised = matrix.slice();
    for (let k = 0; k < d; k++) raised[k * (d + 1)] = raised[k * (d + 1)]! + part * trace + 1e-150;
    try {
      return cholesky(raised, d);
    } catch (fault) {
      if (!(fault instanceof RangeError)) throw fault;
    }
  }
  return cholesky(diagonal(new Float64Array(d).fill(trace + 1e-150)), d);
}

function diagonal(values: Float64Array): Float64Array {
  const d = values.length;
  const out = new Float64Array(d * d);
  for (let k = 0; k < d; k++) out[k * (d + 1)] = values[k]!;
  return out;
}

/** The nearest point of a hypothesis. */
function onto(x: Float64Array, basis: readonly Float64Array[], targets: readonly number[]): Float64Array {
  const out = x.slice();
  basis.forEach((one, k) => {
    const off = dot(one, x) - targets[k]!;
    for (let j = 0; j < out.length; j++) out[j] = out[j]! - off * one[j]!;
  });
  return out;
}

/** The step of least g'x + x'Hx/2 among those with Σ a'x = 0, by a factor of H. */
function restricted(factor: Float64Array, g: Float64Array, basis: readonly Float64Array[]): Float64Array {
  const d = g.length;
  const x = solved(factor, d, g);
  for (let i = 0; i < d; i++) x[i] = -x[i]!;
  if (basis.length === 0) return x;
  const m = basis.length;
  const columns = basis.map((one) => solved(factor, d, one));
  const inner = Float64Array.from({ length: m * m }, (_, p) =>
    dot(basis[Math.floor(p / m)]!, columns[p % m]!),
  );
  const by = solved(
    cholesky(symmetric(inner, m), m),
    m,
    basis.map((one) => dot(one, x)),
  );
  columns.forEach((column, k) => {
    for (let j = 0; j < d; j++) x[j] = x[j]! - by[k]! * column[j]!;
  });
  // What rounding leaves of the hypothesis.
  return onto(
    x,
    basis,
    basis.map(() => 0),
  );
}

/** (I - aa')M(I - aa') and along a more than anything in M. */
function without(matrix: Float64Array, a: Float64Array, d: number): Float64Array {
  const ma = times(matrix, a);
  const ama = dot(a, ma);
  let trace = 0;
  for (let i = 0; i < d; i++) trace += Math.abs(matrix[i * (d + 1)]!);
  return matrix.map((value, p) => {
    const i = Math.floor(p / d);
    const j = p % d;
    return value - a[i]! * ma[j]! - ma[i]! * a[j]! + (ama + 2 * trace + 1e-150) * a[i]! * a[j]!;
  });
}

/** Without noise: r(d) = g - Gd, of covariance S. */
interface Plain {
  /** G⁻g */
  readonly at: Float64Array;
  /** [d × d] G⁻SG⁻ */
  readonly covariance: Float64Array;
  /** Directions that no record tells of: unit vectors whose Gx is 0. */
  readonly untold: readonly Float64Array[];
}

/** A direction is part of what no record tells of from so much of its length. */
const untoldPart = 1e-5;

function plainOf(score: Float64Array, information: Float64Array, sampling: Float64Array): Plain {
  const d = score.length;
  const { inverse, untold } = generalisedInverse(information, d);
  const covariance = product(product(inverse, sampling, d), inverse, d);
  return { at: times(inverse, score), covariance, untold };
}

/** Estimate and variance of unit'd; infinite where no record tells of it. */
function plainValue({ at, covariance, untold }: Plain, unit: Float64Array) {
  const isTold = untold.every((direction) => Math.abs(dot(direction, unit)) < untoldPart);
  const variance = isTold ? quadratic(covariance, unit) : Number.POSITIVE_INFINITY;
  return { value: dot(unit, at), variance };
}

/** T of what records tell of in a hypothesis. */
function plainStatistic({ at, covariance, untold }: Plain, { basis, targets }: Orthonormal): number {
  const m = basis.length;
  const matrix = (of: (i: number, j: number) => number) =>
    symmetricEigen(
      Float64Array.from({ length: m * m }, (_, p) => of(Math.floor(p / m), p % m)),
      m,
    );
  const hidden = matrix((i, j) => untold.reduce((sum, x) => sum + dot(x, basis[i]!) * dot(x, basis[j]!), 0));
  // Combinations of rows that are told of have eigenvalue 0; the others are given a variance that hides them.
  const spreads = basis.map((row) => times(covariance, row));
  const most = 1e12 * Math.max(...basis.map((row, i) => dot(row, spreads[i]!)), Number.MIN_VALUE);
  const { values, vectors } = matrix((i, j) => {
    let sum = dot(basis[i]!, spreads[j]!);
    hidden.values.forEach((value, k) => {
      if (value > untoldPart ** 2) sum += most * hidden.vectors[i * m + k]! * hidden.vectors[j * m + k]!;
    });
    return sum;
  });
  const off = basis.map((row, i) => dot(row, at) - targets[i]!);
  return values.reduce((sum, value, k) => {
    let along = 0;
    for (let i = 0; i < m; i++) along += vectors[i * m + k]! * off[i]!;
    return value > 0 ? sum + along ** 2 / value : sum;
  }, 0);
}

/** Orthonormal rows, and what each comes to: the same hypothesis. */
interface Orthonormal {
  readonly basis: readonly Float64Array[];
  readonly targets: readonly number[];
}

/** @throws RangeError where rows are not independent */
function orthonormal(rows: readonly Float64Array[], values: readonly number[]): Orthonormal {
  const basis: Float64Array[] = [];
  const targets: number[] = [];
  rows.forEach((row, i) => {
    const rest = row.slice();
    let target = values[i]!;
    basis.forEach((one, k) => {
      const along = dot(one, rest);
      for (let j = 0; j < rest.length; j++) rest[j] = rest[j]! - along * one[j]!;
      target -= along * targets[k]!;
    });
    const length = Math.sqrt(dot(rest, rest));
    if (!(length > 1e-9 * Math.sqrt(dot(row, row))))
      throw new RangeError("rows of a hypothesis are not independent");
    basis.push(rest.map((value) => value / length));
    targets.push(target / length);
  });
  return { basis, targets };
}

/** In the surface's basis: basis·d = targets, of orthonormal rows, and [d × d] the prior on what is off them. */
interface Hypothesis extends Orthonormal {
  readonly prior: Float64Array;
}
