import { ConsiliumError } from "@consilium/core/errors";
import type { SiteQuestionView } from "@consilium/core/operator/questionViews";
import type { Command } from "commander";
import { exitCodes } from "../exitCodes.js";
import type { OperatorClient } from "../federation/operatorClient.js";
import { addOperatorOptions, type OperatorOptions, openOperator } from "../federation/operatorTarget.js";
import { answerOf } from "../http/apiClient.js";
import type { Program } from "../program.js";
import type { Session } from "../session.js";
import { minuteText, paragraph, printable } from "../terminal/layout.js";

/** Digits of a question's id that a list shows. */
const shownDigits = 8;

export function addQuestions(program: Program, study: Command, idHelp: string): void {
  const list = addOperatorOptions(
    study
      .command("questions")
      .summary("list what hospitals asked about a study")
      .description(
        "Lists the questions that approvers at hospitals asked about a study, oldest first, with the answers. " +
          "Who asked stays at the hospital.",
      )
      .argument("<id>", idHelp),
  ).addHelpText("after", "\nExample:\n  $ consilium study questions pca-1f");
  program.verb<[string, OperatorOptions]>(list, async (session, given, options) => {
    const operator = await openOperator(session, options);
    const questions = await questionsOf(operator, (await operator.resolveStudy(given)).id);
    if (session.json) session.printJson(questions);
    else session.print(listText(questions, session));
    return exitCodes.ok;
  });
  const answer = addOperatorOptions(
    study
      .command("answer")
      .summary("answer a hospital's question about a study")
      .description(
        "Answers a question of `study questions`. Only the hospital that asked is told. An answer cannot be changed.",
      )
      .argument("<id>", idHelp)
      .argument("<question>", "the question's id, or the start of it")
      .argument("<text>", "the answer, at most 1000 characters"),
  ).addHelpText("after", '\nExample:\n  $ consilium study answer pca-1f 5b0c9e "Twelve bins will do."');
  program.verb<[string, string, string, OperatorOptions]>(
    answer,
    async (session, given, question, text, options) => {
      const operator = await openOperator(session, options);
      const { id } = await operator.resolveStudy(given);
      const found = questionOf(await questionsOf(operator, id), question);
      const answered = await answerOf(
        operator.remote,
        operator.api.POST("/api/studies/{id}/questions/{question}/answer", {
          params: { path: { id, question: found.id } },
          body: { text },
        }),
      );
      if (session.json) session.printJson(answered);
      else session.print(`${session.style.good("Answered")} ${answered.site}.`);
      return exitCodes.ok;
    },
  );
}

function questionsOf(operator: OperatorClient, id: string): Promise<SiteQuestionView[]> {
  return answerOf(
    operator.remote,
    operator.api.GET("/api/studies/{id}/questions", { params: { path: { id } } }),
  );
}

/** @throws ConsiliumError USAGE for none, or for several */
function questionOf(questions: readonly SiteQuestionView[], given: string): SiteQuestionView {
  const found = questions.filter(({ id }) => id.startsWith(given));
  if (found.length === 1) return found[0]!;
  throw new ConsiliumError(
    "USAGE",
    found.length === 0
      ? `the study has no question ${given}`
      : `${found.length} questions begin with ${given}`,
    { remedy: "list them with `consilium study questions`" },
  );
}

function listText(questions: readonly SiteQuestionView[], { style }: Session): string {
  if (questions.length === 0) return "No hospital has asked anything.";
  return questions
    .map(({ id, site, text, askedAt, answer, answeredAt, answeredBy }) => {
      const head = `${style.strong(id.slice(0, shownDigits))}  ${printable(site)}, ${minuteText(askedAt)} UTC`;
      const asked = paragraph("", printable(text), { indent: 2, labelWidth: 0 });
      if (answer === null) return [head, asked, `  ${style.caution("no answer yet")}`].join("\n");
      const by = `  ${printable(answeredBy ?? "the operator")}, ${minuteText(answeredAt)} UTC`;
      return [head, asked, by, paragraph("", printable(answer), { indent: 4, labelWidth: 0 })].join("\n");
    })
    .join("\n\n");
}
