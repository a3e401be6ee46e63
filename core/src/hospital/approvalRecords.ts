import { z } from "zod";

/** What a hospital keeps of each approval of a study by a person, beside its ledger. */

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
