import { afterEach, describe, expect, it, vi } from "vitest";
import {
  exchangeOf,
  identity,
  noBroadcasts,
  openedSum,
  runSum,
  siteName,
  type TestSite,
  testPlace,
  testRandom,
  testSites,
} from "../testing/sum.js";
import { deliveriesFor } from "./aggregator.js";
import type * as Checks from "./checks.js";
import { ExchangeKey } from "./crypto/exchange.js";
import { open } from "./crypto/seal.js";
import type { Share } from "./crypto/shamir.js";
import { interpolate } from "./crypto/shamirJoin.js";
import { signMessage } from "./crypto/sign.js";
import { x25519, x25519Key, x25519PublicKey } from "./crypto/x25519.js";
import type { Sha256, SiteId } from "./ids.js";
import { encapsulatesTo, opposite, pairwiseMask, selfMask } from "./masks.js";
import type {
  AdvertisedKeys,
  DeliveredShares,
  SharesPost,
  SurvivorProof,
  SurvivorsSignature,
  UnmaskPost,
} from "./messages.js";
import { neighbourhoods } from "./neighbours.js";
import { unwrap } from "./result.js";
import { envelopeParts, sharesContext } from "./sealedShares.js";
import { addMasks, type MaskKey, restoreSiteSum, storeSiteSum } from "./site.js";
import { keyDigest, keyListHash, keysMessage, type SumPlace, survivorsMessage } from "./transcript.js";

/**
 * An aggregator that lies, at the level of the machines. Each attack is tried on the real site, which must refuse it
 * with its code, and on a weakened twin that lacks the one check, where the same attack must go through: else the test
 * would pass for another reason.
 */
const weakened = vi.hoisted(() => new Set<string>());

vi.mock("./checks.js", async (original) => {
  const real = await original<typeof Checks>();
  const without =
    <A extends unknown[], R>(name: string, check: (...args: A) => R) =>
    (...args: A): R | null =>
      weakened.has(name) ? null : check(...args);
  return {
    ...real,
    checkContext: without("context", real.checkContext),
    checkKeys: without("keys", real.checkKeys),
    checkDeliveries: without("deliveries", real.checkDeliveries),
    checkSurvivors: without("survivors", real.checkSurvivors),
    checkSignatures: without("signatures", real.checkSignatures),
  };
});

afterEach(() => weakened.clear());

/** T = 4 of 5, of which one may collude. */
const place = testPlace({ sites: 5, length: 4, tolerateColluding: 1 });
const [v, w] = [siteName(0), siteName(1)];
const joinSecret = (shares: readonly Share[]) => interpolate(0, shares);

/** An honest run up to some point; the aggregator under test then departs from it. */
class Network {
  readonly place: SumPlace;
  readonly sites: readonly TestSite[];
  keys: AdvertisedKeys[] = [];
  readonly posts = new Map<SiteId, SharesPost>();
  readonly proofs = new Map<SiteId, SurvivorProof>();
  transcript = "" as Sha256;

  constructor(at: SumPlace = place, options: ConstructorParameters<typeof TestSite>[2] = {}) {
    this.place = at;
    this.sites = testSites(at, options);
    this.keys = this.sites.map((site) => {
      const event = site.advertise();
      if (event.kind !== "keys") throw new Error("a site begins with keys");
      return { site: site.site, ...event.post };
    });
  }

  site(name: SiteId): TestSite {
    return this.sites.find((site) => site.site === name)!;
  }

  share(keys: readonly AdvertisedKeys[] = this.keys): this {
    for (const site of this.sites) {
      const output = unwrap(site.step({ kind: "keys", keys }));
      if (output.kind === "shares") this.posts.set(site.site, output.post);
    }
    return this;
  }

  deliveries(to: SiteId): DeliveredShares[] {
    return deliveriesFor(this.posts, to);
  }

