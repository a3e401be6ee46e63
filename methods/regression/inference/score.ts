import { upperGamma } from "@consilium/core/linalg/upperGamma";
import { cholesky, product, quadratic, solved, times } from "../dense.js";
import {
  complement,
  dot,
  generalisedInverse,
  inverseQuadratic,
  symmetricEigen,
  transposedTimes,
  within,
} from "./matrices.js";
import { minSpread, spreads } from "./spreads.js";

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
  /** How far an interval is looked for. */
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
/** The change of the linear predictor up to which the second order is taken as it is. */
const changeMost = 0.7;
/** A jump to a hypothesis ends in a local minimum: it is walked to in so many steps. */
const walkSteps = 8;
const scanDirections = 3;
const scanDistances = [0.6, 1.7, 5];
/** What is not within this of the least value found is not polished. */
const scanRoom = 6;

interface Parts {
  readonly r: Float64Array;
  /** -dr/dd */
  readonly slope: Float64Array;
  /** Cholesky factor of J. */
  readonly factor: Float64Array;
  /** M = scale·I + u·v' + w·A': how noise of the information passes through r. */
  readonly passes: Passing;
  readonly shortened: number;
}

interface Passing {
  readonly scale: number;
  readonly u: Float64Array;
  readonly v: Float64Array;
  readonly w: Float64Array;
}

interface Found {
  readonly t: number;
  readonly at: Float64Array;
}

export class Score {
  readonly point: Float64Array;
  readonly #d: number;
  readonly #g: Float64Array;
  readonly #G: Float64Array;
  readonly #base: Float64Array;
  readonly #ones: Float64Array;
  readonly #onesLength: number;
  /** γ = A'GA, the weight of all records, and o = GA/γ, the weighted means of the columns. */
  readonly #weight: number;
  readonly #means: Float64Array;
  readonly #curve: number;
  readonly #noise: number;
  readonly #prior: Float64Array;
  readonly #spread: Float64Array;
  readonly #reach: LastSum["reach"];
  /** Without noise T is quadratic. */
  readonly #plain: Plain | null;
  /** No record weighs anything, by the noisy information. */
  readonly #isEmpty: boolean;
  #isSecond = false;
  /** What the last sum still asks for: the least T with the prior on all. */
  readonly #left: Float64Array;
  /** Root mean square change of the linear predictor that the last sum still asks for. */
  readonly change: number;
  /** T of no change at all: in the tens where the path stopped short. */
  readonly misfit: number;

