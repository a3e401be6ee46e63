import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createPrivateKey,
  createPublicKey,
  diffieHellman,
  hkdfSync,
  type KeyObject,
  verify,
} from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { ml_kem768 } from "@noble/post-quantum/ml-kem.js";
import { describe, expect, it } from "vitest";
import { exchangeOf, testPlace, testRandom } from "../testing/sum.js";
import dealt from "../vectors/v2/dealt-masks.json" with { type: "json" };
import pairwise from "../vectors/v3/pairwise-sum.json" with { type: "json" };
import { generateSigningKey } from "./crypto/sign.js";
import type { SiteId } from "./ids.js";
import { joinMessage } from "./roster.js";
import { beginSetup, postMessage } from "./setup.js";
import { commitment, joinShares } from "./sharedSeed.js";

/**
 * A second implementation of what is signed, hashed, derived and sealed: from SPEC.md's formats and node:crypto alone. The
 * vectors were written by neither.
 */
const spec = readFileSync(`${import.meta.dirname}/../SPEC.md`, "utf8");
const formats = new Map(
  [...spec.matchAll(/^```text ([a-z0-9-]+)\n([\s\S]*?)\n```$/gm)].map(
    (block) => [block[1]!, block[2]!] as const,
  ),
);

type Values = Readonly<Record<string, string | number | Uint8Array>>;

const used = new Set<string>();

/** A format with its values put in. */
function filled(name: string, values: Values): Buffer {
  used.add(name);
  const parts = formats.get(name)!.split(/\{([^}]+)\}/);
  return Buffer.concat(
    parts.map((part, i) => {
      const value = i % 2 === 0 ? part : values[part];
      if (value === undefined) throw new RangeError(`${name}: no value for {${part}}`);
      return typeof value === "object" ? value : Buffer.from(String(value));
    }),
  );
}

const unhex = (text: string) => Buffer.from(text, "hex");
const hash = (name: string, values: Values) =>
  createHash("sha256").update(filled(name, values)).digest("hex");
const derive = (secret: Uint8Array, name: string, values: Values) =>
  Buffer.from(hkdfSync("sha256", secret, Buffer.alloc(0), filled(name, values), 32));

const pkcs8 = { Ed25519: "302e020100300506032b657004220420", X25519: "302e020100300506032b656e04220420" };
const privateKey = (kind: keyof typeof pkcs8, raw: string) =>
  createPrivateKey({ key: unhex(pkcs8[kind] + raw), format: "der", type: "pkcs8" });
/** An exchange key from its secret: X25519 by node:crypto, ML-KEM by @noble/post-quantum, which FIPS 203's vectors check. */
function exchange(secret: Uint8Array) {
  const own = derive(secret, "exchange-x25519", {}).toString("hex");
  const seed = Buffer.from(hkdfSync("sha256", secret, Buffer.alloc(0), filled("exchange-ml-kem", {}), 64));
  const kem = ml_kem768.keygen(seed);
  const key = publicOf(privateKey("X25519", own)) + Buffer.from(kem.publicKey).toString("hex");
  const bound = (shared: Uint8Array, ciphertext: Uint8Array) => {
    const ciphertextHash = createHash("sha256").update(ciphertext).digest("hex");
    return derive(shared, "exchange-secret", { ciphertextHash });
  };
  return {
    key,
    agree: (other: string) =>
      diffieHellman({ privateKey: privateKey("X25519", own), publicKey: publicKey(other.slice(0, 64)) }),
    encapsulate: (other: string) => {
      const exchangeKeyHash = createHash("sha256").update(unhex(other)).digest("hex");
      const coins = derive(secret, "exchange-coins", { exchangeKeyHash });
      const { cipherText, sharedSecret } = ml_kem768.encapsulate(unhex(other.slice(64)), coins);
      return { ciphertext: Buffer.from(cipherText), secret: bound(sharedSecret, cipherText) };
    },
    decapsulate: (ciphertext: Uint8Array) =>
      bound(ml_kem768.decapsulate(ciphertext, kem.secretKey), ciphertext),
  };
}

const publicKey = (raw: string) =>
  createPublicKey({ key: unhex(`302a300506032b656e032100${raw}`), format: "der", type: "spki" });
