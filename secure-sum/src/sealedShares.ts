import { kemCiphertextBytes } from "./crypto/kem.js";
import { sealBytes } from "./crypto/seal.js";
import type { Sha256, SiteId } from "./ids.js";
import { encapsulatesTo } from "./masks.js";
import type { DeliveredShares, SharesPost } from "./messages.js";
import type { Neighbourhoods } from "./neighbours.js";
import { remembering } from "./remembering.js";
import { type Commitments, ciphertextDigest, ciphertextsHash } from "./transcript.js";

/** Bytes of one share of one secret: the secrets have 32 bytes, and sharing keeps the length. */
export const shareBytes = 32;

/** Bytes of an envelope: where its sender encapsulates, the ciphertext for the mask; both shares, sealed. */
export function envelopeBytes(from: SiteId, to: SiteId): number {
  return (encapsulatesTo(from, to) ? kemCiphertextBytes : 0) + 2 * shareBytes + sealBytes;
}

/** An envelope's ciphertext for the mask, empty where it has none, and its sealed shares. */
export function envelopeParts(
  from: SiteId,
  to: SiteId,
  envelope: Uint8Array,
): { readonly ciphertext: Uint8Array; readonly shares: Uint8Array } {
  const at = encapsulatesTo(from, to) ? kemCiphertextBytes : 0;
  return { ciphertext: envelope.subarray(0, at), shares: envelope.subarray(at) };
}

/** To whom a site encapsulates, of those that advertised keys: neighbours with higher ids, in their order. */
export function ciphertextReceivers(
  graph: Neighbourhoods,
  from: SiteId,
  keys: ReadonlySet<SiteId>,
): SiteId[] {
  return graph.around(from).filter((to) => keys.has(to) && encapsulatesTo(from, to));
}

/** By receiver. */
export const envelopesOf = remembering(
  (envelopes: SharesPost["envelopes"]) => new Map(envelopes.map(({ to, sealed }) => [to, sealed])),
);

/** What a site signs of its ciphertexts, from an envelope for each neighbour. */
export function ciphertextDigests(
  from: SiteId,
  receivers: readonly SiteId[],
  envelopes: SharesPost["envelopes"],
): Uint8Array {
  const digests = receivers.map((to) =>
    ciphertextDigest(to, envelopeParts(from, to, envelopesOf(envelopes).get(to)!).ciphertext),
  );
  return new Uint8Array(Buffer.concat(digests));
}

/** What a site committed to, from what one that it may have sent a ciphertext is given of its shares. */
export function commitmentsTo(
  self: SiteId,
  { from, ciphertexts, sealed, ...given }: DeliveredShares,
): Commitments {
  const isWhole = sealed !== null && encapsulatesTo(from, self);
  return { ...given, ciphertexts: isWhole ? ciphertextsHash(ciphertexts) : ciphertexts };
}

/** What an envelope's shares are sealed under: `keysHash` names study, roster, stage and attempt, and all seal keys. */
export function sharesContext(keysHash: Sha256, from: SiteId, to: SiteId): string {
  return `sum shares\n${keysHash}\n${from}\n${to}`;
}
