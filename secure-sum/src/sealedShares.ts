import { type ExchangePrivateKey, exchangeKeyBytes, open, seal } from "./crypto/seal.js";
import { splitSecret } from "./crypto/shamir.js";
import type { Sha256, SiteId } from "./ids.js";
import type { RandomSource } from "./random.js";

/** Bytes of one share of one secret: the secrets have 32 bytes, and sharing keeps the length. */
export const shareBytes = 32;

/** Bytes of an envelope: nonce, both shares, tag. */
export const envelopeBytes = 12 + 2 * shareBytes + 16;

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

interface Envelope {
  /** Of the key list: it names study, roster, stage and attempt, and holds both sites' seal keys. */
  readonly keysHash: Sha256;
  readonly from: SiteId;
  readonly to: SiteId;
}

function sealContext({ keysHash, from, to }: Envelope): string {
  return `sum shares\n${keysHash}\n${from}\n${to}`;
}

/** Seals a pair of shares for its holder. */
export function sealShares(
  options: Envelope & {
    readonly sealPrivate: Uint8Array | ExchangePrivateKey;
    readonly sealPublic: Uint8Array;
    readonly pair: SharePair;
    readonly random: RandomSource;
  },
): Uint8Array {
  return seal({
    ownPrivate: options.sealPrivate,
    otherPublic: options.sealPublic,
    context: sealContext(options),
    plaintext: Buffer.concat([options.pair.selfMask, options.pair.maskKey]),
    random: options.random,
  });
}

/** Opens another site's envelope. Null when it does not open or holds something else: that share is lost. */
export function openShares(
  options: Envelope & {
    readonly sealPrivate: Uint8Array | ExchangePrivateKey;
    readonly sealPublic: Uint8Array;
    readonly sealed: Uint8Array;
  },
): SharePair | null {
  if (options.sealed.length !== envelopeBytes || options.sealPublic.length !== exchangeKeyBytes) return null;
  const opened = open({
    ownPrivate: options.sealPrivate,
    otherPublic: options.sealPublic,
    context: sealContext(options),
    sealed: options.sealed,
  });
  return opened.ok ? pairOf(opened.value) : null;
}

/** @throws RangeError unless there are 64 bytes */
export function pairOf(bytes: Uint8Array): SharePair {
  if (bytes.length !== 2 * shareBytes) throw new RangeError("a pair of shares has 64 bytes");
  return { selfMask: bytes.subarray(0, shareBytes), maskKey: bytes.subarray(shareBytes) };
}
