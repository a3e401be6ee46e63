import { decodeDouble, type Rational } from "@consilium/gate/noise/rational";
import {
  compare,
  type Dyadic,
  doubleDown,
  down,
  exponentialOf,
  logarithmOf,
  negated,
  piEnds,
  productDown,
  productUp,
  quotientDown,
  rootOf,
  sumDown,
  up,
  zero,
} from "./dyadic.js";

/**
 * Interval arithmetic for privacy accounting: a real number is kept between two binary fractions that are known to
 * enclose it. Every operation rounds the lower end down and the upper end up, so that a bound which is read off at
 * the end ("our ε is at least the true one") needs no error analysis of its own. Only integers (BigInt) are used:
 * results do not depend on a processor's or an engine's `Math.exp`, and anyone who checks a certificate computes the
 * same digits.
 *
 * Ends carry at least 189 bits; exp, log and π are wrong by less than 2^-270 before they are rounded to that.
 */
export class Enclosure {
  private constructor(
    readonly low: Dyadic,
    readonly high: Dyadic,
  ) {}

  static readonly zero = new Enclosure(zero, zero);
  static readonly one = Enclosure.of(1);
  static readonly pi = new Enclosure(piEnds.low, piEnds.high);

  /**
   * The number itself: a double and an integer are taken exactly.
   * @throws RangeError if it is not finite
   */
  static of(value: number | bigint): Enclosure {
    if (typeof value === "bigint") return new Enclosure(down(value, 0), up(value, 0));
    const point = decodeDouble(value);
    return new Enclosure(point, point);
  }

  static ofRational(value: Rational): Enclosure {
    return Enclosure.of(value.numerator).dividedBy(Enclosure.of(value.denominator));
  }

  plus(other: Enclosure): Enclosure {
    return new Enclosure(
      sumDown(this.low, other.low),
      negated(sumDown(negated(this.high), negated(other.high))),
    );
  }

  negated(): Enclosure {
    return new Enclosure(negated(this.high), negated(this.low));
  }

  minus(other: Enclosure): Enclosure {
    return this.plus(other.negated());
  }

  times(other: Enclosure): Enclosure {
    if (this.low.mantissa >= 0n && other.low.mantissa >= 0n) {
      return new Enclosure(productDown(this.low, other.low), productUp(this.high, other.high));
    }
    const ends = [this.low, this.high].flatMap((a) => [other.low, other.high].map((b) => [a, b] as const));
    return new Enclosure(
      ends.map(([a, b]) => productDown(a, b)).reduce((least, end) => (compare(end, least) < 0 ? end : least)),
      ends.map(([a, b]) => productUp(a, b)).reduce((most, end) => (compare(end, most) > 0 ? end : most)),
    );
  }

  /** @throws RangeError unless the divisor is known to be positive */
  dividedBy(divisor: Enclosure): Enclosure {
    if (divisor.low.mantissa <= 0n) throw new RangeError("this divisor is not known to be positive");
    // The quotient's lower end takes the divisor that makes it least: the larger one above zero, the smaller below.
    const forLow = this.low.mantissa >= 0n ? divisor.high : divisor.low;
    const forHigh = this.high.mantissa >= 0n ? divisor.low : divisor.high;
    return new Enclosure(quotientDown(this.low, forLow), negated(quotientDown(negated(this.high), forHigh)));
  }

  squared(): Enclosure {
    if (this.low.mantissa < 0n && this.high.mantissa > 0n) {
      const most = compare(negated(this.low), this.high) > 0 ? this.low : this.high;
      return new Enclosure(zero, productUp(most, most));
    }
    return this.times(this);
  }

  /** @throws RangeError if the lower end is negative */
  squareRoot(): Enclosure {
    return new Enclosure(rootOf(this.low).low, rootOf(this.high).high);
  }

  /**
   * Below -8192·ln 2 the result is only known to lie between 0 and 2^-8192.
   * @throws RangeError above 65536·ln 2, where no quantity of privacy lies
   */
  exponential(): Enclosure {
    const low = exponentialOf(this.low);
    return new Enclosure(low.low, (this.low === this.high ? low : exponentialOf(this.high)).high);
  }

  /** Natural logarithm. @throws RangeError unless the lower end is positive */
  logarithm(): Enclosure {
    const low = logarithmOf(this.low);
    return new Enclosure(low.low, (this.low === this.high ? low : logarithmOf(this.high)).high);
  }

  /** The smaller of two numbers, whichever it is. */
  min(other: Enclosure): Enclosure {
    return new Enclosure(
      compare(this.low, other.low) <= 0 ? this.low : other.low,
      compare(this.high, other.high) <= 0 ? this.high : other.high,
    );
  }

  /** The larger of two numbers, whichever it is. */
  max(other: Enclosure): Enclosure {
    return this.negated().min(other.negated()).negated();
  }

  /** Encloses whatever either encloses. */
  hull(other: Enclosure): Enclosure {
    return new Enclosure(
      compare(this.low, other.low) <= 0 ? this.low : other.low,
      compare(this.high, other.high) >= 0 ? this.high : other.high,
    );
  }

  /** True only if the number is certainly at most `bound`. */
  isAtMost(bound: number): boolean {
    if (bound === Number.POSITIVE_INFINITY) return true;
    return compare(this.high, decodeDouble(bound)) <= 0;
  }

  /** True only if the number is certainly at least `bound`. */
  isAtLeast(bound: number): boolean {
    return compare(this.low, decodeDouble(bound)) >= 0;
  }

  /** The least double that is certainly no smaller; Infinity beyond the largest. */
  ceiling(): number {
    return 0 - doubleDown(negated(this.high));
  }

  /** The greatest double that is certainly no larger; -Infinity below the least. */
  floor(): number {
    return doubleDown(this.low);
  }
}
