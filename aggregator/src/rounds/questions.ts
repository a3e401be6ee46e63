import { faults } from "@consilium/core/fault";
import type { StudyId } from "@consilium/core/ids";
import { maxPersonTextBytes, maxQuestions } from "@consilium/core/limits";
import type { SiteQuestionView } from "@consilium/core/operator/questionViews";
import { lines, nameOf, sentences } from "@consilium/core/said";
import { isPersonText } from "@consilium/core/text";
import type { Logger } from "@consilium/runtime/log";
import type { RoundSays } from "@consilium/words/says/rounds";
import type { WireSays } from "@consilium/words/says/wire";
import type { Presence, SiteSession } from "../roster/presence.js";
import type { SiteMessage } from "../rpc/toDomain.js";
import type { QuestionRecord } from "./questionRecords.js";
import type { StudyRecords } from "./records.js";

const fault = faults<RoundSays>();
const said = sentences<RoundSays>();

const line = lines<WireSays>();

interface QuestionsContext {
  readonly records: Pick<StudyRecords, "study" | "invited" | "event" | "transaction" | "questions">;
  readonly presence: Pick<Presence, "session">;
  readonly now: () => number;
  readonly log: Logger;
  /** A study has a further question or answer. */
  readonly changed: (study: StudyId) => void;
}

/** A site that was away for longer is not told; its question shows as unanswered there. */
const toldAgainMs = 30 * 86_400_000;

/** What hospitals ask about studies, and the operator's answers. */
export class Questions {
  readonly #context: QuestionsContext;

  constructor(context: QuestionsContext) {
    this.#context = context;
  }

  /** A question came, perhaps again. What is not stored is not confirmed. */
  asked(session: SiteSession, message: Extract<SiteMessage, { kind: "question" }>): void {
    const { records, now, log, changed } = this.#context;
    const { site } = session;
    const { studyId: study, questionId: id, text } = message;
    const before = records.questions.question(study, id);
    if (before !== null) {
      if (before.site === site && before.text === text) session.send(answerFrame(before));
      else log.warn("a question was ignored: its id is taken", { site, study });
      return;
    }
    const isInvited = records.invited(study).some((one) => one.site === site);
    const held = records.questions.of(study).filter((one) => one.site === site).length;
    if (!isInvited || held >= maxQuestions) {
      log.warn("a question was ignored", { site, study, isInvited, held });
      if (!isInvited) return;
      const message = line("wire.questions", { max: maxQuestions });
      session.send({ frame: "fault", fault: { code: "RATE_LIMITED", message, studyId: study } });
      return;
    }
    records.transaction(() => {
      records.questions.add({ study, id, site, text, askedAt: now() });
      records.event(now(), "asked a question", { study, site, detail: text });
    });
    session.send(answerFrame({ id, study, answer: null }));
    changed(study);
  }

  /**
   * The operator answers, once: what the hospital has read stands.
   * @throws ConsiliumError ADDRESS_UNKNOWN, STUDY_STATE, FIELD_INVALID
   */
  answer(study: StudyId, id: string, text: string, actor: string): SiteQuestionView {
    const { records, presence, now, changed } = this.#context;
    const question = records.questions.question(study, id);
    if (question === null) {
      const remedy = said("round.list-questions", {});
      throw fault("ADDRESS_UNKNOWN", "round.unknown-question", { study }, { remedy });
    }
    if (question.answer !== null)
      throw fault("STUDY_STATE", "round.answered", {}, { remedy: said("round.ask-again", {}) });
    if (!isPersonText(text) || Buffer.byteLength(text) > maxPersonTextBytes)
      throw fault("FIELD_INVALID", "round.answer-text", { max: maxPersonTextBytes });
    const answered = { ...question, answer: text, answeredAt: now(), answeredBy: actor };
    records.transaction(() => {
      records.questions.answer(answered);
      records.event(now(), "answered a question", { study, site: question.site, detail: text, actor });
    });
    presence.session(question.site)?.send(answerFrame(answered));
    changed(study);
    return viewOf(answered);
  }

  /** Tells a site the answers that it may have missed: which it has, it knows itself. */
  connected(session: SiteSession): void {
    const since = this.#context.now() - toldAgainMs;
    for (const question of this.#context.records.questions.answeredTo(session.site, since))
      session.send(answerFrame(question));
  }

  /** Oldest first. @throws ConsiliumError STUDY_UNKNOWN */
  of(study: StudyId): SiteQuestionView[] {
    if (this.#context.records.study(study) === null)
      throw fault("STUDY_UNKNOWN", "round.unknown-study", { study: nameOf(study) });
    return this.#context.records.questions.of(study).map(viewOf);
  }
}

function answerFrame({ study, id, answer }: Pick<QuestionRecord, "study" | "id" | "answer">) {
  return { frame: "answer", answer: { studyId: study, questionId: id, text: answer ?? "" } } as const;
}

function viewOf({ askedAt, answeredAt, study: _, ...question }: QuestionRecord): SiteQuestionView {
  return {
    ...question,
    askedAt: new Date(askedAt).toISOString(),
    answeredAt: answeredAt === null ? null : new Date(answeredAt).toISOString(),
  };
}
