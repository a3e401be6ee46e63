import type { Solver } from "./localLearning.js";

/**
 * FWELL's weights [LYJ16]: w = argmin (1/n)·Σ log(1 + exp(-w'z_i)) + λ|w|², unconstrained. The objective is strongly
 * convex, so w is the only one; |w_j| ≤ max|z_ij|/(2λ), because at the minimum 2λw is a mean of parts of the z_i.
 */

/** The margins of records, with how often each counts. */
export interface Margins {
  /** n. */
  readonly rows: number;
  /** d. */
  readonly features: number;
  /** [n × d] row-major. */
  readonly values: Float64Array;
  /** [n] how often a record is in the sample, at least 1; null where each counts once. */
  readonly counts: Uint32Array | null;
}

const gradientTolerance = 1e-10;
/** What a step must gain at least, of what the slope promises. */
const sufficient = 1e-4;
/** Values of the objective closer than this are alike in doubles: then the slope decides. */
const flat = 1e-13;
const stepsMost = { newton: 100, lbfgs: 5000 };

/**
 * @param lambda - λ > 0
 * @returns [d] with a gradient of length at most 1e-10, or as near to that as doubles come; zeros without rows
 */
export function fwellWeights(margins: Margins, lambda: number, solver: Solver): Float64Array {
  const weights = new Float64Array(margins.features);
  if (margins.rows === 0) return weights;
  const direction = solver === "newton" ? newtonDirection(margins, lambda) : lbfgsDirection(margins.features);
  let here = objectiveAt(margins, lambda, weights);
  for (let step = 0; step < stepsMost[solver]; step++) {
    if (Math.sqrt(dot(here.gradient, here.gradient)) <= gradientTolerance) break;
    const along = direction.next(here);
    const next = descend({ margins, lambda, weights, here, along });
    if (next === null) break;
    direction.moved(next.step, here.gradient, next.point.gradient);
    for (let j = 0; j < weights.length; j++) weights[j] = weights[j]! + next.step[j]!;
    here = next.point;
  }
  return weights;
}

interface ObjectivePoint {
  readonly value: number;
  /** [d]. */
  readonly gradient: Float64Array;
  /** [n] sigm(-w'z_i). */
  readonly pulls: Float64Array;
}

interface SearchDirection {
  next(here: ObjectivePoint): Float64Array;
  moved(step: Float64Array, before: Float64Array, after: Float64Array): void;
}

export function objectiveAt(margins: Margins, lambda: number, weights: Float64Array): ObjectivePoint {
  const { rows, features: d, values, counts } = margins;
  const gradient = new Float64Array(d);
  const pulls = new Float64Array(rows);
  let loss = 0;
  let total = 0;
  for (let i = 0, at = 0; i < rows; i++, at += d) {
    let margin = 0;
    for (let j = 0; j < d; j++) margin += weights[j]! * values[at + j]!;
    const count = counts === null ? 1 : counts[i]!;
    // log(1 + e^-m) = max(-m, 0) + log(1 + e^-|m|), so that nothing overflows.
    const small = Math.exp(-Math.abs(margin));
    loss += count * (Math.max(-margin, 0) + Math.log1p(small));
    const pull = margin >= 0 ? small / (1 + small) : 1 / (1 + small);
    pulls[i] = pull;
    total += count;
    for (let j = 0; j < d; j++) gradient[j] = gradient[j]! - count * pull * values[at + j]!;
  }
  for (let j = 0; j < d; j++) gradient[j] = gradient[j]! / total + 2 * lambda * weights[j]!;
  return { value: loss / total + lambda * dot(weights, weights), gradient, pulls };
}

/**
 * The longest of the steps 1, ½, ¼, … that gains enough; where the values no longer tell in doubles, one at whose end
 * the slope is no steeper upwards than it was downwards [HZ05]. Null where there is none.
 */
function descend(options: {
  readonly margins: Margins;
  readonly lambda: number;
  readonly weights: Float64Array;
  readonly here: ObjectivePoint;
  readonly along: Float64Array;
}): { readonly step: Float64Array; readonly point: ObjectivePoint } | null {
  const { margins, lambda, weights, here, along } = options;
  const slope = dot(here.gradient, along);
  if (!(slope < 0)) return null;
  for (let length = 1; length > 2 ** -40; length /= 2) {
    const step = along.map((value) => value * length);
    const point = objectiveAt(
      margins,
      lambda,
      weights.map((value, j) => value + step[j]!),
    );
    if (point.value <= here.value + sufficient * length * slope) return { step, point };
    const alike = point.value <= here.value + flat * Math.abs(here.value);
    if (alike && Math.abs(dot(point.gradient, along)) <= (1 - 2 * sufficient) * -slope) {
      return { step, point };
    }
  }
  return null;
}

