import { EventEmitter, once } from "node:events";
import { setTimeout as delay, setImmediate } from "node:timers/promises";
import { ConsiliumError, type ErrorCode, toConsiliumError } from "@consilium/core/errors";
import { faults } from "@consilium/core/fault";
import type { Sha256, SiteId, StageId, StudyId } from "@consilium/core/ids";
import { maxChunkBytes } from "@consilium/core/limits";
import type {
  Conversation,
  MethodResult,
  ReducedRows,
  RowsPart,
} from "@consilium/core/method/aggregatorSide";
import { aggregatorSideOf } from "@consilium/core/method/aggregatorSideOf";
import type { StageAttempt } from "@consilium/core/release/attempts";
import { fitting } from "@consilium/core/release/content";
import { withFlow } from "@consilium/core/release/withFlow";
import { nameOf } from "@consilium/core/said";
import { readRows, writeMadeRows } from "@consilium/runtime/release/madeRows";
import { DiskFull } from "@consilium/runtime/store/diskFull";
import { sha256 } from "@consilium/secure-sum/crypto/hash";
import type { RoundSays } from "@consilium/words/says/rounds";
import { resultHash } from "../release/assemble.js";
import type { SiteSession } from "../roster/presence.js";
import type { RefusedMessage, SiteMessage, Upload } from "../rpc/toDomain.js";
import { Countersigning } from "./countersigning.js";
import { DealtStages } from "./dealtStages.js";
import { acceptedParts, HeldResults, ResultHeld } from "./heldResult.js";
import type { OpenStep } from "./openStep.js";
import { OpenStudy } from "./openStudy.js";
import { PairwiseStages } from "./pairwiseStages.js";
import { Publishing } from "./publishing.js";
import type { StudyRecord } from "./records.js";
import { Recruitment } from "./recruitment.js";
import { drawKey, Replay } from "./replay.js";
import { collectRows } from "./rowsStage.js";
import type { FinishedStudy, RunContext } from "./runContext.js";
import { kernelsFor, sumStageIds } from "./studyPlans.js";
import { collectTags } from "./tagsStage.js";
import { studyEndedFrame } from "./taskFrames.js";
import { Uploads } from "./uploads.js";

const fault = faults<RoundSays>();

/** Difference that keeps a study from continuing under the program that runs. */
function isDifference(thrown: unknown): thrown is ConsiliumError {
  return (
    thrown instanceof ConsiliumError && (thrown.code === "PLAN_DIFFERS" || thrown.code === "REPLAY_DIFFERS")
  );
}

/** The parts of a run, recreated each time its script runs. */
interface Parts {
  readonly study: OpenStudy;
  readonly recruitment: Recruitment;
  readonly dealt: DealtStages;
  readonly pairwise: PairwiseStages;
  readonly uploads: Uploads;
  readonly countersigning: Countersigning;
  readonly publishing: Publishing;
  readonly held: HeldResults;
}

/**
 * With a full disk a study retries after at least the first pause, which doubles up to the last one while no further
 * step completes.
 */
const firstPauseMs = 1_000;
const lastPauseMs = 30_000;

/**
 * One study from its invitation to its release. Progress is stored step by step, so `run` may be called again after a
 * crash or a failure and resumes from there: the script below simply runs again, and every stored step returns
 * immediately.
 *
 * A full disk is treated like a crash at that point: the study waits for disk space, and the script then runs again
 * from the checkpoint. No site is at fault, no deadline applies meanwhile, and nothing is charged again.
 */
export class StudyRun extends EventEmitter<{ changed: [] }> {
  readonly id: StudyId;
  readonly #context: RunContext;
  #parts: Parts;
  #isOver = false;
  #cancelled: ConsiliumError | null = null;
  /** Obstacle to continuing: no disk space, or a program that the study did not begin with. */
  #obstacle: ConsiliumError | null = null;
  /** By name, in the order of the conversation, which every run of the script repeats. */
  readonly #drawn = new Map<string, string>();

  constructor(record: StudyRecord, context: RunContext) {
    super();
    this.setMaxListeners(0);
    this.id = record.id;
    this.#context = context;
    this.#parts = this.#begin(record);
  }

