import { newRingVector, type RingVector } from "@consilium/core/fixed-point/ringVector";
import type { SiteId, StageId } from "@consilium/core/ids";
import { unwrap } from "@consilium/core/result";
import { boundHash } from "@consilium/core/study/broadcast";
import { narrowed } from "@consilium/gate/release";
import { sha256Bytes } from "@consilium/proto/fields";
import type { SumPost__Output } from "@consilium/proto/generated/consilium/v1/SumPost";
import type { Task } from "@consilium/proto/generated/consilium/v1/Task";
import { rosterBytes } from "@consilium/proto/roster";
import { keysOf } from "@consilium/proto/secureSum";
import {
  deliveredToWire,
  proofsToWire,
  revealedOf,
  sharesOf,
  signaturesToWire,
  siteKeysToWire,
} from "@consilium/proto/secureSumAggregator";
import { deliveriesFor } from "@consilium/secure-sum/aggregator";
import type {
  AdvertisedKeys,
  DeliveredShares,
  KeysPost,
  SharesPost,
  SurvivorProof,
  SurvivorsSignature,
  UnmaskPost,
} from "@consilium/secure-sum/messages";
import { type SumParameters, sumParameters } from "@consilium/secure-sum/parameters";
import {
  addMasks,
  advertise,
  type SiteSumContext,
  type SiteSumMessage,
  type SiteSumOutput,
  type SiteSumState,
  stepSite,
} from "@consilium/secure-sum/site";
import { Play, type ReceivedUpload } from "./hostileAggregator.js";
import { osRandom, type Peer } from "./peer.js";

/** What is known of one attempt at one sum: what each site has posted, honest or not. */
export interface Attempt {
  readonly stage: StageId;
  readonly attempt: number;
  readonly keys: Map<SiteId, KeysPost>;
  readonly shares: Map<SiteId, SharesPost>;
  readonly transcripts: Map<SiteId, Uint8Array>;
  readonly states: Map<SiteId, SiteSumState>;
  /** The peers' masked vectors, all of zeros before masking. */
  readonly vectors: Map<SiteId, RingVector>;
}

/**
 * A study under pairwise masks with the site under test and peers that the test plays with the protocol's own
 * machines. Each step is honest unless the test changes what is sent.
 */
export class PairwisePlay extends Play {
  readonly parameters = (): SumParameters =>
    sumParameters({
      sites: this.members.length,
      minimumSites: this.document.study.participation.minimumSites,
      tolerateColluding: this.document.study.participation.tolerateColluding,
    });

  begin(stage: string, attempt = 1): Attempt {
    return {
      stage: stage as StageId,
      attempt,
      keys: new Map(),
      shares: new Map(),
      transcripts: new Map(),
      states: new Map(),
      vectors: new Map(),
    };
  }

