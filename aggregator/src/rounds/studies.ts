import { EventEmitter } from "node:events";
import { type ConsiliumError, type ErrorCode, errorTable, toConsiliumError } from "@consilium/core/errors";
import { faults } from "@consilium/core/fault";
import { parseStudyId, type SiteId, type StudyId } from "@consilium/core/ids";
import { keysOf } from "@consilium/core/keysOf";
import { maxStudyTextBytes } from "@consilium/core/limits";
import { methodKey, newestEdition } from "@consilium/core/method/method";
import type { Methods } from "@consilium/core/method/methods";
import { StudyInvalidError } from "@consilium/core/method/studyReader";
import type { RunningStudyView, SiteActivity } from "@consilium/core/operator/consoleViews";
import type { SiteTableView, TableNameView, TableView } from "@consilium/core/operator/tableViews";
import type { SitePresence, StudySummary, StudyTimesView, StudyView } from "@consilium/core/operator/views";
import { type Result, unwrap } from "@consilium/core/result";
import { lines, nameOf, sentences } from "@consilium/core/said";
import { toldApart } from "@consilium/core/study/apart";
import { verdictOf } from "@consilium/core/study/plan";
import { type Study, studyDocument } from "@consilium/core/study/study";
import { parseWritten } from "@consilium/core/study/writtenStudy";
import { DiskFull } from "@consilium/runtime/store/diskFull";
import type { PlanSays } from "@consilium/words/says/plans";
import type { ResultSays } from "@consilium/words/says/results";
import type { RoundSays } from "@consilium/words/says/rounds";
import type { StudySays } from "@consilium/words/says/studies";
import type { SiteSession } from "../roster/presence.js";
import type { SiteRegistry, SiteStanding } from "../roster/registry.js";
import { sharedTable, type TableFaults, tableFaults, tableNames } from "../roster/sharedTables.js";
import { editionAt, spokenEdition } from "../roster/spoken.js";
import type { RefusedMessage, SiteMessage } from "../rpc/toDomain.js";
import { acceptMissing } from "./heldResult.js";
import { Questions } from "./questions.js";
import type { InvitedRecord, ListedStudy, StudyPage, StudyRecord } from "./records.js";
import type { RunContext } from "./runContext.js";
import { runningStudy } from "./runningStudy.js";
import { siteStates } from "./siteStates.js";
import { siteTimes } from "./siteTimes.js";
import { StepHistory, stepViews } from "./stepViews.js";
import { keptFiles, StudyFiles } from "./studyFiles.js";
import { StudyRun } from "./studyRun.js";
import { studyEndedFrame } from "./taskFrames.js";

const fault = faults<RoundSays>();
const said = sentences<RoundSays>();

const line = lines<StudySays & ResultSays & PlanSays>();

/** All studies: starts, resumes and routes to them; shows them. Emits `changed` with a study's id. */
export class Studies extends EventEmitter<{ changed: [StudyId] }> {
  readonly #context: RunContext;
  readonly #registry: SiteRegistry;
  readonly #isExpelled: (site: SiteStanding) => boolean;
  readonly #runs = new Map<StudyId, StudyRun>();
  readonly #histories = new WeakMap<StudyRun, StepHistory>();
  /** Studies under way whose texts this version cannot read: they wait for one that can. */
  readonly #unread = new Map<StudyId, ConsiliumError>();

  /** What hospitals ask about studies. */
  readonly questions: Questions;

