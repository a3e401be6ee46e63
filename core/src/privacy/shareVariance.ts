import { distributedRho } from "./distributedNoise.js";
import type { DistributedDiscreteGaussianEvent, EntryGroup } from "./events.js";
import { leastWithin } from "./search.js";

/** What decides the privacy of a distributed sum apart from its noise, on the grid of integers. */
export interface DistributedSum {
  /** Δ², an integer: Σ w_j·q_j² of one record's integers q is at most this, under add-remove. */
  readonly l2SensitivitySquared: number;
  readonly groups: readonly EntryGroup[];
  /** Sites on the roster. */
  readonly sites: number;
  /** Of the fewest sites in a sum, without the colluding ones. */
  readonly noiseShares: number;
}

/**
 * The least variance V_loc of a share, at weight 1, with which the sum is ρ-zCDP; rounded up by at most 2^-44. What
 * comes back has been checked with `distributedRho`.
 * @param rho - target, positive
 */
export function shareVarianceFor(options: DistributedSum & { readonly rho: number }): number {
  const { rho, ...sum } = options;
  if (!(rho > 0 && rho < Number.POSITIVE_INFINITY)) throw new RangeError("ρ must be positive and finite");
  const rhoAt = (shareVariance: number) => distributedRho(eventOf(sum, shareVariance)).ceiling();
  // Without τ: Δ²/(2ρ·shares); and never below what a proof asks for.
  const ideal = sum.l2SensitivitySquared / (2 * rho * sum.noiseShares);
  const floor = 0.25 * Math.max(...sum.groups.map(({ weight }) => weight));
  if (floor > ideal && rhoAt(floor) <= rho) return floor;
  const least = Math.max(ideal, floor);
  const nearly = least * (1 + 2 ** -45);
  if (rhoAt(nearly) <= rho) return nearly;
  let enough = 2 * least;
  while (rhoAt(enough) > rho) enough *= 2;
  return leastWithin(rhoAt, rho, nearly, enough);
}

/** The event of a distributed sum whose shares have variance `shareVariance` at weight 1. */
export function eventOf(sum: DistributedSum, shareVariance: number): DistributedDiscreteGaussianEvent {
  const { l2SensitivitySquared, groups, sites, noiseShares } = sum;
  return {
    kind: "distributed-discrete-gaussian",
    l2SensitivitySquared,
    shareVariance,
    groups,
    sites,
    noiseShares,
  };
}
