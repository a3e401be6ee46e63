import type { ErrorCode } from "@consilium/core/errors";
import type { Sha256, SiteId, StageId, StudyId } from "@consilium/core/ids";
import type { StepView, StudyQuery, StudyStatus } from "@consilium/core/operator/views";
import type { After } from "@consilium/runtime/after";
import { type AuditPage, type AuditRow, auditCondition } from "@consilium/runtime/http/access/audit";
import type { logAudited } from "@consilium/runtime/logging/audited";
import { GroupCommit, type GroupedWork } from "@consilium/runtime/store/groupCommit";
import type { SqlValue, Store } from "@consilium/runtime/store/store";
import { AttemptRecords } from "./attemptRecords.js";
import { QuestionRecords } from "./questionRecords.js";
import { listedColumns, pageCondition, studyOrders, withoutPrivacy } from "./studyPages.js";

/**
 * The aggregator's records of studies. After a crash a study is replayed from them: every broadcast, random draw and
 * sum is stored before it is used.
 */
export interface StudyRecord {
  readonly id: StudyId;
  readonly name: string;
  readonly analysis: string;
  readonly method: string;
  readonly variant: string;
  readonly text: string;
  readonly hash: Sha256;
  readonly software: string;
  readonly status: StudyStatus;
  readonly createdAt: number;
  readonly endedAt: number | null;
  readonly failureCode: ErrorCode | null;
  readonly failureMessage: string | null;
  readonly rows: number | null;
  readonly releaseUrl: string | null;
  /** The study's text asks for `privacy: none`. */
  readonly withoutPrivacy: 0 | 1;
}

/** What views need of an invited site. */
export interface InvitedRecord {
  readonly site: SiteId;
  readonly decision: "none" | "joined" | "refused";
  readonly refusalCode: ErrorCode | null;
  /** Whether the hospital lets it be published. */
  readonly mayPublishRefusal: boolean;
  readonly onRoster: boolean;
}

export interface ParticipantRecord extends InvitedRecord {
  /** PEM, leaf and issuing certificate, as the site presented them when it joined. */
  readonly chain: string | null;
  readonly signingKey: Uint8Array | null;
  readonly exchangeKey: Uint8Array | null;
  readonly joinSignature: Uint8Array | null;
}

export interface StepRecord {
  readonly step: StageId;
  readonly kind: StepView["kind"];
  readonly attempt: number;
  readonly openedAt: number;
  readonly doneAt: number | null;
  /** A later deadline than the study's own, set by an operator. */
  readonly extendedUntil: number | null;
}

interface PostRecord {
  readonly site: SiteId;
  readonly publicPart: Uint8Array;
  readonly signature: Uint8Array;
  /** Base64 of the sealed envelope for each receiver. */
  readonly envelopes: Readonly<Record<string, string>>;
}

interface BroadcastRecord {
  readonly stage: StageId;
  readonly name: string;
  readonly length: number;
  readonly sha256: Sha256;
}

interface StoredBroadcast extends BroadcastRecord {
  /** The values as they travel; null if they are in a file. */
  readonly content: Uint8Array | null;
}

interface UploadRecord {
  readonly site: SiteId;
  readonly bytes: number;
  readonly sha256: Sha256;
  readonly complete: boolean;
}

/** An upload that is complete. */
export interface WholeUpload extends Pick<UploadRecord, "site" | "bytes"> {
  readonly step: StageId;
  readonly attempt: number;
}

interface EventRecord {
  readonly at: number;
  readonly site: SiteId | null;
  readonly kind: string;
  readonly detail: string;
}

/** What a list shows of a study. */
export type ListedStudy = Pick<
  StudyRecord,
  | "id"
  | "name"
  | "analysis"
  | "method"
  | "variant"
  | "status"
  | "createdAt"
  | "endedAt"
  | "releaseUrl"
  | "withoutPrivacy"
> & {
  /** On the roster; those invited while there is none. */
  readonly sites: number;
};

/** Some studies: those that a reader asks for, or that have ended since a time. */
export type StudyPage = Omit<StudyQuery, "status"> & {
  /** Any of these; all where it is missing. */
  readonly status?: readonly StudyStatus[] | undefined;
  /** Milliseconds since 1970. */
  readonly endedSince?: number;
};

type Row = Record<string, unknown>;

/** Plan of a study that invites, and of one with its roster. */
export type PlanKind = "invited" | "running";