  mask(broadcastsFor: (site: SiteId) => Sha256 = () => noBroadcasts): this {
    for (const site of this.sites) {
      const deliveries = this.deliveries(site.site);
      const output = unwrap(
        site.step({ kind: "shares", deliveries, broadcastsHash: broadcastsFor(site.site) }),
      );
      if (output.kind !== "masked") continue;
      this.transcript = output.transcriptHash;
      const { transcriptSignature } = output;
      this.proofs.set(site.site, { site: site.site, transcriptSignature });
    }
    return this;
  }

  proofsOf(names: readonly SiteId[]): SurvivorProof[] {
    return names.map((name) => this.proofs.get(name)!);
  }

  get names(): SiteId[] {
    return this.sites.map((site) => site.site);
  }

  without(...names: SiteId[]): SiteId[] {
    return this.names.filter((name) => !names.includes(name));
  }

  sign(names: readonly SiteId[], survivors: readonly SiteId[]): SurvivorsSignature[] {
    return names.map((name) => {
      const output = unwrap(this.site(name).step({ kind: "survivors", survivors: this.proofsOf(survivors) }));
      if (output.kind !== "survivors") throw new Error("this set is answered at once");
      return { site: name, signature: output.signature };
    });
  }

  join(
    owner: SiteId,
    secret: "self-mask" | "mask-key",
    answers: ReadonlyMap<SiteId, UnmaskPost>,
  ): Uint8Array {
    const graph = neighbourhoods(this.place);
    return joinSecret(
      [...answers].flatMap(([holder, post]) =>
        post.shares
          .filter((share) => share.of === owner && share.secret === secret)
          .map(({ share }) => ({ index: graph.indexIn(owner, holder), bytes: share })),
      ),
    );
  }

  /** A site's mask with another one, from the secret of its mask key and what the aggregator has relayed. */
  maskOf(own: SiteId, secret: Uint8Array, other: SiteId, otherPublic: Uint8Array): MaskKey {
    const { transcript } = this;
    const key = new ExchangeKey(secret);
    const envelope = this.posts.get(other)!.envelopes.find(({ to }) => to === own)!;
    const shared = encapsulatesTo(own, other)
      ? key.encapsulate(otherPublic).secret
      : key.decapsulate(envelopeParts(other, own, envelope.sealed).ciphertext);
    return pairwiseMask({ transcript, own, other, agreed: key.agree(otherPublic), secret: shared });
  }

  /** A victim's vector, from both of its secrets. */
  opened(
    victim: SiteId,
    seed: Uint8Array,
    maskSecret: Uint8Array,
    keys: readonly AdvertisedKeys[] = this.keys,
  ) {
    const { transcript } = this;
    const vector = this.site(victim).masked!.slice();
    const pairwise = keys
      .filter(({ site }) => site !== victim)
      .map(({ site: other, maskKey }) => this.maskOf(victim, maskSecret, other, maskKey));
    addMasks(vector, [selfMask(transcript, victim, seed), ...pairwise].map(opposite));
    return vector;
  }
}

function unmaskOf(site: TestSite, message: Parameters<TestSite["step"]>[0]): UnmaskPost {
  const output = unwrap(site.step(message));
  if (output.kind !== "unmask") throw new Error(`the site answered ${output.kind}`);
  return output.post;
}

const rewind = (site: TestSite, state: Uint8Array) => {
  site.state = restoreSiteSum(state);
};

