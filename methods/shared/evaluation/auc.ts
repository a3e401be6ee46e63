import { z95 } from "@consilium/core/linalg/z95";
import type { Estimate } from "./estimate.js";

/**
 * The area under the ROC curve from noisy counts per score bin: of a row of either class, how often the second class's
 * row lies in the higher bin, half where both lie in one.
 *
 * With P and N rows and the kernel k = 1, ½ or 0, U - A·P·N = Σ_bb' (k - A)·p_b·n_b' is bilinear in the counts, so its
 * variance under independent noise is exact: the noise of each side against the other's counts, and of both. The rows'
 * own variance is DeLong's [DDC88], or [HM82]'s at an area drawn in by a pair of rows where that is more: DeLong's is 0
 * where the classes lie apart.
 *
 * The interval is for the area of the score itself, not of its bins. Pairs within a bin count half, where of the score's own
 * order at most (1 + tanh(w/4))/2 is right if the classes' log-odds change by w from the bin's lower end to its upper one:
 * the upper end of the interval is so much higher (docs/methods/evaluation.md#area).
 * @param negatives, positives - [bins] of the first and the second class, ascending score; noise included
 * @param noiseStdDev - of each count
 * @param widths - [bins] of each bin in log-odds; 0 where all of its rows have one score
 * @returns [0, 1] with value ½ where a class has no rows to speak of
 */
export function aucOf(
  negatives: Float64Array,
  positives: Float64Array,
  noiseStdDev: number,
  widths: ArrayLike<number>,
): Estimate {
  const bins = negatives.length;
  const n = total(negatives);
  const p = total(positives);
  // Below so many rows of a class its noise alone might be all there is.
  const least = z95 * noiseStdDev * Math.sqrt(bins);
  if (!(n > 0 && p > 0 && n > least && p > least)) return { value: 0.5, low: 0, high: 1 };
  const area = pairs(negatives, positives) / (n * p);
  const value = Math.min(1, Math.max(0, area));
  const kernel = (b: number, other: number) => (b > other ? 1 : b === other ? 0.5 : 0) - value;
  const againstNegatives = Float64Array.from(positives, (_, b) => weighted(negatives, (o) => kernel(b, o)));
  const againstPositives = Float64Array.from(negatives, (_, o) => weighted(positives, (b) => kernel(b, o)));
  const variance = noiseStdDev ** 2;
  let noise = 0;
  for (let b = 0; b < bins; b++) {
    noise += variance * (againstNegatives[b]! ** 2 + againstPositives[b]! ** 2);
    for (let o = 0; o < bins; o++) noise += variance ** 2 * kernel(b, o) ** 2;
  }
  const delong =
    weighted(clipped(positives), (b) => againstNegatives[b]! ** 2) +
    weighted(clipped(negatives), (o) => againstPositives[o]! ** 2);
  const rows = Math.max(delong, hanleyMcNeil(value, n, p) * (n * p) ** 2);
  const halfWidth = (z95 * Math.sqrt(noise + rows)) / (n * p);
  const within = weighted(
    clipped(positives),
    (b) => (Math.max(0, negatives[b]!) * Math.tanh(widths[b]! / 4)) / (2 * n * p),
  );
  return { value, low: Math.max(0, value - halfWidth), high: Math.min(1, value + halfWidth + within) };
}

/** Variance of the area from n and p rows, at the area with a right and a wrong row added to the smaller class. */
function hanleyMcNeil(area: number, n: number, p: number): number {
  const fewest = Math.min(n, p);
  const a = (area * fewest + 1) / (fewest + 2);
  const ofPositives = (p - 1) * (a / (2 - a) - a ** 2);
  const ofNegatives = (n - 1) * ((2 * a ** 2) / (1 + a) - a ** 2);
  return Math.max(0, a * (1 - a) + ofPositives + ofNegatives) / (n * p);
}

/** Σ over pairs of the kernel 1, ½, 0. */
function pairs(negatives: Float64Array, positives: Float64Array): number {
  let below = 0;
  let sum = 0;
  for (let b = 0; b < negatives.length; b++) {
    sum += positives[b]! * (below + negatives[b]! / 2);
    below += negatives[b]!;
  }
  return sum;
}

function weighted(counts: Float64Array, weight: (bin: number) => number): number {
  return counts.reduce((sum, count, bin) => sum + count * weight(bin), 0);
}

const total = (counts: Float64Array) => counts.reduce((sum, count) => sum + count, 0);
const clipped = (counts: Float64Array) => counts.map((count) => Math.max(0, count));