const studyColumns = `id, name, analysis, method, variant, text, hash, software, status, created_at AS createdAt, ended_at AS endedAt,
  failure_code AS failureCode, failure_message AS failureMessage, rows, release_url AS releaseUrl,
  ${withoutPrivacy}`;

const stepColumns =
  "step, kind, attempt, opened_at AS openedAt, done_at AS doneAt, extended_until AS extendedUntil";

export class StudyRecords {
  readonly attempts: AttemptRecords;
  readonly questions: QuestionRecords;
  readonly #store: Store;
  readonly #group: GroupCommit;
  readonly #audited: ReturnType<typeof logAudited>;

  /**
   * @param after - of the process's time, for group commits
   * @param audited - takes each event for the log
   */
  constructor(store: Store, after?: After, audited: ReturnType<typeof logAudited> = () => undefined) {
    this.#store = store;
    this.#audited = audited;
    this.#group = new GroupCommit(store, after);
    this.attempts = new AttemptRecords(store);
    this.questions = new QuestionRecords(store);
  }

  /** Either all of `work` is durable when this returns, or none of it. What waits in `together` goes with it, before. */
  transaction<T>(work: () => T): T {
    return this.#group.transaction(work);
  }

  /**
   * Group commit: runs `work` together with concurrent work; all of it is durable when this resolves.
   * @param lingerMs - how long it may wait for other work
   */
  together<T>(work: GroupedWork<T>, lingerMs = 0): Promise<T> {
    return this.#group.run(work, lingerMs);
  }

  /** Has what waits in `together` durable now. */
  settle(): void {
    this.#group.settle();
  }

