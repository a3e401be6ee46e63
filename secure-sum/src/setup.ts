import { hex } from "./bytes.js";
import type { ExchangeKey } from "./crypto/exchange.js";
import { open, seal } from "./crypto/seal.js";
import { type SigningKey, signMessage, verifyMessage } from "./crypto/sign.js";
import { dealerOf, dealSeeds, type MaskSecret } from "./dealer.js";
import { SumError } from "./errors.js";
import type { SiteId } from "./ids.js";
import type { RandomSource } from "./random.js";
import { assertNever, err, ok, type Result } from "./result.js";
import { memberOf, type Roster } from "./roster.js";
import type { SetupStep } from "./setupSteps.js";
import { commitment, joinShares, seedShareBytes } from "./sharedSeed.js";
import { inBytes } from "./stored.js";

/**
 * How the sites of a roster come to hold dealt masks, or a shared seed, or both: the site's side as a pure state
 * machine. The aggregator only relays.
 * SPEC.md says what is posted at each step, and draws the states with the same names.
 */

/** Who this site is in one study. */
export interface SetupContext {
  readonly roster: Roster;
  readonly self: SiteId;
  readonly exchange: ExchangeKey;
  readonly signingPrivateKey: SigningKey;
  /** What the study's plan says. */
  readonly steps: readonly SetupStep[];
}

/** What a site holds at the end of the setup. */
export interface SetupSecrets {
  /** Null under pairwise masks. */
  readonly mask: MaskSecret | null;
  /** Null where the method needs none. */
  readonly sharedSeed: Uint8Array | null;
}

/** What a site posts at a step: one part for everybody, signed, and sealed parts for some. */
export interface SetupPost {
  readonly publicPart: Uint8Array;
  readonly signature: Uint8Array;
  readonly envelopes: readonly { readonly to: SiteId; readonly sealed: Uint8Array }[];
}

/** What the aggregator relays of another site's post. */
export interface SetupDelivery {
  readonly from: SiteId;
  readonly publicPart: Uint8Array;
  readonly signature: Uint8Array;
  readonly sealed: Uint8Array | null;
}

/** Secrets exist only in the phases that need them. */
export type SetupState =
  | {
      readonly phase: "begun";
      readonly share: Uint8Array | null;
      readonly seeds: ReadonlyMap<SiteId, Uint8Array> | null;
    }
  | {
      readonly phase: "revealed";
      readonly share: Uint8Array;
      readonly commitments: ReadonlyMap<SiteId, Uint8Array>;
      readonly mask: MaskSecret | null;
    }
  | ({ readonly phase: "ready" } & SetupSecrets);

export function postMessage(
  roster: Roster,
  step: SetupStep,
  site: SiteId,
  publicPart: Uint8Array,
): Uint8Array {
  return Buffer.from(`consilium exchange v1\n${roster.hash}\n${step}\n${site}\n${hex(publicPart)}`);
}

/** To whom a site seals something at a step: the dealer its mask seeds, every site its share of the shared seed. */
export function receiversOf(roster: Roster, step: SetupStep, from: SiteId): readonly SiteId[] {
  if (step === "commit" || (step === "deal" && dealerOf(roster) !== from)) return [];
  return roster.members.map((member) => member.site).filter((site) => site !== from);
}

/**
 * What is wrong with a site's post, in words, or null. The aggregator asks before it relays the post: it cannot read
 * the sealed parts, but sees that they are there and that the site signed the public one.
 */
export function postFault(roster: Roster, step: SetupStep, from: SiteId, post: SetupPost): string | null {
  const { signingKey } = memberOf(roster, from);
  if (!verifyMessage(signingKey, postMessage(roster, step, from, post.publicPart), post.signature))
    return "the post is not signed by the site";
  const receivers = receiversOf(roster, step, from);
  const addressed = new Set(post.envelopes.map((envelope) => envelope.to));
  const complete =
    post.envelopes.length === receivers.length && receivers.every((receiver) => addressed.has(receiver));
  return complete ? null : "expected exactly one envelope for each receiving site";
}

function sealContext(roster: Roster, step: SetupStep, from: SiteId, to: SiteId): string {
  return `${roster.hash}\n${step}\n${from}\n${to}`;
}

/** Step `deal`, or `commit`. @throws RangeError where the plan has no setup */
export function beginSetup(
  context: SetupContext,
  random: RandomSource,
): { state: SetupState; post: SetupPost } {
  const { roster, self, steps } = context;
  const [first] = steps;
  if (first === undefined) throw new RangeError("the study's plan has no setup");
  const seeds = first === "deal" && dealerOf(roster) === self ? dealSeeds(roster, random) : null;
  const share = steps.includes("reveal") ? random.bytes(seedShareBytes) : null;
  const publicPart = share === null ? new Uint8Array() : commitment(roster, self, share);
  const post = makePost(context, first, publicPart, seeds ?? new Map(), random);
  return { state: { phase: "begun", share, seeds }, post };
}

