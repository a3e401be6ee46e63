import { z } from "zod";

const moment = z.iso.datetime();

export const questionSchema = z
  .object({
    id: z.string(),
    text: z.string(),
    askedAt: moment,
    askedBy: z.string().describe("Stays at the hospital."),
    receivedAt: moment
      .nullable()
      .describe("When the aggregator confirmed it; null: it is sent again at the next connection."),
    answer: z.string().nullable(),
    answeredAt: moment.nullable(),
  })
  .meta({ id: "Question", description: "What an approver asked the operator, and the answer." });
export type QuestionView = z.output<typeof questionSchema>;

/** That an answer has come, for messages to people: neither text is in it. */
export const answeredSchema = z.object({
  id: z.string().describe("Of the question."),
  study: z.string(),
  name: z.string().describe("The study's."),
  answeredAt: moment,
});
export type AnsweredView = z.output<typeof answeredSchema>;

/** Characters of a question and of an answer; in bytes at most 4,096. */
export const questionMaxLength = 1_000;

/** Of POST /api/studies/{id}/questions. */
export const questionBody = z.strictObject({
  text: z
    .string()
    .max(questionMaxLength)
    .describe("Leaves the hospital as it is: the operator reads it, and nothing is added to it."),
});
