import { z } from "zod";
import { policyStatusSchema } from "./policyViews.js";
import { siteStudyStatusSchema } from "./studyViews.js";

const moment = z.iso.datetime();

export const expelledListSchema = z
  .object({
    number: z.int().nullable().describe("Grows by one with every list; null before the first one came."),
    sites: z.int().describe("How many keys it names."),
    issuedAt: moment.nullable().describe("When the authority signed it; null of a list without dates."),
    nextUpdate: moment.nullable().describe("By when the authority is to sign it again."),
    confirmedAt: moment
      .nullable()
      .describe("When the aggregator last confirmed that it is the newest; null: never."),
    fault: z
      .object({ code: z.string(), message: z.string(), remedy: z.string() })
      .nullable()
      .describe("Why the site takes part in no new study; null where nothing is wrong."),
  })
  .meta({ id: "ExpelledList", description: "The list of expelled sites, as this site knows it." });
export type ExpelledListView = z.output<typeof expelledListSchema>;

export const siteStatusSchema = z
  .object({
    site: z.string(),
    federation: z.string(),
    software: z.string(),
    startedAt: moment,
    aggregator: z.string().describe("`host:port` that the agent dials."),
    connected: z.boolean(),
    connectedSince: moment.nullable().describe("Null while it is not connected."),
    lastFault: z
      .object({ code: z.string(), message: z.string(), remedy: z.string() })
      .nullable()
      .describe("Of the last failure, until the next success."),
    aggregatorSoftware: z.string().nullable(),
    certificateExpiresAt: moment,
    certificateRenewsAt: moment.describe("The agent renews it by itself at half its life."),
    signingKeyFingerprint: z.string(),
    expelledList: expelledListSchema,
    tables: z.array(z.string()).describe("Names, as the configuration has them."),
    units: z
      .record(z.string(), z.string())
      .describe("Of each table, whom an ε protects, in words: `row`, `patient of at most 5 rows`."),
    policy: policyStatusSchema,
    ledger: z.object({
      entries: z.int(),
      behind: z
        .boolean()
        .describe("Whether this copy is an old one: nothing is spent until it is reconciled."),
    }),
    disk: z
      .object({ freeBytes: z.number(), totalBytes: z.number() })
      .nullable()
      .describe("Of the state folder's disk; null where the system does not say."),
    studies: z.array(
      z.object({
        id: z.string(),
        name: z.string(),
        status: siteStudyStatusSchema,
        firstSeenAt: moment,
        endedAt: moment.nullable(),
        code: z.string().nullable(),
        reason: z.string().nullable(),
      }),
    ),
  })
  .meta({ id: "SiteStatus", description: "How a site stands, for its own hospital." });
export type SiteStatusView = z.output<typeof siteStatusSchema>;
