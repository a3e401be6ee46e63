import { phaseOf } from "@consilium/aggregator/testing/rounds/taskPhase";
import { newRingVector, type RingVector, ringBytes } from "@consilium/core/fixed-point/ringVector";
import type { Sha256, SiteId, StageId, StudyId } from "@consilium/core/ids";
import { inlineVectorBytes, protocolVersions } from "@consilium/core/limits";
import { unwrap } from "@consilium/core/result";
import { type BroadcastItem, boundHash } from "@consilium/core/study/broadcast";
import { flowStageId } from "@consilium/core/study/flow";
import { type Plan, planStudy, type SumStage } from "@consilium/core/study/plan";
import type { StudyDocument } from "@consilium/core/study/study";
import { readStudyDocument } from "@consilium/methods/testing/studies";
import { sha256Bytes, sha256Of } from "@consilium/proto/fields";
import type { AggregatorFrame__Output } from "@consilium/proto/generated/consilium/v1/AggregatorFrame";
import type { SiteFrame } from "@consilium/proto/generated/consilium/v1/SiteFrame";
import type { SumPost } from "@consilium/proto/generated/consilium/v1/SumPost";
import type { Task__Output } from "@consilium/proto/generated/consilium/v1/Task";
import type { UploadHeader } from "@consilium/proto/generated/consilium/v1/UploadHeader";
import type { UploadReply__Output } from "@consilium/proto/generated/consilium/v1/UploadReply";
import type { UploadRequest } from "@consilium/proto/generated/consilium/v1/UploadRequest";
import { Federation } from "@consilium/proto/load";
import { rosterOf } from "@consilium/proto/roster";
import { deliveredOf, proofsOf, signaturesOf, siteKeysOf } from "@consilium/proto/secureSum";
import { keysToWire, revealedToWire, sharesToWire } from "@consilium/proto/secureSumAggregator";
import type { Identity } from "@consilium/runtime/identity/files";
import { verifyPeer } from "@consilium/runtime/identity/verify";
import { osRandom } from "@consilium/runtime/random";
import { parseAddress } from "@consilium/runtime/tls/address";
import { clientChannel } from "@consilium/runtime/tls/clientCredentials";
import { ExchangeKey, generateExchangeKey } from "@consilium/secure-sum/crypto/exchange";
import { sha256 } from "@consilium/secure-sum/crypto/hash";
import { signMessage } from "@consilium/secure-sum/crypto/sign";
import type { SumPhase } from "@consilium/secure-sum/messages";
import { sumParameters } from "@consilium/secure-sum/parameters";
import { buildRoster, joinMessage, type Roster } from "@consilium/secure-sum/roster";
import {
  addMasks,
  advertise,
  type SiteSumContext,
  type SiteSumMessage,
  type SiteSumOutput,
  type SiteSumState,
  stepSite,
} from "@consilium/secure-sum/site";
import type { SumPlace } from "@consilium/secure-sum/transcript";
import { Client, type ClientDuplexStream } from "@grpc/grpc-js";

/** Heartbeats go out between two answers, however many sites share a process. */
const heartbeatMs = 5_000;
const redialMs = 1_000;
const uploadTries = 20;

export const phaseOrder: readonly SumPhase[] = ["keys", "shares", "masked", "survivors", "unmask"];

/** `scale-0001` is the first site: each is known by its number, in its vector and in who drops out. */
export const siteName = (number: number): string => `scale-${String(number).padStart(4, "0")}`;
const numberOf = (site: SiteId): number => Number(site.slice("scale-".length));

/** Sites that drop out at each step of a study with so many. */
export const droppedPerStep = (sites: number): number => Math.ceil(sites / 100);

/** Whether a site leaves a study at this step of the measured stage: the first sites at the first step, the next ones at the second. */
function dropsAt(site: SiteId, phase: SumPhase, sites: number): boolean {
  return Math.floor((numberOf(site) - 1) / droppedPerStep(sites)) === phaseOrder.indexOf(phase);
}

