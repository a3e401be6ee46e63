import {
  checkContext,
  checkDeliveries,
  checkKeys,
  checkSignatures,
  checkSurvivors,
  sumFault,
} from "./checks.js";
import {
  type ExchangePrivateKey,
  exchangePrivateKey,
  exchangePublicKey,
  generateExchangeKey,
} from "./crypto/seal.js";
import { SecretBytes } from "./crypto/secretBytes.js";
import { type SigningKey, signMessage } from "./crypto/sign.js";
import type { SumError, SumErrorCode } from "./errors.js";
import type { Sha256, SiteId } from "./ids.js";
import { type MaskKey, pairwiseMask, selfMask } from "./masks.js";
import type {
  AdvertisedKeys,
  DeliveredShares,
  KeysPost,
  RevealedShare,
  SharesPost,
  SurvivorProof,
  SurvivorsSignature,
  UnmaskPost,
} from "./messages.js";
import { byId, neighbourhoods } from "./neighbours.js";
import type { RandomSource } from "./random.js";
import { assertNever, err, ok, type Result } from "./result.js";
import { openShares, pairOf, type SharePair, sealShares, splitSecrets } from "./sealedShares.js";
import {
  keyListHash,
  keysMessage,
  type PublicKeys,
  type SumPlace,
  selfMaskCommitment,
  sharesMessage,
  survivorsMessage,
  transcriptHash,
  transcriptMessage,
} from "./transcript.js";

export { addMasks, type MaskKey } from "./masks.js";
export { restoreSiteSum, storeSiteSum } from "./siteStorage.js";

/**
 * A site's part in one attempt at one secure sum [BIK17, figure 4, with the steps against an active adversary], as a
 * pure state machine. The aggregator may be hostile: the site believes only what other sites signed, and every
 * secret is gone when the state that needed it is over. SPEC.md draws the states with the same names, and
 * proves what they are for.
 *
 * The caller stores each state together with its output before the output leaves, and repeats a stored output rather
 * than a step.
 */
export interface SiteSumContext {
  readonly place: SumPlace;
  readonly self: SiteId;
  readonly signingKey: SigningKey;
  /** Sites of the roster that this site takes for the aggregator's own; not counted in `tolerateColluding`. */
  readonly distrusted: number;
  readonly tolerateColluding: number;
  /** Where sums carry no noise: the only list of survivors that this site still answers for, if there is one. */
  readonly requiredSurvivors: readonly SiteId[] | null;
}

/** An envelope with another site's shares, kept closed until a share of it is asked for. */
export interface HeldEnvelope {
  readonly from: SiteId;
  readonly sealKey: Uint8Array;
  readonly sealed: Uint8Array;
}

/** What a site still needs to answer for others, from the masked vector to the answer. */
export interface HeldShares {
  readonly keysHash: Sha256;
  readonly transcript: Sha256;
  /** All sites that shared, this one included, by id. */
  readonly sharing: readonly SiteId[];
  readonly sealPrivate: SecretBytes;
  /** This site's shares of its own two secrets: 64 bytes. */
  readonly ownShares: SecretBytes;
  readonly envelopes: readonly HeldEnvelope[];
}

export type SiteSumState =
  | {
      readonly phase: "advertised";
      readonly maskPrivate: SecretBytes;
      readonly sealPrivate: SecretBytes;
    }
  | {
      readonly phase: "shared";
      readonly maskPrivate: SecretBytes;
      readonly sealPrivate: SecretBytes;
      readonly selfMaskSeed: SecretBytes;
      readonly ownShares: SecretBytes;
      /** By id. */
      readonly keys: readonly PublicKeys[];
    }
  | { readonly phase: "masked"; readonly held: HeldShares }
  | { readonly phase: "agreed"; readonly held: HeldShares; readonly survivors: readonly SiteId[] }
  | { readonly phase: "answered"; readonly transcript: Sha256; readonly survivors: readonly SiteId[] }
  | { readonly phase: "aborted"; readonly code: SumErrorCode };

export type SiteSumMessage =
  | { readonly kind: "keys"; readonly keys: readonly AdvertisedKeys[] }
  | {
      readonly kind: "shares";
      readonly deliveries: readonly DeliveredShares[];
      readonly broadcastsHash: Sha256;
    }
  | { readonly kind: "survivors"; readonly survivors: readonly SurvivorProof[] }
  | {
      readonly kind: "unmask";
      readonly survivors: readonly SurvivorProof[];
      readonly signatures: readonly SurvivorsSignature[];
    };

export type SiteSumOutput =
  | { readonly kind: "shares"; readonly post: SharesPost }
  | {
      readonly kind: "masked";
      readonly transcriptSignature: Uint8Array;
      readonly transcriptHash: Sha256;
      /** To be added to the vector, all of them, and then forgotten. */
      readonly masks: readonly MaskKey[];
    }
  | { readonly kind: "survivors"; readonly signature: Uint8Array }
  | { readonly kind: "unmask"; readonly post: UnmaskPost };

export interface SiteSumStep {
  readonly state: SiteSumState;
  readonly output: SiteSumOutput;
}

