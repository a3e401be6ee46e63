import { setTimeout as delay } from "node:timers/promises";
import { type ConsiliumError, errorTable, isErrorCode, toConsiliumError } from "@consilium/core/errors";
import { faults } from "@consilium/core/fault";
import type { Sha256, StageId, StudyId } from "@consilium/core/ids";
import type { NumericKernels } from "@consilium/core/linalg/kernels";
import type { RandomSource } from "@consilium/core/random";
import { assertNever, unwrap } from "@consilium/core/result";
import { lines, nameOf, sentences } from "@consilium/core/said";
import { stageUploadBytes } from "@consilium/core/study/plan";
import { planText } from "@consilium/core/study/planFacts";
import type { Door, OutboundMessage, OutboundUpload } from "@consilium/gate/door";
import type { Identity } from "@consilium/runtime/identity/files";
import type { RevocationList } from "@consilium/runtime/identity/revoked";
import type { Logger } from "@consilium/runtime/log";
import { fromBytesJson, toBytesJson } from "@consilium/runtime/store/bytesJson";
import { DiskFull } from "@consilium/runtime/store/diskFull";
import type { DiskSpace } from "@consilium/runtime/store/diskSpace";
import { ExchangeKey } from "@consilium/secure-sum/crypto/exchange";
import type { SiteStudySays } from "@consilium/words/says/siteStudies";
import type { StudySays } from "@consilium/words/says/studies";
import type { AggregatorMessage, RefusedMessage, RosterEntry, SiteTask, TaskOf } from "../rpc/toDomain.js";
import type { SealedStorage } from "../store/sealedStorage.js";
import type { Tables } from "../tables/tables.js";
import { NotAwaited } from "./awaited.js";
import type { Charges } from "./charges.js";
import type { Countersigning } from "./countersigning.js";
import { type Invitation, Joining, type JoiningContext } from "./joining.js";
import { PairwiseSums } from "./pairwiseSums.js";
import type { PublishedStudies } from "./publishedStudies.js";
import { asksAgain, type SiteRecords, type SiteStudy, wasAbandoned } from "./records.js";
import { StageWork } from "./stageWork.js";
import { StudyFolder } from "./studyFolder.js";
import { planDiffers, plannedOn, type StudyView, trustedLeast } from "./studyView.js";
import { demandTogether } from "./together.js";
import { verifyRoster } from "./verifyRoster.js";

const fault = faults<SiteStudySays>();
const said = sentences<SiteStudySays>();

const line = lines<StudySays>();

/** As the aggregator calls the step in which sites decide whether they take part. */
const joinStep = "join" as StageId;

/** What the participant needs of its process. */
interface ParticipantContext extends JoiningContext {
  readonly records: SiteRecords;
  readonly door: Door;
  readonly tables: Tables;
  readonly sealed: SealedStorage;
  readonly charges: Charges;
  readonly kernels: () => Promise<NumericKernels>;
  readonly random: RandomSource;
  readonly identity: () => Identity;
  readonly revocations: () => RevocationList | undefined;
  readonly stateFolder: string;
  readonly disk: DiskSpace;
  readonly now: () => number;
  readonly log: Logger;
  readonly send: (message: OutboundMessage) => void;
  readonly upload: (upload: OutboundUpload) => Promise<void>;
  readonly fetch: (studyId: StudyId, item: { sha256: Sha256; bytes: number }) => Promise<Uint8Array>;
}

type StudyEnded = Extract<AggregatorMessage, { kind: "studyEnded" }>;

/** Further studies are not listened to while so many have something to be done; the aggregator asks again. */
const maxStudiesAtOnce = 1_000;
/** What the disk had no room for is tried again after at least the first pause, which doubles up to the last. */
const firstPauseMs = 1_000;
const lastPauseMs = 30_000;

/**
 * This site's part in studies: decides on invitations, answers steps, and checks everything the aggregator says.
 * Steps of one study are done one after the other; different studies do not wait for each other.
 */
