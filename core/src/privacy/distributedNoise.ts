import { Enclosure } from "./enclosure.js";
import type { DistributedDiscreteGaussianEvent } from "./events.js";

/**
 * Noise that no single party knows: every site adds a discrete Gaussian share of its own inside of its masked vector.
 * Shares are sized so that those of `noiseShares` sites alone carry the full variance σ²: the fewest sites that may
 * remain in a sum, less those that may collude with anyone who sees it. When more remain, the sum carries more.
 *
 * A sum of discrete Gaussians is not quite one itself; τ [KLS21, Theorem 1] bounds the difference, and the zCDP of the
 * sum is computed with it. From a share's standard deviation of 2 grid units on, it is below 1e-15.
 *
 * Entries may have weights: a record's contribution q obeys Σ w_j·q_j² ≤ Δ², and an entry of weight w has variance
 * σ²/w, which is the same guarantee as noise σ on entries √w_j·q_j. A Gram matrix has weight 1 on its diagonal and 2
 * off it, so that its upper triangle stands for the whole matrix without a factor √2 in integers.
 */

/**
 * τ = 10·Σ_{k=1}^{s-1} exp(-2π²·V·k/(k+1)) [KLS21, Theorem 1], rounded up: how far the sum of s discrete Gaussians
 * is from one. 0 for one site.
 * @param sites - s, on the roster
 * @param shareVariance - V ≥ 1/4, in squared grid units
 */
export function tau(options: { readonly sites: number; readonly shareVariance: number }): number {
  const { sites, shareVariance } = options;
  if (!(shareVariance >= 0.25)) throw new RangeError("τ is defined from a standard deviation of 1/2 on");
  return tauOf(sites, Enclosure.of(shareVariance), 0).ceiling();
}

/** @param negligible - the last terms are only known to lie between 0 and this */
function tauOf(sites: number, shareVariance: Enclosure, negligible: number): Enclosure {
  const rate = Enclosure.of(2).times(Enclosure.pi.squared()).times(shareVariance).negated();
  let sum = Enclosure.zero;
  for (let k = 1; k < sites; k++) {
    const term = rate
      .times(Enclosure.of(k))
      .dividedBy(Enclosure.of(k + 1))
      .exponential();
    sum = sum.plus(term);
    // Terms fall with k: each that is left lies between 0 and this one.
    const rest = term.hull(Enclosure.zero).times(Enclosure.of(sites - 1 - k));
    if (rest.isAtMost(negligible)) return sum.plus(rest).times(Enclosure.of(10));
  }
  return sum.times(Enclosure.of(10));
}

/** Far below the last digit of any ρ. A study may have 1,024 sites, and of most sums the first few terms are nearly all of τ. */
const negligibleTau = 2 ** -128;

/**
 * ρ of a distributed sum: [KLS21, Proposition 14], entry by entry.
 *
 * With x_j = Δ_j/σ_j for the guaranteed variance σ_j² = noiseShares·V_loc/w_j, entry j has Rényi divergence at most
 * min(α·x_j²/2 + τ_j, α·(x_j + τ_j)²/2) for every α > 1, and entries add. With x = √(Σ x_j²) this makes
 *
 *   x²/2 + Σ τ_j                                      (α·x²/2 + Στ_j is at most α times this)
 *   (x² + 2·Σ x_j·τ_j + Σ τ_j²)/2                      (Σ x_j·τ_j ≤ Δ1/σ·max √w_j·τ_j)
 *   (x + √(Σ τ_j²))²/2                                 (Cauchy-Schwarz; Theorem 1 for equal entries)
 *
 * of which the least is taken. Δ1 ≤ Δ², for integers are at most their squares. τ counts all sites of the roster,
 * which bounds every smaller number of shares.
 */
export function distributedRho(event: DistributedDiscreteGaussianEvent): Enclosure {
  const { l2SensitivitySquared, shareVariance, groups, sites, noiseShares } = event;
  const key = [l2SensitivitySquared, shareVariance, groups, sites, noiseShares];
  return remembered(knownRhos, JSON.stringify(key), () => boundOnRho(event));
}

/** Plans, ledgers and statements ask again and again for the few events of the studies that run; vectors of many lengths have one τ. */
const [knownRhos, knownTaus] = [new Map<string, Enclosure>(), new Map<string, Enclosure>()];
const knownMost = 256;

function remembered(known: Map<string, Enclosure>, key: string, compute: () => Enclosure): Enclosure {
  const value = known.get(key) ?? compute();
  if (!known.has(key) && known.size === knownMost) known.delete(known.keys().next().value!);
  known.set(key, value);
  return value;
}

function boundOnRho(event: DistributedDiscreteGaussianEvent): Enclosure {
  const two = Enclosure.of(2);
  const shareVariance = Enclosure.of(event.shareVariance);
  const sensitivitySquared = Enclosure.of(event.l2SensitivitySquared);
  const variance = shareVariance.times(Enclosure.of(event.noiseShares));
  const signalSquared = sensitivitySquared.dividedBy(variance);

  let tauSum = Enclosure.zero;
  let tauSquares = Enclosure.zero;
  let tauMost = Enclosure.zero;
  for (const { entries, weight } of event.groups) {
    const own = remembered(knownTaus, `${event.sites} ${event.shareVariance} ${weight}`, () =>
      tauOf(event.sites, shareVariance.dividedBy(Enclosure.of(weight)), negligibleTau),
    );
    tauSum = tauSum.plus(own.times(Enclosure.of(entries)));
    tauSquares = tauSquares.plus(own.squared().times(Enclosure.of(entries)));
    tauMost = tauMost.max(own.times(Enclosure.of(weight).squareRoot()));
  }

  const cross = sensitivitySquared.dividedBy(variance.squareRoot()).times(tauMost);
  const first = signalSquared.dividedBy(two).plus(tauSum);
  const second = signalSquared.plus(two.times(cross)).plus(tauSquares).dividedBy(two);
  const third = signalSquared.squareRoot().plus(tauSquares.squareRoot()).squared().dividedBy(two);
  return first.min(second).min(third);
}
