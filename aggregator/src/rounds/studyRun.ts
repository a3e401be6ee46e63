import { EventEmitter } from "node:events";
import { ConsiliumError, type ErrorCode, toConsiliumError } from "@consilium/core/errors";
import type { Sha256, SiteId, StageId, StudyId } from "@consilium/core/ids";
import type { StageAttempt } from "@consilium/core/release/attempts";
import { chunkBytes } from "@consilium/proto/limits";
import { analysisOf } from "../analyses/analyses.js";
import type { Conversation, ReducedRows, RowsPart } from "../analyses/analysis.js";
import type { SiteSession } from "../roster/presence.js";
import type { SiteMessage, Upload } from "../rpc/toDomain.js";
import { Countersigning } from "./countersigning.js";
import { DealtStages } from "./dealtStages.js";
import { Gathering } from "./gathering.js";
import { writeMadeRows } from "./madeRows.js";
import type { OpenStep } from "./openStep.js";
import { OpenStudy } from "./openStudy.js";
import { PairwiseStages } from "./pairwiseStages.js";
import { Publishing } from "./publishing.js";
import type { StudyRecord } from "./records.js";
import { collectRows } from "./rowsStage.js";
import type { RunContext } from "./runContext.js";
import { sumStageIds } from "./studyPlans.js";
import { collectTags } from "./tagsStage.js";
import { studyEndedFrame } from "./taskFrames.js";
import { Uploads } from "./uploads.js";

/**
 * One study from its invitation to its release. What it has come to is stored step by step, so `run` may be called
 * again after a crash or a failure and goes on from there: the script below simply runs again, and every step that is
 * stored returns at once.
 */
export class StudyRun extends EventEmitter<{ changed: [] }> {
  readonly #study: OpenStudy;
  readonly #context: RunContext;
  readonly #gathering: Gathering;
  readonly #dealt: DealtStages;
  readonly #pairwise: PairwiseStages;
  readonly #uploads: Uploads;
  readonly #countersigning: Countersigning;
  readonly #publishing: Publishing;
  #isOver = false;

  constructor(record: StudyRecord, context: RunContext) {
    super();
    this.setMaxListeners(0);
    const study = new OpenStudy(record, context);
    this.#study = study;
    this.#context = context;
    this.#gathering = new Gathering(study);
    this.#dealt = new DealtStages(study);
    this.#pairwise = new PairwiseStages(study);
    this.#uploads = new Uploads(study);
    this.#countersigning = new Countersigning(study);
    this.#publishing = new Publishing(study);
    study.on("changed", () => this.emit("changed"));
  }

  get id(): StudyId {
    return this.#study.id;
  }

  /** The run has ended, in whatever way: its files are closed, perhaps removed. */
  get isOver(): boolean {
    return this.#isOver;
  }

  get open(): OpenStep | null {
    return this.#study.open;
  }