export class Participant {
  readonly #context: ParticipantContext;
  /** Where the hospital decides whether it takes part. */
  readonly joining: Joining;
  readonly #queues = new Map<StudyId, Promise<void>>();
  /** Requests that wait for their turn; one that has begun is no longer here. */
  readonly #waiting = new Set<string>();
  /** Requests that the disk had no room for, with how long each was put off last, until one of them is done. */
  readonly #postponed = new Map<string, { pauseMs: number; isPut: boolean }>();
  readonly #work: StageWork;
  readonly #folder: StudyFolder;
  readonly #pairwise: PairwiseSums;
  /** Loaded with the first study of a published method. */
  #published: Promise<PublishedStudies> | null = null;
  #countersigning: Promise<Countersigning> | null = null;
  /** Studies that, on their roster and as far as this site knows, will have a certificate. */
  readonly #certifiable = new Set<StudyId>();
  /** What was verified of the studies that are under way, while no further site is expelled. */
  readonly #views = new Map<StudyId, { readonly view: StudyView; readonly revocations: number }>();

  constructor(context: ParticipantContext) {
    this.#context = context;
    this.joining = new Joining(context);
    this.#folder = new StudyFolder(context.stateFolder);
    this.#work = new StageWork(context, this.#folder);
    this.#pairwise = new PairwiseSums(context, this.#work, this.#folder, () => this.#publishedStudies());
  }