/** Newton's direction: the Hessian is (1/n)·Σ p_i(1 - p_i)·z_i·z_i' + 2λ, positive definite. */
function newtonDirection(margins: Margins, lambda: number): SearchDirection {
  const { rows, features: d, values, counts } = margins;
  const hessian = new Float64Array(d * d);
  return {
    next({ gradient, pulls }) {
      hessian.fill(0);
      let total = 0;
      for (let i = 0, at = 0; i < rows; i++, at += d) {
        const count = counts === null ? 1 : counts[i]!;
        const weight = count * pulls[i]! * (1 - pulls[i]!);
        total += count;
        for (let a = 0; a < d; a++) {
          const scaled = weight * values[at + a]!;
          if (scaled === 0) continue;
          for (let b = 0, o = a * d; b <= a; b++, o++) hessian[o] = hessian[o]! + scaled * values[at + b]!;
        }
      }
      for (let a = 0; a < d; a++) {
        for (let o = a * d; o <= a * d + a; o++) hessian[o] = hessian[o]! / total;
        hessian[a * d + a] = hessian[a * d + a]! + 2 * lambda;
      }
      return solvePositive(
        hessian,
        gradient.map((value) => -value),
        d,
      );
    },
    moved() {},
  };
}

/** Solves Ax = b by Cholesky, A positive definite. @param a - [d × d] lower triangle, overwritten; @param b - overwritten */
function solvePositive(a: Float64Array, b: Float64Array, d: number): Float64Array {
  for (let i = 0; i < d; i++) {
    for (let j = 0; j <= i; j++) {
      let sum = a[i * d + j]!;
      for (let k = 0; k < j; k++) sum -= a[i * d + k]! * a[j * d + k]!;
      a[i * d + j] = i === j ? Math.sqrt(sum) : sum / a[j * d + j]!;
    }
  }
  for (let i = 0; i < d; i++) {
    for (let k = 0; k < i; k++) b[i] = b[i]! - a[i * d + k]! * b[k]!;
    b[i] = b[i]! / a[i * d + i]!;
  }
  for (let i = d - 1; i >= 0; i--) {
    for (let k = i + 1; k < d; k++) b[i] = b[i]! - a[k * d + i]! * b[k]!;
    b[i] = b[i]! / a[i * d + i]!;
  }
  return b;
}

const remembered = 10;

/** The direction of limited-memory BFGS [NW06, Algorithm 7.4]. */
function lbfgsDirection(d: number): SearchDirection {
  const pairs: { readonly step: Float64Array; readonly change: Float64Array; readonly inverse: number }[] =
    [];
  return {
    next({ gradient }) {
      const along = gradient.map((value) => -value);
      const parts: number[] = [];
      for (const { step, change, inverse } of [...pairs].reverse()) {
        const part = inverse * dot(step, along);
        parts.push(part);
        for (let j = 0; j < d; j++) along[j] = along[j]! - part * change[j]!;
      }
      const last = pairs.at(-1);
      if (last !== undefined) {
        const scale = 1 / (last.inverse * dot(last.change, last.change));
        for (let j = 0; j < d; j++) along[j] = along[j]! * scale;
      }
      for (const { step, change, inverse } of pairs) {
        const part = parts.pop()! - inverse * dot(change, along);
        for (let j = 0; j < d; j++) along[j] = along[j]! + part * step[j]!;
      }
      return along;
    },
    moved(step, before, after) {
      const change = after.map((value, j) => value - before[j]!);
      const product = dot(step, change);
      if (!(product > 0)) return;
      pairs.push({ step, change, inverse: 1 / product });
      if (pairs.length > remembered) pairs.shift();
    },
  };
}

function dot(a: Float64Array, b: Float64Array): number {
  let sum = 0;
  for (let j = 0; j < a.length; j++) sum += a[j]! * b[j]!;
  return sum;
}