const publicOf = (key: KeyObject) =>
  createPublicKey(key).export({ format: "der", type: "spki" }).subarray(-32).toString("hex");
const agree = (own: string, other: string) =>
  diffieHellman({
    privateKey: privateKey("X25519", own),
    publicKey: createPublicKey(privateKey("X25519", other)),
  });
const both = (...secrets: Uint8Array[]) => Buffer.concat(secrets);

function stream(key: Uint8Array, bits: number, length: number): bigint[] {
  const bytes = createCipheriv("aes-256-ctr", key, Buffer.alloc(16)).update(
    Buffer.alloc((bits / 8) * length),
  );
  return Array.from({ length }, (_, i) =>
    bits === 32 ? BigInt(bytes.readUInt32LE(4 * i)) : bytes.readBigUInt64LE(8 * i),
  );
}

function opened(key: Uint8Array, sealed: Uint8Array, context: Uint8Array): Buffer {
  const cipher = createDecipheriv("aes-256-gcm", key, sealed.subarray(0, 12), { authTagLength: 16 });
  cipher.setAAD(context).setAuthTag(sealed.subarray(-16));
  return Buffer.concat([cipher.update(sealed.subarray(12, -16)), cipher.final()]);
}

type Site = (typeof pairwise.runs)[number]["sites"][number];

function cycle(sites: readonly string[], rosterHash: string): string[] {
  const order = [...sites].sort();
  let words: number[] = [];
  let counter = 0;
  const word = (): number => {
    if (words.length === 0) {
      const block = unhex(hash("cycle", { rosterHash, counter: counter++ }));
      words = Array.from({ length: 8 }, (_, i) => block.readUInt32BE(4 * i));
    }
    return words.shift()!;
  };
  for (let i = order.length - 1; i > 0; i--) {
    let drawn = word();
    while (drawn >= 2 ** 32 - (2 ** 32 % (i + 1))) drawn = word();
    const j = drawn % (i + 1);
    [order[i], order[j]] = [order[j]!, order[i]!];
  }
  return order;
}

