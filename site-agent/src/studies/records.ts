import type { ErrorCode } from "@consilium/core/errors";
import type { Sha256, SiteId, StageId, StudyId } from "@consilium/core/ids";
import type { BroadcastItem } from "@consilium/core/study/broadcast";
import type { Store } from "@consilium/runtime/store/store";
import type { SumPhase } from "@consilium/secure-sum/messages";
import type { FoundTable } from "../data/snapshot.js";
import type { ZeroAnswer } from "./zeros.js";

/** What a site keeps of the studies it was asked to join. */
export interface SiteStudy {
  readonly id: StudyId;
  readonly hash: Sha256;
  /** Empty where it is no longer kept: of refused studies, and of long ones that ended without a release. */
  readonly text: string;
  readonly name: string;
  /** Of the text, also where that is no longer kept. */
  readonly table: string;
  readonly analysis: string;
  readonly method: string;
  readonly variant: string;
  /** JSON, or `none`; empty of an old study whose text is not kept. */
  readonly privacy: string;
  readonly status: "waiting for approval" | "refused" | "joined" | "waiting" | "released" | "cancelled";
  readonly localCode: ErrorCode | null;
  readonly localReason: string | null;
  readonly contentHash: Sha256 | null;
  readonly rows: number | null;
  /** JSON of a `FoundTable`: what the last pass over the table found. */
  readonly tableFound: string | null;
  /** JSON of `ZeroAnswer`s; null for none. */
  readonly zeros: string | null;
  /** When a person last looked at what it makes of the table. */
  readonly lookedAt: number | null;
  readonly exchangeKey: Uint8Array | null;
  readonly joinSignature: Uint8Array | null;
  readonly exchangeSecret: Uint8Array | null;
  readonly setup: Uint8Array | null;
  readonly rosterHash: Sha256 | null;
  /** Of the plan on the roster, by which the study is charged; null before that. */
  readonly planHash: Sha256 | null;
  /** That plan, canonical JSON; null also where earlier software has stored its hash alone. */
  readonly planText: string | null;
  readonly rosterFixedAt: number | null;
  /** JSON of the roster as it was first shown. */
  readonly roster: string | null;
  readonly firstSeenAt: number;
  readonly endedAt: number | null;
}

/** A study as lists show it: without its text, its secrets and its roster. */
export type StudySummary = Omit<
  SiteStudy,
  | "text"
  | "joinSignature"
  | "exchangeSecret"
  | "setup"
  | "roster"
  | "rosterHash"
  | "rosterFixedAt"
  | "planText"
>;

/** A page of a list. */
interface StudyPage {
  readonly limit: number;
  /** The last study of the page before. */
  readonly after?: StudyId | undefined;
}

/**
 * A text that is no longer needed is kept up to this size where a person has dealt with the study. The operator chooses
 * how long texts are, and how many studies there are.
 */
const keptTextMost = 65_536;

export interface Answer {
  readonly kind: "exchange" | "sum" | "rows" | "tags" | "countersignature";
  readonly inputHash: Sha256;
  /** JSON of an exchange's post; null for a vector or rows. */
  readonly post: string | null;
  readonly bytes: number;
  readonly sha256: Sha256;
  /** Of a small vector; absent where it is in a file. */
  readonly content?: Uint8Array | null;
}

/** One attempt at a secure sum. */
interface SumRecord {
  /** Sealed; null once the attempt is over. */
  readonly state: Uint8Array | null;
  readonly survivors: readonly SiteId[] | null;
}

interface SumPostRecord {
  readonly inputHash: Sha256;
  /** JSON; bytes in base64. */
  readonly post: string;
}

export interface StoredBroadcast extends BroadcastItem {
  /** As it travels; null for one that is in a file. */
  readonly content: Uint8Array | null;
}

const summaryColumns = `id, hash, name, data_table AS "table", analysis, method, variant, privacy, status,
  local_code AS localCode, local_reason AS localReason, content_hash AS contentHash, rows, table_found AS tableFound, zeros, looked_at AS lookedAt,
  exchange_key AS exchangeKey, plan_hash AS planHash, first_seen_at AS firstSeenAt, ended_at AS endedAt`;

const studyColumns = `${summaryColumns}, text, join_signature AS joinSignature, exchange_secret AS exchangeSecret,
  setup, roster_hash AS rosterHash, roster_fixed_at AS rosterFixedAt, roster, plan_text AS planText`;

