import type { SiteId } from "@consilium/core/ids";
import { signingKeyFingerprint } from "@consilium/runtime/identity/names";
import type { Policy } from "./policy.js";

/** A study's sites as this hospital trusts them: by the signing keys that its policy pins. */
export interface Trust {
  /** Sites of the roster that are not pinned: they count as colluding. 0 when the policy pins nobody. */
  readonly distrusted: number;
  /** This site itself, and the pinned ones of the roster; all of them when the policy pins nobody. */
  readonly isTrusted: (site: SiteId) => boolean;
}

/** Judges the sites of a roster whose certificates have been verified. */
export function trustOf(
  roster: readonly { readonly site: SiteId; readonly signingKey: Uint8Array }[],
  self: SiteId,
  members: Policy["members"],
): Trust {
  const pins = new Set<string>(Object.values(members));
  const isPinned = (signingKey: Uint8Array) => pins.size === 0 || pins.has(signingKeyFingerprint(signingKey));
  const trusted = new Set(
    roster.filter(({ site, signingKey }) => site === self || isPinned(signingKey)).map(({ site }) => site),
  );
  return { distrusted: roster.length - trusted.size, isTrusted: (site) => trusted.has(site) };
}

/** How many survivors of a sum are trusted: a sum over too few of them is refused. */
export function pinnedSurvivors(survivors: readonly SiteId[], trust: Trust): number {
  return survivors.filter((site) => trust.isTrusted(site)).length;
}
