import { portableExponential } from "./portableExponential.js";

/**
 * A bound on a privacy loss distribution [KJH20], on a grid of losses: `masses[i]` at loss (lowest + i)·step and `infinite` at
 * an infinite loss. It bounds the true one in this sense: at and above every loss it has at least as much mass. δ at every ε is an
 * increasing function of the mass above each loss, and convolution keeps the order, so whatever is computed from it is at
 * least the true δ (docs/methods/loss-distributions.md#numbers).
 *
 * All numbers are non-negative and nothing is subtracted, so that rounding stays a small relative error: see `inflationOf`.
 * An FFT would be quicker for long vectors, and its absolute error would hide small δ.
 */
export interface LossDistribution {
  readonly step: number;
  readonly lowest: number;
  readonly masses: Float64Array;
  readonly infinite: number;
}

/** Mass at either end that one convolution may move: up to the least loss kept, or to the infinite one. */
const trimmed = 2 ** -60;
/** Entries of a distribution at most: what a browser convolves in a second. */
const lengthMost = 2 ** 15;

/**
 * What a δ of so many entries is multiplied with for all rounding: each entry brings a convolution, whose sums have at most 2^15
 * terms, and reading δ off adds two more such sums.
 */
export function inflationOf(entries: number): number {
  return 1 + 2 * (entries + 1) * (lengthMost + 100) * 2 ** -52;
}

/** No loss at all. */
export function withoutLoss(step: number): LossDistribution {
  return { step, lowest: 0, masses: Float64Array.of(1), infinite: 0 };
}

/** The loss of two independent releases. @throws RangeError beyond 2^15 losses */
export function convolved(a: LossDistribution, b: LossDistribution): LossDistribution {
  const [short, long] = a.masses.length <= b.masses.length ? [a, b] : [b, a];
  const masses = products(short.masses, long.masses);
  const infinite = a.infinite * (total(b.masses) + b.infinite) + b.infinite * total(a.masses) + underflow;
  return trim({ step: a.step, lowest: a.lowest + b.lowest, masses, infinite });
}

/** Σ_i a_i·b_(k-i), four of a's at a time: each sum is then read and written a quarter as often. */
function products(a: Float64Array, b: Float64Array): Float64Array {
  const sums = new Float64Array(a.length + b.length + 2 * (together - 1));
  const padded = new Float64Array(b.length + together - 1);
  padded.set(b);
  for (let shift = 0; shift < a.length; shift += together) {
    const a0 = a[shift]!;
    const a1 = a[shift + 1] ?? 0;
    const a2 = a[shift + 2] ?? 0;
    const a3 = a[shift + 3] ?? 0;
    let [b1, b2, b3] = [0, 0, 0];
    for (let i = 0; i < padded.length; i++) {
      const b0 = padded[i]!;
      sums[shift + i] = sums[shift + i]! + a0 * b0 + a1 * b1 + a2 * b2 + a3 * b3;
      b3 = b2;
      b2 = b1;
      b1 = b0;
    }
  }
  return sums.subarray(0, a.length + b.length - 1);
}

const together = 4;

/** What products below the least double can have lost in all, with room. */
const underflow = 2 ** -900;

/** The loss of `count` independent releases alike. */
export function repeated(once: LossDistribution, count: number): LossDistribution {
  let power = once;
  let result: LossDistribution | null = null;
  for (let left = count; ; power = convolved(power, power)) {
    if (left % 2 === 1) result = result === null ? power : convolved(result, power);
    left = Math.floor(left / 2);
    if (left === 0) return result ?? withoutLoss(once.step);
  }
}

function total(masses: Float64Array): number {
  let sum = 0;
  for (const mass of masses) sum += mass;
  return sum;
}

/** Cuts both ends where there is next to nothing: the lower end moves up, the upper one to infinity. */
export function trim(whole: LossDistribution): LossDistribution {
  const { step, lowest, masses } = whole;
  let from = 0;
  let below = 0;
  while (from < masses.length - 1 && below + masses[from]! <= trimmed) below += masses[from++]!;
  let to = masses.length;
  let above = 0;
  while (to > from + 1 && above + masses[to - 1]! <= trimmed) above += masses[--to]!;
  if (to - from > lengthMost) throw new RangeError("the losses spread over more than 2^15 steps");
  const kept = masses.slice(from, to);
  kept[0] = kept[0]! + below;
  return { step, lowest: lowest + from, masses: kept, infinite: whole.infinite + above };
}

/**
 * δ at the losses of the grid of two distributions together, without their convolution: Σ_a A(a)·δ_B(ε - a).
 * @returns of a whole number i, a bound on δ at ε = i·step; falling with i
 */
export function deltaOfBoth(a: LossDistribution, b: LossDistribution): (index: number) => number {
  const highest = b.lowest + b.masses.length - 1;
  const from = Math.min(b.lowest, -(a.lowest + a.masses.length - 1));
  // [i] δ_B at (from + i)·step. One step down every loss above counts 1 - e^-step more of itself: no difference is taken.
  const decay = portableExponential(-b.step) * (1 + 2 ** -47);
  const growth = oneMinusExponential(b.step);
  const deltas = new Float64Array(highest - from + 1);
  let above = 0;
  for (let i = highest - 1; i >= from; i--) {
    above += b.masses[i + 1 - b.lowest] ?? 0;
    deltas[i - from] = growth * above + decay * deltas[i + 1 - from]!;
  }
  const infinite = a.infinite * (total(b.masses) + b.infinite) + b.infinite * total(a.masses);
  return (index) => {
    let sum = infinite;
    for (let i = 0; i < a.masses.length; i++) {
      const at = index - (a.lowest + i) - from;
      if (at < deltas.length) sum += a.masses[i]! * deltas[at]!;
    }
    return sum;
  };
}

/** 1 - e^-x, at least the true value, for 0 < x ≤ 1/8: the alternating series cut after a positive term. */
function oneMinusExponential(x: number): number {
  let sum = 0;
  for (let k = 9; k >= 1; k--) sum = (x / k) * (1 - sum);
  return sum * (1 + 2 ** -48);
}
