import { Enclosure } from "../../src/privacy/enclosure.js";

/**
 * The standard deviation of Gaussian noise, also discrete, for ρ-zCDP: Δ/√(2ρ), rounded up.
 * @param rho - ρ > 0
 * @param l2Sensitivity - Δ > 0 under add-remove; the result has its unit
 */
export function stdDevFromRho(options: { readonly rho: number; readonly l2Sensitivity: number }): number {
  const { rho, l2Sensitivity } = options;
  if (!(rho > 0 && l2Sensitivity > 0)) throw new RangeError("ρ and the sensitivity must be positive");
  return Enclosure.of(l2Sensitivity)
    .dividedBy(Enclosure.of(2).times(Enclosure.of(rho)).squareRoot())
    .ceiling();
}
