import { afterEach, describe, expect, it, vi } from "vitest";
import {
  exchangeOf,
  identity,
  noBroadcasts,
  openedSum,
  plainSum,
  runSum,
  type SumRun,
  siteName,
  TestSite,
  testPlace,
  testSites,
} from "../testing/sum.js";
import { type AggregatorSumEvent, deliveriesFor } from "./aggregator.js";
import { deriveKey } from "./crypto/keystream.js";
import { open } from "./crypto/seal.js";
import { signMessage } from "./crypto/sign.js";
import { x25519, x25519Key } from "./crypto/x25519.js";
import type { SiteId } from "./ids.js";
import type * as Masks from "./masks.js";
import { opposite, pairwiseMask, selfMask } from "./masks.js";
import type { SharesPost } from "./messages.js";
import { unwrap } from "./result.js";
import { ciphertextDigests, envelopeParts, sharesContext } from "./sealedShares.js";
import { addMasks, type MaskKey, type SiteSumState } from "./site.js";
import { ciphertextsHash, sharesMessage } from "./transcript.js";

/**
 * Somebody who has kept all that was sent and later finds every private X25519 key, of mask keys, seal keys and the
 * roster, but none of ML-KEM. The weakened twin derives masks without the encapsulated secret: it must be seen through.
 */
const weakened = vi.hoisted(() => ({ ignoresEncapsulated: false }));

vi.mock("./masks.js", async (original) => {
  const real = await original<typeof Masks>();
  return {
    ...real,
    pairwiseMask: (options: Parameters<typeof real.pairwiseMask>[0]) =>
      real.pairwiseMask(weakened.ignoresEncapsulated ? { ...options, secret: new Uint8Array(32) } : options),
  };
});

afterEach(() => {
  weakened.ignoresEncapsulated = false;
});

const place = testPlace({ sites: 5, length: 4 });
const victim = siteName(2);

const postsOf = (run: SumRun): ReadonlyMap<SiteId, SharesPost> =>
  new Map(
    run.events.flatMap((event) => (event.kind === "shares" ? [[event.site, event.post] as const] : [])),
  );

type Shared = Extract<SiteSumState, { phase: "shared" }>;
const sharedBy = (run: SumRun, name: SiteId) =>
  run.sites
    .find(({ site }) => site === name)!
    .states.find((state): state is Shared => state.phase === "shared")!;

/** The private X25519 halves of a site's keys: what breaking the public ones gives. */
const x25519Of = (state: Shared) => ({
  mask: x25519Key(deriveKey(state.maskSecret.reveal(), "consilium exchange x25519 v1")),
  seal: x25519Key(state.sealPrivate.reveal()),
});

/** What the recorded conversation and all private X25519 keys make of the victim's vector. */
function attacked(run: SumRun): unknown {
  const site = run.sites.find((one) => one.site === victim)!;
  const known = sharedBy(run, victim);
  const { mask } = x25519Of(known);
  const output = site.outputs.find((one) => one.kind === "masked")!;
  if (output.kind !== "masked") throw new Error("the victim masked");
  const transcript = output.transcriptHash;
  // The victim survived: the seed of its self mask was joined.
  const masks: MaskKey[] = [opposite(selfMask(transcript, victim, known.selfMaskSeed.reveal()))];
  for (const { site: other, maskKey } of known.keys) {
    if (other === victim) continue;
    const at = { transcript, own: victim, other, agreed: x25519(mask, maskKey) };
    masks.push(opposite(pairwiseMask({ ...at, secret: new Uint8Array(32) })));
  }
  const vector = site.masked!.slice();
  addMasks(vector, masks);
  return vector;
}

