import { lowHalf } from "../halves.js";
import { flipExp, flipExpOfFraction, flipExpOfInteger } from "./bernoulli.js";
import { GeometricDraw } from "./discreteLaplace.js";
import type { RandomWords } from "./randomWords.js";
import { integerSquareRoot, type Rational, rational } from "./rational.js";

/**
 * The discrete Gaussian N_Z(0, σ²), exactly [CKS20, Algorithm 3]: P[Y = y] ∝ exp(-y²/(2σ²)) over the integers. Added
 * to integers of L2 sensitivity Δ it is Δ²/(2σ²)-zCDP under the relation that Δ is stated for [CKS20, Theorem 4].
 *
 * A discrete Laplace is proposed and kept with probability exp(-γ). All decisions are exact (see `bernoulli`): doubles
 * serve only to decide what they can decide for certain, integers decide the rest. No floating-point number becomes
 * noise [Mir12].
 *
 * Not constant in time: how long a draw takes depends on it. Vectors of noise are drawn whole before anything is sent.
 */
export class DiscreteGaussian {
  private readonly proposal: GaussianProposal;
  /** Up to here a draw is a double without rounding. */
  private readonly wholesInDoubles: number;

  /**
   * @param variance - σ², 2^-512 to 2^124 (σ below 2^62), in squared units of the integers
   * @param words - the operating system's generator, or a stream keyed by it
   * @throws RangeError if σ² is out of range
   */
  constructor(
    variance: Rational,
    private readonly words: RandomWords,
  ) {
    this.proposal = new GaussianProposal(variance, words);
    this.wholesInDoubles = Math.floor(2 ** 53 / Number(this.proposal.t)) - 2;
  }

  /** Fills with independent draws. A draw beyond ±2^63 is reduced modulo 2^64, as the ring would. */
  fill(out: BigInt64Array): void {
    const halves = new Uint32Array(out.buffer, out.byteOffset, 2 * out.length);
    const { magnitude } = this.proposal;
    for (let i = 0; i < out.length; i++) {
      const negative = this.draw();
      if (magnitude.wholes <= this.wholesInDoubles) {
        // |Y| < t·(V + 1) < 2^53, so `near` is |Y| itself, and both halves take its bits modulo 2^32 unchanged.
        const y = negative ? -magnitude.near : magnitude.near;
        halves[2 * i + lowHalf] = y;
        halves[2 * i + 1 - lowHalf] = Math.floor(y / 2 ** 32);
      } else {
        const y = magnitude.exact();
        out[i] = negative ? -y : y;
      }
    }
  }

  /** Leaves |Y| in the proposal, returns Y's sign. */
  private draw(): boolean {
    for (;;) {
      this.proposal.draw();
      const negative = this.words.bit() === 1;
      // Zero has one sign only.
      if (negative && this.proposal.magnitude.near === 0) continue;
      if (this.keeps()) return negative;
    }
  }

  /** A coin of bias exp(-γ). */
  private keeps(): boolean {
    const { gammaLow, gammaHigh } = this.proposal;
    const whole = Math.floor(gammaLow);
    if (gammaHigh > whole + 1) return flipExp(this.words, this.proposal.gamma());
    if (!flipExpOfInteger(this.words, whole)) return false;
    // Subtracting its integer part from a double is exact; from `gammaHigh`, which is no larger than twice that, it is
    // too (Sterbenz), or else `whole` is 0.
    return flipExpOfFraction(this.words, gammaLow - whole, gammaHigh - whole, () => {
      const { numerator, denominator } = this.proposal.gamma();
      return rational(numerator - BigInt(whole) * denominator, denominator);
    });
  }
}

/**
 * What is proposed for a discrete Gaussian: |Y| of a discrete Laplace of scale t = ⌊σ⌋ + 1, to be kept with probability
 * exp(-γ), γ = (|Y| - σ²/t)²/(2σ²).
 */
export class GaussianProposal {
  readonly t: bigint;
  /** |Y| */
  readonly magnitude: GeometricDraw;
  /** Two doubles with γ between them. */
  gammaLow = 0;
  gammaHigh = 0;
  /** Doubles near σ²/t, 1/(2σ²) and 1/σ, each to a relative 2^-50. */
  private readonly shift: number;
  private readonly inverse: number;
  private readonly inverseStdDev: number;

  /** @throws RangeError unless σ² lies between 2^-512 and 2^124 */
  constructor(
    private readonly variance: Rational,
    words: RandomWords,
  ) {
    const { numerator, denominator } = variance;
    if (numerator << 512n < denominator || numerator / denominator >= 1n << 124n) {
      throw new RangeError("the variance of discrete Gaussian noise must lie between 2^-512 and 2^124");
    }
    this.t = integerSquareRoot(numerator / denominator) + 1n;
    this.magnitude = new GeometricDraw(words, this.t);
    const near = nearest(variance);
    this.shift = near / Number(this.t);
    this.inverse = 1 / (2 * near);
    this.inverseStdDev = 1 / Math.sqrt(near);
  }

  /**
   * With a = |Y|/σ, and as σ²/t < σ, the difference z = (|Y| - σ²/t)/σ is computed to an absolute (a + 1)·2^-49, so
   * γ = z²/2 to less than (a + 1)²·2^-48: within the margin with room to spare.
   */
  draw(): void {
    this.magnitude.draw();
    const { near } = this.magnitude;
    const difference = near - this.shift;
    const gamma = difference * difference * this.inverse;
    const reach = 1 + near * this.inverseStdDev;
    const margin = reach * reach * 2 ** -46;
    this.gammaLow = Math.max(0, gamma - margin);
    this.gammaHigh = gamma + margin;
  }

  /** γ itself: (|Y|·t·b - a)²/(2·a·b·t²) for σ² = a/b. */
  gamma(): Rational {
    const { numerator: a, denominator: b } = this.variance;
    const difference = this.magnitude.exact() * this.t * b - a;
    return rational(difference * difference, 2n * a * b * this.t * this.t);
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
