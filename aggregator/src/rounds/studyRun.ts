import { EventEmitter } from "node:events";
import { ConsiliumError, type ErrorCode, toConsiliumError } from "@consilium/core/errors";
import { fromLittleEndianBytes, littleEndianBytes } from "@consilium/core/fixed-point/ringVector";
import type { Sha256, SiteId, StageId, StudyId } from "@consilium/core/ids";
import type { NumericKernels } from "@consilium/core/linalg/kernels";
import type { RandomSource } from "@consilium/core/random";
import { unwrap } from "@consilium/core/result";
import { buildRoster, joinFault, type Roster } from "@consilium/core/secure-sum/roster";
import { postFault, type SetupStep } from "@consilium/core/secure-sum/setup";
import { type Broadcast, broadcastBytes } from "@consilium/core/study/broadcast";
import { type Plan, planStudy, rowBytes, type StagePlan, stageUploadBytes } from "@consilium/core/study/plan";
import { readStudyDocument, type StudyDocument } from "@consilium/core/study/study";
import type { AggregatorFrame } from "@consilium/proto/generated/consilium/v1/AggregatorFrame";
import { chunkBytes } from "@consilium/proto/limits";
import type { Logger } from "@consilium/runtime/log";
import type { UploadBegin } from "@consilium/runtime/store/blobs";
import { analysisOf } from "../analyses/analyses.js";
import type { AnalysisResult, Conversation, ReducedRows } from "../analyses/analysis.js";
import type { Presence, SiteSession } from "../roster/presence.js";
import type { SiteMessage, Upload } from "../rpc/toDomain.js";
import { OpenStep } from "./openStep.js";
import type { ParticipantRecord, StepRecord, StudyRecord, StudyRecords } from "./records.js";
import { shuffleRows } from "./shuffle.js";
import { addStoredVector, StudyFiles } from "./studyFiles.js";
import { openStepFrame } from "./taskFrames.js";

/** What a run needs of its process. */
export interface RunContext {
  readonly records: StudyRecords;
  readonly presence: Presence;
  readonly kernels: NumericKernels;
  /** The operating system's generator: it shuffles the rows. */
  readonly random: RandomSource;
  readonly now: () => number;
  /** Whether the federation has expelled the site of this signing key. */
  readonly isExpelled: (signingKey: Uint8Array) => boolean;
  readonly software: string;
  readonly stateFolder: string;
  readonly log: Logger;
  /** Renders, signs and deposits the release; idempotent by the study's id. `onSigned` comes before it can be committed. */
  readonly publish: (
    finished: FinishedStudy,
    signal: AbortSignal,
    onSigned: () => void,
  ) => Promise<{ url: string }>;
}

/** Everything a release is made from. */
export interface FinishedStudy {
  readonly record: StudyRecord;
  readonly document: StudyDocument;
  readonly plan: Plan;
  readonly roster: Roster;
  readonly result: AnalysisResult;
  /** When the computation ended, milliseconds; drawn once, so that a second deposit is the same. */
  readonly finishedAt: number;
}

/** Pauses between attempts to reach a publisher that does not answer. */
const depositRetryMs = 2_000;
const joinStep = "join" as StageId;
const publishStep = "publish" as StageId;
/** Dealt masks are spent with the sites that hold them: a stage has one attempt, re-sent, never a second. */
const attempt = 1;

/**
 * One study from its invitation to its release. What it has come to is stored step by step, so `run` may be called
 * again after a crash or a failure and goes on from there: the script below simply runs again, and every step that is
 * stored returns at once.
 */
export class StudyRun extends EventEmitter<{ changed: [] }> {
  readonly id: StudyId;
  readonly document: StudyDocument;
  readonly plan: Plan;
  readonly #context: RunContext;
  readonly #files: StudyFiles;
  readonly #abort = new AbortController();
  #open: OpenStep | null = null;
  /** From the certificate's signature to the publisher's answer. */
  #committing = false;
  #members: readonly ParticipantRecord[] = [];
  #isOver = false;
  /** Fixed before the first exchange is opened. */
  #roster: Roster | null = null;

