import { canonicalJson } from "@consilium/core/canonicalJson";
import { type RingVector, ringBytes } from "@consilium/core/fixed-point/ringVector";
import type { Sha256, SiteId, StageId, StudyId } from "@consilium/core/ids";
import { plainKernels } from "@consilium/core/linalg/plain";
import { signStatement } from "@consilium/core/release/countersignature";
import { statementHash } from "@consilium/core/release/statement";
import { unwrap } from "@consilium/core/result";
import { type BroadcastItem, boundHash } from "@consilium/core/study/broadcast";
import type { ColumnBlock } from "@consilium/core/study/design";
import { flowStageId } from "@consilium/core/study/flow";
import { type Plan, planStudy, type SumStage } from "@consilium/core/study/plan";
import type { StudyDocument } from "@consilium/core/study/study";
import { narrowed } from "@consilium/gate/release";
import { asDpPca, type DpPcaStage, directionsName, dpPcaLayout } from "@consilium/methods/dp-pca/study";
import { readStudyDocument } from "@consilium/methods/testing/studies";
import { dpPcaVector } from "@consilium/methods/testing/vectors";
import { sha256Bytes, sha256Of } from "@consilium/proto/fields";
import type { AggregatorFrame__Output } from "@consilium/proto/generated/consilium/v1/AggregatorFrame";
import type { SumPost } from "@consilium/proto/generated/consilium/v1/SumPost";
import type { Task__Output } from "@consilium/proto/generated/consilium/v1/Task";
import type { UploadHeader } from "@consilium/proto/generated/consilium/v1/UploadHeader";
import { rosterOf } from "@consilium/proto/roster";
import { deliveredOf, proofsOf, signaturesOf, siteKeysOf } from "@consilium/proto/secureSum";
import { keysToWire, revealedToWire, sharesToWire } from "@consilium/proto/secureSumAggregator";
import { verifyPeer } from "@consilium/runtime/identity/verify";
import { sha256 } from "@consilium/secure-sum/crypto/hash";
import { signMessage } from "@consilium/secure-sum/crypto/sign";
import { sumParameters } from "@consilium/secure-sum/parameters";
import { buildRoster, type Roster } from "@consilium/secure-sum/roster";
import {
  addMasks,
  advertise,
  type SiteSumContext,
  type SiteSumMessage,
  type SiteSumOutput,
  type SiteSumState,
  stepSite,
} from "@consilium/secure-sum/site";
import { osRandom, type Peer } from "./peer.js";
import type { Attendance, Ended, SiteClient } from "./siteClient.js";

const kernels = plainKernels();

export type Post = Omit<SumPost, "studyId" | "step" | "attempt"> & { readonly post: PostKind };
export type PostKind = "keys" | "shares" | "survivorsSignature" | "unmask";

export interface OwnUpload {
  readonly header: UploadHeader;
  readonly bytes: Buffer;
  /** Sends it, or what is given in its place. */
  send(header?: UploadHeader, bytes?: Buffer): Promise<Ended>;
}

/** Where a site departs from the protocol in one study. What is not given is honest. */
export interface Act {
  /** What is posted in place of the honest post, in this order; none is silence. Called whenever the post is asked for. */
  readonly post?: (honest: Post, at: At) => readonly Post[] | Promise<readonly Post[]>;
  readonly upload?: (honest: OwnUpload, at: At) => Promise<unknown>;
  /** Changes the vector before it is masked. */
  readonly vector?: (vector: RingVector) => void;
}

/** One attempt at one sum, as an act sees it. */
export interface At {
  readonly part: Part;
  readonly stage: StageId;
  readonly attempt: number;
  readonly context: SiteSumContext;
}

/** A site that the test plays in any number of studies at once, over one control stream as a real one has it. */
export class PlayedSite {
  readonly peer: Peer;
  readonly client: SiteClient;
  /** Bit of this site in every count of records: see `rowsOf`. */
  readonly index: number;
  readonly rootPem: string;
  readonly #acts = new Map<string, Act>();
  readonly parts = new Map<string, Part>();
  /** Thrown while playing. A site that is not well played proves nothing. */
  readonly faults: unknown[] = [];
  /** How earlier streams ended. */
  readonly streams: Ended[] = [];
  #stream: Attendance | null = null;
  #isLeaving = false;

