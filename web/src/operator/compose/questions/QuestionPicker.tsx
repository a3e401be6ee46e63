import { useId } from "react";
import { rich, t } from "../../../shared/language";
import { fieldId } from "../places";
import { QuestionPicture } from "./QuestionPicture";
import type { Choice, Chosen, Question } from "./questions";

/** What the study asks: a card for each question, and the kinds of answer where one question has several. */
export function QuestionPicker(props: {
  readonly proven: readonly Question[];
  readonly published: readonly Question[];
  readonly chosen: Chosen | null;
  readonly onChoose: (choice: Choice, question: Question) => void;
}) {
  const { proven, published, chosen, onChoose } = props;
  const group = useId();
  const card = (question: Question) => (
    <QuestionCard
      key={question.id}
      group={group}
      question={question}
      isChosen={chosen?.question.id === question.id}
      onChoose={() => onChoose(question.choices[0]!, question)}
    />
  );
  return (
    <>
      <fieldset className="bare" id={fieldId(["analysis"])} tabIndex={-1}>
        <legend className="visually-hidden">{t("What do you want to know?")}</legend>
        <div className="questions">{proven.map(card)}</div>
      </fieldset>
      {chosen === null || chosen.question.asks === null ? null : (
        <Choices chosen={chosen} asks={chosen.question.asks} onChoose={onChoose} />
      )}
      {published.length === 0 ? null : (
        <details open={published.some(({ id }) => id === chosen?.question.id)}>
          <summary>
            {rich("Methods as published, not proven ({published})", { published: published.length })}
          </summary>
          <fieldset className="bare">
            <legend className="hint">
              {t(
                "The authors' own versions, to compare with. The plan says why their privacy claim does not hold; hospitals must allow them.",
              )}
            </legend>
            <div className="questions">{published.map(card)}</div>
          </fieldset>
        </details>
      )}
    </>
  );
}

function QuestionCard(props: {
  readonly group: string;
  readonly question: Question;
  readonly isChosen: boolean;
  readonly onChoose: () => void;
}) {
  const { group, question, isChosen, onChoose } = props;
  const id = useId();
  return (
    <label className="question" data-chosen={isChosen}>
      <QuestionPicture kind={question.picture} />
      <span className="question-title">
        <input
          className="question-mark"
          type="radio"
          name={group}
          aria-labelledby={`${id}-title`}
          aria-describedby={`${id}-about`}
          checked={isChosen}
          onChange={onChoose}
        />
        <strong id={`${id}-title`}>{question.title}</strong>
      </span>
      <span className="hint" id={`${id}-about`}>
        {question.about}
      </span>
    </label>
  );
}

function Choices(props: {
  readonly chosen: Chosen;
  readonly asks: string;
  readonly onChoose: (choice: Choice, question: Question) => void;
}) {
  const { question, choice: own } = props.chosen;
  const group = useId();
  return (
    <fieldset>
      <legend>{props.asks}</legend>
      <div className="kinds">
        {question.choices.map((choice) => (
          <label key={choice.id} className="check">
            <input
              type="radio"
              name={group}
              aria-describedby={`${group}-${choice.id}`}
              checked={choice.id === own.id}
              onChange={() => props.onChoose(choice, question)}
            />
            <span>
              {choice.title}
              <span className="hint" id={`${group}-${choice.id}`}>
                {choice.hint}
              </span>
            </span>
          </label>
        ))}
      </div>
    </fieldset>
  );
}