describe("a site that is shown forged keys", () => {
  const forge = (keys: readonly AdvertisedKeys[], except: SiteId): AdvertisedKeys[] =>
    keys.map((one, i) => {
      if (one.site === except) return one;
      const forged = testRandom(`forged ${i}`);
      const maskKey = new ExchangeKey(forged.bytes(32)).publicKey;
      const sealKey = x25519PublicKey(x25519Key(forged.bytes(32)));
      return { ...one, maskKey, sealKey };
    });

  it("refuses with KEYS_INVALID; without the check, an aggregator that forged the roster too opens every vector", () => {
    const honest = new Network();
    expect(honest.site(v).code({ kind: "keys", keys: forge(honest.keys, v) })).toBe("KEYS_INVALID");

    weakened.add("keys");
    const network = new Network();
    // The same list for all, in which every key is the aggregator's own.
    const keys = forge(network.keys, "none" as SiteId);
    network.share(keys).mask();
    const privateOf = (i: number) => {
      const forged = testRandom(`forged ${i}`);
      return { mask: forged.bytes(32), seal: forged.bytes(32) };
    };
    const keysHash = keyListHash(network.place, keys);
    const openedWith = (exchangeFor: (i: number) => ExchangeKey) =>
      network.posts.get(v)!.envelopes.map(({ to, sealed }) => ({
        index: neighbourhoods(network.place).indexIn(v, to),
        pair: open({
          agreed: x25519(x25519Key(privateOf(network.names.indexOf(to)).seal), network.keys[0]!.sealKey),
          own: exchangeFor(network.names.indexOf(to)),
          context: sharesContext(keysHash, v, to),
          sealed: envelopeParts(v, to, sealed).shares,
        }),
      }));
    // The keys of the roster alone keep the envelopes shut.
    expect(openedWith((i) => exchangeOf(i + 1)).map(({ pair }) => pair.ok)).toEqual([
      false,
      false,
      false,
      false,
    ]);
    const held = openedWith(exchangeOf);
    const joined = (from: number) =>
      joinSecret(held.map(({ index, pair }) => ({ index, bytes: unwrap(pair).slice(from, from + 32) })));
    expect(network.opened(v, joined(0), joined(32), keys)).toEqual(network.site(v).vector);
  });

  const signedAnew = (keys: AdvertisedKeys): AdvertisedKeys => ({
    ...keys,
    signature: signMessage(identity(1).privateKey, keysMessage(place, keys)),
  });

  it.each<[string, (keys: AdvertisedKeys[]) => AdvertisedKeys[]]>([
    [
      "unsigned",
      (keys) => keys.map((one) => (one.site === w ? { ...one, signature: new Uint8Array(64) } : one)),
    ],
    [
      "signed by another site",
      (keys) =>
        keys.map((one) =>
          one.site === w
            ? { ...one, signature: signMessage(identity(2).privateKey, keysMessage(place, one)) }
            : one,
        ),
    ],
    ["twice for one site", (keys) => [...keys, keys[1]!]],
    ["of a site outside the roster", (keys) => [...keys, { ...keys[1]!, site: "stranger" as SiteId }]],
    ["without its own", (keys) => keys.filter((one) => one.site !== v)],
    [
      "with its own changed",
      (keys) => keys.map((one) => (one.site === v ? { ...one, maskKey: one.sealKey } : one)),
    ],
    [
      "repeated under another name",
      (keys) => {
        const copied = { site: w, maskKey: keys[2]!.maskKey, sealKey: keys[1]!.sealKey };
        const signature = signMessage(identity(1).privateKey, keysMessage(place, copied));
        return keys.map((one) => (one.site === w ? { ...copied, signature } : one));
      },
    ],
    [
      "of low order, signed by a colluding site",
      (keys) => {
        const maskKey = Uint8Array.from(keys[1]!.maskKey);
        maskKey.fill(0, 0, 32);
        return keys.map((one) => (one.site === w ? signedAnew({ ...one, maskKey }) : one));
      },
    ],
    [
      "with a seal key of low order, signed by a colluding site",
      (keys) =>
        keys.map((one) => (one.site === w ? signedAnew({ ...one, sealKey: new Uint8Array(32) }) : one)),
    ],
    [
      "of ML-KEM out of its range, signed by a colluding site",
      (keys) => {
        const maskKey = Uint8Array.from(keys[1]!.maskKey);
        maskKey.fill(255, 32, 35);
        return keys.map((one) => (one.site === w ? signedAnew({ ...one, maskKey }) : one));
      },
    ],
    [
      "of which only a neighbour's hash is told",
      (keys) => keys.map((one) => (one.site === w ? { ...one, maskKey: keyDigest(one.maskKey) } : one)),
    ],
    [
      "that are cut",
      (keys) => keys.map((one) => (one.site === w ? { ...one, maskKey: one.maskKey.slice(1) } : one)),
    ],
  ])("refuses keys %s", (_, change) => {
    const network = new Network();
    expect(network.site(v).code({ kind: "keys", keys: change(network.keys) })).toBe("KEYS_INVALID");
    expect(network.site(v).state).toEqual({ phase: "aborted", code: "KEYS_INVALID" });
  });
});