  /** @param study.text - canonical JSON, with its defaults filled in */
  create(study: {
    readonly id: StudyId;
    readonly name: string;
    readonly text: string;
    readonly hash: Sha256;
    readonly software: string;
    readonly createdAt: number;
    readonly sites: readonly SiteId[];
  }): void {
    const { analysis = "", method = "", variant = "" } = JSON.parse(study.text) as Partial<StudyRecord>;
    this.#store.transaction(() => {
      this.#store.run(
        `INSERT INTO studies (id, name, analysis, method, variant, text, hash, software, status, created_at)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, 'inviting', ?)`,
        study.id,
        study.name,
        analysis,
        method,
        variant,
        study.text,
        study.hash,
        study.software,
        study.createdAt,
      );
      for (const site of study.sites) {
        this.#store.run("INSERT INTO participants (study, site) VALUES (?, ?)", study.id, site);
      }
    });
  }

  study(id: StudyId): StudyRecord | null {
    return (
      (this.#store.get(`SELECT ${studyColumns} FROM studies WHERE id = ?`, id) as StudyRecord | undefined) ??
      null
    );
  }

  /** Newest first. */
  studies(): StudyRecord[] {
    return this.#store.all(
      `SELECT ${studyColumns} FROM studies ORDER BY created_at DESC, id`,
    ) as unknown as StudyRecord[];
  }

  /** So many of the newest studies. */
  newest(count: number): StudyRecord[] {
    return this.#store.all(
      `SELECT ${studyColumns} FROM studies ORDER BY created_at DESC, id LIMIT ?`,
      count,
    ) as unknown as StudyRecord[];
  }

  /**
   * A page of studies, without their texts: there may be thousands.
   * @returns with how many there are on all pages; null where `page.after` is no study's id
   */
  listed(page: StudyPage): { readonly total: number; readonly studies: readonly ListedStudy[] } | null {
    const { key, direction } = studyOrders[page.order];
    const wanted = pageCondition(page);
    const { total } = this.#store.get(
      `SELECT count(*) AS total FROM studies WHERE ${wanted.sql}`,
      ...wanted.values,
    )!;
    const beyond = { sql: "", values: [] as SqlValue[] };
    if (page.after !== undefined) {
      const last = this.#store.get(`SELECT ${key} AS place FROM studies WHERE id = ?`, page.after);
      if (last === undefined) return null;
      // The first comparison is what an index answers.
      beyond.sql = `AND ${key} ${direction === "ASC" ? ">=" : "<="} ? AND (${key} <> ? OR id > ?)`;
      beyond.values = [last.place!, last.place!, page.after];
    }
    const studies = this.#store.all(
      `SELECT ${listedColumns} FROM studies WHERE ${wanted.sql} ${beyond.sql}
       ORDER BY ${key} ${direction}, id LIMIT ?`,
      ...wanted.values,
      ...beyond.values,
      page.limit,
    );
    return { total: Number(total), studies: studies as unknown as ListedStudy[] };
  }

  /** How many studies there are of each status that there is. */
  counts(): ReadonlyMap<StudyStatus, number> {
    const rows = this.#store.all("SELECT status, count(*) AS studies FROM studies GROUP BY status");
    return new Map(rows.map(({ status, studies }) => [status as StudyStatus, Number(studies)]));
  }

  /** Studies that have not ended, newest first. */
  underWay(): StudyRecord[] {
    return this.#store.all(
      `SELECT ${studyColumns} FROM studies WHERE status IN ('inviting', 'running', 'publishing')
       ORDER BY created_at DESC, id`,
    ) as unknown as StudyRecord[];
  }

  setStatus(id: StudyId, status: StudyStatus): void {
    this.#store.run("UPDATE studies SET status = ? WHERE id = ?", status, id);
  }

  /** Clears a failure: the study continues from its checkpoint. */
  reopen(id: StudyId, status: StudyStatus): void {
    this.#store.run(
      "UPDATE studies SET status = ?, ended_at = NULL, failure_code = NULL, failure_message = NULL WHERE id = ?",
      status,
      id,
    );
  }

  /** What is stored of vectors, broadcasts and sums goes with the study, unless it may be resumed. */
  end(
    id: StudyId,
    outcome: {
      readonly status: "released" | "failed" | "cancelled";
      readonly at: number;
      readonly code?: ErrorCode;
      readonly message?: string;
    },
  ): void {
    this.transaction(() => {
      this.#store.run(
        "UPDATE studies SET status = ?, ended_at = ?, failure_code = ?, failure_message = ? WHERE id = ?",
        outcome.status,
        outcome.at,
        outcome.code ?? null,
        outcome.message ?? null,
        id,
      );
      if (outcome.status === "failed") return;
      this.#store.run("UPDATE studies SET invited_plan = NULL, running_plan = NULL WHERE id = ?", id);
      for (const table of ["uploads", "broadcasts", "results"])
        this.#store.run(`UPDATE ${table} SET content = NULL WHERE study = ?`, id);
    });
  }

  /** The text of the plan that people decide on, or of that on the roster; null before it is kept, and of a study that has ended. */
  plan(id: StudyId, kind: PlanKind): string | null {
    const row = this.#store.get(`SELECT ${kind}_plan AS plan FROM studies WHERE id = ?`, id);
    return (row?.plan as string | null | undefined) ?? null;
  }

  keepPlan(id: StudyId, kind: PlanKind, text: string): void {
    this.#store.run(`UPDATE studies SET ${kind}_plan = ? WHERE id = ?`, text, id);
  }

  setRows(id: StudyId, rows: number): void {
    this.#store.run("UPDATE studies SET rows = ? WHERE id = ?", rows, id);
  }

  setRelease(id: StudyId, url: string): void {
    this.#store.run("UPDATE studies SET release_url = ? WHERE id = ?", url, id);
  }

  /** Sorted by site id, without keys and certificates. */
  invited(id: StudyId): InvitedRecord[] {
    const rows = this.#store.all(
      `SELECT site, decision, refusal_code AS refusalCode, refusal_public AS isPublic, on_roster AS onRoster
       FROM participants WHERE study = ? ORDER BY site`,
      id,
    ) as Row[];
    return rows.map((row) => participantOf(row) as InvitedRecord);
  }

  /** Sorted by site id. */
  participants(id: StudyId): ParticipantRecord[] {
    const rows = this.#store.all(
      `SELECT site, decision, refusal_code AS refusalCode, refusal_public AS isPublic, chain, signing_key AS signingKey,
         exchange_key AS exchangeKey, join_signature AS joinSignature, on_roster AS onRoster
       FROM participants WHERE study = ? ORDER BY site`,
      id,
    ) as Row[];
    return rows.map((row) => participantOf(row) as ParticipantRecord);
  }

  /** The first decision of a site stands; later ones are ignored. */
  join(
    id: StudyId,
    site: SiteId,
    join: { chain: string; signingKey: Uint8Array; exchangeKey: Uint8Array; signature: Uint8Array },
  ): void {
    this.#store.run(
      `UPDATE participants SET decision = 'joined', chain = ?, signing_key = ?, exchange_key = ?, join_signature = ?
       WHERE study = ? AND site = ? AND decision = 'none'`,
      join.chain,
      join.signingKey,
      join.exchangeKey,
      join.signature,
      id,
      site,
    );
  }

  /** @param mayPublish - whether the hospital lets the code be published */
  refuse(id: StudyId, site: SiteId, code: ErrorCode, mayPublish: boolean): void {
    this.#store.run(
      `UPDATE participants SET decision = 'refused', refusal_code = ?, refusal_public = ?
       WHERE study = ? AND site = ? AND decision = 'none'`,
      code,
      mayPublish ? 1 : 0,
      id,
      site,
    );
  }

  /** Asks refusing sites again, for a study resumed before its roster was fixed. */
  askAgain(id: StudyId): void {
    this.#store.run(
      `UPDATE participants SET decision = 'none', refusal_code = NULL, refusal_public = 0 WHERE study = ? AND decision = 'refused'
       AND NOT EXISTS (SELECT 1 FROM participants p WHERE p.study = participants.study AND p.on_roster = 1)`,
      id,
    );
  }

  fixRoster(id: StudyId, sites: readonly SiteId[]): void {
    this.#store.transaction(() => {
      for (const site of sites) {
        this.#store.run("UPDATE participants SET on_roster = 1 WHERE study = ? AND site = ?", id, site);
      }
    });
  }

  /**
   * Ended studies that this site may hold secrets for and whose end it has not acknowledged. A site without a received
   * decision may still have joined. Failures are never acknowledged: an absent site must still release its reservation
   * for the study.
   */
  unacknowledgedEnds(site: SiteId): StudyId[] {
    const rows = this.#store.all(
      `SELECT p.study AS study FROM participants p JOIN studies s ON s.id = p.study
       WHERE p.site = ? AND p.told_end = 0 AND p.decision <> 'refused' AND s.status IN ('released', 'cancelled', 'failed')`,
      site,
    ) as { study: StudyId }[];
    return rows.map((row) => row.study);
  }

  acknowledgeEnd(id: StudyId, site: SiteId): void {
    this.#store.run("UPDATE participants SET told_end = 1 WHERE study = ? AND site = ?", id, site);
  }

  /** What the publisher shows of a study's release since, as the code that its sites are told; null while it is in force. */
  releaseCode(id: StudyId): ErrorCode | null {
    const row = this.#store.get(
      `SELECT status FROM withdrawals WHERE release = ? AND delivered_at IS NOT NULL
       ORDER BY status = 'withdrawn' DESC LIMIT 1`,
      id,
    );
    if (row === undefined) return null;
    return row.status === "withdrawn" ? "RELEASE_WITHDRAWN" : "RELEASE_SUPERSEDED";
  }

  /** The participants are to be told of the end again: there is more to say of it. */
  tellEndAgain(id: StudyId): void {
    this.#store.run("UPDATE participants SET told_end = 0 WHERE study = ?", id);
  }

  openStep(id: StudyId, step: StageId, kind: StepRecord["kind"], attempt: number, at: number): void {
    this.#store.run(
      `INSERT INTO steps (study, step, kind, attempt, position, opened_at)
       VALUES (?, ?, ?, ?, (SELECT count(*) FROM steps WHERE study = ?), ?) ON CONFLICT DO NOTHING`,
      id,
      step,
      kind,
      attempt,
      id,
      at,
    );
  }

  /** A later deadline that an operator has set for a step; it holds after a restart too. */
  extendStep(id: StudyId, step: StageId, attempt: number, until: number): void {
    this.#store.run(
      "UPDATE steps SET extended_until = ? WHERE study = ? AND step = ? AND attempt = ?",
      until,
      id,
      step,
      attempt,
    );
  }

  closeStep(id: StudyId, step: StageId, attempt: number, at: number): void {
    this.#store.run(
      "UPDATE steps SET done_at = ? WHERE study = ? AND step = ? AND attempt = ? AND done_at IS NULL",
      at,
      id,
      step,
      attempt,
    );
  }

  /** @returns null before it was opened */
  step(id: StudyId, step: StageId, attempt: number): StepRecord | null {
    const row = this.#store.get(
      `SELECT ${stepColumns} FROM steps WHERE study = ? AND step = ? AND attempt = ?`,
      id,
      step,
      attempt,
    );
    return (row ?? null) as StepRecord | null;
  }

  /** In the order in which they were opened. @param after - without so many of the first */
  steps(id: StudyId, after = 0): StepRecord[] {
    return this.#store.all(
      `SELECT ${stepColumns} FROM steps WHERE study = ? AND position >= ? ORDER BY position`,
      id,
      after,
    ) as unknown as StepRecord[];
  }

  /** Stores a site's post. An identical repetition is accepted; the caller refuses a different one. */
  post(id: StudyId, step: StageId, attempt: number, post: PostRecord): void {
    this.#store.run(
      `INSERT INTO posts (study, step, attempt, site, public_part, signature, envelopes)
       VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
      id,
      step,
      attempt,
      post.site,
      post.publicPart,
      post.signature,
      JSON.stringify(post.envelopes),
    );
  }

  posts(id: StudyId, step: StageId, attempt: number): PostRecord[] {
    const rows = this.#store.all(
      `SELECT site, public_part AS publicPart, signature, envelopes FROM posts
       WHERE study = ? AND step = ? AND attempt = ? ORDER BY site`,
      id,
      step,
      attempt,
    ) as Row[];
    return rows.map((row) => ({ ...row, envelopes: JSON.parse(row.envelopes as string) }) as PostRecord);
  }

  recordBroadcasts(id: StudyId, items: readonly StoredBroadcast[]): void {
    this.#store.transaction(() => {
      items.forEach((item, position) => {
        this.#store.run(
          `INSERT INTO broadcasts (study, stage, position, name, length, sha256, content)
           VALUES (?, ?, ?, ?, ?, ?, ?)`,
          id,
          item.stage,
          position,
          item.name,
          item.length,
          item.sha256,
          item.content,
        );
      });
    });
  }

  /** For all stages so far, in the order of their first recording. */
  broadcasts(id: StudyId): BroadcastRecord[] {
    return this.#store.all(
      "SELECT stage, name, length, sha256 FROM broadcasts WHERE study = ? ORDER BY rowid",
      id,
    ) as unknown as BroadcastRecord[];
  }

  broadcastsOf(id: StudyId, stage: StageId): StoredBroadcast[] {
    return this.#store.all(
      "SELECT stage, name, length, sha256, content FROM broadcasts WHERE study = ? AND stage = ? ORDER BY position",
      id,
      stage,
    ) as unknown as StoredBroadcast[];
  }

  broadcast(id: StudyId, hash: Sha256): StoredBroadcast | null {
    const row = this.#store.get(
      "SELECT stage, name, length, sha256, content FROM broadcasts WHERE study = ? AND sha256 = ? LIMIT 1",
      id,
      hash,
    );
    return (row as unknown as StoredBroadcast | undefined) ?? null;
  }

  upload(id: StudyId, step: StageId, attempt: number, site: SiteId): UploadRecord | null {
    const row = this.#store.get(
      `SELECT site, bytes, sha256, complete_at IS NOT NULL AS complete FROM uploads
       WHERE study = ? AND step = ? AND attempt = ? AND site = ?`,
      id,
      step,
      attempt,
      site,
    ) as Row | undefined;
    return row === undefined ? null : ({ ...row, complete: row.complete === 1 } as UploadRecord);
  }

  uploads(id: StudyId, step: StageId, attempt: number): UploadRecord[] {
    const rows = this.#store.all(
      `SELECT site, bytes, sha256, complete_at IS NOT NULL AS complete FROM uploads
       WHERE study = ? AND step = ? AND attempt = ? ORDER BY site`,
      id,
      step,
      attempt,
    ) as Row[];
    return rows.map((row) => ({ ...row, complete: row.complete === 1 }) as UploadRecord);
  }

  /** Of all attempts. @param step - null: of all steps */
  wholeUploads(id: StudyId, step: StageId | null): WholeUpload[] {
    const rows = this.#store.all(
      `SELECT step, attempt, site, bytes FROM uploads
       WHERE study = ? ${step === null ? "" : "AND step = ? "}AND complete_at IS NOT NULL`,
      ...(step === null ? [id] : [id, step]),
    );
    return rows as unknown as WholeUpload[];
  }

  beginUpload(
    id: StudyId,
    step: StageId,
    attempt: number,
    upload: { site: SiteId; bytes: number; sha256: Sha256 },
  ): void {
    this.#store.run(
      `INSERT INTO uploads (study, step, attempt, site, bytes, sha256) VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
      id,
      step,
      attempt,
      upload.site,
      upload.bytes,
      upload.sha256,
    );
  }

  /** @param upload.content - of a small vector; null if it is in a file */
  completeUpload(
    id: StudyId,
    step: StageId,
    attempt: number,
    { site, content, at }: { site: SiteId; content: Uint8Array | null; at: number },
  ): void {
    this.#store.run(
      "UPDATE uploads SET complete_at = ?, content = ? WHERE study = ? AND step = ? AND attempt = ? AND site = ?",
      at,
      content,
      id,
      step,
      attempt,
      site,
    );
  }

  /** A small vector; null if it is in a file. */
  uploadContent(id: StudyId, step: StageId, attempt: number, site: SiteId): Uint8Array | null {
    const row = this.#store.get(
      "SELECT content FROM uploads WHERE study = ? AND step = ? AND attempt = ? AND site = ?",
      id,
      step,
      attempt,
      site,
    );
    return (row?.content as Uint8Array | null | undefined) ?? null;
  }

  /** The vectors of an attempt that is over: that they came stays on record. */
  dropContents(id: StudyId, step: StageId, attempt: number): void {
    this.#store.run(
      "UPDATE uploads SET content = NULL WHERE study = ? AND step = ? AND attempt = ? AND content IS NOT NULL",
      id,
      step,
      attempt,
    );
  }

  /** A result is written once: a small sum, the hash of a sum or row file, or a drawn value. */
  setResult(
    id: StudyId,
    step: string,
    result: { sha256?: Sha256; value?: string; content?: Uint8Array },
  ): void {
    this.#store.run(
      "INSERT INTO results (study, step, sha256, value, content) VALUES (?, ?, ?, ?, ?)",
      id,
      step,
      result.sha256 ?? null,
      result.value ?? null,
      result.content ?? null,
    );
  }

  /** A value in place of the one before. */
  keepResult(id: StudyId, step: string, value: string): void {
    this.#store.run(
      `INSERT INTO results (study, step, value) VALUES (?, ?, ?)
       ON CONFLICT (study, step) DO UPDATE SET value = excluded.value`,
      id,
      step,
      value,
    );
  }

  result(
    id: StudyId,
    step: string,
  ): {
    readonly sha256: Sha256 | null;
    readonly value: string | null;
    readonly content: Uint8Array | null;
  } | null {
    const row = this.#store.get(
      "SELECT sha256, value, content FROM results WHERE study = ? AND step = ?",
      id,
      step,
    );
    return (row as ReturnType<StudyRecords["result"]> | undefined) ?? null;
  }

  /** Under what keys results of a study are stored. */
  resultKeys(id: StudyId): ReadonlySet<string> {
    const rows = this.#store.all("SELECT step FROM results WHERE study = ?", id);
    return new Set(rows.map(({ step }) => step as string));
  }

  /** A site signs one statement per study: the first countersignature stays. */
  countersign(id: StudyId, site: SiteId, body: string): void {
    this.#store.run(
      "INSERT INTO countersignatures (study, site, body) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
      id,
      site,
      body,
    );
  }

  /** Sorted by site id. */
  countersignatures(id: StudyId): { readonly site: SiteId; readonly body: string }[] {
    return this.#store.all(
      "SELECT site, body FROM countersignatures WHERE study = ? ORDER BY site",
      id,
    ) as unknown as { site: SiteId; body: string }[];
  }

  /** @param place.actor - the operator's account or token; omitted for a site or the process itself */
  event(
    at: number,
    kind: string,
    place: { study?: StudyId; site?: SiteId; detail?: string; actor?: string | null },
  ): void {
    this.#audited({ ...place, kind });
    this.#store.run(
      "INSERT INTO events (at, study, site, kind, detail, actor) VALUES (?, ?, ?, ?, ?, ?)",
      at,
      place.study ?? null,
      place.site ?? null,
      kind,
      place.detail ?? "",
      place.actor ?? null,
    );
  }

  /** The events of all studies and of the federation, newest first. */
  trail(page: AuditPage): AuditRow[] {
    const { sql, values } = auditCondition(page);
    return this.#store.all(
      `SELECT id, at, study, site, kind, detail, actor FROM events WHERE ${sql} ORDER BY id DESC LIMIT ?`,
      ...values,
      page.limit,
    ) as unknown as AuditRow[];
  }

  events(id: StudyId): EventRecord[] {
    return this.#store.all(
      "SELECT at, site, kind, detail FROM events WHERE study = ? ORDER BY id",
      id,
    ) as unknown as EventRecord[];
  }
}

function participantOf({ isPublic, ...row }: Row) {
  return { ...row, onRoster: row.onRoster === 1, mayPublishRefusal: isPublic === 1 };
}
