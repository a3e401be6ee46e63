import { compareRationals } from "@consilium/core/testing/privacy/exact";
import { seededRandom, wordsThen } from "@consilium/core/testing/privacy/random";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { flipExp, isBelow, isBelowExactly } from "./bernoulli.js";
import { GeometricDraw } from "./discreteLaplace.js";
import { RandomWords } from "./randomWords.js";
import { exactRational, type Rational, rational } from "./rational.js";

const gammas = fc
  .tuple(fc.bigInt({ min: 0n, max: 1n << 200n }), fc.bigInt({ min: 1n, max: 1n << 200n }))
  .map(([a, b]): Rational => (a <= b ? rational(a, b) : rational(b, a === 0n ? 1n : a)));

/** Doubles on either side of a rational of [0, 1], as close as 53 bits allow, or a little wider. */
function around(gamma: Rational, wider: number): { low: number; high: number } {
  const cut = Number((gamma.numerator << 53n) / gamma.denominator);
  return {
    low: Math.max(0, (cut - wider) * 2 ** -53),
    high: Math.min(1, (cut + 1 + wider) * 2 ** -53),
  };
}

describe("isBelow", () => {
  it("decides as integers do, right at the threshold too", () => {
    fc.assert(
      fc.property(
        gammas,
        fc.integer({ min: 1, max: 40 }),
        fc.integer({ min: -2, max: 2 }),
        fc.integer({ min: 0, max: 2 ** 32 - 1 }),
        fc.integer({ min: 0, max: 1000 }),
        (gamma, k, offset, second, wider) => {
          // The first word of γ/k itself, or one next to it.
          const threshold = Number((gamma.numerator << 32n) / (gamma.denominator * BigInt(k)));
          const first = Math.min(2 ** 32 - 1, Math.max(0, threshold + offset));
          const source = () => new RandomWords(wordsThen([first, second, 1, 2], seededRandom("rest")));
          const { low, high } = around(gamma, wider);
          const ours = isBelow(source(), low, high, k, () => gamma);
          const words = source();
          expect(ours).toBe(isBelowExactly(words, words.next(), k, gamma));
          // And that is where the number of 128 bits lies, which settles it but for a chance of 2^-90.
          const read = (((BigInt(first) << 32n) | BigInt(second)) << 64n) | (1n << 32n) | 2n;
          const gammaOverK = rational(gamma.numerator, gamma.denominator * BigInt(k));
          expect(ours).toBe(compareRationals(rational(read, 1n << 128n), gammaOverK) < 0);
        },
      ),
      { numRuns: 3000 },
    );
  });

  it("reads on while the words so far leave it open", () => {
    // γ = 1/3 = 0.01010101…₂: the words 0x55555555 never decide.
    const words = new RandomWords(
      wordsThen([0x5555_5555, 0x5555_5555, 0x5555_5555, 0x5555_5556], seededRandom("rest")),
    );
    expect(isBelowExactly(words, words.next(), 1, rational(1n, 3n))).toBe(false);
    const after = words.next();
    const fresh = new RandomWords(seededRandom("rest"));
    for (let i = 0; i < 4; i++) fresh.next();
    expect(after).toBe(fresh.next());
  });
});

describe("flipExp", () => {
  it.each([0, 0.1, 0.5, 1, 1.7, 3, 6.25])("comes up with probability e^-%d", (gamma) => {
    const words = new RandomWords(seededRandom(`flip ${gamma}`));
    const flips = 200_000;
    let heads = 0;
    for (let i = 0; i < flips; i++) if (flipExp(words, exactRational(gamma))) heads++;
    const p = Math.exp(-gamma);
    // Five standard errors: a false positive once in 1.7 million.
    expect(Math.abs(heads - flips * p)).toBeLessThanOrEqual(5 * Math.sqrt(flips * p * (1 - p)));
  });

  it("never comes up for what cannot happen, and refuses negative exponents", () => {
    const words = new RandomWords(seededRandom("never"));
    expect(flipExp(words, rational(10n ** 400n))).toBe(false);
    expect(() => flipExp(words, rational(-1n))).toThrow(RangeError);
  });
});

describe("GeometricDraw", () => {
  it("approximates the integer that it stands for to 2^-51, and exactly below 2^53", () => {
    fc.assert(
      fc.property(
        fc.bigInt({ min: 1n, max: (1n << 63n) - 2n }),
        fc.integer({ min: 0, max: 62 }),
        (most, less) => {
          const t = (most >> BigInt(less)) + 1n;
          const geometric = new GeometricDraw(new RandomWords(seededRandom(`${t}`)), t);
          for (let i = 0; i < 20; i++) {
            geometric.draw();
            // What decides about U: two doubles on either side of U/t.
            const ratio = geometric.ratio();
            expect(compareRationals(exactRational(geometric.ratioLow), ratio)).toBeLessThanOrEqual(0);
            expect(compareRationals(ratio, exactRational(geometric.ratioHigh))).toBeLessThanOrEqual(0);
            const exact = geometric.exact();
            const error = compareRationals(
              rational(
                ((exact - BigInt(geometric.near)) * (exact < BigInt(geometric.near) ? -1n : 1n)) << 51n,
              ),
              rational(exact),
            );
            expect(error).toBeLessThanOrEqual(0);
            if (exact < 1n << 53n) expect(BigInt(geometric.near)).toBe(exact);
          }
        },
      ),
      { numRuns: 300 },
    );
    const words = new RandomWords(seededRandom("range"));
    expect(() => new GeometricDraw(words, 0n)).toThrow(RangeError);
    expect(() => new GeometricDraw(words, 1n << 63n)).toThrow(RangeError);
  });
});
