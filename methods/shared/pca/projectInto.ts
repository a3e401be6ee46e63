/**
 * One row times Vᵀ.
 * @param row - [d], centred and of length 1 (or zero)
 * @param loadings - [k × d] row-major
 * @param out - [k], overwritten
 */
export function projectInto(row: Float64Array, loadings: Float64Array, out: Float64Array): void {
  const d = row.length;
  for (let c = 0, o = 0; c < out.length; c++, o += d) {
    let product = 0;
    for (let j = 0; j < d; j++) product += loadings[o + j]! * row[j]!;
    out[c] = product;
  }
}