  constructor(peer: Peer, client: SiteClient, options: { index: number; rootPem: string }) {
    this.peer = peer;
    this.client = client;
    this.index = options.index;
    this.rootPem = options.rootPem;
  }

  get site(): SiteId {
    return this.peer.site;
  }

  /** For studies of this name; before they start. */
  plays(study: string, act: Act): void {
    this.#acts.set(study, act);
  }

  actIn(study: string): Act {
    return this.#acts.get(study) ?? {};
  }

  /** Attends, and again whenever the aggregator ends the stream. */
  async attend(): Promise<void> {
    const stream = this.client.attend().each((frame) => this.#told(frame));
    this.#stream = stream;
    await stream.hello().welcomed();
    // A site that says nothing for long is gone to the aggregator, whatever a busy machine is doing.
    const beating = setInterval(() => {
      if (stream.isOpen && !this.#isLeaving) stream.send({ frame: "heartbeat", heartbeat: { sequence: 0 } });
    }, 5_000).unref();
    void stream.ended.then((ended) => {
      clearInterval(beating);
      this.streams.push(ended);
      if (!this.#isLeaving) this.attend().catch((fault) => this.faults.push(fault));
    });
  }

  async leave(): Promise<void> {
    this.#isLeaving = true;
    await this.#stream?.leave();
  }

  say(frame: Parameters<Attendance["send"]>[0]): void {
    this.#stream!.send(frame);
  }

  #told(frame: AggregatorFrame__Output): void {
    if (frame.frame === "invitation") {
      const { studyId, studyText, studyHash } = frame.invitation!;
      const document = unwrap(readStudyDocument(studyText, sha256Of(studyHash, "hash")));
      const part = new Part(this, studyId as StudyId, document);
      this.parts.set(studyId, part);
      part.join();
    } else if (frame.frame === "task") {
      const part = this.parts.get(frame.task!.studyId)!;
      part.told(frame.task!).catch((fault) => this.faults.push(fault));
    }
  }
}

/**
 * Records of the site with this index: 2^index of the first class and 2^index + 1 of the second. The released count of a
 * class names the sites in it, each by a bit of its own.
 */
export function rowsOf(index: number): ColumnBlock {
  const labels = Uint16Array.from({ length: 2 ** (index + 1) }, (_, r) => (r < 2 ** index ? 0 : 1));
  const column = (phase: number) => Float64Array.from(labels, (_, r) => Math.sin(phase + 7 * index + r) / 2);
  return { rows: labels.length, columns: [column(0), column(2)], labels };
}

export const featuresOfRows = {
  features: ["a", "b"].map((name) => ({ name, type: "numeric", min: -1, max: 1 })),
  label: { name: "outcome", levels: ["good", "poor"] },
};

export async function vectorOf(
  document: StudyDocument,
  of: { readonly index: number; readonly stage: DpPcaStage; readonly directions: Float64Array | null },
): Promise<BigUint64Array> {
  const { stage, directions } = of;
  async function* blocks() {
    yield rowsOf(of.index);
  }
  return dpPcaVector({
    study: asDpPca(document.study),
    stage,
    blocks: blocks(),
    directions,
    kernels,
    random: osRandom,
  });
}

/** A site's part in one study: core's machine, and the act where it departs from it. */
export class Part {
  readonly played: PlayedSite;
  readonly id: StudyId;
  readonly document: StudyDocument;
  readonly plan: Plan;
  readonly act: Act;
  roster: Roster | null = null;
  readonly #states = new Map<string, SiteSumState>();
  /** By what was asked: the same is answered again. */
  readonly #answers = new Map<string, Promise<Post | Omit<OwnUpload, "send">>>();

  constructor(played: PlayedSite, id: StudyId, document: StudyDocument) {
    this.played = played;
    this.id = id;
    this.document = document;
    this.plan = planStudy(document.study);
    this.act = played.actIn(document.study.name);
  }

  get peer(): Peer {
    return this.played.peer;
  }

  get sums(): readonly SumStage[] {
    return this.plan.stages as SumStage[];
  }

  join(): void {
    const { exchangeKey, signature } = this.peer.join(this.id, this.document.hash);
    const join = { exchangeKey: Buffer.from(exchangeKey), signature: Buffer.from(signature) };
    this.played.say({ frame: "decision", decision: { studyId: this.id, decision: "join", join } });
  }

  async told(task: Task__Output): Promise<void> {
    if (task.roster.length > 0) this.#readRoster(task);
    if (task.kind === "countersign") {
      this.#countersign(task.countersign!.statement);
      return;
    }
    const { attempt } = task;
    const stage = task.step as StageId;
    const at: At = { part: this, stage, attempt, context: this.context(stage, attempt) };
    const asked = `${stage}/${attempt} ${task.kind}`;
    const honest = this.#answers.get(asked) ?? this.#answer(at, task);
    this.#answers.set(asked, honest);
    const answer = await honest;
    // One sum is attacked, the first; keys of the second one ride with it.
    const act = stage === flowStageId ? this.act : {};
    if ("post" in answer) {
      const posts = (await act.post?.(answer, at)) ?? [answer];
      for (const post of posts) this.post(at, post);
      return;
    }
    const own: OwnUpload = {
      ...answer,
      send: (header = answer.header, bytes = answer.bytes) =>
        this.played.client.upload("sendVector", [
          { part: "header", header },
          { part: "chunk", chunk: { offset: 0, data: bytes } },
        ]),
    };
    if (act.upload !== undefined) await act.upload(own, at);
    else {
      const ended = await own.send();
      if (ended.code !== "OK") throw new Error(`${this.peer.site}, ${asked}: ${ended.code} ${ended.message}`);
    }
  }

  post({ stage, attempt }: Pick<At, "stage" | "attempt">, post: Post): void {
    const place = { studyId: this.id, step: stage, attempt };
    this.played.say({ frame: "sumPost", sumPost: { ...place, ...post } });
  }

  context(stage: StageId, attempt: number): SiteSumContext {
    const { ringBits, length, noise } = this.sums.find((one) => one.id === stage)!;
    const { minimumSites, tolerateColluding } = this.document.study.participation;
    const roster = this.roster!;
    const parameters = sumParameters({ sites: roster.members.length, minimumSites, tolerateColluding });
    return {
      place: { roster, stage, attempt, ringBits, length, parameters },
      self: this.peer.site,
      signingKey: this.peer.identity.signingKey,
      exchange: this.peer.exchangeOf(this.id),
      distrusted: 0,
      tolerateColluding,
      requiredSurvivors: noise === null ? this.#answeredFor() : null,
    };
  }

  #answeredFor(): readonly SiteId[] | null {
    for (const state of this.#states.values()) if ("survivors" in state) return state.survivors;
    return null;
  }

  #readRoster(task: Task__Output): void {
    const { rootPem } = this.played;
    const options = { rootPem, now: Date.now(), role: "site", purpose: "client" } as const;
    const { minimumSites } = this.document.study.participation;
    const members = rosterOf(task.roster).members.map((member) => ({
      site: member.siteId as SiteId,
      signingKey: unwrap(verifyPeer(member.chain, options)).signingKey,
      exchangeKey: new Uint8Array(member.join!.exchangeKey),
      joinSignature: new Uint8Array(member.join!.signature),
    }));
    this.roster = unwrap(buildRoster({ id: this.id, hash: this.document.hash, minimumSites }, members));
  }

  async #answer(at: At, task: Task__Output): Promise<Post | Omit<OwnUpload, "send">> {
    switch (task.kind) {
      case "sumKeys":
        return this.#advertise(at.stage, at.attempt);
      case "sumShares":
        return this.#share(at.stage, at.attempt, siteKeysOf(task.sumShares!.keys, "keys"));
      case "sum":
        return this.#mask(at, task);
      case "sumSurvivors":
      case "sumUnmask":
        return this.#unmask(at, task);
      default:
        throw new Error(`task ${task.kind}`);
    }
  }

