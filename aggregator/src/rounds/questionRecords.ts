import type { SiteId, StudyId } from "@consilium/core/ids";
import type { Store } from "@consilium/runtime/store/store";

export interface QuestionRecord {
  readonly id: string;
  readonly study: StudyId;
  readonly site: SiteId;
  readonly text: string;
  readonly askedAt: number;
  readonly answer: string | null;
  readonly answeredAt: number | null;
  readonly answeredBy: string | null;
}

const columns = `id, study, site, text, asked_at AS "askedAt", answer, answered_at AS "answeredAt",
  answered_by AS "answeredBy"`;

/** What hospitals asked about studies, each oldest first. */
export class QuestionRecords {
  readonly #store: Store;

  constructor(store: Store) {
    this.#store = store;
  }

  add(question: Pick<QuestionRecord, "study" | "id" | "site" | "text" | "askedAt">): void {
    const { study, id, site, text, askedAt } = question;
    this.#store.run(
      "INSERT INTO questions (id, study, site, text, asked_at) VALUES (?, ?, ?, ?, ?)",
      id,
      study,
      site,
      text,
      askedAt,
    );
  }

  answer({ study, id, answer, answeredAt, answeredBy }: QuestionRecord): void {
    this.#store.run(
      "UPDATE questions SET answer = ?, answered_at = ?, answered_by = ? WHERE study = ? AND id = ?",
      answer,
      answeredAt,
      answeredBy,
      study,
      id,
    );
  }

  question(study: StudyId, id: string): QuestionRecord | null {
    return this.#all("study = ? AND id = ?", study, id)[0] ?? null;
  }

  of(study: StudyId): QuestionRecord[] {
    return this.#all("study = ?", study);
  }

  /** Of a site, what was answered since a time. */
  answeredTo(site: SiteId, since: number): QuestionRecord[] {
    return this.#all("site = ? AND answered_at > ?", site, since);
  }

  /** Of every study, what was asked since a time. */
  askedSince(since: number): QuestionRecord[] {
    return this.#all("asked_at > ?", since);
  }

  #all(condition: string, ...values: (string | number)[]): QuestionRecord[] {
    return this.#store.all(
      `SELECT ${columns} FROM questions WHERE ${condition} ORDER BY asked_at, id`,
      ...values,
    ) as unknown as QuestionRecord[];
  }
}
