const TILE: i32 = 16;

/** Copies the upper triangle of the n × n matrix at `a` (row stride in bytes) onto the lower, tile by tile. */
export function mirrorUpper(a: usize, n: i32, stride: usize): void {
  for (let ib = 0; ib < n; ib += TILE) {
    const ie = min(ib + TILE, n);
    for (let jb = ib; jb < n; jb += TILE) {
      const je = min(jb + TILE, n);
      for (let i = ib; i < ie; i++) {
        const row = a + usize(i) * stride;
        for (let j = max(jb, i + 1); j < je; j++) {
          store<f64>(a + usize(j) * stride + (usize(i) << 3), load<f64>(row + (usize(j) << 3)));
        }
      }
    }
  }
}
