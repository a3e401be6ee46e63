import { z } from "zod";

/** A population's spending over time, for a picture of it. Every ε is rounded up. */
export const ledgerSeriesSchema = z
  .object({
    population: z.string(),
    /** At which ε is shown. */
    delta: z.number(),
    /** Null: the hospital sets no limit. */
    limit: z.number().nullable(),
    /** In the ledger's order; at most some hundreds. */
    points: z.array(
      z.object({
        at: z.iso.datetime(),
        /** The ledger's entry after which it stood so. */
        entry: z.int(),
        /** ε of what has left and is proved. */
        spent: z.number(),
        /** ε of that and of what is reserved. */
        held: z.number(),
        /** Releases for which nothing is proved. */
        unproved: z.int(),
      }),
    ),
  })
  .meta({ id: "LedgerSeries" });
export type LedgerSeriesView = z.output<typeof ledgerSeriesSchema>;
