import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  type Fates,
  identity,
  messageOf,
  noBroadcasts,
  openedSum,
  plainSum,
  runSum,
  siteName,
  testPlace,
  testRandom,
  testSites,
} from "../testing/sum.js";
import {
  type AggregatorSumContext,
  type AggregatorSumEvent,
  type AggregatorSumState,
  awaited,
  minimumToClose,
  openSum,
  requestFor,
  stepAggregator,
} from "./aggregator.js";
import { signMessage } from "./crypto/sign.js";
import type { SiteId } from "./ids.js";
import type { KeysPost, SharesPost, UnmaskPost } from "./messages.js";
import { unwrap } from "./result.js";
import { ciphertextsHash, keysMessage, sharesMessage } from "./transcript.js";

const place = testPlace({ sites: 7 });
const context: AggregatorSumContext = { place, broadcastsHash: noBroadcasts };
const honest = runSum(place, { fates: new Map([[siteName(6), "masked"]]) });

function replay(events: readonly AggregatorSumEvent[]): AggregatorSumState {
  return events.reduce((state, event) => unwrap(stepAggregator(context, state, event)), openSum(place));
}

/** The state and the events up to the first event of a kind. */
function upTo(kind: AggregatorSumEvent["kind"]): AggregatorSumState {
  return replay(
    honest.events.slice(
      0,
      honest.events.findIndex((event) => event.kind === kind),
    ),
  );
}

const code = (state: AggregatorSumState, event: AggregatorSumEvent): string => {
  const result = stepAggregator(context, state, event);
  return result.ok ? result.value.phase : result.error.code;
};

const first = <K extends AggregatorSumEvent["kind"]>(kind: K) =>
  honest.events.find((event) => event.kind === kind) as Extract<AggregatorSumEvent, { kind: K }>;

describe("the aggregator's machine", () => {
  it("comes to the same end from the same events", () => {
    expect(replay(honest.events)).toEqual(honest.end);
    expect(honest.end.phase).toBe("unmasked");
    if (honest.end.phase === "unmasked") expect(honest.end.dropped).toEqual([siteName(6)]);
  });

  it("says whom it awaits, asks each the same thing each time, and how many it needs", () => {
    const phases = honest.states.map((state) => state.phase);
    expect(phases).toEqual(["keys", "shares", "masked", "survivors", "unmask", "unmasked"]);
    for (const phase of ["keys", "shares", "masked", "survivors", "unmask"] as const) {
      const state = upTo(phase);
      const names = awaited(context, state);
      expect(names).toHaveLength(phase === "survivors" || phase === "unmask" ? 6 : 7);
      for (const name of names)
        expect(requestFor(context, state, name)).toEqual(requestFor(context, state, name));
      expect(minimumToClose(context, state)).toBe(place.parameters.threshold);
      expect(() => requestFor(context, state, "stranger" as SiteId)).toThrow(RangeError);
    }
    expect(awaited(context, honest.end)).toEqual([]);
    expect(() => requestFor(context, honest.end, siteName(0))).toThrow(RangeError);
  });

  it("asks for the answer at once when nobody dropped after sharing", () => {
    const run = runSum(place, { fates: new Map([[siteName(6), "shares"]]) });
    expect(run.states.map((state) => state.phase)).toEqual([
      "keys",
      "shares",
      "masked",
      "unmask",
      "unmasked",
    ]);
    const state = run.states[3]!;
    expect(requestFor(context, state, siteName(0)).kind).toBe("survivors");
    expect(state.phase === "unmask" && state.direct).toBe(true);
  });

  it("takes the same post again without harm, and no other in its place", () => {
    const state = replay(honest.events.slice(0, 1));
    expect(unwrap(stepAggregator(context, state, honest.events[0]!))).toBe(state);
    const other = { ...first("keys"), post: { ...first("keys").post, signature: new Uint8Array(64) } };
    expect(code(state, other)).toBe("MESSAGE_UNEXPECTED");
    const asBuffers = {
      ...first("keys"),
      post: { ...first("keys").post, maskKey: Buffer.from(first("keys").post.maskKey) },
    };
    expect(unwrap(stepAggregator(context, state, asBuffers))).toBe(state);
  });

  it("lets late posts and posts of others fall away", () => {
    expect(code(upTo("shares"), first("keys"))).toBe("MESSAGE_UNEXPECTED");
    expect(code(upTo("keys"), first("shares"))).toBe("MESSAGE_UNEXPECTED");
    expect(code(upTo("keys"), { ...first("keys"), site: "stranger" as SiteId })).toBe("MESSAGE_UNEXPECTED");
    const late = runSum(place).events.find((event) => event.kind === "masked" && event.site === siteName(6))!;
    expect(code(upTo("survivors"), late)).toBe("MESSAGE_UNEXPECTED");
  });

  it("stays where it ended", () => {
    const failed = unwrap(stepAggregator(context, openSum(place), { kind: "close" }));
    expect(failed.phase).toBe("failed");
    for (const end of [failed, honest.end]) {
      for (const event of honest.events) {
        const result = stepAggregator(context, end, event);
        if (event.kind === "close") expect(unwrap(result)).toBe(end);
        else expect(result.ok).toBe(false);
      }
    }
  });
});

