import { createHash } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ExchangeKey, generateExchangeKey } from "./crypto/exchange.js";
import { generateSigningKey, signMessage } from "./crypto/sign.js";
import { addDealtMask, dealerOf } from "./dealer.js";
import type { Sha256, SiteId, StageId, StudyId } from "./ids.js";
import type { RandomSource } from "./random.js";
import { unwrap } from "./result.js";
import { buildRoster, joinFault, joinMessage, type Roster } from "./roster.js";
import {
  beginSetup,
  continueSetup,
  postFault,
  receiversOf,
  restoreSetup,
  type SetupContext,
  type SetupDelivery,
  type SetupPost,
  type SetupState,
  storeSetup,
} from "./setup.js";
import { setupSteps } from "./setupSteps.js";

/** A deterministic source for tests only: SHA-256 in counter mode. */
function testRandom(seed: string): RandomSource {
  let counter = 0;
  return {
    bytes(count) {
      const out = new Uint8Array(count);
      for (let at = 0; at < count; at += 32) {
        const block = createHash("sha256").update(`${seed}/${counter++}`).digest();
        out.set(block.subarray(0, Math.min(32, count - at)), at);
      }
      return out;
    },
  };
}

const studyId = "masks-0123456789" as StudyId;
const studyHash = "a".repeat(64) as Sha256;

interface Party {
  readonly context: SetupContext;
  readonly random: RandomSource;
}

function parties(count: number, sharedSeed: boolean, masks: "pairwise" | "dealer" = "dealer"): Party[] {
  const drawn = Array.from({ length: count }, (_, i) => {
    const site = `site-${String(i).padStart(3, "0")}` as SiteId;
    const random = testRandom(site);
    const signing = generateSigningKey();
    const exchange = new ExchangeKey(generateExchangeKey(random));
    const exchangeKey = exchange.publicKey;
    const joinSignature = signMessage(signing.privateKey, joinMessage(studyId, studyHash, site, exchangeKey));
    return { site, random, signing, exchange, exchangeKey, joinSignature };
  });
  const roster = unwrap(
    buildRoster(
      { id: studyId, hash: studyHash, minimumSites: 3 },
      drawn.map((d) => ({
        site: d.site,
        signingKey: d.signing.publicKey,
        exchangeKey: d.exchangeKey,
        joinSignature: d.joinSignature,
      })),
    ),
  );
  return drawn.map((d) => ({
    random: d.random,
    context: {
      roster,
      self: d.site,
      exchange: d.exchange,
      signingPrivateKey: d.signing.privateKey,
      steps: setupSteps({ masks, sharedSeed }),
    },
  }));
}

function deliver(posts: ReadonlyMap<SiteId, SetupPost>, to: SiteId): SetupDelivery[] {
  return [...posts]
    .filter(([from]) => from !== to)
    .map(([from, post]) => ({
      from,
      publicPart: post.publicPart,
      signature: post.signature,
      sealed: post.envelopes.find((e) => e.to === to)?.sealed ?? null,
    }));
}

/** Runs the whole setup, each state stored and restored between steps. */
function runSetup(all: readonly Party[]): Extract<SetupState, { phase: "ready" }>[] {
  let states = all.map(({ context, random }) => beginSetup(context, random));
  while (states.some((s) => s.state.phase !== "ready")) {
    const posts = new Map(all.map((p, i) => [p.context.self, states[i]!.post] as const));
    states = all.map(({ context, random }, i) => {
      const state = restoreSetup(storeSetup(states[i]!.state));
      const next = unwrap(continueSetup(context, state, deliver(posts, context.self), random));
      return { state: next.state, post: next.post ?? states[i]!.post };
    });
  }
  return states.map((s) => s.state as Extract<SetupState, { phase: "ready" }>);
}

const stage = "moments" as StageId;
const hash = "b".repeat(64) as Sha256;

