// Eigenvalues of a symmetric tridiagonal matrix by the QL algorithm with implicit shifts, in the form of EISPACK's
// tql1 and tql2 (Bowdler, Martin, Reinsch and Wilkinson 1968). Eigenvectors, where they are asked for, come from
// accumulating the rotations, which keeps them orthonormal whatever the eigenvalues are.
import { get, set } from "./vector";

const EPSILON: f64 = 2.220446049250313e-16;
/** Couplings below ε times this fraction of the largest entry are zero, or squares of small ones would underflow. */
const NEGLIGIBLE: f64 = 1e-100;
/** Sweeps for one eigenvalue before giving up; two are usual. */
const MAX_SWEEPS: i32 = 60;
/** Sweeps whose rotations are kept before they are applied together: a panel is then read once for all of them. */
const SWEEP_BATCH: i32 = 32;

// The batch of sweeps not yet applied; one module instance runs on one thread, so these are not shared.
let panels: usize = 0;
let rotations: usize = 0;
let sweeps: usize = 0;
let rotationCount: i32 = 0;
let sweepCount: i32 = 0;

/**
 * Overwrites `diagonal` with the eigenvalues, in no particular order, and destroys `subdiagonal`.
 * @param subdiagonal - element i couples i-1 and i; element 0 is not read
 * @returns 1, or 0 if an eigenvalue did not converge
 */
export function qlValues(n: i32, diagonal: usize, subdiagonal: usize): i32 {
  panels = 0;
  return ql(n, diagonal, subdiagonal);
}

/**
 * As `qlValues`, with the same values at the same positions, and the eigenvectors of `count` of them.
 * @param positions - i32[count]: which eigenvectors
 * @param vectors - out: [count × n] row-major, `stride` bytes per row
 * @param panelRoom - room for 8·⌈n/8⌉·n elements
 * @param rotationRoom - room for 64·n + 48 elements
 */
export function qlVectors(
  n: i32, diagonal: usize, subdiagonal: usize, positions: usize, count: i32,
  vectors: usize, stride: usize, panelRoom: usize, rotationRoom: usize,
): i32 {
  panels = panelRoom;
  rotations = rotationRoom;
  sweeps = rotationRoom + ((usize(n) * usize(SWEEP_BATCH)) << 4);
  rotationCount = 0;
  sweepCount = 0;
  memory.fill(panels, 0, usize((n + 7) >> 3) * (usize(n) << 6));
  for (let i = 0; i < n; i++) store<f64>(panelEntry(i, i, n), 1);
  if (!ql(n, diagonal, subdiagonal)) return 0;
  applySweeps(n);
  for (let q = 0; q < count; q++) {
    const column = load<i32>(positions + (usize(q) << 2));
    for (let i = 0; i < n; i++) set(vectors + usize(q) * stride, i, load<f64>(panelEntry(i, column, n)));
  }
  return 1;
}

/** Eight rows make a panel, stored column by column: a rotation of two columns is then eight lanes wide. */
// @ts-ignore: decorator
@inline
function panelEntry(row: i32, column: i32, n: i32): usize {
  return panels + usize(row >> 3) * (usize(n) << 6) + (usize(column) << 6) + (usize(row & 7) << 3);
}

function largestEntry(n: i32, d: usize, e: usize): f64 {
  let largest: f64 = 0;
  for (let i = 0; i < n; i++) largest = Math.max(largest, Math.abs(get(d, i)) + Math.abs(get(e, i)));
  return largest;
}

function ql(n: i32, d: usize, e: usize): i32 {
  for (let i = 1; i < n; i++) set(e, i - 1, get(e, i));
  set(e, n - 1, 0);
  let shift: f64 = 0, scale = NEGLIGIBLE * largestEntry(n, d, e);
  for (let l = 0; l < n; l++) {
    scale = Math.max(scale, Math.abs(get(d, l)) + Math.abs(get(e, l)));
    let m = l;
    while (m < n - 1 && Math.abs(get(e, m)) > EPSILON * scale) m++;
    if (m > l) {
      let sweep = 0;
      do {
        if (sweep++ == MAX_SWEEPS) return 0;
        shift += formShift(n, d, e, l);
        qlSweep(n, d, e, l, m);
      } while (Math.abs(get(e, l)) > EPSILON * scale);
    }
    set(d, l, get(d, l) + shift);
    set(e, l, 0);
  }
  return 1;
}

