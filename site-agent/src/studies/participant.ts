import { createHash } from "node:crypto";
import { mkdir, open, readFile, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { sha256 } from "@consilium/core/crypto/hash";
import { exchangePublicKey, generateExchangeKey } from "@consilium/core/crypto/seal";
import { signMessage } from "@consilium/core/crypto/sign";
import { ConsiliumError, type ErrorCode, toConsiliumError } from "@consilium/core/errors";
import { littleEndianBytes } from "@consilium/core/fixed-point/ringVector";
import type { Sha256, StageId, StudyId } from "@consilium/core/ids";
import type { NumericKernels } from "@consilium/core/linalg/kernels";
import type { RandomSource } from "@consilium/core/random";
import { unwrap } from "@consilium/core/result";
import { addDealtMask } from "@consilium/core/secure-sum/dealer";
import { joinMessage, type Roster } from "@consilium/core/secure-sum/roster";
import {
  beginSetup,
  continueSetup,
  restoreSetup,
  type SetupContext,
  type SetupPost,
  type SetupState,
  storeSetup,
} from "@consilium/core/secure-sum/setup";
import { type Broadcast, broadcastValues } from "@consilium/core/study/broadcast";
import type { ColumnBlock } from "@consilium/core/study/design";
import { type Plan, planStudy, rowBytes, type StagePlan } from "@consilium/core/study/plan";
import { readStudyDocument, type Study, type StudyDocument } from "@consilium/core/study/study";
import type { Identity } from "@consilium/runtime/identity/files";
import type { RevocationList } from "@consilium/runtime/identity/revocations";
import type { Logger } from "@consilium/runtime/log";
import { fsyncFolder, writeFileDurable } from "@consilium/runtime/store/durableFile";
import { analysisOf } from "../analyses/analyses.js";
import type { StageInput } from "../analyses/analysis.js";
import type { Tables } from "../data/tables.js";
import type { OutboundMessage, OutboundUpload, Outbox } from "../outbox/outbox.js";
import { judge, type Policy } from "../policy/judge.js";
import type { AggregatorMessage, BroadcastEntry, SiteTask } from "../rpc/toDomain.js";
import type { SealedStorage } from "../store/sealedStorage.js";
import { checkBroadcasts } from "./checkBroadcasts.js";
import type { Answer, SiteRecords, SiteStudy } from "./records.js";
import { Slots } from "./slots.js";
import { verifyRoster } from "./verifyRoster.js";

/** What the participant needs of its process. */
export interface ParticipantContext {
  readonly records: SiteRecords;
  readonly outbox: Outbox;
  readonly tables: Tables;
  readonly policy: Policy;
  readonly sealed: SealedStorage;
  readonly kernels: NumericKernels;
  readonly random: RandomSource;
  readonly identity: () => Identity;
  readonly revocations: () => RevocationList | undefined;
  readonly stateFolder: string;
  readonly now: () => number;
  readonly log: Logger;
  readonly send: (message: OutboundMessage) => void;
  readonly upload: (upload: OutboundUpload) => Promise<void>;
  readonly fetch: (studyId: StudyId, item: { sha256: Sha256; bytes: number }) => Promise<Uint8Array>;
}

/** Larger broadcasts are refused before they are fetched: loadings of 10,000 × 1,000 take 80 MB. */
const maxBroadcastBytes = 1024 ** 3;
/** Progress is told at most this often. */
const progressMs = 500;
/** Dealt masks have one attempt. */
const onlyAttempt = 1;
/** Tables are read through for so many invitations at once: a flood of them waits, instead of filling the memory. */
const preflightsAtOnce = 2;
/** Further studies are not listened to while so many have something to be done; the aggregator asks again. */
const maxStudiesAtOnce = 1_000;

/**
 * Codes that would tell the operator something about this site's records. They stay here; what leaves is
 * PREFLIGHT_FAILED.
 */
const privateCodes: ReadonlySet<ErrorCode> = new Set(["ROWS_TOO_FEW", "ROWS_TOO_MANY", "COLUMN_CONSTANT"]);

/**
 * This site's part in studies: decides on invitations, answers steps, and checks everything the aggregator says.
 * Steps of one study are done one after the other; different studies do not wait for each other.
 */
export class Participant {
  readonly #context: ParticipantContext;
  readonly #preflights = new Slots(preflightsAtOnce);
  readonly #queues = new Map<StudyId, Promise<void>>();
  /** Requests that wait for their turn; one that has begun is no longer here. */
  readonly #waiting = new Set<string>();
  /** Studies that are over: work on them stops at the next block of rows. */
  readonly #ending = new Set<StudyId>();

  constructor(context: ParticipantContext) {
    this.#context = context;
  }

  handle(message: Extract<AggregatorMessage, { kind: "invitation" | "task" | "studyEnded" }>): void {
    switch (message.kind) {
      case "invitation":
        this.#enqueue(message.studyId, "join", () => this.#invited(message));
        return;
      case "task":
        this.#enqueue(message.task.studyId, `${message.task.step} ${message.task.attempt}`, () =>
          this.#asked(message.task),
        );
        return;
      case "studyEnded":
        if (message.outcome !== "failed") this.#ending.add(message.studyId);
        this.#enqueue(message.studyId, `end ${message.outcome}`, () =>
          this.#ended(message.studyId, message.outcome),
        );
    }
  }

  /** Waits for the steps that are being answered. */
  async idle(): Promise<void> {
    await Promise.all(this.#queues.values());
  }

  /**
   * One at a time per study. A request that waits already is not queued twice; one that comes again while it is being
   * answered is: the aggregator asks again after a lost connection, and the first answer may be on its way into that.
   */
  #enqueue(study: StudyId, what: string, work: () => Promise<void>): void {
    const key = `${study} ${what}`;
    if (this.#waiting.has(key)) return;
    if (!this.#queues.has(study) && this.#queues.size >= maxStudiesAtOnce) {
      this.#context.log.warn("too many studies at once; this one is not listened to", { study, what });
      return;
    }
    this.#waiting.add(key);
    const before = this.#queues.get(study) ?? Promise.resolve();
    const next = before
      .then(() => {
        this.#waiting.delete(key);
        return work();
      })
      .catch((thrown) => {
        this.#context.log.error("a request could not be handled", { study, what }, thrown);
      });
    const settled = next.finally(() => {
      if (this.#queues.get(study) === settled) this.#queues.delete(study);
    });
    this.#queues.set(study, settled);
  }

  // ---- joining ------------------------------------------------------------------------------------------------

  async #invited(invitation: Extract<AggregatorMessage, { kind: "invitation" }>): Promise<void> {
    const { records, outbox, send, log, now } = this.#context;
    const { studyId, studyHash, studyText } = invitation;
    const before = records.study(studyId);
    if (before !== null && before.status !== "refused") {
      if (before.hash !== studyHash) {
        log.error("the study was changed after this site joined it", { study: studyId, code: "STUDY_HASH" });
        send(outbox.decision(studyId, { joined: false, code: "STUDY_HASH" }));
        return;
      }
      if (before.exchangeKey !== null && before.joinSignature !== null) {
        send(
          outbox.decision(studyId, {
            joined: true,
            exchangeKey: before.exchangeKey,
            signature: before.joinSignature,
          }),
        );
      }
      return;
    }
    const document = readStudyDocument(studyText, studyHash);
    if (!document.ok) {
      log.warn("an invitation was refused", {
        study: studyId,
        code: document.error.code,
        reason: document.error.message,
      });
      send(outbox.decision(studyId, { joined: false, code: document.error.code }));
      return;
    }
    const facts = { id: studyId, hash: studyHash, text: studyText, name: document.value.study.name };
    try {
      const approved = await this.#approve(document.value);
      const exchangeSecret = generateExchangeKey(this.#context.random);
      const exchangeKey = exchangePublicKey(exchangeSecret);
      const identity = this.#context.identity();
      const signature = signMessage(
        identity.signingKey,
        joinMessage(studyId, studyHash, identity.id, exchangeKey),
      );
      records.join(
        facts,
        {
          ...approved,
          exchangeKey,
          joinSignature: signature,
          exchangeSecret: this.#context.sealed.seal(`exchange ${studyId}`, exchangeSecret),
        },
        now(),
      );
      log.info("joined a study", { study: studyId, table: document.value.study.table });
      send(outbox.decision(studyId, { joined: true, exchangeKey, signature }));
    } catch (thrown) {
      const error = toConsiliumError(thrown);
      if (error.code === "INTERNAL") log.error("the study could not be judged", { study: studyId }, thrown);
      else
        log.warn("this site does not take part", { study: studyId, code: error.code, reason: error.message });
      records.refuse(facts, { code: error.code, text: error.describe() }, now());
      send(outbox.decision(studyId, { joined: false, code: outwardCode(error.code) }));
    }
  }

  /** Policy first, then the table: nothing of it is read for a study that the hospital would not allow. */
  async #approve(document: StudyDocument): Promise<{ contentHash: Sha256; rows: number }> {
    const { study } = document;
    unwrap(judge(study, planStudy(study), this.#context.policy));
    const snapshot = await this.#preflights.run(() =>
      this.#context.tables.preflight(study, analysisOf(study).demands(study)),
    );
    return { contentHash: snapshot.contentHash, rows: snapshot.rows };
  }

  // ---- steps --------------------------------------------------------------------------------------------------

  async #asked(task: SiteTask): Promise<void> {
    const { records, outbox, send, log } = this.#context;
    const record = records.study(task.studyId);
    if (record === null || (record.status !== "joined" && record.status !== "waiting")) {
      log.warn("asked for a step of a study that this site is not in", {
        study: task.studyId,
        step: task.step,
      });
      return;
    }
    try {
      await this.#answer(record, task);
      records.setLocalReason(record.id, null);
      if (record.status === "waiting") records.setStatus(record.id, "joined");
    } catch (thrown) {
      const error = toConsiliumError(thrown);
      // The end is next in the queue; the aggregator knows of it.
      if (error.code === "STUDY_CANCELLED") return;
      if (thrown instanceof NotAwaited) {
        log.warn("an answer was not taken", {
          study: record.id,
          step: task.step,
          code: thrown.code,
          reason: thrown.message,
        });
        return;
      }
      if (error.code === "INTERNAL")
        log.error("a step failed", { study: record.id, step: task.step }, thrown);
      else
        log.error("a step was refused", {
          study: record.id,
          step: task.step,
          code: error.code,
          reason: error.message,
        });
      records.setLocalReason(record.id, { code: error.code, text: error.describe() });
      send(outbox.stepFault(record.id, task.step, task.attempt, outwardCode(error.code)));
    }
  }

  async #answer(record: SiteStudy, task: SiteTask): Promise<void> {
    const { records, outbox, send } = this.#context;
    const document = unwrap(readStudyDocument(record.text, record.hash));
    const plan = planStudy(document.study);
    const place = `study ${record.id}, step ${task.step}`;
    if (task.attempt !== onlyAttempt)
      throw new ConsiliumError("FIELD_INVALID", `${place}: dealt masks have one attempt`);
    const roster = this.#roster(record, document.study, task);
    const inputHash = sha256(
      `${roster.hash}\n${task.kind}\n${task.step}\n`,
      task.broadcasts.map((b) => `${b.stage} ${b.name} ${b.length} ${b.sha256}`).join("\n"),
    );
    let answer = records.answer(record.id, task.step, task.attempt);
    if (answer === null) {
      answer =
        task.kind === "exchange"
          ? this.#exchange(record, task, plan, roster, inputHash)
          : await this.#stage(record, task, document, plan, roster, inputHash);
    } else if (answer.inputHash !== inputHash) {
      throw new ConsiliumError("BROADCAST_CHANGED", `${place}: it was answered for another broadcast before`);
    }
    if (answer.kind === "exchange") {
      send(outbox.exchangePost(record.id, task.step, task.attempt, parsePost(answer.post!)));
      return;
    }
    await awaited(
      this.#context.upload(
        outbox.upload(answer.kind, {
          studyId: record.id,
          step: task.step,
          attempt: task.attempt,
          path: this.#answerPath(record.id, task.step, task.attempt),
          bytes: answer.bytes,
          sha256: answer.sha256,
        }),
      ),
    );
  }

  /** Verifies the roster for itself, and that it is the same in every task. */
  #roster(record: SiteStudy, study: Study, task: SiteTask): Roster {
    const { records } = this.#context;
    const identity = this.#context.identity();
    const { minimumSites } = study.participation;
    const roster = verifyRoster(task.roster, {
      study: { id: record.id, hash: record.hash, minimumSites },
      self: {
        site: identity.id,
        signingKey: identity.signingPublicKey,
        exchangeKey: record.exchangeKey!,
      },
      rootPem: identity.rootPem,
      revocations: this.#context.revocations(),
      // A certificate may expire while its study runs: who the members are was settled when the roster was.
      at: record.rosterFixedAt ?? this.#context.now(),
      shownBefore: record.rosterHash,
    });
    records.fixRoster(record.id, roster.hash, this.#context.now());
    return roster;
  }

  #exchange(record: SiteStudy, task: SiteTask, plan: Plan, roster: Roster, inputHash: Sha256): Answer {
    const { records, random, now } = this.#context;
    const position = (plan.setup as readonly string[]).indexOf(task.step);
    if (position === -1)
      throw new ConsiliumError("MESSAGE_UNEXPECTED", `study ${record.id} has no exchange ${task.step}`);
    const context = this.#setupContext(record, plan, roster);
    let next: { state: SetupState; post: SetupPost | null };
    if (position === 0) next = beginSetup(context, random);
    else next = unwrap(continueSetup(context, this.#setupState(record), task.deliveries, random));
    if (next.post === null)
      throw new ConsiliumError(
        "MESSAGE_UNEXPECTED",
        `study ${record.id}: nothing is to be posted at ${task.step}`,
      );
    const post = formatPost(next.post);
    const answer: Answer = {
      kind: "exchange",
      inputHash,
      post,
      bytes: Buffer.byteLength(post),
      sha256: sha256(post),
    };
    records.saveAnswer(
      record.id,
      task.step,
      task.attempt,
      answer,
      now(),
      this.#sealSetup(record.id, next.state),
    );
    return answer;
  }

  #setupContext(record: SiteStudy, plan: Plan, roster: Roster): SetupContext {
    const identity = this.#context.identity();
    return {
      roster,
      self: identity.id,
      exchangePrivateKey: this.#context.sealed.open(`exchange ${record.id}`, record.exchangeSecret!),
      signingPrivateKey: identity.signingKey,
      needsSharedSeed: plan.setup.includes("reveal"),
    };
  }

  #setupState(record: SiteStudy): SetupState {
    if (record.setup === null) {
      throw new ConsiliumError(
        "MESSAGE_UNEXPECTED",
        `study ${record.id}: a step came before the setup was begun`,
      );
    }
    return restoreSetup(this.#context.sealed.open(`setup ${record.id}`, record.setup));
  }

  #sealSetup(id: StudyId, state: SetupState): Uint8Array {
    return this.#context.sealed.seal(`setup ${id}`, storeSetup(state));
  }

  /** The setup's end: masks, and the shared seed where there is one. */
  #ready(
    record: SiteStudy,
    task: SiteTask,
    plan: Plan,
    roster: Roster,
  ): Extract<SetupState, { phase: "ready" }> {
    let state = this.#setupState(record);
    if (state.phase !== "ready") {
      const context = this.#setupContext(record, plan, roster);
      state = unwrap(continueSetup(context, state, task.deliveries, this.#context.random)).state;
      if (state.phase !== "ready") {
        throw new ConsiliumError(
          "MESSAGE_UNEXPECTED",
          `study ${record.id}: stage ${task.step} came before the setup was complete`,
        );
      }
      this.#context.records.saveSetup(record.id, this.#sealSetup(record.id, state));
    }
    return state;
  }

  async #stage(
    record: SiteStudy,
    task: SiteTask,
    document: StudyDocument,
    plan: Plan,
    roster: Roster,
    inputHash: Sha256,
  ): Promise<Answer> {
    const { records, now, log } = this.#context;
    const { study } = document;
    const position = plan.stages.findIndex((candidate) => candidate.id === task.step);
    const stage = plan.stages[position];
    if (stage === undefined || stage.kind !== task.kind) {
      throw new ConsiliumError(
        "MESSAGE_UNEXPECTED",
        `study ${record.id}: its plan has no ${task.kind} stage ${task.step}`,
      );
    }
    const unanswered = plan.stages
      .slice(0, position)
      .find((s) => records.answer(record.id, s.id, onlyAttempt) === null);
    if (unanswered !== undefined) {
      throw new ConsiliumError(
        "MESSAGE_UNEXPECTED",
        `study ${record.id}: stage ${task.step} came before ${unanswered.id}`,
      );
    }
    const setup = this.#ready(record, task, plan, roster);
    const broadcasts = await this.#broadcasts(record, task, stage);
    const path = this.#answerPath(record.id, task.step, task.attempt);
    await this.#makeStudyFolder(record.id);
    const input: StageInput = {
      study,
      sites: roster.members.length,
      broadcasts,
      sharedSeed: setup.sharedSeed,
      blocks: this.#blocks(record, study, task.step),
      kernels: this.#context.kernels,
      random: this.#context.random,
    };
    const started = now();
    const written =
      stage.kind === "sum"
        ? await this.#writeVector(stage, input, path, (vector) =>
            addDealtMask(vector, setup.mask, { roster, stage: stage.id, attempt: task.attempt }),
          )
        : await this.#writeRows(stage, input, path);
    const answer: Answer = { kind: stage.kind, inputHash, post: null, ...written };
    records.saveAnswer(record.id, task.step, task.attempt, answer, now(), null);
    log.info("a stage was answered", {
      study: record.id,
      step: task.step,
      bytes: written.bytes,
      ms: now() - started,
    });
    return answer;
  }

  /** The approved table, with progress told on the way. */
  async *#blocks(record: SiteStudy, study: Study, step: StageId): AsyncIterable<ColumnBlock> {
    const { tables, outbox, send, now } = this.#context;
    let rows = 0;
    let toldAt = now();
    for await (const block of tables.reopen(study, {
      contentHash: record.contentHash!,
      rows: record.rows!,
    })) {
      yield block;
      if (this.#ending.has(record.id))
        throw new ConsiliumError("STUDY_CANCELLED", `study ${record.id}: it ended during step ${step}`);
      rows += block.rows;
      if (now() - toldAt < progressMs) continue;
      toldAt = now();
      send(outbox.progress(record.id, step, Math.min(1, rows / Math.max(1, record.rows!))));
    }
  }

  async #writeVector(
    stage: Extract<StagePlan, { kind: "sum" }>,
    input: StageInput,
    path: string,
    mask: (vector: BigUint64Array) => void,
  ): Promise<{ bytes: number; sha256: Sha256 }> {
    const vector = await analysisOf(input.study).vector(stage.id, input);
    if (vector.length !== stage.length) {
      throw new ConsiliumError(
        "INTERNAL",
        `stage ${stage.id}: ${vector.length} entries where the plan says ${stage.length}`,
      );
    }
    mask(vector);
    const bytes = littleEndianBytes(vector);
    await writeFileDurable(path, bytes, { mode: 0o600 });
    return { bytes: bytes.length, sha256: sha256(bytes) };
  }

  async #writeRows(
    stage: Extract<StagePlan, { kind: "rows" }>,
    input: StageInput,
    path: string,
  ): Promise<{ bytes: number; sha256: Sha256 }> {
    const hasLabel = input.study.label !== undefined;
    const stride = rowBytes(stage.columns, hasLabel);
    const hash = createHash("sha256");
    let total = 0;
    const file = await open(path, "w", 0o600);
    try {
      for await (const part of analysisOf(input.study).rows(stage.id, input)) {
        const bytes = Buffer.alloc(part.rows * stride);
        for (let r = 0; r < part.rows; r++) {
          for (let j = 0; j < stage.columns; j++) {
            bytes.writeDoubleLE(part.values[r * stage.columns + j]!, r * stride + j * 8);
          }
          if (hasLabel) bytes.writeUInt16LE(part.labels![r]!, r * stride + stage.columns * 8);
        }
        hash.update(bytes);
        total += bytes.length;
        await file.appendFile(bytes);
      }
      await file.sync();
    } finally {
      await file.close();
    }
    await fsyncFolder(dirname(path));
    return { bytes: total, sha256: hash.digest("hex") as Sha256 };
  }

  /** Fetches what is new, checks it, and refuses any change to what was shown before. */
  async #broadcasts(record: SiteStudy, task: SiteTask, stage: StagePlan): Promise<Map<StageId, Broadcast>> {
    const { records } = this.#context;
    const fresh = checkBroadcasts(record.id, stage, records.broadcasts(record.id), task.broadcasts);
    await this.#makeStudyFolder(record.id);
    for (const item of fresh) await this.#fetch(record.id, item);
    records.saveBroadcasts(record.id, fresh);
    const broadcasts = new Map<StageId, Record<string, Float64Array>>();
    for (const item of task.broadcasts) {
      const bytes = await readFile(this.#broadcastPath(record.id, item.sha256));
      if (sha256(bytes) !== item.sha256)
        throw new ConsiliumError("INTERNAL", `study ${record.id}: a stored broadcast is damaged`);
      const vectors = broadcasts.get(item.stage) ?? {};
      vectors[item.name] = broadcastValues(bytes);
      broadcasts.set(item.stage, vectors);
    }
    return broadcasts;
  }

  async #fetch(studyId: StudyId, item: BroadcastEntry): Promise<void> {
    const bytes = item.length * 8;
    if (bytes > maxBroadcastBytes) {
      throw new ConsiliumError(
        "MESSAGE_TOO_LARGE",
        `study ${studyId}: a broadcast of ${bytes} bytes, ${maxBroadcastBytes} are allowed`,
      );
    }
    const values = await awaited(this.#context.fetch(studyId, { sha256: item.sha256, bytes }));
    if (sha256(values) !== item.sha256) {
      throw new ConsiliumError(
        "UPLOAD_HASH",
        `study ${studyId}: "${item.name}" of stage ${item.stage} has not its announced hash`,
      );
    }
    await writeFileDurable(this.#broadcastPath(studyId, item.sha256), values, { mode: 0o600 });
  }

  // ---- the end ------------------------------------------------------------------------------------------------

  async #ended(id: StudyId, outcome: "released" | "failed" | "cancelled"): Promise<void> {
    const { records, outbox, send, log, now } = this.#context;
    const record = records.study(id);
    const concerned = record !== null && record.status !== "refused" && record.endedAt === null;
    if (concerned) log.info("a study ended", { study: id, outcome });
    if (outcome === "failed") {
      // It may be resumed: what this site has answered, and its keys, are still needed.
      if (concerned) records.setStatus(id, "waiting");
      return;
    }
    // The files first: what ended is not looked at again.
    await rm(this.#studyFolder(id), { recursive: true, force: true });
    if (concerned) records.end(id, outcome, now());
    this.#ending.delete(id);
    send(outbox.endReceipt(id));
  }

  /** Durable itself, so that the answers in it outlive a power cut once the store says that they are there. */
  async #makeStudyFolder(id: StudyId): Promise<void> {
    const folder = this.#studyFolder(id);
    const made = await mkdir(folder, { recursive: true, mode: 0o700 });
    if (made === undefined) return;
    await fsyncFolder(dirname(folder));
    await fsyncFolder(this.#context.stateFolder);
  }

  #studyFolder(id: StudyId): string {
    return join(this.#context.stateFolder, "studies", id);
  }

  #answerPath(id: StudyId, step: StageId, attempt: number): string {
    return join(this.#studyFolder(id), `answer-${step}-${attempt}`);
  }

  #broadcastPath(id: StudyId, hash: Sha256): string {
    return join(this.#studyFolder(id), `broadcast-${hash}`);
  }
}

