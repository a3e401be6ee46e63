// Householder reduction of a symmetric matrix to tridiagonal form (Golub and Van Loan 2013, algorithm 8.3.1), with the
// rank-2 update of one step applied while the next step's matrix-vector product reads the matrix: one pass over the
// matrix per step, which memory bandwidth bounds.
import { axpy, dot, get, scale, set, sumLanes } from "./vector";

/** A column with a smaller squared norm is taken for zero: below it squares lose digits to underflow. */
const NEGLIGIBLE_SQUARE: f64 = 1e-280;

/**
 * Reduces A = Q·T·Qᵀ. Only the lower triangle is read; it is overwritten by the reflectors: v_i lies in row i,
 * columns 0 to i-1, and Q = H_{n-1}·…·H_1 with H_i = I - tau_i·v_i·v_iᵀ.
 * @param a - [n × n] row-major, `stride` bytes per row (a multiple of 16), entries far from the ends of f64's range
 * @param diagonal - out: n elements
 * @param subdiagonal - out: n elements; element i couples i-1 and i, element 0 is zero
 * @param tau - out: n elements; element 0 is zero
 * @param work - room for 4·(n + 4) elements
 */
export function tridiagonalise(
  a: usize, n: i32, stride: usize, diagonal: usize, subdiagonal: usize, tau: usize, work: usize,
): void {
  const bytes = usize(n + 4) << 3;
  let v = work, w = work + bytes, oldV = work + 2 * bytes, oldW = work + 3 * bytes;
  let pending = false;
  set(subdiagonal, 0, 0);
  set(tau, 0, 0);
  for (let i = n - 1; i >= 1; i--) {
    const row = a + usize(i) * stride;
    if (pending) updateRow(row, i, i + 1, oldV, oldW);
    set(diagonal, i, get(row, i));
    const t = reflector(row, i, subdiagonal);
    set(tau, i, t);
    memory.copy(v, row, usize(i) << 3);
    memory.fill(w, 0, usize(i + 2) << 3);
    updateAndMultiply(a, i, stride, v, w, oldV, oldW, pending);
    // w ← t·(A·v - (t/2)(vᵀA·v)·v), so that H·A·H = A - v·wᵀ - w·vᵀ
    const c = -0.5 * t * t * dot(w, v, i);
    scale(t, w, i);
    axpy(c, v, w, i);
    const freeV = oldV, freeW = oldW;
    oldV = v;
    oldW = w;
    v = freeV;
    w = freeW;
    pending = true;
  }
  set(diagonal, 0, pending ? get(a, 0) - 2 * get(oldV, 0) * get(oldW, 0) : get(a, 0));
}

/** Turns row i (columns 0 to i-1) into the reflector that leaves only its last entry, and returns tau. */
function reflector(row: usize, i: i32, subdiagonal: usize): f64 {
  const alpha = get(row, i - 1);
  const tail = dot(row, row, i - 1);
  let beta = alpha, t: f64 = 0;
  if (alpha * alpha + tail < NEGLIGIBLE_SQUARE) {
    beta = 0;
    memory.fill(row, 0, usize(i) << 3);
  } else if (tail > 0) {
    beta = Math.sqrt(alpha * alpha + tail);
    if (alpha >= 0) beta = -beta;
    t = (beta - alpha) / beta;
    scale(1 / (alpha - beta), row, i - 1);
  }
  set(row, i - 1, 1);
  set(subdiagonal, i, beta);
  return t;
}

/** The first `count` entries of row r of A - v·wᵀ - w·vᵀ. */
function updateRow(row: usize, r: i32, count: i32, v: usize, w: usize): void {
  axpy(-get(v, r), w, row, count);
  axpy(-get(w, r), v, row, count);
}

