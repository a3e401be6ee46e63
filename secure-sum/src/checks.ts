import { equalBytes, hex } from "./bytes.js";
import { isExchangeKey, x25519Half } from "./crypto/exchange.js";
import { verifyMessage } from "./crypto/sign.js";
import { isX25519Key } from "./crypto/x25519.js";
import { SumError, type SumErrorCode } from "./errors.js";
import type { Sha256, SiteId } from "./ids.js";
import { encapsulatesTo } from "./masks.js";
import type { AdvertisedKeys, DeliveredShares, SurvivorProof, SurvivorsSignature } from "./messages.js";
import { byId, type Neighbourhoods } from "./neighbours.js";
import { thresholdFor, tolerates } from "./parameters.js";
import { memberOf } from "./roster.js";
import { ciphertextReceivers, commitmentsTo, envelopeBytes, envelopeParts } from "./sealedShares.js";
import type { HeldShares, SiteSumContext } from "./site.js";
import {
  ciphertextDigest,
  keyDigest,
  keysMessage,
  type PublicKeys,
  type SumPlace,
  sharesMessage,
  survivorsMessage,
  transcriptMessage,
} from "./transcript.js";

/** What a site checks of everything that the aggregator relays. Each gives a refusal, or null. */

export function sumFault(place: SumPlace, code: SumErrorCode, what: string): SumError {
  const { roster, stage, attempt } = place;
  return new SumError(code, `study ${roster.studyId}, stage ${stage}, attempt ${attempt}: ${what}`);
}

/** The first id that comes a second time. */
function repeated(sites: readonly SiteId[]): SiteId | undefined {
  const seen = new Set<SiteId>();
  return sites.find((site) => seen.size === seen.add(site).size);
}

/** That threshold and graph protect this site from as many as it does not trust. */
export function checkContext(context: SiteSumContext): SumError | null {
  const { place, distrusted, tolerateColluding } = context;
  const { parameters, roster } = place;
  const sites = roster.members.length;
  const least = thresholdFor({ sites, minimumSites: 0, tolerateColluding });
  if (parameters.sites !== sites || parameters.threshold < least) {
    return sumFault(place, "SUM_THRESHOLD", `invalid threshold ${parameters.threshold} for ${sites} sites`);
  }
  if (tolerates(parameters, tolerateColluding + distrusted)) return null;
  const what =
    `a threshold of ${parameters.threshold} among ${sites} sites does not protect this site from ` +
    `${tolerateColluding} colluding and ${distrusted} unknown sites`;
  return sumFault(place, "SUM_THRESHOLD", what);
}

/** The list of keys: signed for this attempt, each site and each key once, this site's own among them. */
export function checkKeys(
  context: SiteSumContext,
  graph: Neighbourhoods,
  own: PublicKeys,
  keys: readonly AdvertisedKeys[],
): SumError | null {
  const { place, self } = context;
  const fault = (what: string) => sumFault(place, "KEYS_INVALID", what);
  const members = new Map(place.roster.members.map((member) => [member.site, member] as const));
  const twice = repeated(keys.map((one) => one.site));
  if (twice !== undefined) return fault(`site ${twice} has keys twice`);
  const mine = keys.find((one) => one.site === self);
  if (
    mine === undefined ||
    !equalBytes(keyDigest(mine.maskKey), keyDigest(own.maskKey)) ||
    !equalBytes(mine.sealKey, own.sealKey)
  ) {
    return fault("this site's own keys are missing or changed");
  }
  const seen = new Set<string>();
  for (const one of keys) {
    const member = members.get(one.site);
    if (member === undefined) return fault(`site ${one.site} is not on the roster`);
    if (!verifyMessage(member.signingKey, keysMessage(place, one), one.signature))
      return fault(`the keys of site ${one.site} are not signed by it for this attempt`);
    for (const key of [x25519Half(one.maskKey), one.sealKey]) {
      const text = hex(key);
      if (seen.has(text)) return fault(`site ${one.site} has a duplicate key`);
      seen.add(text);
    }
    // With sites that are no neighbours nothing is agreed, so their keys can do no harm.
    const isAgreedWith = one.site !== self && graph.indexIn(self, one.site) > 0;
    if (isAgreedWith && !(isExchangeKey(one.maskKey) && isX25519Key(one.sealKey)))
      return fault(`site ${one.site} has a key that no secret can be agreed with`);
  }
  return tooFew(context, keys.length, "advertised keys");
}

function tooFew(context: SiteSumContext, count: number, what: string): SumError | null {
  const { threshold } = context.place.parameters;
  if (count >= threshold) return null;
  return sumFault(context.place, "SUM_THRESHOLD", `${count} sites ${what}, the threshold is ${threshold}`);
}

