import type { ErrorCode } from "@consilium/core/errors";
import type { Sha256, StageId, StudyId } from "@consilium/core/ids";
import type { Store } from "@consilium/runtime/store/store";

/** What a site keeps of the studies it was asked to join. */
export interface SiteStudy {
  readonly id: StudyId;
  readonly hash: Sha256;
  readonly text: string;
  readonly name: string;
  readonly status: "refused" | "joined" | "waiting" | "released" | "cancelled";
  readonly localCode: ErrorCode | null;
  readonly localReason: string | null;
  readonly contentHash: Sha256 | null;
  readonly rows: number | null;
  readonly exchangeKey: Uint8Array | null;
  readonly joinSignature: Uint8Array | null;
  readonly exchangeSecret: Uint8Array | null;
  readonly setup: Uint8Array | null;
  readonly rosterHash: Sha256 | null;
  readonly rosterFixedAt: number | null;
  readonly firstSeenAt: number;
  readonly endedAt: number | null;
}

export interface Answer {
  readonly kind: "exchange" | "sum" | "rows";
  readonly inputHash: Sha256;
  /** JSON of an exchange's post; null for a vector or rows, which are files. */
  readonly post: string | null;
  readonly bytes: number;
  readonly sha256: Sha256;
}

export interface EgressEntry {
  readonly at: number;
  readonly study: StudyId;
  readonly step: string;
  readonly what: string;
  readonly bytes: number;
  readonly sha256: Sha256;
}

export interface KnownBroadcast {
  readonly stage: StageId;
  readonly name: string;
  readonly length: number;
  readonly sha256: Sha256;
}

const studyColumns = `id, hash, text, name, status, local_code AS localCode, local_reason AS localReason,
  content_hash AS contentHash, rows, exchange_key AS exchangeKey, join_signature AS joinSignature,
  exchange_secret AS exchangeSecret, setup, roster_hash AS rosterHash,
  roster_fixed_at AS rosterFixedAt, first_seen_at AS firstSeenAt,
  ended_at AS endedAt`;

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

  /** Newest first. */
  studies(): SiteStudy[] {
    return this.#store.all(
      `SELECT ${studyColumns} FROM studies ORDER BY first_seen_at DESC, id`,
    ) as unknown as SiteStudy[];
  }

  refuse(
    study: { readonly id: StudyId; readonly hash: Sha256; readonly text: string; readonly name: string },
    reason: { readonly code: ErrorCode; readonly text: string },
    now: number,
  ): void {
    this.#store.run(
      `INSERT INTO studies (id, hash, text, name, status, local_code, local_reason, first_seen_at)
       VALUES (?, ?, ?, ?, 'refused', ?, ?, ?)
       ON CONFLICT (id) DO UPDATE SET status = 'refused', local_code = excluded.local_code,
         local_reason = excluded.local_reason`,
      study.id,
      study.hash,
      study.text,
      study.name,
      reason.code,
      reason.text,
      now,
    );
  }

  /** Durable before the decision leaves: what was signed is signed again as it is. */
  join(
    study: { readonly id: StudyId; readonly hash: Sha256; readonly text: string; readonly name: string },
    joined: {
      readonly contentHash: Sha256;
      readonly rows: number;
      readonly exchangeKey: Uint8Array;
      readonly joinSignature: Uint8Array;
      readonly exchangeSecret: Uint8Array;
    },
    now: number,
  ): void {
    this.#store.transaction(() => {
      this.#store.run("DELETE FROM studies WHERE id = ? AND status = 'refused'", study.id);
      this.#store.run(
        `INSERT INTO studies (id, hash, text, name, status, content_hash, rows, exchange_key, join_signature,
           exchange_secret, first_seen_at) VALUES (?, ?, ?, ?, 'joined', ?, ?, ?, ?, ?, ?)`,
        study.id,
        study.hash,
        study.text,
        study.name,
        joined.contentHash,
        joined.rows,
        joined.exchangeKey,
        joined.joinSignature,
        joined.exchangeSecret,
        now,
      );
    });
  }

  fixRoster(id: StudyId, rosterHash: Sha256, now: number): void {
    this.#store.run(
      "UPDATE studies SET roster_hash = ?, roster_fixed_at = ? WHERE id = ? AND roster_hash IS NULL",
      rosterHash,
      now,
      id,
    );
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
      `SELECT kind, input_hash AS inputHash, post, bytes, sha256 FROM answers
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
      this.#store.run(
        `INSERT INTO answers (study, step, attempt, kind, input_hash, post, bytes, sha256, created_at)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
        id,
        step,
        attempt,
        answer.kind,
        answer.inputHash,
        answer.post,
        answer.bytes,
        answer.sha256,
        now,
      );
    });
  }

  broadcasts(id: StudyId): KnownBroadcast[] {
    return this.#store.all(
      "SELECT stage, name, length, sha256 FROM broadcasts WHERE study = ? ORDER BY rowid",
      id,
    ) as unknown as KnownBroadcast[];
  }

  saveBroadcasts(id: StudyId, items: readonly KnownBroadcast[]): void {
    this.#store.transaction(() => {
      for (const item of items) {
        this.#store.run(
          "INSERT INTO broadcasts (study, stage, name, length, sha256) VALUES (?, ?, ?, ?, ?)",
          id,
          item.stage,
          item.name,
          item.length,
          item.sha256,
        );
      }
    });
  }

  /** The study is over: its secrets go, what was done stays on record. */
  end(id: StudyId, status: "released" | "cancelled", now: number): void {
    this.#store.run(
      "UPDATE studies SET status = ?, exchange_secret = NULL, setup = NULL, ended_at = ? WHERE id = ?",
      status,
      now,
      id,
    );
  }

  recordEgress(entry: EgressEntry): void {
    this.#store.run(
      "INSERT INTO egress (at, study, step, what, bytes, sha256) VALUES (?, ?, ?, ?, ?, ?)",
      entry.at,
      entry.study,
      entry.step,
      entry.what,
      entry.bytes,
      entry.sha256,
    );
  }

  /** Oldest first. */
  egress(): EgressEntry[] {
    return this.#store.all(
      "SELECT at, study, step, what, bytes, sha256 FROM egress ORDER BY id",
    ) as unknown as EgressEntry[];
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
