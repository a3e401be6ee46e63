import { equalBytes } from "./bytes.js";
import { sumFault } from "./checks.js";
import { isExchangeKey, x25519Half } from "./crypto/exchange.js";
import { verifyMessage } from "./crypto/sign.js";
import { isX25519Key } from "./crypto/x25519.js";
import type { SumError, SumErrorCode } from "./errors.js";
import type { Sha256, SiteId } from "./ids.js";
import { encapsulatesTo, type MaskKey } from "./masks.js";
import type {
  AdvertisedKeys,
  DeliveredShares,
  KeysPost,
  SharesPost,
  SurvivorProof,
  SurvivorsSignature,
  UnmaskPost,
} from "./messages.js";
import { byId, type Neighbourhoods, neighbourhoods } from "./neighbours.js";
import { joinAll, type RecoveryInput, recover } from "./recovery.js";
import { remembering } from "./remembering.js";
import { assertNever, err, ok, type Result } from "./result.js";
import { memberOf } from "./roster.js";
import {
  ciphertextDigests,
  ciphertextReceivers,
  envelopeBytes,
  envelopesOf,
  shareBytes,
} from "./sealedShares.js";
import type { SiteSumMessage } from "./site.js";
import { inBytes } from "./stored.js";
import {
  type Commitments,
  ciphertextsHash,
  keyDigest,
  keyListHash,
  keysMessage,
  type SumPlace,
  sharesMessage,
  survivorsMessage,
  transcriptHash,
  transcriptMessage,
} from "./transcript.js";

/**
 * The aggregator's part in one attempt at one secure sum, as a pure state machine: it relays, counts, and at the end
 * joins what takes the masks off the sum. It verifies each post before it counts it, so that one bad post costs its
 * sender and nobody else.
 *
 * The caller stores every accepted post before it acknowledges it; after a crash it begins anew with `openSum` and the
 * same events in the same order. Vectors never enter: the caller adds those of the survivors, and then `corrections`.
 */
export interface AggregatorSumContext {
  readonly place: SumPlace;
  /** Of everything broadcast before this sum; known from phase `masked` on. */
  readonly broadcastsHash: Sha256 | null;
}

interface Advertised {
  /** By id. */
  readonly keys: readonly AdvertisedKeys[];
  readonly keysHash: Sha256;
}

interface Shared extends Advertised {
  /** By id. */
  readonly sharing: ReadonlyMap<SiteId, SharesPost>;
}

interface Masked extends Shared {
  readonly transcript: Sha256;
  /** By id. */
  readonly survivors: readonly SurvivorProof[];
}

export type AggregatorSumState =
  | { readonly phase: "keys"; readonly posts: ReadonlyMap<SiteId, KeysPost> }
  | (Advertised & { readonly phase: "shares"; readonly posts: ReadonlyMap<SiteId, SharesPost> })
  | (Shared & { readonly phase: "masked"; readonly posts: ReadonlyMap<SiteId, Uint8Array> })
  | (Masked & { readonly phase: "survivors"; readonly posts: ReadonlyMap<SiteId, Uint8Array> })
  | (Masked & {
      readonly phase: "unmask";
      /** Nobody dropped after sharing: the list of survivors itself is the request, and no signatures go with it. */
      readonly direct: boolean;
      readonly signatures: readonly SurvivorsSignature[];
      readonly posts: ReadonlyMap<SiteId, UnmaskPost>;
    })
  | {
      readonly phase: "unmasked";
      /** Whose vectors the sum has, by id. */
      readonly survivors: readonly SiteId[];
      /** Who shared and sent no vector in time, by id. */
      readonly dropped: readonly SiteId[];
      /** Who revealed shares that do not fit; see `Recovered`. */
      readonly faulty: readonly SiteId[];
      /** To be added to the sum of the survivors' vectors. */
      readonly corrections: readonly MaskKey[];
    }
  | { readonly phase: "failed"; readonly error: SumError };

