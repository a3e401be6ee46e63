import { quadratic, times } from "../dense.js";
import { dot, symmetricEigen, turnedMatrix } from "./matrices.js";

/**
 * T(d) = r'J⁻¹r of a last sum, with its gradient and its Gauss–Newton matrix, in the eigenvectors of the information: there S and G̃ are
 * diagonal and J is diagonal but for four vectors, so that a value takes d² operations and no factorisation.
 */

/** The change of the linear predictor up to which the second order is taken as it is. */
const maxFullChange = 0.7;
/** No variance is smaller: what S and noise leave at 0 stays a number. */
const minVariance = 1e-200;
/** o, d, w and A: what J and dr/dd are made of beside diagonals. */
const vectors = 4;

interface Parts {
  readonly r: Float64Array;
  /** J = diag(variances) + BCB' with B = (o, d, w, A). */
  readonly variances: Float64Array;
  readonly beside: readonly Float64Array[];
  /** [4 × 4] C. */
  readonly weights: Float64Array;
  /** [4 × 4] K of J⁻¹ = Δ⁻¹ - Δ⁻¹BKB'Δ⁻¹. */
  readonly inner: Float64Array;
  /** -dr/dd = scale·G + FEF' with F = (o, x). */
  readonly scale: number;
  readonly x: Float64Array;
  readonly mean: number;
  readonly shortened: number;
}

export interface Slope {
  readonly value: number;
  readonly gradient: Float64Array;
  /** [d × d] twice D'J⁻¹D and the prior. */
  readonly hessian: Float64Array;
}

export class Surface {
  readonly d: number;
  /** True where the second-order term is in r. */
  isSecond = false;
  /** o = GA/γ, γ = A'GA: the weighted means of the columns, in the basis. */
  readonly means: Float64Array;
  readonly #basis: Float64Array;
  readonly #g: Float64Array;
  /** G̃ where S has other eigenvectors; null where both are diagonal. */
  readonly #dense: Float64Array | null;
  readonly #information: Float64Array;
  readonly #base: Float64Array;
  readonly #ones: Float64Array;
  readonly #weight: number;
  readonly #curve: number;
  readonly #noise: number;

  /** @param sum.base - [d × d] S and the noise of the score; `weight` γ, above 0; others as of `LastSum` */
  constructor(sum: {
    readonly score: Float64Array;
    readonly information: Float64Array;
    readonly base: Float64Array;
    readonly informationStdDev: number;
    readonly ones: Float64Array;
    readonly weight: number;
    readonly curve: number;
  }) {
    const { score, information, base, ones, weight, curve } = sum;
    const d = score.length;
    this.d = d;
    this.#noise = sum.informationStdDev;
    this.#weight = weight;
    this.#curve = curve;
    const own = symmetricEigen(information, d);
    const turned = turnedMatrix(base, own.vectors, d);
    let [off, on] = [0, 0];
    turned.forEach((value, p) => {
      if (p % (d + 1) === 0) on = Math.max(on, Math.abs(value));
      else off = Math.max(off, Math.abs(value));
    });
    if (off <= 1e-9 * on) {
      this.#basis = own.vectors;
      this.#base = Float64Array.from({ length: d }, (_, i) => turned[i * (d + 1)]!);
      this.#information = Float64Array.from(own.values);
      this.#dense = null;
    } else {
      const { values, vectors } = symmetricEigen(base, d);
      this.#basis = vectors;
      this.#base = Float64Array.from(values);
      this.#dense = turnedMatrix(information, vectors, d);
      this.#information = new Float64Array(0);
    }
    this.#g = this.turned(score);
    this.#ones = this.turned(ones);
    this.means = this.#times(this.#ones).map((value) => value / weight);
  }

  /** A vector of coefficients in the basis. */
  turned(x: Float64Array): Float64Array {
    const d = this.d;
    const out = new Float64Array(d);
    for (let i = 0; i < d; i++)
      for (let k = 0; k < d; k++) out[k] = out[k]! + this.#basis[i * d + k]! * x[i]!;
    return out;
  }