  /** @throws RangeError where an entry is not finite */
  constructor(sum: LastSum) {
    const { score, information, sampling, scoreStdDev, informationStdDev, ones, curve } = sum;
    const d = score.length;
    this.point = sum.point;
    this.#d = d;
    this.#g = score;
    this.#G = information;
    this.#noise = informationStdDev;
    this.#ones = ones;
    this.#onesLength = Math.sqrt(dot(ones, ones));
    this.#reach = sum.reach;
    const own = times(information, ones);
    this.#weight = Math.max(dot(ones, own), 1e-9);
    this.#means = own.map((value) => value / this.#weight);
    this.#curve = this.#weight > 4 * informationStdDev * this.#onesLength ? curve : 0;
    for (const values of [score, information, sampling])
      if (!values.every(Number.isFinite)) throw new RangeError("a sum has an entry that is not finite");
    this.#base = sampling.slice();
    let largest = 0;
    for (let i = 0; i < d; i++) largest = Math.max(largest, sampling[i * (d + 1)]!);
    for (let i = 0; i < d; i++)
      this.#base[i * (d + 1)] = this.#base[i * (d + 1)]! + scoreStdDev ** 2 + 1e-12 * largest;
    this.#isEmpty = !(dot(ones, own) > 0);
    const tau = sum.priorStdDev ?? 8;
    const seen = sum.spreads ?? spreads(information, ones, informationStdDev, 3);
    this.#prior = seen.map((value, j) =>
      ones[j] !== 0 || informationStdDev === 0 ? 0 : (36 / tau ** 2) * Math.max(value, minSpread ** 2),
    );
    this.#spread = spreads(information, ones, informationStdDev, 1).map((value, j) =>
      ones[j] !== 0 ? 1 : Math.sqrt(Math.max(value, (minSpread / 2) ** 2)),
    );
    this.#plain =
      informationStdDev === 0 && this.#curve === 0 ? plainOf(score, information, this.#base) : null;
    const identity = complement([], d);
    const start = [this.#plain?.at ?? new Float64Array(d)];
    const least = () => this.#least(identity, d, diagonal(this.#prior), start).at;
    let left = this.#plain?.at ?? least();
    if (this.#curve !== 0) {
      const o = this.#means;
      const noise = (Math.abs(this.#curve) / 2) * this.#noise * dot(left, left) * dot(o, o);
      if (noise < secondOrderNoise * Math.sqrt(dot(o, times(this.#base, o)))) {
        this.#isSecond = true;
        left = least();
      }
    }
    this.#left = left;
    this.change = Math.sqrt(Math.max(0, dot(left, times(sampling, left))) / this.#weight);
    this.misfit = this.#value(new Float64Array(d), null);
  }

  /** Whether the second-order term is in r. */
  get isSecond(): boolean {
    return this.#isSecond;
  }

  /**
   * About how many events a level has, by the noisy information.
   * @param low - the column's lower value
   */
  levelWeight(j: number, low: number): number {
    return (this.#means[j]! - low) * this.#weight;
  }

  /** [d] the point of least T with the prior on every coefficient: all are drawn a little to where the sum was asked for. */
  get estimate(): Float64Array {
    return this.point.map((value, j) => value + this.#left[j]!);
  }

  /** [d] standard deviations of the columns, one deviation of noise off; 1 where records are all alike. */
  get spread(): Float64Array {
    return this.#spread;
  }

  /** Whether the test at 95 % takes row'β = value for possible. */
  holds(row: Float64Array, value: number): boolean {
    return this.statistic([row], [value]) <= critical95;
  }

  /** T of rows·β = values: χ² there, with as many degrees of freedom. @param rows - linearly independent */
  statistic(rows: readonly Float64Array[], values: readonly number[]): number {
    const hypothesis = orthonormal(
      rows,
      values.map((value, i) => value - dot(rows[i]!, this.point)),
    );
    return this.#plain === null ? this.#test(hypothesis) : plainStatistic(this.#plain, hypothesis);
  }

  /** p value of rows·β = values. @param rows - linearly independent */
  pValue(rows: readonly Float64Array[], values: readonly number[]): number {
    return upperGamma(rows.length / 2, this.statistic(rows, values) / 2);
  }

  /**
   * The values of row'β that the test does not reject; null where they are not bounded within the limits.
   * @param limits - of row'β; left out: of a coefficient as far as `reach` says
   */
  interval(row: Float64Array, limits?: readonly [low: number, high: number]): Interval | null {
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
    const basis = complement([unit], this.#d);
    const prior = this.#priorOff(basis);
    const centre = this.#least(complement([], this.#d), this.#d, prior, [
      this.#left,
      new Float64Array(this.#d),
    ]);
    const from = dot(unit, centre.at);
    if (!(centre.t <= critical95) || !(low < from && from < high)) return null;
    const curvature = this.#slope(centre.at, null).hessian.map((value) => value / 2);
    for (let j = 0; j < this.#d; j++)
      curvature[j * (this.#d + 1)] = curvature[j * (this.#d + 1)]! + this.#prior[j]!;
    const deviation = Math.sqrt(Math.max(inverseQuadratic(curvature, this.#d, unit), 1e-18));
    const hypothesis = { unit, basis, prior };
    const ends: number[] = [];
    for (const limit of [low, high]) {
      const end = this.#end(hypothesis, { from, centre, limit, deviation });
      if (end === null) return null;
      ends.push(end);
    }
    return found(from, [ends[0]!, ends[1]!]);
  }

  #limits(row: Float64Array): readonly [number, number] {
    let [most, level] = [0, 0];
    row.forEach((weight, j) => {
      if (this.#ones[j] !== 0) level = Math.max(level, Math.abs(weight) * this.#reach.level);
      else most += (Math.abs(weight) * this.#reach.perSpread) / this.#spread[j]!;
    });
    const reach = Math.max(most, level);
    return [-reach, reach];
  }

  /** One end of an interval: walks out, and closes in by the root of T. Only the search over all starts rejects. */
  #end(
    hypothesis: Hypothesis,
    walk: {
      readonly from: number;
      readonly centre: Found;
      readonly limit: number;
      readonly deviation: number;
    },
  ): number | null {
    const { from, centre, limit, deviation } = walk;
    if (this.#at(hypothesis, limit, null, true).t <= critical95) return null;
    const sign = Math.sign(limit - from);
    const z = Math.sqrt(critical95);
    const within = (x: number) => (sign > 0 ? Math.min(x, limit) : Math.max(x, limit));
    let inner = { at: from, root: Math.sqrt(centre.t), start: centre.at };
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
      const found = this.#at(hypothesis, next, inner.start, isWide);
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

  /** T of basis·d = targets. */
  #test({ basis, targets }: Orthonormal): number {
    const complementary = complement(basis, this.#d);
    const prior = this.#priorOff(complementary);
    const m = this.#d - basis.length;
    const on = (x: Float64Array, b: readonly number[]) => {
      const out = x.slice();
      basis.forEach((one, k) => {
        const off = dot(one, x) - b[k]!;
        for (let j = 0; j < out.length; j++) out[j] = out[j]! - off * one[j]!;
      });
      return out;
    };
    let x = this.#left;
    const first = basis.map((one) => dot(one, x));
    for (let k = 1; k <= walkSteps; k++) {
      const b = first.map((value, i) => value + ((targets[i]! - value) * k) / walkSteps);
      x = this.#polish(on(x, b), complementary, m, prior).at;
    }
    return this.#least(complementary, m, prior, [x, on(new Float64Array(this.#d), targets)]).t;
  }

  #at({ unit, basis, prior }: Hypothesis, value: number, start: Float64Array | null, isWide: boolean): Found {
    const m = this.#d - 1;
    const on = (x: Float64Array, b: number) => {
      const off = dot(unit, x) - b;
      return x.map((entry, j) => entry - off * unit[j]!);
    };
    if (!isWide) return this.#polish(on(start!, value), basis, m, prior);
    let x = this.#left;
    const first = dot(unit, x);
    for (let k = 1; k <= walkSteps; k++)
      x = this.#polish(on(x, first + ((value - first) * k) / walkSteps), basis, m, prior).at;
    const starts = [x, on(new Float64Array(this.#d), value)];
    if (start !== null) starts.push(on(start, value));
    return this.#least(basis, m, prior, starts);
  }

  /** [d × d] the prior on what is off the hypothesis alone: KPK with K = NN'. */
  #priorOff(n: Float64Array): Float64Array {
    const d = this.#d;
    const m = n.length / d;
    const k = new Float64Array(d * d);
    for (let i = 0; i < d; i++)
      for (let j = i; j < d; j++) {
        let sum = 0;
        for (let e = 0; e < m; e++) sum += n[i * m + e]! * n[j * m + e]!;
        k[i * d + j] = sum;
        k[j * d + i] = sum;
      }
    const out = new Float64Array(d * d);
    for (let i = 0; i < d; i++)
      for (let e = 0; e < d; e++) {
        const left = k[i * d + e]! * this.#prior[e]!;
        if (left !== 0) for (let j = 0; j < d; j++) out[i * d + j] = out[i * d + j]! + left * k[e * d + j]!;
      }
    return out;
  }

  /**
   * The least T + d'Pd of start + Nz: from every start, and from the best of them along the three most hidden directions, both ways, at three distances.
   * @param n - [d × m]
   */
  #least(n: Float64Array, m: number, prior: Float64Array, starts: readonly Float64Array[]): Found {
    let best: Found | null = null;
    for (const start of starts) {
      const found = this.#polish(start, n, m, prior);
      if (best === null || found.t < best.t) best = found;
    }
    if (this.#noise === 0 || m === 0) return best!;
    const d = this.#d;
    const origin = best!.at;
    const { values, vectors } = symmetricEigen(within(n, this.#slope(origin, prior).hessian, d, m), m);
    let trace = 0;
    for (let i = 0; i < d; i++) trace += this.#base[i * (d + 1)]!;
    const unit = Math.sqrt((2 * trace) / d) / this.#noise;
    const order = values.map((value, k) => [value, k] as const).sort((a, b) => a[0] - b[0]);
    for (const [, k] of order.slice(0, scanDirections)) {
      const along = new Float64Array(d);
      for (let i = 0; i < d; i++)
        for (let e = 0; e < m; e++) along[i] = along[i]! + n[i * m + e]! * vectors[e * m + k]!;
      for (const sign of [-1, 1]) {
        let side: Found | null = null;
        for (const distance of scanDistances) {
          const at = origin.map((value, i) => value + sign * distance * unit * along[i]!);
          const t = this.#value(at, prior);
          if (side === null || t < side.t) side = { t, at };
        }
        if (!(side!.t < best!.t + scanRoom)) continue;
        const polished = this.#polish(side!.at, n, m, prior);
        if (polished.t < best!.t) best = polished;
      }
    }
    return best!;
  }

  /** Gauss and Newton's steps, halved until they go down, within start + Nz. */
  #polish(start: Float64Array, n: Float64Array, m: number, prior: Float64Array, steps = 30): Found {
    const d = this.#d;
    let at = start;
    let { value, gradient, hessian } = this.#slope(at, prior);
    if (m === 0) return { t: value, at };
    for (let step = 0; step < steps; step++) {
      const g = transposedTimes(n, gradient, m);
      const h = within(n, hessian, d, m);
      let trace = 0;
      for (let k = 0; k < m; k++) trace += h[k * (m + 1)]!;
      for (let k = 0; k < m; k++) h[k * (m + 1)] = h[k * (m + 1)]! + 1e-9 * trace + 1e-300;
      const move = solved(cholesky(h, m), m, g);
      const along = new Float64Array(d);
      for (let i = 0; i < d; i++) for (let k = 0; k < m; k++) along[i] = along[i]! - n[i * m + k]! * move[k]!;
      const down = -dot(g, move);
      let length = 1;
      let moved: Found | null = null;
      for (; length > 1e-4; length /= 2) {
        const to = at.map((entry, i) => entry + length * along[i]!);
        const t = this.#value(to, prior);
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
      ({ value, gradient, hessian } = this.#slope(at, prior));
    }
    return { t: value, at };
  }

  #value(at: Float64Array, prior: Float64Array | null): number {
    const { r, factor } = this.#parts(at);
    // |L⁻¹r|²
    const d = this.#d;
    let sum = 0;
    const x = r.slice();
    for (let i = 0; i < d; i++) {
      let value = x[i]!;
      for (let k = 0; k < i; k++) value -= factor[i * d + k]! * x[k]!;
      x[i] = value / factor[i * (d + 1)]!;
      sum += x[i]! ** 2;
    }
    return prior === null ? sum : sum + dot(at, times(prior, at));
  }

  /** T, its gradient, and the Gauss–Newton matrix. */
  #slope(at: Float64Array, prior: Float64Array | null) {
    const d = this.#d;
    const { r, slope, factor, passes, shortened } = this.#parts(at);
    const u = solved(factor, d, r);
    const gradient = new Float64Array(d);
    for (let i = 0; i < d; i++)
      for (let j = 0; j < d; j++) gradient[j] = gradient[j]! - 2 * slope[i * d + j]! * u[i]!;
    const noise = this.#noise ** 2;
    if (noise > 0) {
      const v = passed(passes, u, this.#ones, true);
      const square = dot(at, at);
      const along = dot(at, v);
      const length = dot(v, v);
      for (let j = 0; j < d; j++) gradient[j] = gradient[j]! - noise * (at[j]! * length + v[j]! * along);
      const c = this.#curve * shortened ** 2;
      const o = this.#means;
      const ou = dot(o, u);
      if (!this.#isSecond) {
        const by = (c * this.#noise * ou) ** 2 * square;
        for (let j = 0; j < d; j++) gradient[j] = gradient[j]! - by * at[j]!;
      } else if (c !== 0) {
        const y = v.map((value, j) => noise * (square * value + at[j]! * along));
        const yu = dot(y, u);
        const ya = dot(y, this.#ones);
        const gu = times(this.#G, u);
        for (let j = 0; j < d; j++)
          gradient[j] =
            gradient[j]! -
            (c / 2) * ou * y[j]! -
            c * yu * o[j]! -
            c * ya * (gu[j]! / this.#weight - 2 * ou * o[j]!);
      }
    }
    // D'J⁻¹D = (L⁻¹D)'(L⁻¹D)
    const half = slope.slice();
    for (let i = 0; i < d; i++) {
      for (let k = 0; k < i; k++) {
        const left = factor[i * d + k]!;
        if (left !== 0)
          for (let j = 0; j < d; j++) half[i * d + j] = half[i * d + j]! - left * half[k * d + j]!;
      }
      const pivot = factor[i * (d + 1)]!;
      for (let j = 0; j < d; j++) half[i * d + j] = half[i * d + j]! / pivot;
    }
    const hessian = new Float64Array(d * d);
    for (let k = 0; k < d; k++)
      for (let i = 0; i < d; i++) {
        const left = 2 * half[k * d + i]!;
        if (left !== 0)
          for (let j = 0; j < d; j++) hessian[i * d + j] = hessian[i * d + j]! + left * half[k * d + j]!;
      }
    let value = dot(r, u);
    if (prior !== null) {
      const pulled = times(prior, at);
      value += dot(at, pulled);
      for (let j = 0; j < d; j++) gradient[j] = gradient[j]! + 2 * pulled[j]!;
      for (let p = 0; p < d * d; p++) hessian[p] = hessian[p]! + 2 * prior[p]!;
    }
    return { value, gradient, hessian };
  }

  #parts(at: Float64Array): Parts {
    const d = this.#d;
    const o = this.#means;
    const G = this.#G;
    const full = times(G, at);
    const none: Passing = { scale: 1, u: zero(d), v: zero(d), w: zero(d) };
    if (!this.#isSecond) {
      const r = this.#g.map((value, i) => value - full[i]!);
      const extra = ((this.#curve / 2) * this.#noise * dot(at, at)) ** 2;
      return { r, slope: G, factor: this.#factor(at, none, extra), passes: none, shortened: 1 };
    }
    const c = this.#curve;
    const weight = this.#weight;
    const change = Math.sqrt(Math.max(dot(at, full) / weight, 1e-9));
    const s = Math.min(1, changeMost / change);
    const x = full.map((value) => value * s);
    const m = dot(o, at) * s;
    const k = (dot(at, x) * s) / weight;
    const r = this.#g.map(
      (value, i) =>
        value - full[i]! - (c / 2) * (2 * m * x[i]! - 2 * m * m * weight * o[i]! + k * weight * o[i]!),
    );
    const slope = new Float64Array(d * d);
    for (let i = 0; i < d; i++)
      for (let j = 0; j < d; j++)
        slope[i * d + j] =
          G[i * d + j]! * (1 + s * c * m) +
          s * c * (x[i]! * o[j]! - 2 * m * weight * o[i]! * o[j]! + o[i]! * x[j]!);
    const passes: Passing = {
      scale: 1 + c * m * s,
      u: o.map((value) => (c / 2) * s * s * value),
      v: at,
      w: x.map((value, i) => c * s * (value / weight - 2 * m * o[i]!)),
    };
    return { r, slope, factor: this.#factor(at, passes, 0), passes, shortened: s };
  }

  /** Cholesky factor of J = S + σ_g²I + σ_G²/2·(|d|²MM' + Md(Md)') + extra·oo'. */
  #factor(at: Float64Array, passes: Passing, extra: number): Float64Array {
    const d = this.#d;
    const J = this.#base.slice();
    const half = this.#noise ** 2 / 2;
    if (half > 0) {
      const { scale, u, v, w } = passes;
      const a = this.#ones;
      const square = dot(at, at);
      const md = passed(passes, at, a, false);
      const [vv, va, aa] = [dot(v, v), dot(v, a), dot(a, a)];
      for (let i = 0; i < d; i++)
        for (let j = i; j < d; j++) {
          // MM' of M = scale·I + uv' + wA'.
          const mm =
            (i === j ? scale ** 2 : 0) +
            scale * (u[i]! * v[j]! + v[i]! * u[j]! + w[i]! * a[j]! + a[i]! * w[j]!) +
            vv * u[i]! * u[j]! +
            va * (u[i]! * w[j]! + w[i]! * u[j]!) +
            aa * w[i]! * w[j]!;
          const added = half * (square * mm + md[i]! * md[j]!) + extra * this.#means[i]! * this.#means[j]!;
          J[i * d + j] = J[i * d + j]! + added;
          if (i !== j) J[j * d + i] = J[j * d + i]! + added;
        }
    }
    let trace = 0;
    for (let i = 0; i < d; i++) trace += J[i * (d + 1)]!;
    for (let i = 0; i < d; i++) J[i * (d + 1)] = J[i * (d + 1)]! + (1e-12 * trace) / d + Number.MIN_VALUE;
    return cholesky(J, d);
  }

  /** [d × d] G̃⁻¹J(d̂)G̃⁻¹: of all coefficients together, where each is bounded. */
  covariance(): Float64Array {
    if (this.#plain !== null) return this.#plain.covariance;
    const d = this.#d;
    const { slope, factor } = this.#parts(this.#left);
    // (L⁻¹D)'(L⁻¹D) inverted.
    const half = slope.slice();
    for (let i = 0; i < d; i++) {
      for (let k = 0; k < i; k++)
        for (let j = 0; j < d; j++)
          half[i * d + j] = half[i * d + j]! - factor[i * d + k]! * half[k * d + j]!;
      for (let j = 0; j < d; j++) half[i * d + j] = half[i * d + j]! / factor[i * (d + 1)]!;
    }
    const precision = new Float64Array(d * d);
    for (let k = 0; k < d; k++)
      for (let i = 0; i < d; i++)
        for (let j = 0; j < d; j++)
          precision[i * d + j] = precision[i * d + j]! + half[k * d + i]! * half[k * d + j]!;
    const lower = cholesky(precision, d);
    const out = new Float64Array(d * d);
    for (let j = 0; j < d; j++) {
      const unit = new Float64Array(d);
      unit[j] = 1;
      const column = solved(lower, d, unit);
      for (let i = 0; i < d; i++) out[i * d + j] = column[i]!;
    }
    return out.map((value, p) => (value + out[(p % d) * d + Math.floor(p / d)]!) / 2);
  }
}

/** Without noise: r(d) = g - Gd, of covariance S. */
interface Plain {
  /** G⁻g */
  readonly at: Float64Array;
  /** [d × d] G⁻SG⁻ */
  readonly covariance: Float64Array;
  /** What no record tells of: unit vectors whose Gx is 0. */
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

interface Hypothesis {
  readonly unit: Float64Array;
  readonly basis: Float64Array;
  readonly prior: Float64Array;
}

const zero = (d: number) => new Float64Array(d);

function diagonal(values: Float64Array): Float64Array {
  const d = values.length;
  const out = new Float64Array(d * d);
  for (let j = 0; j < d; j++) out[j * (d + 1)] = values[j]!;
  return out;
}

/** Mx, or M'x, of M = scale·I + uv' + wA'. */
function passed(
  { scale, u, v, w }: Passing,
  x: Float64Array,
  ones: Float64Array,
  isTransposed: boolean,
): Float64Array {
  if (isTransposed) {
    const [ux, wx] = [dot(u, x), dot(w, x)];
    return x.map((value, j) => scale * value + v[j]! * ux + ones[j]! * wx);
  }
  const [vx, ax] = [dot(v, x), dot(ones, x)];
  return x.map((value, j) => scale * value + u[j]! * vx + w[j]! * ax);
}