describe("a site that is shown other lists than its neighbours", () => {
  it("refuses shares that others made for other keys: SHARES_INVALID; without the check it masks", () => {
    const attack = () => {
      const network = new Network();
      const victim = network.site(v);
      const fewer = network.keys.filter((one) => one.site !== siteName(4));
      const own = unwrap(victim.step({ kind: "keys", keys: fewer }));
      for (const site of network.sites.slice(1)) {
        const output = unwrap(site.step({ kind: "keys", keys: network.keys }));
        if (output.kind === "shares") network.posts.set(site.site, output.post);
      }
      if (own.kind === "shares") network.posts.set(v, own.post);
      network.posts.delete(siteName(4));
      return victim.code({
        kind: "shares",
        deliveries: network.deliveries(v),
        broadcastsHash: noBroadcasts,
      });
    };
    expect(attack()).toBe("SHARES_INVALID");
    weakened.add("deliveries");
    expect(attack()).toBe("answered masked");
  });

  it("refuses survivors that were shown other broadcasts: TRANSCRIPT_DIFFERS; without the check it answers", () => {
    const attack = () => {
      const network = new Network().share();
      network.mask((site) => (site === w ? ("c".repeat(64) as Sha256) : noBroadcasts));
      return network.site(v).code({ kind: "survivors", survivors: network.proofsOf(network.names) });
    };
    expect(attack()).toBe("TRANSCRIPT_DIFFERS");
    weakened.add("survivors");
    expect(attack()).toBe("answered unmask");
  });

  it("refuses survivors that were shown other sharers: TRANSCRIPT_DIFFERS", () => {
    const network = new Network().share();
    for (const site of network.sites) {
      const last = siteName(4);
      // Site 1 is not told that the last site shared.
      const deliveries = network
        .deliveries(site.site)
        .filter(({ from }) => site.site === last || site.site !== w || from !== last);
      const output = unwrap(site.step({ kind: "shares", deliveries, broadcastsHash: noBroadcasts }));
      if (output.kind === "masked")
        network.proofs.set(site.site, { site: site.site, transcriptSignature: output.transcriptSignature });
    }
    const survivors = network.proofsOf(network.names);
    expect(network.site(v).code({ kind: "survivors", survivors })).toBe("TRANSCRIPT_DIFFERS");
  });
});