function masks(
  all: readonly Party[],
  ready: readonly Extract<SetupState, { phase: "ready" }>[],
  length: number,
) {
  return all.map(({ context }, i) => {
    const vector = new BigUint64Array(length);
    addDealtMask(vector, ready[i]!.mask!, {
      roster: context.roster,
      stage,
      attempt: 1,
      broadcastsHash: hash,
    });
    return vector;
  });
}

const total = (vectors: readonly BigUint64Array[]): bigint[] =>
  Array.from(vectors[0]!, (_, j) =>
    BigInt.asUintN(
      64,
      vectors.reduce((sum, v) => sum + v[j]!, 0n),
    ),
  );

describe("setup", () => {
  it("gives every site the same seed and masks that sum to zero, for 3 to 12 sites", () => {
    fc.assert(
      fc.property(fc.integer({ min: 3, max: 12 }), fc.integer({ min: 1, max: 20_000 }), (count, length) => {
        const all = parties(count, true);
        const ready = runSetup(all);
        const seeds = new Set(ready.map((r) => Buffer.from(r.sharedSeed!).toString("hex")));
        expect(seeds.size).toBe(1);
        expect(total(masks(all, ready, length)).every((entry) => entry === 0n)).toBe(true);
      }),
      { numRuns: 8 },
    );
  });

  it("gives no seed and one step where the method shares no noise", () => {
    const ready = runSetup(parties(4, false));
    expect(ready.every((r) => r.sharedSeed === null)).toBe(true);
  });

  it("under pairwise masks gives a seed and no masks, and lets nobody reveal another share than committed to", () => {
    expect(setupSteps({ masks: "pairwise", sharedSeed: false })).toEqual([]);
    const all = parties(5, true, "pairwise");
    expect(all[0]!.context.steps).toEqual(["commit", "reveal"]);
    for (const { context } of all) expect(receiversOf(context.roster, "commit", context.self)).toEqual([]);
    const ready = runSetup(all);
    expect(new Set(ready.map((r) => Buffer.from(r.sharedSeed!).toString("hex"))).size).toBe(1);
    expect(ready.every((r) => r.mask === null)).toBe(true);

    const begun = all.map(({ context, random }) => beginSetup(context, random));
    const commits = new Map(all.map((p, i) => [p.context.self, begun[i]!.post] as const));
    const revealed = all.map(({ context, random }, i) => {
      const own = begun[i]!.state;
      const lying = i === 1 && own.phase === "begun" ? { ...own, share: new Uint8Array(32) } : own;
      return unwrap(continueSetup(context, lying, deliver(commits, context.self), random));
    });
    const reveals = new Map(all.map((p, i) => [p.context.self, revealed[i]!.post!] as const));
    const { context, random } = all[0]!;
    const end = continueSetup(context, revealed[0]!.state, deliver(reveals, context.self), random);
    expect(end.ok ? null : end.error.code).toBe("COMMITMENT_BROKEN");
  });

  it("is not begun where the plan has none", () => {
    const [{ context, random }] = parties(3, false, "pairwise") as [Party];
    expect(() => beginSetup(context, random)).toThrow(/no setup/);
  });

  it("masks differ between stages, attempts, broadcasts and sites, and look uniform", () => {
    const all = parties(3, false);
    const ready = runSetup(all);
    const roster = all[0]!.context.roster;
    const mask = (of: StageId, attempt: number, broadcastsHash = hash) => {
      const vector = new BigUint64Array(4096);
      addDealtMask(vector, ready[0]!.mask!, { roster, stage: of, attempt, broadcastsHash });
      return vector;
    };
    const first = mask(stage, 1);
    expect(first).not.toEqual(mask(stage, 2));
    expect(first).not.toEqual(mask("covariance" as StageId, 1));
    expect(first).not.toEqual(mask(stage, 1, "c".repeat(64) as Sha256));
    expect(first).toEqual(mask(stage, 1));
    // Ones among 262,144 bits: binomial, six standard deviations, false alarm 2e-9.
    const ones = first.reduce((sum, entry) => sum + entry.toString(2).replaceAll("0", "").length, 0);
    expect(Math.abs(ones - 131_072)).toBeLessThan(6 * 256);
  });

  it("refuses a post that the aggregator changed, and accepts the same one unchanged", () => {
    const all = parties(3, true);
    const begun = all.map(({ context, random }) => beginSetup(context, random));
    const posts = new Map(all.map((p, i) => [p.context.self, begun[i]!.post] as const));
    const receiver = all.findIndex((p) => p.context.self !== dealerOf(p.context.roster));
    const self = all[receiver]!;
    const fair = deliver(posts, self.context.self);
    const attempt = (deliveries: SetupDelivery[]) =>
      continueSetup(self.context, begun[receiver]!.state, deliveries, self.random);
    const code = (deliveries: SetupDelivery[]) => {
      const result = attempt(deliveries);
      return result.ok ? "accepted" : result.error.code;
    };
    const flip = (bytes: Uint8Array | null) => {
      const copy = Uint8Array.from(bytes ?? [0]);
      copy[copy.length - 1]! ^= 1;
      return copy;
    };
    expect(code(fair)).toBe("accepted");
    expect(code(fair.slice(1))).toBe("ROSTER_INVALID");
    expect(code(fair.map((d) => ({ ...d, publicPart: flip(d.publicPart) })))).toBe("ROSTER_INVALID");
    expect(code(fair.map((d) => ({ ...d, sealed: flip(d.sealed) })))).toBe("SEAL_BROKEN");
    expect(code(fair.map((d) => ({ ...d, sealed: null })))).toBe("SEAL_BROKEN");
    const swapped = fair.map((d, i) => ({ ...d, sealed: fair[(i + 1) % fair.length]!.sealed }));
    expect(code(swapped)).toBe("SEAL_BROKEN");
  });

  it("refuses a share that is not the one committed to", () => {
    const all = parties(3, true);
    const begun = all.map(({ context, random }) => beginSetup(context, random));
    const posts = new Map(all.map((p, i) => [p.context.self, begun[i]!.post] as const));
    const steps = all.map(({ context, random }, i) => {
      // The last site lies: it continues from another share than the one it committed to.
      const own = begun[i]!.state;
      const lying = i === 2 && own.phase === "begun" ? { ...own, share: new Uint8Array(32) } : own;
      return unwrap(continueSetup(context, lying, deliver(posts, context.self), random));
    });
    const revealed = new Map(all.map((p, i) => [p.context.self, steps[i]!.post!] as const));
    const honest = all[0]!;
    const result = continueSetup(
      honest.context,
      steps[0]!.state,
      deliver(revealed, honest.context.self),
      honest.random,
    );
    expect(result.ok ? "accepted" : result.error.code).toBe("COMMITMENT_BROKEN");
  });
});