  get #study(): OpenStudy {
    return this.#parts.study;
  }

  /** What the study waits for without a deadline: disk space here or at the publisher, or the version that it began with. */
  get waiting(): ConsiliumError | null {
    return this.#obstacle ?? this.#parts.publishing.waiting;
  }

  /** The run has ended: its files are closed, and removed unless the study failed. */
  get isOver(): boolean {
    return this.#isOver;
  }

  get open(): OpenStep | null {
    return this.#study.open;
  }

  /** Runs until the study is released, failed or cancelled, and stores the outcome. Never throws. */
  async run(): Promise<void> {
    const { records, log } = this.#context;
    const stepsDone = () => records.steps(this.id).filter(({ doneAt }) => doneAt !== null).length;
    let pauseMs = firstPauseMs;
    for (;;) {
      const before = stepsDone();
      const obstacle = await this.#attempt();
      if (obstacle === null) break;
      if (stepsDone() > before) pauseMs = firstPauseMs;
      if (obstacle instanceof DiskFull) {
        log.warn("a study waits for disk space", { study: this.id, reason: obstacle.message });
        await this.#waitForRoom(obstacle, pauseMs);
      } else {
        const { code, message } = obstacle;
        log.warn("a study is paused", { study: this.id, code, reason: message });
        await this.#pause(obstacle);
      }
      pauseMs = Math.min(lastPauseMs, 2 * pauseMs);
      // The state in memory may be ahead of the stored one.
      this.#parts = this.#begin(records.study(this.id)!);
      if (obstacle instanceof DiskFull)
        log.info("a study resumes after waiting for disk space", { study: this.id });
    }
    this.emit("changed");
  }

  #begin(record: StudyRecord): Parts {
    const study = new OpenStudy(record, this.#context);
    study.on("changed", () => this.emit("changed"));
    if (this.#cancelled !== null) study.cancel(this.#cancelled);
    this.#isOver = false;
    return {
      study,
      recruitment: new Recruitment(study),
      dealt: new DealtStages(study),
      pairwise: new PairwiseStages(study),
      uploads: new Uploads(study),
      countersigning: new Countersigning(study),
      publishing: new Publishing(study),
      held: new HeldResults(study),
    };
  }

  /** Resolves when there is disk space and the pause has passed; immediately when the study is cancelled. */
  async #waitForRoom(shortage: DiskFull, pauseMs: number): Promise<void> {
    const { signal } = this.#study;
    this.#obstacle = shortage;
    this.emit("changed");
    try {
      // An already cancelled study also waits: its end must still be stored.
      const until = signal.aborted ? new AbortController().signal : signal;
      await delay(pauseMs, undefined, { signal: until, ref: false });
      await this.#context.disk.room(shortage.neededBytes, until);
    } catch (thrown) {
      if (!signal.aborted) throw thrown;
    } finally {
      this.#obstacle = null;
    }
  }

  /** Nothing is asked, charged or forgotten until the version that the study began with runs again, or the operator cancels it. */
  async #pause(difference: ConsiliumError): Promise<void> {
    const { signal } = this.#study;
    this.#obstacle = difference;
    this.emit("changed");
    if (!signal.aborted) await once(signal, "abort");
    this.#obstacle = null;
  }

  /** @returns null once the study's end is stored; otherwise what keeps it from continuing */
  async #attempt(): Promise<ConsiliumError | null> {
    const { study } = this.#parts;
    try {
      await this.#script(study);
      return null;
    } catch (thrown) {
      const failure = this.#context.disk.failure(thrown);
      if (failure instanceof DiskFull || isDifference(failure)) return failure;
      throw failure;
    } finally {
      study.leave();
      await study.files.close();
    }
  }

  async #script(study: OpenStudy): Promise<void> {
    const { records, log, disk } = this.#context;
    const { recruitment, dealt, countersigning, publishing, held } = this.#parts;
    try {
      study.throwIfCancelled();
      await study.files.open();
      await recruitment.roster();
      records.setStatus(study.id, "running");
      for (const step of study.plan.setup) await dealt.exchange(step as string as StageId);
      const result = await this.#result(study, held);
      if (result.rowsUsed !== null) records.setRows(study.id, result.rowsUsed);
      const attempts = this.#attempts();
      const missing = acceptedParts(records, study.id);
      const computed = {
        record: study.record(),
        software: this.#computedBy(),
        document: study.document,
        roster: study.roster,
        result: withFlow(result, records.participants(study.id).length, missing),
        missing,
        published: study.document.study.release.sums ? this.#published(attempts) : null,
      };
      const signed = await countersigning.collect(attempts, this.#survivors(), await resultHash(computed));
      await publishing.publish(computed, signed).catch((thrown) => {
        throw held.undeposited(thrown);
      });
      this.#end({ status: "released" });
      await study.files.removeAll();
    } catch (thrown) {
      if (disk.failure(thrown) instanceof DiskFull || isDifference(thrown)) throw thrown;
      const error = toConsiliumError(thrown);
      if (error.code === "INTERNAL" || error.code === "RESULT_FAILED")
        log.error("the study failed", { study: study.id }, error.cause ?? thrown);
      const status = error.code === "STUDY_CANCELLED" ? "cancelled" : "failed";
      this.#isOver = true;
      // Closed before the study is shown as failed: resuming it reopens them.
      await study.files.close();
      this.#end({ status, code: error.code, message: error.message }, () => {
        if (error instanceof ResultHeld) error.store(records, study.id);
      });
      if (status === "cancelled") await study.files.removeAll();
    }
  }

  /** @throws ResultHeld where the result, or a part that nobody has accepted to do without, could not be computed */
  async #result(study: OpenStudy, held: HeldResults): Promise<MethodResult> {
    const run = await aggregatorSideOf(study.document.study);
    try {
      const result = await run(this.#conversation());
      study.throwIfCancelled();
      const fits = fitting(result, held.parts);
      held.demandWhole();
      return fits;
    } catch (thrown) {
      if (thrown instanceof ResultHeld || isDifference(thrown)) throw thrown;
      if (this.#context.disk.failure(thrown) instanceof DiskFull) throw thrown;
      study.throwIfCancelled();
      throw held.failed(thrown);
    }
  }

  /** @returns false if it is too late: the publisher may be committing the release */
  cancel(): boolean {
    if (this.#parts.publishing.isCommitting) return false;
    this.#cancelled = fault("STUDY_CANCELLED", "round.cancelled", { study: this.id });
    this.#study.cancel(this.#cancelled);
    return true;
  }

  /** @throws ConsiliumError STUDY_STATE, ROSTER_TOO_SMALL */
  proceed(): void {
    this.#parts.recruitment.proceed();
  }

  /** @throws ConsiliumError STUDY_STATE, FIELD_INVALID */
  extend(until: number): void {
    this.#parts.recruitment.extend(until);
  }

  /** A site's data could not be stored: the study waits for disk space, and then requests them again. */
  outOfRoom(fault: DiskFull): void {
    this.open?.fail(fault);
  }

  /** @param alongside - stored in the same transaction */
  #end(
    outcome: { status: "released" | "failed" | "cancelled"; code?: ErrorCode; message?: string },
    alongside: () => void = () => undefined,
  ): void {
    const { records, presence, now } = this.#context;
    this.#isOver = true;
    records.transaction(() => {
      alongside();
      records.end(this.id, { ...outcome, at: now() });
      const { status, code } = outcome;
      records.event(now(), "ended", {
        study: this.id,
        detail: code === undefined ? status : `${status} ${code}`,
      });
      if (outcome.status !== "failed") records.attempts.forgetAll(this.id);
    });
    this.#context.meter?.studyEnded(outcome.status, (now() - this.#study.record().createdAt) / 1000);
    for (const participant of records.participants(this.id)) {
      if (participant.decision === "refused") continue;
      const session = presence.session(participant.site);
      session?.send(studyEndedFrame(this.id, outcome.status, outcome.code ?? null));
    }
  }

  // ---- the conversation -----------------------------------------------------------------------------------------

  #conversation(): Conversation {
    const study = this.#study;
    const { held } = this.#parts;
    const survivors = () => this.#survivors().length;
    const replay = new Replay(study.id, study.plan, this.#context.records);
    return {
      study: study.document.study,
      sites: study.members.length,
      kernels: kernelsFor(study.document.study, this.#context.kernels),
      random: this.#context.random,
      sum: async (stage, broadcast) => {
        replay.asks(stage, broadcast);
        return held.ofSites(
          study.plan.masking === "dealer"
            ? this.#parts.dealt.sum(stage, broadcast)
            : this.#parts.pairwise.sum(stage, broadcast),
        );
      },
      rows: async (stage, broadcast) => {
        replay.asks(stage, broadcast);
        return held.ofSites(collectRows(study, stage, broadcast, this.#survivors()));
      },
      readRows,
      tags: async (stage, broadcast) => {
        replay.asks(stage, broadcast);
        return held.ofSites(collectTags(study, stage, broadcast, this.#survivors()));
      },
      get survivors() {
        return survivors();
      },
      draw: (name, make) => {
        replay.draws(name);
        return this.#draw(name, make);
      },
      writeRows: (name, shape, parts) => this.#writeRows(name, shape, parts),
      part: held.parts.compute,
      pause: () => setImmediate(),
    };
  }

  /** The sites of the newest completed sum; the roster before the first. */
  #survivors(): readonly SiteId[] {
    const { id, plan, memberSites } = this.#study;
    const { attempts } = this.#context.records;
    return (
      this.#parts.pairwise.newestSurvivors ?? attempts.lastSurvivors(id, sumStageIds(plan)) ?? memberSites
    );
  }

  /** Every attempt in which a site may have sent a vector or rows, in the plan's order. */
  #attempts(): StageAttempt[] {
    const { id, plan } = this.#study;
    this.#context.records.settle();
    const attempts = this.#context.records.attempts.all(id).filter((one) => one.askedAt !== null);
    return plan.stages.flatMap((stage) =>
      attempts
        .filter((one) => one.stage === stage.id)
        .map(({ attempt, survivors, doneAt }) => ({
          stage: stage.id,
          attempt,
          survivors: doneAt === null ? null : survivors,
        })),
    );
  }

  /** The sum of each stage as it is stored, which is as wide as its ring, and what was drawn. */
  #published(attempts: readonly StageAttempt[]): FinishedStudy["published"] {
    const { records } = this.#context;
    const { files } = this.#study;
    const opened = attempts.filter(({ survivors }) => survivors !== null);
    const stored = opened.map(({ stage, attempt }) => {
      const { length, ringBits } = this.#study.stage(stage, "sum");
      const { content, sha256: hash } = records.result(this.id, stage)!;
      const sum = { stage, attempt, bytes: (length * ringBits) / 8, sha256: hash ?? sha256(content!) };
      return { sum, content: content ?? files.resultPath(stage) };
    });
    return {
      sums: stored.map(({ sum }) => sum),
      contents: stored.map(({ content }) => content),
      draws: [...this.#drawn].map(([name, value]) => ({ name, value })),
    };
  }

  /** The version that first came to the result: the sites sign one that names it, whichever version deposits the release. */
  #computedBy(): string {
    const { records, software } = this.#context;
    const key = "computed:by";
    const before = records.result(this.id, key);
    if (before === null) records.setResult(this.id, key, { value: software });
    return before?.value ?? software;
  }

  #draw(name: string, make: () => string): string {
    const { records } = this.#context;
    const key = drawKey(name);
    const before = records.result(this.id, key);
    const value = before === null ? make() : before.value!;
    if (before === null) records.setResult(this.id, key, { value });
    this.#drawn.set(name, value);
    return value;
  }

  async #writeRows(
    name: string,
    shape: { readonly columns: number; readonly levels: number },
    parts: Iterable<RowsPart> | AsyncIterable<RowsPart>,
  ): Promise<ReducedRows> {
    const { records } = this.#context;
    const key = `rows:${name}`;
    const path = this.#study.files.madeRowsPath(name);
    let stored = records.result(this.id, key);
    if (stored === null) {
      const written = await writeMadeRows(path, shape, parts);
      await this.#study.files.keep(path);
      records.setResult(this.id, key, { sha256: written.sha256, value: String(written.rows) });
      stored = records.result(this.id, key);
    }
    return { path, rows: Number(stored!.value), ...shape, sha256: stored!.sha256 as Sha256 };
  }

  // ---- site messages ------------------------------------------------------------------------------------------

  connected(session: SiteSession): void {
    this.#study.connected(session);
  }

  expelled(site: SiteId): void {
    this.#study.expelled(site);
    this.#parts.recruitment.demandReachable();
  }

  presenceChanged(site: SiteId): void {
    if (this.open?.sites.has(site)) this.emit("changed");
  }

  decided(session: SiteSession, message: Extract<SiteMessage, { kind: "decision" }>): void {
    this.#parts.recruitment.decided(session, message);
  }

  awaitsApproval(site: SiteId): void {
    this.#parts.recruitment.awaitsApproval(site);
  }

  exchanged(site: SiteId, message: Extract<SiteMessage, { kind: "exchangePost" }>): void {
    this.#parts.dealt.posted(site, message);
  }

  sumPosted(site: SiteId, message: Extract<SiteMessage, { kind: "sumPost" }>): Promise<void> {
    return this.#parts.pairwise.posted(site, message);
  }

  countersigned(site: SiteId, message: Extract<SiteMessage, { kind: "countersignature" }>): void {
    this.#parts.countersigning.posted(site, message);
  }

  faulted(site: SiteId, message: Extract<SiteMessage, { kind: "stepFault" }>): void {
    const { records, now } = this.#context;
    const step = this.open;
    if (step === null || step.wireStep !== message.step || !step.isWaitingFor(site)) return;
    if (step.attempt !== message.attempt) return;
    if (message.code === "DISK_FULL") {
      // Like a temporarily absent site: it retries by itself, and is awaited until the deadline.
      step.progress(site, { code: message.code });
      this.emit("changed");
      return;
    }
    // A site refuses an invitation with its decision.
    if (step.kind === "join") return;
    records.event(now(), "failed", { study: this.id, site, detail: message.code });
    if (step.duties?.onFault !== undefined) {
      step.duties.onFault(site, message.code);
      this.emit("changed");
      return;
    }
    step.progress(site, { state: "failed", code: message.code });
    step.fail(
      fault("SITE_FAILED", "round.could-not-answer", {
        study: this.id,
        site,
        step: step.id,
        why: nameOf(message.code),
      }),
    );
  }

  /** A message of a site's that cannot be taken counts as its failed answer: a decision as a refusal, a post as a fault of its step. */
  refused(session: SiteSession, { kind, place }: RefusedMessage, code: ErrorCode): void {
    const step = this.open;
    if (step === null) return;
    if (kind === "decision") this.#parts.recruitment.refused(session, code);
    else if (kind === "countersignature" && step.kind === "countersign")
      this.#failed(session.site, { step: step.wireStep, attempt: step.attempt }, code);
    else if (place !== null) this.#failed(session.site, place, code);
  }

  #failed(site: SiteId, place: NonNullable<RefusedMessage["place"]>, code: ErrorCode): void {
    this.faulted(site, { kind: "stepFault", studyId: this.id, ...place, code });
  }

  // ---- transfers ----------------------------------------------------------------------------------------------

  beginUpload(site: SiteId, upload: Upload, kind: "sum" | "rows") {
    return this.#parts.uploads.begin(site, upload, kind);
  }

  /** A vector that came in one frame. Nobody waits for an answer to it: what is refused is a fault of its site's step. */
  async vectorCame(
    site: SiteId,
    message: Extract<SiteMessage, { kind: "vector" }>,
    alongside: () => void,
  ): Promise<void> {
    const { upload, content } = message;
    const { disk, log } = this.#context;
    try {
      await this.#parts.uploads.whole(site, upload, { bytes: content, alongside });
    } catch (thrown) {
      const failure = toConsiliumError(disk.failure(thrown));
      const { code, message: reason } = failure;
      if (code === "DISK_FULL" || code === "INTERNAL") throw failure;
      log.warn("rejected a site's vector", { study: this.id, site, code, reason });
      if (code === "MESSAGE_UNEXPECTED") return;
      this.#failed(site, upload, code);
    }
  }

  received(site: SiteId, bytes: number): void {
    this.#parts.uploads.received(site, bytes);
  }

  finishUpload(site: SiteId, upload: Upload): Promise<void> {
    return this.#parts.uploads.finish(site, upload);
  }

  /** Streams a broadcast of this study to a site on its roster. */
  broadcastStream(site: SiteId, hash: Sha256, offset: number) {
    const { memberSites, files } = this.#study;
    if (!memberSites.includes(site)) {
      throw fault("NOT_PERMITTED", "round.not-on-roster", { study: this.id, site });
    }
    if (!files.isOpen) throw fault("MESSAGE_UNEXPECTED", "round.not-resumed", { study: this.id });
    const known = this.#context.records.broadcast(this.id, hash);
    if (known === null) throw fault("FIELD_INVALID", "round.no-broadcast", { study: this.id });
    if (this.open === null) throw fault("MESSAGE_UNEXPECTED", "round.no-request", { study: this.id });
    if (offset > known.length * 8) throw fault("FIELD_INVALID", "round.broadcast-ends", { study: this.id });
    const { content } = known;
    if (content === null) return files.readBroadcast(hash, offset, maxChunkBytes);
    return offset < content.length ? [content.subarray(offset)] : [];
  }
}