/** What every site of this process knows of a study, worked out by the first. */
interface SharedStudy {
  readonly document: StudyDocument;
  readonly plan: Plan;
  places: ReadonlyMap<StageId, SumPlace> | null;
}
const studies = new Map<StudyId, SharedStudy>();

/** One of many answers at a time, and a turn for timers between two. */
const queue: (() => Promise<void>)[] = [];
let isWorking = false;
function enqueue(work: () => Promise<void>): void {
  queue.push(work);
  if (isWorking) return;
  isWorking = true;
  const next = () => {
    const first = queue.shift();
    if (first === undefined) isWorking = false;
    else void first().finally(() => setImmediate(next));
  };
  setImmediate(next);
}

/** A site's part in one study. */
interface Part {
  readonly exchange: ExchangeKey;
  /** By stage and attempt. */
  readonly states: Map<string, SiteSumState>;
  /** By what was asked: the same is answered again. */
  readonly answers: Map<string, Answer>;
}

type Answer = SiteFrame | { readonly header: UploadHeader; readonly bytes: Buffer };

/** One site: its connection, and the secure sum's machine over it. */
export class SimulatedSite {
  readonly #identity: Identity;
  readonly #client: Client;
  #stream: ClientDuplexStream<SiteFrame, AggregatorFrame__Output> | null = null;
  readonly #parts = new Map<StudyId, Part>();
  readonly faults: string[] = [];
  sent = 0;
  received = 0;

  /** @param aggregator - host and port */
  constructor(identity: Identity, aggregator: string) {
    this.#identity = identity;
    const channel = clientChannel(unwrap(parseAddress(aggregator)), {
      identity,
      rootPem: identity.rootPem,
      serverRole: "aggregator",
      now: Date.now,
    });
    const options = { ...channel.options, "grpc.use_local_subchannel_pool": 1 };
    this.#client = new Client(channel.target, channel.credentials, options);
  }

  /** Attends, and again whenever the stream ends. */
  attend(): Promise<void> {
    return new Promise((resolve) => {
      const stream = this.#call<SiteFrame, AggregatorFrame__Output>(Federation.service.Attend);
      let sequence = 0;
      const beat = setInterval(
        () => stream.write({ frame: "heartbeat", heartbeat: { sequence: ++sequence, nowMs: Date.now() } }),
        heartbeatMs,
      );
      let isOver = false;
      const end = () => {
        if (isOver) return;
        isOver = true;
        clearInterval(beat);
        setTimeout(() => void this.attend(), redialMs);
      };
      stream.on("error", end);
      stream.on("end", end);
      stream.on("data", (frame: AggregatorFrame__Output) => {
        if (frame.frame === "welcome") resolve();
        else this.#told(frame);
      });
      this.#stream = stream;
      const versions = { ...protocolVersions, software: "bench" };
      stream.write({
        frame: "hello",
        hello: { versions, tables: [], nowMs: Date.now(), instance: Buffer.alloc(16) },
      });
    });
  }