describe("buildRoster", () => {
  const members = (roster: Roster, all: readonly Party[]) =>
    roster.members.map((m, i) => ({
      ...m,
      joinSignature: signMessage(
        all[i]!.context.signingPrivateKey,
        joinMessage(studyId, studyHash, m.site, m.exchangeKey),
      ),
    }));

  it("refuses disorder, repetition, foreign signatures and too few sites", () => {
    const all = parties(4, false);
    const good = members(all[0]!.context.roster, all);
    const code = (list: typeof good, minimumSites = 3) => {
      const result = buildRoster({ id: studyId, hash: studyHash, minimumSites }, list);
      return result.ok ? "accepted" : result.error.code;
    };
    expect(code(good)).toBe("accepted");
    expect(code(good.toReversed())).toBe("ROSTER_INVALID");
    expect(code([good[0]!, good[0]!, good[1]!])).toBe("ROSTER_INVALID");
    expect(code(good.map((m) => ({ ...m, joinSignature: good[0]!.joinSignature })))).toBe("ROSTER_INVALID");
    expect(code(good.map((m) => ({ ...m, exchangeKey: good[0]!.exchangeKey })))).toBe("ROSTER_INVALID");
    expect(code(good, 5)).toBe("ROSTER_TOO_SMALL");
  });
});