/** Subtracts the shift from the diagonal from l on, with the 2 × 2 corner at l solved, and returns it. */
function formShift(n: i32, d: usize, e: usize, l: i32): f64 {
  const g = get(d, l), el = get(e, l);
  const p = (get(d, l + 1) - g) / (2 * el);
  const r = hypotOne(p);
  const q = p < 0 ? p - r : p + r;
  set(d, l, el / q);
  set(d, l + 1, el * q);
  const h = g - get(d, l);
  for (let i = l + 2; i < n; i++) set(d, i, get(d, i) - h);
  return h;
}

/** √(p² + 1) without overflow. */
function hypotOne(p: f64): f64 {
  const size = Math.abs(p);
  return size > 1e150 ? size : Math.sqrt(p * p + 1);
}

function qlSweep(n: i32, d: usize, e: usize, l: i32, m: i32): void {
  const nextDiagonal = get(d, l + 1), nextCoupling = get(e, l + 1);
  let p = get(d, m);
  let c: f64 = 1, c2: f64 = 1, c3: f64 = 1, s: f64 = 0, s2: f64 = 0;
  if (panels) beginSweep(n, l, m);
  for (let i = m - 1; i >= l; i--) {
    c3 = c2;
    c2 = c;
    s2 = s;
    const ei = get(e, i);
    const g = c * ei, h = c * p;
    const r = Math.sqrt(p * p + ei * ei);
    set(e, i + 1, s * r);
    if (r > 0) {
      s = ei / r;
      c = p / r;
    } else {
      s = 0;
      c = 1;
    }
    const di = get(d, i);
    p = c * di - s * g;
    set(d, i + 1, h + s * (c * g + s * di));
    if (panels) {
      const at = rotations + (usize(rotationCount++) << 4);
      store<f64>(at, c);
      store<f64>(at, s, 8);
    }
  }
  p = (-s * s2 * c3 * nextCoupling * get(e, l)) / nextDiagonal;
  set(e, l, s * p);
  set(d, l, c * p);
}

/** Notes a sweep over columns m-1 down to l, and applies the batch when it is full. */
function beginSweep(n: i32, l: i32, m: i32): void {
  if (sweepCount == SWEEP_BATCH) applySweeps(n);
  const at = sweeps + usize(sweepCount++) * 12;
  store<i32>(at, m - 1);
  store<i32>(at, l, 4);
  store<i32>(at, rotationCount, 8);
}

function applySweeps(n: i32): void {
  const count = (n + 7) >> 3;
  for (let panel = 0; panel < count; panel++) {
    const base = panels + usize(panel) * (usize(n) << 6);
    for (let sweep = 0; sweep < sweepCount; sweep++) {
      const at = sweeps + usize(sweep) * 12;
      rotatePanel(base, load<i32>(at), load<i32>(at, 4), rotations + (usize(load<i32>(at, 8)) << 4));
    }
  }
  rotationCount = 0;
  sweepCount = 0;
}

/** Rotates columns (i, i+1) of a panel for i from `high` down to `low`. */
function rotatePanel(base: usize, high: i32, low: i32, rotation: usize): void {
  let column = base + (usize(high + 1) << 6);
  let h0 = v128.load(column), h1 = v128.load(column, 16), h2 = v128.load(column, 32), h3 = v128.load(column, 48);
  for (let i = high; i >= low; i--) {
    const c = v128.load64_splat(rotation), s = v128.load64_splat(rotation, 8);
    rotation += 16;
    const left = column - 64;
    const z0 = v128.load(left), z1 = v128.load(left, 16), z2 = v128.load(left, 32), z3 = v128.load(left, 48);
    v128.store(column, f64x2.add(f64x2.mul(s, z0), f64x2.mul(c, h0)));
    v128.store(column, f64x2.add(f64x2.mul(s, z1), f64x2.mul(c, h1)), 16);
    v128.store(column, f64x2.add(f64x2.mul(s, z2), f64x2.mul(c, h2)), 32);
    v128.store(column, f64x2.add(f64x2.mul(s, z3), f64x2.mul(c, h3)), 48);
    h0 = f64x2.sub(f64x2.mul(c, z0), f64x2.mul(s, h0));
    h1 = f64x2.sub(f64x2.mul(c, z1), f64x2.mul(s, h1));
    h2 = f64x2.sub(f64x2.mul(c, z2), f64x2.mul(s, h2));
    h3 = f64x2.sub(f64x2.mul(c, z3), f64x2.mul(s, h3));
    column = left;
  }
  v128.store(column, h0);
  v128.store(column, h1, 16);
  v128.store(column, h2, 32);
  v128.store(column, h3, 48);
}