describe("a site that is asked for both kinds of share, or twice", () => {
  it("refuses with SURVIVORS_CHANGED; a twin that forgets its answer gives the victim's vector away", () => {
    const network = new Network().share().mask();
    const all = network.proofsOf(network.names);
    const before = new Map(network.sites.map((site) => [site.site, storeSiteSum(site.state!)] as const));
    const first = new Map(
      network.sites.map(
        (site) => [site.site, unmaskOf(site, { kind: "survivors", survivors: all })] as const,
      ),
    );
    const others = network.without(v);
    const smaller = network.proofsOf(others);
    for (const name of others) {
      const site = network.site(name);
      expect(site.code({ kind: "survivors", survivors: smaller })).toBe("SURVIVORS_CHANGED");
      expect(site.outputs.filter((output) => output.kind === "unmask")).toHaveLength(1);
    }

    for (const name of others) rewind(network.site(name), before.get(name)!);
    const signatures = network.sign(others, others);
    const second = new Map(
      others.map(
        (name) =>
          [name, unmaskOf(network.site(name), { kind: "unmask", survivors: smaller, signatures })] as const,
      ),
    );
    const opened = network.opened(
      v,
      network.join(v, "self-mask", first),
      network.join(v, "mask-key", second),
    );
    expect(opened).toEqual(network.site(v).vector);
  });

  it("signs one list of survivors and no other: SURVIVORS_CHANGED", () => {
    const network = new Network().share().mask();
    network.sign(network.without(v), network.without(v));
    const other = network.without(siteName(4));
    const site = network.site(w);
    const kept = storeSiteSum(site.state!);
    expect(site.code({ kind: "survivors", survivors: network.proofsOf(other) })).toBe("SURVIVORS_CHANGED");
    // Nor does it answer directly, or for signatures of others, once it has signed.
    rewind(site, kept);
    expect(site.code({ kind: "survivors", survivors: network.proofsOf(network.names) })).toBe(
      "SURVIVORS_CHANGED",
    );
    rewind(site, kept);
    const forged = other.map((name) => ({
      site: name,
      signature: signMessage(
        identity(network.names.indexOf(name)).privateKey,
        survivorsMessage(network.transcript, other),
      ),
    }));
    const message = { kind: "unmask", survivors: network.proofsOf(other), signatures: forged } as const;
    expect(site.code(message)).toBe("SURVIVORS_CHANGED");
    // The same list again is the same signature.
    rewind(site, kept);
    const again = network.proofsOf(network.without(v));
    expect(site.code({ kind: "survivors", survivors: again })).toBe("answered survivors");
    const signed = site.outputs.filter((output) => output.kind === "survivors");
    expect(signed[0]).toEqual(signed[1]);
  });

  it("answers the same list once: SUM_REPLAYED, whatever comes after", () => {
    const network = new Network().share().mask();
    const survivors = network.proofsOf(network.names);
    const site = network.site(v);
    unmaskOf(site, { kind: "survivors", survivors });
    const answered = storeSiteSum(site.state!);
    for (const message of [
      { kind: "survivors", survivors },
      { kind: "unmask", survivors, signatures: [] },
      { kind: "keys", keys: network.keys },
      { kind: "shares", deliveries: network.deliveries(v), broadcastsHash: noBroadcasts },
    ] as const) {
      rewind(site, answered);
      expect(site.code(message)).toBe("SUM_REPLAYED");
      expect(Object.keys(site.state!)).toEqual(["phase", "code"]);
      expect(site.code(message)).toBe("SUM_REPLAYED");
    }
  });
});

describe("a site whose sum is to be shrunk", () => {
  it("refuses survivors below T with SUM_THRESHOLD; without the checks, one site's vector is opened", () => {
    const attack = (survivors: readonly SiteId[]) => {
      const network = new Network().share().mask();
      const proofs = network.proofsOf(survivors);
      return { network, code: network.site(v).code({ kind: "survivors", survivors: proofs }) };
    };
    expect(attack([v, w, siteName(2)]).code).toBe("SUM_THRESHOLD");
    expect(attack([v]).code).toBe("SUM_THRESHOLD");

    weakened.add("survivors").add("signatures");
    const network = new Network().share().mask();
    const proofs = network.proofsOf([v]);
    const answers = new Map(
      network.sites.map(
        (site) => [site.site, unmaskOf(site, { kind: "unmask", survivors: proofs, signatures: [] })] as const,
      ),
    );
    const vector = network.site(v).masked!.slice();
    const { transcript } = network;
    const masks = [opposite(selfMask(transcript, v, network.join(v, "self-mask", answers)))];
    for (const other of network.without(v)) {
      const secret = network.join(other, "mask-key", answers);
      masks.push(network.maskOf(other, secret, v, network.keys[0]!.maskKey));
    }
    addMasks(vector, masks);
    expect(vector).toEqual(network.site(v).vector);
  });

  it("refuses fewer than T keys and fewer than T sharers: SUM_THRESHOLD; without the checks it continues", () => {
    const fewKeys = () => {
      const network = new Network();
      return network.site(v).code({ kind: "keys", keys: network.keys.slice(0, 3) });
    };
    const fewSharers = () => {
      const network = new Network().share();
      const deliveries = network.deliveries(v).slice(0, 3);
      return network.site(v).code({ kind: "shares", deliveries, broadcastsHash: noBroadcasts });
    };
    expect([fewKeys(), fewSharers()]).toEqual(["SUM_THRESHOLD", "SUM_THRESHOLD"]);
    weakened.add("keys").add("deliveries");
    expect([fewKeys(), fewSharers()]).toEqual(["answered shares", "answered masked"]);
  });

  it("refuses a smaller roster's parameters: SUM_THRESHOLD; without the check it shares below T", () => {
    const smaller = { ...place, parameters: { ...place.parameters, threshold: 2, shareThreshold: 2 } };
    const attack = () => {
      const network = new Network(smaller);
      return network.site(v).code({ kind: "keys", keys: network.keys.slice(0, 2) });
    };
    expect(attack()).toBe("SUM_THRESHOLD");
    weakened.add("context");
    expect(attack()).toBe("answered shares");
    const fewer = { ...place, parameters: { ...place.parameters, sites: 4 } };
    weakened.clear();
    const network = new Network(fewer);
    expect(network.site(v).code({ kind: "keys", keys: network.keys })).toBe("SUM_THRESHOLD");
  });

  it("refuses a roster of sites it does not know: SUM_THRESHOLD; without the check they open its vector", () => {
    const attack = () => {
      const network = new Network(place, { distrusted: 2 });
      return network.site(v).code({ kind: "keys", keys: network.keys });
    };
    // 2T = 8 > s + c + d holds for d = 1 and fails for d = 2.
    expect(new Network(place, { distrusted: 1 }).share().posts.size).toBe(5);
    expect(attack()).toBe("SUM_THRESHOLD");

    weakened.add("context");
    const run = runSum(place, { sites: testSites(place, { distrusted: 4 }) });
    // All others are the aggregator's: the sum less what it put in itself is the victim's vector.
    const rest = openedSum(place, run) as BigUint64Array;
    for (const other of run.sites.slice(1))
      rest.forEach((entry, i) => {
        rest[i] = entry - (other.vector as BigUint64Array)[i]!;
      });
    expect(rest).toEqual(run.sites[0]!.vector);
  });
});

