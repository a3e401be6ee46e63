import { equalBytes } from "./bytes.js";
import { ExchangeKey, x25519Half } from "./crypto/exchange.js";
import type { Share } from "./crypto/shamir.js";
import { interpolate } from "./crypto/shamirJoin.js";
import type { Sha256, SiteId } from "./ids.js";
import { encapsulatesTo, type MaskKey, opposite, pairwiseMask, selfMask } from "./masks.js";
import type { SharesPost, UnmaskPost } from "./messages.js";
import type { Neighbourhoods } from "./neighbours.js";
import { err, ok, type Result } from "./result.js";
import { envelopeParts, envelopesOf } from "./sealedShares.js";
import { type SumPlace, selfMaskCommitment } from "./transcript.js";

/** What the aggregator joins secrets from, every part of it verified when it came. */
export interface RecoveryInput {
  readonly place: SumPlace;
  readonly graph: Neighbourhoods;
  readonly transcript: Sha256;
  readonly maskKeys: ReadonlyMap<SiteId, Uint8Array>;
  /** What each site that shared posted. */
  readonly sharing: ReadonlyMap<SiteId, SharesPost>;
  readonly survivors: ReadonlySet<SiteId>;
  readonly answers: ReadonlyMap<SiteId, UnmaskPost>;
}

export interface Recovered {
  /** To be added to the sum of the survivors' vectors; what is left is the sum of what they masked. */
  readonly corrections: readonly MaskKey[];
  /**
   * Sites that revealed a share which does not fit the joined secret. The fault may also be its owner's, who can deal a
   * wrong share to an honest site: this is a hint where to look, and no proof.
   */
  readonly faulty: readonly SiteId[];
}

/** How many sharers are left out at most when a joined secret is wrong. */
const leftOutMost = 2;

interface Held {
  readonly holder: SiteId;
  readonly share: Share;
}

/**
 * Joins the secrets of all that shared: of survivors the seed of the self mask, of dropped sites the mask key.
 * @returns the corrections, or the site whose secret cannot be joined
 */
export function recover(input: RecoveryInput): Result<Recovered, SiteId> {
  const joined = joinAll(input);
  if (!joined.ok) return joined;
  const { secrets, faulty } = joined.value;
  const { transcript, graph, maskKeys, survivors } = input;
  const corrections: MaskKey[] = [];
  for (const [owner, secret] of secrets) {
    if (survivors.has(owner)) {
      corrections.push(opposite(selfMask(transcript, owner, secret)));
      continue;
    }
    // What the dropped site would have added is what its neighbours lack.
    const key = new ExchangeKey(secret);
    for (const other of graph.around(owner)) {
      if (!survivors.has(other)) continue;
      const otherPublic = maskKeys.get(other)!;
      const shared = encapsulatesTo(owner, other)
        ? key.encapsulate(otherPublic).secret
        : key.decapsulate(ciphertextOf(input, other, owner));
      const agreed = key.agree(otherPublic);
      corrections.push(pairwiseMask({ transcript, own: owner, other, agreed, secret: shared }));
    }
  }
  return ok({ corrections, faulty });
}

/** What a site encapsulated to a neighbour for their mask. */
function ciphertextOf({ sharing }: RecoveryInput, from: SiteId, to: SiteId): Uint8Array {
  return envelopeParts(from, to, envelopesOf(sharing.get(from)!.envelopes).get(to)!).ciphertext;
}

/** All secrets from the answers so far, or the first site whose secret cannot be joined. */
export function joinAll(
  input: RecoveryInput,
): Result<{ secrets: ReadonlyMap<SiteId, Uint8Array>; faulty: readonly SiteId[] }, SiteId> {
  const shares = sharesByOwner(input);
  const secrets = new Map<SiteId, Uint8Array>();
  const faulty = new Set<SiteId>();
  for (const owner of input.sharing.keys()) {
    // Who was wrong before comes last, so that one liar costs one search and not one for each owner.
    const held = (shares.get(owner) ?? []).toSorted(
      (a, b) => Number(faulty.has(a.holder)) - Number(faulty.has(b.holder)),
    );
    const joined = joinChecked(held, input.place.parameters.shareThreshold, (secret) =>
      isSecretOf(input, owner, secret),
    );
    if (joined === null) return err(owner);
    secrets.set(owner, joined.secret);
    for (const holder of joined.wrong) faulty.add(holder);
  }
  return ok({ secrets, faulty: [...faulty].sort() });
}

function sharesByOwner(input: RecoveryInput): Map<SiteId, Held[]> {
  const shares = new Map<SiteId, Held[]>();
  for (const [holder, post] of [...input.answers].sort(([a], [b]) => (a < b ? -1 : 1))) {
    for (const { of, share } of post.shares) {
      const held = shares.get(of) ?? [];
      held.push({ holder, share: { index: input.graph.indexIn(of, holder), bytes: share } });
      shares.set(of, held);
    }
  }
  return shares;
}

function isSecretOf(input: RecoveryInput, owner: SiteId, secret: Uint8Array): boolean {
  if (input.survivors.has(owner)) {
    const commitment = selfMaskCommitment(input.place, owner, secret);
    return equalBytes(commitment, input.sharing.get(owner)!.selfMaskCommitment);
  }
  const key = new ExchangeKey(secret);
  const posted = input.maskKeys.get(owner)!;
  // A wrong secret shows in the half that is quicker to compute.
  if (!equalBytes(key.x25519Public, x25519Half(posted)) || !equalBytes(key.publicKey, posted)) return false;
  return input.graph
    .around(owner)
    .filter((other) => input.survivors.has(other) && encapsulatesTo(owner, other))
    .every((other) => {
      const { ciphertext } = key.encapsulate(input.maskKeys.get(other)!);
      return equalBytes(ciphertext, ciphertextOf(input, owner, other));
    });
}

/** Joins from `threshold` shares, and where the result is wrong from others: one left out, then two. */
function joinChecked(
  held: readonly Held[],
  threshold: number,
  isRight: (secret: Uint8Array) => boolean,
): { readonly secret: Uint8Array; readonly wrong: readonly SiteId[] } | null {
  const mayLeaveOut = Math.min(leftOutMost, held.length - threshold);
  for (let count = 0; count <= mayLeaveOut; count++) {
    // Leaving out what would not have been used changes nothing.
    for (const leftOut of subsets(threshold + count, count)) {
      const used = held.filter((_, at) => !leftOut.includes(at)).slice(0, threshold);
      const shares = used.map((one) => one.share);
      const secret = interpolate(0, shares);
      if (!isRight(secret)) continue;
      const wrong = held.filter(
        (one) => !used.includes(one) && !equalBytes(interpolate(one.share.index, shares), one.share.bytes),
      );
      return { secret, wrong: wrong.map((one) => one.holder) };
    }
  }
  return null;
}

/** The subsets of 0 … n - 1 with `count` members, 0 to 2. */
function* subsets(n: number, count: number): Generator<readonly number[]> {
  if (count === 0) yield [];
  else if (count === 1) for (let i = 0; i < n; i++) yield [i];
  else for (let i = 0; i < n; i++) for (let j = i + 1; j < n; j++) yield [i, j];
}
