import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ConsiliumError, type ErrorCode, toConsiliumError } from "@consilium/core/errors";
import {
  addInto,
  newRingVector,
  type RingVector,
  ringBytes,
  widened,
} from "@consilium/core/fixed-point/ringVector";
import type { SiteId, StageId, StudyId } from "@consilium/core/ids";
import { unwrap } from "@consilium/core/result";
import { type BroadcastItem, boundHash } from "@consilium/core/study/broadcast";
import type { Plan, SumStage } from "@consilium/core/study/plan";
import { studyDocument } from "@consilium/core/study/study";
import { parseStudy } from "@consilium/methods/testing/studies";
import { allMethods } from "@consilium/methods-paper/all";
import { sha256Of } from "@consilium/proto/fields";
import type { AggregatorFrame__Output } from "@consilium/proto/generated/consilium/v1/AggregatorFrame";
import type { Task__Output } from "@consilium/proto/generated/consilium/v1/Task";
import { Federation } from "@consilium/proto/load";
import { deliveredOf, proofsOf, signaturesOf, siteKeysOf } from "@consilium/proto/secureSum";
import { createLogger } from "@consilium/runtime/log";
import type { Store } from "@consilium/runtime/store/store";
import { testDisk } from "@consilium/runtime/testing/store/disk";
import { openTestStore } from "@consilium/runtime/testing/store/store";
import { ExchangeKey, generateExchangeKey } from "@consilium/secure-sum/crypto/exchange";
import { sha256 } from "@consilium/secure-sum/crypto/hash";
import { generateSigningKey, type SigningKeyPair, signMessage } from "@consilium/secure-sum/crypto/sign";
import type { KeysPost } from "@consilium/secure-sum/messages";
import { sumParameters } from "@consilium/secure-sum/parameters";
import { buildRoster, joinMessage, type Roster } from "@consilium/secure-sum/roster";
import {
  abortSite,
  addMasks,
  advertise,
  type SiteSumContext,
  type SiteSumMessage,
  type SiteSumOutput,
  type SiteSumState,
  stepSite,
} from "@consilium/secure-sum/site";
import { Presence, type SiteSession } from "../../src/roster/presence.js";
import { FileCopies } from "../../src/rounds/fileCopies.js";
import { OpenStudy } from "../../src/rounds/openStudy.js";
import { PairwiseStages } from "../../src/rounds/pairwiseStages.js";
import { StudyRecords } from "../../src/rounds/records.js";
import type { RunContext } from "../../src/rounds/runContext.js";
import { StudyPlans } from "../../src/rounds/studyPlans.js";
import { Uploads } from "../../src/rounds/uploads.js";
import type { SitePost, Upload } from "../../src/rpc/toDomain.js";
import { migrations } from "../../src/store/schema.js";
import { phaseOf } from "./taskPhase.js";

const random = { bytes: (count: number) => new Uint8Array(randomBytes(count)) };
const codec = Federation.service.Attend;
const identities: SigningKeyPair[] = [];
const exchanges: ExchangeKey[] = [];
const plans = new StudyPlans(allMethods);
/** The real one, whatever clock a test plays. */
const { setTimeout: later } = globalThis;

/** What a site does with a request of one phase, when it does not simply answer. */
type Whim = "silent" | "fault" | "garbage" | "twice";
export type Asked = "keys" | "shares" | "masked" | "survivors" | "unmask";
type Whims = (site: number, asked: Asked, stage: StageId, attempt: number) => Whim | null;

/** The process died at a write: nothing after it is stored, and nothing is sent. */
export class Crash extends Error {}

/**
 * Sites with core's own machines on one side, the aggregator's stages over a real store on the other, and the wire's
 * codec in between. What is asked of a site twice must be the same to the byte, unless it is told otherwise.
 */