  /** A vector of the basis in coefficients. */
  back(x: Float64Array): Float64Array {
    return times(this.#basis, x);
  }

  /** [d × d] a diagonal matrix of coefficients in the basis. */
  turnedDiagonal(values: Float64Array): Float64Array {
    const d = this.d;
    const matrix = new Float64Array(d * d);
    for (let i = 0; i < d; i++) matrix[i * (d + 1)] = values[i]!;
    return turnedMatrix(matrix, this.#basis, d);
  }

  /** [d × d] a matrix of the basis in coefficients. */
  backMatrix(matrix: Float64Array): Float64Array {
    const d = this.d;
    const flipped = this.#basis.map((_, p) => this.#basis[(p % d) * d + Math.floor(p / d)]!);
    return turnedMatrix(matrix, flipped, d);
  }

  /** T + d'Pd; P null: T alone. */
  value(at: Float64Array, prior: Float64Array | null): number {
    const parts = this.#parts(at);
    const t = dot(parts.r, solve(parts, parts.r));
    return prior === null ? t : t + quadratic(prior, at);
  }

  /** x'J(d)x: the variance of x'r. */
  variance(at: Float64Array, x: Float64Array): number {
    const { variances, beside, weights } = this.#parts(at);
    const along = beside.map((vector) => dot(vector, x));
    return (
      variances.reduce((sum, value, j) => sum + value * x[j]! ** 2, 0) + dot(along, times(weights, along))
    );
  }

  /** T + d'Pd, its gradient and the Gauss–Newton matrix. */
  slope(at: Float64Array, prior: Float64Array | null): Slope {
    const d = this.d;
    const parts = this.#parts(at);
    const { r, variances, beside, inner, scale, x, mean: m, shortened: s } = parts;
    const o = this.means;
    const a = this.#ones;
    const weight = this.#weight;
    const u = solve(parts, r);
    const ou = dot(o, u);
    const bend = this.isSecond ? s * this.#curve : 0;
    // E, [2 × 2] of FEF'.
    const eoo = -2 * m * weight * bend;
    const gu = this.#times(u);
    const xu = dot(x, u);
    const gradient = new Float64Array(d);
    for (let j = 0; j < d; j++)
      gradient[j] = -2 * (scale * gu[j]! + o[j]! * (eoo * ou + bend * xu) + bend * x[j]! * ou);
    const noise = this.#noise ** 2;
    if (noise > 0) {
      const c = this.#curve * s ** 2;
      const w = beside[2]!;
      const wu = dot(w, u);
      const by = this.isSecond ? (c / 2) * ou : 0;
      const v = new Float64Array(d);
      for (let j = 0; j < d; j++) v[j] = scale * u[j]! + at[j]! * by + a[j]! * wu;
      const square = dot(at, at);
      const along = dot(at, v);
      const length = dot(v, v);
      for (let j = 0; j < d; j++) gradient[j] = gradient[j]! - noise * (at[j]! * length + v[j]! * along);
      if (!this.isSecond) {
        const extra = (c * this.#noise * ou) ** 2 * square;
        for (let j = 0; j < d; j++) gradient[j] = gradient[j]! - extra * at[j]!;
      } else if (c !== 0) {
        const y = new Float64Array(d);
        for (let j = 0; j < d; j++) y[j] = noise * (square * v[j]! + at[j]! * along);
        const yu = dot(y, u);
        const ya = dot(y, a);
        for (let j = 0; j < d; j++)
          gradient[j] =
            gradient[j]! -
            (c / 2) * ou * y[j]! -
            c * yu * o[j]! -
            c * ya * (gu[j]! / weight - 2 * ou * o[j]!);
      }
    }
    const over = (vector: Float64Array) => {
      const out = new Float64Array(d);
      for (let j = 0; j < d; j++) out[j] = vector[j]! / variances[j]!;
      return out;
    };
    const hessian = this.#squared(variances, 2 * scale * scale);
    const low: (readonly [Float64Array, Float64Array])[] = [];
    const mixed = (columns: readonly Float64Array[], by: (k: number) => number) => {
      const out = new Float64Array(d);
      columns.forEach((column, k) => {
        const weight = by(k);
        if (weight !== 0) for (let j = 0; j < d; j++) out[j] = out[j]! + weight * column[j]!;
      });
      return out;
    };
    const F = [o, x];
    const E = [eoo, bend, bend, 0];
    const overF = F.map(over);
    if (bend !== 0) {
      // 2·(scale·(ZEF' + FEZ') + FE(F'Δ⁻¹F)EF'), Z = GΔ⁻¹F.
      const Z = overF.map((vector) => this.#times(vector));
      const inside = F.map((left) => overF.map((right) => dot(left, right)));
      for (let l = 0; l < 2; l++) {
        const ze = mixed(Z, (k) => 2 * scale * E[2 * k + l]!);
        const fe = mixed(F, (k) => {
          let sum = 0;
          for (let i = 0; i < 2; i++)
            for (let j = 0; j < 2; j++) sum += 2 * E[2 * k + i]! * inside[i]![j]! * E[2 * j + l]!;
          return sum;
        });
        low.push([F[l]!, ze], [ze.map((value, j) => value + fe[j]!), F[l]!]);
      }
    }
    // -2·WKW', W = DΔ⁻¹B.
    const W = beside.map((vector) => {
      const column = this.#times(over(vector));
      for (let j = 0; j < d; j++) column[j] = scale * column[j]!;
      if (bend !== 0) {
        const [fo, fx] = [dot(overF[0]!, vector), dot(overF[1]!, vector)];
        for (let j = 0; j < d; j++)
          column[j] = column[j]! + o[j]! * (eoo * fo + bend * fx) + bend * x[j]! * fo;
      }
      return column;
    });
    W.forEach((column, l) => {
      low.push([mixed(W, (k) => -2 * inner[k * vectors + l]!), column]);
    });
    for (const [left, right] of low)
      for (let i = 0; i < d; i++) {
        const own = left[i]!;
        if (own !== 0)
          for (let j = 0; j <= i; j++) hessian[i * d + j] = hessian[i * d + j]! + own * right[j]!;
      }
    let value = dot(r, u);
    if (prior !== null) {
      const pulled = times(prior, at);
      value += dot(at, pulled);
      for (let j = 0; j < d; j++) gradient[j] = gradient[j]! + 2 * pulled[j]!;
      for (let i = 0; i < d; i++)
        for (let j = 0; j <= i; j++) hessian[i * d + j] = hessian[i * d + j]! + 2 * prior[i * d + j]!;
    }
    for (let i = 0; i < d; i++) for (let j = 0; j < i; j++) hessian[j * d + i] = hessian[i * d + j]!;
    return { value, gradient, hessian };
  }

  /** G̃x. */
  #times(x: Float64Array): Float64Array {
    if (this.#dense !== null) return times(this.#dense, x);
    return scaledBy(x, this.#information);
  }

  /** The lower triangle of by·GΔ⁻¹G. */
  #squared(variances: Float64Array, by: number): Float64Array {
    const d = this.d;
    const out = new Float64Array(d * d);
    if (this.#dense === null) {
      for (let j = 0; j < d; j++) out[j * (d + 1)] = (by * this.#information[j]! ** 2) / variances[j]!;
      return out;
    }
    for (let k = 0; k < d; k++)
      for (let i = 0; i < d; i++) {
        const left = (by * this.#dense[k * d + i]!) / variances[k]!;
        for (let j = 0; j <= i; j++) out[i * d + j] = out[i * d + j]! + left * this.#dense[k * d + j]!;
      }
    return out;
  }

  #parts(at: Float64Array): Parts {
    const o = this.means;
    const a = this.#ones;
    const c = this.#curve;
    const weight = this.#weight;
    const full = this.#times(at);
    const half = this.#noise ** 2 / 2;
    const square = dot(at, at);
    const C = new Float64Array(vectors * vectors);
    const add = (i: number, j: number, value: number) => {
      C[i * vectors + j] = C[i * vectors + j]! + value;
      if (i !== j) C[j * vectors + i] = C[j * vectors + i]! + value;
    };
    if (!this.isSecond) {
      add(0, 0, ((c / 2) * this.#noise * square) ** 2);
      add(1, 1, half);
      const variances = raised(this.#base, half * square);
      const none = new Float64Array(this.d);
      const beside = [o, at, none, a];
      return {
        r: mixedOf(this.#g, full, -1),
        variances,
        beside,
        weights: C,
        inner: innerOf(beside, variances, C),
        scale: 1,
        x: full,
        mean: 0,
        shortened: 1,
      };
    }
    const change = Math.sqrt(Math.max(dot(at, full) / weight, 1e-9));
    const s = Math.min(1, maxFullChange / change);
    const d = this.d;
    const g = this.#g;
    const x = new Float64Array(d);
    for (let i = 0; i < d; i++) x[i] = full[i]! * s;
    const m = dot(o, at) * s;
    const k = (dot(at, x) * s) / weight;
    const scale = 1 + c * m * s;
    const w = new Float64Array(d);
    const r = new Float64Array(d);
    for (let i = 0; i < d; i++) {
      w[i] = c * s * (x[i]! / weight - 2 * m * o[i]!);
      r[i] = g[i]! - full[i]! - (c / 2) * (2 * m * x[i]! - 2 * m * m * weight * o[i]! + k * weight * o[i]!);
    }
    // M = scale·I + p·o·d' + w·A': how noise of the information passes through r.
    const p = (c / 2) * s * s;
    const along = dot(at, a);
    const all = half * square;
    add(0, 1, all * scale * p);
    add(2, 3, all * scale);
    add(0, 0, all * square * p * p);
    add(0, 2, all * along * p);
    add(2, 2, all * dot(a, a));
    const moved = [p * square, scale, along, 0];
    for (let i = 0; i < vectors; i++)
      for (let j = i; j < vectors; j++) add(i, j, half * moved[i]! * moved[j]!);
    const variances = raised(this.#base, all * scale * scale);
    const beside = [o, at, w, a];
    const inner = innerOf(beside, variances, C);
    return { r, variances, beside, weights: C, inner, scale, x, mean: m, shortened: s };
  }
}

/** x_i·y_i. */
function scaledBy(x: Float64Array, y: Float64Array): Float64Array {
  const out = new Float64Array(x.length);
  for (let i = 0; i < out.length; i++) out[i] = x[i]! * y[i]!;
  return out;
}

/** x + by·y. */
function mixedOf(x: Float64Array, y: Float64Array, by: number): Float64Array {
  const out = new Float64Array(x.length);
  for (let i = 0; i < out.length; i++) out[i] = x[i]! + by * y[i]!;
  return out;
}

/** Variances with what noise adds to each. */
function raised(base: Float64Array, by: number): Float64Array {
  const out = new Float64Array(base.length);
  for (let i = 0; i < out.length; i++) out[i] = Math.max(base[i]! + by, minVariance);
  return out;
}

/** J⁻¹y. */
function solve({ variances, beside, inner }: Parts, y: Float64Array): Float64Array {
  const d = y.length;
  const out = new Float64Array(d);
  for (let j = 0; j < d; j++) out[j] = y[j]! / variances[j]!;
  const along = new Float64Array(vectors);
  for (let k = 0; k < vectors; k++) along[k] = dot(beside[k]!, out);
  for (let k = 0; k < vectors; k++) {
    const vector = beside[k]!;
    let by = 0;
    for (let l = 0; l < vectors; l++) by += inner[k * vectors + l]! * along[l]!;
    if (by !== 0) for (let j = 0; j < d; j++) out[j] = out[j]! - (vector[j]! * by) / variances[j]!;
  }
  return out;
}

/** (I + CB'Δ⁻¹B)⁻¹C: the inner matrix of Woodbury's identity. */
function innerOf(beside: readonly Float64Array[], variances: Float64Array, C: Float64Array): Float64Array {
  const n = vectors;
  const d = variances.length;
  const Q = new Float64Array(n * n);
  for (let i = 0; i < n; i++) {
    const left = beside[i]!;
    for (let j = i; j < n; j++) {
      const right = beside[j]!;
      let sum = 0;
      for (let k = 0; k < d; k++) sum += (left[k]! * right[k]!) / variances[k]!;
      Q[i * n + j] = sum;
      Q[j * n + i] = sum;
    }
  }
  // [4 × 8] I + CQ, and C beside it.
  const width = 2 * n;
  const a = new Float64Array(n * width);
  for (let i = 0; i < n; i++)
    for (let j = 0; j < n; j++) {
      let sum = i === j ? 1 : 0;
      for (let k = 0; k < n; k++) sum += C[i * n + k]! * Q[k * n + j]!;
      a[i * width + j] = sum;
      a[i * width + n + j] = C[i * n + j]!;
    }
  for (let i = 0; i < n; i++) {
    let top = i;
    for (let k = i + 1; k < n; k++) if (Math.abs(a[k * width + i]!) > Math.abs(a[top * width + i]!)) top = k;
    if (top !== i)
      for (let j = 0; j < width; j++) {
        const other = a[i * width + j]!;
        a[i * width + j] = a[top * width + j]!;
        a[top * width + j] = other;
      }
    const pivot = a[i * width + i]!;
    for (let k = 0; k < n; k++) {
      if (k === i) continue;
      const by = a[k * width + i]! / pivot;
      if (by !== 0)
        for (let j = i; j < width; j++) a[k * width + j] = a[k * width + j]! - by * a[i * width + j]!;
    }
  }
  const out = new Float64Array(n * n);
  for (let i = 0; i < n; i++)
    for (let j = 0; j < n; j++) out[i * n + j] = a[i * width + n + j]! / a[i * width + i]!;
  return out;
}