  #call<Request, Reply>(method: {
    readonly path: string;
    readonly requestSerialize: (value: Request) => Buffer;
    readonly responseDeserialize: (bytes: Buffer) => unknown;
  }): ClientDuplexStream<Request, Reply> {
    return this.#client.makeBidiStreamRequest(
      method.path,
      (value: Request) => {
        const bytes = method.requestSerialize(value);
        this.sent += bytes.length;
        return bytes;
      },
      (bytes: Buffer) => {
        this.received += bytes.length;
        return method.responseDeserialize(bytes) as Reply;
      },
    );
  }

  #told({ frame, invitation, task, studyEnded }: AggregatorFrame__Output): void {
    if (frame === "invitation") {
      const { studyText, studyHash } = invitation!;
      this.#join(invitation!.studyId as StudyId, studyText, sha256Of(studyHash, "hash"));
    } else if (frame === "task") {
      enqueue(() =>
        this.#asked(task!).catch((thrown) => void this.faults.push(`${this.#identity.id}: ${thrown}`)),
      );
    } else if (frame === "studyEnded") {
      this.#parts.delete(studyEnded!.studyId as StudyId);
      this.#say({ frame: "endReceipt", endReceipt: { studyId: studyEnded!.studyId } });
    }
  }

  #say(frame: SiteFrame): void {
    this.#stream!.write(frame);
  }

  #join(id: StudyId, text: string, hash: Sha256): void {
    if (!studies.has(id)) {
      const document = unwrap(readStudyDocument(text, hash));
      studies.set(id, { document, plan: planStudy(document.study), places: null });
    }
    const part = this.#parts.get(id) ?? {
      exchange: new ExchangeKey(generateExchangeKey(osRandom)),
      states: new Map(),
      answers: new Map(),
    };
    this.#parts.set(id, part);
    const { exchange } = part;
    const message = joinMessage(id, hash, this.#identity.id, exchange.publicKey);
    const signature = Buffer.from(signMessage(this.#identity.signingKey, message));
    const join = { exchangeKey: Buffer.from(exchange.publicKey), signature };
    this.#say({ frame: "decision", decision: { studyId: id, decision: "join", join } });
  }

  async #asked(task: Task__Output): Promise<void> {
    const id = task.studyId as StudyId;
    const shared = studies.get(id)!;
    if (shared.places === null) shared.places = placesOf(shared, id, task, this.#identity.rootPem);
    const phase = phaseOf(task);
    // The sums are what is measured.
    if (phase === null) return;
    const place = { studyId: id, step: task.step, attempt: task.attempt };
    const { members } = [...shared.places.values()][0]!.roster;
    if (task.step !== flowStageId && dropsAt(this.#identity.id, phase, members.length)) {
      this.#say({ frame: "stepFault", stepFault: { ...place, code: "TABLE_CHANGED" } });
      return;
    }
    const part = this.#parts.get(id);
    // The study ended while this waited.
    if (part === undefined) return;
    const key = `${task.step} ${task.attempt} ${phase}`;
    const answer = part.answers.get(key) ?? this.#answer(part, task, phase);
    part.answers.set(key, answer);
    if ("bytes" in answer) await this.#upload(answer);
    else this.#say(answer);
  }

  #answer(part: Part, task: Task__Output, phase: SumPhase): Answer {
    const place = { studyId: task.studyId, step: task.step, attempt: task.attempt };
    const post = (what: SumPost): SiteFrame => ({ frame: "sumPost", sumPost: { ...place, ...what } });
    const sum = `${task.step} ${task.attempt}`;
    const context = this.#context(part, task);
    if (phase === "keys") {
      const { state, post: keys } = advertise(context, osRandom);
      part.states.set(sum, state);
      return post({ post: "keys", keys: keysToWire(keys) });
    }
    const { state, output } = unwrap(
      stepSite(context, part.states.get(sum)!, messageOf(task, phase), osRandom),
    );
    part.states.set(sum, state);
    if (output.kind === "masked") return this.#masked(task, context.place, output);
    if (output.kind === "shares") return post({ post: "shares", shares: sharesToWire(output.post) });
    if (output.kind === "survivors")
      return post({ post: "survivorsSignature", survivorsSignature: Buffer.from(output.signature) });
    return post({ post: "unmask", unmask: { shares: revealedToWire(output.post.shares) } });
  }

  #masked(
    task: Task__Output,
    { ringBits, length, parameters }: SumPlace,
    output: Extract<SiteSumOutput, { kind: "masked" }>,
  ): Answer {
    const vector = vectorOf(this.#identity.id, ringBits, length);
    addMasks(vector, output.masks);
    const bytes = Buffer.from(ringBytes(vector));
    const header: UploadHeader = {
      studyId: task.studyId,
      step: task.step,
      attempt: task.attempt,
      totalBytes: bytes.length,
      sha256: sha256Bytes(sha256(bytes)),
      transcriptSignature: Buffer.from(output.transcriptSignature),
    };
    return bytes.length <= inlineVectorBytes(parameters.sites)
      ? { frame: "vector", vector: { ...header, content: bytes } }
      : { header, bytes };
  }

  /** The header, the bytes once they are asked for, and their acknowledgement. */
  #upload({ header, bytes }: Extract<Answer, { bytes: Buffer }>, tries = 1): Promise<void> {
    const call = this.#call<UploadRequest, UploadReply__Output>(Federation.service.SendVector);
    call.write({ part: "header", header });
    call.on("data", ({ complete, received }: UploadReply__Output) => {
      if (complete) return;
      call.write({
        part: "chunk",
        chunk: { offset: Number(received), data: bytes.subarray(Number(received)) },
      });
      call.end();
    });
    call.on("error", (fault) => {
      if (tries === uploadTries) this.faults.push(`${this.#identity.id}: ${fault.message}`);
      else setTimeout(() => void this.#upload({ header, bytes }, tries + 1), redialMs);
    });
    // The next site works while this one's bytes travel.
    return Promise.resolve();
  }

  #context({ exchange }: Part, task: Task__Output): SiteSumContext {
    const { places, document } = studies.get(task.studyId as StudyId)!;
    const place = places!.get(task.step as StageId)!;
    return {
      place: task.attempt === place.attempt ? place : { ...place, attempt: task.attempt },
      self: this.#identity.id,
      signingKey: this.#identity.signingKey,
      exchange,
      distrusted: 0,
      tolerateColluding: document.study.participation.tolerateColluding,
      requiredSurvivors: null,
    };
  }
}

