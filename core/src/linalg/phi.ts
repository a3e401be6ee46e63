/**
 * Pearson's correlation of a cut (0/1) and a class (0/1), by its absolute value: |φ| of the table of counts (a b; c d),
 * φ² = χ²/n. 0 where a side or a class is empty: one of the two does not vary.
 * @param a - left of the cut, of the class
 * @param b - left, of the other classes
 * @param c - right, of the class
 * @param d - right, of the other classes; all four at least 0
 * @returns from 0 to 1
 */
export function phi(a: number, b: number, c: number, d: number): number {
  const scale = Math.sqrt((a + b) * (c + d)) * Math.sqrt((a + c) * (b + d));
  return scale > 0 ? Math.min(1, Math.abs(a * d - b * c) / scale) : 0;
}

/**
 * The largest |φ| of a cut and one class against the rest; of two classes both are the same.
 * @param left - [classes] counts left of the cut, at least 0
 * @param right - [classes] to its right
 */
export function oneVersusRest(left: Float64Array, right: Float64Array): number {
  const lefts = sumOf(left);
  const rights = sumOf(right);
  if (left.length === 2) return phi(left[1]!, left[0]!, right[1]!, right[0]!);
  let best = 0;
  for (let c = 0; c < left.length; c++)
    best = Math.max(best, phi(left[c]!, lefts - left[c]!, right[c]!, rights - right[c]!));
  return best;
}

export function sumOf(values: Float64Array): number {
  let sum = 0;
  for (let i = 0; i < values.length; i++) sum += values[i]!;
  return sum;
}
