// One look at every entry of a column.

/** Largest of n ≥ 0 bytes; 0 if there are none. */
export function maximumByte(x: usize, n: i32): u8 {
  let largest = i8x16.splat(0);
  let i = 0;
  for (; i + 16 <= n; i += 16) largest = i8x16.max_u(largest, v128.load(x + usize(i)));
  let result: u32 = 0;
  for (; i < n; i++) result = max<u32>(result, load<u8>(x + usize(i)));
  // fold the halves onto each other
  largest = i8x16.max_u(largest, i8x16.shuffle(largest, largest, 8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7));
  let eight = i64x2.extract_lane(largest, 0);
  for (let byte = 0; byte < 8; byte++) {
    result = max<u32>(result, u32(eight & 255));
    eight >>= 8;
  }
  return u8(result);
}

/** Largest of n ≥ 0 16-bit integers; 0 if there are none. */
export function maximumShort(x: usize, n: i32): u16 {
  let largest = i16x8.splat(0);
  let i = 0;
  for (; i + 8 <= n; i += 8) largest = i16x8.max_u(largest, v128.load(x + (usize(i) << 1)));
  let result: u32 = 0;
  for (; i < n; i++) result = max<u32>(result, load<u16>(x + (usize(i) << 1)));
  largest = i16x8.max_u(largest, i8x16.shuffle(largest, largest, 8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7));
  let four = i64x2.extract_lane(largest, 0);
  for (let short = 0; short < 4; short++) {
    result = max<u32>(result, u32(four & 65535));
    four >>= 16;
  }
  return u16(result);
}

/** Whether n ≥ 1 16-bit integers are all the same. */
export function sameShort(x: usize, n: i32): bool {
  const value = load<u16>(x);
  const all = i16x8.splat(value);
  let i = 0;
  for (; i + 8 <= n; i += 8) {
    if (v128.any_true(v128.xor(all, v128.load(x + (usize(i) << 1))))) return false;
  }
  for (; i < n; i++) if (load<u16>(x + (usize(i) << 1)) != value) return false;
  return true;
}