describe("a site that is shown what was made for another attempt", () => {
  const later = testPlace({ sites: 5, length: 4, tolerateColluding: 1, attempt: 2 });
  const nextStage = testPlace({ sites: 5, length: 4, tolerateColluding: 1, stage: "projection" });

  it.each([later, nextStage])("refuses its keys, shares and survivors", (other) => {
    const old = new Network().share().mask();
    const fresh = () => new Network(other);
    const first = fresh();
    const mixed = first.keys.map((one, i) => (one.site === w ? old.keys[i]! : one));
    expect(first.site(v).code({ kind: "keys", keys: mixed })).toBe("KEYS_INVALID");

    const second = fresh().share();
    const deliveries = second.deliveries(v).map((one, i) => (one.from === w ? old.deliveries(v)[i]! : one));
    expect(second.site(v).code({ kind: "shares", deliveries, broadcastsHash: noBroadcasts })).toBe(
      "SHARES_INVALID",
    );

    const third = fresh().share().mask();
    const survivors = third.names.map((name) => (name === w ? old : third).proofs.get(name)!);
    expect(third.site(v).code({ kind: "survivors", survivors })).toBe("TRANSCRIPT_DIFFERS");

    const fourth = fresh().share().mask();
    const others = fourth.without(siteName(4));
    const signatures = fourth.sign(others, others);
    const stale = old.sign(others, others);
    const swapped = signatures.map((one, i) => (one.site === w ? stale[i]! : one));
    const request = { kind: "unmask", survivors: fourth.proofsOf(others) } as const;
    expect(fourth.site(v).code({ ...request, signatures: swapped })).toBe("SURVIVORS_INVALID");
  });

  it("takes them without the checks", () => {
    const old = new Network().share().mask();
    weakened.add("keys").add("deliveries").add("survivors").add("signatures");
    const network = new Network(later);
    const mixed = network.keys.map((one, i) => (one.site === w ? old.keys[i]! : one));
    expect(network.site(v).code({ kind: "keys", keys: mixed })).toBe("answered shares");
    const deliveries = old.deliveries(v);
    const broadcastsHash = noBroadcasts;
    expect(network.site(v).code({ kind: "shares", deliveries, broadcastsHash })).toBe("answered masked");
    const survivors = old.proofsOf(old.names);
    expect(network.site(v).code({ kind: "survivors", survivors })).toBe("answered unmask");
  });

  it("refuses a step out of order or again: SUM_REPLAYED", () => {
    const network = new Network();
    const survivors: SurvivorProof[] = [];
    expect(network.site(v).code({ kind: "survivors", survivors })).toBe("SUM_REPLAYED");
    const shared = new Network().share();
    expect(shared.site(v).code({ kind: "keys", keys: shared.keys })).toBe("SUM_REPLAYED");
    const masked = new Network().share().mask();
    const deliveries = masked.deliveries(v);
    expect(masked.site(v).code({ kind: "shares", deliveries, broadcastsHash: noBroadcasts })).toBe(
      "SUM_REPLAYED",
    );
  });
});