/** w ← A·v over the leading m × m lower triangle, after A ← A - oldV·oldWᵀ - oldW·oldVᵀ if an update is pending. */
function updateAndMultiply(
  a: usize, m: i32, stride: usize, v: usize, w: usize, oldV: usize, oldW: usize, pending: bool,
): void {
  let r = 0;
  for (; r + 1 < m; r += 2) {
    if (pending) updatedPair(a, r, stride, v, w, oldV, oldW);
    else pair(a, r, stride, v, w);
  }
  if (r < m) {
    const row = a + usize(r) * stride;
    if (pending) updateRow(row, r, r + 1, oldV, oldW);
    const factor = get(v, r);
    const product = dot(row, v, r);
    axpy(factor, row, w, r);
    set(w, r, get(w, r) + product + get(row, r) * factor);
  }
}

/** Rows r and r+1 (r even): updates them and adds what they contribute to w = A·v. */
function updatedPair(a: usize, r: i32, stride: usize, v: usize, w: usize, oldV: usize, oldW: usize): void {
  const a0 = a + usize(r) * stride, a1 = a0 + stride, end = usize(r) << 3;
  const f0 = f64x2.splat(get(v, r)), f1 = f64x2.splat(get(v, r + 1));
  const p0 = f64x2.splat(get(oldV, r)), p1 = f64x2.splat(get(oldV, r + 1));
  const q0 = f64x2.splat(get(oldW, r)), q1 = f64x2.splat(get(oldW, r + 1));
  let s0 = f64x2.splat(0), s1 = f64x2.splat(0);
  for (let k: usize = 0; k < end; k += 16) {
    const ow = v128.load(oldW + k), ov = v128.load(oldV + k), x = v128.load(v + k);
    const x0 = f64x2.sub(f64x2.sub(v128.load(a0 + k), f64x2.mul(p0, ow)), f64x2.mul(q0, ov));
    const x1 = f64x2.sub(f64x2.sub(v128.load(a1 + k), f64x2.mul(p1, ow)), f64x2.mul(q1, ov));
    v128.store(a0 + k, x0);
    v128.store(a1 + k, x1);
    s0 = f64x2.add(s0, f64x2.mul(x0, x));
    s1 = f64x2.add(s1, f64x2.mul(x1, x));
    v128.store(w + k, f64x2.add(f64x2.add(v128.load(w + k), f64x2.mul(f0, x0)), f64x2.mul(f1, x1)));
  }
  const v0 = get(oldV, r), v1 = get(oldV, r + 1), w0 = get(oldW, r), w1 = get(oldW, r + 1);
  set(a0, r, get(a0, r) - 2 * v0 * w0);
  set(a1, r, get(a1, r) - v1 * w0 - w1 * v0);
  set(a1, r + 1, get(a1, r + 1) - 2 * v1 * w1);
  finishPair(a0, a1, r, v, w, sumLanes(s0), sumLanes(s1));
}

/** As `updatedPair`, with no update pending. */
function pair(a: usize, r: i32, stride: usize, v: usize, w: usize): void {
  const a0 = a + usize(r) * stride, a1 = a0 + stride, end = usize(r) << 3;
  const f0 = f64x2.splat(get(v, r)), f1 = f64x2.splat(get(v, r + 1));
  let s0 = f64x2.splat(0), s1 = f64x2.splat(0);
  for (let k: usize = 0; k < end; k += 16) {
    const x = v128.load(v + k), x0 = v128.load(a0 + k), x1 = v128.load(a1 + k);
    s0 = f64x2.add(s0, f64x2.mul(x0, x));
    s1 = f64x2.add(s1, f64x2.mul(x1, x));
    v128.store(w + k, f64x2.add(f64x2.add(v128.load(w + k), f64x2.mul(f0, x0)), f64x2.mul(f1, x1)));
  }
  finishPair(a0, a1, r, v, w, sumLanes(s0), sumLanes(s1));
}

