import type { Sha256, StudyId } from "@consilium/core/ids";
import type { Store } from "@consilium/runtime/store/store";
import { sha256 } from "@consilium/secure-sum/crypto/hash";

/** One sending, as the door reports it. */
export interface EgressRecord {
  readonly at: number;
  /** Null for what is sent whether or not there is a study. */
  readonly study: StudyId | null;
  readonly step: string;
  readonly what: string;
  readonly whom: string;
  readonly bytes: number;
  readonly sha256: Sha256;
  /** The ledger's entry that charges for it; null for what reveals nothing of records. */
  readonly charge: number | null;
  /** Sent again and again with a content of its own each time: one line a day counts all of them. */
  readonly isRoutine: boolean;
}

/** One line of the log: one message, or several of one day. */
export interface EgressEntry extends Omit<EgressRecord, "isRoutine"> {
  /** When the last of them was sent. */
  readonly lastAt: number;
  readonly messages: number;
  /** Of all messages together. */
  readonly bytes: number;
  /** Of the message; where `isChained`, of several different ones by `chainedHash`. */
  readonly sha256: Sha256;
  readonly isChained: boolean;
}

/**
 * So many lines a day has each kind of message of each study; what is sent beyond that is counted in one further line,
 * so that nobody can fill the disk by asking again and again. Studies under way need a few dozen.
 */
export const linesPerDay = 1_000;

const dayMs = 86_400_000;

/**
 * What is in the line of several different messages: each one's hash enters after all before it, so that a record made
 * on the network can be held against the line.
 */
export function chainedHash(before: Sha256, next: Sha256): Sha256 {
  return sha256(`${before}\n${next}`);
}

/**
 * The log of everything that this site sends, written before it is sent. It is only ever added to. A message that is
 * repeated byte for byte on the same day is counted in the line that it has, and routine messages have one line a day.
 */
export class EgressLog {
  readonly #store: Store;

  constructor(store: Store) {
    this.#store = store;
  }

  /** Durable when it returns. */
  record(sent: EgressRecord): void {
    this.#store.transaction(() => {
      if (sent.isRoutine) this.#chain(sent, sent.step);
      else if (this.#isRepeated(sent)) return;
      else if (sent.charge === null && this.#linesOf(sent) >= linesPerDay) this.#chain(sent, "");
      else this.#insert(sent, sent.step, false);
    });
  }

  /** Oldest first. */
  entries(): EgressEntry[] {
    return this.#store
      .all(
        `SELECT at, coalesce(last_at, at) AS lastAt, nullif(study, '') AS study, step, what, whom, messages, bytes,
           sha256, charge, chained FROM egress ORDER BY id`,
      )
      .map(({ chained, ...entry }) => ({ ...entry, isChained: chained === 1 }) as unknown as EgressEntry);
  }

  /** How many messages were sent for studies: heartbeats and the like are no news. */
  studyMessages(): number {
    const row = this.#store.get("SELECT coalesce(sum(messages), 0) AS sent FROM egress WHERE study <> ''");
    return (row as { sent: number }).sent;
  }

  #isRepeated(sent: EgressRecord): boolean {
    const changed = this.#store.run(
      `UPDATE egress SET messages = messages + 1, bytes = bytes + ?, last_at = ?
       WHERE study = ? AND what = ? AND at >= ? AND step = ? AND whom = ? AND sha256 = ? AND charge IS ?
         AND chained = 0`,
      sent.bytes,
      sent.at,
      sent.study ?? "",
      sent.what,
      dayOf(sent.at),
      sent.step,
      sent.whom,
      sent.sha256,
      sent.charge,
    );
    return changed > 0;
  }

  #linesOf({ study, what, at }: EgressRecord): number {
    const row = this.#store.get(
      "SELECT count(*) AS lines FROM egress WHERE study = ? AND what = ? AND at >= ?",
      study ?? "",
      what,
      dayOf(at),
    );
    return (row as { lines: number }).lines;
  }

  #chain(sent: EgressRecord, step: string): void {
    const line = this.#store.get(
      `SELECT id, sha256 FROM egress
       WHERE study = ? AND what = ? AND at >= ? AND step = ? AND whom = ? AND chained = 1`,
      sent.study ?? "",
      sent.what,
      dayOf(sent.at),
      step,
      sent.whom,
    ) as { id: number; sha256: Sha256 } | undefined;
    if (line === undefined) {
      this.#insert(sent, step, true);
      return;
    }
    this.#store.run(
      "UPDATE egress SET messages = messages + 1, bytes = bytes + ?, last_at = ?, sha256 = ? WHERE id = ?",
      sent.bytes,
      sent.at,
      chainedHash(line.sha256, sent.sha256),
      line.id,
    );
  }

  #insert(sent: EgressRecord, step: string, chained: boolean): void {
    this.#store.run(
      `INSERT INTO egress (at, last_at, study, step, what, whom, messages, bytes, sha256, charge, chained)
       VALUES (?, ?, ?, ?, ?, ?, 1, ?, ?, ?, ?)`,
      sent.at,
      sent.at,
      sent.study ?? "",
      step,
      sent.what,
      sent.whom,
      sent.bytes,
      sent.sha256,
      sent.charge,
      chained ? 1 : 0,
    );
  }
}

/** The beginning of a moment's day, UTC. */
function dayOf(at: number): number {
  return at - (at % dayMs);
}
