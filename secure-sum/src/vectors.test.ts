import { createPrivateKey } from "node:crypto";
import { describe, expect, it } from "vitest";
import vectors from "../vectors/v3/pairwise-sum.json" with { type: "json" };
import { deliveriesFor } from "./aggregator.js";
import { ExchangeKey } from "./crypto/exchange.js";
import { rawPublicKey, signMessage } from "./crypto/sign.js";
import type { Sha256, SiteId, StageId, StudyId } from "./ids.js";
import { cycleOrder } from "./neighbours.js";
import { sumParameters } from "./parameters.js";
import type { RandomSource } from "./random.js";
import { unwrap } from "./result.js";
import { newRingVector, type RingBits } from "./ring.js";
import { buildRoster, joinMessage } from "./roster.js";
import {
  addMasks,
  advertise,
  type SiteSumContext,
  type SiteSumMessage,
  type SiteSumOutput,
  type SiteSumState,
  stepSite,
} from "./site.js";
import type { SumPlace } from "./transcript.js";

type Run = (typeof vectors.runs)[number];
type Site = Run["sites"][number];

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString("hex");
const unhex = (text: string) => new Uint8Array(Buffer.from(text, "hex"));
const named = (site: string) => site as SiteId;

/** RFC 8410, section 7: an Ed25519 private key in PKCS#8. */
const signingKey = (seed: string) =>
  createPrivateKey({
    key: Buffer.from(`302e020100300506032b657004220420${seed}`, "hex"),
    format: "der",
    type: "pkcs8",
  });

/** Hands out what the vectors say is drawn, and nothing of another length. */
function scripted(draws: readonly string[]): RandomSource & { left(): number } {
  let at = 0;
  return {
    bytes(count) {
      const next = unhex(draws[at++]!);
      expect(next).toHaveLength(count);
      return next;
    },
    left: () => draws.length - at,
  };
}

function placeOf(run: Run): SumPlace {
  const study = { id: run.studyId as StudyId, hash: run.studyHash as Sha256, minimumSites: run.minimumSites };
  const members = run.sites.map((one) => {
    const site = named(one.site);
    const key = signingKey(one.signingSeed);
    const exchangeKey = new ExchangeKey(unhex(one.exchangeSecret)).publicKey;
    expect(hex(exchangeKey)).toBe(one.exchangeKey);
    const joinSignature = signMessage(key, joinMessage(study.id, study.hash, site, exchangeKey));
    return { site, signingKey: rawPublicKey(key), exchangeKey, joinSignature };
  });
  const { minimumSites, tolerateColluding } = run;
  return {
    roster: unwrap(buildRoster(study, members)),
    stage: run.stage as StageId,
    attempt: run.attempt,
    ringBits: run.ringBits as RingBits,
    length: run.length,
    parameters: sumParameters({ sites: members.length, minimumSites, tolerateColluding }),
  };
}

class Player {
  readonly context: SiteSumContext;
  readonly random: ReturnType<typeof scripted>;
  state: SiteSumState;

  constructor(place: SumPlace, run: Run, site: Site) {
    this.context = {
      place,
      self: named(site.site),
      signingKey: signingKey(site.signingSeed),
      exchange: new ExchangeKey(unhex(site.exchangeSecret)),
      distrusted: 0,
      tolerateColluding: run.tolerateColluding,
      requiredSurvivors: null,
    };
    this.random = scripted(site.draws);
    const { state, post } = advertise(this.context, this.random);
    this.state = state;
    expect(hex(post.maskKey)).toBe(site.maskKey);
    expect(hex(post.sealKey)).toBe(site.sealKey);
    expect(hex(post.signature)).toBe(site.keysSignature);
  }

  step<K extends SiteSumOutput["kind"]>(
    message: SiteSumMessage,
    kind: K,
  ): Extract<SiteSumOutput, { kind: K }> {
    const { state, output } = unwrap(stepSite(this.context, this.state, message, this.random));
    this.state = state;
    expect(output.kind).toBe(kind);
    return output as Extract<SiteSumOutput, { kind: K }>;
  }
}

describe("test vectors v3", () => {
  it.each(vectors.runs.map((run) => [run.sites.length, run.ringBits, run] as const))(
    "are met by %i sites over %i bits, byte for byte",
    (_sites, _bits, run) => {
      const place = placeOf(run);
      expect(place.roster.hash).toBe(run.rosterHash);
      expect(place.parameters.threshold).toBe(run.threshold);
      const players = run.sites.map((site) => ({ site, player: new Player(place, run, site) }));
      const keys = run.sites.map((site) => ({
        site: named(site.site),
        maskKey: unhex(site.maskKey),
        sealKey: unhex(site.sealKey),
        signature: unhex(site.keysSignature),
      }));
      for (const { site, player } of players) {
        const { post } = player.step({ kind: "keys", keys }, "shares");
        expect(player.random.left()).toBe(0);
        expect(hex(post.selfMaskCommitment)).toBe(site.selfMaskCommitment);
        expect(hex(post.ciphertexts)).toBe(site.ciphertexts);
        expect(hex(post.signature)).toBe(site.sharesSignature);
        expect(Object.fromEntries(post.envelopes.map(({ to, sealed }) => [to, hex(sealed)]))).toEqual(
          site.envelopes,
        );
      }
      const posts = new Map(
        run.sites.map((from) => [
          named(from.site),
          {
            selfMaskCommitment: unhex(from.selfMaskCommitment),
            ciphertexts: unhex(from.ciphertexts),
            signature: unhex(from.sharesSignature),
            envelopes: Object.entries(from.envelopes).map(([to, sealed]) => ({
              to: named(to),
              sealed: unhex(sealed as string),
            })),
          },
        ]),
      );
      for (const { site, player } of players) {
        const deliveries = deliveriesFor(posts, named(site.site));
        const broadcastsHash = run.broadcastsHash as Sha256;
        const output = player.step({ kind: "shares", deliveries, broadcastsHash }, "masked");
        expect(output.transcriptHash).toBe(run.transcriptHash);
        expect(hex(output.transcriptSignature)).toBe(site.transcriptSignature);
        const vector = newRingVector(place.ringBits, place.length);
        addMasks(vector, output.masks);
        expect([...vector].map(String)).toEqual(site.mask);
      }
      const survivors = run.sites
        .filter((site) => run.survivors.includes(site.site))
        .map((site) => ({
          site: named(site.site),
          transcriptSignature: unhex(site.transcriptSignature),
        }));
      const answering = players.filter(({ site }) => run.survivors.includes(site.site));
      const signatures = answering.map(({ site, player }) => {
        const { signature } = player.step({ kind: "survivors", survivors }, "survivors");
        expect(hex(signature)).toBe(site.survivorsSignature);
        return { site: named(site.site), signature };
      });
      for (const { site, player } of answering) {
        const { post } = player.step({ kind: "unmask", survivors, signatures }, "unmask");
        const byOwner = post.shares
          .map(({ of, secret, share }) => ({ of, secret, share: hex(share) }))
          .sort((a, b) => (a.of < b.of ? -1 : 1));
        expect(byOwner).toEqual(site.revealed);
      }
    },
  );

  it.each(vectors.cycles)("have the cycle of $seed", ({ seed, order }) => {
    expect(cycleOrder(order.map(named), seed)).toEqual(order);
  });
});