  constructor(record: StudyRecord, context: RunContext) {
    super();
    this.setMaxListeners(0);
    this.id = record.id;
    this.document = unwrap(readStudyDocument(record.text, record.hash));
    this.plan = planStudy(this.document.study);
    this.#context = context;
    this.#files = new StudyFiles(context.stateFolder, record.id);
    // Known from the first moment on: a site may go on with an upload before the script has come so far again.
    this.#members = this.#onRoster();
  }

  /** The run has ended, in whatever way: its files are closed, perhaps removed. */
  get isOver(): boolean {
    return this.#isOver;
  }

  get open(): OpenStep | null {
    return this.#open;
  }

  /** Runs until the study is released, failed or cancelled, and stores how it ended. Never throws. */
  async run(): Promise<void> {
    const { records, log, now } = this.#context;
    try {
      await this.#files.open();
      this.#checkSoftware();
      const roster = await this.#gatherRoster();
      records.setStatus(this.id, "running");
      for (const step of this.plan.setup) await this.#exchange(step as string as StageId);
      const result = await analysisOf(this.document.study)(this.#conversation(roster));
      this.#throwIfCancelled();
      if (result.rowsUsed !== null) records.setRows(this.id, result.rowsUsed);
      await this.#publish(roster, result);
      this.#end({ status: "released" });
      await this.#files.removeAll();
    } catch (thrown) {
      const error = toConsiliumError(thrown);
      if (error.code === "INTERNAL") log.error("the study failed", { study: this.id }, thrown);
      const status = error.code === "STUDY_CANCELLED" ? "cancelled" : "failed";
      this.#isOver = true;
      // Closed before it is shown as failed: whoever resumes it then opens them anew.
      await this.#files.close();
      this.#end({ status, code: error.code, message: error.message });
      if (status === "cancelled") await this.#files.removeAll();
    } finally {
      this.#open?.complete();
      this.#open = null;
      await this.#files.close();
      records.event(now(), "ended", { study: this.id });
      this.emit("changed");
    }
  }

  /** @returns false when it is too late: the publisher may be committing the release */
  cancel(): boolean {
    if (this.#committing) return false;
    const error = new ConsiliumError("STUDY_CANCELLED", `study ${this.id} was cancelled by the operator`);
    this.#abort.abort(error);
    this.#open?.fail(error);
    return true;
  }

  // ---- the script's steps -------------------------------------------------------------------------------------

  #checkSoftware(): void {
    const record = this.#record();
    if (record.software === this.#context.software) return;
    throw new ConsiliumError(
      "STUDY_STATE",
      `study ${this.id} was begun by version ${record.software}, this is ${this.#context.software}`,
      { remedy: "finish it with the version that began it, or start it again" },
    );
  }

  /** Invites, waits for decisions, and fixes the roster: every site that joined, once enough have. */
  async #gatherRoster(): Promise<Roster> {
    const { records } = this.#context;
    const study = this.document.study;
    const minimum = study.participation.minimumSites;
    const fixed = records.participants(this.id).some((p) => p.onRoster);
    if (!fixed) {
      const invited = records.participants(this.id);
      const undecided = invited.filter((p) => p.decision === "none").map((p) => p.site);
      const step = this.#openStep(joinStep, "join", undecided, "invited", 0, (missing) => {
        const joined = this.#joined().length;
        if (joined >= minimum) return null;
        return new ConsiliumError(
          "ROSTER_TOO_SMALL",
          `study ${this.id}: ${joined} of at least ${minimum} sites joined before the deadline; ${this.#refusals()}no answer from ${list(missing)}`,
        );
      });
      for (const { site, decision } of invited) {
        if (decision !== "none")
          step.sites.set(site, progressOf(decision === "joined" ? "accepted" : "refused"));
      }
      this.#announce(step);
      await this.#wait(step);
      const joined = this.#joined();
      if (joined.length < minimum) {
        throw new ConsiliumError(
          "ROSTER_TOO_SMALL",
          `study ${this.id}: ${joined.length} of at least ${minimum} sites joined; ${this.#refusals()}`.replace(
            /; $/,
            "",
          ),
        );
      }
      records.fixRoster(this.id, joined);
    }
    this.#closeStep(joinStep);
    this.#members = this.#onRoster();
    const roster = unwrap(
      buildRoster(
        { id: this.id, hash: this.document.hash, minimumSites: minimum },
        this.#members.map((p) => ({
          site: p.site,
          signingKey: p.signingKey!,
          exchangeKey: p.exchangeKey!,
          joinSignature: p.joinSignature!,
        })),
      ),
    );
    this.#roster = roster;
    return roster;
  }

  #onRoster(): ParticipantRecord[] {
    return this.#context.records.participants(this.id).filter((p) => p.onRoster);
  }

  #joined(): SiteId[] {
    return this.#context.records
      .participants(this.id)
      .filter((p) => p.decision === "joined" && !this.#context.isExpelled(p.signingKey!))
      .map((p) => p.site);
  }

  #refusals(): string {
    const refused = this.#context.records.participants(this.id).filter((p) => p.decision === "refused");
    if (refused.length === 0) return "";
    return `refused by ${refused.map((p) => `${p.site} (${p.refusalCode})`).join(", ")}; `;
  }

  async #exchange(id: StageId): Promise<void> {
    const { records } = this.#context;
    const posted = new Set(records.posts(this.id, id, attempt).map((p) => p.site));
    // A crash may have come between the last post and the step's end.
    if (posted.size === this.#members.length) return this.#closeStep(id);
    const missing = this.#memberSites().filter((site) => !posted.has(site));
    const step = this.#openStep(id, "exchange", missing, "working", 0, this.#missedDeadline(id));
    for (const site of posted) step.sites.set(site, progressOf("done"));
    this.#announce(step);
    await this.#wait(step);
    this.#closeStep(id);
  }

  #conversation(roster: Roster): Conversation {
    return {
      study: this.document.study,
      sites: roster.members.length,
      kernels: this.#context.kernels,
      sum: (stage, broadcast) => this.#sum(stage, broadcast),
      rows: (stage, broadcast) => this.#rows(stage, broadcast),
    };
  }

  async #sum(id: StageId, broadcast: Broadcast): Promise<BigUint64Array> {
    const { records } = this.#context;
    const stored = records.result(this.id, id);
    if (stored?.sha256) return fromLittleEndianBytes(await this.#files.readResult(id));
    const stage = this.#stage(id, "sum");
    await this.#collect(stage, broadcast, stage.length * 8);
    const sum = new BigUint64Array(stage.length);
    for (const site of this.#memberSites())
      await addStoredVector(sum, this.#files.uploadPath(id, attempt, site));
    records.setResult(this.id, id, { sha256: await this.#files.writeResult(id, littleEndianBytes(sum)) });
    await this.#files.removeUploads(id, attempt, this.#memberSites());
    return sum;
  }

  async #rows(id: StageId, broadcast: Broadcast): Promise<ReducedRows> {
    const { records, random } = this.#context;
    const stage = this.#stage(id, "rows");
    const hasLabel = this.document.study.label !== undefined;
    const path = this.#files.rowsPath(id);
    const stored = records.result(this.id, id);
    if (stored !== null) return { path, rows: Number(stored.value), columns: stage.columns, hasLabel };
    await this.#collect(stage, broadcast, 0);
    const sources = this.#memberSites().map((site) => this.#files.uploadPath(id, attempt, site));
    const shuffled = await shuffleRows(sources, {
      rowBytes: rowBytes(stage.columns, hasLabel),
      target: path,
      random,
    });
    records.setResult(this.id, id, { sha256: shuffled.sha256, value: String(shuffled.rows) });
    await this.#files.removeUploads(id, attempt, this.#memberSites());
    return { path, rows: shuffled.rows, columns: stage.columns, hasLabel };
  }

  /** Broadcasts a stage and waits until every site's answer is stored. */
  async #collect(stage: StagePlan, broadcast: Broadcast, expectedBytes: number): Promise<void> {
    const { records } = this.#context;
    await this.#recordBroadcast(stage.id, broadcast);
    const done = new Set(
      records
        .uploads(this.id, stage.id, attempt)
        .filter((upload) => upload.complete)
        .map((upload) => upload.site),
    );
    const missing = this.#memberSites().filter((site) => !done.has(site));
    const step = this.#openStep(
      stage.id,
      stage.kind,
      missing,
      "working",
      expectedBytes,
      this.#missedDeadline(stage.id),
    );
    for (const site of done) step.sites.set(site, progressOf("done"));
    this.#announce(step);
    await this.#wait(step);
    this.#closeStep(stage.id);
  }

  /** Written before use. A replay must come to the same bytes; anything else is a fault of ours. */
  async #recordBroadcast(stage: StageId, broadcast: Broadcast): Promise<void> {
    const { records } = this.#context;
    const items = await Promise.all(
      Object.entries(broadcast).map(async ([name, values]) => ({
        stage,
        name,
        length: values.length,
        sha256: await this.#files.writeBroadcast(broadcastBytes(values)),
      })),
    );
    const before = records.broadcastsOf(this.id, stage);
    if (before.length === 0) {
      records.recordBroadcasts(this.id, items);
      return;
    }
    const same =
      before.length === items.length &&
      before.every((b, i) => b.name === items[i]!.name && b.sha256 === items[i]!.sha256);
    if (!same)
      throw new ConsiliumError(
        "INTERNAL",
        `study ${this.id}: the replay of stage ${stage} broadcasts something else`,
      );
  }

  async #publish(roster: Roster, result: AnalysisResult): Promise<void> {
    const { records, now, log } = this.#context;
    records.setStatus(this.id, "publishing");
    let drawn = records.result(this.id, publishStep);
    if (drawn === null) {
      records.setResult(this.id, publishStep, { value: String(now()) });
      drawn = records.result(this.id, publishStep);
    }
    const finished: FinishedStudy = {
      record: this.#record(),
      document: this.document,
      plan: this.plan,
      roster,
      result,
      finishedAt: Number(drawn!.value),
    };
    const step = this.#openStep(publishStep, "deposit", [], "working", 0, () => null, true);
    for (;;) {
      this.#throwIfCancelled();
      try {
        const { url } = await this.#context.publish(finished, this.#abort.signal, () => {
          this.#committing = true;
        });
        records.setRelease(this.id, url);
        this.#closeStep(publishStep);
        return;
      } catch (thrown) {
        this.#committing = false;
        const error = toConsiliumError(thrown);
        this.#throwIfCancelled();
        const retriable = error.code === "PUBLISHER_UNREACHABLE" || error.code === "UNREACHABLE";
        if (!retriable) throw error;
        if (now() >= step.deadlineAt) {
          throw new ConsiliumError(
            "PUBLISHER_UNREACHABLE",
            `study ${this.id}: no publisher took the release before the deadline`,
            {
              remedy: "start the publisher, then `consilium study resume`",
            },
          );
        }
        log.warn("the publisher does not answer; trying again", { study: this.id }, error);
        await new Promise((resolve) => setTimeout(resolve, depositRetryMs));
      }
    }
  }

  // ---- waiting ------------------------------------------------------------------------------------------------

  #openStep(
    id: StageId,
    kind: StepRecord["kind"],
    sites: readonly SiteId[],
    initial: "invited" | "working",
    expectedBytes: number,
    atDeadline: (missing: readonly SiteId[]) => ConsiliumError | null,
    staysOpen = false,
  ): OpenStep {
    this.#throwIfCancelled();
    const fault = kind === "join" || kind === "deposit" ? null : this.#expulsionFault();
    if (fault !== null) throw fault;
    const { records, now } = this.#context;
    const at = now();
    records.openStep(this.id, id, kind, attempt, at);
    const deadlineAt = at + this.document.study.participation.phaseDeadline;
    const step = new OpenStep({
      id,
      kind,
      attempt,
      deadlineAt,
      now: at,
      sites,
      initial,
      expectedBytes,
      atDeadline,
    });
    if (staysOpen) step.complete();
    this.#open = step;
    records.event(at, "opened", { study: this.id, detail: id });
    this.emit("changed");
    return step;
  }

  /** Tells every connected site that the step waits for. */
  #announce(step: OpenStep): void {
    for (const site of step.missing) {
      const session = this.#context.presence.session(site);
      if (session !== null) this.#sendOpenStep(session, step);
    }
  }

  async #wait(step: OpenStep): Promise<void> {
    await step.settled;
    this.#throwIfCancelled();
  }

  #closeStep(id: StageId): void {
    const { records, now } = this.#context;
    records.closeStep(this.id, id, attempt, now());
    this.#open = null;
    this.emit("changed");
  }

  #missedDeadline(id: StageId): (missing: readonly SiteId[]) => ConsiliumError {
    return (missing) =>
      new ConsiliumError(
        "PHASE_DEADLINE",
        `study ${this.id}: step ${id} still waited for ${list(missing)} at its deadline`,
      );
  }

  #throwIfCancelled(): void {
    if (this.#abort.signal.aborted) throw this.#abort.signal.reason;
  }

  // ---- what sites do ------------------------------------------------------------------------------------------

  /** A site has connected: it is told again what is waited for. */
  connected(session: SiteSession): void {
    const step = this.#open;
    if (step?.isWaitingFor(session.site)) this.#sendOpenStep(session, step);
    this.emit("changed");
  }

  /** A site has been expelled: it is not waited for, and a roster that holds it cannot go on. */
  expelled(site: SiteId): void {
    const { records, now } = this.#context;
    const step = this.#open;
    if (step === null) return;
    if (step.kind === "join") {
      if (!step.isWaitingFor(site)) return;
      records.refuse(this.id, site, "SITE_EXPELLED");
      records.event(now(), "refused", { study: this.id, site, detail: "SITE_EXPELLED" });
      step.answered(site, "refused");
    } else if (step.kind !== "deposit") {
      const fault = this.#expulsionFault();
      if (fault !== null) step.fail(fault);
    }
    this.emit("changed");
  }

  #expulsionFault(): ConsiliumError | null {
    const gone = this.#members.filter((member) => this.#context.isExpelled(member.signingKey!));
    if (gone.length === 0) return null;
    const names = list(gone.map((member) => member.site));
    return new ConsiliumError(
      "SITE_EXPELLED",
      `study ${this.id}: ${names} on its roster has been expelled; start the study again without it`,
    );
  }

  presenceChanged(site: SiteId): void {
    if (this.#open?.sites.has(site)) this.emit("changed");
  }

  #sendOpenStep(session: SiteSession, step: OpenStep): void {
    const { records, now } = this.#context;
    const source = {
      studyId: this.id,
      document: this.document,
      plan: this.plan,
      members: this.#members,
      records,
    };
    session.send(openStepFrame(source, session.site, step, now()));
  }

  decided(session: SiteSession, message: Extract<SiteMessage, { kind: "decision" }>): void {
    const { records, now } = this.#context;
    const step = this.#open;
    const { decision } = message;
    if (step === null || step.kind !== "join" || !step.isWaitingFor(session.site)) return;
    if (decision.joined) {
      // One site that cannot sign must not spoil the roster for all the others.
      const fault = joinFault(
        { id: this.id, hash: this.document.hash },
        { ...session, exchangeKey: decision.exchangeKey, joinSignature: decision.signature },
      );
      if (fault !== null) {
        records.refuse(this.id, session.site, "FIELD_INVALID");
        records.event(now(), "refused", { study: this.id, site: session.site, detail: "FIELD_INVALID" });
        step.answered(session.site, "refused");
        this.emit("changed");
        throw new ConsiliumError("FIELD_INVALID", `study ${this.id}, site ${session.site}: ${fault}`);
      }
      records.join(this.id, session.site, {
        chain: JSON.stringify(session.chain.map((der) => Buffer.from(der).toString("base64"))),
        signingKey: session.signingKey,
        exchangeKey: decision.exchangeKey,
        signature: decision.signature,
      });
      records.event(now(), "joined", { study: this.id, site: session.site });
      step.answered(session.site, "accepted");
    } else {
      records.refuse(this.id, session.site, decision.code);
      records.event(now(), "refused", { study: this.id, site: session.site, detail: decision.code });
      step.answered(session.site, "refused");
    }
    this.emit("changed");
  }

  posted(site: SiteId, message: Extract<SiteMessage, { kind: "exchangePost" }>): void {
    const { records, now } = this.#context;
    const step = this.#open;
    if (step === null || step.kind !== "exchange" || step.id !== message.step || !step.isWaitingFor(site))
      return;
    if (message.attempt !== step.attempt) return;
    const fault = postFault(this.#roster!, step.id as string as SetupStep, site, message);
    if (fault !== null) {
      throw new ConsiliumError("FIELD_INVALID", `study ${this.id}, step ${step.id}, site ${site}: ${fault}`);
    }
    const envelopes = Object.fromEntries(
      message.envelopes.map(({ to, sealed }) => [to, Buffer.from(sealed).toString("base64")]),
    );
    records.post(this.id, step.id, attempt, {
      site,
      publicPart: message.publicPart,
      signature: message.signature,
      envelopes,
    });
    records.event(now(), "posted", { study: this.id, site, detail: step.id });
    step.answered(site, "done");
    this.emit("changed");
  }

  progressed(site: SiteId, message: Extract<SiteMessage, { kind: "progress" }>): void {
    const step = this.#open;
    if (step === null || step.id !== message.step || !step.isWaitingFor(site)) return;
    step.progress(site, { fraction: message.fraction, state: "working" });
    this.emit("changed");
  }

  faulted(site: SiteId, message: Extract<SiteMessage, { kind: "stepFault" }>): void {
    const { records, now } = this.#context;
    const step = this.#open;
    if (step === null || step.id !== message.step || !step.isWaitingFor(site)) return;
    records.event(now(), "failed", { study: this.id, site, detail: message.code });
    step.progress(site, { state: "failed" });
    step.fail(
      new ConsiliumError(
        "SITE_FAILED",
        `study ${this.id}: site ${site} could not answer step ${step.id} (${message.code})`,
      ),
    );
  }

  // ---- uploads ------------------------------------------------------------------------------------------------

  /**
   * Takes up an upload where it stands.
   * @returns the upload to append to; `complete` when the whole is stored already
   * @throws ConsiliumError when this step does not await this upload, or it is not what the plan says
   */
  async beginUpload(site: SiteId, upload: Upload, kind: "sum" | "rows"): Promise<UploadBegin> {
    const { records } = this.#context;
    const place = `study ${this.id}, step ${upload.step}, site ${site}`;
    if (!this.#memberSites().includes(site)) {
      throw new ConsiliumError("NOT_PERMITTED", `${place}: the site is not on the study's roster`);
    }
    const declared = { sha256: upload.sha256, bytes: upload.totalBytes };
    const before = records.upload(this.id, upload.step, upload.attempt, site);
    if (before !== null && (before.sha256 !== declared.sha256 || before.bytes !== declared.bytes)) {
      throw new ConsiliumError("UPLOAD_CHANGED", `${place}: another answer was begun before`);
    }
    if (before?.complete) return { complete: declared };
    const step = this.#open;
    if (
      step === null ||
      step.id !== upload.step ||
      step.kind !== kind ||
      step.attempt !== upload.attempt ||
      !step.isWaitingFor(site)
    ) {
      throw new ConsiliumError("MESSAGE_UNEXPECTED", `${place}: nothing is awaited there`);
    }
    this.#checkLength(this.#stage(upload.step, kind), upload, place);
    records.beginUpload(this.id, upload.step, upload.attempt, { site, ...declared });
    const begun = await this.#files.beginUpload(upload.step, upload.attempt, site, declared);
    const receivedBytes = begun.complete === undefined ? begun.upload.received : declared.bytes;
    step.progress(site, { state: "uploading", expectedBytes: declared.bytes, receivedBytes });
    this.emit("changed");
    return begun;
  }

  #checkLength(stage: StagePlan, upload: Upload, place: string): void {
    if (stage.kind === "sum") {
      if (upload.totalBytes === stage.length * 8) return;
      throw new ConsiliumError(
        "UPLOAD_LENGTH",
        `${place}: ${upload.totalBytes} bytes where ${stage.length * 8} are due`,
      );
    }
    const perRow = rowBytes(stage.columns, this.document.study.label !== undefined);
    const most = stageUploadBytes(stage, this.document.study);
    if (upload.totalBytes % perRow === 0 && upload.totalBytes <= most) return;
    throw new ConsiliumError(
      "UPLOAD_LENGTH",
      `${place}: not whole rows of ${perRow} bytes, or over ${most} bytes`,
    );
  }

  received(site: SiteId, bytes: number): void {
    this.#open?.progress(site, { receivedBytes: bytes });
    this.emit("changed");
  }

  /** The upload is whole, checked and durable. */
  finishUpload(site: SiteId, upload: Upload): void {
    const { records, now } = this.#context;
    const at = now();
    records.completeUpload(this.id, upload.step, upload.attempt, site, at);
    records.event(at, "received", { study: this.id, site, detail: `${upload.step} ${upload.sha256}` });
    if (this.#open?.id === upload.step) this.#open.answered(site, "done");
    this.emit("changed");
  }

  /** A broadcast of this study, for a site on its roster. */
  broadcastStream(site: SiteId, hash: Sha256, offset: number) {
    if (!this.#memberSites().includes(site)) {
      throw new ConsiliumError("NOT_PERMITTED", `study ${this.id}: site ${site} is not on its roster`);
    }
    if (!this.#files.isOpen)
      throw new ConsiliumError("MESSAGE_UNEXPECTED", `study ${this.id} is not taken up again yet`);
    const known = this.#context.records.broadcasts(this.id).find((item) => item.sha256 === hash);
    if (known === undefined)
      throw new ConsiliumError("FIELD_INVALID", `study ${this.id} has no broadcast of that hash`);
    if (this.#open === null)
      throw new ConsiliumError("MESSAGE_UNEXPECTED", `study ${this.id} asks nothing at present`);
    if (offset > known.length * 8) {
      throw new ConsiliumError("FIELD_INVALID", `study ${this.id}: the broadcast ends before that offset`);
    }
    return this.#files.readBroadcast(hash, offset, chunkBytes);
  }

  // ---- the end ------------------------------------------------------------------------------------------------

  #end(outcome: { status: "released" | "failed" | "cancelled"; code?: ErrorCode; message?: string }): void {
    const { records, presence, now } = this.#context;
    this.#isOver = true;
    records.end(this.id, { ...outcome, at: now() });
    for (const participant of records.participants(this.id)) {
      if (participant.decision === "refused") continue;
      const session = presence.session(participant.site);
      session?.send(studyEndedFrame(this.id, outcome.status, outcome.code ?? null));
    }
  }

  #record(): StudyRecord {
    const record = this.#context.records.study(this.id);
    if (record === null) throw new RangeError(`study ${this.id} is not stored`);
    return record;
  }

  #memberSites(): SiteId[] {
    return this.#members.map((member) => member.site);
  }

  #stage<K extends StagePlan["kind"]>(id: StageId, kind: K): Extract<StagePlan, { kind: K }> {
    const stage = this.plan.stages.find((candidate) => candidate.id === id);
    if (stage === undefined || stage.kind !== kind)
      throw new RangeError(`the plan has no ${kind} stage ${id}`);
    return stage as Extract<StagePlan, { kind: K }>;
  }
}

export function studyEndedFrame(studyId: StudyId, outcome: string, code: ErrorCode | null): AggregatorFrame {
  return { frame: "studyEnded", studyEnded: { studyId, outcome, code: code ?? "" } };
}

function list(sites: readonly SiteId[]): string {
  return sites.length === 0 ? "nobody" : sites.join(", ");
}

function progressOf(state: "accepted" | "refused" | "done") {
  return { state, fraction: 1, receivedBytes: 0, expectedBytes: 0 };
}
