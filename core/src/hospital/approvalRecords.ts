import { z } from "zod";
import { shownSchema } from "./shown.js";

/** What a hospital keeps of each approval of a study by a person, beside its ledger. */

const text = z.string();

/** As it is stored and hashed: canonical JSON of these keys and no others. Of the hospital's records it holds counts at most. */
export const approvalRecordSchema = z.strictObject({
  format: z.literal("consilium-approval/1"),
  study: text,
  by: text,
  inPlaceOf: text.nullable(),
  at: z.int().describe("Milliseconds since 1970."),
  decision: z
    .enum(["first", "joined", "again"])
    .describe("`first`: of two. `again`: the study may cost its plan once more."),
  software: text.describe("Of the agent."),
  terms: z
    .record(text, text.nullable())
    .describe("Hashes of the study's text, the plan, the policy, the table's entry and its content."),
  plan: text.describe("As the study was offered, canonical JSON."),
  policy: text.nullable().describe("As the hospital has written it, canonical JSON."),
  table: text.describe("The table's entry in config.yaml, JSON."),
  facts: z.unknown().describe("What the agent said of the study just before, with the study's text."),
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
      .describe("In the order of the approvals. Empty where no person approved the study."),
    missing: z
      .array(z.object({ sequence: z.int(), record: z.string() }))
      .describe("Entries of the ledger whose record is not there."),
  })
  .meta({ id: "ApprovalRecords" });
export type ApprovalRecordsView = z.output<typeof approvalRecordsSchema>;