  constructor(context: RunContext, registry: SiteRegistry, isExpelled: (site: SiteStanding) => boolean) {
    super();
    this.setMaxListeners(0);
    this.#context = context;
    this.#registry = registry;
    this.#isExpelled = isExpelled;
    this.questions = new Questions({
      ...context,
      changed: (study) => this.emit("changed", study),
    });
    context.presence.on("connected", (session) => this.#connected(session));
    context.presence.on("changed", (site) => {
      for (const run of this.#runs.values()) run.presenceChanged(site);
    });
  }

  /** The methods by which studies are read. */
  get methods(): Methods {
    return this.#context.plans.methods;
  }

  /** Resumes every study that was running when the process ended. */
  resumeAll(): void {
    const { records, stateFolder, copies, log } = this.#context;
    copies?.removeEnded();
    for (const record of records.underWay()) this.#launch(record);
    keptFiles(stateFolder).then(
      (ids) => {
        for (const id of ids) {
          const status = records.study(id)?.status;
          if (status === "released" || status === "cancelled") this.#removeFiles(id);
        }
      },
      (thrown) => log.error("the files of ended studies could not be looked for", {}, thrown),
    );
  }

  /** The run of a running study; null otherwise. */
  run(id: StudyId): StudyRun | null {
    return this.#runs.get(id) ?? null;
  }

  /** @throws ConsiliumError STUDY_INVALID, STUDY_RETIRED, ROSTER_TOO_SMALL, FIELD_INVALID or DISK_FULL before anything starts */
  start(study: Study): StudyView {
    this.#context.disk.demand("a new study");
    const document = studyDocument(study);
    const bytes = Buffer.byteLength(document.text);
    if (bytes > maxStudyTextBytes) {
      const params = { study: nameOf(study.name), bytes, max: maxStudyTextBytes };
      throw fault("STUDY_INVALID", "round.study-large", params, { remedy: said("round.fewer-columns", {}) });
    }
    const sites = this.invited(study);
    const { refusals } = this.#faults(study, sites);
    if (refusals.length > 0) throw new StudyInvalidError(refusals);
    const id = unwrap(
      parseStudyId(`${study.name}-${Buffer.from(this.#context.random.bytes(5)).toString("hex")}`),
    );
    this.#context.records.create({
      id,
      name: study.name,
      text: document.text,
      hash: document.hash,
      software: this.#context.software,
      createdAt: this.#context.now(),
      sites,
    });
    this.#launch(this.#record(id));
    return this.view(id);
  }

  cancel(id: StudyId): StudyView {
    const record = this.#record(id);
    const run = this.#runs.get(id);
    if (run !== undefined) {
      if (!run.cancel()) {
        const remedy = said("round.check-again", {});
        throw fault("STUDY_STATE", "round.being-released", { study: id }, { remedy });
      }
    } else if (record.status === "failed" || this.#unread.delete(id)) this.#cancelFailed(record);
    else throw fault("STUDY_STATE", "round.cannot-cancel", { study: id, status: nameOf(record.status) });
    return this.view(id);
  }

  /**
   * Begins with the sites that have joined.
   * @throws ConsiliumError STUDY_UNKNOWN, STUDY_STATE, ROSTER_TOO_SMALL
   */
  proceed(id: StudyId): StudyView {
    this.#inviting(id).proceed();
    return this.view(id);
  }

  /**
   * Gives the sites more time to join.
   * @param until - milliseconds since 1970
   * @throws ConsiliumError STUDY_UNKNOWN, STUDY_STATE, FIELD_INVALID
   */
  extend(id: StudyId, until: number): StudyView {
    this.#inviting(id).extend(until);
    return this.view(id);
  }

  #inviting(id: StudyId): StudyRun {
    const record = this.#record(id);
    const run = this.#runs.get(id);
    if (run !== undefined && record.status === "inviting") return run;
    throw fault("STUDY_STATE", "round.not-inviting", { study: id, status: nameOf(record.status) });
  }