describe("a post that is not what it should be", () => {
  const { post: keys } = first("keys");
  const { post: shares } = first("shares");
  const { post: unmask } = first("unmask");
  const site = siteName(0);
  const signedKeys = (changed: Partial<KeysPost>): AggregatorSumEvent => {
    const post = { ...keys, ...changed };
    const signature = signMessage(identity(0).privateKey, keysMessage(place, { site, ...post }));
    return { kind: "keys", site, post: { ...post, signature } };
  };
  const withHalf = (at: number, bytes: Uint8Array) => {
    const maskKey = Uint8Array.from(keys.maskKey);
    maskKey.set(bytes, at);
    return maskKey;
  };
  const { keysHash } = upTo("shares") as Extract<AggregatorSumState, { phase: "shares" }>;
  const signedShares = (changed: Partial<SharesPost>): AggregatorSumEvent => {
    const post = { ...shares, ...changed };
    const committed = { ...post, ciphertexts: ciphertextsHash(post.ciphertexts) };
    const signature = signMessage(identity(0).privateKey, sharesMessage(keysHash, site, committed));
    return { kind: "shares", site, post: { ...post, signature } };
  };
  const changedEnvelope = (change: (sealed: Uint8Array) => Uint8Array) =>
    shares.envelopes.map((one, i) => (i === 2 ? { ...one, sealed: change(one.sealed) } : one));

  it.each<[string, AggregatorSumEvent, string]>([
    [
      "keys unsigned",
      { kind: "keys", site, post: { ...keys, signature: new Uint8Array(64) } },
      "KEYS_INVALID",
    ],
    [
      "keys cut",
      { kind: "keys", site, post: { ...keys, maskKey: keys.maskKey.subarray(1) } },
      "KEYS_INVALID",
    ],
    [
      "a mask key of low order, signed",
      signedKeys({ maskKey: withHalf(0, new Uint8Array(32)) }),
      "KEYS_INVALID",
    ],
    ["a seal key of low order, signed", signedKeys({ sealKey: new Uint8Array(32) }), "KEYS_INVALID"],
    [
      "a key of ML-KEM out of its range, signed",
      signedKeys({ maskKey: withHalf(32, new Uint8Array(3).fill(255)) }),
      "KEYS_INVALID",
    ],
    [
      "a mask key that is X25519 alone, signed",
      signedKeys({ maskKey: keys.maskKey.slice(0, 32) }),
      "KEYS_INVALID",
    ],
    ["a mask key that is too long, signed", signedKeys({ maskKey: new Uint8Array(1217) }), "KEYS_INVALID"],
    ["a seal key of both kinds, signed", signedKeys({ sealKey: keys.maskKey }), "KEYS_INVALID"],
    [
      "shares signed anew, unchanged but for a ciphertext",
      signedShares({
        envelopes: changedEnvelope((sealed) =>
          Uint8Array.from(sealed, (byte, i) => (i === 9 ? byte ^ 1 : byte)),
        ),
      }),
      "SHARES_INVALID",
    ],
    [
      "an envelope without its ciphertext, signed",
      signedShares({ envelopes: changedEnvelope((sealed) => sealed.slice(1088)) }),
      "SHARES_INVALID",
    ],
    [
      "an envelope that is a byte short, signed",
      signedShares({ envelopes: changedEnvelope((sealed) => sealed.slice(1)) }),
      "SHARES_INVALID",
    ],
    [
      "fewer digests of ciphertexts, signed",
      signedShares({ ciphertexts: shares.ciphertexts.slice(16) }),
      "SHARES_INVALID",
    ],
    [
      "shares unsigned",
      { kind: "shares", site, post: { ...shares, signature: new Uint8Array(64) } },
      "SHARES_INVALID",
    ],
    [
      "a commitment that is too long",
      { kind: "shares", site, post: { ...shares, selfMaskCommitment: new Uint8Array(33) } },
      "SHARES_INVALID",
    ],
    [
      "too few envelopes",
      { kind: "shares", site, post: { ...shares, envelopes: shares.envelopes.slice(1) } },
      "SHARES_INVALID",
    ],
    [
      "an envelope twice",
      {
        kind: "shares",
        site,
        post: { ...shares, envelopes: [shares.envelopes[1]!, ...shares.envelopes.slice(1)] },
      },
      "SHARES_INVALID",
    ],
    [
      "an envelope of another length",
      {
        kind: "shares",
        site,
        post: {
          ...shares,
          envelopes: shares.envelopes.map((one) => ({ ...one, sealed: new Uint8Array(93) })),
        },
      },
      "SHARES_INVALID",
    ],
    [
      "a transcript unsigned",
      { kind: "masked", site, transcriptSignature: new Uint8Array(64) },
      "TRANSCRIPT_DIFFERS",
    ],
    ["survivors unsigned", { kind: "survivors", site, signature: new Uint8Array(64) }, "SURVIVORS_INVALID"],
    [
      "the wrong secret's shares",
      {
        kind: "unmask",
        site,
        post: { shares: unmask.shares.map((one) => ({ ...one, secret: "mask-key" as const })) },
      },
      "SHARES_INVALID",
    ],
    [
      "a share twice",
      { kind: "unmask", site, post: { shares: [...unmask.shares, unmask.shares[0]!] } },
      "SHARES_INVALID",
    ],
    [
      "a share of a stranger",
      { kind: "unmask", site, post: { shares: [{ ...unmask.shares[0]!, of: "stranger" as SiteId }] } },
      "SHARES_INVALID",
    ],
    [
      "a share that is too short",
      { kind: "unmask", site, post: { shares: [{ ...unmask.shares[0]!, share: new Uint8Array(31) }] } },
      "SHARES_INVALID",
    ],
  ])("is refused: %s", (_, event, expected) => {
    const state = upTo(event.kind);
    expect(code(state, event)).toBe(expected);
    // The honest post is still awaited, and accepted.
    expect(awaited(context, state)).toContain(site);
    expect(code(state, first(event.kind))).toBe(state.phase);
  });

  it("is refused when it copies another site's key", () => {
    const state = replay(honest.events.slice(0, 1));
    const copied = { site: siteName(1), maskKey: keys.maskKey, sealKey: testSiteKey() };
    const signature = signMessage(identity(1).privateKey, keysMessage(place, copied));
    expect(code(state, { kind: "keys", site: siteName(1), post: { ...copied, signature } })).toBe(
      "KEYS_INVALID",
    );
  });
});