/** Longer than studies wait for hospitals to join: an aggregator that was lost ends none. */
const forgottenMs = 30 * 86_400_000;

/** What a list shows of a text, and the text to keep: parameters are the text, five times, and what is kept of it. */
export const textColumns = "data_table, analysis, method, variant, privacy, text";
export const textValues = ["table", "analysis", "method", "variant", "privacy"]
  .map((key) => `coalesce(json_extract(?, '$.${key}'), '')`)
  .join(", ");
export const textOf = (text: string, kept: string) => [...Array<string>(5).fill(text), kept];

export class SiteRecords {
  readonly #store: Store;

  constructor(store: Store) {
    this.#store = store;
  }

  study(id: StudyId): SiteStudy | null {
    return (
      (this.#store.get(`SELECT ${studyColumns} FROM studies WHERE id = ?`, id) as SiteStudy | undefined) ??
      null
    );
  }

  /** Newest first, without their texts. */
  studies({ limit, after }: StudyPage = { limit: -1 }): StudySummary[] {
    const beyond =
      after === undefined
        ? ""
        : "WHERE (-first_seen_at, id) > (SELECT -first_seen_at, id FROM studies WHERE id = ?)";
    return this.#store.all(
      `SELECT ${summaryColumns} FROM studies ${beyond} ORDER BY -first_seen_at, id LIMIT ?`,
      ...(after === undefined ? [] : [after]),
      limit,
    ) as unknown as StudySummary[];
  }

