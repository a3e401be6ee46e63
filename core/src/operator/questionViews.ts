import { z } from "zod";
import { questionMaxLength } from "../hospital/questionViews.js";

const moment = z.iso.datetime();

export const siteQuestionSchema = z
  .object({
    id: z.string(),
    site: z.string(),
    text: z.string().describe("What a person at the hospital wrote; who it was stays there."),
    askedAt: moment.describe("When it came."),
    answer: z.string().nullable(),
    answeredAt: moment.nullable(),
    answeredBy: z.string().nullable().describe("Not shown to the hospital."),
  })
  .meta({
    id: "SiteQuestion",
    description: "A hospital's question about a study, and the operator's answer.",
  });
export type SiteQuestionView = z.output<typeof siteQuestionSchema>;

/** Of POST /api/studies/{id}/questions/{question}/answer. */
export const answerBody = z.strictObject({
  text: z.string().max(questionMaxLength).describe("The hospital that asked reads it; it cannot be changed."),
});