export class TestFleet {
  readonly plan: Plan;
  readonly sites: TestFleetSite[];
  readonly roster: Roster;
  #folder: string;
  #disk: Store;
  readonly #machines: string[];
  readonly #copies: boolean;
  readonly #id = "fleet-0123456789" as StudyId;
  whims: Whims = () => null;
  /** The process dies before its write of this number. */
  crashAt = Number.POSITIVE_INFINITY;
  writes = 0;
  /** Called before each write, with its number. */
  beforeWrite: (write: number) => void = () => undefined;
  /** How many writes the database has refused, of a process that another one had taken over from. */
  fenced = 0;
  now = 1_000_000;
  process: TestProcess;

  static async open(options: {
    sites: number;
    privacy?: "none";
    tolerateColluding?: number;
    /** In place of a store of the fleet's own: one that other machines use, so that files are copied to it. */
    store?: Store;
  }): Promise<TestFleet> {
    return new TestFleet(await mkdtemp(join(tmpdir(), "consilium-fleet-")), options);
  }

  private constructor(
    folder: string,
    {
      sites,
      privacy,
      tolerateColluding = 1,
      store,
    }: { sites: number; privacy?: "none"; tolerateColluding?: number; store?: Store },
  ) {
    this.#folder = folder;
    this.#machines = [folder];
    this.#copies = store !== undefined;
    this.#disk = store ?? openTestStore(migrations);
    const document = studyDocument(
      unwrap(
        parseStudy({
          name: "fleet",
          table: "visits",
          analysis: "pca",
          parameters: { components: 1, form: "iteration", iterations: 2 },
          privacy: privacy ?? { epsilon: 1, delta: 1e-5 },
          participation: { minimumSites: 3, tolerateColluding, maxRowsPerSite: 100 },
          features: [0, 1].map((i) => ({ name: `c${i}`, type: "numeric", min: 0, max: 1 })),
        }),
      ),
    );
    this.plan = plans.of(document).plan;
    this.sites = Array.from({ length: sites }, (_, index) => new TestFleetSite(this, index));
    const study = { id: this.#id, hash: document.hash, minimumSites: 3 };
    const members = this.sites.map(({ site, identity, exchange }) => {
      const exchangeKey = exchange.publicKey;
      const joinSignature = signMessage(
        identity.privateKey,
        joinMessage(study.id, study.hash, site, exchangeKey),
      );
      return { site, signingKey: identity.publicKey, exchangeKey, joinSignature };
    });
    this.roster = unwrap(buildRoster(study, members));
    const records = new StudyRecords(this.#disk);
    records.create({
      ...study,
      name: "fleet",
      text: document.text,
      software: "test",
      createdAt: this.now,
      sites: members.map((member) => member.site),
    });
    for (const member of members) {
      records.join(study.id, member.site, { ...member, chain: "[]", signature: member.joinSignature });
    }
    records.fixRoster(
      study.id,
      members.map((member) => member.site),
    );
    this.parameters = sumParameters({ sites, minimumSites: 3, tolerateColluding });
    this.process = this.#start();
  }

  readonly parameters: ReturnType<typeof sumParameters>;

  get records(): StudyRecords {
    return new StudyRecords(this.#disk);
  }

  get id(): StudyId {
    return this.#id;
  }

  /** A new process over the same store. @param resume - the operator's `study resume` */
  async restart(options: { resume?: boolean } = {}): Promise<TestProcess> {
    await this.process.stop();
    if (options.resume) this.records.attempts.beginAfterFailures(this.#id);
    this.process = this.#start();
    return this.process;
  }

  /** A process on another machine, over another connection to the same store. */
  async takeOver(store: Store): Promise<TestProcess> {
    this.#disk.close();
    this.#disk = store;
    this.#folder = await mkdtemp(join(tmpdir(), "consilium-fleet-"));
    this.#machines.push(this.#folder);
    return this.restart();
  }

  #start(): TestProcess {
    return new TestProcess(this, this.#crashing(), {
      folder: this.#folder,
      id: this.#id,
      copies: this.#copies,
    });
  }

  /** The sum that is due: of the vectors of these sites. */
  sumOf(stage: SumStage, sites: readonly number[]): BigUint64Array {
    const sum = newRingVector(stage.ringBits, stage.length);
    for (const index of sites) addInto(sum, this.sites[index]!.vector(stage));
    return widened(sum);
  }

  get sums(): SumStage[] {
    return this.plan.stages as SumStage[];
  }

  async close(): Promise<void> {
    await this.process.stop();
    this.#disk.close();
    // A broadcast that a failed step was still writing may yet come to its end.
    for (const folder of this.#machines) await rm(folder, { recursive: true, maxRetries: 10 });
  }

  /** The store as a process has it that may die at any write. */
  #crashing(): Store {
    const disk = this.#disk;
    let depth = 0;
    let isDead = false;
    const write = <T>(work: () => T): T => {
      if (isDead) throw new Crash();
      if (depth > 0) return work();
      this.writes++;
      isDead = this.writes >= this.crashAt;
      if (isDead) throw new Crash();
      this.beforeWrite(this.writes);
      try {
        return work();
      } catch (thrown) {
        if (!(thrown instanceof ConsiliumError) || thrown.code !== "STORE_FENCED") throw thrown;
        this.fenced++;
        isDead = true;
        throw new Crash();
      }
    };
    return {
      run: (sql, ...params) => write(() => disk.run(sql, ...params)),
      get: (sql, ...params) => disk.get(sql, ...params),
      all: (sql, ...params) => disk.all(sql, ...params),
      transaction: (work) =>
        write(() => {
          depth++;
          try {
            return disk.transaction(work);
          } finally {
            depth--;
          }
        }),
      close: () => undefined,
    };
  }
}

/** One life of the aggregator. */
export class TestProcess {
  readonly study: OpenStudy;
  readonly stages: PairwiseStages;
  readonly uploads: Uploads;
  readonly presence: Presence;
  /** Faults that the aggregator answered uploads with. */
  readonly refused: ErrorCode[] = [];
  isStopped = false;
  /** Requests that sites are busy with. */
  busy = 0;

  constructor(
    fleet: TestFleet,
    store: Store,
    { folder, id, copies }: { readonly folder: string; readonly id: StudyId; readonly copies: boolean },
  ) {
    const records = new StudyRecords(store);
    this.presence = new Presence(() => fleet.now);
    const context: RunContext = {
      federation: { name: "test", root: sha256("root") },
      records,
      plans,
      presence: this.presence,
      kernels: null as never,
      random,
      now: () => fleet.now,
      isSiteExpelled: () => false,
      isExpelled: () => false,
      software: "test",
      stateFolder: folder,
      ...(copies && { copies: new FileCopies(store) }),
      disk: testDisk(folder),
      log: createLogger({ service: "test", level: "silent" }),
      publish: () => Promise.reject(new Error("nothing is published here")),
    };
    this.study = new OpenStudy(records.study(id)!, context);
    this.study.roster = fleet.roster;
    this.stages = new PairwiseStages(this.study);
    this.uploads = new Uploads(this.study);
    for (const site of fleet.sites) this.connect(site);
  }

  connect(site: TestFleetSite): void {
    const session: SiteSession = {
      site: site.site,
      chain: [],
      signingKey: site.identity.publicKey,
      instance: "a",
      send: (frame) => {
        const bytes = codec.responseSerialize(frame);
        site.told(this, codec.responseDeserialize(bytes) as AggregatorFrame__Output);
      },
      close: () => undefined,
    };
    this.presence.connect(session);
    this.study.connected(session);
  }

  /** Runs stages one after the other. */
  async run(stages: readonly SumStage[]): Promise<BigUint64Array[]> {
    await this.study.files.open();
    const sums: BigUint64Array[] = [];
    for (const stage of stages) sums.push(await this.stages.sum(stage.id, broadcastOf(stage)));
    this.study.context.records.settle();
    return sums;
  }

  /** Ends it; what it had begun with files comes to its end, as nothing else may use them then. */
  async stop(): Promise<void> {
    this.isStopped = true;
    this.study.leave();
    if (this.study.files.isOpen) await this.study.files.close();
    while (this.busy > 0) await new Promise((resolve) => later(resolve, 2));
  }

  /** When nobody is busy and the step that is open still waits: the moment for its deadline. */
  async idle(isQuiet: () => boolean = () => true): Promise<void> {
    for (let quiet = 0; quiet < 4; ) {
      await new Promise((resolve) => later(resolve, 2));
      const { open } = this.study;
      quiet = this.busy === 0 && open !== null && open.missing.length > 0 && isQuiet() ? quiet + 1 : 0;
      if (this.isStopped) return;
    }
  }
}

function broadcastOf(stage: SumStage) {
  return Object.fromEntries(
    stage.broadcasts.map(({ name, length }, i) => [name, Float64Array.from({ length }, (_, j) => i + j / 8)]),
  );
}

interface SiteAttempt {
  state: SiteSumState;
  /** By what was asked, to the byte: the answer that is sent again. */
  readonly answers: Map<string, { readonly request: string; readonly answer: SitePost | Masked }>;
}

interface Masked {
  readonly kind: "masked";
  readonly bytes: Uint8Array;
  readonly transcriptSignature: Uint8Array;
  readonly nextKeys: KeysPost | null;
}

/** A site that answers as a real one: from what it has stored, else with a step of core's machine. */
class TestFleetSite {
  readonly site: SiteId;
  readonly identity: SigningKeyPair;
  readonly exchange: ExchangeKey;
  readonly #fleet: TestFleet;
  readonly #index: number;
  readonly #attempts = new Map<string, SiteAttempt>();
  /** Tasks that came, as `stage/attempt kind`. */
  readonly asked: string[] = [];
  /** Whether each task that came had the roster with it. */
  readonly rosters: boolean[] = [];
  /** Requests that differ from the one before in their place. */
  readonly contradictions: string[] = [];

  constructor(fleet: TestFleet, index: number) {
    this.#fleet = fleet;
    this.#index = index;
    this.site = `site-${String(index).padStart(3, "0")}` as SiteId;
    while (identities.length <= index) {
      identities.push(generateSigningKey());
      exchanges.push(new ExchangeKey(generateExchangeKey(random)));
    }
    this.identity = identities[index]!;
    this.exchange = exchanges[index]!;
  }

  vector(stage: SumStage): RingVector {
    const vector = newRingVector(stage.ringBits, stage.length);
    for (let i = 0; i < vector.length; i++) {
      const value = (this.#index + 1) * 1_000 * (i % 2 === 0 ? 1 : -1) + i;
      if (vector instanceof Uint32Array) vector[i] = value;
      else vector[i] = BigInt.asUintN(64, BigInt(value));
    }
    return vector;
  }

  told(process: TestProcess, frame: AggregatorFrame__Output): void {
    if (frame.frame !== "task") return;
    process.busy++;
    setImmediate(() => {
      void this.#answer(process, frame.task!)
        .catch((thrown) => {
          if (!(thrown instanceof Crash) && !process.isStopped) throw thrown;
        })
        .finally(() => process.busy--);
    });
  }

  async #answer(process: TestProcess, task: Task__Output): Promise<void> {
    if (process.isStopped) return;
    const stage = this.#fleet.sums.find((one) => one.id === task.step)!;
    const asked = askedBy(task);
    const { attempt } = task;
    this.asked.push(`${stage.id}/${attempt} ${asked}`);
    this.rosters.push(task.roster.length > 0);
    const whim = this.#fleet.whims(this.#index, asked, stage.id, attempt);
    if (whim === "silent") return;
    if (whim === "fault") {
      const { open } = process.study;
      open?.duties?.onFault?.(this.site, "TABLE_CHANGED");
      return;
    }
    let answer: SitePost | Masked;
    try {
      answer = this.#remembered(stage, attempt, asked, task);
    } catch (thrown) {
      const error = toConsiliumError(thrown);
      if (error.code === "INTERNAL") throw thrown;
      if (process.study.open?.wireStep === stage.id)
        process.study.open.duties?.onFault?.(this.site, error.code);
      return;
    }
    if (whim === "garbage") answer = spoiled(answer);
    for (let times = whim === "twice" ? 2 : 1; times > 0; times--)
      await this.#send(process, stage, attempt, answer);
  }

  async #send(
    process: TestProcess,
    stage: SumStage,
    attempt: number,
    answer: SitePost | Masked,
  ): Promise<void> {
    if (answer.kind !== "masked") {
      await process.stages.posted(this.site, {
        kind: "sumPost",
        studyId: this.#fleet.id,
        step: stage.id,
        attempt,
        post: answer,
      });
      return;
    }
    const upload: Upload = {
      studyId: this.#fleet.id,
      step: stage.id,
      attempt,
      totalBytes: answer.bytes.length,
      sha256: sha256(answer.bytes),
      transcriptSignature: answer.transcriptSignature,
      nextKeys: answer.nextKeys,
      ledgerHead: null,
    };
    await this.upload(process, upload, answer.bytes);
  }

  async upload(process: TestProcess, upload: Upload, bytes: Uint8Array): Promise<void> {
    try {
      // Every other site's vector comes in one frame, as small ones do.
      if (this.#index % 2 === 0) {
        await process.uploads.whole(this.site, upload, { bytes, alongside: () => undefined });
        return;
      }
      const begun = await process.uploads.begin(this.site, upload, "sum");
      if (begun.complete === undefined) {
        unwrap(await begun.upload.append(begun.upload.received, bytes.subarray(begun.upload.received)));
        unwrap(await begun.upload.commit());
      }
      await process.uploads.finish(this.site, upload);
    } catch (thrown) {
      if (!(thrown instanceof ConsiliumError)) throw thrown;
      process.refused.push(thrown.code);
    }
  }

  #remembered(stage: SumStage, attempt: number, asked: Asked, task: Task__Output): SitePost | Masked {
    const mine = this.#attempt(stage, attempt);
    // A list of keys may ride, so it has the same place whichever task shows it.
    const request = JSON.stringify({ ...task, roster: null, deadlineInMs: 0 });
    const before = mine.answers.get(asked);
    if (before !== undefined) {
      if (before.request !== "" && before.request !== request)
        this.contradictions.push(`${stage.id}/${attempt} ${asked}`);
      return before.answer;
    }
    const answer = this.#work(stage, attempt, asked, task);
    mine.answers.set(asked, { request, answer });
    return answer;
  }

