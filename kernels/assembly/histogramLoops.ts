// The innermost loops of histograms: rows of one node added to one feature's histogram, or to two at a time.
// `order` holds the row of each weight in the columns; bins and orders were checked before.

/**
 * Adds [g, h] pairs.
 * @param other - a second column of bytes beside the first of bytes, or 0
 * @param plain - the order is that of the rows
 */
export function addPairs(
  bins: usize, width: i32, other: usize, order: usize, count: i32, plain: bool,
  pairs: usize, target: usize, otherTarget: usize,
): void {
  if (width == 2) addPairsOf<u16>(bins, order, count, pairs, target);
  else if (other == 0) addPairsOf<u8>(bins, order, count, pairs, target);
  else if (plain) addPairsPlain(bins, other, count, pairs, target, otherTarget);
  else addPairsTwice(bins, other, order, count, pairs, target, otherTarget);
}

/**
 * Adds weights by class.
 * @param classes - u32 offsets of the channels
 * @param stride - bytes of a bin's channels
 */
export function addClasses(
  bins: usize, width: i32, other: usize, order: usize, count: i32,
  weights: usize, classes: usize, stride: usize, target: usize, otherTarget: usize,
): void {
  if (width == 2) addClassesOf<u16>(bins, order, count, weights, classes, stride, target);
  else if (other == 0) addClassesOf<u8>(bins, order, count, weights, classes, stride, target);
  else addClassesTwice(bins, other, order, count, weights, classes, stride, target, otherTarget);
}

/** Adds vectors of weights of any length; they are in the order of the rows. */
export function addVectors(
  bins: usize, width: i32, order: usize, count: i32, weights: usize, channels: i32, target: usize,
): void {
  const stride = usize(channels) << 3;
  for (let i = 0; i < count; i++) {
    const row = usize(load<u32>(order + (usize(i) << 2)));
    const bin = width == 1 ? usize(load<u8>(bins + row)) : usize(load<u16>(bins + (row << 1)));
    let to = target + bin * stride;
    let from = weights + row * stride;
    const end = to + stride;
    for (; to + 16 <= end; to += 16) {
      addPair(to, v128.load(from));
      from += 16;
    }
    if (to < end) store<f64>(to, load<f64>(to) + load<f64>(from));
  }
}

function addPairsPlain(a: usize, b: usize, count: i32, pairs: usize, toA: usize, toB: usize): void {
  const end = a + usize(count & ~3);
  while (a < end) {
    const four = load<u32>(a), others = load<u32>(b);
    let pair = v128.load(pairs);
    addPair(toA + ((four & 255) << 4), pair);
    addPair(toB + ((others & 255) << 4), pair);
    pair = v128.load(pairs, 16);
    addPair(toA + ((four >> 4) & 0xff0), pair);
    addPair(toB + ((others >> 4) & 0xff0), pair);
    pair = v128.load(pairs, 32);
    addPair(toA + ((four >> 12) & 0xff0), pair);
    addPair(toB + ((others >> 12) & 0xff0), pair);
    pair = v128.load(pairs, 48);
    addPair(toA + ((four >> 20) & 0xff0), pair);
    addPair(toB + ((others >> 20) & 0xff0), pair);
    a += 4;
    b += 4;
    pairs += 64;
  }
  for (let i = count & 3; i > 0; i--) {
    const pair = v128.load(pairs);
    addPair(toA + (usize(load<u8>(a)) << 4), pair);
    addPair(toB + (usize(load<u8>(b)) << 4), pair);
    a++;
    b++;
    pairs += 16;
  }
}