/** The list of those that shared: for the same keys, this site as it posted, an envelope from each neighbour. */
export function checkDeliveries(
  context: SiteSumContext,
  graph: Neighbourhoods,
  own: { readonly keys: readonly { readonly site: SiteId }[]; readonly keysHash: Sha256 },
  deliveries: readonly DeliveredShares[],
): SumError | null {
  const { place, self } = context;
  const fault = (what: string) => sumFault(place, "SHARES_INVALID", what);
  const advertised = new Set(own.keys.map((one) => one.site));
  const twice = repeated(deliveries.map((one) => one.from));
  if (twice !== undefined) return fault(`site ${twice} has shares twice`);
  if (!deliveries.some((one) => one.from === self)) return fault("this site's own commitment is missing");
  for (const delivery of deliveries) {
    const { from, signature, sealed } = delivery;
    if (!advertised.has(from)) return fault(`site ${from} advertised no keys`);
    // A site signs one commitment for a list of keys: its own comes back as it was, or not signed.
    const message = sharesMessage(own.keysHash, from, commitmentsTo(self, delivery));
    if (!verifyMessage(memberOf(place.roster, from).signingKey, message, signature))
      return fault(`the shares of site ${from} are not signed by it for the keys that this site saw`);
    const expected = from !== self && graph.indexIn(self, from) > 0 ? envelopeBytes(from, self) : null;
    if ((sealed?.length ?? null) !== expected)
      return fault(`of site ${from} an envelope is missing, malformed or not for this site`);
    if (sealed === null || !encapsulatesTo(from, self)) continue;
    const digest = ciphertextDigest(self, envelopeParts(from, self, sealed).ciphertext);
    const at = digest.length * ciphertextReceivers(graph, from, advertised).indexOf(self);
    if (!equalBytes(digest, delivery.ciphertexts.subarray(at, at + digest.length)))
      return fault(`the ciphertext of site ${from} is not the one that it signed`);
  }
  return tooFew(context, deliveries.length, "shared");
}

/** A list of survivors: some of those that shared, this site among them, all with one transcript. */
export function checkSurvivors(
  context: SiteSumContext,
  held: HeldShares,
  signed: readonly SiteId[] | null,
  proofs: readonly SurvivorProof[],
): SumError | null {
  const { place, self, requiredSurvivors } = context;
  const fault = (what: string) => sumFault(place, "SURVIVORS_INVALID", what);
  const survivors = proofs.map((one) => one.site).sort(byId);
  if (signed !== null && survivors.join() !== signed.join())
    return sumFault(place, "SURVIVORS_CHANGED", "another list of survivors was signed before");
  if (requiredSurvivors !== null && survivors.join() !== requiredSurvivors.toSorted(byId).join()) {
    const what = "without noise, this site answers for the survivors of the first sum only";
    return sumFault(place, "SURVIVORS_CHANGED", what);
  }
  const twice = repeated(survivors);
  if (twice !== undefined) return fault(`site ${twice} survives twice`);
  if (!survivors.includes(self)) return fault("this site sent its vector and is not among the survivors");
  const sharing = new Set(held.sharing);
  for (const { site, transcriptSignature } of proofs) {
    if (!sharing.has(site)) return fault(`site ${site} survives without having shared`);
    const { signingKey } = memberOf(place.roster, site);
    if (verifyMessage(signingKey, transcriptMessage(held.transcript, site), transcriptSignature)) continue;
    const what = `site ${site} did not sign what this site saw of keys, shares and broadcasts`;
    return sumFault(place, "TRANSCRIPT_DIFFERS", what);
  }
  return tooFew(context, survivors.length, "survive");
}

/** That T survivors take this list, and no other, as final. */
export function checkSignatures(
  context: SiteSumContext,
  transcript: Sha256,
  survivors: readonly SiteId[],
  signatures: readonly SurvivorsSignature[],
): SumError | null {
  const { place } = context;
  const fault = (what: string) => sumFault(place, "SURVIVORS_INVALID", what);
  const twice = repeated(signatures.map((one) => one.site));
  if (twice !== undefined) return fault(`site ${twice} signs the survivors twice`);
  const message = survivorsMessage(transcript, survivors);
  for (const { site, signature } of signatures) {
    if (!survivors.includes(site)) return fault(`site ${site} signs the survivors but is not one`);
    if (!verifyMessage(memberOf(place.roster, site).signingKey, message, signature))
      return fault(`site ${site} did not sign this list of survivors`);
  }
  return tooFew(context, signatures.length, "signed the survivors");
}
