// XᵀX for row-major blocks of X: rows are packed into panels of four columns, and a 4 × 4 tile of the result stays
// in registers over all rows of a panel (Goto and van de Geijn 2008, with the tile that fits 16 registers of f64x2).
import { mirrorUpper } from "./mirror";

/** Rows packed at a time: four columns of them (8 KiB) stay in the first-level cache. */
const PACK_ROWS: i32 = 256;
/** Panels of one side kept in the second-level cache: 32 panels of 256 rows are 256 KiB. */
const CACHED_PANELS: i32 = 32;

/**
 * C ← C + XᵀX, upper triangle by 4 × 4 tiles; what lies below the diagonal tiles is left alone.
 * @param x - [rows × d] row-major, any rows ≥ 0
 * @param c - [p × p] row-major with p = d rounded up to 4; columns beyond d stay zero
 * @param packed - room for 256·p elements
 * @param first - C is set to zero before
 */
export function gramBlock(x: usize, rows: i32, d: i32, c: usize, packed: usize, first: bool): void {
  if (first) {
    const p = usize((d + 3) & ~3);
    memory.fill(c, 0, (p * p) << 3);
  }
  for (let row = 0; row < rows; row += PACK_ROWS) {
    const count = min(PACK_ROWS, rows - row);
    pack(x + ((usize(row) * usize(d)) << 3), count, d, packed);
    multiplyPacked(packed, count, d, c);
  }
}

/** Sums `lanes` accumulators that lie one after another into the first, in order, and mirrors its upper triangle. */
export function gramFold(c: usize, lanes: i32, d: i32): void {
  const p = (d + 3) & ~3;
  const bytes = (usize(p) * usize(p)) << 3;
  for (let lane = 1; lane < lanes; lane++) {
    const other = c + usize(lane) * bytes;
    for (let at: usize = 0; at < bytes; at += 16) {
      v128.store(c + at, f64x2.add(v128.load(c + at), v128.load(other + at)));
    }
  }
  mirrorUpper(c, d, usize(p) << 3);
}

/** [rows × d] row-major → panels of four columns, packed[panel][row][4]; columns beyond d are zero. */
function pack(x: usize, rows: i32, d: i32, packed: usize): void {
  const whole = d >> 2;
  const rest = d & 3;
  const panelBytes = usize(rows) << 5;
  for (let row = 0; row < rows; row++) {
    let source = x + ((usize(row) * usize(d)) << 3);
    let target = packed + (usize(row) << 5);
    for (let panel = 0; panel < whole; panel++) {
      v128.store(target, v128.load(source));
      v128.store(target, v128.load(source, 16), 16);
      source += 32;
      target += panelBytes;
    }
    if (rest) {
      for (let column = 0; column < 4; column++) {
        const at = usize(column) << 3;
        store<f64>(target + at, column < rest ? load<f64>(source + at) : 0.0);
      }
    }
  }
}

function multiplyPacked(packed: usize, rows: i32, d: i32, c: usize): void {
  const panels = (d + 3) >> 2;
  const stride = usize(panels) << 5;
  const panelBytes = usize(rows) << 5;
  for (let first = 0; first < panels; first += CACHED_PANELS) {
    const last = min(panels, first + CACHED_PANELS);
    for (let j = first; j < panels; j++) {
      const right = packed + usize(j) * panelBytes;
      const end = min(last, j + 1);
      for (let i = first; i < end; i++) {
        multiplyTile(packed + usize(i) * panelBytes, right, rows, c + (usize(i) << 2) * stride + (usize(j) << 5), stride);
      }
    }
  }
}

/** C[4 × 4] ← C + AᵀB for two packed panels. */
function multiplyTile(a: usize, b: usize, rows: i32, c: usize, stride: usize): void {
  let c00 = f64x2.splat(0), c01 = f64x2.splat(0), c10 = f64x2.splat(0), c11 = f64x2.splat(0);
  let c20 = f64x2.splat(0), c21 = f64x2.splat(0), c30 = f64x2.splat(0), c31 = f64x2.splat(0);
  const end = a + (usize(rows) << 5);
  while (a < end) {
    const b0 = v128.load(b), b1 = v128.load(b, 16);
    let t = v128.load64_splat(a);
    c00 = f64x2.add(c00, f64x2.mul(t, b0));
    c01 = f64x2.add(c01, f64x2.mul(t, b1));
    t = v128.load64_splat(a, 8);
    c10 = f64x2.add(c10, f64x2.mul(t, b0));
    c11 = f64x2.add(c11, f64x2.mul(t, b1));
    t = v128.load64_splat(a, 16);
    c20 = f64x2.add(c20, f64x2.mul(t, b0));
    c21 = f64x2.add(c21, f64x2.mul(t, b1));
    t = v128.load64_splat(a, 24);
    c30 = f64x2.add(c30, f64x2.mul(t, b0));
    c31 = f64x2.add(c31, f64x2.mul(t, b1));
    a += 32;
    b += 32;
  }
  addTileRow(c, c00, c01);
  addTileRow(c + stride, c10, c11);
  addTileRow(c + 2 * stride, c20, c21);
  addTileRow(c + 3 * stride, c30, c31);
}

// @ts-ignore: decorator
@inline
function addTileRow(c: usize, left: v128, right: v128): void {
  v128.store(c, f64x2.add(v128.load(c), left));
  v128.store(c, f64x2.add(v128.load(c, 16), right), 16);
}
