import { z } from "zod";
import { dataProtectionSchema, protectionStudySchema } from "./dataProtectionViews.js";
import { chargedUnitSchema } from "./studyFacts.js";
import { siteStudyStatusSchema } from "./studyViews.js";

const { tables, studiesWithoutText, populations } = dataProtectionSchema.shape;
const count = z.int().min(0);
const moment = z.int().describe("Milliseconds since 1970.");

/** A study that was asked here and whose text is kept: the console reads purpose and plan from it. */
const studyAskedSchema = z.object({
  id: z.string(),
  name: z.string(),
  status: siteStudyStatusSchema,
  words: z.string().describe("The status as the end of a sentence."),
  joined: z.boolean(),
  text: z.string().describe("Canonical JSON; `hash` is its SHA-256."),
  hash: z.string(),
  offeredAt: moment,
  endedAt: moment.nullable(),
  code: z.string().nullable().describe("Why it was refused or came to a stop."),
  approval: z
    .object({
      decision: z.enum(["approved", "refused"]).nullable(),
      decidedAt: moment.nullable(),
      decidedBy: z.string().nullable(),
      reason: z.string().nullable(),
    })
    .nullable(),
  population: z.string().nullable(),
  chargedUnit: chargedUnitSchema.nullable(),
  spent: z
    .object({ epsilon: z.number(), delta: z.number(), unproved: count })
    .describe("What the ledger has committed, at the population's δ."),
  left: protectionStudySchema.shape.left,
});
export type StudyAsked = z.output<typeof studyAskedSchema>;

/**
 * What the data-protection document is made from, as the agent knows it; the console adds who has an account, and the
 * words. No value of a table, no number of its rows, no path, no query and no credential is in it.
 */
export const protectionFactsSchema = z.object({
  /** Milliseconds since 1970. */
  at: z.int(),
  software: z.string(),
  /** Null where the state folder was read without its agent. */
  agent: z.object({ aggregatorSoftware: z.string().nullable() }).nullable(),
  identity: z.object({
    site: z.string(),
    federation: z.string(),
    rootFingerprint: z.string(),
    signingKeyFingerprint: z.string(),
    notAfter: z.number(),
  }),
  config: z.object({
    aggregator: z.string(),
    allowNoPrivacy: z.boolean(),
    logLevel: z.string(),
    logReceivers: z.array(z.string()).readonly().describe("Where lines of the log are sent."),
    console: z.unknown().describe("`console:` of config.yaml, which the console reads."),
    /** Tables that are queries in the hospital's database. */
    databases: z.array(
      z.object({
        table: z.string(),
        verified: z.boolean().describe("TLS with certificate and host name checked."),
        plainRemote: z.boolean().describe("Another machine, without TLS."),
      }),
    ),
  }),
  proxy: z
    .object({
      address: z.string(),
      isTls: z.boolean().describe("Whether the proxy itself is spoken to by TLS."),
      hasCredentials: z.boolean(),
      source: z.string().describe("`config.yaml` or the name of a variable."),
    })
    .nullable(),
  policy: z.object({
    analyses: z.array(z.string()),
    variants: z.array(z.string()),
    approval: z.union([
      z.enum(["person", "automatic"]),
      z.object({
        automatic: z.object({
          maxEpsilon: z.number(),
          maxDelta: z.number(),
          variants: z.array(z.string()),
        }),
      }),
    ]),
    perStudy: z.object({ epsilon: z.number().optional(), delta: z.number().optional() }),
    minimumSites: count,
    minimumRows: count,
    tolerateColluding: count,
    figures: z.object({
      perHospital: z.boolean().describe("Whether studies may show figures of this hospital alone."),
    }),
    pinned: count.describe("Hospitals whose keys are pinned."),
    ruledTables: z.array(z.string()).describe("Tables of which the policy restricts the columns."),
    unlimited: z.array(z.string()).describe("Populations without a budget."),
  }),
  /** Whether the hospital has written a policy of its own. */
  hasPolicyFile: z.boolean(),
  tables,
  studies: z.array(studyAskedSchema),
  withoutText: studiesWithoutText,
  populations,
  /** What was sent, by kind. */
  egress: z.array(z.object({ what: z.string(), messages: count, bytes: count })),
  egressLines: count,
  permissions: z.array(
    z.object({
      path: z.string().describe("Within the state folder; empty for the folder itself."),
      mode: count.describe("Permission bits, such as 0o600."),
    }),
  ),
  kept: z.object({ ledgerEntries: count, trailEvents: count, policyVersions: count }),
});
export type ProtectionFacts = z.output<typeof protectionFactsSchema>;