describe("a site checks every part of what it is given", () => {
  it.each<[string, (network: Network) => DeliveredShares[]]>([
    ["an envelope is withheld", (n) => n.deliveries(v).map((one) => ({ ...one, sealed: null }))],
    [
      "an envelope is cut",
      (n) => n.deliveries(v).map((one) => ({ ...one, sealed: one.sealed?.subarray(1) ?? null })),
    ],
    [
      "an envelope is not for it",
      (n) => n.deliveries(v).map((one) => (one.from === v ? { ...one, sealed: new Uint8Array(92) } : one)),
    ],
    ["a site shares twice", (n) => [...n.deliveries(v), n.deliveries(v)[1]!]],
    ["it has not shared itself", (n) => n.deliveries(v).filter((one) => one.from !== v)],
    [
      "a commitment is changed",
      (n) =>
        n
          .deliveries(v)
          .map((one) => (one.from === w ? { ...one, selfMaskCommitment: new Uint8Array(32) } : one)),
    ],
    [
      "its own commitment is changed",
      (n) =>
        n
          .deliveries(v)
          .map((one) => (one.from === v ? { ...one, selfMaskCommitment: new Uint8Array(32) } : one)),
    ],
    [
      "a stranger shares",
      (n) => [...n.deliveries(v), { ...n.deliveries(v)[1]!, from: "stranger" as SiteId }],
    ],
  ])("SHARES_INVALID when %s", (_, change) => {
    const network = new Network().share();
    const deliveries = change(network);
    expect(network.site(v).code({ kind: "shares", deliveries, broadcastsHash: noBroadcasts })).toBe(
      "SHARES_INVALID",
    );
  });

  it("SURVIVORS_INVALID for a list that repeats, leaves it out, or names one that did not share", () => {
    const code = (change: (network: Network) => SurvivorProof[]) => {
      const network = new Network().share().mask();
      return network.site(v).code({ kind: "survivors", survivors: change(network) });
    };
    expect(code((n) => [...n.proofsOf(n.names), n.proofs.get(w)!])).toBe("SURVIVORS_INVALID");
    expect(code((n) => n.proofsOf(n.without(v)))).toBe("SURVIVORS_INVALID");
    expect(code((n) => [...n.proofsOf(n.names), { ...n.proofs.get(w)!, site: "stranger" as SiteId }])).toBe(
      "SURVIVORS_INVALID",
    );
  });

  it("answers a smaller list for T good signatures of its members only", () => {
    const code = (change: (good: SurvivorsSignature[], network: Network) => SurvivorsSignature[]) => {
      const network = new Network().share().mask();
      const survivors = network.without(siteName(4));
      const signatures = change(network.sign(survivors, survivors), network);
      return network.site(v).code({ kind: "unmask", survivors: network.proofsOf(survivors), signatures });
    };
    expect(code((good) => good)).toBe("answered unmask");
    expect(code((good) => good.slice(1))).toBe("SUM_THRESHOLD");
    expect(code((good) => [good[1]!, ...good.slice(1)])).toBe("SURVIVORS_INVALID");
    expect(code((good) => [{ ...good[0]!, site: siteName(4) }, ...good.slice(1)])).toBe("SURVIVORS_INVALID");
    expect(code((good) => [{ ...good[0]!, signature: new Uint8Array(64) }, ...good.slice(1)])).toBe(
      "SURVIVORS_INVALID",
    );
    weakened.add("signatures");
    expect(code(() => [])).toBe("answered unmask");
  });

  it("without noise answers for the first sum's survivors only: SURVIVORS_CHANGED", () => {
    const required = place.roster.members.map((member) => member.site).slice(0, 4);
    const attack = (names: readonly SiteId[]) => {
      const network = new Network(place, { requiredSurvivors: required }).share().mask();
      return network.site(v).code({ kind: "survivors", survivors: network.proofsOf(names) });
    };
    expect(attack(required)).toBe("answered survivors");
    expect(attack(place.roster.members.map((member) => member.site))).toBe("SURVIVORS_CHANGED");
    expect(attack([v, ...required.slice(2), siteName(4)])).toBe("SURVIVORS_CHANGED");
    weakened.add("survivors");
    expect(attack(place.roster.members.map((member) => member.site))).toBe("answered unmask");
  });
});

