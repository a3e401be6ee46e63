import { z } from "zod";
import { policyStatusSchema } from "./policyViews.js";
import { siteStudyStatusSchema } from "./studyViews.js";

const moment = z.iso.datetime();

/** How a site stands, for its own hospital. */
export const siteStatusSchema = z
  .object({
    site: z.string(),
    federation: z.string(),
    software: z.string(),
    startedAt: moment,
    /** `host:port` that the agent dials. */
    aggregator: z.string(),
    connected: z.boolean(),
    /** Null while it is not connected. */
    connectedSince: moment.nullable(),
    /** Of the last failure, until the next success. */
    lastFault: z.object({ code: z.string(), message: z.string(), remedy: z.string() }).nullable(),
    aggregatorSoftware: z.string().nullable(),
    certificateExpiresAt: moment,
    /** The agent renews it by itself at half its life. */
    certificateRenewsAt: moment,
    signingKeyFingerprint: z.string(),
    /** Names, as the configuration has them. */
    tables: z.array(z.string()),
    policy: policyStatusSchema,
    ledger: z.object({
      entries: z.int(),
      /** Whether this copy is an old one: nothing is spent until it is reconciled. */
      behind: z.boolean(),
    }),
    /** Of the state folder's disk; null where the system does not say. */
    disk: z.object({ freeBytes: z.number(), totalBytes: z.number() }).nullable(),
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
  .meta({ id: "SiteStatus" });
export type SiteStatusView = z.output<typeof siteStatusSchema>;