  /** Resumes a failed study from its checkpoint. */
  resume(id: StudyId): StudyView {
    const record = this.#record(id);
    if (this.#runs.has(id)) throw fault("STUDY_STATE", "round.runs-already", { study: id });
    if (record.status !== "failed")
      throw fault("STUDY_STATE", "round.not-failed", { study: id, status: nameOf(record.status) });
    const { records, now } = this.#context;
    records.transaction(() => {
      records.askAgain(id);
      const rosterFixed = records.participants(id).some((p) => p.onRoster);
      // The operator's request allows the failed stage to run, and be charged, again.
      records.attempts.beginAfterFailures(id);
      records.reopen(id, rosterFixed ? "running" : "inviting");
      records.event(now(), "resumed", { study: id });
    });
    this.#launch(this.#record(id));
    return this.view(id);
  }

  /**
   * Releases what stands of a result of which parts could not be computed.
   * @throws ConsiliumError STUDY_UNKNOWN, STUDY_STATE where there is no such result
   */
  accept(id: StudyId): StudyView {
    const record = this.#record(id);
    const { records, now } = this.#context;
    records.transaction(() => {
      const missing = acceptMissing(records, id);
      records.reopen(id, "running");
      const detail = missing.map(({ part, reason }) => `${part}: ${reason}`).join(", ");
      records.event(now(), "accepted", { study: id, detail });
    });
    this.#launch(this.#record(record.id));
    return this.view(id);
  }

  /**
   * The sites that a study would be offered to, sorted by id.
   * @throws ConsiliumError STUDY_INVALID, STUDY_RETIRED or ROSTER_TOO_SMALL: it cannot be started now
   */
  invited(study: Study): SiteId[] {
    this.#context.plans.demandUnretired(study);
    const enrolled = this.enrolled();
    const { sites, minimumSites } = study.participation;
    const unknown = (sites ?? []).filter((site) => !enrolled.includes(site));
    if (unknown.length > 0) {
      const remedy = said("round.choose-sites", { sites: enrolled });
      throw fault("STUDY_INVALID", "round.sites-unknown", { sites: unknown }, { remedy });
    }
    const invited = sites ?? enrolled;
    if (invited.length < minimumSites) {
      const params = { study: nameOf(study.name), sites: invited.length, minimum: minimumSites };
      throw fault("ROSTER_TOO_SMALL", "round.few-enrolled", params);
    }
    return [...invited].sort();
  }

  /** The sites that a study can be offered to. */
  enrolled(): SiteId[] {
    return this.#registry
      .sites()
      .filter((site) => site.enrolledAt !== null && !this.#isExpelled(site))
      .map((site) => site.id);
  }

  /** What the tables and the software of the study's sites lack of it, whether or not there are enough sites, and its edition where its method has several. */
  tableFaults(study: Study): TableFaults {
    const { sites } = study.participation;
    const asked = this.enrolled().filter((site) => sites === undefined || sites.includes(site));
    const { refusals, warnings } = this.#faults(study, asked);
    const { method, edition = 1, [methodKey]: of } = study;
    const newest = newestEdition(of);
    const edited = newest === 1 ? [] : [line("study.edition", { method: nameOf(method), edition, newest })];
    return { refusals, warnings: [...edited, ...warnings] };
  }

  /**
   * A study as somebody wrote it. One that names no edition gets the newest that its sites speak.
   * @param isDraft - nothing starts with it yet
   */
  written(raw: unknown, isDraft = false): Result<Study, StudyInvalidError> {
    const read = parseWritten(this.methods, raw, isDraft);
    if (!read.ok || read.value.edition !== undefined) return read;
    const { method, participation, [methodKey]: of } = read.value;
    const { sites, minimumSites } = participation;
    const spoken = ((sites ?? this.enrolled()) as SiteId[]).map((site) =>
      editionAt(this.#registry.site(site)?.speaks ?? null, method),
    );
    const edition = spokenEdition(of.editions ?? [1], spoken, sites === undefined ? minimumSites : null);
    return edition === 1 ? read : parseWritten(this.methods, { ...keysOf(raw), edition }, isDraft);
  }

  /** A study that names hospitals by levels or conditions invites them by name: its plan then says whose figures it shows. */
  #faults(study: Study, sites: readonly SiteId[]): TableFaults {
    const faults = tableFaults(study, sites, this.#registry);
    const isOpen = study.participation.sites === undefined && study.variant === "sound";
    const apart = isOpen ? toldApart(study, sites) : null;
    if (apart === null) return faults;
    const { hospitals, at } = apart;
    const issue = { path: "participation.sites", message: line("plan.sites-unnamed", { hospitals, at }) };
    return { ...faults, refusals: [issue, ...faults.refusals] };
  }

  tables(): TableNameView[] {
    return tableNames(this.#registry, this.enrolled());
  }

  /** @throws ConsiliumError TABLE_UNKNOWN */
  table(name: string): TableView {
    return sharedTable(this.#registry, this.enrolled(), name);
  }

  /** @throws ConsiliumError ADDRESS_UNKNOWN where no such site was ever invited */
  siteTables(id: SiteId): SiteTableView[] {
    const record = this.#registry.site(id);
    if (record === null) throw fault("ADDRESS_UNKNOWN", "round.unknown-site", { site: nameOf(id) });
    const { tables } = record;
    return tables.map((name) => ({
      name,
      columns: this.#registry.columnsOf(id, name),
      budget: this.#registry.budgetOf(id, name),
    }));
  }

  #launch(record: StudyRecord): void {
    let run: StudyRun;
    try {
      run = new StudyRun(record, this.#context);
    } catch (thrown) {
      const error = toConsiliumError(thrown);
      const { code, message: reason } = error;
      this.#context.log.warn("a study is paused", { study: record.id, code, reason });
      this.#unread.set(record.id, error);
      this.emit("changed", record.id);
      return;
    }
    this.#runs.set(record.id, run);
    run.on("changed", () => this.emit("changed", record.id));
    void run.run().finally(() => {
      this.#runs.delete(record.id);
      this.emit("changed", record.id);
    });
  }

  #cancelFailed(record: StudyRecord): void {
    const { records, presence, now } = this.#context;
    records.end(record.id, {
      status: "cancelled",
      at: now(),
      code: "STUDY_CANCELLED",
      message: `study ${record.id} was cancelled`,
    });
    for (const session of presence.sessions()) this.#tellEnds(session);
    this.#context.copies?.removeAll(record.id);
    this.#removeFiles(record.id);
    this.emit("changed", record.id);
  }

  /** The list of expelled sites has changed: studies continue without a newly expelled site, or end. */
  revocationsChanged(): void {
    for (const [id, standing] of this.#registry.standings()) {
      if (!this.#isExpelled(standing)) continue;
      for (const run of this.#runs.values()) {
        try {
          run.expelled(id);
        } catch (thrown) {
          this.outOfRoom(run.id, thrown);
        }
      }
    }
  }

  /**
   * A site's data for a study, or their result, could not be stored.
   * @throws the original error, unless the disk is full
   */
  outOfRoom(id: StudyId, thrown: unknown): void {
    const failure = this.#context.disk.failure(thrown);
    if (!(failure instanceof DiskFull)) throw failure;
    this.#runs.get(id)?.outOfRoom(failure);
  }

  #connected(session: SiteSession): void {
    this.#tellEnds(session);
    this.questions.connected(session);
    for (const run of this.#runs.values()) run.connected(session);
  }

  /** Sent at every connection until the site acknowledges it: a frame may be lost with its connection. */
  #tellEnds(session: SiteSession): void {
    for (const id of this.#context.records.unacknowledgedEnds(session.site)) {
      const record = this.#record(id);
      const code = record.failureCode ?? this.#context.records.releaseCode(id);
      session.send(studyEndedFrame(id, record.status, code));
    }
  }

  /** A study's release was withdrawn or superseded: its sites are told, those that are away when they connect. */
  releaseChanged(id: StudyId): void {
    const { records, presence } = this.#context;
    if (records.study(id)?.status !== "released") return;
    records.tellEndAgain(id);
    for (const session of presence.sessions()) this.#tellEnds(session);
    this.emit("changed", id);
  }

  /** For an ended study; its run may have crashed before removing them. */
  #removeFiles(id: StudyId): void {
    new StudyFiles(this.#context.stateFolder, id).removeAll().catch((thrown) => {
      this.#context.log.error("the files of an ended study could not be removed", { study: id }, thrown);
    });
  }

  /**
   * Messages for studies that are not running are late and ignored.
   * @param alongside - what is stored with a vector
   */
  handle(
    session: SiteSession,
    message: Exclude<SiteMessage, { kind: "hello" | "heartbeat" }>,
    alongside: () => void,
  ): void {
    if (message.kind === "endReceipt") {
      this.#context.records.acknowledgeEnd(message.studyId, session.site);
      return;
    }
    if (message.kind === "question") {
      this.questions.asked(session, message);
      return;
    }
    const run = this.#runs.get(message.studyId);
    if (run === undefined) return;
    switch (message.kind) {
      case "decision":
        run.decided(session, message);
        return;
      case "awaitingApproval":
        run.awaitsApproval(session.site);
        return;
      case "exchangePost":
        run.exchanged(session.site, message);
        return;
      case "sumPost":
      case "vector": {
        const stored =
          message.kind === "vector"
            ? run.vectorCame(session.site, message, alongside)
            : run.sumPosted(session.site, message);
        stored.catch((thrown) => {
          try {
            this.outOfRoom(message.studyId, thrown);
          } catch (fault) {
            session.close(toConsiliumError(fault));
          }
        });
        return;
      }
      case "countersignature":
        run.countersigned(session.site, message);
        return;
      case "stepFault":
        run.faulted(session.site, message);
        return;
    }
  }

  /** A site's message about a study cannot be taken: for that study it is the answer of a site that failed. */
  refused(
    session: SiteSession,
    message: RefusedMessage & { readonly studyId: StudyId },
    code: ErrorCode,
  ): void {
    this.#runs.get(message.studyId)?.refused(session, message, code);
  }

  // ---- views --------------------------------------------------------------------------------------------------

  /**
   * A page of studies.
   * @returns with how many there are on all pages
   * @throws ConsiliumError FIELD_INVALID if `page.after` is no study's id
   */
  list(page: StudyPage): { readonly total: number; readonly studies: StudySummary[] } {
    const listed = this.#context.records.listed(page);
    if (listed === null) throw fault("FIELD_INVALID", "round.unknown-after", {});
    return { total: listed.total, studies: listed.studies.map((record) => this.#summary(record)) };
  }

  /** Running studies, newest first, but for those that cannot be read. */
  running(): RunningStudyView[] {
    const presenceOf = this.#presences();
    const readable = this.#context.records.underWay().filter(({ id }) => !this.#unread.has(id));
    return readable.map((record) => {
      const { document, plan } = this.#context.plans.of(record);
      const participants = this.#context.records.invited(record.id);
      return runningStudy(this.#summary({ ...record, sites: sitesOf(participants) }), {
        minimumSites: document.study.participation.minimumSites,
        participants,
        open: this.#runs.get(record.id)?.open ?? null,
        steps: stepViews(
          record,
          plan,
          this.#context.records,
          this.#context.now(),
          this.#historyOf(record.id),
        ),
        presenceOf,
      });
    });
  }

  /** The pending requests to each site, over all studies. */
  activities(): Map<SiteId, SiteActivity[]> {
    const bySite = new Map<SiteId, SiteActivity[]>();
    for (const [study, run] of this.#runs) {
      const { open } = run;
      for (const site of open?.missing ?? []) {
        const activity = { study, step: open!.id, state: open!.sites.get(site)!.state };
        bySite.set(site, [...(bySite.get(site) ?? []), activity]);
      }
    }
    return bySite;
  }

  view(id: StudyId): StudyView {
    const record = this.#record(id);
    const { plan } = this.#context.plans.of(record);
    const run = this.#runs.get(id) ?? null;
    const open = run?.open ?? null;
    const isTimed =
      open !== null &&
      (open.missing.length > 0 || open.kind === "deposit") &&
      (run?.waiting ?? null) === null;
    const end = record.endedAt ?? this.#context.now();
    const participants = this.#context.records.invited(id);
    return {
      ...this.#summary({ ...record, sites: sitesOf(participants) }),
      hash: record.hash,
      study: JSON.parse(record.text),
      steps: stepViews(
        record,
        plan,
        this.#context.records,
        run === null ? null : this.#context.now(),
        this.#historyOf(id),
      ),
      deadlineAt: isTimed ? new Date(open.deadlineAt).toISOString() : null,
      atDeadline: isTimed ? open.deadlineEffect : null,
      siteStates: siteStates(record, {
        participants,
        plan,
        open: run?.open ?? null,
        records: this.#context.records,
        presenceOf: this.#presences(),
      }),
      claim: plan.claim,
      seconds: (end - record.createdAt) / 1000,
      rows: record.rows,
      failure:
        record.failureCode === null
          ? null
          : {
              code: record.failureCode,
              message: record.failureMessage ?? "",
              remedy: failureRemedy(record.failureCode, participants),
            },
      release: record.releaseUrl === null ? null : { id: record.id, url: record.releaseUrl },
    };
  }

  /** How long each site took, step by step. @throws ConsiliumError STUDY_UNKNOWN */
  times(id: StudyId): StudyTimesView {
    return siteTimes(this.#record(id).id, this.#context.records);
  }

  /** Of a study that runs; of others a new one. */
  #historyOf(id: StudyId): StepHistory {
    const run = this.#runs.get(id);
    if (run === undefined) return new StepHistory();
    const history = this.#histories.get(run) ?? new StepHistory();
    this.#histories.set(run, history);
    return history;
  }

  #summary(record: ListedStudy): StudySummary {
    return {
      id: record.id,
      name: record.name,
      analysis: record.analysis,
      method: record.method,
      variant: record.variant,
      status: record.status,
      createdAt: new Date(record.createdAt).toISOString(),
      endedAt: record.endedAt === null ? null : new Date(record.endedAt).toISOString(),
      waiting: waitingView(this.#runs.get(record.id)?.waiting ?? this.#unread.get(record.id) ?? null),
      sites: record.sites,
      releaseUrl: record.releaseUrl,
      verdict: verdictOf(record.variant, record.withoutPrivacy === 1),
    };
  }

  /** @param standing - where the caller has it already */
  presenceOf(site: SiteId, standing: SiteStanding | null = this.#registry.standing(site)): SitePresence {
    if (standing === null) return "invited";
    if (this.#isExpelled(standing)) return "expelled";
    return standing.enrolledAt === null ? "invited" : this.#context.presence.presenceOf(site);
  }

  /** The same of many: the registry is read once. */
  #presences(): (site: SiteId) => SitePresence {
    const standings = this.#registry.standings();
    return (site) => this.presenceOf(site, standings.get(site) ?? null);
  }

  #record(id: StudyId): StudyRecord {
    const record = this.#context.records.study(id);
    if (record === null) throw fault("STUDY_UNKNOWN", "round.unknown-study", { study: nameOf(id) });
    return record;
  }
}

/** A study that lacks sites lacks them for a cause: they refused it, or have not answered. */
function failureRemedy(code: ErrorCode, participants: readonly InvitedRecord[]): string {
  if (code === "RESULT_INCOMPLETE") return line("result.accept-or-resume", {});
  if (code === "RESULT_FAILED") return line("result.resume", {});
  const isUndecided = participants.some(({ decision }) => decision === "none");
  if (code !== "ROSTER_TOO_SMALL" || participants.length === 0) return errorTable[code].remedy;
  if (participants.some(({ decision }) => decision === "refused")) return line("study.correct-and-clone", {});
  if (isUndecided) return line("study.ask-undecided", {});
  return errorTable[code].remedy;
}

function waitingView(waiting: ConsiliumError | null): StudySummary["waiting"] {
  return waiting && { code: waiting.code, message: waiting.message, remedy: waiting.remedy };
}

function sitesOf(participants: readonly InvitedRecord[]): number {
  const members = participants.filter(({ onRoster }) => onRoster).length;
  return members > 0 ? members : participants.length;
}
