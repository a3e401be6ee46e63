import { EventEmitter } from "node:events";
import { type ConsiliumError, type ErrorCode, toConsiliumError } from "@consilium/core/errors";
import { faults } from "@consilium/core/fault";
import type { Sha256, SiteId, StageId, StudyId } from "@consilium/core/ids";
import { inlineBytes } from "@consilium/core/limits";
import type { SiteStepState } from "@consilium/core/operator/views";
import type { StageAttempt } from "@consilium/core/release/attempts";
import { demandCertificate } from "@consilium/core/release/largestStatement";
import {
  type Broadcast,
  type BroadcastItem,
  boundHash,
  broadcastBytes,
} from "@consilium/core/study/broadcast";
import type { Plan, RowsStage, StagePlan, SumStage, TagsStage } from "@consilium/core/study/plan";
import { planHash, planText } from "@consilium/core/study/planFacts";
import { joinMsOf, type StudyDocument } from "@consilium/core/study/study";
import { sha256Bytes } from "@consilium/proto/fields";
import type { BroadcastItem as WireBroadcastItem } from "@consilium/proto/generated/consilium/v1/BroadcastItem";
import { sha256 } from "@consilium/secure-sum/crypto/hash";
import type { Roster } from "@consilium/secure-sum/roster";
import type { RoundSays } from "@consilium/words/says/rounds";
import type { SiteSession } from "../roster/presence.js";
import { OpenStep, type StepDuties } from "./openStep.js";
import type { ParticipantRecord, PlanKind, StepRecord, StudyRecord } from "./records.js";
import type { RunContext } from "./runContext.js";
import { RunningSum } from "./runningSum.js";
import { StudyFiles } from "./studyFiles.js";
import { demandPlan, type PlannedStudy, stageOf } from "./studyPlans.js";
import { storedSum } from "./sumOfUploads.js";
import { broadcastsToWire, invitationFrame, rosterToWire, taskFrame } from "./taskFrames.js";

const fault = faults<RoundSays>();

/** Kinds of steps that need disk space. The others are small, and ending studies frees space. */
const takesRoom: ReadonlySet<StepRecord["kind"]> = new Set(["join", "sum", "rows", "tags"]);

/** A step to open, without the fields common to all steps of a study. */
interface StepOptions {
  readonly id: StageId;
  readonly wireStep?: StageId;
  readonly kind: StepRecord["kind"];
  readonly attempt: number;
  /** The sites whose answers are missing. */
  readonly sites: readonly SiteId[];
  /** The progress of sites without a request. */
  readonly others?: ReadonlyMap<SiteId, SiteStepState>;
  readonly initial: SiteStepState;
  readonly expectedBytes?: number;
  readonly deadlineEffect: string;
  readonly atDeadline: (missing: readonly SiteId[]) => ConsiliumError | null;
  readonly duties?: StepDuties;
  /** Written in the transaction that opens the step. */
  readonly alongside?: () => void;
}

/**
 * A running study, shared by all parts of its run: its document, its members, and the one open step.
 */
export class OpenStudy extends EventEmitter<{ changed: [] }> {
  readonly id: StudyId;
  readonly context: RunContext;
  readonly files: StudyFiles;
  readonly #abort = new AbortController();
  /** Connections on which the roster was already sent. */
  readonly #shown = new WeakSet<SiteSession>();
  #wireRoster: Buffer | null = null;
  #open: OpenStep | null = null;
  #openedAt = 0;
  #members: readonly ParticipantRecord[] = [];
  #roster: Roster | null = null;
  readonly #text: Pick<StudyRecord, "text" | "hash">;
  #planned: PlannedStudy;

  constructor(record: StudyRecord, context: RunContext) {
    super();
    this.setMaxListeners(0);
    this.id = record.id;
    this.#text = { text: record.text, hash: record.hash };
    this.#planned = context.plans.of(record);
    this.context = context;
    this.files = new StudyFiles(context.stateFolder, record.id, context.copies);
    // Set from the start: a site may resume an upload before the script reaches this point again.
    this.readMembers();
  }

