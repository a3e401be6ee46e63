// Eigenvectors of a symmetric tridiagonal matrix for given eigenvalues by inverse iteration (Jessup and Ipsen 1992,
// as LAPACK's dstein). Vectors of eigenvalues close to each other are made orthogonal while they are iterated. The
// method may fail on a large cluster; so it checks its result and says so, and the caller falls back on QL.
import { axpy, dot, get, scale, set } from "./vector";

const EPSILON: f64 = 2.220446049250313e-16;
/** Eigenvalues closer than this fraction of ‖T‖ have their vectors made orthogonal explicitly. */
const CLUSTER_GAP: f64 = 1e-2;
const MAX_ITERATIONS: i32 = 6;
/** Residual, in units of ε‖T‖, at which an iteration stops early. */
const GOOD_RESIDUAL: f64 = 8;
/** Largest accepted inner product of two vectors. */
const ORTHOGONAL: f64 = 2e-13;

/** The LU factors of T - λ with partial pivoting: pivots, first and second superdiagonal, multipliers, swaps. */
let pivot: usize = 0;
let upper: usize = 0;
let upper2: usize = 0;
let multiplier: usize = 0;
let swapped: usize = 0;

/**
 * @param subdiagonal - element i couples i-1 and i; element 0 is zero
 * @param values - [count] eigenvalues of T to rounding, in any order
 * @param vectors - out: [count × n] row-major, `stride` bytes per row, orthonormal
 * @param work - room for 5·n elements
 * @returns 1, or 0 if a vector's residual or the orthogonality of two is not good enough
 */
export function inverseIteration(
  n: i32, diagonal: usize, subdiagonal: usize, count: i32, values: usize, vectors: usize, stride: usize, work: usize,
): i32 {
  const bytes = usize(n) << 3;
  pivot = work;
  upper = work + bytes;
  upper2 = work + 2 * bytes;
  multiplier = work + 3 * bytes;
  swapped = work + 4 * bytes;
  const norm = largestRowSum(n, diagonal, subdiagonal);
  const accepted = (GOOD_RESIDUAL + Math.sqrt(f64(n))) * EPSILON * norm;
  for (let j = 0; j < count; j++) {
    if (!(iterate(n, diagonal, subdiagonal, j, values, vectors, stride, norm) <= accepted)) return 0;
  }
  for (let i = 0; i < count; i++) {
    for (let j = 0; j < i; j++) {
      if (!(Math.abs(dot(vectors + usize(i) * stride, vectors + usize(j) * stride, n)) <= ORTHOGONAL)) return 0;
    }
  }
  return 1;
}

/** Finds vector j, orthogonal to those before it with close eigenvalues, and returns its residual ‖Tx - λx‖. */
function iterate(
  n: i32, diagonal: usize, subdiagonal: usize, j: i32, values: usize, vectors: usize, stride: usize, norm: f64,
): f64 {
  const lambda = get(values, j);
  const x = vectors + usize(j) * stride;
  factorise(n, diagonal, subdiagonal, lambda, norm);
  startVector(n, j, x);
  let best: f64 = Infinity;
  for (let iteration = 0; iteration < MAX_ITERATIONS; iteration++) {
    solve(n, x, iteration > 0);
    if (!normalise(n, x)) return Infinity;
    // twice, for what the first pass leaves when most of x lay in the cluster's span
    for (let pass = 0; pass < 2; pass++) {
      for (let i = 0; i < j; i++) {
        if (Math.abs(get(values, i) - lambda) > CLUSTER_GAP * norm) continue;
        const other = vectors + usize(i) * stride;
        axpy(-dot(other, x, n), other, x, n);
      }
      if (!normalise(n, x)) return Infinity;
    }
    best = residual(n, diagonal, subdiagonal, lambda, x);
    if (iteration > 0 && best <= GOOD_RESIDUAL * EPSILON * norm) return best;
  }
  return best;
}

function largestRowSum(n: i32, diagonal: usize, subdiagonal: usize): f64 {
  let norm: f64 = 0;
  for (let i = 0; i < n; i++) {
    let sum = Math.abs(get(diagonal, i)) + Math.abs(get(subdiagonal, i));
    if (i + 1 < n) sum += Math.abs(get(subdiagonal, i + 1));
    norm = Math.max(norm, sum);
  }
  return norm;
}

