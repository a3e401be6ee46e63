import { flipExp, flipExpOfFraction, flipExpOfInteger } from "./bernoulli.js";
import { GeometricDraw } from "./discreteLaplace.js";
import type { RandomWords } from "./randomWords.js";
import { integerSquareRoot, type Rational, rational } from "./rational.js";

/** Where the less and the more significant half of a 64-bit word lie among 32-bit words on this machine. */
const lowHalf = new Uint8Array(Uint32Array.of(1).buffer)[0] === 1 ? 0 : 1;

/**
 * The discrete Gaussian N_Z(0, σ²), exactly [CKS20, Algorithm 3]: P[Y = y] ∝ exp(-y²/(2σ²)) over the integers. Added
 * to integers of L2 sensitivity Δ it is Δ²/(2σ²)-zCDP under the relation that Δ is stated for [CKS20, Theorem 4].
 *
 * A discrete Laplace of scale t = ⌊σ⌋ + 1 is drawn and kept with probability exp(-γ), γ = (|Y| - σ²/t)²/(2σ²). All
 * decisions are exact (see `bernoulli`): doubles serve only to decide what they can decide for certain, integers decide
 * the rest. No floating-point number becomes noise [Mir12].
 *
 * Not constant in time: how long a draw takes depends on it. Vectors of noise are drawn whole before anything is sent.
 */
export class DiscreteGaussian {
  private readonly geometric: GeometricDraw;
  /** t, the scale of the proposal. */
  private readonly t: bigint;
  /** Doubles near σ²/t, 1/(2σ²) and 1/σ, each to a relative 2^-50. */
  private readonly shift: number;
  private readonly inverse: number;
  private readonly inverseStdDev: number;
  /** Up to here a draw is a double without rounding. */
  private readonly wholesInDoubles: number;

  /**
   * @param variance - σ², 2^-512 to 2^124 (σ below 2^62), in squared units of the integers
   * @param words - the operating system's generator, or a stream keyed by it
   * @throws RangeError if σ² is out of range
   */
  constructor(
    private readonly variance: Rational,
    private readonly words: RandomWords,
  ) {
    const { numerator, denominator } = variance;
    if (numerator << 512n < denominator || numerator / denominator >= 1n << 124n) {
      throw new RangeError("the variance of discrete Gaussian noise must lie between 2^-512 and 2^124");
    }
    this.t = integerSquareRoot(numerator / denominator) + 1n;
    this.geometric = new GeometricDraw(words, this.t);
    const near = nearest(variance);
    this.shift = near / Number(this.t);
    this.inverse = 1 / (2 * near);
    this.inverseStdDev = 1 / Math.sqrt(near);
    this.wholesInDoubles = Math.floor(2 ** 53 / Number(this.t)) - 2;
  }

  /** Fills with independent draws. A draw beyond ±2^63 is reduced modulo 2^64, as the ring would. */
  fill(out: BigInt64Array): void {
    const halves = new Uint32Array(out.buffer, out.byteOffset, 2 * out.length);
    for (let i = 0; i < out.length; i++) {
      const negative = this.draw();
      if (this.geometric.wholes <= this.wholesInDoubles) {
        // |Y| < t·(V + 1) < 2^53, so `near` is |Y| itself, and both halves take its bits modulo 2^32 unchanged.
        const y = negative ? -this.geometric.near : this.geometric.near;
        halves[2 * i + lowHalf] = y;
        halves[2 * i + 1 - lowHalf] = Math.floor(y / 2 ** 32);
      } else {
        const y = this.geometric.exact();
        out[i] = negative ? -y : y;
      }
    }
  }

  /** Leaves |Y| in `geometric`, returns Y's sign. */
  private draw(): boolean {
    for (;;) {
      this.geometric.draw();
      const negative = this.words.bit() === 1;
      // Zero has one sign only.
      if (negative && this.geometric.near === 0) continue;
      if (this.keeps()) return negative;
    }
  }

  /**
   * A coin of bias exp(-γ). With a = |Y|/σ, and as σ²/t < σ, the difference z = (|Y| - σ²/t)/σ is computed to an
   * absolute (a + 1)·2^-49, so γ = z²/2 to less than (a + 1)²·2^-48: within `margin` with room to spare.
   */
  private keeps(): boolean {
    const { near } = this.geometric;
    const difference = near - this.shift;
    const gamma = difference * difference * this.inverse;
    const reach = 1 + near * this.inverseStdDev;
    const margin = reach * reach * 2 ** -46;
    const low = Math.max(0, gamma - margin);
    const high = gamma + margin;
    const whole = Math.floor(low);
    if (high > whole + 1) return flipExp(this.words, this.exactGamma());
    if (!flipExpOfInteger(this.words, whole)) return false;
    // Subtracting its integer part from a double is exact; from `high`, which is no larger than twice that, it is too
    // (Sterbenz), or else `whole` is 0.
    return flipExpOfFraction(this.words, low - whole, high - whole, () => this.exactFraction(whole));
  }

  /** γ = (|Y|·t·b - a)²/(2·a·b·t²) for σ² = a/b. */
  private exactGamma(): Rational {
    const { numerator: a, denominator: b } = this.variance;
    const difference = this.geometric.exact() * this.t * b - a;
    return rational(difference * difference, 2n * a * b * this.t * this.t);
  }

  private exactFraction(whole: number): Rational {
    const { numerator, denominator } = this.exactGamma();
    return rational(numerator - BigInt(whole) * denominator, denominator);
  }
}

/** The double next to a positive rational, to a relative 2^-52. */
function nearest({ numerator, denominator }: Rational): number {
  // 64 bits of the quotient, cut: 2^-63; then rounded: 2^-53.
  const shift = 64 + denominator.toString(2).length - numerator.toString(2).length;
  const quotient =
    shift >= 0 ? (numerator << BigInt(shift)) / denominator : numerator / (denominator << BigInt(-shift));
  return Number(quotient) * 2 ** -shift;
}