describe("who has recorded everything and has all private X25519 keys", () => {
  it("does not open a vector; where masks ignore the encapsulated secret, it does", () => {
    const honest = runSum(place);
    const vector = honest.sites.find((one) => one.site === victim)!.vector;
    expect(attacked(honest)).not.toEqual(vector);
    weakened.ignoresEncapsulated = true;
    const weak = runSum(place);
    expect(openedSum(place, weak)).toEqual(plainSum(place, weak.sites));
    expect(attacked(weak)).toEqual(vector);
  });

  it("derives another key for every secret that may have been encapsulated; the twin does not", () => {
    const known = sharedBy(runSum(place), victim);
    const agreed = x25519(x25519Of(known).mask, known.keys[0]!.maskKey);
    const keyFor = (byte: number) => {
      const secret = new Uint8Array(32).fill(byte, 31);
      const at = { transcript: "ab" as never, own: victim, other: siteName(0), agreed };
      return Buffer.from(pairwiseMask({ ...at, secret }).key).toString("hex");
    };
    const derived = () => new Set(Array.from({ length: 256 }, (_, byte) => keyFor(byte))).size;
    expect(derived()).toBe(256);
    weakened.ignoresEncapsulated = true;
    expect(derived()).toBe(1);
  });

  it("opens no envelope without its receiver's key of ML-KEM, and every one with it", () => {
    const run = runSum(place);
    const posts = postsOf(run);
    for (const [i, { site: to }] of run.sites.entries()) {
      const known = sharedBy(run, to);
      const { seal } = x25519Of(known);
      for (const { site: from } of run.sites) {
        if (from === to) continue;
        const { sealed } = posts.get(from)!.envelopes.find((one) => one.to === to)!;
        const { keysHash, keys } = known;
        const opened = (own: ReturnType<typeof exchangeOf>) =>
          open({
            agreed: x25519(seal, keys.find((one) => one.site === from)!.sealKey),
            own,
            context: sharesContext(keysHash, from, to),
            sealed: envelopeParts(from, to, sealed).shares,
          }).ok;
        expect(opened(exchangeOf(i))).toBe(true);
        expect(opened(exchangeOf((i + 1) % 5))).toBe(false);
      }
    }
  });
});

describe("an aggregator that puts its own ciphertext in an envelope", () => {
  it("is refused with SHARES_INVALID by the site that it was for", () => {
    const run = runSum(place);
    const keys = run.events.flatMap((event) =>
      event.kind === "keys" ? [{ site: event.site, ...event.post }] : [],
    );
    const { maskKey } = keys.find((one) => one.site === victim)!;
    // The aggregator knows the secret of this one.
    const { ciphertext } = exchangeOf(9).encapsulate(maskKey);
    const masking = (change: (sealed: Uint8Array) => Uint8Array) => {
      const site = new TestSite(place, 2);
      site.advertise();
      unwrap(site.step({ kind: "keys", keys }));
      const deliveries = deliveriesFor(postsOf(run), victim).map((one) =>
        one.from === siteName(0) ? { ...one, sealed: change(one.sealed!) } : one,
      );
      return site.code({ kind: "shares", deliveries, broadcastsHash: noBroadcasts });
    };
    expect(masking((sealed) => sealed)).toBe("answered masked");
    expect(masking((sealed) => Uint8Array.of(...ciphertext, ...sealed.slice(1088)))).toBe("SHARES_INVALID");
    expect(masking((sealed) => sealed.slice(1088))).toBe("SHARES_INVALID");
    expect(masking((sealed) => Uint8Array.of(...sealed, 0))).toBe("SHARES_INVALID");
  });
});

describe("a site that encapsulates otherwise than its secret says", () => {
  it("spoils the sum when it drops, and is named", () => {
    const liar = siteName(0);
    const sites = testSites(place);
    const tamper = (event: AggregatorSumEvent): AggregatorSumEvent => {
      if (event.kind !== "shares" || event.site !== liar) return event;
      const { keysHash } = sites[0]!.states.at(-1) as Shared;
      const { selfMaskCommitment } = event.post;
      // It signs what it sends: a ciphertext of another's making.
      const wrong = exchangeOf(9).encapsulate(exchangeOf(1).publicKey).ciphertext;
      const envelopes = event.post.envelopes.map((one, i) =>
        i === 0 ? { ...one, sealed: Uint8Array.of(...wrong, ...one.sealed.slice(1088)) } : one,
      );
      const receivers = envelopes.map(({ to }) => to);
      const ciphertexts = ciphertextDigests(liar, receivers, envelopes);
      const committed = { selfMaskCommitment, ciphertexts: ciphertextsHash(ciphertexts) };
      const signature = signMessage(identity(0).privateKey, sharesMessage(keysHash, liar, committed));
      return { ...event, post: { selfMaskCommitment, ciphertexts, signature, envelopes } };
    };
    const dropped = runSum(place, { sites, tamper, fates: new Map([[liar, "masked"]]) });
    expect(dropped.end.phase === "failed" && [dropped.end.error.code, dropped.end.error.message]).toEqual([
      "UNMASK_FAILED",
      expect.stringContaining(liar),
    ]);
  });
});
