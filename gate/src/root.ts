/**
 * Square root of the matrix that takes prefix sums of a run of n cells: Toeplitz, lower triangular, with the entries
 * c_i = binom(2i, i)/4^i, that is c_0 = 1, c_i = c_{i-1}(2i-1)/(2i), since Σ c_i x^i = (1-x)^(-1/2) [DMRST22], [FHU23].
 * Here in integers, so that every program has the same matrix to the bit, and inverts this one rather than the real one.
 */

/** By exponent: a shorter run's root is the beginning of a longer one's. */
const known = new Map<number, Float64Array>();

/** @returns [run] C_i = c_i·2^exponent, rounded, halves up; C_0 = 2^exponent, none is negative or above the one before it */
export function rootOf(run: number, exponent: number): Float64Array {
  const before = known.get(exponent) ?? new Float64Array();
  if (before.length >= run) return before.slice(0, run);
  const root = new Float64Array(Math.max(run, 2 * before.length));
  let binomial = 1n;
  for (let i = 0; i < root.length; i++) {
    if (i > 0) binomial = (binomial * BigInt(4 * i - 2)) / BigInt(i);
    // Twice what is to be rounded, and one.
    const twice = ((binomial << BigInt(exponent + 1)) >> BigInt(2 * i)) + 1n;
    root[i] = Number(twice >> 1n);
  }
  known.set(exponent, root);
  return root.slice(0, run);
}
