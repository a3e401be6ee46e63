import { z } from "zod";
import { shownSchema } from "./shown.js";

/** What a hospital keeps of each decision on a study, by a person or by its policy alone, beside its ledger. */

const text = z.string();

/** As it is stored and hashed: canonical JSON of these keys and no others. Of the hospital's records it holds counts at most. */
export const approvalRecordSchema = z.strictObject({
  format: z.literal("consilium-approval/1"),
  study: text,
  by: text.nullable().describe("Null where the policy let the study be joined and nobody was asked."),
  inPlaceOf: text.nullable(),
  at: z.int().describe("Milliseconds since 1970."),
  decision: z
    .enum(["first", "joined", "again", "automatic", "refused"])
    .describe(
      "`first`: of two. `again`: the study may cost its plan once more. `automatic`: joined without a person. `refused`: by a person.",
    ),
  software: text.describe("Of the agent."),
  terms: z
    .record(text, text.nullable())
    .describe("Hashes of the study's text, the plan, the policy, the table's entry and its content."),
  plan: text
    .nullable()
    .describe(
      "As the study was offered, canonical JSON; null where this version cannot plan a study that was refused.",
    ),
  policy: text.nullable().describe("As the hospital has written it, canonical JSON."),
  table: text.describe("The table's entry in config.yaml, JSON."),
  facts: z
    .unknown()
    .describe(
      "What the agent said of the study just before, with the study's text; of an automatic join the text alone.",
    ),
  reason: text.nullable().optional().describe("Of a refusal, as the person wrote it."),
  shown: shownSchema.nullable().describe("Null where nothing was shown, as far as the agent was told."),
});
export type ApprovalRecord = z.output<typeof approvalRecordSchema>;

export const approvalRecordsSchema = z
  .object({
    study: z.string(),
    records: z
      .array(
        z.object({
          text: z.string().describe("Canonical JSON of an `ApprovalRecord`, as it is stored."),
          entry: z
            .object({ sequence: z.int(), record: z.string().describe("SHA-256 of the record's text.") })
            .nullable()
            .describe("The ledger's entry that the record was stored with; null where the ledger has none."),
        }),
      )
      .describe(
        "In the order of the decisions. Empty where the study was never decided on, or a rule refused it.",
      ),
    missing: z
      .array(z.object({ sequence: z.int(), record: z.string() }))
      .describe("Entries of the ledger whose record is not there."),
  })
  .meta({ id: "ApprovalRecords" });
export type ApprovalRecordsView = z.output<typeof approvalRecordsSchema>;
