import { z } from "zod";

/**
 * What has changed at a site, sent to its console's pages whenever it is another than before: they ask again for what
 * they show of it. Nothing of a study or a record is in it.
 */
export const siteEventSchema = z
  .object({
    connected: z.boolean(),
    /** Studies that wait for a person. */
    waiting: z.int(),
    /** Texts that differ whenever what they stand for does. */
    studies: z.string(),
    ledger: z.string(),
    egress: z.string(),
    policy: z.string(),
  })
  .meta({ id: "SiteEvent" });
export type SiteEventView = z.output<typeof siteEventSchema>;