  #work(stage: SumStage, attempt: number, asked: Asked, task: Task__Output): SitePost | Masked {
    switch (asked) {
      case "keys":
        throw new Error("an attempt is begun with its keys");
      case "shares": {
        const keys = siteKeysOf(task.sumShares!.keys, "keys");
        return sharesFrom(this.#step(stage, attempt, { kind: "keys", keys }));
      }
      case "masked": {
        const broadcasts = task.sum!.broadcasts.map(
          (item): BroadcastItem => ({
            ...item,
            stage: item.stage as StageId,
            sha256: Buffer.from(item.sha256).toString("hex") as BroadcastItem["sha256"],
          }),
        );
        const deliveries = deliveredOf(task.sum!.shares, "shares");
        const output = this.#step(stage, attempt, {
          kind: "shares",
          deliveries,
          broadcastsHash: boundHash(sha256Of(task.planHash, "plan_hash"), broadcasts),
        });
        if (output.kind !== "masked") throw new Error(output.kind);
        const vector = this.vector(stage).slice() as RingVector;
        addMasks(vector, output.masks);
        const next = this.#fleet.sums[this.#fleet.sums.indexOf(stage) + 1];
        const rides = attempt === 1 && next !== undefined;
        return {
          kind: "masked",
          bytes: ringBytes(vector),
          transcriptSignature: output.transcriptSignature,
          nextKeys: rides ? this.#keys(next, 1) : null,
        };
      }
      case "survivors":
      case "unmask":
        return this.#unmask(stage, attempt, task);
    }
  }

  #unmask(stage: SumStage, attempt: number, task: Task__Output): SitePost {
    const work = task.sumSurvivors ?? task.sumUnmask!;
    const survivors = proofsOf(work.survivors, "survivors");
    const output = this.#step(
      stage,
      attempt,
      task.kind === "sumSurvivors"
        ? { kind: "survivors", survivors }
        : {
            kind: "unmask",
            survivors,
            signatures: signaturesOf(task.sumUnmask!.signatures, "signatures"),
          },
    );
    if (output.kind === "survivors") return { kind: "survivors", signature: output.signature };
    if (output.kind !== "unmask") throw new Error(output.kind);
    const nextKeys = siteKeysOf(work.nextKeys, "next");
    if (nextKeys.length === 0) return { kind: "unmask", unmask: output.post, nextShares: null };
    const next = this.#fleet.sums[this.#fleet.sums.indexOf(stage) + 1]!;
    const shares = sharesFrom(this.#step(next, 1, { kind: "keys", keys: nextKeys }));
    this.#attempt(next, 1).answers.set("shares", { request: "", answer: shares });
    return { kind: "unmask", unmask: output.post, nextShares: shares.shares };
  }

  #keys(stage: SumStage, attempt: number): KeysPost {
    const answer = this.#attempt(stage, attempt).answers.get("keys")!.answer;
    return (answer as Extract<SitePost, { kind: "keys" }>).keys;
  }

  #attempt(stage: SumStage, attempt: number): SiteAttempt {
    const place = `${stage.id}/${attempt}`;
    const known = this.#attempts.get(place);
    if (known !== undefined) return known;
    const { state, post } = advertise(this.#context(stage, attempt), random);
    const begun: SiteAttempt = {
      state,
      answers: new Map([["keys", { request: "", answer: { kind: "keys", keys: post } }]]),
    };
    this.#attempts.set(place, begun);
    return begun;
  }

  #step(stage: SumStage, attempt: number, message: SiteSumMessage): SiteSumOutput {
    const mine = this.#attempt(stage, attempt);
    const next = stepSite(this.#context(stage, attempt), mine.state, message, random);
    if (!next.ok) {
      mine.state = abortSite(next.error);
      throw next.error;
    }
    mine.state = next.value.state;
    return next.value.output;
  }

  #context(stage: SumStage, attempt: number): SiteSumContext {
    const { roster, parameters } = this.#fleet;
    const { id, ringBits, length } = stage;
    return {
      place: { roster, stage: id, attempt, ringBits, length, parameters },
      self: this.site,
      signingKey: this.identity.privateKey,
      exchange: this.exchange,
      distrusted: 0,
      tolerateColluding: 1,
      requiredSurvivors: stage.noise === null ? this.#answeredFor() : null,
    };
  }

  /** The survivors that this site has signed or answered for first. */
  #answeredFor(): readonly SiteId[] | null {
    for (const { state } of this.#attempts.values()) if ("survivors" in state) return state.survivors;
    return null;
  }
}

