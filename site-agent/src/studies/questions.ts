import { faults } from "@consilium/core/fault";
import type { AnsweredView, QuestionView } from "@consilium/core/hospital/questionViews";
import type { StudyId } from "@consilium/core/ids";
import { maxPersonTextBytes, maxQuestions } from "@consilium/core/limits";
import type { RandomSource } from "@consilium/core/random";
import { nameOf, sentences } from "@consilium/core/said";
import { isPersonText } from "@consilium/core/text";
import type { Door, OutboundMessage } from "@consilium/gate/door";
import type { Logger } from "@consilium/runtime/log";
import type { Store } from "@consilium/runtime/store/store";
import type { SiteStudySays } from "@consilium/words/says/siteStudies";
import type { AggregatorMessage } from "../rpc/toDomain.js";
import type { AuditLog } from "../socket/auditLog.js";
import type { SiteRecords } from "./records.js";
import { unknownStudy } from "./studyView.js";

const fault = faults<SiteStudySays>();
const said = sentences<SiteStudySays>();

/** Loaded once a person at the hospital has asked a question. */

interface QuestionsContext {
  readonly store: Store;
  readonly records: Pick<SiteRecords, "study" | "transaction">;
  readonly auditLog: Pick<AuditLog, "record">;
  readonly door: Pick<Door, "question">;
  readonly random: RandomSource;
  readonly now: () => number;
  readonly log: Logger;
  readonly send: (message: OutboundMessage) => void;
}

interface QuestionRecord {
  readonly id: string;
  readonly study: StudyId;
  readonly text: string;
  readonly askedAt: number;
  readonly askedBy: string;
  readonly receivedAt: number | null;
  readonly answer: string | null;
  readonly answeredAt: number | null;
}

const columns = `id, study, text, asked_at AS askedAt, asked_by AS askedBy, received_at AS receivedAt, answer,
  answered_at AS answeredAt`;

/** Over all studies: a console that lies, or a person's script, cannot make of this a way out for more. */
const mostInAnHour = 10;
const hourMs = 3_600_000;
const askable: readonly string[] = ["waiting for approval", "joined", "waiting"];

/**
 * What people at the hospital ask the operator, and the answers. A question is what a person typed and nothing else: neither
 * who asked nor anything of the table leaves with it.
 */
export class Questions {
  readonly #context: QuestionsContext;

  constructor(context: QuestionsContext) {
    this.#context = context;
  }

  /**
   * Stores the question and sends it, now or once there is a connection.
   * @throws ConsiliumError STUDY_UNKNOWN, STUDY_STATE, FIELD_INVALID, RATE_LIMITED
   */
  ask(study: StudyId, text: string, by: string): void {
    const { store, records, auditLog, random, now } = this.#context;
    const status = records.study(study)?.status;
    if (status === undefined) throw unknownStudy(study);
    if (!askable.includes(status))
      throw fault("STUDY_STATE", "work.questions-over", { study, status: nameOf(status) });
    if (!isPersonText(text)) throw fault("FIELD_INVALID", "work.question-text", {});
    const bytes = Buffer.byteLength(text);
    if (bytes > maxPersonTextBytes)
      throw fault("FIELD_INVALID", "work.question-long", { bytes, max: maxPersonTextBytes });
    this.#demandRoom(study);
    const id = Buffer.from(random.bytes(16)).toString("hex");
    records.transaction(() => {
      store.run(
        "INSERT INTO questions (id, study, text, asked_at, asked_by) VALUES (?, ?, ?, ?, ?)",
        id,
        study,
        text,
        now(),
        by,
      );
      auditLog.record({ actor: by, kind: "asked the operator", study, detail: text });
    });
    this.#send(this.#question(id)!);
  }

  /** What the aggregator says of a question: that it has it, or the operator's answer. It is told again at each connection. */
  answered(message: Extract<AggregatorMessage, { kind: "answer" }>): void {
    try {
      this.#answered(message);
    } catch (thrown) {
      this.#context.log.error("an answer could not be stored", { study: message.studyId }, thrown);
    }
  }

  #answered({ studyId, questionId, text }: Extract<AggregatorMessage, { kind: "answer" }>): void {
    const { store, records, auditLog, now, log } = this.#context;
    const question = this.#question(questionId);
    if (question === null || question.study !== studyId) {
      log.warn("an answer was ignored: nobody here asked that", { study: studyId });
      return;
    }
    if (question.receivedAt === null)
      store.run("UPDATE questions SET received_at = ? WHERE id = ?", now(), questionId);
    if (text === null || text === question.answer) return;
    if (question.answer !== null) {
      log.warn("a second, different answer was ignored", { study: studyId });
      return;
    }
    records.transaction(() => {
      store.run("UPDATE questions SET answer = ?, answered_at = ? WHERE id = ?", text, now(), questionId);
      auditLog.record({ actor: "the operator", kind: "answered a question", study: studyId, detail: text });
    });
  }

  /** Sends what the aggregator has not confirmed. */
  sendAgain(): void {
    try {
      for (const question of this.#all("received_at IS NULL")) this.#send(question);
    } catch (thrown) {
      this.#context.log.error("a question could not be sent again", {}, thrown);
    }
  }

  /** Oldest first. */
  of(study: StudyId): QuestionView[] {
    const iso = (at: number | null) => (at === null ? null : new Date(at).toISOString());
    return this.#all("study = ?", study).map(
      ({ id, text, askedAt, askedBy, receivedAt, answer, answeredAt }) => ({
        id,
        text,
        askedAt: iso(askedAt)!,
        askedBy,
        receivedAt: iso(receivedAt),
        answer,
        answeredAt: iso(answeredAt),
      }),
    );
  }

  /** Questions that the operator has answered since. */
  answeredSince(since: number): AnsweredView[] {
    return this.#all("answered_at > ?", since).map(({ id, study, answeredAt }) => ({
      id,
      study,
      answeredAt: new Date(answeredAt!).toISOString(),
      name: this.#context.records.study(study)?.name ?? study,
    }));
  }

  #demandRoom(study: StudyId): void {
    const { now } = this.#context;
    if (this.#all("study = ?", study).length >= maxQuestions) {
      const remedy = said("work.write-to-contact", {});
      throw fault("RATE_LIMITED", "work.questions-many", { study, max: maxQuestions }, { remedy });
    }
    if (this.#all("asked_at > ?", now() - hourMs).length < mostInAnHour) return;
    const remedy = said("work.ask-later", {});
    throw fault("RATE_LIMITED", "work.questions-often", { max: mostInAnHour }, { remedy });
  }

  #send({ study, id, text }: QuestionRecord): void {
    this.#context.send(this.#context.door.question(study, id, text));
  }

  #question(id: string): QuestionRecord | null {
    return this.#all("id = ?", id)[0] ?? null;
  }

  #all(condition: string, ...values: (string | number)[]): QuestionRecord[] {
    return this.#context.store.all(
      `SELECT ${columns} FROM questions WHERE ${condition} ORDER BY asked_at, rowid`,
      ...values,
    ) as unknown as QuestionRecord[];
  }
}
