import type { Sha256, StudyId } from "@consilium/core/ids";
import type { Store } from "@consilium/runtime/store/store";
import { sha256 } from "@consilium/secure-sum/crypto/hash";
import { textColumns, textOf, textValues } from "./records.js";

/** What is stored of a person's decision on a study, and of the time that is left for it. */
export interface Approval {
  readonly study: StudyId;
  /** Until when the study can be joined, milliseconds since 1970 by this site's clock: as last told. */
  readonly deadlineAt: number;
  /** Null while nobody has decided. */
  readonly decision: "approved" | "refused" | null;
  readonly decidedAt: number | null;
  /** The name of the person's account, or of the command line's user. */
  readonly decidedBy: string | null;
  /** As the person wrote it. It stays at the site. */
  readonly reason: string | null;
  /** The first of two approvals, or the one that did; null where there is none. */
  readonly first: FirstApproval | null;
}

export interface FirstApproval extends Approver {
  readonly at: number;
  readonly terms: Terms;
}

export interface Approver {
  readonly by: string;
  /** For whom a deputy approves; null where that is nobody. */
  readonly inPlaceOf: string | null;
}

/** What an approval is of: a hash of each. */
export type Terms = Readonly<Record<Term, string | null>>;
export type Term = "study" | "plan" | "policy" | "table" | "content";

export const approverName = ({ by, inPlaceOf }: Approver) =>
  inPlaceOf === null ? by : `${by} for ${inPlaceOf}`;

export interface Decision {
  readonly decision: "approved" | "refused";
  /** Who decides, for the hospital's own records. */
  readonly by: string;
  readonly reason: string | null;
}

/** A study as it was offered. */
export interface OfferedStudy {
  readonly id: StudyId;
  readonly hash: Sha256;
  readonly text: string;
  readonly name: string;
}

/** Studies that wait for a person, and what persons have decided. */
export class Approvals {
  readonly #store: Store;

  constructor(store: Store) {
    this.#store = store;
  }

  of(study: StudyId): Approval | null {
    const row = this.#store.get(
      `SELECT study, deadline_at AS deadlineAt, decision, decided_at AS decidedAt,
         decided_by AS decidedBy, reason, first
       FROM approvals WHERE study = ?`,
      study,
    ) as unknown as (Omit<Approval, "first"> & { readonly first: string | null }) | undefined;
    if (row === undefined) return null;
    return { ...row, first: row.first === null ? null : (JSON.parse(row.first) as Approval["first"]) };
  }

  /** The first of two approvals, in place of one that does not count any more. */
  keepFirst(study: StudyId, first: FirstApproval): void {
    this.#store.run("UPDATE approvals SET first = ? WHERE study = ?", JSON.stringify(first), study);
  }

  /** What is kept of an approval; within the transaction of the decision. @returns its SHA-256, for the ledger */
  keepRecord(study: StudyId, record: string): Sha256 {
    const hash = sha256(record);
    this.#store.run(
      "INSERT INTO approval_records (hash, study, record) VALUES (?, ?, ?)",
      hash,
      study,
      record,
    );
    return hash;
  }

  /** The study waits from now on, or has until another time than it had. */
  wait(study: OfferedStudy, deadlineAt: number, now: number): void {
    this.#store.transaction(() => {
      this.#store.run(
        `INSERT INTO studies (id, hash, name, ${textColumns}, status, first_seen_at)
         VALUES (?, ?, ?, ${textValues}, ?, 'waiting for approval', ?)
         ON CONFLICT (id) DO UPDATE SET hash = excluded.hash, text = excluded.text, name = excluded.name,
           data_table = excluded.data_table, analysis = excluded.analysis, method = excluded.method,
           variant = excluded.variant, privacy = excluded.privacy, status = excluded.status, local_code = NULL, local_reason = NULL`,
        study.id,
        study.hash,
        study.name,
        ...textOf(study.text, study.text),
        now,
      );
      this.#store.run(
        `INSERT INTO approvals (study, deadline_at) VALUES (?, ?)
         ON CONFLICT (study) DO UPDATE SET deadline_at = excluded.deadline_at`,
        study.id,
        deadlineAt,
      );
    });
  }

  /** A study that this site is in waits for a person once more, for as long as it can be resumed. What was decided of it last stays known. */
  waitAgain(study: StudyId, now: number): void {
    this.#store.run("UPDATE studies SET status = 'waiting for approval' WHERE id = ?", study);
    this.#store.run(
      `INSERT INTO approvals (study, deadline_at) VALUES (?, ?)
       ON CONFLICT (study) DO UPDATE SET decision = NULL, first = NULL`,
      study,
      now,
    );
  }

  /** Nobody is asked any more: the time to decide ends now, until the study is offered again. */
  over(study: StudyId, now: number): void {
    this.#store.run("UPDATE approvals SET deadline_at = min(deadline_at, ?) WHERE study = ?", now, study);
  }

  /** Within the transaction that joins or refuses the study. */
  decide(study: StudyId, { decision, by, reason }: Decision, now: number): void {
    this.#store.run(
      `UPDATE approvals SET decision = ?, decided_at = ?, decided_by = ?, reason = ?
       WHERE study = ? AND decision IS NULL`,
      decision,
      now,
      by,
      reason,
      study,
    );
  }

  /** A study that waits is joined: its record makes room for the one that `SiteRecords.join` writes. */
  clear(study: StudyId): void {
    this.#store.run("DELETE FROM studies WHERE id = ? AND status = 'waiting for approval'", study);
  }
}