  /** Studies that wait for a person, or that this site is in and that have not ended. */
  open(): SiteStudy[] {
    return this.#store.all(
      `SELECT ${studyColumns} FROM studies WHERE status IN ('waiting for approval', 'joined', 'waiting')
       ORDER BY first_seen_at DESC, id`,
    ) as unknown as SiteStudy[];
  }

  /** How many studies are kept without their text, by code. */
  withoutText(): { readonly code: string | null; readonly studies: number }[] {
    return this.#store.all(
      `SELECT local_code AS code, count(*) AS studies FROM studies WHERE text = '' GROUP BY local_code
       ORDER BY local_code`,
    ) as { code: string | null; studies: number }[];
  }

  /** How much the store holds of what others offer. @param since - for those that were first offered after it */
  offered(since: number): { readonly recent: number; readonly waiting: number; readonly joined: number } {
    return this.#store.get(
      `SELECT (SELECT count(*) FROM studies WHERE first_seen_at > ?) AS recent,
         (SELECT count(*) FROM studies WHERE status = 'waiting for approval' AND exchange_key IS NULL) AS waiting,
         (SELECT count(*) FROM studies WHERE status IN ('joined', 'waiting')
            OR (status = 'waiting for approval' AND exchange_key IS NOT NULL)) AS joined`,
      since,
    ) as { recent: number; waiting: number; joined: number };
  }

  /** Studies that wait for a person beyond their time make room; offered again, they wait again. */
  lapse(now: number, reason: string): void {
    this.#store.run(
      `UPDATE studies SET status = 'refused', text = '', local_code = 'APPROVAL_LATE',
         local_reason = ?
       WHERE status = 'waiting for approval' AND exchange_key IS NULL
         AND id IN (SELECT study FROM approvals WHERE decision IS NULL AND deadline_at < ?)`,
      reason,
      now,
    );
  }

  /** Whether a person has ever asked the operator anything. */
  hasQuestions(): boolean {
    return this.#store.get("SELECT 1 FROM questions LIMIT 1") !== undefined;
  }

  /** How every study stands: less than the studies themselves, to see whether anything is different. */
  standing(): Pick<SiteStudy, "id" | "status" | "localCode" | "localReason" | "endedAt">[] {
    return this.#store.all(
      `SELECT studies.id, status, local_code AS localCode, local_reason AS localReason, ended_at AS endedAt,
         deadline_at AS deadlineAt FROM studies LEFT JOIN approvals ON approvals.study = studies.id ORDER BY studies.id`,
    ) as unknown as Pick<SiteStudy, "id" | "status" | "localCode" | "localReason" | "endedAt">[];
  }

  refuse(
    study: { readonly id: StudyId; readonly hash: Sha256; readonly text: string; readonly name: string },
    reason: { readonly code: ErrorCode; readonly text: string },
    now: number,
    by: "a rule" | "a person" = "a rule",
  ): void {
    const isKept = by === "a person" && Buffer.byteLength(study.text) <= keptTextMost;
    this.#store.run(
      `INSERT INTO studies (id, hash, name, ${textColumns}, status, local_code, local_reason, first_seen_at)
       VALUES (?, ?, ?, ${textValues}, ?, 'refused', ?, ?, ?)
       ON CONFLICT (id) DO UPDATE SET status = 'refused', local_code = excluded.local_code,
         local_reason = excluded.local_reason, text = excluded.text`,
      study.id,
      study.hash,
      study.name,
      ...textOf(study.text, isKept ? study.text : ""),
      reason.code,
      reason.text,
      now,
    );
  }

  /** Durable before the decision leaves: what was signed is signed again as it is. */
  join(
    study: { readonly id: StudyId; readonly hash: Sha256; readonly text: string; readonly name: string },
    joined: {
      /** Of the table as approved; null where nobody has looked at it. */
      readonly contentHash: Sha256 | null;
      readonly rows: number | null;
      readonly exchangeKey: Uint8Array;
      readonly joinSignature: Uint8Array;
      readonly exchangeSecret: Uint8Array;
    },
    now: number,
  ): void {
    this.#store.transaction(() => {
      this.#store.run("DELETE FROM studies WHERE id = ? AND status = 'refused'", study.id);
      this.#store.run(
        `INSERT INTO studies (id, hash, name, ${textColumns}, status, content_hash, rows, exchange_key,
           join_signature, exchange_secret, first_seen_at)
         VALUES (?, ?, ?, ${textValues}, ?, 'joined', ?, ?, ?, ?, ?, ?)`,
        study.id,
        study.hash,
        study.name,
        ...textOf(study.text, study.text),
        joined.contentHash,
        joined.rows,
        joined.exchangeKey,
        joined.joinSignature,
        joined.exchangeSecret,
        now,
      );
    });
  }

  /** What a pass over the study's table found: for the hospital alone. */
  noteTable(id: StudyId, found: FoundTable): void {
    this.#store.run("UPDATE studies SET table_found = ? WHERE id = ?", JSON.stringify(found), id);
  }

  /** A person has looked at what the study of this text makes of the hospital's table. */
  noteLooked(hash: Sha256, now: number): void {
    this.#store.run("UPDATE studies SET looked_at = ? WHERE hash = ?", now, hash);
  }

  /** A stage was answered with zeros. */
  noteZeros(id: StudyId, answer: ZeroAnswer): void {
    this.#store.run(
      "UPDATE studies SET zeros = json_insert(coalesce(zeros, '[]'), '$[#]', json(?)) WHERE id = ?",
      JSON.stringify(answer),
      id,
    );
  }

  fixRoster(id: StudyId, rosterHash: Sha256, roster: string, now: number): void {
    this.#store.run(
      `UPDATE studies SET roster_hash = ?, roster = ?, roster_fixed_at = ? WHERE id = ? AND roster_hash IS NULL`,
      rosterHash,
      roster,
      now,
      id,
    );
  }

  /** Within the transaction that reserves by this plan. */
  fixPlan(id: StudyId, planHash: Sha256, planText: string): void {
    this.#store.run("UPDATE studies SET plan_hash = ?, plan_text = ? WHERE id = ?", planHash, planText, id);
  }

  // ---- secure sums --------------------------------------------------------------------------------------------

  sum(id: StudyId, stage: StageId, attempt: number): SumRecord | null {
    const row = this.#store.get(
      "SELECT state, survivors FROM sums WHERE study = ? AND stage = ? AND attempt = ?",
      id,
      stage,
      attempt,
    ) as { state: Uint8Array | null; survivors: string | null } | undefined;
    if (row === undefined) return null;
    return {
      state: row.state,
      survivors: row.survivors === null ? null : (JSON.parse(row.survivors) as SiteId[]),
    };
  }

  /** The newest attempt at a stage that this site began; 0 when there is none. */
  newestAttempt(id: StudyId, stage: StageId): number {
    const row = this.#store.get(
      "SELECT max(attempt) AS newest FROM sums WHERE study = ? AND stage = ?",
      id,
      stage,
    ) as { newest: number | null } | undefined;
    return row?.newest ?? 0;
  }

  /** Of every attempt at which this site signed a survivor set or answered for one, in the order of the attempts. */
  survivorSets(id: StudyId): { stage: StageId; attempt: number; survivors: SiteId[] }[] {
    const rows = this.#store.all(
      "SELECT stage, attempt, survivors FROM sums WHERE study = ? AND survivors IS NOT NULL ORDER BY rowid",
      id,
    ) as { stage: StageId; attempt: number; survivors: string }[];
    return rows.map((row) => ({ ...row, survivors: JSON.parse(row.survivors) as SiteId[] }));
  }

  saveSum(id: StudyId, stage: StageId, attempt: number, sum: SumRecord): void {
    this.#store.run(
      `INSERT INTO sums (study, stage, attempt, state, survivors) VALUES (?, ?, ?, ?, ?)
       ON CONFLICT (study, stage, attempt) DO UPDATE SET state = excluded.state,
         survivors = coalesce(sums.survivors, excluded.survivors)`,
      id,
      stage,
      attempt,
      sum.state,
      sum.survivors === null ? null : JSON.stringify(sum.survivors),
    );
  }

  /** Attempts before this one are over: their secrets go. */
  dropSumsBefore(id: StudyId, stage: StageId, attempt: number): void {
    this.#store.run(
      "UPDATE sums SET state = NULL WHERE study = ? AND stage = ? AND attempt < ?",
      id,
      stage,
      attempt,
    );
  }

  sumPost(id: StudyId, stage: StageId, attempt: number, phase: SumPhase): SumPostRecord | null {
    const row = this.#store.get(
      `SELECT input_hash AS inputHash, post FROM sum_posts
       WHERE study = ? AND stage = ? AND attempt = ? AND phase = ?`,
      id,
      stage,
      attempt,
      phase,
    );
    return (row as unknown as SumPostRecord | undefined) ?? null;
  }

  /** Throws when there is one already. */
  saveSumPost(id: StudyId, stage: StageId, attempt: number, phase: SumPhase, post: SumPostRecord): void {
    this.#store.run(
      "INSERT INTO sum_posts (study, stage, attempt, phase, input_hash, post) VALUES (?, ?, ?, ?, ?, ?)",
      id,
      stage,
      attempt,
      phase,
      post.inputHash,
      post.post,
    );
  }

  /** All of `work` is durable when this returns, or none of it. */
  transaction<T>(work: () => T): T {
    return this.#store.transaction(work);
  }

  /** A step could not be answered: why stays here. */
  setLocalReason(id: StudyId, reason: { readonly code: ErrorCode; readonly text: string } | null): void {
    this.#store.run(
      "UPDATE studies SET local_code = ?, local_reason = ? WHERE id = ?",
      reason?.code ?? null,
      reason?.text ?? null,
      id,
    );
  }

  setStatus(id: StudyId, status: SiteStudy["status"]): void {
    this.#store.run("UPDATE studies SET status = ? WHERE id = ?", status, id);
  }

  saveSetup(id: StudyId, setup: Uint8Array): void {
    this.#store.run("UPDATE studies SET setup = ? WHERE id = ?", setup, id);
  }

  answer(id: StudyId, step: StageId, attempt: number): Answer | null {
    const row = this.#store.get(
      `SELECT kind, input_hash AS inputHash, post, bytes, sha256, content FROM answers
       WHERE study = ? AND step = ? AND attempt = ?`,
      id,
      step,
      attempt,
    );
    return (row as unknown as Answer | undefined) ?? null;
  }

  /** Stores an answer, and with it the setup state it came from. Throws when there is one already. */
  saveAnswer(
    id: StudyId,
    step: StageId,
    attempt: number,
    answer: Answer,
    now: number,
    setup: Uint8Array | null,
  ): void {
    this.#store.transaction(() => {
      if (setup !== null) this.saveSetup(id, setup);
      if (answer.kind === "sum" || answer.kind === "rows" || answer.kind === "tags")
        this.#store.run("UPDATE studies SET unanswered_at = NULL WHERE id = ?", id);
      this.#store.run(
        `INSERT INTO answers (study, step, attempt, kind, input_hash, post, bytes, sha256, content, created_at)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
        id,
        step,
        attempt,
        answer.kind,
        answer.inputHash,
        answer.post,
        answer.bytes,
        answer.sha256,
        answer.content ?? null,
        now,
      );
    });
  }

  /** The study has come to an end or to a fault, and this site has answered nothing that is charged. Its last end counts. */
  noteUnanswered(id: StudyId, now: number): void {
    this.#store.run("UPDATE studies SET unanswered_at = ? WHERE id = ?", now, id);
  }

  /**
   * Studies that are noted so since a person last decided on one of the same tables, newest first, after those that run and of which nothing
   * is charged yet: each of them may still end so. Those of which no end has come in `forgottenMs` leave with a decision, too.
   * @param tables - of a population
   */
  unanswered(tables: readonly string[]): { readonly id: StudyId; readonly name: string }[] {
    const own = JSON.stringify(tables);
    return this.#store.all(
      `WITH own AS (SELECT value FROM json_each(?)), decided AS (
         SELECT coalesce(max(decided_at), 0) AS at FROM approvals JOIN studies s ON s.id = study WHERE s.data_table IN own)
       SELECT id, name FROM studies, decided WHERE data_table IN own AND (unanswered_at > decided.at
         OR status = 'joined' AND first_seen_at > decided.at - ? AND NOT EXISTS (
           SELECT 1 FROM answers WHERE study = studies.id AND kind IN ('sum', 'rows', 'tags')))
       ORDER BY unanswered_at DESC NULLS FIRST, id`,
      own,
      forgottenMs,
    ) as { id: StudyId; name: string }[];
  }

  broadcasts(id: StudyId): StoredBroadcast[] {
    return this.#store.all(
      "SELECT stage, name, length, sha256, content FROM broadcasts WHERE study = ? ORDER BY rowid",
      id,
    ) as unknown as StoredBroadcast[];
  }

  /** Those that are there already stay as they are. */
  saveBroadcasts(id: StudyId, items: readonly StoredBroadcast[]): void {
    for (const { stage, name, length, sha256, content } of items)
      this.#store.run(
        `INSERT INTO broadcasts (study, stage, name, length, sha256, content) VALUES (?, ?, ?, ?, ?, ?)
         ON CONFLICT DO NOTHING`,
        id,
        stage,
        name,
        length,
        sha256,
        content,
      );
  }

  /**
   * The study is over: its secrets go, what was done stays on record. So does the text of a release that this hospital
   * took part in, and a short one of a cancelled study that it had joined.
   */
  end(id: StudyId, status: "released" | "cancelled", now: number): void {
    this.#store.transaction(() => {
      this.#store.run(
        `UPDATE studies SET status = ?, exchange_secret = NULL, setup = NULL, ended_at = ?,
           text = CASE WHEN exchange_key IS NOT NULL AND (? OR length(CAST(text AS BLOB)) <= ${keptTextMost})
             THEN text ELSE '' END
         WHERE id = ?`,
        status,
        now,
        status === "released" ? 1 : 0,
        id,
      );
      this.#store.run("UPDATE sums SET state = NULL WHERE study = ?", id);
      this.#store.run("DELETE FROM sum_posts WHERE study = ?", id);
      this.#store.run("UPDATE answers SET content = NULL WHERE study = ?", id);
      this.#store.run("UPDATE broadcasts SET content = NULL WHERE study = ?", id);
    });
  }

  /**
   * Ends every study that this site is in, for good: an old copy of the store was restored, and the keys that lie in it
   * may have been used since. @returns the studies
   */
  abandonAll(reason: string, now: number): StudyId[] {
    return this.#store.transaction(() => {
      const abandoned = this.open().filter(({ exchangeKey }) => exchangeKey !== null);
      for (const { id } of abandoned) {
        this.setLocalReason(id, { code: "LEDGER_BEHIND", text: reason });
        this.end(id, "cancelled", now);
      }
      return abandoned.map(({ id }) => id);
    });
  }

  fact(name: string): Uint8Array | null {
    const row = this.#store.get("SELECT value FROM facts WHERE name = ?", name);
    return (row?.value as Uint8Array | undefined) ?? null;
  }

  setFact(name: string, value: Uint8Array): void {
    this.#store.run(
      "INSERT INTO facts (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value",
      name,
      value,
    );
  }
}

/** Whether this site has left a study because its store was restored from an old copy. */
export function wasAbandoned(study: StudySummary): boolean {
  return study.status === "cancelled" && study.localCode === "LEDGER_BEHIND";
}

/** Whether a study that this site is in waits for a person, who may let it cost more. */
export function asksAgain({ status, exchangeKey }: StudySummary): boolean {
  return status === "waiting for approval" && exchangeKey !== null;
}