describe("what the aggregator sees of a post before it relays it", () => {
  const all = parties(4, true);
  const { roster } = all[0]!.context;
  const dealer = dealerOf(roster);
  const posts = new Map(
    all.map(({ context, random }) => [context.self, beginSetup(context, random).post] as const),
  );
  const honest = posts.get(dealer)!;
  const fault = (post: SetupPost, from = dealer) => postFault(roster, "deal", from, post);

  it("is in order for every honest site, at both steps", () => {
    for (const [site, post] of posts) expect(fault(post, site)).toBeNull();
    const revealed = all.map(({ context, random }) => {
      const begun = beginSetup(context, random);
      const own = new Map(posts).set(context.self, begun.post);
      const next = continueSetup(context, begun.state, deliver(own, context.self), random);
      return next.ok ? postFault(roster, "reveal", context.self, next.value.post!) : next.error.message;
    });
    // The dealer's new seeds are not those that the others were dealt; that is not the aggregator's to see.
    expect(revealed).toEqual([null, null, null, null]);
    expect(receiversOf(roster, "deal", dealer)).toHaveLength(3);
    expect(receiversOf(roster, "deal", roster.members[0]!.site)).toEqual([]);
    expect(receiversOf(roster, "reveal", roster.members[0]!.site)).toHaveLength(3);
  });

  it("is signed by the site that posts it, for this step", () => {
    expect(fault({ ...honest, publicPart: new Uint8Array(32) })).toMatch(/not signed/);
    expect(fault({ ...honest, signature: new Uint8Array(64) })).toMatch(/not signed/);
    expect(fault(honest, roster.members[0]!.site)).toMatch(/not signed/);
    expect(postFault(roster, "reveal", dealer, honest)).toMatch(/not signed/);
  });

  it("has one envelope for each site that awaits one, and no other", () => {
    const { envelopes } = honest;
    const [first, second] = envelopes as [(typeof envelopes)[0], (typeof envelopes)[0]];
    const stranger = { to: "stranger" as SiteId, sealed: first.sealed };
    for (const wrong of [
      [],
      envelopes.slice(1),
      [...envelopes, first],
      [first, first, second],
      [stranger, ...envelopes.slice(1)],
      [...envelopes, stranger],
      [{ ...first, to: dealer }, ...envelopes.slice(1)],
    ]) {
      expect(fault({ ...honest, envelopes: wrong })).toMatch(/exactly one envelope/);
    }
    const receiver = roster.members[0]!.site;
    expect(fault({ ...posts.get(receiver)!, envelopes: [{ ...first, to: dealer }] }, receiver)).toMatch(
      /exactly one envelope/,
    );
  });
});

describe("joinFault", () => {
  it("finds a key that is not signed, or signed but of no use", () => {
    const [party] = parties(3, false);
    const { roster, self, signingPrivateKey } = party!.context;
    const study = { id: studyId, hash: studyHash };
    const own = roster.members.find((m) => m.site === self)!;
    const signed = (exchangeKey: Uint8Array) =>
      signMessage(signingPrivateKey, joinMessage(studyId, studyHash, self, exchangeKey));
    expect(joinFault(study, { ...own, joinSignature: signed(own.exchangeKey) })).toBeNull();
    expect(joinFault(study, { ...own, joinSignature: new Uint8Array(64) })).toMatch(/not signed/);
    const useless = new Uint8Array(32);
    expect(joinFault(study, { ...own, exchangeKey: useless, joinSignature: signed(useless) })).toMatch(
      /invalid exchange key/,
    );
    const other = { id: "other-0123456789" as StudyId, hash: studyHash };
    expect(joinFault(other, { ...own, joinSignature: signed(own.exchangeKey) })).toMatch(/not signed/);
  });
});