  #stage(stage: string) {
    const found = this.plan.stages.find((one) => one.id === stage);
    if (found?.kind !== "sum") throw new RangeError(`no sum ${stage}`);
    return found;
  }

  context(peer: Peer, at: Attempt): SiteSumContext {
    const { ringBits, length } = this.#stage(at.stage);
    return {
      place: {
        roster: this.roster,
        stage: at.stage,
        attempt: at.attempt,
        ringBits,
        length,
        parameters: this.parameters(),
      },
      self: peer.site,
      signingKey: peer.identity.signingKey,
      exchange: peer.exchangeOf(this.roster.studyId),
      distrusted: 0,
      tolerateColluding: this.document.study.participation.tolerateColluding,
      requiredSurvivors: null,
    };
  }

  #step(peer: Peer, at: Attempt, message: SiteSumMessage): SiteSumOutput {
    const next = unwrap(stepSite(this.context(peer, at), at.states.get(peer.site)!, message, osRandom));
    at.states.set(peer.site, next.state);
    return next.output;
  }

  ask(at: Attempt, kind: NonNullable<Task["kind"]>, body: object): void {
    this.aggregator.send({
      frame: "task",
      task: {
        studyId: this.id,
        step: at.stage,
        attempt: at.attempt,
        deadlineInMs: 60_000,
        roster: rosterBytes({ members: this.members }),
        planHash: sha256Bytes(this.planHash),
        deliveries: [],
        kind,
        [kind]: body,
      },
    });
  }

  /** The site's post of this attempt, whatever it is. */
  sumPost(at: Attempt, kind: NonNullable<SumPost__Output["post"]>): Promise<SumPost__Output> {
    return this.aggregator.frame(
      "sumPost",
      (post) =>
        post.studyId === this.id &&
        post.step === at.stage &&
        post.attempt === at.attempt &&
        post.post === kind,
      `${kind} of ${at.stage}`,
    );
  }

  // ---- honest steps -------------------------------------------------------------------------------------------

  advertisePeer(peer: Peer, at: Attempt): void {
    const { state, post } = advertise(this.context(peer, at), osRandom);
    at.states.set(peer.site, state);
    at.keys.set(peer.site, post);
  }

  async advertise(at: Attempt): Promise<Attempt> {
    for (const peer of this.peers) this.advertisePeer(peer, at);
    this.ask(at, "sumKeys", {});
    at.keys.set(this.site, keysOf((await this.sumPost(at, "keys")).keys, "keys"));
    return at;
  }

  keyList(at: Attempt): AdvertisedKeys[] {
    return [...at.keys].map(([site, keys]) => ({ site, ...keys })).sort((a, b) => (a.site < b.site ? -1 : 1));
  }

  askForShares(at: Attempt, keys: readonly AdvertisedKeys[] = this.keyList(at)): void {
    this.ask(at, "sumShares", { keys: siteKeysToWire(keys) });
  }

  async share(at: Attempt): Promise<Attempt> {
    const keys = this.keyList(at);
    for (const peer of this.peers) {
      const output = this.#step(peer, at, { kind: "keys", keys });
      if (output.kind === "shares") at.shares.set(peer.site, output.post);
    }
    this.askForShares(at, keys);
    at.shares.set(this.site, sharesOf((await this.sumPost(at, "shares")).shares, "shares"));
    return at;
  }

  /** Everybody's, the site's own included, for all sites see one list of who shared. */
  deliveriesTo(at: Attempt, site: SiteId): DeliveredShares[] {
    return deliveriesFor(new Map([...at.shares].sort(([a], [b]) => (a < b ? -1 : 1))), site);
  }

  async mask(at: Attempt): Promise<ReceivedUpload> {
    for (const peer of this.peers) this.maskPeer(peer, at);
    this.askForVector(at);
    const upload = await this.upload(at);
    at.transcripts.set(this.site, new Uint8Array(upload.header.transcriptSignature));
    return upload;
  }

  maskPeer(peer: Peer, at: Attempt, hash = this.broadcastsHash()): void {
    const output = this.#step(peer, at, {
      kind: "shares",
      deliveries: this.deliveriesTo(at, peer.site),
      broadcastsHash: hash,
    });
    if (output.kind !== "masked") throw new RangeError("no masked vector");
    const { ringBits, length } = this.#stage(at.stage);
    const vector = newRingVector(ringBits, length);
    addMasks(vector, output.masks);
    at.transcripts.set(peer.site, output.transcriptSignature);
    at.vectors.set(peer.site, vector);
  }

  broadcastsHash() {
    return boundHash(
      this.planHash,
      this.broadcasts.map((item) => ({
        stage: item.stage as StageId,
        name: item.name!,
        length: Number(item.length),
        sha256: Buffer.from(item.sha256 as Buffer).toString("hex") as never,
      })),
    );
  }

  askForVector(at: Attempt, deliveries = this.deliveriesTo(at, this.site)): void {
    this.ask(at, "sum", { broadcasts: this.broadcasts, shares: deliveredToWire(deliveries) });
  }

  async upload(at: Attempt): Promise<ReceivedUpload> {
    return this.aggregator.upload(this.id, at.stage, at.attempt);
  }

  proofs(at: Attempt, survivors: readonly SiteId[] = [...at.transcripts.keys()]): SurvivorProof[] {
    return [...survivors].sort().map((site) => ({ site, transcriptSignature: at.transcripts.get(site)! }));
  }

  askSurvivors(
    at: Attempt,
    survivors: readonly SurvivorProof[],
    nextKeys: readonly AdvertisedKeys[] = [],
  ): void {
    this.ask(at, "sumSurvivors", {
      survivors: proofsToWire(survivors),
      nextKeys: siteKeysToWire(nextKeys),
    });
  }

  askUnmask(
    at: Attempt,
    survivors: readonly SurvivorProof[],
    signatures: readonly SurvivorsSignature[],
  ): void {
    this.ask(at, "sumUnmask", {
      survivors: proofsToWire(survivors),
      signatures: signaturesToWire(signatures),
      nextKeys: [],
    });
  }

  /** The peers' signatures on a list of survivors. */
  peerSignatures(at: Attempt, survivors: readonly SurvivorProof[]): SurvivorsSignature[] {
    return this.peers
      .filter((peer) => survivors.some((one) => one.site === peer.site))
      .map((peer) => {
        const output = this.#step(peer, at, { kind: "survivors", survivors });
        if (output.kind !== "survivors") throw new RangeError("the peer answered at once");
        return { site: peer.site, signature: output.signature };
      });
  }

  peerAnswer(peer: Peer, at: Attempt, message: SiteSumMessage): UnmaskPost {
    const output = this.#step(peer, at, message);
    if (output.kind !== "unmask") throw new RangeError("the peer did not answer");
    return output.post;
  }

  async unmasked(at: Attempt): Promise<UnmaskPost> {
    const { unmask } = await this.sumPost(at, "unmask");
    return { shares: revealedOf(unmask!.shares, "unmask") };
  }

  /** To the masked vectors of all sites. */
  async toVectors(stage: string, attempt = 1): Promise<Attempt> {
    const at = await this.share(await this.advertise(this.begin(stage, attempt)));
    const upload = await this.mask(at);
    at.vectors.set(
      this.site,
      narrowed(new BigUint64Array(new Uint8Array(upload.bytes).buffer), this.#stage(stage).ringBits),
    );
    return at;
  }

  /** Kinds of what was posted for this attempt. */
  postsOf(at: Attempt): string[] {
    return this.aggregator.frames.flatMap(({ sumPost }) =>
      sumPost?.studyId === this.id && sumPost.step === at.stage && sumPost.attempt === at.attempt
        ? [sumPost.post!]
        : [],
    );
  }
}