  handle(message: Extract<AggregatorMessage, { kind: "invitation" | "task" }> | StudyEnded): void {
    switch (message.kind) {
      case "invitation": {
        const cameAt = this.#context.now();
        this.#enqueue(message.studyId, "join", () => this.#invited(message, cameAt));
        return;
      }
      case "task":
        this.#enqueue(
          message.task.studyId,
          `${message.task.kind} ${message.task.step} ${message.task.attempt}`,
          () => this.#asked(message.task),
        );
        return;
      case "studyEnded":
        if (message.outcome !== "failed") this.#work.stop(message.studyId);
        this.#enqueue(message.studyId, `end ${message.outcome} ${message.code}`, () => this.#ended(message));
    }
  }

  /** Answers a message that cannot be taken by a refusal of it alone: other studies continue. */
  refuse({ kind, studyId, place }: RefusedMessage, fault: ConsiliumError): void {
    if (studyId === null) return;
    if (kind === "invitation")
      this.#enqueue(studyId, "join, refused", async () => this.joining.refuseUnreadable(studyId, fault));
    if (kind === "task" && place !== null)
      this.#enqueue(studyId, `refused ${place.step} ${place.attempt}`, async () => {
        const { records } = this.#context;
        const record = records.study(studyId);
        if (record !== null && isTakingPart(record)) this.#sendFault(record, place, fault);
      });
  }

  /** The aggregator has refused a message about a study; people here see the code, and none of the aggregator's words. */
  refusedThere(id: StudyId, { code, message }: { readonly code: string; readonly message: string }): void {
    const { records, log } = this.#context;
    log.error("the aggregator refused a message about a study", { study: id, code, reason: message });
    this.#enqueue(id, `refused there ${code}`, async () => {
      const record = records.study(id);
      if (record === null || record.endedAt !== null || !isErrorCode(code)) return;
      records.setLocalReason(id, { code, text: line("study.refused-there", { why: nameOf(code) }) });
    });
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
      this.#context.log.warn("request ignored: too many studies are already open", { study, what });
      return;
    }
    this.#waiting.add(key);
    const before = this.#queues.get(study) ?? Promise.resolve();
    const next = before
      .then(() => {
        this.#waiting.delete(key);
        return work();
      })
      .then(() => void this.#postponed.delete(key))
      .catch((thrown) => {
        const failure = this.#context.disk.failure(thrown);
        if (failure instanceof DiskFull) this.#postpone(study, what, work, failure);
        else this.#context.log.error("a request could not be handled", { study, what }, failure);
      });
    const settled = next.finally(() => {
      if (this.#queues.get(study) === settled) this.#queues.delete(study);
    });
    this.#queues.set(study, settled);
  }

  /** A full disk is no answer: what was asked is done once there is room, unless the study has gone on without it. */
  #postpone(study: StudyId, what: string, work: () => Promise<void>, fault: DiskFull): void {
    const { disk, log } = this.#context;
    const key = `${study} ${what}`;
    const before = this.#postponed.get(key);
    if (before?.isPut) return;
    const pauseMs = Math.min(lastPauseMs, 2 * (before?.pauseMs ?? firstPauseMs / 2));
    const postponed = { pauseMs, isPut: true };
    this.#postponed.set(key, postponed);
    log.warn("a request waits for room on the disk", { study, what, reason: fault.message });
    void delay(pauseMs, undefined, { ref: false })
      .then(() => disk.room(fault.neededBytes, new AbortController().signal))
      .then(() => {
        postponed.isPut = false;
        this.#enqueue(study, what, work);
      });
  }

  async #invited(invitation: Invitation, cameAt: number): Promise<void> {
    const { disk, now } = this.#context;
    const { studyId } = invitation;
    const deadlineInMs = Math.max(0, invitation.deadlineInMs - (now() - cameAt));
    try {
      disk.demand(`study ${studyId}`);
      await this.joining.invited({ ...invitation, deadlineInMs });
    } catch (thrown) {
      throw this.#saidFull({ studyId, step: joinStep, attempt: 1 }, thrown);
    }
  }

  /** Tells the aggregator of a full disk, as long as what is told can still be written down before. */
  #saidFull(place: Pick<SiteTask, "studyId" | "step" | "attempt">, thrown: unknown): unknown {
    const { records, door, send, disk } = this.#context;
    const failure = disk.failure(thrown);
    if (!(failure instanceof DiskFull)) return failure;
    const { studyId, step, attempt } = place;
    try {
      send(
        records.transaction(() => {
          if (records.study(studyId) !== null)
            records.setLocalReason(studyId, { code: failure.code, text: failure.describe() });
          return door.stepFault(studyId, step, attempt, failure.code);
        }),
      );
    } catch (silenced) {
      if (!(disk.failure(silenced) instanceof DiskFull)) throw silenced;
    }
    return failure;
  }

  // ---- steps --------------------------------------------------------------------------------------------------

  async #asked(task: SiteTask): Promise<void> {
    const { records, door, send, log } = this.#context;
    const record = records.study(task.studyId);
    const left = record === null ? null : leftFor(record);
    if (left !== null) {
      send(door.stepFault(task.studyId, task.step, task.attempt, left));
      return;
    }
    if (record === null || !isTakingPart(record)) {
      log.warn("asked for a step of a study that this site is not in", {
        study: task.studyId,
        step: task.step,
      });
      return;
    }
    try {
      unwrap(await this.#context.methods.load(record.text, record.hash));
      this.#context.charges.demandCurrent();
      // What was reserved is released when a study fails; continuing, it is reserved again or refused.
      if (record.status === "waiting") {
        this.#context.charges.reserveStudy(record);
        records.setStatus(record.id, "joined");
      }
      await this.#answer(record, task);
      if (record.localCode !== null) records.setLocalReason(record.id, null);
    } catch (thrown) {
      const failure = this.#saidFull(task, thrown);
      if (failure instanceof DiskFull) throw failure;
      const error = toConsiliumError(failure);
      // The end is next in the queue; the aggregator knows of it. A site that stops is asked again when it is back.
      if (error.code === "STUDY_CANCELLED" || error.code === "INTERRUPTED") return;
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
      this.#sendFault(record, task, error);
    }
  }

  #sendFault(
    { id }: SiteStudy,
    { step, attempt }: Pick<SiteTask, "step" | "attempt">,
    error: ConsiliumError,
  ): void {
    const { records, approvals, door, send, now } = this.#context;
    send(
      records.transaction(() => {
        this.#work.keep(id);
        if (error.code === "CEILING_REACHED") approvals.waitAgain(id, now());
        this.#noteUnanswered(id);
        records.setLocalReason(id, { code: error.code, text: error.describe() });
        return door.stepFault(id, step, attempt, error.code).logged();
      }),
    );
  }

  async #answer(record: SiteStudy, task: SiteTask): Promise<void> {
    const view = this.#view(record, task);
    if (!this.#certifiable.has(record.id) || (task.kind === "sumKeys" && task.attempt > 1)) {
      (await this.#countersigner()).demandCertificate(view, task);
      this.#certifiable.add(record.id);
    }
    this.#demandRoom(view, task);
    switch (task.kind) {
      case "exchange":
      case "rows":
        await this.#answerPublished(view, task);
        return;
      case "sum":
        if (view.plan.masking === "dealer") await this.#answerPublished(view, task);
        else await this.#pairwise.answer(view, task);
        return;
      case "sumKeys":
      case "sumShares":
      case "sumSurvivors":
      case "sumUnmask":
        this.#demandPairwise(view, task);
        await this.#pairwise.answer(view, task);
        return;
      case "countersign":
        await (await this.#countersigner()).answer(view, task);
        return;
      default:
        assertNever(task);
    }
  }

  #countersigner(): Promise<Countersigning> {
    this.#countersigning ??= import("./countersigning.js").then(
      ({ Countersigning }) => new Countersigning(this.#context),
    );
    return this.#countersigning;
  }

  /** Loads nothing for a study of another method, whatever the aggregator asks of it. */
  async #answerPublished(view: StudyView, task: TaskOf<"exchange" | "sum" | "rows">): Promise<void> {
    if (view.document.study.variant !== "paper") {
      const params = { study: view.record.id, kind: nameOf(task.kind), step: task.step };
      throw fault("MESSAGE_UNEXPECTED", "work.no-step", params);
    }
    await (await this.#publishedStudies()).answer(view, task);
  }

  #publishedStudies(): Promise<PublishedStudies> {
    this.#published ??= import("./publishedStudies.js").then(
      ({ PublishedStudies }) => new PublishedStudies(this.#context, this.#work, this.#folder),
    );
    return this.#published;
  }

  /**
   * Before an attempt begins and before an answer is made: what comes after that is small, and may use the reserve. What is
   * needed is reckoned from public sizes alone; how many reduced rows there will be is not one of them.
   */
  #demandRoom({ plan, document }: StudyView, task: SiteTask): void {
    if (task.kind !== "sumKeys" && task.kind !== "sum" && task.kind !== "rows") return;
    const stage = plan.stages.find((one) => one.id === task.step);
    const broadcasts = task.kind === "sumKeys" ? [] : task.broadcasts;
    const bytes = broadcasts.reduce((sum, { length }) => sum + 8 * length, 0);
    const answer = stage?.kind === "sum" ? stageUploadBytes(stage, document.study) : 0;
    this.#context.disk.demand(`step ${task.step} of study ${task.studyId}`, bytes + answer);
  }

  #demandPairwise(view: StudyView, task: SiteTask): void {
    if (view.plan.masking === "pairwise") return;
    const what = said("work.no-keys", {});
    throw fault("MESSAGE_UNEXPECTED", "work.step", { study: view.record.id, step: task.step, what });
  }

  /** The study as this site reads it: from its own copy of the text, with a roster that it has verified for itself. */
  #view(record: SiteStudy, task: SiteTask): StudyView {
    const { records, revocations, sealed, now } = this.#context;
    const identity = this.#context.identity();
    const sequence = revocations()?.sequence ?? 0;
    const known = this.#views.get(record.id);
    if (known !== undefined && task.roster === null && known.revocations === sequence) {
      demandPlan(task, known.view);
      return { ...known.view, record };
    }
    const entries = task.roster ?? restoreRoster(record.roster);
    if (entries === null) {
      const what = said("work.no-roster", {});
      throw fault("MESSAGE_UNEXPECTED", "work.step", { study: record.id, step: task.step, what });
    }
    // A list that is being held back could readmit an expelled site to a roster.
    if (record.rosterHash === null) this.#context.demandExpelledList();
    const { document, plan, planHash } = plannedOn(record, entries.length, this.#context.methods);
    const { minimumSites, sites: invited } = document.study.participation;
    const policy = unwrap(this.#context.policy.read());
    const verified = verifyRoster(entries, {
      study: { id: record.id, hash: record.hash, minimumSites },
      invited,
      trustedLeast: trustedLeast(plan, document.study),
      self: {
        site: identity.id,
        signingKey: identity.signingPublicKey,
        exchangeKey: record.exchangeKey!,
      },
      rootPem: identity.rootPem,
      revocations: revocations(),
      // A certificate may expire while its study runs: who the members are was settled when the roster was.
      at: record.rosterFixedAt ?? now(),
      shownBefore: record.rosterHash,
      members: policy.members,
      masking: plan.masking,
    });
    const sites = verified.members.map(({ site }) => site);
    demandTogether("ROSTER_TOO_SMALL", { document, policy, isTrusted: verified.isTrusted }, sites);
    demandPlan(task, { planHash });
    records.fixRoster(record.id, verified.hash, storeRoster(entries), now());
    const view: StudyView = {
      record,
      document,
      plan,
      planHash,
      roster: verified,
      self: identity.id,
      exchange: new ExchangeKey(sealed.open(`exchange ${record.id}`, record.exchangeSecret!)),
      distrusted: verified.distrusted,
      isTrusted: verified.isTrusted,
      policy,
    };
    // From now on the study is charged by this plan: what was set aside for the fewest sites gives way to it, once.
    if (record.planHash === null)
      records.transaction(() => {
        this.#context.charges.reserveRunning(view);
        records.fixPlan(record.id, planHash, planText(document.study, plan));
      });
    this.#views.set(record.id, { view, revocations: sequence });
    return view;
  }

  /** Of a study that this site has joined: what was found in vain may have told something. */
  #noteUnanswered(id: StudyId): void {
    const { records, charges, now } = this.#context;
    if (charges.committed(id).length === 0) records.noteUnanswered(id, now());
  }

  // ---- the end ------------------------------------------------------------------------------------------------

  async #ended({ studyId: id, outcome, code }: StudyEnded): Promise<void> {
    const { records, approvals, door, send, log, now } = this.#context;
    this.#pairwise.forget(id);
    this.#certifiable.delete(id);
    const record = records.study(id);
    const concerned = record !== null && record.status !== "refused" && record.endedAt === null;
    if (concerned) log.info("a study ended", { study: id, outcome });
    if (outcome === "failed") {
      // It may be resumed: what this site has answered, and its keys, are still needed. What was reserved for it is not.
      if (concerned) {
        records.transaction(() => {
          this.#context.charges.release(id);
          // Where it waits, this end has been noted, and nothing was asked since.
          if (record.status === "joined") this.#noteUnanswered(id);
          // A person may yet decide, if the operator resumes it; until then nobody is asked.
          if (asksAgain(record)) return;
          if (record.status === "waiting for approval") {
            approvals.over(id, now());
            records.setLocalReason(id, {
              code: isErrorCode(code) ? code : "APPROVAL_LATE",
              text: line("study.over-undecided", {}),
            });
          } else records.setStatus(id, "waiting");
        });
      }
      return;
    }
    // The files first: what ended is not looked at again.
    await this.#folder.remove(id);
    if (concerned) {
      records.transaction(() => {
        this.#context.charges.release(id);
        if (outcome === "cancelled" && record.status === "joined") this.#noteUnanswered(id);
        records.end(id, outcome, now());
      });
    }
    // It comes again when the release is withdrawn or superseded. No other code says anything of a release.
    const isKnown = code === "RELEASE_WITHDRAWN" || code === "RELEASE_SUPERSEDED";
    if ((concerned || record?.status === "released") && outcome === "released" && isKnown)
      records.setLocalReason(id, { code, text: errorTable[code].remedy });
    this.#views.delete(id);
    this.#work.stopped(id);
    send(door.endReceipt(id, record !== null));
  }
}

/** The code by which a study that this site has joined is not answered; null where nothing speaks against it. */
function leftFor(record: SiteStudy) {
  if (wasAbandoned(record)) return "LEDGER_BEHIND";
  if (asksAgain(record)) return "CEILING_REACHED";
  return record.status === "refused" && record.exchangeKey !== null ? "REFUSED_BY_SITE" : null;
}

function isTakingPart({ status }: SiteStudy): boolean {
  return status === "joined" || status === "waiting";
}

/** An aggregator that does not tell its plan is of earlier software. */
function demandPlan({ studyId, planHash }: SiteTask, own: Pick<StudyView, "planHash">): void {
  if (planHash !== own.planHash) throw planDiffers(studyId, null);
}

/** The roster as it was shown, for the site's own store. */
function storeRoster(entries: readonly RosterEntry[]): string {
  return toBytesJson(entries);
}

function restoreRoster(stored: string | null): RosterEntry[] | null {
  return stored === null ? null : fromBytesJson<RosterEntry[]>(stored);
}
