// Vector operations on f64 in linear memory: x, y are byte offsets, n counts elements.

// @ts-ignore: decorator
@inline
export function sumLanes(v: v128): f64 {
  return f64x2.extract_lane(v, 0) + f64x2.extract_lane(v, 1);
}

/** xᵀy, in four partial sums. */
export function dot(x: usize, y: usize, n: i32): f64 {
  let even = f64x2.splat(0), odd = f64x2.splat(0);
  let k = 0;
  for (; k + 4 <= n; k += 4) {
    even = f64x2.add(even, f64x2.mul(v128.load(x), v128.load(y)));
    odd = f64x2.add(odd, f64x2.mul(v128.load(x, 16), v128.load(y, 16)));
    x += 32;
    y += 32;
  }
  let sum = sumLanes(f64x2.add(even, odd));
  for (; k < n; k++) {
    sum += load<f64>(x) * load<f64>(y);
    x += 8;
    y += 8;
  }
  return sum;
}

/** y ← y + a·x. */
export function axpy(a: f64, x: usize, y: usize, n: i32): void {
  const factor = f64x2.splat(a);
  let k = 0;
  for (; k + 2 <= n; k += 2) {
    v128.store(y, f64x2.add(v128.load(y), f64x2.mul(factor, v128.load(x))));
    x += 16;
    y += 16;
  }
  if (k < n) store<f64>(y, load<f64>(y) + a * load<f64>(x));
}

/** x ← a·x. */
export function scale(a: f64, x: usize, n: i32): void {
  const end = x + (usize(n) << 3);
  for (; x < end; x += 8) store<f64>(x, a * load<f64>(x));
}

// @ts-ignore: decorator
@inline
export function get(x: usize, i: i32): f64 {
  return load<f64>(x + (usize(i) << 3));
}

// @ts-ignore: decorator
@inline
export function set(x: usize, i: i32, value: f64): void {
  store<f64>(x + (usize(i) << 3), value);
}