export type AggregatorSumEvent =
  | { readonly kind: "keys"; readonly site: SiteId; readonly post: KeysPost }
  | { readonly kind: "shares"; readonly site: SiteId; readonly post: SharesPost }
  | { readonly kind: "masked"; readonly site: SiteId; readonly transcriptSignature: Uint8Array }
  | { readonly kind: "survivors"; readonly site: SiteId; readonly signature: Uint8Array }
  | { readonly kind: "unmask"; readonly site: SiteId; readonly post: UnmaskPost }
  /** No further posts of this phase: on with those that came. */
  | { readonly kind: "close" };

export type AggregatorSumRequest =
  | { readonly kind: "keys" }
  | { readonly kind: "shares"; readonly keys: readonly AdvertisedKeys[] }
  | { readonly kind: "masked"; readonly deliveries: readonly DeliveredShares[] }
  | Extract<SiteSumMessage, { readonly kind: "survivors" | "unmask" }>;

type Phase = AggregatorSumState["phase"];
type OpenState = Exclude<AggregatorSumState, { phase: "unmasked" | "failed" }>;
type StateOf<P extends Phase> = Extract<AggregatorSumState, { phase: P }>;
type PostEvent = Exclude<AggregatorSumEvent, { kind: "close" }>;

/** Begins an attempt. The place is the same for all its events. */
export function openSum(_place: SumPlace): AggregatorSumState {
  return { phase: "keys", posts: new Map() };
}

/**
 * Takes a site's post, or closes a phase.
 * @returns the next state; closing below the threshold gives `failed`. An error is the fault of the site that posted,
 *   and the state stays as it was: MESSAGE_UNEXPECTED for a post that is not awaited, else the code of what is wrong.
 *   The same post again changes nothing and is no error
 */
export function stepAggregator(
  context: AggregatorSumContext,
  state: AggregatorSumState,
  event: AggregatorSumEvent,
): Result<AggregatorSumState, SumError> {
  if (isOver(state)) {
    return event.kind === "close" ? ok(state) : unexpected(context, event, "the attempt is over");
  }
  if (event.kind === "close") return ok(close(context, state));
  if (event.kind !== state.phase) return unexpected(context, event, `the phase is \`${state.phase}\``);
  if (!awaited(context, state).includes(event.site)) {
    const before = state.posts.get(event.site);
    if (before !== undefined && equalBytes(bytesOf(before), bytesOf(contentOf(event)))) return ok(state);
    return unexpected(context, event, "unexpected post from this site");
  }
  const fault = faultIn(context, state, event);
  if (fault !== null) return err(fault);
  const posts = new Map<SiteId, unknown>([...state.posts, [event.site, contentOf(event)]]);
  return ok({ ...state, posts } as AggregatorSumState);
}

function isOver(state: AggregatorSumState): state is StateOf<"unmasked" | "failed"> {
  return state.phase === "unmasked" || state.phase === "failed";
}

function unexpected(context: AggregatorSumContext, event: PostEvent, what: string): Result<never, SumError> {
  return err(
    sumFault(context.place, "MESSAGE_UNEXPECTED", `site ${event.site} posted \`${event.kind}\`: ${what}`),
  );
}

function contentOf(event: PostEvent): KeysPost | SharesPost | UnmaskPost | Uint8Array {
  if ("post" in event) return event.post;
  return event.kind === "masked" ? event.transcriptSignature : event.signature;
}

/** A post as bytes, whatever kinds of byte array it came in. */
const { store: bytesOf } = inBytes<ReturnType<typeof contentOf>>();

// ---- who is asked for what ----------------------------------------------------------------------------------------

/** Whose post of the present phase may still come, by id. */
export function awaited(context: AggregatorSumContext, state: AggregatorSumState): readonly SiteId[] {
  if (isOver(state)) return [];
  return askedIn(context, state).filter((site) => !state.posts.has(site));
}

function askedIn(context: AggregatorSumContext, state: OpenState): readonly SiteId[] {
  switch (state.phase) {
    case "keys":
      return context.place.roster.members.map((member) => member.site);
    case "shares":
      return state.keys.map((one) => one.site);
    case "masked":
      return [...state.sharing.keys()];
    case "survivors":
    case "unmask":
      return state.survivors.map((one) => one.site);
    default:
      return assertNever(state);
  }
}