function testSiteKey(): Uint8Array {
  const event = testSites(testPlace({ sites: 7, attempt: 9 }))[1]!.advertise();
  if (event.kind !== "keys") throw new Error("a site begins with keys");
  return event.post.sealKey;
}

describe("sites that reveal garbage for shares", () => {
  /** T = 6 of 8: two may be wrong when all answer. */
  const eight = testPlace({ sites: 8 });
  const garbage =
    (liars: ReadonlySet<SiteId>, of: (owner: SiteId) => boolean) => (event: AggregatorSumEvent) => {
      if (event.kind !== "unmask" || !liars.has(event.site)) return event;
      const random = testRandom(`garbage ${event.site}`);
      const shares = event.post.shares.map((one) => (of(one.of) ? { ...one, share: random.bytes(32) } : one));
      return { ...event, post: { shares } satisfies UnmaskPost };
    };

  it("are found and named, wherever they stand, and the sum is exact: up to two of them", () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.integer({ min: 0, max: 7 }), { minLength: 1, maxLength: 2 }),
        fc.option(fc.integer({ min: 0, max: 7 }), { nil: null }),
        (liars, one) => {
          const names = liars.map(siteName).sort();
          const tamper = garbage(new Set(names), (owner) => one === null || owner === siteName(one));
          const run = runSum(eight, { tamper });
          expect(run.end.phase).toBe("unmasked");
          if (run.end.phase === "unmasked") expect(run.end.faulty).toEqual(names);
          expect(openedSum(eight, run)).toEqual(plainSum(eight, run.sites));
        },
      ),
      { numRuns: 12 },
    );
  });

  it("are waited past: one more answer than T is asked for while others may come", () => {
    const tamper = garbage(new Set([siteName(0)]), () => true);
    const run = runSum(eight, { tamper });
    const answers = run.events.filter((event) => event.kind === "unmask");
    const at: AggregatorSumContext = { place: eight, broadcastsHash: noBroadcasts };
    let state = run.events
      .slice(0, run.events.indexOf(answers[0]!))
      .reduce((before, event) => unwrap(stepAggregator(at, before, event)), openSum(eight));
    const needs = answers.map((answer) => {
      state = unwrap(stepAggregator(at, state, answer));
      return minimumToClose(at, state);
    });
    // After the sixth the liar is still needed; after the seventh it can be left out.
    expect(needs).toEqual([6, 6, 6, 6, 6, 7, 6, 6]);
  });

  it("spoil the sum when they are too many, and its end names whose secret is lost", () => {
    const tamper = garbage(new Set([0, 1, 2].map(siteName)), () => true);
    const { end } = runSum(eight, { tamper });
    expect(end.phase === "failed" && end.error.code).toBe("UNMASK_FAILED");
    expect(end.phase === "failed" && end.error.message).toContain(siteName(0));
  });

  it("cannot make an honest site's part wrong by sealing garbage: its shares count as absent", () => {
    // Site 1 seals what does not open, to one neighbour: that share is missing and six others do.
    const tamper = (event: AggregatorSumEvent): AggregatorSumEvent => {
      if (event.kind !== "shares" || event.site !== siteName(1)) return event;
      const [one, ...rest] = event.post.envelopes;
      return {
        ...event,
        post: { ...event.post, envelopes: [{ ...one!, sealed: new Uint8Array(1180) }, ...rest] },
      };
    };
    const run = runSum(eight, { tamper });
    expect(openedSum(eight, run)).toEqual(plainSum(eight, run.sites));
    const answer = run.sites[0]!.outputs.find((output) => output.kind === "unmask");
    expect(answer?.kind === "unmask" && answer.post.shares.map((share) => share.of)).not.toContain(
      siteName(1),
    );
  });
});

