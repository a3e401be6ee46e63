import { z } from "zod";
import { shownSchema } from "./shown.js";

const name = z.string().min(1).max(300);

export const deputySchema = z
  .object({
    id: z.string(),
    principal: z.string().describe("The account in whose place the deputy may approve."),
    deputy: z.string(),
    from: z.iso.datetime(),
    until: z.iso.datetime().describe("From then on the deputy may not."),
    namedBy: z.string(),
  })
  .meta({ id: "Deputy", description: "Who may approve in whose place, and when." });
export type DeputyView = z.output<typeof deputySchema>;

/** Of POST /api/deputies. */
export const deputyBody = z.strictObject({
  deputy: name,
  from: z.iso.datetime(),
  until: z.iso.datetime(),
  principal: name
    .optional()
    .describe("Left out: the account that asks. Another one is for administrators to give."),
});

/** Of POST /api/studies/{id}/approve. */
export const approveBody = z
  .strictObject({
    inPlaceOf: name.optional().describe("The account whose deputy approves; left out: nobody's."),
    shown: shownSchema.optional().describe("What was shown to the person; left out: nothing was."),
  })
  .nullish();