/** Adds the row sums and the 2 × 2 corner on the diagonal to w. */
function finishPair(a0: usize, a1: usize, r: i32, v: usize, w: usize, sum0: f64, sum1: f64): void {
  const v0 = get(v, r), v1 = get(v, r + 1), corner = get(a1, r);
  set(w, r, get(w, r) + sum0 + get(a0, r) * v0 + corner * v1);
  set(w, r + 1, get(w, r + 1) + sum1 + corner * v0 + get(a1, r + 1) * v1);
}

/**
 * x ← Q·x for each of `count` rows x at `vectors`: turns eigenvectors of T into eigenvectors of A. Four rows go
 * together, so that the reflectors are read once for them.
 * @param vectors - [count × n] row-major with the same stride as `a`
 */
export function applyReflectors(a: usize, n: i32, stride: usize, tau: usize, vectors: usize, count: i32): void {
  let row = 0;
  for (; row + 4 <= count; row += 4) {
    for (let i = 1; i < n; i++) {
      const t = get(tau, i);
      if (t != 0) reflectFour(a + usize(i) * stride, i, t, vectors + usize(row) * stride, stride);
    }
  }
  for (; row < count; row++) {
    const x = vectors + usize(row) * stride;
    for (let i = 1; i < n; i++) {
      const v = a + usize(i) * stride;
      const t = get(tau, i);
      if (t != 0) axpy(-t * dot(v, x, i), v, x, i);
    }
  }
}

function reflectFour(v: usize, n: i32, t: f64, x0: usize, stride: usize): void {
  const x1 = x0 + stride, x2 = x1 + stride, x3 = x2 + stride;
  const end = (usize(n) << 3) & ~15;
  let s0 = f64x2.splat(0), s1 = f64x2.splat(0), s2 = f64x2.splat(0), s3 = f64x2.splat(0);
  for (let k: usize = 0; k < end; k += 16) {
    const u = v128.load(v + k);
    s0 = f64x2.add(s0, f64x2.mul(u, v128.load(x0 + k)));
    s1 = f64x2.add(s1, f64x2.mul(u, v128.load(x1 + k)));
    s2 = f64x2.add(s2, f64x2.mul(u, v128.load(x2 + k)));
    s3 = f64x2.add(s3, f64x2.mul(u, v128.load(x3 + k)));
  }
  let d0 = sumLanes(s0), d1 = sumLanes(s1), d2 = sumLanes(s2), d3 = sumLanes(s3);
  if (n & 1) {
    const u = get(v, n - 1);
    d0 += u * get(x0, n - 1);
    d1 += u * get(x1, n - 1);
    d2 += u * get(x2, n - 1);
    d3 += u * get(x3, n - 1);
  }
  axpyFour(v, n, -t * d0, -t * d1, -t * d2, -t * d3, x0, stride);
}

function axpyFour(v: usize, n: i32, f0: f64, f1: f64, f2: f64, f3: f64, x0: usize, stride: usize): void {
  const x1 = x0 + stride, x2 = x1 + stride, x3 = x2 + stride;
  const end = (usize(n) << 3) & ~15;
  const g0 = f64x2.splat(f0), g1 = f64x2.splat(f1), g2 = f64x2.splat(f2), g3 = f64x2.splat(f3);
  for (let k: usize = 0; k < end; k += 16) {
    const u = v128.load(v + k);
    v128.store(x0 + k, f64x2.add(v128.load(x0 + k), f64x2.mul(g0, u)));
    v128.store(x1 + k, f64x2.add(v128.load(x1 + k), f64x2.mul(g1, u)));
    v128.store(x2 + k, f64x2.add(v128.load(x2 + k), f64x2.mul(g2, u)));
    v128.store(x3 + k, f64x2.add(v128.load(x3 + k), f64x2.mul(g3, u)));
  }
  if (n & 1) {
    const u = get(v, n - 1);
    set(x0, n - 1, get(x0, n - 1) + f0 * u);
    set(x1, n - 1, get(x1, n - 1) + f1 * u);
    set(x2, n - 1, get(x2, n - 1) + f2 * u);
    set(x3, n - 1, get(x3, n - 1) + f3 * u);
  }
}
