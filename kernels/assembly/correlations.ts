// The largest correlation of a cut of one column in each group of rows: core/src/linalg/plainCorrelations.ts, operation by
// operation, so that both give the same bits. A group's rows are sorted as pairs of value and label by a merge sort, which
// is stable and takes the same time for any values.

/** Bytes of a pair: f64 value, u32 label. */
const PAIR: usize = 16;
/** Runs of so many pairs are sorted by insertion before the first merge. */
const RUN: i32 = 16;
/** `correlationRounding` of core/src/linalg/correlations.ts. */
const ROUNDING: f64 = 1.0 / 1099511627776.0;

/**
 * Looks at the groups from `from` to before `to`.
 * @param values - f64[rows]
 * @param labels - u16[rows]
 * @param starts - u32[groups + 1]
 * @param work - 2 pairs for each row of the largest of these groups
 * @param counts - f64[2 × classes]
 * @param correlations - f64[groups], cuts likewise; only those of these groups are written
 */
export function largestCorrelations(
  values: usize, labels: usize, starts: usize, from: i32, to: i32,
  classes: i32, work: usize, counts: usize, correlations: usize, cuts: usize,
): void {
  for (let group = from; group < to; group++) {
    const start = load<u32>(starts + (usize(group) << 2));
    const count = i32(load<u32>(starts + (usize(group + 1) << 2)) - start);
    const target = correlations + (usize(group) << 3);
    const cut = cuts + (usize(group) << 3);
    store<f64>(target, 0);
    store<f64>(cut, 0);
    fillPairs(values + (usize(start) << 3), labels + (usize(start) << 1), count, work);
    const sorted = sortPairs(work, work + usize(count) * PAIR, count);
    if (classes == 2) scanTwo(sorted, count, target, cut);
    else scanMany(sorted, count, classes, counts, target, cut);
  }
}

function fillPairs(values: usize, labels: usize, count: i32, pairs: usize): void {
  for (let row = 0; row < count; row++) {
    const pair = pairs + usize(row) * PAIR;
    store<f64>(pair, load<f64>(values + (usize(row) << 3)));
    store<u32>(pair, u32(load<u16>(labels + (usize(row) << 1))), 8);
  }
}

/** Sorts by value, ascending. @returns where the sorted pairs are: `pairs` or `other` */
function sortPairs(pairs: usize, other: usize, count: i32): usize {
  for (let run = 0; run < count; run += RUN) insertionSort(pairs, run, min(run + RUN, count));
  let from = pairs;
  let to = other;
  for (let width = RUN; width < count; width <<= 1) {
    for (let low = 0; low < count; low += width << 1) {
      merge(from, to, low, min(low + width, count), min(low + (width << 1), count));
    }
    const swapped = from;
    from = to;
    to = swapped;
  }
  return from;
}

function insertionSort(pairs: usize, low: i32, high: i32): void {
  for (let i = low + 1; i < high; i++) {
    const pair = v128.load(pairs + usize(i) * PAIR);
    const value = f64x2.extract_lane(pair, 0);
    let at = pairs + usize(i) * PAIR;
    const first = pairs + usize(low) * PAIR;
    while (at > first && value < load<f64>(at - PAIR)) {
      v128.store(at, v128.load(at - PAIR));
      at -= PAIR;
    }
    v128.store(at, pair);
  }
}

function merge(from: usize, to: usize, low: i32, middle: i32, high: i32): void {
  let left = from + usize(low) * PAIR;
  let right = from + usize(middle) * PAIR;
  const leftEnd = right;
  const rightEnd = from + usize(high) * PAIR;
  let at = to + usize(low) * PAIR;
  while (left < leftEnd && right < rightEnd) {
    if (load<f64>(right) < load<f64>(left)) {
      v128.store(at, v128.load(right));
      right += PAIR;
    } else {
      v128.store(at, v128.load(left));
      left += PAIR;
    }
    at += PAIR;
  }
  memory.copy(at, left, leftEnd - left);
  memory.copy(at + (leftEnd - left), right, rightEnd - right);
}

/** Two classes: both against the other are the same. */
function scanTwo(pairs: usize, count: i32, target: usize, cut: usize): void {
  let right1: f64 = 0;
  for (let i = 0; i < count; i++) right1 += f64(load<u32>(pairs + usize(i) * PAIR, 8));
  let right0 = f64(count) - right1;
  let left0: f64 = 0;
  let left1: f64 = 0;
  let best: f64 = 0;
  let last: f64 = 0;
  for (let i = 0; i < count; i++) {
    const value = load<f64>(pairs + usize(i) * PAIR);
    if (i > 0 && value != last) {
      const correlation = phi(left1, left0, right1, right0);
      if (correlation > best + ROUNDING) {
        best = correlation;
        store<f64>(cut, last);
      }
    }
    last = value;
    const label = f64(load<u32>(pairs + usize(i) * PAIR, 8));
    left1 += label;
    left0 += 1 - label;
    right1 -= label;
    right0 -= 1 - label;
  }
  store<f64>(target, best);
}

function scanMany(pairs: usize, count: i32, classes: i32, counts: usize, target: usize, cut: usize): void {
  const left = counts;
  const right = counts + (usize(classes) << 3);
  memory.fill(counts, 0, usize(classes) << 4);
  for (let i = 0; i < count; i++) add(right, load<u32>(pairs + usize(i) * PAIR, 8), 1);
  let best: f64 = 0;
  let last: f64 = 0;
  for (let i = 0; i < count; i++) {
    const value = load<f64>(pairs + usize(i) * PAIR);
    if (i > 0 && value != last) {
      const correlation = oneVersusRest(left, right, classes, f64(i), f64(count - i));
      if (correlation > best + ROUNDING) {
        best = correlation;
        store<f64>(cut, last);
      }
    }
    last = value;
    const label = load<u32>(pairs + usize(i) * PAIR, 8);
    add(left, label, 1);
    add(right, label, -1);
  }
  store<f64>(target, best);
}

// @ts-ignore: decorator
@inline
function add(counts: usize, label: u32, by: f64): void {
  const at = counts + (usize(label) << 3);
  store<f64>(at, load<f64>(at) + by);
}

function oneVersusRest(left: usize, right: usize, classes: i32, lefts: f64, rights: f64): f64 {
  let best: f64 = 0;
  for (let c = 0; c < classes; c++) {
    const at = usize(c) << 3;
    const a = load<f64>(left + at);
    const b = load<f64>(right + at);
    best = max(best, phi(a, lefts - a, b, rights - b));
  }
  return best;
}

// @ts-ignore: decorator
@inline
function phi(a: f64, b: f64, c: f64, d: f64): f64 {
  const scale = sqrt((a + b) * (c + d)) * sqrt((a + c) * (b + d));
  return scale > 0 ? min<f64>(1, abs(a * d - b * c) / scale) : 0;
}
