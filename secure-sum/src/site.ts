import {
  checkContext,
  checkDeliveries,
  checkKeys,
  checkSignatures,
  checkSurvivors,
  sumFault,
} from "./checks.js";
import { ExchangeKey, generateExchangeKey, remembered, x25519Half } from "./crypto/exchange.js";
import { open, seal } from "./crypto/seal.js";
import { SecretBytes } from "./crypto/secretBytes.js";
import { splitSecret } from "./crypto/shamir.js";
import { type SigningKey, signMessage } from "./crypto/sign.js";
import { x25519, x25519Key, x25519PublicKey } from "./crypto/x25519.js";
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
import { remembering } from "./remembering.js";
import { assertNever, err, ok, type Result } from "./result.js";
import { memberOf } from "./roster.js";
import {
  ciphertextDigests,
  ciphertextReceivers,
  commitmentsTo,
  envelopeParts,
  shareBytes,
  sharesContext,
} from "./sealedShares.js";
import { inBytes } from "./stored.js";
import {
  ciphertextsHash,
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
  /** This site's key of the roster: the same object for all sums of a study, so that it does its work once. */
  readonly exchange: ExchangeKey;
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

/** What a site still needs of another's keys once it has shared. */
export interface KnownKeys {
  readonly site: SiteId;
  /** The X25519 half of the mask key. */
  readonly maskKey: Uint8Array;
  readonly sealKey: Uint8Array;
  /** What was encapsulated to it, if anything was. */
  readonly encapsulated: SecretBytes | null;
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
      /** Of the mask key: all that this site does with it follows from these 32 bytes. */
      readonly maskSecret: SecretBytes;
      readonly sealPrivate: SecretBytes;
      readonly own: PublicKeys;
    }
  | {
      readonly phase: "shared";
      readonly maskSecret: SecretBytes;
      readonly sealPrivate: SecretBytes;
      readonly selfMaskSeed: SecretBytes;
      readonly ownShares: SecretBytes;
      readonly keysHash: Sha256;
      /** By id. */
      readonly keys: readonly KnownKeys[];
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

/** While a state is kept in memory, its keys do their work once: what opens an envelope is what sealed one the other way. */
const maskKeyOf = remembering((secret: SecretBytes) => new ExchangeKey(secret.reveal()));
const sealerOf = remembering((secret: SecretBytes) => {
  const [key, agreed] = [x25519Key(secret.reveal()), new Map<string, Uint8Array>()];
  const agree = (sealKey: Uint8Array) => remembered(agreed, sealKey, () => x25519(key, sealKey));
  return { publicKey: x25519PublicKey(key), agree };
});

/** Begins an attempt: two fresh keys, signed for this place. */
export function advertise(
  context: SiteSumContext,
  random: RandomSource,
): { readonly state: SiteSumState; readonly post: KeysPost } {
  const maskSecret = new SecretBytes(generateExchangeKey(random));
  const sealPrivate = new SecretBytes(random.bytes(32));
  const maskKey = maskKeyOf(maskSecret).publicKey;
  const sealKey = sealerOf(sealPrivate).publicKey;
  const own = { site: context.self, maskKey, sealKey };
  const signature = signMessage(context.signingKey, keysMessage(context.place, own));
  return {
    state: { phase: "advertised", maskSecret, sealPrivate, own },
    post: { maskKey, sealKey, signature },
  };
}

/** The state as bytes, secrets included: for the site's own sealed storage, which vouches for what is read back. */
export const { store: storeSiteSum, restore: restoreSiteSum } = inBytes<SiteSumState>();

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
  const { place, self, signingKey, exchange } = context;
  const { maskSecret, sealPrivate } = state;
  const graph = neighbourhoods(place);
  const fault = checkKeys(context, graph, state.own, advertised);
  if (fault !== null) return err(fault);
  const keys = advertised.toSorted((a, b) => byId(a.site, b.site));
  const keysHash = keyListHash(place, keys);

  const seed = random.bytes(32);
  const around = graph.around(self);
  // Byte by byte: the shares of both secrets, one after the other.
  const pairs = splitSecret(Buffer.concat([seed, maskSecret.reveal()]), {
    count: around.length,
    threshold: place.parameters.shareThreshold,
    random,
  });
  const pairFor = (holder: SiteId) => pairs[graph.indexIn(self, holder) - 1]!.bytes;
  const receivers = ciphertextReceivers(graph, self, new Set(keys.map(({ site }) => site)));
  const mine = maskKeyOf(maskSecret);
  const encapsulated = new Map(
    keys
      .filter(({ site }) => receivers.includes(site))
      .map(({ site, maskKey }) => [site, mine.encapsulate(maskKey)] as const),
  );
  const envelopes = keys
    .filter(({ site }) => site !== self && graph.indexIn(self, site) > 0)
    .map(({ site: to, sealKey }) => {
      const shares = seal({
        agreed: sealerOf(sealPrivate).agree(sealKey),
        encapsulated: exchange.encapsulate(memberOf(place.roster, to).exchangeKey),
        context: sharesContext(keysHash, self, to),
        plaintext: pairFor(to),
        random,
      });
      const ciphertext = encapsulated.get(to)?.ciphertext ?? new Uint8Array();
      return { to, sealed: new Uint8Array(Buffer.concat([ciphertext, shares])) };
    });
  const ciphertexts = ciphertextDigests(self, receivers, envelopes);
  const commitment = selfMaskCommitment(place, self, seed);
  const committed = { selfMaskCommitment: commitment, ciphertexts: ciphertextsHash(ciphertexts) };
  return ok({
    state: {
      phase: "shared",
      maskSecret,
      sealPrivate,
      selfMaskSeed: new SecretBytes(seed),
      ownShares: new SecretBytes(pairFor(self)),
      keysHash,
      keys: keys.map(({ site, maskKey, sealKey }) => {
        const secret = encapsulated.get(site)?.secret;
        return {
          site,
          maskKey: x25519Half(maskKey),
          sealKey,
          encapsulated: secret === undefined ? null : new SecretBytes(secret),
        };
      }),
    },
    output: {
      kind: "shares",
      post: {
        selfMaskCommitment: commitment,
        ciphertexts,
        signature: signMessage(signingKey, sharesMessage(keysHash, self, committed)),
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
  const { keys, keysHash, selfMaskSeed, maskSecret } = state;
  const { deliveries, broadcastsHash } = message;
  const graph = neighbourhoods(place);
  const fault = checkDeliveries(context, graph, { keys, keysHash }, deliveries);
  if (fault !== null) return err(fault);

  const sealedBy = new Map(deliveries.map((one) => [one.from, one.sealed] as const));
  const sharing = new Map(deliveries.map((one) => [one.from, commitmentsTo(self, one)] as const));
  const transcript = transcriptHash(place, { keysHash, sharing, broadcastsHash });
  const mine = maskKeyOf(maskSecret);
  const envelopes: HeldEnvelope[] = [];
  const masks = [selfMask(transcript, self, selfMaskSeed.reveal())];
  for (const { site: other, maskKey, encapsulated, sealKey } of keys) {
    const sealed = sealedBy.get(other);
    if (sealed === undefined || sealed === null) continue;
    const { ciphertext, shares } = envelopeParts(other, self, sealed);
    envelopes.push({ from: other, sealKey, sealed: shares });
    const secret = encapsulated?.reveal() ?? mine.decapsulate(ciphertext);
    masks.push(pairwiseMask({ transcript, own: self, other, agreed: mine.agree(maskKey), secret }));
  }
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
  const { self, exchange } = context;
  const revealed: RevealedShare[] = [];
  const add = (of: SiteId, pair: Uint8Array) =>
    revealed.push(
      survivors.has(of)
        ? { of, secret: "self-mask", share: pair.slice(0, shareBytes) }
        : { of, secret: "mask-key", share: pair.slice(shareBytes) },
    );
  add(self, held.ownShares.reveal());
  for (const { from, sealKey, sealed } of held.envelopes) {
    const context = sharesContext(held.keysHash, from, self);
    const agreed = sealerOf(held.sealPrivate).agree(sealKey);
    const pair = open({ agreed, own: exchange, context, sealed });
    // What does not open was sealed wrong or changed: the others' shares have to do.
    if (pair.ok) add(from, pair.value);
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