/** Adds [g, h] pairs of rows in their own order to the histograms of four columns of bytes. */
export function addFourPlain(
  a: usize, b: usize, c: usize, d: usize, count: i32, pairs: usize,
  toA: usize, toB: usize, toC: usize, toD: usize,
): void {
  const end = a + usize(count & ~3);
  while (a < end) {
    const ofA = load<u32>(a), ofB = load<u32>(b), ofC = load<u32>(c), ofD = load<u32>(d);
    let pair = v128.load(pairs);
    addPair(toA + ((ofA & 255) << 4), pair);
    addPair(toB + ((ofB & 255) << 4), pair);
    addPair(toC + ((ofC & 255) << 4), pair);
    addPair(toD + ((ofD & 255) << 4), pair);
    pair = v128.load(pairs, 16);
    addPair(toA + ((ofA >> 4) & 0xff0), pair);
    addPair(toB + ((ofB >> 4) & 0xff0), pair);
    addPair(toC + ((ofC >> 4) & 0xff0), pair);
    addPair(toD + ((ofD >> 4) & 0xff0), pair);
    pair = v128.load(pairs, 32);
    addPair(toA + ((ofA >> 12) & 0xff0), pair);
    addPair(toB + ((ofB >> 12) & 0xff0), pair);
    addPair(toC + ((ofC >> 12) & 0xff0), pair);
    addPair(toD + ((ofD >> 12) & 0xff0), pair);
    pair = v128.load(pairs, 48);
    addPair(toA + ((ofA >> 20) & 0xff0), pair);
    addPair(toB + ((ofB >> 20) & 0xff0), pair);
    addPair(toC + ((ofC >> 20) & 0xff0), pair);
    addPair(toD + ((ofD >> 20) & 0xff0), pair);
    a += 4;
    b += 4;
    c += 4;
    d += 4;
    pairs += 64;
  }
  for (let i = count & 3; i > 0; i--) {
    const pair = v128.load(pairs);
    addPair(toA + (usize(load<u8>(a++)) << 4), pair);
    addPair(toB + (usize(load<u8>(b++)) << 4), pair);
    addPair(toC + (usize(load<u8>(c++)) << 4), pair);
    addPair(toD + (usize(load<u8>(d++)) << 4), pair);
    pairs += 16;
  }
}

function addPairsTwice(a: usize, b: usize, order: usize, count: i32, pairs: usize, toA: usize, toB: usize): void {
  const end = order + (usize(count & ~1) << 2);
  for (; order < end; order += 8) {
    let pair = v128.load(pairs);
    let row = usize(load<u32>(order));
    addPair(toA + (usize(load<u8>(a + row)) << 4), pair);
    addPair(toB + (usize(load<u8>(b + row)) << 4), pair);
    pair = v128.load(pairs, 16);
    row = usize(load<u32>(order, 4));
    addPair(toA + (usize(load<u8>(a + row)) << 4), pair);
    addPair(toB + (usize(load<u8>(b + row)) << 4), pair);
    pairs += 32;
  }
  if (count & 1) {
    const pair = v128.load(pairs);
    const row = usize(load<u32>(order));
    addPair(toA + (usize(load<u8>(a + row)) << 4), pair);
    addPair(toB + (usize(load<u8>(b + row)) << 4), pair);
  }
}

function addPairsOf<T>(bins: usize, order: usize, count: i32, pairs: usize, target: usize): void {
  const end = order + (usize(count) << 2);
  for (; order < end; order += 4) {
    addPair(target + (binOf<T>(bins, order) << 4), v128.load(pairs));
    pairs += 16;
  }
}

function addClassesTwice(
  a: usize, b: usize, order: usize, count: i32,
  weights: usize, classes: usize, stride: usize, toA: usize, toB: usize,
): void {
  const end = order + (usize(count) << 2);
  for (; order < end; order += 4) {
    const row = usize(load<u32>(order));
    const weight = load<f64>(weights);
    const channel = usize(load<u32>(classes));
    const left = toA + channel + usize(load<u8>(a + row)) * stride;
    store<f64>(left, load<f64>(left) + weight);
    const right = toB + channel + usize(load<u8>(b + row)) * stride;
    store<f64>(right, load<f64>(right) + weight);
    weights += 8;
    classes += 4;
  }
}

function addClassesOf<T>(
  bins: usize, order: usize, count: i32, weights: usize, classes: usize, stride: usize, target: usize,
): void {
  const end = order + (usize(count) << 2);
  for (; order < end; order += 4) {
    const to = target + usize(load<u32>(classes)) + binOf<T>(bins, order) * stride;
    store<f64>(to, load<f64>(to) + load<f64>(weights));
    weights += 8;
    classes += 4;
  }
}

// @ts-ignore: decorator
@inline
function binOf<T>(bins: usize, order: usize): usize {
  return usize(load<T>(bins + usize(load<u32>(order)) * sizeof<T>()));
}

// @ts-ignore: decorator
@inline
function addPair(to: usize, pair: v128): void {
  v128.store(to, f64x2.add(v128.load(to), pair));
}