/** What to ask a site in this phase, the same each time. @throws RangeError when the attempt is over or it is not asked */
export function requestFor(
  context: AggregatorSumContext,
  state: AggregatorSumState,
  site: SiteId,
): AggregatorSumRequest {
  if (isOver(state)) throw new RangeError("the attempt is over");
  if (!askedIn(context, state).includes(site))
    throw new RangeError(`site ${site} is not asked in phase ${state.phase}`);
  switch (state.phase) {
    case "keys":
      return { kind: "keys" };
    case "shares":
      return { kind: "shares", keys: keysFor(neighbourhoods(context.place), state.keys, site) };
    case "masked":
      return { kind: "masked", deliveries: deliveriesFor(state.sharing, site) };
    case "survivors":
      return { kind: "survivors", survivors: state.survivors };
    case "unmask": {
      const { direct, survivors, signatures } = state;
      return direct ? { kind: "survivors", survivors } : { kind: "unmask", survivors, signatures };
    }
    default:
      return assertNever(state);
  }
}

const keyDigests = remembering((keys: readonly AdvertisedKeys[]) =>
  keys.map((one) => ({ ...one, maskKey: keyDigest(one.maskKey) })),
);

function keysFor(graph: Neighbourhoods, keys: readonly AdvertisedKeys[], to: SiteId): AdvertisedKeys[] {
  return keys.map((one, i) => (graph.indexIn(to, one.site) > 0 ? one : keyDigests(keys)[i]!));
}

type Sharing = ReadonlyMap<SiteId, SharesPost>;
const committedBy = remembering(
  (sharing: Sharing) => new Map([...sharing].map(([site, post]) => [site, committed(post)] as const)),
);

/** What a site is given of everybody's shares. */
export function deliveriesFor(sharing: Sharing, to: SiteId): DeliveredShares[] {
  return [...sharing].map(([from, post]) => {
    const sealed = envelopesOf(post.envelopes).get(to) ?? null;
    const isWhole = sealed !== null && encapsulatesTo(from, to);
    const { selfMaskCommitment, ciphertexts } = isWhole ? post : committedBy(sharing).get(from)!;
    return { from, selfMaskCommitment, signature: post.signature, ciphertexts, sealed };
  });
}

/**
 * How many posts of this phase `close` needs. It is T; more only when those that came leave a neighbourhood without t
 * sites, or hold shares that do not fit, and others may still come.
 */
export function minimumToClose(context: AggregatorSumContext, state: AggregatorSumState): number {
  const { threshold } = context.place.parameters;
  if (isOver(state)) return 0;
  const came = state.posts.size;
  if (came < threshold || awaited(context, state).length === 0) return threshold;
  return canClose(context, state) ? threshold : came + 1;
}

/** Joining is no small work, and a state may be asked about many times. */
const canOpen = remembering(
  (state: StateOf<"unmask">, place: SumPlace) => joinAll(recoveryInput(place, state)).ok,
);

function canClose(context: AggregatorSumContext, state: OpenState): boolean {
  if (shortfall(context, state) !== null) return false;
  return state.phase !== "unmask" || canOpen(state, context.place);
}

// ---- what is wrong with a post ------------------------------------------------------------------------------------

function faultIn(context: AggregatorSumContext, state: OpenState, event: PostEvent): SumError | null {
  const { place } = context;
  const { site } = event;
  const fault = (code: SumErrorCode, what: string) => sumFault(place, code, `site ${site}: ${what}`);
  const isSigned = (message: Uint8Array, signature: Uint8Array) =>
    verifyMessage(memberOf(place.roster, site).signingKey, message, signature);
  switch (event.kind) {
    case "keys": {
      const { maskKey, sealKey, signature } = event.post;
      if (!isExchangeKey(maskKey) || !isX25519Key(sealKey))
        return fault("KEYS_INVALID", "invalid key: no secret can be agreed with it");
      if (!isSigned(keysMessage(place, { site, maskKey, sealKey }), signature))
        return fault("KEYS_INVALID", "the keys are not signed by the site");
      return repeatsKey(state as StateOf<"keys">, event.post) ? fault("KEYS_INVALID", "duplicate key") : null;
    }
    case "shares": {
      const what = sharesFault(place, state as StateOf<"shares">, event, isSigned);
      return what === null ? null : fault("SHARES_INVALID", what);
    }
    case "masked": {
      const transcript = transcriptOf(context, state as StateOf<"masked">);
      return isSigned(transcriptMessage(transcript, site), event.transcriptSignature)
        ? null
        : fault("TRANSCRIPT_DIFFERS", "it did not sign the transcript that it was given");
    }
    case "survivors": {
      const { transcript, survivors } = state as StateOf<"survivors">;
      const sites = survivors.map((one) => one.site);
      return isSigned(survivorsMessage(transcript, sites), event.signature)
        ? null
        : fault("SURVIVORS_INVALID", "it did not sign the survivors that it was given");
    }
    case "unmask": {
      const what = unmaskFault(neighbourhoods(place), state as StateOf<"unmask">, site, event.post);
      return what === null ? null : fault("SHARES_INVALID", what);
    }
    default:
      return assertNever(event);
  }
}

