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

export const budgetUseSchema = z
  .object({
    population: z.string(),
    unit: z.enum(["row", "patient"]).describe("Whose privacy every ε here is counted for."),
    delta: z.number(),
    limit: z.number().nullable().describe("Null: the hospital sets no limit."),
    held: z.number().describe("ε that is spent or reserved."),
    remaining: z.number().nullable(),
    fits: z
      .number()
      .nullable()
      .describe(
        "ε at this δ of the largest single study that may still run: more than what remains, for studies add up as ρ. 0: none. Null without any limit.",
      ),
    unproven: z.int().describe("How often data without a proof were sent; no limit covers them."),
    unanswered: z
      .array(z.object({ id: z.string(), name: z.string() }))
      .describe(
        "Studies without an answer: running ones first, then those that ended so since a person here last decided on one, newest first; names are the aggregator's.",
      ),
    maxUnanswered: z.int().describe("After so many a person decides on the next, whatever the policy says."),
  })
  .meta({ id: "BudgetUse", description: "What is used of a population's budget, rounded against us." });
export type BudgetUse = z.output<typeof budgetUseSchema>;

export const unprovenStudySchema = z
  .object({
    id: z.string(),
    name: z.string(),
    population: z.string(),
    sends: z.int().describe("How often data without a proof were sent for it."),
    lastAt: moment.describe("When the last of them were charged, or reserved where none were sent."),
    isRunning: z.boolean(),
  })
  .meta({ id: "UnprovenStudy", description: "A study that sends data for which nothing is proven." });
export type UnprovenStudy = z.output<typeof unprovenStudySchema>;

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
    tablesApart: z
      .boolean()
      .describe("Whether another user of the machine than the agent's reads them, who cannot open its keys."),
    leftOut: z
      .array(z.object({ table: z.string(), code: z.string(), message: z.string(), remedy: z.string() }))
      .describe(
        "Tables of which the aggregator is told nothing, for the names of their columns cannot travel.",
      ),
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
    budgets: z.array(budgetUseSchema).describe("Of each population; empty while the policy cannot be read."),
    unproven: z
      .array(unprovenStudySchema)
      .describe(
        "Studies that send data without a proof, newest first; those of archived entries are missing.",
      ),
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
        zeros: z
          .array(z.object({ step: z.string(), attempt: z.int(), code: z.string(), reason: z.string() }))
          .describe("Stages that were answered as of an empty table, and why: nobody else learns of it."),
        fewUsed: z
          .object({ used: z.int(), meant: z.int() })
          .nullable()
          .describe(
            "Rows used of those that it means to use, where a study was joined without a person, used fewer than the policy's minimumUsable, and nobody has looked at its profile since.",
          ),
      }),
    ),
  })
  .meta({ id: "SiteStatus", description: "How a site stands, for its own hospital." });
export type SiteStatusView = z.output<typeof siteStatusSchema>;