/** Its sum over sites is the sum of their numbers, in every entry. */
function vectorOf(site: SiteId, bits: 32 | 64, length: number): RingVector {
  const vector = newRingVector(bits, length);
  const number = numberOf(site);
  return vector instanceof Uint32Array ? vector.fill(number) : vector.fill(BigInt(number));
}

function messageOf(task: Task__Output, phase: Exclude<SumPhase, "keys">): SiteSumMessage {
  switch (phase) {
    case "shares":
      return { kind: "keys", keys: siteKeysOf(task.sumShares!.keys, "keys") };
    case "masked": {
      const broadcasts = task.sum!.broadcasts.map(
        (item): BroadcastItem => ({
          ...item,
          stage: item.stage as StageId,
          sha256: sha256Of(item.sha256, "broadcast"),
        }),
      );
      const deliveries = deliveredOf(task.sum!.shares, "shares");
      return {
        kind: "shares",
        deliveries,
        broadcastsHash: boundHash(sha256Of(task.planHash, "plan"), broadcasts),
      };
    }
    case "survivors":
      return { kind: "survivors", survivors: proofsOf(task.sumSurvivors!.survivors, "survivors") };
    case "unmask":
      return {
        kind: "unmask",
        survivors: proofsOf(task.sumUnmask!.survivors, "survivors"),
        signatures: signaturesOf(task.sumUnmask!.signatures, "signatures"),
      };
  }
}

function placesOf(
  { document, plan }: SharedStudy,
  id: StudyId,
  task: Task__Output,
  rootPem: string,
): ReadonlyMap<StageId, SumPlace> {
  const { minimumSites, tolerateColluding } = document.study.participation;
  const members = rosterOf(task.roster).members.map((member) => ({
    site: member.siteId as SiteId,
    signingKey: unwrap(
      verifyPeer(member.chain, { rootPem, now: Date.now(), role: "site", purpose: "client" }),
    ).signingKey,
    exchangeKey: new Uint8Array(member.join!.exchangeKey),
    joinSignature: new Uint8Array(member.join!.signature),
  }));
  const roster: Roster = unwrap(buildRoster({ id, hash: document.hash, minimumSites }, members));
  const parameters = sumParameters({ sites: members.length, minimumSites, tolerateColluding });
  const sums = plan.stages.filter((stage): stage is SumStage => stage.kind === "sum");
  return new Map(
    sums.map(({ id: stage, ringBits, length }) => [
      stage,
      { roster, stage, attempt: 1, ringBits, length, parameters },
    ]),
  );
}
