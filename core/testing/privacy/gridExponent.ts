/** A share below this many grid units is too coarse for τ to vanish. */
const leastShareStdDev = 2;

/**
 * The finest detail that a sum needs: the least g ≥ 0 at which values in units of 2^-g
 * - give every share of noise a standard deviation of at least 2 units,
 * - lose at most σ/10 over all records when each is cut towards zero by less than one unit, and
 * - leave the longest record at least one unit long.
 * Its result only decides about accuracy: sensitivity and noise are stated for the integers afterwards.
 * @param rho - ρ of the release, positive
 * @param l2SensitivitySquared - Δ² under add-remove, in squared units of the real vector
 * @param noiseShares - of the fewest sites in a sum, without the colluding ones; at least 1
 * @param maxRecords - records over all sites, at most
 * @param weights - of the vector's entries; 1 for a plain vector
 * @returns g, so that σ = Δ/√(2ρ) has σ·2^g/√(noiseShares·w) ≥ 2 and maxRecords·2^-g ≤ σ/(10·√w)
 */
export function gridExponentFor(options: {
  readonly rho: number;
  readonly l2SensitivitySquared: number;
  readonly noiseShares: number;
  readonly maxRecords: number;
  readonly weights: readonly number[];
}): number {
  const { rho, l2SensitivitySquared, noiseShares, maxRecords, weights } = options;
  const heaviest = Math.max(...weights);
  if (!(rho > 0 && l2SensitivitySquared > 0 && noiseShares >= 1 && maxRecords >= 0 && heaviest >= 1)) {
    throw new RangeError("a grid needs a positive ρ and sensitivity, a noise share and weights from 1");
  }
  const least = Math.sqrt(l2SensitivitySquared / (2 * rho * heaviest));
  const wanted = Math.max(
    (leastShareStdDev * Math.sqrt(noiseShares)) / least,
    (10 * maxRecords) / least,
    1 / Math.sqrt(l2SensitivitySquared),
  );
  let exponent = Math.max(0, Math.ceil(Math.log2(wanted)));
  if (exponent > 400) throw new RangeError("the records are too many for any grid at this ρ");
  // Δ² is cut to an integer on the grid, which may leave a share just under two units.
  const shareVariance = () =>
    Math.floor(l2SensitivitySquared * 4 ** exponent) / (2 * rho * noiseShares * heaviest);
  while (shareVariance() < leastShareStdDev ** 2) exponent++;
  return exponent;
}