  async #advertise(stage: StageId, attempt: number): Promise<Post> {
    const { state, post } = advertise(this.context(stage, attempt), osRandom);
    this.#states.set(`${stage}/${attempt}`, state);
    return { post: "keys", keys: keysToWire(post) };
  }

  async #share(stage: StageId, attempt: number, keys: ReturnType<typeof siteKeysOf>): Promise<Post> {
    const output = this.#step(stage, attempt, { kind: "keys", keys });
    if (output.kind !== "shares") throw new Error(output.kind);
    return { post: "shares", shares: sharesToWire(output.post) };
  }

  async #mask(at: At, task: Task__Output): Promise<Omit<OwnUpload, "send">> {
    const broadcasts = task.sum!.broadcasts.map(
      (item): BroadcastItem => ({
        ...item,
        stage: item.stage as StageId,
        sha256: sha256Of(item.sha256, "broadcast"),
      }),
    );
    const deliveries = deliveredOf(task.sum!.shares, "shares");
    const hash = boundHash(sha256Of(task.planHash, "plan"), broadcasts);
    const output = this.#step(at.stage, at.attempt, { kind: "shares", deliveries, broadcastsHash: hash });
    if (output.kind !== "masked") throw new Error(output.kind);
    const stage = dpPcaLayout(asDpPca(this.document.study)).stages.find((one) => one.id === at.stage);
    const { index } = this.played;
    const { length, ringBits } = at.context.place;
    const directions = stage?.directed === true ? await this.#fetch(at.stage, broadcasts) : null;
    // Of the flow of rows: those of an empty table, without noise.
    const vector = narrowed(
      stage === undefined
        ? new BigUint64Array(length)
        : await vectorOf(this.document, { index, stage, directions }),
      ringBits,
    );
    this.act.vector?.(vector);
    addMasks(vector, output.masks);
    const bytes = Buffer.from(ringBytes(vector));
    const next = this.sums[this.sums.findIndex((one) => one.id === at.stage) + 1];
    const rides = at.attempt === 1 && next !== undefined ? await this.#advertise(next.id, 1) : null;
    return {
      bytes,
      header: {
        studyId: this.id,
        step: at.stage,
        attempt: at.attempt,
        totalBytes: bytes.length,
        sha256: sha256Bytes(sha256(bytes)),
        transcriptSignature: Buffer.from(output.transcriptSignature),
        ...(rides === null ? {} : { nextKeys: rides.keys! }),
      },
    };
  }

  async #fetch(stage: StageId, items: readonly BroadcastItem[]): Promise<Float64Array> {
    const item = items.find((one) => one.stage === stage && one.name === directionsName)!;
    const request = { studyId: this.id as string, sha256: sha256Bytes(item.sha256), offset: 0 };
    const { bytes } = await this.played.client.fetch(request);
    return new Float64Array(new Uint8Array(bytes).buffer);
  }

  async #unmask(at: At, task: Task__Output): Promise<Post> {
    const work = task.sumSurvivors ?? task.sumUnmask!;
    const survivors = proofsOf(work.survivors, "survivors");
    const message: SiteSumMessage =
      task.kind === "sumSurvivors"
        ? { kind: "survivors", survivors }
        : { kind: "unmask", survivors, signatures: signaturesOf(task.sumUnmask!.signatures, "signatures") };
    const output = this.#step(at.stage, at.attempt, message);
    if (output.kind === "survivors")
      return { post: "survivorsSignature", survivorsSignature: Buffer.from(output.signature) };
    if (output.kind !== "unmask") throw new Error(output.kind);
    const shares = revealedToWire(output.post.shares);
    const nextKeys = siteKeysOf(work.nextKeys, "next");
    if (nextKeys.length === 0) return { post: "unmask", unmask: { shares } };
    const next = this.sums[this.sums.findIndex((one) => one.id === at.stage) + 1]!;
    const riding = await this.#share(next.id, 1, nextKeys);
    return { post: "unmask", unmask: { shares, nextShares: riding.shares! } };
  }

  #step(stage: StageId, attempt: number, message: SiteSumMessage): SiteSumOutput {
    const key = `${stage}/${attempt}`;
    const next = unwrap(stepSite(this.context(stage, attempt), this.#states.get(key)!, message, osRandom));
    this.#states.set(key, next.state);
    return next.output;
  }

  /** As a site with an empty ledger: what a ledger says is the hospital's own. */
  #countersign(statement: string): void {
    const hash = "0".repeat(64) as Sha256;
    const signature = signStatement(this.peer.identity.signingKey, {
      site: this.peer.site,
      studyId: this.id,
      statement: statementHash(statement),
      ledgerHead: { sequence: 1, hash },
      ledgerEntries: [],
      software: "0.1.0",
    });
    const head = canonicalJson({ sequence: 1, hash });
    const signed = signMessage(
      this.peer.identity.signingKey,
      Buffer.from(`consilium ledger head v1\n${head}`),
    );
    this.played.say({
      frame: "countersignature",
      countersignature: {
        studyId: this.id,
        signature: Buffer.from(signature),
        ledgerHead: { head, signature: Buffer.from(signed) },
        ledgerEntries: [],
        software: "0.1.0",
      },
    });
  }
}
