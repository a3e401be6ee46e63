import { z } from "zod";
import { doctorViewSchema } from "./doctorView.js";
import { siteEventSchema } from "./eventViews.js";
import {
  egressSchema,
  ledgerReportSchema,
  ledgerSchema,
  ledgerSeriesSchema,
  reconcileBody,
  reconciledSchema,
} from "./ledgerViews.js";
import {
  policyCheckBody,
  policyCheckSchema,
  policySaveBody,
  policySchema,
  policyVersionSchema,
  policyVersionTextSchema,
} from "./policyViews.js";
import { profileBody, profileSchema } from "./profileViews.js";
import { protectionFactsSchema } from "./protectionFacts.js";
import { siteStatusSchema } from "./statusViews.js";
import { decidedSchema, explainedStudySchema, offeredStudySchema } from "./studyViews.js";

/**
 * What a person at the hospital may ask of the site agent, over the Unix socket in its state folder: the site console
 * asks this for people who have signed in, and the `consilium` command for the folder's owner. Each request is
 * `POST /v1/<name>` with `asks` as JSON, and is answered with `answers`, or with a failure's `{code, message, remedy}`.
 * Nothing of it sends a record's value but `profile` with `values`, which only the command line asks for.
 */

/** In the path of every request; it grows when a request changes its meaning. */
export const agentApiVersion = "v1";

/** In the agent's state folder. */
export const agentSocketName = "agent.sock";

/** Who does it, for the agent's audit log: an account's name, a token's, or the user of the command line. */
const by = z
  .string()
  .min(1)
  .max(300)
  .regex(/^[^\p{Cc}]*$/u, "a name has no control characters");
const nothing = z.strictObject({});
const id = z.string().max(200);

const agentAuditSchema = z.object({
  id: z.int(),
  /** Milliseconds since 1970. */
  at: z.int(),
  actor: z.string().nullable(),
  kind: z.string(),
  study: z.string().nullable(),
  detail: z.string(),
});
export type AgentAuditRow = z.output<typeof agentAuditSchema>;

/** Who may use the console, in counts: the agent knows no account. */
export interface PeopleView {
  readonly administrators: number;
  readonly approvers: number;
  /** Of these, who sign in by the identity provider. */
  readonly byProvider: number;
  readonly tokens: number;
}

const cell = z.union([z.string(), z.number(), z.null()]);
/** Rows of the tables of accounts, as an agent of a version before the site console kept them: hashes of secrets only. */
export const formerAccountsSchema = z.record(z.string(), z.array(z.record(z.string(), cell)));
export type FormerAccounts = z.output<typeof formerAccountsSchema>;

export const agentApi = {
  health: {
    asks: nothing,
    answers: z.object({
      connected: z.boolean(),
      code: z.literal("DISK_FULL").nullable().describe("Why the agent is not ready, where that has a code."),
    }),
  },
  status: { asks: nothing, answers: siteStatusSchema },
  changes: { asks: nothing, answers: siteEventSchema },
  studies: {
    asks: z.strictObject({ after: id.optional() }),
    answers: z.array(offeredStudySchema),
  },
  study: { asks: z.strictObject({ id }), answers: explainedStudySchema },
  approve: { asks: z.strictObject({ id, by }), answers: decidedSchema },
  refuse: {
    asks: z.strictObject({ id, by, reason: z.string().max(2_000).nullable() }),
    answers: decidedSchema,
  },
  profile: {
    asks: profileBody.extend({
      values: z
        .boolean()
        .describe("Whether the least, the mean and the largest value are in it: each may be one patient's."),
    }),
    answers: profileSchema,
  },
  studyProfile: { asks: z.strictObject({ id }), answers: profileSchema },
  ledger: { asks: nothing, answers: ledgerSchema },
  ledgerSeries: { asks: nothing, answers: z.array(ledgerSeriesSchema) },
  ledgerVerify: {
    asks: z.strictObject({ anchors: z.array(z.string().max(200)).max(100) }),
    answers: ledgerReportSchema,
  },
  ledgerExport: { asks: nothing, answers: z.object({ text: z.string() }) },
  reconcile: { asks: reconcileBody.extend({ by }), answers: reconciledSchema },
  egress: { asks: nothing, answers: z.array(egressSchema) },
  policy: { asks: nothing, answers: policySchema },
  policyCheck: { asks: policyCheckBody, answers: policyCheckSchema },
  policySave: { asks: policySaveBody.extend({ by }), answers: policySchema },
  policyHistory: { asks: nothing, answers: z.array(policyVersionSchema) },
  policyVersion: { asks: z.strictObject({ id }), answers: policyVersionTextSchema },
  doctor: { asks: nothing, answers: doctorViewSchema },
  protectionFacts: { asks: nothing, answers: protectionFactsSchema },
  metrics: {
    asks: nothing,
    answers: z.object({
      contentType: z.string(),
      agent: z.string(),
      ledger: z.string().describe("What the hospital has spent of its budgets."),
    }),
  },
  audit: {
    asks: z.strictObject({ after: z.int().min(0), limit: z.int().min(1).max(10_000) }),
    answers: z.array(agentAuditSchema),
  },
  consoleSettings: {
    asks: nothing,
    answers: z.object({
      site: z.string(),
      configPath: z.string().describe("Files that the settings name lie beside it."),
      settings: z.unknown().describe("`console:` of config.yaml."),
      logLevel: z.enum(["debug", "info", "warn", "error"]),
    }),
  },
  formerAccounts: { asks: nothing, answers: formerAccountsSchema },
  formerAccountsTaken: { asks: nothing, answers: nothing },
} as const;

export type AgentApi = typeof agentApi;
export type AgentRequest = keyof AgentApi;
export type AgentAsks<N extends AgentRequest> = z.output<AgentApi[N]["asks"]>;
export type AgentAnswers<N extends AgentRequest> = z.output<AgentApi[N]["answers"]>;

/** The agent as its hospital asks it: the same type at the server in the agent and at the client of its socket. */
export type AgentInterface = {
  readonly [N in AgentRequest]: (asked: AgentAsks<N>) => Promise<AgentAnswers<N>>;
};

export function isAgentRequest(name: string): name is AgentRequest {
  return Object.hasOwn(agentApi, name);
}
