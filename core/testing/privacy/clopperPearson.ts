/**
 * Exact confidence intervals of a probability, and the lower bound on ε that an experiment proves with them. For
 * tests and audits: computed in doubles, good to a relative 1e-9, far below what the intervals leave open.
 */

/**
 * The interval of Clopper and Pearson: it holds the true probability with confidence of at least 1 - alpha.
 * @param successes - integer, 0 to `trials`
 * @param trials - positive integer
 * @param alpha - 0 < alpha < 1, half of it on either side
 */
export function clopperPearson(options: {
  readonly successes: number;
  readonly trials: number;
  readonly alpha: number;
}): { readonly low: number; readonly high: number } {
  const { successes, trials, alpha } = options;
  if (!(Number.isSafeInteger(successes) && successes >= 0 && successes <= trials && trials >= 1)) {
    throw new RangeError("successes are a whole number of at most the trials");
  }
  if (!(alpha > 0 && alpha < 1)) throw new RangeError("alpha must lie in (0, 1)");
  return {
    low: lowerEnd(successes, trials, alpha / 2),
    high: 1 - lowerEnd(trials - successes, trials, alpha / 2),
  };
}

/**
 * A lower bound on the ε of a mechanism at δ: an event came `hits` times in as many runs on one table as `otherHits`
 * times on its neighbour. The event must have been chosen on other runs. Holds with confidence 1 - alpha; 0 if the
 * counts show nothing.
 */
export function epsilonLowerBound(options: {
  readonly hits: number;
  readonly otherHits: number;
  readonly trials: number;
  readonly delta: number;
  readonly alpha: number;
}): number {
  const { hits, otherHits, trials, delta, alpha } = options;
  const likely = clopperPearson({ successes: hits, trials, alpha }).low - delta;
  const unlikely = clopperPearson({ successes: otherHits, trials, alpha }).high;
  return likely > unlikely ? Math.log(likely / unlikely) : 0;
}

/** The p at which P[X ≥ k] = tail for X binomial(n, p): BetaInv(tail; k, n - k + 1). */
function lowerEnd(k: number, n: number, tail: number): number {
  if (k === 0) return 0;
  let low = 0;
  let high = k / n;
  for (let i = 0; i < 100; i++) {
    const middle = (low + high) / 2;
    if (upperTail(k, n, middle) < tail) low = middle;
    else high = middle;
  }
  return low;
}

/** P[X ≥ k] for k > np: the probability of k times a series of decreasing ratios. */
function upperTail(k: number, n: number, p: number): number {
  if (p === 0) return 0;
  const odds = p / (1 - p);
  let term = 1;
  let sum = 1;
  for (let x = k; x < n && term > sum * 2 ** -60; x++) {
    term *= ((n - x) / (x + 1)) * odds;
    sum += term;
  }
  return binomial(k, n, p) * sum;
}

/** The probability of k successes by the saddle-point expansion [Loa00], which keeps its digits for large n. */
function binomial(k: number, n: number, p: number): number {
  if (k === n) return p ** n;
  const exponent =
    stirlingError(n) -
    stirlingError(k) -
    stirlingError(n - k) -
    deviance(k, n * p) -
    deviance(n - k, n * (1 - p));
  return Math.exp(exponent) * Math.sqrt(n / (2 * Math.PI * k * (n - k)));
}

/** log n! - log(√(2πn)·(n/e)^n) */
function stirlingError(n: number): number {
  if (n > 15) {
    const square = n * n;
    return (1 / 12 - (1 / 360 - (1 / 1260 - (1 / 1680 - 1 / 1188 / square) / square) / square) / square) / n;
  }
  let logFactorial = 0;
  for (let i = 2; i <= n; i++) logFactorial += Math.log(i);
  return logFactorial - (n + 0.5) * Math.log(n) + n - 0.5 * Math.log(2 * Math.PI);
}

/** x·log(x/m) + m - x, without cancellation near x = m. */
function deviance(x: number, mean: number): number {
  const v = (x - mean) / (x + mean);
  if (Math.abs(v) >= 0.1) return x * Math.log(x / mean) + mean - x;
  let sum = (x - mean) * v;
  let power = 2 * x * v;
  for (let j = 1; ; j++) {
    power *= v * v;
    const next = sum + power / (2 * j + 1);
    if (next === sum) return sum;
    sum = next;
  }
}