/**
 * Continues with what the last step brought.
 * @param deliveries - one of every other site of the roster
 * @returns the next state and, unless the setup is complete, what to post; ROSTER_INVALID when a post is missing or
 *   not signed by its site, SEAL_BROKEN, or COMMITMENT_BROKEN
 */
export function continueSetup(
  context: SetupContext,
  state: SetupState,
  deliveries: readonly SetupDelivery[],
  random: RandomSource,
): Result<{ state: SetupState; post: SetupPost | null }, SumError> {
  switch (state.phase) {
    case "begun": {
      const first = context.steps[0]!;
      const received = checkDeliveries(context, first, deliveries);
      if (!received.ok) return received;
      const mask = first === "deal" ? takeMask(context, state.seeds, received.value) : ok(null);
      if (!mask.ok) return mask;
      if (state.share === null) {
        return ok({ state: { phase: "ready", mask: mask.value, sharedSeed: null }, post: null });
      }
      const commitments = new Map<SiteId, Uint8Array>(
        [...received.value].map(([site, d]) => [site, d.publicPart]),
      );
      commitments.set(context.self, commitment(context.roster, context.self, state.share));
      const share = state.share;
      const others = new Map([...received.value.keys()].map((site) => [site, share] as const));
      const post = makePost(context, "reveal", new Uint8Array(), others, random);
      return ok({ state: { phase: "revealed", share, commitments, mask: mask.value }, post });
    }
    case "revealed": {
      const received = checkDeliveries(context, "reveal", deliveries);
      if (!received.ok) return received;
      const shares = new Map<SiteId, Uint8Array>([[context.self, state.share]]);
      for (const [site, delivery] of received.value) {
        const share = openFrom(context, "reveal", delivery);
        if (!share.ok) return share;
        shares.set(site, share.value);
      }
      const seed = joinShares(context.roster, state.commitments, shares);
      if (!seed.ok) return seed;
      return ok({ state: { phase: "ready", mask: state.mask, sharedSeed: seed.value }, post: null });
    }
    case "ready":
      throw new RangeError("the setup is complete");
    default:
      return assertNever(state);
  }
}

function makePost(
  context: SetupContext,
  step: SetupStep,
  publicPart: Uint8Array,
  secrets: ReadonlyMap<SiteId, Uint8Array>,
  random: RandomSource,
): SetupPost {
  const { roster, self } = context;
  const envelopes = [...secrets].map(([to, plaintext]) => ({
    to,
    sealed: seal({
      agreed: context.exchange.agree(memberOf(roster, to).exchangeKey),
      encapsulated: context.exchange.encapsulate(memberOf(roster, to).exchangeKey),
      context: sealContext(roster, step, self, to),
      plaintext,
      random,
    }),
  }));
  const signature = signMessage(context.signingPrivateKey, postMessage(roster, step, self, publicPart));
  return { publicPart, signature, envelopes };
}

function checkDeliveries(
  context: SetupContext,
  step: SetupStep,
  deliveries: readonly SetupDelivery[],
): Result<ReadonlyMap<SiteId, SetupDelivery>, SumError> {
  const { roster, self } = context;
  const bySite = new Map(deliveries.map((one) => [one.from, one] as const));
  const received = new Map<SiteId, SetupDelivery>();
  for (const { site, signingKey } of roster.members.filter((member) => member.site !== self)) {
    const delivery = bySite.get(site);
    const isSigned =
      delivery !== undefined &&
      verifyMessage(signingKey, postMessage(roster, step, site, delivery.publicPart), delivery.signature);
    if (!isSigned) {
      const what = `study ${roster.studyId}, step ${step}, site ${site}: its post is missing or not signed by it`;
      return err(new SumError("ROSTER_INVALID", what));
    }
    received.set(site, delivery);
  }
  return ok(received);
}

function openFrom(
  context: SetupContext,
  step: SetupStep,
  delivery: SetupDelivery,
): Result<Uint8Array, SumError> {
  return open({
    agreed: context.exchange.agree(memberOf(context.roster, delivery.from).exchangeKey),
    own: context.exchange,
    context: sealContext(context.roster, step, delivery.from, context.self),
    sealed: delivery.sealed ?? new Uint8Array(),
  });
}

function takeMask(
  context: SetupContext,
  ownSeeds: ReadonlyMap<SiteId, Uint8Array> | null,
  received: ReadonlyMap<SiteId, SetupDelivery>,
): Result<MaskSecret, SumError> {
  if (ownSeeds !== null) return ok({ role: "dealer", seeds: ownSeeds });
  const seed = openFrom(context, "deal", received.get(dealerOf(context.roster))!);
  if (!seed.ok) return seed;
  if (seed.value.length !== 32)
    return err(new SumError("SEAL_BROKEN", "a dealt mask seed must have 32 bytes"));
  return ok({ role: "receiver", seed: seed.value });
}

/** The state as bytes, secrets included: for the site's own sealed storage, which vouches for what is read back. */
export const { store: storeSetup, restore: restoreSetup } = inBytes<SetupState>();
