import type { ErrorCode } from "@consilium/core/errors";
import type { SiteId, StageId, StudyId } from "@consilium/core/ids";
import type { Store } from "@consilium/runtime/store/store";

/** An attempt at a stage. */
export interface AttemptPlace {
  readonly study: StudyId;
  readonly stage: StageId;
  /** From 1. */
  readonly attempt: number;
}

interface AttemptRecord extends AttemptPlace {
  /** When vectors or rows were first requested: sites may have been charged since then. */
  readonly askedAt: number | null;
  /** Ids of the sites whose answers are used; null until fixed. */
  readonly survivors: readonly SiteId[] | null;
  readonly doneAt: number | null;
  readonly failure: { readonly code: ErrorCode; readonly message: string } | null;
}

/** A stored event of a sum's state machine. */
interface SumEventRecord {
  readonly kind: string;
  readonly site: SiteId | null;
  readonly body: string;
}

interface DropoutRecord {
  readonly step: StageId;
  readonly attempt: number;
  readonly site: SiteId;
  readonly code: ErrorCode | null;
}

type Row = Record<string, unknown>;

const columns = `study, stage, attempt, asked_at AS askedAt, survivors, done_at AS doneAt,
  failure_code AS failureCode, failure_message AS failureMessage`;
const at = "study = ? AND stage = ? AND attempt = ?";

/** The aggregator's records of attempts at stages, and of the sites' messages for them. */
export class AttemptRecords {
  readonly #store: Store;

  constructor(store: Store) {
    this.#store = store;
  }

  begin({ study, stage, attempt }: AttemptPlace): void {
    this.#store.run(
      "INSERT INTO attempts (study, stage, attempt) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
      study,
      stage,
      attempt,
    );
  }

  asked(place: AttemptPlace, when: number): void {
    this.#store.run(`UPDATE attempts SET asked_at = ? WHERE ${at} AND asked_at IS NULL`, when, ...key(place));
  }

  setSurvivors(place: AttemptPlace, survivors: readonly SiteId[]): void {
    const json = JSON.stringify([...survivors].sort());
    this.#store.run(`UPDATE attempts SET survivors = ? WHERE ${at}`, json, ...key(place));
  }

  /** The attempt is complete. The secrets that sites revealed for it are deleted. */
  done(place: AttemptPlace, when: number): void {
    this.#store.run(`UPDATE attempts SET done_at = ? WHERE ${at}`, when, ...key(place));
    this.#forget(place);
  }

  fail(place: AttemptPlace, failure: { readonly code: ErrorCode; readonly message: string }): void {
    this.#store.transaction(() => {
      this.#store.run(
        `UPDATE attempts SET failure_code = ?, failure_message = ? WHERE ${at}`,
        failure.code,
        failure.message,
        ...key(place),
      );
      this.#forget(place);
    });
  }

  /** Starts another attempt at each stage whose newest one failed: the operator has resumed the study. */
  beginAfterFailures(study: StudyId): void {
    this.#store.run(
      `INSERT INTO attempts (study, stage, attempt)
       SELECT study, stage, attempt + 1 FROM attempts a WHERE study = ? AND failure_code IS NOT NULL
       AND NOT EXISTS (SELECT 1 FROM attempts b WHERE b.study = a.study AND b.stage = a.stage AND b.attempt > a.attempt)`,
      study,
    );
  }

  newest(study: StudyId, stage: StageId): AttemptRecord | null {
    const row = this.#store.get(
      `SELECT ${columns} FROM attempts WHERE study = ? AND stage = ? ORDER BY attempt DESC LIMIT 1`,
      study,
      stage,
    );
    return row === undefined ? null : readAttempt(row as Row);
  }

  /** Sorted by stage and number. */
  all(study: StudyId): AttemptRecord[] {
    return (
      this.#store.all(
        `SELECT ${columns} FROM attempts WHERE study = ? ORDER BY stage, attempt`,
        study,
      ) as Row[]
    ).map(readAttempt);
  }

  /** The survivors of the latest completed stage of these; null before the first. */
  lastSurvivors(study: StudyId, stages: readonly StageId[]): readonly SiteId[] | null {
    const done = this.#store.all(
      "SELECT stage, survivors FROM attempts WHERE study = ? AND done_at IS NOT NULL ORDER BY attempt DESC",
      study,
    );
    const survivors = new Map(done.map((one) => [one.stage, one.survivors as string | null]));
    const last = survivors.get(stages.findLast((stage) => survivors.has(stage)) ?? null);
    return last === undefined || last === null ? null : JSON.parse(last);
  }

  // ---- the machine's history ------------------------------------------------------------------------------------

  append(place: AttemptPlace, event: SumEventRecord): void {
    this.#store.run(
      "INSERT INTO sum_events (study, stage, attempt, kind, site, body) VALUES (?, ?, ?, ?, ?, ?)",
      ...key(place),
      event.kind,
      event.site,
      event.body,
    );
  }

  events(place: AttemptPlace): SumEventRecord[] {
    return this.#store.all(
      `SELECT kind, site, body FROM sum_events WHERE ${at} ORDER BY id`,
      ...key(place),
    ) as unknown as SumEventRecord[];
  }

  #forget(place: AttemptPlace): void {
    this.#store.run(`DELETE FROM sum_events WHERE ${at}`, ...key(place));
  }

  /** The study has ended permanently. */
  forgetAll(study: StudyId): void {
    this.#store.run("DELETE FROM sum_events WHERE study = ?", study);
  }

  // ---- dropouts -------------------------------------------------------------------------------------------------

  dropped(study: StudyId, dropout: DropoutRecord): void {
    this.#store.run(
      "INSERT INTO dropouts (study, step, attempt, site, code) VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
      study,
      dropout.step,
      dropout.attempt,
      dropout.site,
      dropout.code,
    );
  }

  dropouts(study: StudyId): DropoutRecord[] {
    return this.#store.all(
      "SELECT step, attempt, site, code FROM dropouts WHERE study = ? ORDER BY rowid",
      study,
    ) as unknown as DropoutRecord[];
  }
}

function key({ study, stage, attempt }: AttemptPlace): [StudyId, StageId, number] {
  return [study, stage, attempt];
}

function readAttempt({ failureCode, failureMessage, survivors, ...row }: Row): AttemptRecord {
  return {
    ...row,
    survivors: survivors === null ? null : JSON.parse(survivors as string),
    failure: failureCode === null ? null : { code: failureCode, message: failureMessage },
  } as AttemptRecord;
}