function askedBy(task: Task__Output): Asked {
  const phase = phaseOf(task);
  if (phase === null) throw new Error(`task ${task.kind}`);
  return phase;
}

function sharesFrom(output: SiteSumOutput): Extract<SitePost, { kind: "shares" }> {
  if (output.kind !== "shares") throw new Error(output.kind);
  return { kind: "shares", shares: output.post };
}

/** The answer with a byte of its signature, or a share, turned. */
function spoiled(answer: SitePost | Masked): SitePost | Masked {
  const turned = (bytes: Uint8Array) => bytes.map((byte, i) => (i === 0 ? byte ^ 1 : byte));
  switch (answer.kind) {
    case "keys":
      return { ...answer, keys: { ...answer.keys, signature: turned(answer.keys.signature) } };
    case "shares":
      return { ...answer, shares: { ...answer.shares, signature: turned(answer.shares.signature) } };
    case "masked":
      return { ...answer, transcriptSignature: turned(answer.transcriptSignature) };
    case "survivors":
      return { ...answer, signature: turned(answer.signature) };
    case "unmask": {
      const shares = answer.unmask.shares.map((one) => ({
        ...one,
        secret: one.secret === "mask-key" ? ("self-mask" as const) : ("mask-key" as const),
      }));
      return { ...answer, unmask: { shares } };
    }
  }
}