/** Any vector that is not orthogonal to the eigenvectors will do, and the same one every time. */
function startVector(n: i32, seed: i32, x: usize): void {
  let state = u64(seed) * 0x9e3779b97f4a7c15 + 0x2545f4914f6cdd1d;
  for (let i = 0; i < n; i++) {
    state = state * 6364136223846793005 + 1442695040888963407;
    set(x, i, f64(state >> 11) * (2.0 / 9007199254740992.0) - 1);
  }
}

function factorise(n: i32, diagonal: usize, subdiagonal: usize, lambda: f64, norm: f64): void {
  const smallest = EPSILON * norm;
  for (let i = 0; i < n; i++) {
    set(pivot, i, get(diagonal, i) - lambda);
    set(upper, i, i + 1 < n ? get(subdiagonal, i + 1) : 0);
    set(upper2, i, 0);
  }
  for (let i = 0; i + 1 < n; i++) {
    const below = get(subdiagonal, i + 1);
    if (Math.abs(get(pivot, i)) >= Math.abs(below)) {
      store<f64>(swapped + (usize(i) << 3), 0);
      if (Math.abs(get(pivot, i)) < smallest) set(pivot, i, smallest);
      const factor = below / get(pivot, i);
      set(multiplier, i, factor);
      set(pivot, i + 1, get(pivot, i + 1) - factor * get(upper, i));
    } else {
      store<f64>(swapped + (usize(i) << 3), 1);
      const factor = get(pivot, i) / below;
      const next = get(upper, i);
      set(multiplier, i, factor);
      set(pivot, i, below);
      set(upper, i, get(pivot, i + 1));
      set(pivot, i + 1, next - factor * get(upper, i));
      if (i + 2 < n) {
        set(upper2, i, get(upper, i + 1));
        set(upper, i + 1, -factor * get(upper2, i));
      }
    }
    // a pivot this small, from a row interchange with a tiny entry below, would only overflow
    if (Math.abs(get(pivot, i)) < smallest) set(pivot, i, smallest);
  }
  if (Math.abs(get(pivot, n - 1)) < smallest) set(pivot, n - 1, smallest);
}

/** x ← (T - λ)⁻¹x, or only the back substitution: the first time, L⁻¹ of a random vector is as random as any. */
function solve(n: i32, x: usize, forward: bool): void {
  if (forward) {
    for (let i = 0; i + 1 < n; i++) {
      const factor = get(multiplier, i), xi = get(x, i), next = get(x, i + 1);
      if (get(swapped, i) != 0) {
        set(x, i, next);
        set(x, i + 1, xi - factor * next);
      } else {
        set(x, i + 1, next - factor * xi);
      }
    }
  }
  let after: f64 = 0, afterThat: f64 = 0;
  for (let i = n - 1; i >= 0; i--) {
    const xi = (get(x, i) - get(upper, i) * after - get(upper2, i) * afterThat) / get(pivot, i);
    set(x, i, xi);
    afterThat = after;
    after = xi;
  }
}

/** Scales x to length one; false if it is zero or not finite. */
function normalise(n: i32, x: usize): bool {
  let largest: f64 = 0;
  for (let i = 0; i < n; i++) largest = Math.max(largest, Math.abs(get(x, i)));
  if (!(largest > 0 && largest < Infinity)) return false;
  scale(1 / largest, x, n);
  scale(1 / Math.sqrt(dot(x, x, n)), x, n);
  return true;
}

function residual(n: i32, diagonal: usize, subdiagonal: usize, lambda: f64, x: usize): f64 {
  let sum: f64 = 0;
  for (let i = 0; i < n; i++) {
    let r = (get(diagonal, i) - lambda) * get(x, i);
    if (i > 0) r += get(subdiagonal, i) * get(x, i - 1);
    if (i + 1 < n) r += get(subdiagonal, i + 1) * get(x, i + 1);
    sum += r * r;
  }
  return Math.sqrt(sum);
}
