import { GeometricDraw } from "@consilium/gate/noise/discreteLaplace";
import { RandomWords } from "@consilium/gate/noise/randomWords";
import type { Rational } from "@consilium/gate/noise/rational";
import type { RandomSource } from "../../src/random.js";

/**
 * The discrete Laplace distribution, exactly [CKS20, Algorithm 2]: P[Y = y] ∝ exp(-|y|/b) over the integers, b = t/s.
 * ε-DP with ε = Δ1/b when added to integers of L1 sensitivity Δ1. Integers only, no floating-point noise [Mir12].
 *
 * Not constant in time: how long a draw takes depends on it.
 */
export class DiscreteLaplace {
  private readonly words: RandomWords;
  private readonly geometric: GeometricDraw;
  private readonly divisor: bigint;

  /**
   * @param scale - b > 0, its numerator below 2^63
   * @param random - the operating system's generator, or a stream keyed by it
   */
  constructor(options: { readonly scale: Rational; readonly random: RandomSource }) {
    const { scale, random } = options;
    if (scale.numerator <= 0n) throw new RangeError("the scale of Laplace noise must be positive");
    this.words = new RandomWords(random);
    this.geometric = new GeometricDraw(this.words, scale.numerator);
    this.divisor = scale.denominator;
  }

  next(): bigint {
    for (;;) {
      this.geometric.draw();
      const magnitude = this.geometric.exact() / this.divisor;
      const negative = this.words.bit() === 1;
      // Zero has one sign only.
      if (negative && magnitude === 0n) continue;
      return negative ? -magnitude : magnitude;
    }
  }
}
