import { answerBody, siteQuestionSchema } from "@consilium/core/operator/questionViews";
import type { HttpServer } from "@consilium/runtime/http/server";
import { z } from "zod";
import type { Questions } from "../rounds/questions.js";
import { byId, idOf } from "./studyRequests.js";

/** What hospitals ask about a study. */
export function routeQuestions(server: HttpServer, questions: Pick<Questions, "of" | "answer">): void {
  server.get(
    "/api/studies/:id/questions",
    {
      config: { role: "viewer" },
      schema: {
        summary: "What hospitals asked about a study",
        description: "Oldest first. Approvers write them; what they write is untrusted text.",
        params: byId,
        response: { 200: z.array(siteQuestionSchema) },
      },
    },
    async ({ params }) => questions.of(idOf(params.id)),
  );
  server.post(
    "/api/studies/:id/questions/:question/answer",
    {
      // The audit log has it, with the answer.
      config: { role: "operator", does: false },
      schema: {
        summary: "Answers a hospital's question",
        description: "Only the hospital that asked is told. A second answer is refused with STUDY_STATE.",
        params: byId.extend({ question: z.string().max(64) }),
        body: answerBody,
        response: { 200: siteQuestionSchema },
      },
    },
    async ({ params, body, caller }) =>
      questions.answer(idOf(params.id), params.question, body.text, caller!.name),
  );
}
