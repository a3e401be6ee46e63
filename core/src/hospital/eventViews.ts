import { z } from "zod";

export const siteEventSchema = z
  .object({
    connected: z.boolean(),
    waiting: z.int().describe("Studies that wait for a person."),
    studies: z.string().describe("A text that differs whenever the studies do; so the next three."),
    ledger: z.string(),
    egress: z.string(),
    policy: z.string(),
  })
  .meta({
    id: "SiteEvent",
    description:
      "What has changed at a site, sent whenever it is another than before: a reader asks again for what it shows of it. Nothing of a study or a record is in it.",
  });
export type SiteEventView = z.output<typeof siteEventSchema>;