/** Begins an attempt: two fresh keys, signed for this place. */
export function advertise(
  context: SiteSumContext,
  random: RandomSource,
): { readonly state: SiteSumState; readonly post: KeysPost } {
  const maskPrivate = new SecretBytes(generateExchangeKey(random));
  const sealPrivate = new SecretBytes(generateExchangeKey(random));
  const keys = publicKeys(
    context.self,
    exchangePrivateKey(maskPrivate.reveal()),
    exchangePrivateKey(sealPrivate.reveal()),
  );
  const signature = signMessage(context.signingKey, keysMessage(context.place, keys));
  return {
    state: { phase: "advertised", maskPrivate, sealPrivate },
    post: { maskKey: keys.maskKey, sealKey: keys.sealKey, signature },
  };
}

function publicKeys(
  site: SiteId,
  maskPrivate: ExchangePrivateKey,
  sealPrivate: ExchangePrivateKey,
): PublicKeys {
  return { site, maskKey: exchangePublicKey(maskPrivate), sealKey: exchangePublicKey(sealPrivate) };
}

/** What remains of an attempt that was refused: nothing but why. */
export function abortSite(error: SumError): SiteSumState {
  return { phase: "aborted", code: error.code };
}

/**
 * Continues with what the aggregator relays.
 * @returns the next state and what to send, or the code of the refusal. After a refusal the caller stores
 *   `abortSite(error)`: nothing further of this attempt may leave
 */
export function stepSite(
  context: SiteSumContext,
  state: SiteSumState,
  message: SiteSumMessage,
  random: RandomSource,
): Result<SiteSumStep, SumError> {
  const unfit = checkContext(context);
  if (unfit !== null) return err(unfit);
  switch (state.phase) {
    case "advertised":
      return message.kind === "keys"
        ? share(context, state, message.keys, random)
        : outOfOrder(context, state, message);
    case "shared":
      return message.kind === "shares" ? mask(context, state, message) : outOfOrder(context, state, message);
    case "masked":
    case "agreed":
      if (message.kind === "survivors" || message.kind === "unmask") return unmask(context, state, message);
      return outOfOrder(context, state, message);
    case "answered":
      return err(refuseSecondAnswer(context, state, message));
    case "aborted":
      return err(sumFault(context.place, state.code, "this site has left the attempt"));
    default:
      return assertNever(state);
  }
}

type StateOf<P extends SiteSumState["phase"]> = Extract<SiteSumState, { phase: P }>;
type MessageOf<K extends SiteSumMessage["kind"]> = Extract<SiteSumMessage, { kind: K }>;

function outOfOrder(
  context: SiteSumContext,
  state: SiteSumState,
  message: SiteSumMessage,
): Result<never, SumError> {
  const what = `the message \`${message.kind}\` came in phase \`${state.phase}\``;
  return err(sumFault(context.place, "SUM_REPLAYED", what));
}

// ---- keys → shares ----------------------------------------------------------------------------------------------

function share(
  context: SiteSumContext,
  state: StateOf<"advertised">,
  advertised: readonly AdvertisedKeys[],
  random: RandomSource,
): Result<SiteSumStep, SumError> {
  const { place, self, signingKey } = context;
  const { maskPrivate, sealPrivate } = state;
  const sealKeyPrivate = exchangePrivateKey(sealPrivate.reveal());
  const own = publicKeys(self, exchangePrivateKey(maskPrivate.reveal()), sealKeyPrivate);
  const graph = neighbourhoods(place);
  const fault = checkKeys(context, graph, own, advertised);
  if (fault !== null) return err(fault);
  const keys = advertised
    .map(({ site, maskKey, sealKey }) => ({ site, maskKey, sealKey }))
    .sort((a, b) => byId(a.site, b.site));
  const keysHash = keyListHash(place, keys);

  const seed = random.bytes(32);
  const around = graph.around(self);
  const pairs = splitSecrets(
    { selfMask: seed, maskKey: maskPrivate.reveal() },
    { count: around.length, threshold: place.parameters.shareThreshold, random },
  );
  const pairFor = (holder: SiteId): SharePair => pairs[graph.indexIn(self, holder) - 1]!;
  const envelopes = keys
    .filter(({ site }) => site !== self && graph.indexIn(self, site) > 0)
    .map(({ site: to, sealKey: sealPublic }) => ({
      to,
      sealed: sealShares({
        keysHash,
        from: self,
        to,
        sealPrivate: sealKeyPrivate,
        sealPublic,
        pair: pairFor(to),
        random,
      }),
    }));
  const commitment = selfMaskCommitment(place, self, seed);
  const ownPair = pairFor(self);
  return ok({
    state: {
      phase: "shared",
      maskPrivate,
      sealPrivate,
      selfMaskSeed: new SecretBytes(seed),
      ownShares: new SecretBytes(Buffer.concat([ownPair.selfMask, ownPair.maskKey])),
      keys,
    },
    output: {
      kind: "shares",
      post: {
        selfMaskCommitment: commitment,
        signature: signMessage(signingKey, sharesMessage(keysHash, self, commitment)),
        envelopes,
      },
    },
  });
}