/** The aggregator was not reached, or did not wait for this: it asks again when it needs the answer. */
class NotAwaited extends ConsiliumError {}

async function awaited<T>(transfer: Promise<T>): Promise<T> {
  try {
    return await transfer;
  } catch (thrown) {
    const error = toConsiliumError(thrown);
    if (error.code !== "UNREACHABLE" && error.code !== "MESSAGE_UNEXPECTED") throw error;
    throw new NotAwaited(error.code, error.message);
  }
}

/** What the operator may see of a refusal. */
export function outwardCode(code: ErrorCode): ErrorCode {
  return privateCodes.has(code) ? "PREFLIGHT_FAILED" : code;
}

function formatPost(post: SetupPost): string {
  const text = (bytes: Uint8Array) => Buffer.from(bytes).toString("base64");
  return JSON.stringify({
    publicPart: text(post.publicPart),
    signature: text(post.signature),
    envelopes: post.envelopes.map((e) => ({ to: e.to, sealed: text(e.sealed) })),
  });
}

function parsePost(stored: string): SetupPost {
  const bytes = (text: string) => new Uint8Array(Buffer.from(text, "base64"));
  const post = JSON.parse(stored) as {
    publicPart: string;
    signature: string;
    envelopes: { to: SetupPost["envelopes"][number]["to"]; sealed: string }[];
  };
  return {
    publicPart: bytes(post.publicPart),
    signature: bytes(post.signature),
    envelopes: post.envelopes.map((e) => ({ to: e.to, sealed: bytes(e.sealed) })),
  };
}
