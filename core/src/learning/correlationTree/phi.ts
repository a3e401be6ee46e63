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

/** A cut of one attribute and what it is worth. */
export interface Cut {
  readonly cut: number;
  /** |φ|, above 0. */
  readonly correlation: number;
  /** [classes] counts on each side, noise clipped at 0. */
  readonly left: Float64Array;
  readonly right: Float64Array;
}

/**
 * The cut of an attribute with the largest |φ|; of equal ones the first.
 * @param bins - [bins × classes] counts, which noise may have made negative
 * @param kind - `ordered`: bins up to the cut are left of it; `nominal`: the bin itself
 * @param least - what each side must hold at least, after clipping
 * @returns null where no cut has a correlation and enough on both sides
 */
export function bestCut(
  bins: Float64Array,
  kind: "ordered" | "nominal",
  classes: number,
  least: number,
): Cut | null {
  const count = bins.length / classes;
  const totals = new Float64Array(classes);
  for (let i = 0; i < bins.length; i++) totals[i % classes]! += bins[i]!;
  const raw = new Float64Array(classes);
  const left = new Float64Array(classes);
  const right = new Float64Array(classes);
  let best: Cut | null = null;
  for (let cut = 0; cut < (kind === "ordered" ? count - 1 : count); cut++) {
    for (let c = 0; c < classes; c++) {
      raw[c] = bins[cut * classes + c]! + (kind === "ordered" ? raw[c]! : 0);
      left[c] = Math.max(0, raw[c]!);
      right[c] = Math.max(0, totals[c]! - raw[c]!);
    }
    if (Math.min(sumOf(left), sumOf(right)) < least) continue;
    const correlation = oneVersusRest(left, right);
    if (correlation > (best?.correlation ?? 0))
      best = { cut, correlation, left: left.slice(), right: right.slice() };
  }
  return best;
}
