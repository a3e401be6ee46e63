import { flipExpOfFraction, flipExpOfOne } from "./bernoulli.js";
import type { RandomWords } from "./randomWords.js";
import { type Rational, rational } from "./rational.js";

const word = 2 ** 32;

/**
 * A geometric variable X ≥ 0 with P[X = x] ∝ exp(-x/t) for an integer t [CKS20, Algorithm 2, lines 2 to 9]: the
 * part that the discrete Laplace and the discrete Gaussian share. X = U + t·V, with U < t and V drawn apart.
 *
 * Only the approximation `near` is computed for every draw; the integer itself is built when somebody asks.
 */
export class GeometricDraw {
  /** X to a relative 2^-51: each of its parts, the product, the sum and t itself are rounded once to 2^-53. */
  near = 0;
  /** V: how many whole t are in X. */
  wholes = 0;
  /** Two doubles with U/t between them. */
  ratioLow = 0;
  ratioHigh = 0;
  /** U = uHigh·2^32 + uLow. */
  private uHigh = 0;
  private uLow = 0;

  private readonly tHigh: number;
  private readonly tLow: number;
  private readonly tNear: number;

  /**
   * @param t - 1 ≤ t < 2^63
   * @throws RangeError beyond
   */
  constructor(
    private readonly words: RandomWords,
    private readonly t: bigint,
  ) {
    if (t < 1n || t >= 1n << 63n)
      throw new RangeError("noise of this scale does not fit the ring of 64 bits");
    this.tHigh = Number(t >> 32n);
    this.tLow = Number(t & 0xffff_ffffn);
    this.tNear = Number(t);
  }

  draw(): void {
    do {
      this.drawU();
      this.encloseRatio();
    } while (!flipExpOfFraction(this.words, this.ratioLow, this.ratioHigh, this.ratio));
    let wholes = 0;
    while (flipExpOfOne(this.words)) wholes++;
    this.wholes = wholes;
    this.near = this.nearU() + this.tNear * wholes;
  }

  /** X itself. */
  exact(): bigint {
    return this.exactU() + BigInt(this.wholes) * this.t;
  }

  /** U/t: numerator, denominator, quotient and the products here are rounded once each, together less than 2^-50. */
  private encloseRatio(): void {
    const ratio = this.nearU() / this.tNear;
    this.ratioLow = ratio * (1 - 2 ** -50);
    this.ratioHigh = Math.min(1, ratio * (1 + 2 ** -50));
  }

  /** Up to 2^53 this is U itself, beyond it is rounded once. */
  private nearU(): number {
    return this.uHigh * word + this.uLow;
  }

  /** U/t itself. */
  readonly ratio = (): Rational => rational(this.exactU(), this.t);

  private exactU(): bigint {
    return (BigInt(this.uHigh) << 32n) | BigInt(this.uLow);
  }

  /** U uniform in [0, t): pairs of words, drawn again until they are below t. */
  private drawU(): void {
    if (this.tHigh === 0) {
      this.uHigh = 0;
      this.uLow = this.words.below(this.tLow);
      return;
    }
    do {
      this.uHigh = this.words.below(this.tHigh + 1);
      this.uLow = this.words.next();
    } while (this.uHigh === this.tHigh && this.uLow >= this.tLow);
  }
}