describe("a hostile site", () => {
  it("that posts any garbage changes nothing for the others", () => {
    const bytes = (length: number) => fc.uint8Array({ minLength: 0, maxLength: length });
    const anySite = fc.constantFrom<SiteId>(...[0, 1, 6].map(siteName), "stranger" as SiteId);
    const event: fc.Arbitrary<AggregatorSumEvent> = fc.oneof(
      fc.record({
        kind: fc.constant("keys" as const),
        site: anySite,
        post: fc.record({ maskKey: bytes(40), sealKey: bytes(40), signature: bytes(70) }),
      }),
      fc.record({
        kind: fc.constant("shares" as const),
        site: anySite,
        post: fc.record({
          selfMaskCommitment: bytes(40),
          ciphertexts: bytes(100),
          signature: bytes(70),
          envelopes: fc.array(fc.record({ to: anySite, sealed: bytes(100) }), { maxLength: 9 }),
        }),
      }),
      fc.record({ kind: fc.constant("masked" as const), site: anySite, transcriptSignature: bytes(70) }),
      fc.record({ kind: fc.constant("survivors" as const), site: anySite, signature: bytes(70) }),
      fc.record({
        kind: fc.constant("unmask" as const),
        site: anySite,
        post: fc.record({
          shares: fc.array(
            fc.record({
              of: anySite,
              secret: fc.constantFrom("self-mask" as const, "mask-key" as const),
              share: bytes(40).filter((share) => share.length !== 32),
            }),
            { minLength: 1, maxLength: 9 },
          ),
        }),
      }),
    );
    fc.assert(
      fc.property(event, fc.integer({ min: 0, max: honest.events.length - 1 }), (garbage, at) => {
        const state = replay(honest.events.slice(0, at));
        const result = stepAggregator(context, state, garbage);
        expect(result.ok).toBe(false);
      }),
      { numRuns: 60 },
    );
  });
});

describe("on a circulant graph", () => {
  const large = testPlace({ sites: 40 });
  const whole = runSum(large);

  it("a neighbourhood without t sites fails the sum with its owner's name, though T sites are left", () => {
    expect(large.parameters.graph).toEqual({ kind: "circulant", degree: 12 });
    const request = whole.states[2]!;
    if (request.phase !== "masked") throw new Error("the third phase is masked");
    // Of one site's thirteen, five drop: eight are left and nine are needed.
    const around = [...request.sharing.get(siteName(0))!.envelopes].map((envelope) => envelope.to);
    const fates: Fates = new Map(around.slice(0, 5).map((name) => [name, "masked"] as const));
    const { end } = runSum(large, { fates });
    expect(end.phase === "failed" && end.error.code).toBe("SUM_THRESHOLD");
    expect(end.phase === "failed" && end.error.message).toContain("neighbours of site");
    const four: Fates = new Map([...fates].slice(0, 4));
    const run = runSum(large, { fates: four });
    const alive = run.sites.filter((site) => !four.has(site.site));
    expect(openedSum(large, run)).toEqual(plainSum(large, alive));
  });

  it("a site masks and shares with its neighbours only", () => {
    for (const site of whole.sites) {
      const [shares, masked] = site.outputs;
      expect(shares?.kind === "shares" && shares.post.envelopes).toHaveLength(12);
      expect(masked?.kind === "masked" && masked.masks).toHaveLength(13);
    }
    expect(messageOf({ kind: "keys" })).toBeNull();
  });
});
