import type { ExchangeKey } from "./crypto/exchange.js";
import { kemCiphertextBytes } from "./crypto/kem.js";
import { open, seal, sealBytes } from "./crypto/seal.js";
import { splitSecret } from "./crypto/shamir.js";
import { type X25519Key, x25519 } from "./crypto/x25519.js";
import type { Sha256, SiteId } from "./ids.js";
import { encapsulatesTo } from "./masks.js";
import type { DeliveredShares, SharesPost } from "./messages.js";
import type { Neighbourhoods } from "./neighbours.js";
import type { RandomSource } from "./random.js";
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

/** What a site signs of its ciphertexts, from an envelope for each neighbour. */
export function ciphertextDigests(
  from: SiteId,
  receivers: readonly SiteId[],
  envelopes: SharesPost["envelopes"],
): Uint8Array {
  const sealed = new Map(envelopes.map((one) => [one.to, one.sealed] as const));
  const digests = receivers.map((to) =>
    ciphertextDigest(to, envelopeParts(from, to, sealed.get(to)!).ciphertext),
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

/** One holder's shares of one owner's two secrets, in this order in an envelope. */
export interface SharePair {
  readonly selfMask: Uint8Array;
  readonly maskKey: Uint8Array;
}

/** Splits both secrets among the sites of a closed neighbourhood; the i-th pair is of the i-th site. */
export function splitSecrets(
  secrets: SharePair,
  options: { readonly count: number; readonly threshold: number; readonly random: RandomSource },
): readonly SharePair[] {
  const selfMask = splitSecret(secrets.selfMask, options);
  const maskKey = splitSecret(secrets.maskKey, options);
  return selfMask.map((share, i) => ({ selfMask: share.bytes, maskKey: maskKey[i]!.bytes }));
}

/**
 * Between two sites: under the X25519 keys of one attempt, whose secrets go when it is over, and the ML-KEM keys of the
 * study. `keysHash` names study, roster, stage and attempt, and stands for both sites' seal keys.
 */
interface Envelope {
  readonly keysHash: Sha256;
  readonly from: SiteId;
  readonly to: SiteId;
  readonly sealPrivate: X25519Key;
  /** Of the other site. */
  readonly sealPublic: Uint8Array;
  /** This site's key of the roster. */
  readonly exchange: ExchangeKey;
}

const sealOf = ({ keysHash, from, to, sealPrivate, sealPublic }: Envelope) => ({
  agreed: x25519(sealPrivate, sealPublic),
  context: `sum shares\n${keysHash}\n${from}\n${to}`,
});

/** Seals a pair of shares for its holder. */
export function sealShares(
  options: Envelope & {
    /** The holder's key of the roster. */
    readonly exchangePublic: Uint8Array;
    readonly pair: SharePair;
    readonly random: RandomSource;
  },
): Uint8Array {
  const { pair, random, exchange, exchangePublic } = options;
  const encapsulated = exchange.encapsulate(exchangePublic);
  const plaintext = Buffer.concat([pair.selfMask, pair.maskKey]);
  return seal({ ...sealOf(options), encapsulated, plaintext, random });
}

/** Opens another site's shares. Null when they do not open or are something else: that share is lost. */
export function openShares(options: Envelope & { readonly sealed: Uint8Array }): SharePair | null {
  const opened = open({ ...sealOf(options), own: options.exchange, sealed: options.sealed });
  return opened.ok && opened.value.length === 2 * shareBytes ? pairOf(opened.value) : null;
}

/** @throws RangeError unless there are 64 bytes */
export function pairOf(bytes: Uint8Array): SharePair {
  if (bytes.length !== 2 * shareBytes) throw new RangeError("a pair of shares has 64 bytes");
  return { selfMask: bytes.subarray(0, shareBytes), maskKey: bytes.subarray(shareBytes) };
}