describe("SPEC.md", () => {
  it.each(pairwise.runs.map((run) => [run.sites.length, run.ringBits, run] as const))(
    "gives every signature, hash, mask and envelope of %i sites over %i bits",
    (_sites, ringBits, run) => {
      const { studyId, studyHash, rosterHash, stage, attempt, length, broadcastsHash } = run;
      const sites: readonly Site[] = run.sites;
      expect(sites.map(({ site }) => site)).toEqual(sites.map(({ site }) => site).sort());
      const keyOf = new Map(sites.map((one) => [one.site, privateKey("Ed25519", one.signingSeed)] as const));
      const signed = (site: string, name: string, values: Values, signature: string) =>
        verify(null, filled(name, values), createPublicKey(keyOf.get(site)!), unhex(signature));
      const members = sites.map(
        ({ site, exchangeSecret }) =>
          `${site} ${publicOf(keyOf.get(site)!)} ${exchange(unhex(exchangeSecret)).key}`,
      );
      expect(hash("roster", { studyId, studyHash, "site signingKey exchangeKey…": members.join("\n") })).toBe(
        rosterHash,
      );

      const t = run.threshold;
      const place = filled("place", {
        studyId,
        studyHash,
        rosterHash,
        stage,
        attempt,
        ringBits,
        length,
        s: sites.length,
        T: t,
        t,
        graph: "complete",
      }).toString();
      const keyHash = (key: string) => createHash("sha256").update(unhex(key)).digest("hex");
      const keyLines = sites.map(({ site, maskKey, sealKey }) => `${site} ${keyHash(maskKey)} ${sealKey}`);
      const keysHash = hash("key-list", { place, "site maskKeyHash sealKey…": keyLines.join("\n") });
      expect(keysHash).toBe(run.keysHash);
      const ciphertextsHash = (one: Site) => hash("ciphertexts", { "digests:raw": unhex(one.ciphertexts) });
      const commitments = sites
        .map((one) => `${one.site} ${one.selfMaskCommitment} ${ciphertextsHash(one)}`)
        .join("\n");
      const transcriptHash = hash("transcript", {
        place,
        keysHash,
        broadcastsHash,
        "site selfMaskCommitment ciphertextsHash…": commitments,
      });
      expect(transcriptHash).toBe(run.transcriptHash);

      for (const one of sites) {
        const { site, maskKey, sealKey, selfMaskCommitment } = one;
        const [maskSecret, sealPrivate, seed] = one.draws as [string, string, string];
        const own = exchange(unhex(maskSecret));
        const ofRoster = exchange(unhex(one.exchangeSecret));
        expect(own.key).toBe(maskKey);
        expect(ofRoster.key).toBe(one.exchangeKey);
        expect(publicOf(privateKey("X25519", sealPrivate))).toBe(sealKey);
        const keys = { place, site, maskKeyHash: keyHash(maskKey), sealKey };
        expect(signed(site, "keys", keys, one.keysSignature)).toBe(true);
        expect(hash("self-mask-commitment", { place, site, "selfMaskSeed:raw": unhex(seed) })).toBe(
          selfMaskCommitment,
        );
        const shares = { keysHash, site, selfMaskCommitment, ciphertextsHash: ciphertextsHash(one) };
        expect(signed(site, "shares", shares, one.sharesSignature)).toBe(true);
        const envelopes: Record<string, string | undefined> = one.envelopes;
        const digests = Object.keys(envelopes)
          .filter((to) => site < to)
          .sort()
          .map((to) => {
            const ciphertext = unhex(envelopes[to]!).subarray(0, 1088);
            return hash("ciphertext", { to, "ciphertext:raw": ciphertext }).slice(0, 32);
          });
        expect(digests.join("")).toBe(one.ciphertexts);
        expect(signed(site, "masked", { transcriptHash, site }, one.transcriptSignature)).toBe(true);
        if (run.survivors.includes(site)) {
          const survivors = { transcriptHash, "survivor…": [...run.survivors].sort().join("\n") };
          expect(signed(site, "survivors", survivors, one.survivorsSignature!)).toBe(true);
        }

        const mask = stream(derive(unhex(seed), "self-mask", { transcriptHash, site }), ringBits, length);
        for (const other of sites) {
          if (other.site === site) continue;
          const [low, high] = [site, other.site].sort() as [string, string];
          const envelope = unhex((other.envelopes as Record<string, string | undefined>)[site]!);
          expect(envelope).toHaveLength(other.site < site ? 2268 : 1180);
          const sealed = envelope.subarray(-1180);
          const secret =
            other.site < site
              ? own.decapsulate(envelope.subarray(0, 1088))
              : own.encapsulate(other.maskKey).secret;
          const key = derive(both(own.agree(other.maskKey), secret), "pairwise-mask", {
            transcriptHash,
            low,
            high,
          });
          const sign = site === low ? 1n : -1n;
          for (const [i, word] of stream(key, ringBits, length).entries()) mask[i]! += sign * word;
          const context = filled("sum-shares", { keysHash, from: other.site, to: site });
          const agreed = agree(sealPrivate, other.draws[1]!);
          const sealKeyBytes = derive(both(agreed, ofRoster.decapsulate(sealed.subarray(0, 1088))), "seal", {
            context: context.toString(),
          });
          const pair = opened(sealKeyBytes, sealed.subarray(1088), context).toString("hex");
          const shown = one.revealed?.find(({ of }) => of === other.site);
          if (shown !== undefined) {
            expect(pair.slice(...(shown.secret === "self-mask" ? [0, 64] : [64]))).toBe(shown.share);
          }
        }
        expect(mask.map((word) => String(BigInt.asUintN(ringBits, word)))).toEqual(one.mask);
      }
    },
  );

  it.each(pairwise.cycles)("gives the cycle of $seed", ({ seed, order }) => {
    expect(cycle(order, seed)).toEqual(order);
  });

  it.each(dealt.cases)("gives the dealt masks and seed of $stage, attempt $attempt", (one) => {
    const { rosterHash, dealer, seeds } = dealt;
    const { stage, attempt, broadcastsHash, stageSeed } = one;
    const masks = one.masks as Record<string, string[]>;
    const dealerMask = masks[dealer]!.map(() => 0n);
    for (const [site, seed] of Object.entries(seeds)) {
      const key = derive(unhex(seed), "dealt-mask", { rosterHash, stage, attempt, broadcastsHash });
      const words = stream(key, 64, dealerMask.length);
      expect(words.map(String)).toEqual(masks[site]);
      for (const [i, word] of words.entries()) dealerMask[i]! -= word;
    }
    expect(dealerMask.map((word) => String(BigInt.asUintN(64, word)))).toEqual(masks[dealer]);
    const seed = derive(unhex(dealt.sharedSeed), "stage-seed", { rosterHash, stage, broadcastsHash });
    expect(seed.toString("hex")).toBe(stageSeed);
  });

  it("gives what joins, setup posts and seed commitments are made of", () => {
    const { roster } = testPlace({ sites: 3 });
    const { studyId, studyHash, hash: rosterHash } = roster;
    const site = roster.members[0]!.site;
    const share = testRandom("share").bytes(32);
    const exchangeKey = Buffer.from(share).toString("hex");
    expect(Buffer.from(joinMessage(studyId, studyHash, site, share))).toEqual(
      filled("join", { studyId, studyHash, site, exchangeKey }),
    );
    expect(Buffer.from(postMessage(roster, "reveal", site, share))).toEqual(
      filled("exchange", { rosterHash, step: "reveal", site, publicPart: exchangeKey }),
    );
    const committed = (of: SiteId) =>
      unhex(hash("seed-commitment", { rosterHash, site: of, "share:raw": share }));
    expect(Buffer.from(commitment(roster, site, share))).toEqual(committed(site));
    const shares = new Map(roster.members.map((member) => [member.site, share] as const));
    const commitments = new Map(
      roster.members.map((member) => [member.site, committed(member.site)] as const),
    );
    const seed = joinShares(roster, commitments, shares);
    const whole = Buffer.concat([share, share, share]);
    expect(seed.ok && Buffer.from(seed.value).toString("hex")).toBe(
      hash("shared-seed", { rosterHash, "shares:raw": whole }),
    );
  });

  it("gives the envelopes of the setup exchange", () => {
    const { roster } = testPlace({ sites: 3 });
    const [to, from] = roster.members.map((member) => member.site) as [SiteId, SiteId];
    const { privateKey: signingPrivateKey } = generateSigningKey();
    const dealer = {
      roster,
      self: from,
      exchange: exchangeOf(1),
      signingPrivateKey,
      steps: ["deal"] as const,
    };
    const { state, post } = beginSetup(dealer, testRandom("setup"));
    const context = filled("exchange-context", { rosterHash: roster.hash, step: "deal", from, to });
    const own = exchange(testRandom("exchange 1").bytes(32));
    const otherKey = Buffer.from(roster.members[0]!.exchangeKey).toString("hex");
    const { sealed } = post.envelopes.find((one) => one.to === to)!;
    const { ciphertext, secret } = own.encapsulate(otherKey);
    expect(Buffer.from(sealed.subarray(0, 1088))).toEqual(ciphertext);
    const key = derive(both(own.agree(otherKey), secret), "seal", { context: context.toString() });
    const seed = opened(key, sealed.subarray(1088), context);
    expect(state.phase === "begun" && Buffer.from(state.seeds!.get(to)!)).toEqual(seed);
  });

  it("has no format that the tests above leave out", () => {
    expect([...used].sort()).toEqual([...formats.keys()].sort());
  });

  it("has every label that the code signs, hashes or derives with, and no other", () => {
    const label = /consilium [a-z ]+ v\d+/g;
    const source = ["", "crypto/"].flatMap((folder) =>
      readdirSync(`${import.meta.dirname}/${folder}`)
        .filter((name) => /^(?!.*\.test).*\.ts$/.test(name))
        .map((name) => readFileSync(`${import.meta.dirname}/${folder}${name}`, "utf8")),
    );
    const inCode = new Set(source.flatMap((text) => text.match(label) ?? []));
    expect([...new Set([...formats.values()].flatMap((text) => text.match(label) ?? []))].sort()).toEqual(
      [...inCode].sort(),
    );
  });
});
