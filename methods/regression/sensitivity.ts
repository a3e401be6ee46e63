/**
 * Squared lengths that a record's integers are within, Δ², in units of 4^-h, and the weight of the information beside the score: both
 * public, from what a study declares, by IEEE arithmetic that two programs agree on to the bit. Proofs: docs/methods/regression.md#regression-proof.
 */

/** Lengths of a record's columns as integers in units of 2^-h. */
export interface ColumnLengths {
  /** A: the largest squared length of a record's integers. */
  readonly squaredNormLimit: number;
  /** 4^h. */
  readonly one: number;
}

/** k of a logistic regression at β = 0, where residual and weight are constants, and at any other β: at most φ⁵ = 11.09. */
export const logisticWeights = { start: 4, later: 11 } as const;

/** κ: dyadic, so that products with it are exact. */
const weights = [1 / 8, 3 / 16, 1 / 4, 3 / 8, 1 / 2, 3 / 4, 1, 3 / 2, 2, 3, 4, 6, 8, 12, 16, 24, 32];

/** Covers what some hundred roundings of a double add to a record's integers or take off a limit: 2^-53 each. */
const roundingAllowance = 1 + 2 ** -40;
const roundedUp = (limit: number) => Math.ceil(limit * roundingAllowance);

/**
 * κ at which r(d) has the least noise where the linear predictor is 1 away: Δ²(κ)·(1 + B²/2κ).
 * @param squaredNorm - B²
 */
function bestWeight(limitAt: (weight: number) => number, squaredNorm: number): number {
  let [best, least] = [1, Number.POSITIVE_INFINITY];
  for (const weight of weights) {
    const noise = limitAt(weight) * (1 + squaredNorm / (2 * weight));
    if (noise < least) [best, least] = [weight, noise];
  }
  return best;
}

/** Weight of the information, and Δ² with it. */
export interface Sensitivity {
  /** κ, or k of a logistic regression. */
  readonly weight: number;
  /** Integer. */
  readonly limit: number;
}

/**
 * Poisson: score r·x/R, information √(κ/A)·min(μ, C)·xx'/R, r²/(2R²), ½ at the bound; r = max(y - μ, -C), 0 ≤ y ≤ Y, R = max(Y, C).
 * The squared length is convex in r and μ ≤ C, so greatest at (y, μ) = (Y, 0), (0, C) or (Y, C), of which only (0, C) is at the bound.
 */
export function poissonSensitivity(
  { squaredNormLimit: a, one }: ColumnLengths,
  { count, cap }: { readonly count: number; readonly cap: number },
): Sensitivity {
  const unit = Math.max(count, cap);
  const corner = (residual: number, mean: number, isAtBound: boolean, weight: number) => {
    const [r, u] = [(residual / unit) ** 2, (mean / unit) ** 2];
    return a * (r + weight * u) + (one / 4) * (r ** 2 + (isAtBound ? 1 : 0));
  };
  const limitAt = (weight: number) =>
    Math.max(
      corner(count, 0, false, weight),
      corner(-cap, cap, true, weight),
      corner(count - cap, cap, false, weight),
    );
  const weight = bestWeight(limitAt, a / one);
  return { weight, limit: roundedUp(limitAt(weight)) };
}

/**
 * Cox, z_k = (x, e_k), |z_k|² ≤ A + 4^h: score Σ r_k z_k, information √(κ/B²)·Σ u_k z_k z_k', ½ where follow-up was cut; Σu_k ≤ C. The squared
 * length is convex in u ≥ 0, so greatest at u = 0, C·e_k or, of an event in interval j, C·e_j. A cut patient has no event.
 */
export function coxSensitivity(
  { squaredNormLimit: a, one }: ColumnLengths,
  { cap }: { readonly cap: number },
): Sensitivity {
  const z = a + one;
  const limitAt = (weight: number) =>
    Math.max(
      cap ** 2 * z * (1 + weight) + one / 4,
      z,
      (1 - cap) ** 2 * z + weight * cap ** 2 * z,
      (1 - cap) ** 2 * a + one * (1 + cap ** 2) + weight * cap ** 2 * z,
    );
  const weight = bestWeight(limitAt, z / one);
  return { weight, limit: roundedUp(limitAt(weight)) };
}

/** Cox before coefficients: an event, and each interval's part of the horizon as far as a patient lived it. */
export function coxStartLimit(one: number, edges: readonly number[]): number {
  const horizon = edges.at(-1)!;
  const squares = edges.slice(1).reduce((sum, edge, k) => sum + ((edge - edges[k]!) / horizon) ** 2, 0);
  return roundedUp(one * (1 + squares));
}