describe("lists in any order", () => {
  it("make the same transcript, and are answered alike", () => {
    const network = new Network();
    const turned = <T>(list: readonly T[], by: number): T[] => [...list.slice(by), ...list.slice(0, by)];
    network.sites.forEach((site, i) => {
      const output = unwrap(site.step({ kind: "keys", keys: turned(network.keys, i) }));
      if (output.kind === "shares") network.posts.set(site.site, output.post);
    });
    const transcripts = network.sites.map((site, i) => {
      const deliveries = turned(network.deliveries(site.site), i);
      const output = unwrap(site.step({ kind: "shares", deliveries, broadcastsHash: noBroadcasts }));
      if (output.kind !== "masked") throw new Error("the site masks");
      const { transcriptSignature, transcriptHash } = output;
      network.proofs.set(site.site, { site: site.site, transcriptSignature });
      return transcriptHash;
    });
    expect(new Set(transcripts).size).toBe(1);
    const four = network.without(siteName(4));
    const proofs = network.proofsOf(four);
    const signatures = four.map((name, i) => {
      const output = unwrap(network.site(name).step({ kind: "survivors", survivors: turned(proofs, i) }));
      if (output.kind !== "survivors") throw new Error("the site signs");
      return { site: name, signature: output.signature };
    });
    four.forEach((name, i) => {
      const message = {
        kind: "unmask",
        survivors: turned(proofs, i),
        signatures: turned(signatures, i),
      } as const;
      expect(network.site(name).code(message)).toBe("answered unmask");
    });
  });
});

describe("a site that has refused", () => {
  it("answers nothing of that attempt any more, and keeps its first code", () => {
    const network = new Network().share().mask();
    const site = network.site(v);
    const survivors = network.proofsOf(network.names);
    expect(site.code({ kind: "survivors", survivors: survivors.slice(2) })).toBe("SURVIVORS_INVALID");
    for (const message of [
      { kind: "survivors", survivors },
      { kind: "unmask", survivors, signatures: [] },
      { kind: "keys", keys: network.keys },
      { kind: "shares", deliveries: network.deliveries(v), broadcastsHash: noBroadcasts },
    ] as const) {
      expect(site.code(message)).toBe("SURVIVORS_INVALID");
      expect(site.state).toEqual({ phase: "aborted", code: "SURVIVORS_INVALID" });
    }
  });
});

describe("secrets of a site", () => {
  it("are gone after the answer, do not show when a state is printed, and never leave twice", () => {
    const network = new Network().share().mask();
    const site = network.site(v);
    expect(JSON.stringify(site.state)).toContain('"ownShares":"[secret]"');
    unmaskOf(site, { kind: "survivors", survivors: network.proofsOf(network.names) });
    expect(Object.keys(site.state!).sort()).toEqual(["phase", "survivors", "transcript"]);
    const revealed = site.outputs.flatMap((output) => (output.kind === "unmask" ? output.post.shares : []));
    expect(new Set(revealed.map((share) => share.of)).size).toBe(revealed.length);
  });
});
