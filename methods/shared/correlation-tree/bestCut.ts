import { oneVersusRest, sumOf } from "@consilium/core/linalg/phi";

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