function repeatsKey(state: StateOf<"keys">, post: KeysPost): boolean {
  const keysOf = (one: KeysPost) => [x25519Half(one.maskKey), one.sealKey] as const;
  const [mask, seal] = keysOf(post);
  const isNew = (key: Uint8Array) => !equalBytes(key, mask) && !equalBytes(key, seal);
  return equalBytes(mask, seal) || ![...state.posts.values()].flatMap(keysOf).every(isNew);
}

function sharesFault(
  place: SumPlace,
  state: StateOf<"shares">,
  event: Extract<AggregatorSumEvent, { kind: "shares" }>,
  isSigned: (message: Uint8Array, signature: Uint8Array) => boolean,
): string | null {
  const { site, post } = event;
  if (post.selfMaskCommitment.length !== 32) return "the commitment must have 32 bytes";
  if (!isSigned(sharesMessage(state.keysHash, site, committed(post)), post.signature))
    return "the commitment is not signed by the site";
  const graph = neighbourhoods(place);
  const receivers = state.keys
    .map((one) => one.site)
    .filter((to) => to !== site && graph.indexIn(site, to) > 0);
  const addressed = new Set(post.envelopes.map((envelope) => envelope.to));
  const complete =
    post.envelopes.length === receivers.length &&
    receivers.every((to) => addressed.has(to)) &&
    post.envelopes.every(({ to, sealed }) => sealed.length === envelopeBytes(site, to));
  if (!complete) return "the envelopes are not one for each neighbour";
  const encapsulated = ciphertextReceivers(graph, site, new Set(state.keys.map((one) => one.site)));
  return equalBytes(post.ciphertexts, ciphertextDigests(site, encapsulated, post.envelopes))
    ? null
    : "it signed other ciphertexts than those in its envelopes";
}

function unmaskFault(
  graph: Neighbourhoods,
  state: StateOf<"unmask">,
  site: SiteId,
  post: UnmaskPost,
): string | null {
  const survivors = new Set(state.survivors.map((one) => one.site));
  const owners = new Set<SiteId>();
  for (const { of, secret, share } of post.shares) {
    if (!state.sharing.has(of) || graph.indexIn(of, site) === 0) return "it has no shares of such a site";
    if (owners.has(of)) return "it reveals two shares of one site";
    owners.add(of);
    if (secret !== (survivors.has(of) ? "self-mask" : "mask-key"))
      return "it reveals the wrong secret's share";
    if (share.length !== shareBytes) return `a share must have ${shareBytes} bytes`;
  }
  return null;
}

const committed = ({ selfMaskCommitment, ciphertexts }: SharesPost): Commitments => ({
  selfMaskCommitment,
  ciphertexts: ciphertextsHash(ciphertexts),
});

function transcriptOf(context: AggregatorSumContext, state: StateOf<"masked">): Sha256 {
  if (context.broadcastsHash === null) throw new RangeError("the broadcasts are fixed before vectors come");
  return transcripts(state.sharing, context.place, state.keysHash, context.broadcastsHash);
}

const transcripts = remembering(
  (sharing: Sharing, place: SumPlace, keysHash: Sha256, broadcastsHash: Sha256) =>
    transcriptHash(place, { keysHash, sharing: committedBy(sharing), broadcastsHash }),
);

