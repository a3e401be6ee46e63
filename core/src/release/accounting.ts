import { canonicalJson } from "../canonicalJson.js";
import { Enclosure } from "../privacy/enclosure.js";
import { chargesOf, type PrivacyEvent } from "../privacy/events.js";
import { zcdpAccountant } from "../privacy/zcdp.js";

/** What a release's events add up to; null where nothing is proven. */
export interface ReleaseTotal {
  /** ρ of zCDP, rounded up. */
  readonly rho: number | null;
  /** ε at the study's δ, rounded up. */
  readonly epsilon: number | null;
}

/**
 * Adds up what a release did, each event once, under adding or removing one unit. The arithmetic is exact intervals over
 * integers, so that anyone who recomputes it comes to the same doubles to the last bit.
 *
 * Equal events are added as one with their count, which costs no more than one: a hostile list of ten thousand attempts
 * keeps nobody busy.
 * @param events - of every attempt at every stage, in the order in which a certificate lists them
 * @param delta - 0 < δ < 1, or null where the study has none
 * @returns ε and ρ, rounded up; null for both where an event has no bound, and for ε without a δ
 */
export function accountFor(events: readonly PrivacyEvent[], delta: number | null): ReleaseTotal {
  const accountant = zcdpAccountant({ neighbouringRelation: "add-remove" });
  const counts = new Map<string, { readonly event: PrivacyEvent; count: number }>();
  for (const event of events) {
    const text = canonicalJson(event);
    const known = counts.get(text);
    if (known === undefined) counts.set(text, { event, count: 1 });
    else known.count++;
  }
  for (const { event, count } of counts.values()) accountant.compose(event, count);
  return {
    rho: finiteOrNull(accountant.rho()),
    epsilon: delta === null ? null : finiteOrNull(accountant.epsilon(delta)),
  };
}

/** JSON has no infinity. */
function finiteOrNull(value: number): number | null {
  return Number.isFinite(value) ? value : null;
}

/** Noise that was added to a stage's sum by the sites, in grid units of its integer vector, at entries of weight 1. */
export interface AddedNoise {
  /** Of every site's own share: the parameter of its discrete Gaussian. */
  readonly shareVariance: number;
  /** Shares that are in the sum and unknown to anyone who sees it, at the fewest sites and the most collusion allowed. */
  readonly noiseShares: number;
  /** σ = √(noiseShares · shareVariance), rounded down: what the guarantee rests on. The sum may hold more. */
  readonly guaranteedStdDev: number;
}

/** The sites' noise in an event; null where they add none of their own inside the masked vector. */
export function addedNoise(event: PrivacyEvent): AddedNoise | null {
  for (const { event: mechanism } of chargesOf(event)) {
    if (mechanism.kind !== "distributed-discrete-gaussian") continue;
    const { shareVariance, noiseShares } = mechanism;
    const variance = Enclosure.of(noiseShares).times(Enclosure.of(shareVariance));
    return { shareVariance, noiseShares, guaranteedStdDev: variance.squareRoot().floor() };
  }
  return null;
}