  /** Runs until the study is released, failed or cancelled, and stores how it ended. Never throws. */
  async run(): Promise<void> {
    const study = this.#study;
    const { records, log, now } = this.#context;
    try {
      await study.files.open();
      this.#checkSoftware();
      await this.#gathering.roster();
      records.setStatus(study.id, "running");
      for (const step of study.plan.setup) await this.#dealt.exchange(step as string as StageId);
      const result = await analysisOf(study.document.study)(this.#conversation());
      study.throwIfCancelled();
      if (result.rowsUsed !== null) records.setRows(study.id, result.rowsUsed);
      const attempts = this.#attempts();
      const countersignatures = await this.#countersigning.collect(attempts, this.#survivors());
      await this.#publishing.publish(result, attempts, countersignatures);
      this.#end({ status: "released" });
      await study.files.removeAll();
    } catch (thrown) {
      const error = toConsiliumError(thrown);
      if (error.code === "INTERNAL") log.error("the study failed", { study: study.id }, thrown);
      const status = error.code === "STUDY_CANCELLED" ? "cancelled" : "failed";
      this.#isOver = true;
      // Closed before it is shown as failed: whoever resumes it then opens them anew.
      await study.files.close();
      this.#end({ status, code: error.code, message: error.message });
      if (status === "cancelled") await study.files.removeAll();
    } finally {
      study.leave();
      await study.files.close();
      records.event(now(), "ended", { study: study.id });
      this.emit("changed");
    }
  }

  /** @returns false when it is too late: the publisher may be committing the release */
  cancel(): boolean {
    if (this.#publishing.isCommitting) return false;
    this.#study.cancel(
      new ConsiliumError("STUDY_CANCELLED", `study ${this.id} was cancelled by the operator`),
    );
    return true;
  }

  #checkSoftware(): void {
    const record = this.#study.record();
    if (record.software === this.#context.software) return;
    throw new ConsiliumError(
      "STUDY_STATE",
      `study ${this.id} was begun by version ${record.software}, this is ${this.#context.software}`,
      { remedy: "finish it with the version that began it, or start it again" },
    );
  }

  #end(outcome: { status: "released" | "failed" | "cancelled"; code?: ErrorCode; message?: string }): void {
    const { records, presence, now } = this.#context;
    this.#isOver = true;
    records.transaction(() => {
      records.end(this.id, { ...outcome, at: now() });
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
    const survivors = () => this.#survivors().length;
    return {
      study: study.document.study,
      sites: study.members.length,
      kernels: this.#context.kernels,
      sum: (stage, broadcast) =>
        study.plan.masking === "dealer"
          ? this.#dealt.sum(stage, broadcast)
          : this.#pairwise.sum(stage, broadcast),
      rows: (stage, broadcast) => collectRows(study, stage, broadcast, this.#survivors()),
      tags: (stage, broadcast) => collectTags(study, stage, broadcast, this.#survivors()),
      get survivors() {
        return survivors();
      },
      draw: (name, make) => this.#draw(name, make),
      writeRows: (name, shape, parts) => this.#writeRows(name, shape, parts),
    };
  }

  /** The sites of the newest sum that is done; those of the roster before the first. */
  #survivors(): readonly SiteId[] {
    const { id, plan, memberSites } = this.#study;
    return this.#context.records.attempts.lastSurvivors(id, sumStageIds(plan)) ?? memberSites;
  }

  /** Every attempt in which a vector, or rows, may have left a site: in the plan's order. */
  #attempts(): StageAttempt[] {
    const { id, plan } = this.#study;
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

  /** Stage ids have no colon, so a drawn value never takes a stage's place. */
  #draw(name: string, make: () => string): string {
    const { records } = this.#context;
    const key = `draw:${name}`;
    const before = records.result(this.id, key);
    if (before !== null) return before.value!;
    const value = make();
    records.setResult(this.id, key, { value });
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
      records.setResult(this.id, key, { sha256: written.sha256, value: String(written.rows) });
      stored = records.result(this.id, key);
    }
    return { path, rows: Number(stored!.value), ...shape };
  }

  // ---- what sites do ------------------------------------------------------------------------------------------

  connected(session: SiteSession): void {
    this.#study.connected(session);
  }

  expelled(site: SiteId): void {
    this.#study.expelled(site);
  }

  presenceChanged(site: SiteId): void {
    if (this.open?.sites.has(site)) this.emit("changed");
  }

  decided(session: SiteSession, message: Extract<SiteMessage, { kind: "decision" }>): void {
    this.#gathering.decided(session, message);
  }

  awaitsApproval(site: SiteId): void {
    this.#gathering.awaitsApproval(site);
  }

  exchanged(site: SiteId, message: Extract<SiteMessage, { kind: "exchangePost" }>): void {
    this.#dealt.posted(site, message);
  }

  sumPosted(site: SiteId, message: Extract<SiteMessage, { kind: "sumPost" }>): Promise<void> {
    return this.#pairwise.posted(site, message);
  }

  countersigned(site: SiteId, message: Extract<SiteMessage, { kind: "countersignature" }>): void {
    this.#countersigning.posted(site, message);
  }

  working(site: SiteId, message: Extract<SiteMessage, { kind: "working" }>): void {
    const { open } = this;
    if (open === null || open.wireStep !== message.step || !open.isWaitingFor(site)) return;
    open.progress(site, { workingSince: this.#context.now(), state: "working" });
    this.emit("changed");
  }

  faulted(site: SiteId, message: Extract<SiteMessage, { kind: "stepFault" }>): void {
    const { records, now } = this.#context;
    const step = this.open;
    if (step === null || step.wireStep !== message.step || !step.isWaitingFor(site)) return;
    if (step.attempt !== message.attempt) return;
    records.event(now(), "failed", { study: this.id, site, detail: message.code });
    if (step.duties?.onFault !== undefined) {
      step.duties.onFault(site, message.code);
      this.emit("changed");
      return;
    }
    step.progress(site, { state: "failed", code: message.code });
    step.fail(
      new ConsiliumError(
        "SITE_FAILED",
        `study ${this.id}: site ${site} could not answer step ${step.id} (${message.code})`,
      ),
    );
  }

  // ---- transfers ----------------------------------------------------------------------------------------------

  beginUpload(site: SiteId, upload: Upload, kind: "sum" | "rows") {
    return this.#uploads.begin(site, upload, kind);
  }

  received(site: SiteId, bytes: number): void {
    this.#uploads.received(site, bytes);
  }

  finishUpload(site: SiteId, upload: Upload): Promise<void> {
    return this.#uploads.finish(site, upload);
  }

  /** A broadcast of this study, for a site on its roster. */
  broadcastStream(site: SiteId, hash: Sha256, offset: number) {
    const { memberSites, files } = this.#study;
    if (!memberSites.includes(site)) {
      throw new ConsiliumError("NOT_PERMITTED", `study ${this.id}: site ${site} is not on its roster`);
    }
    if (!files.isOpen)
      throw new ConsiliumError("MESSAGE_UNEXPECTED", `study ${this.id} is not taken up again yet`);
    const known = this.#context.records.broadcasts(this.id).find((item) => item.sha256 === hash);
    if (known === undefined)
      throw new ConsiliumError("FIELD_INVALID", `study ${this.id} has no broadcast of that hash`);
    if (this.open === null)
      throw new ConsiliumError("MESSAGE_UNEXPECTED", `study ${this.id} asks nothing at present`);
    if (offset > known.length * 8) {
      throw new ConsiliumError("FIELD_INVALID", `study ${this.id}: the broadcast ends before that offset`);
    }
    return files.readBroadcast(hash, offset, chunkBytes);
  }
}
