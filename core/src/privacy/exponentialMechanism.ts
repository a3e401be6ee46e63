import { flipExp } from "./bernoulli.js";
import type { RandomWords } from "./randomWords.js";
import { exactRational, rational } from "./rational.js";

/**
 * The exponential mechanism, exactly: option i with probability ∝ exp(ε·score_i/(2Δ)). ε-DP and ε²/8-zCDP [CR21].
 *
 * An option is drawn uniformly and kept with probability exp(-γ), γ = ε·(best - score_i)/(2Δ), until one is kept. γ is
 * a rational number, so the coin is exact (see `bernoulli`) and no weight is ever rounded; a base-2 mechanism would
 * need rational powers of 2 and restrict ε for the same. The best option is always kept, so that n draws suffice on
 * average. Not constant in time: the number of draws depends on the scores.
 *
 * @param scores - integers in ±2^53, at least one; scores of -0 and 0 are the same
 * @param sensitivity - Δ > 0: no score changes by more between neighbours
 * @param epsilon - ε > 0
 * @returns the index of the chosen option
 */
export function chooseByScore(options: {
  readonly scores: readonly number[];
  readonly sensitivity: number;
  readonly epsilon: number;
  readonly words: RandomWords;
}): number {
  const { scores, sensitivity, epsilon, words } = options;
  if (scores.length === 0 || !scores.every(Number.isSafeInteger)) {
    throw new RangeError("the exponential mechanism needs integer scores, at least one");
  }
  if (!(epsilon > 0 && sensitivity > 0)) throw new RangeError("ε and the sensitivity must be positive");
  const rate = exactRational(epsilon);
  const span = exactRational(sensitivity);
  const best = BigInt(scores.reduce((most, score) => Math.max(most, score)));
  for (;;) {
    const index = words.below(scores.length);
    const loss = best - BigInt(scores[index]!);
    const gamma = rational(rate.numerator * span.denominator * loss, 2n * rate.denominator * span.numerator);
    if (flipExp(words, gamma)) return index;
  }
}