// ---- shares → masks ---------------------------------------------------------------------------------------------

function mask(
  context: SiteSumContext,
  state: StateOf<"shared">,
  message: MessageOf<"shares">,
): Result<SiteSumStep, SumError> {
  const { place, self, signingKey } = context;
  const { keys, selfMaskSeed, maskPrivate } = state;
  const { deliveries, broadcastsHash } = message;
  const graph = neighbourhoods(place);
  const keysHash = keyListHash(place, keys);
  const commitment = selfMaskCommitment(place, self, selfMaskSeed.reveal());
  const fault = checkDeliveries(context, graph, { keys, keysHash, commitment }, deliveries);
  if (fault !== null) return err(fault);

  const sharing = new Map(deliveries.map((one) => [one.from, one.selfMaskCommitment] as const));
  const transcript = transcriptHash(place, { keysHash, sharing, broadcastsHash });
  const masked = keys.filter(
    ({ site }) => site !== self && sharing.has(site) && graph.indexIn(self, site) > 0,
  );
  const maskKeyPrivate = exchangePrivateKey(maskPrivate.reveal());
  const masks = masked.map(({ site: other, maskKey: otherPublic }) =>
    pairwiseMask({ transcript, own: self, maskPrivate: maskKeyPrivate, other, otherPublic }),
  );
  masks.push(selfMask(transcript, self, selfMaskSeed.reveal()));
  const sealKeys = new Map(keys.map((one) => [one.site, one.sealKey] as const));
  const envelopes = deliveries
    .flatMap(({ from, sealed }) => (sealed === null ? [] : [{ from, sealed, sealKey: sealKeys.get(from)! }]))
    .sort((a, b) => byId(a.from, b.from));
  return ok({
    state: {
      phase: "masked",
      held: {
        keysHash,
        transcript,
        sharing: [...sharing.keys()].sort(byId),
        sealPrivate: state.sealPrivate,
        ownShares: state.ownShares,
        envelopes,
      },
    },
    output: {
      kind: "masked",
      transcriptSignature: signMessage(signingKey, transcriptMessage(transcript, self)),
      transcriptHash: transcript,
      masks,
    },
  });
}

// ---- survivors → one share of one secret of each ----------------------------------------------------------------

/**
 * A list of all that shared is answered at once. A smaller one is signed first, and answered when T sites signed it.
 * A site that answers has left this state, and signs nothing after.
 */
function unmask(
  context: SiteSumContext,
  state: StateOf<"masked" | "agreed">,
  message: MessageOf<"survivors" | "unmask">,
): Result<SiteSumStep, SumError> {
  const { held } = state;
  const signed = state.phase === "agreed" ? state.survivors : null;
  const fault = checkSurvivors(context, held, signed, message.survivors);
  if (fault !== null) return err(fault);
  const survivors = message.survivors.map(({ site }) => site).sort(byId);
  if (message.kind === "survivors" && survivors.length < held.sharing.length) {
    const signature = signMessage(context.signingKey, survivorsMessage(held.transcript, survivors));
    return ok({ state: { phase: "agreed", held, survivors }, output: { kind: "survivors", signature } });
  }
  if (message.kind === "unmask") {
    const unsigned = checkSignatures(context, held.transcript, survivors, message.signatures);
    if (unsigned !== null) return err(unsigned);
  }
  return ok({
    state: { phase: "answered", transcript: held.transcript, survivors },
    output: { kind: "unmask", post: { shares: reveal(context, held, new Set(survivors)) } },
  });
}

/** Of a survivor the share of its self mask, of a dropped site that of its mask key: never both. */
function reveal(context: SiteSumContext, held: HeldShares, survivors: ReadonlySet<SiteId>): RevealedShare[] {
  const { self } = context;
  const { keysHash } = held;
  const sealPrivate = exchangePrivateKey(held.sealPrivate.reveal());
  const revealed: RevealedShare[] = [];
  const add = (of: SiteId, pair: SharePair) =>
    revealed.push(
      survivors.has(of)
        ? { of, secret: "self-mask", share: Uint8Array.from(pair.selfMask) }
        : { of, secret: "mask-key", share: Uint8Array.from(pair.maskKey) },
    );
  add(self, pairOf(held.ownShares.reveal()));
  for (const { from, sealKey, sealed } of held.envelopes) {
    const pair = openShares({ keysHash, from, to: self, sealPrivate, sealPublic: sealKey, sealed });
    // What does not open was sealed wrong or changed: the others' shares have to do.
    if (pair !== null) add(from, pair);
  }
  return revealed;
}

function refuseSecondAnswer(
  context: SiteSumContext,
  state: StateOf<"answered">,
  message: SiteSumMessage,
): SumError {
  if (message.kind === "survivors" || message.kind === "unmask") {
    const asked = message.survivors.map(({ site }) => site).sort(byId);
    if (asked.join() !== state.survivors.join())
      return sumFault(context.place, "SURVIVORS_CHANGED", "another list of survivors was answered before");
  }
  return sumFault(context.place, "SUM_REPLAYED", `\`${message.kind}\` came after the answer`);
}