// ---- the end of a phase -------------------------------------------------------------------------------------------

function close(context: AggregatorSumContext, state: OpenState): AggregatorSumState {
  const short = shortfall(context, state);
  if (short !== null) return { phase: "failed", error: short };
  switch (state.phase) {
    case "keys": {
      const keys = byIds(state.posts).map(([site, post]) => ({ site, ...post }));
      return { phase: "shares", keys, keysHash: keyListHash(context.place, keys), posts: new Map() };
    }
    case "shares": {
      const { keys, keysHash } = state;
      const sharing = new Map(byIds(state.posts));
      return { phase: "masked", keys, keysHash, sharing, posts: new Map() };
    }
    case "masked":
      return closeMasked(context, state);
    case "survivors": {
      const { threshold } = context.place.parameters;
      const signatures = byIds(state.posts)
        .slice(0, threshold)
        .map(([site, signature]) => ({ site, signature }));
      return { ...state, phase: "unmask", direct: false, signatures, posts: new Map() };
    }
    case "unmask":
      return closeUnmask(context, state);
    default:
      return assertNever(state);
  }
}

function byIds<T>(posts: ReadonlyMap<SiteId, T>): (readonly [SiteId, T])[] {
  return [...posts].sort(([a], [b]) => byId(a, b));
}

/** Fewer than T posts, or a site that can no longer be unmasked because too few of its neighbours are left. */
function shortfall(context: AggregatorSumContext, state: OpenState): SumError | null {
  const { place } = context;
  const { threshold, shareThreshold } = place.parameters;
  const came = state.posts;
  if (came.size < threshold) {
    const missing = awaited(context, state).join(", ");
    const what = `${came.size} sites posted \`${state.phase}\`, the threshold is ${threshold}; missing: ${missing}`;
    return sumFault(place, "SUM_THRESHOLD", what);
  }
  // Signatures are no shares: who did not sign may still answer.
  if (state.phase === "survivors") return null;
  const graph = neighbourhoods(place);
  const owners = state.phase === "keys" || state.phase === "shares" ? came.keys() : state.sharing.keys();
  for (const owner of owners) {
    const left = graph.around(owner).filter((site) => came.has(site)).length;
    if (left < shareThreshold) {
      const what = `of the neighbours of site ${owner}, ${left} posted \`${state.phase}\`, ${shareThreshold} required`;
      return sumFault(place, "SUM_THRESHOLD", what);
    }
  }
  return null;
}

function closeMasked(context: AggregatorSumContext, state: StateOf<"masked">): AggregatorSumState {
  const { keys, keysHash, sharing } = state;
  const survivors = byIds(state.posts).map(([site, transcriptSignature]) => ({ site, transcriptSignature }));
  const masked = { keys, keysHash, sharing, transcript: transcriptOf(context, state), survivors };
  if (survivors.length < sharing.size) return { ...masked, phase: "survivors", posts: new Map() };
  return { ...masked, phase: "unmask", direct: true, signatures: [], posts: new Map() };
}

function closeUnmask(context: AggregatorSumContext, state: StateOf<"unmask">): AggregatorSumState {
  const { place } = context;
  const input = recoveryInput(place, state);
  const recovered = recover(input);
  if (!recovered.ok) {
    const what = `the secret of site ${recovered.error} cannot be joined from ${state.posts.size} answers`;
    return { phase: "failed", error: sumFault(place, "UNMASK_FAILED", what) };
  }
  const survivors = [...input.survivors];
  const dropped = [...state.sharing.keys()].filter((site) => !input.survivors.has(site));
  return { phase: "unmasked", survivors, dropped, ...recovered.value };
}

function recoveryInput(place: SumPlace, state: StateOf<"unmask">): RecoveryInput {
  return {
    place,
    graph: neighbourhoods(place),
    transcript: state.transcript,
    maskKeys: new Map(state.keys.map((one) => [one.site, one.maskKey] as const)),
    sharing: state.sharing,
    survivors: new Set(state.survivors.map((one) => one.site)),
    answers: state.posts,
  };
}