  get open(): OpenStep | null {
    return this.#open;
  }

  /** Based on the roster once it is fixed. */
  get document(): StudyDocument {
    return this.#planned.document;
  }

  /** Of `document`. */
  get plan(): Plan {
    return this.#planned.plan;
  }

  /**
   * The plan is kept when the study invites and when its roster is fixed, and from then on holds: whichever version continues the
   * study has to come to the same.
   * @throws ConsiliumError PLAN_DIFFERS
   */
  holdPlan(kind: PlanKind): void {
    const { records } = this.context;
    const kept = records.plan(this.id, kind);
    if (kept === null) records.keepPlan(this.id, kind, planText(this.document.study, this.plan));
    demandPlan(this.record(), kept, this.#planned, this.context.software);
  }

  get planHash(): Sha256 {
    return planHash(this.document.study, this.plan);
  }

  /** The hash that the masks of the newest stage are bound to. */
  get boundHash(): Sha256 {
    return boundHash(this.planHash, this.broadcasts());
  }

  /** Aborted when the operator cancels the study. */
  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  // ---- who takes part -------------------------------------------------------------------------------------------

  get members(): readonly ParticipantRecord[] {
    return this.#members;
  }

  get memberSites(): SiteId[] {
    return this.#members.map((member) => member.site);
  }

  readMembers(): void {
    this.#members = this.context.records.participants(this.id).filter((p) => p.onRoster);
    this.#wireRoster = null;
    const sites = this.#members.length;
    if (sites > 0) this.#planned = this.context.plans.of(this.#text, sites);
  }

  /** @throws RangeError before the roster is fixed */
  get roster(): Roster {
    if (this.#roster === null) throw new RangeError(`study ${this.id} has no roster yet`);
    return this.#roster;
  }

  set roster(roster: Roster) {
    this.#roster = roster;
  }

  /**
   * Before anything is asked for that sites are charged for.
   * @param next - an attempt that is to begin, beside those of which something was asked
   * @throws ConsiliumError STUDY_INVALID where the study might end without a certificate
   */
  demandCertificate(next: readonly Pick<StageAttempt, "stage" | "attempt">[] = []): void {
    const { records, federation } = this.context;
    const asked = records.attempts.all(this.id).filter((one) => one.askedAt !== null);
    const { document, plan, roster } = this;
    demandCertificate({
      federation,
      studyId: this.id,
      document,
      plan,
      roster,
      attempts: [...asked, ...next],
    });
  }

  record(): StudyRecord {
    const record = this.context.records.study(this.id);
    if (record === null) throw new RangeError(`study ${this.id} is not stored`);
    return record;
  }

  stage<K extends StagePlan["kind"]>(id: StageId, kind: K): Extract<StagePlan, { kind: K }> {
    return stageOf(this.plan, id, kind);
  }

  /** A stage that sites answer unmasked, through SendRows. */
  openlySent(id: StageId): RowsStage | TagsStage {
    const stage = this.plan.stages.find((candidate) => candidate.id === id);
    if (stage === undefined || stage.kind === "sum")
      throw new RangeError(`the plan has no rows or tags ${id}`);
    return stage;
  }

  /** The stored sum of a stage, if any. */
  storedSum(stage: SumStage): Promise<BigUint64Array | null> {
    const { records } = this.context;
    return storedSum({ records, study: this.id, stage, readResult: (id) => this.files.readResult(id) });
  }

  /** Of a stage's stored vectors. */
  runningSum(stage: SumStage, attempt: number): RunningSum {
    const { records } = this.context;
    return new RunningSum(
      stage,
      (site) =>
        records.uploadContent(this.id, stage.id, attempt, site) ??
        this.files.uploadPath(stage.id, attempt, site),
    );
  }

  // ---- steps ----------------------------------------------------------------------------------------------------

  /** The progress of members without a request in a step: done or dropped. */
  standing(
    asked: readonly SiteId[],
    done: { has(site: SiteId): boolean },
  ): ReadonlyMap<SiteId, SiteStepState> {
    const others = this.memberSites.filter((site) => !asked.includes(site));
    return new Map(others.map((site) => [site, done.has(site) ? "done" : "dropped"]));
  }

  /** Opens a step and sends its request to every connected site it waits for. */
  openStep(options: StepOptions): OpenStep {
    const step = this.beginStep(options);
    this.ask(step);
    return step;
  }

  /** Opens a step, if only in the caller's transaction: nobody is asked before `ask`. */
  beginStep(options: StepOptions): OpenStep {
    this.throwIfCancelled();
    const fault = options.kind === "join" || options.kind === "deposit" ? null : this.#expulsionFault();
    if (fault !== null) throw fault;
    const { records, now, disk } = this.context;
    const at = now();
    const { id, kind, attempt } = options;
    if (takesRoom.has(kind)) {
      // Each site's vector, and their sum, whose entries may be twice as wide.
      const answers = options.sites.length + 2;
      disk.demand(`step ${id} of study ${this.id}`, answers * (options.expectedBytes ?? 0));
    }
    const { study } = this.document;
    const waitMs = kind === "join" ? joinMsOf(study) : study.participation.phaseDeadline;
    records.transaction(() => {
      options.alongside?.();
      records.openStep(this.id, id, kind, attempt, at);
      records.event(at, "opened", { study: this.id, detail: stepName(id, attempt) });
    });
    const { extendedUntil } = records.step(this.id, id, attempt)!;
    const step = new OpenStep({
      ...options,
      expectedBytes: options.expectedBytes ?? 0,
      now: at,
      after: this.context.after,
      deadlineAt: Math.max(at + waitMs, extendedUntil ?? 0),
    });
    for (const [site, state] of options.others ?? []) {
      step.sites.set(site, { state, workingSince: null, receivedBytes: 0, expectedBytes: 0, code: null });
    }
    this.#open = step;
    this.#openedAt = at;
    return step;
  }

  ask(step: OpenStep): void {
    const { presence } = this.context;
    for (const site of step.missing) {
      const session = presence.session(site);
      if (session !== null) this.#tell(session, step);
    }
    this.emit("changed");
  }

  async wait(step: OpenStep): Promise<void> {
    await step.settled;
    this.throwIfCancelled();
  }

  /** @param alongside - what is written in the same transaction */
  closeStep(id: StageId, attempt: number, alongside?: () => void): void {
    const { records, now } = this.context;
    records.transaction(() => {
      alongside?.();
      records.closeStep(this.id, id, attempt, now());
    });
    // A replay may close an already closed step: there is no open step then.
    if (this.#open !== null) this.context.meter?.stepDone(this.#open.kind, (now() - this.#openedAt) / 1000);
    this.#open = null;
    this.emit("changed");
  }

  /** The step continues without this site. */
  dropped(
    step: { readonly id: StageId; readonly attempt: number },
    site: SiteId,
    code: ErrorCode | null,
  ): void {
    const { records, now } = this.context;
    const { id, attempt } = step;
    records.attempts.dropped(this.id, { step: id, attempt, site, code });
    this.context.meter?.droppedOut(code);
    const detail = `${stepName(id, attempt)}${code === null ? "" : ` ${code}`}`;
    records.event(now(), "dropped", { study: this.id, site, detail });
  }

  /** The run has ended: nothing is awaited. */
  leave(): void {
    this.#open?.complete();
    this.#open = null;
  }

  cancel(error: ConsiliumError): void {
    this.#abort.abort(error);
    this.#open?.fail(error);
  }

  throwIfCancelled(): void {
    if (this.signal.aborted) throw this.signal.reason;
  }

  // ---- connections ------------------------------------------------------------------------------------------

  /** A site has connected: it receives the open request again. */
  connected(session: SiteSession): void {
    const step = this.#open;
    if (step?.isWaitingFor(session.site)) this.#tell(session, step);
    this.emit("changed");
  }

  #tell(session: SiteSession, step: OpenStep): void {
    const { presence, now, disk } = this.context;
    const told = presence.tell(session, () => {
      // Its turn may come when the step is over.
      if (!step.isWaitingFor(session.site)) return null;
      const deadlineInMs = Math.max(0, step.deadlineAt - now());
      if (step.kind === "join") return invitationFrame(this.id, this.document, this.plan, deadlineInMs);
      if (step.duties === null) throw new RangeError(`step ${step.id} asks nothing of the sites`);
      this.#wireRoster ??= rosterToWire(this.#members);
      const roster = this.#shown.has(session) ? null : this.#wireRoster;
      this.#shown.add(session);
      const { wireStep, attempt } = step;
      const planHash = sha256Bytes(this.planHash);
      const place = { studyId: this.id, step: wireStep, attempt, deadlineInMs, planHash };
      step.asked(session.site, now());
      return taskFrame(place, roster, step.duties.ask(session.site));
    });
    told.catch((thrown) => step.fail(toConsiliumError(disk.failure(thrown))));
  }

  /** A site was expelled: it is no longer awaited, and a study with it on the roster cannot continue. */
  expelled(site: SiteId): void {
    const { records, now } = this.context;
    const step = this.#open;
    if (step === null) return;
    if (step.kind === "join") {
      if (!step.isWaitingFor(site)) return;
      records.refuse(this.id, site, "SITE_EXPELLED", false);
      records.event(now(), "refused", { study: this.id, site, detail: "SITE_EXPELLED" });
      step.answered(site, "refused");
    } else if (step.kind !== "deposit") {
      const fault = this.#expulsionFault();
      if (fault !== null) step.fail(fault);
    }
    this.emit("changed");
  }

  /** Sites refuse a roster with an expelled member, so the study cannot continue by dropping that site. */
  #expulsionFault(): ConsiliumError | null {
    const gone = this.#members.filter((member) => this.context.isExpelled(member.signingKey!));
    if (gone.length === 0) return null;
    return fault("SITE_EXPELLED", "round.expelled", {
      study: this.id,
      sites: gone.map((member) => member.site),
    });
  }

  // ---- broadcasts -------------------------------------------------------------------------------------------------

  /** Stored before use. */
  async recordBroadcast(stage: StageId, broadcast: Broadcast): Promise<void> {
    (await this.broadcastRecord(stage, broadcast))();
  }

  /** The same but for the record, which what is returned writes: within the transaction that opens the stage. */
  async broadcastRecord(stage: StageId, broadcast: Broadcast): Promise<() => void> {
    const { records } = this.context;
    const vectors = Object.entries(broadcast);
    // All of a stage's travel with its task, or none: what is fetched is fetched at once.
    const isSmall = vectors.reduce((bytes, [, { length }]) => bytes + 8 * length, 0) <= inlineBytes;
    const items = await Promise.all(
      vectors.map(async ([name, values]) => {
        const bytes = broadcastBytes(values);
        const item = { stage, name, length: values.length };
        return isSmall
          ? { ...item, sha256: sha256(bytes), content: bytes }
          : { ...item, sha256: await this.files.writeBroadcast(bytes), content: null };
      }),
    );
    // Those that are there are the same: see replay.ts.
    const isNew = records.broadcastsOf(this.id, stage).length === 0;
    return isNew ? () => records.recordBroadcasts(this.id, items) : () => undefined;
  }

  /** All broadcasts so far, in the order sent to every site. */
  broadcasts(): readonly BroadcastItem[] {
    return this.context.records.broadcasts(this.id);
  }

  /** The same for a task of a stage, with the values of that stage's own where they are small. */
  broadcastsFor(stage: StageId): WireBroadcastItem[] {
    const own = this.context.records.broadcastsOf(this.id, stage);
    const contents = new Map(own.map(({ name, content }) => [name, content]));
    return broadcastsToWire(this.broadcasts(), (item) =>
      item.stage === stage ? (contents.get(item.name) ?? null) : null,
    );
  }
}

function stepName(id: StageId, attempt: number): string {
  return attempt === 1 ? id : `${id} (attempt ${attempt})`;
}
