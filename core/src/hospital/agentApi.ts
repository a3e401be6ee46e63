import { z } from "zod";
import type { AgentAsks, AgentRequest } from "./agentRequests.js";
import { approvalRecordsSchema } from "./approvalRecords.js";
import { doctorFactsSchema } from "./doctorFacts.js";
import { siteEventSchema } from "./eventViews.js";
import {
  compactedSchema,
  egressSchema,
  ledgerReportSchema,
  ledgerSchema,
  ledgerSeriesSchema,
  reconciledSchema,
} from "./ledgerViews.js";
import {
  policyCheckSchema,
  policyStandingSchema,
  policyVersionSchema,
  policyVersionTextSchema,
} from "./policyViews.js";
import { profileReportSchema } from "./profileViews.js";
import { protectionFactsSchema } from "./protectionFacts.js";
import { answeredSchema } from "./questionViews.js";
import { siteStatusSchema } from "./statusViews.js";
import { decidedFactsSchema, studyFactsSchema } from "./studyFacts.js";
import { offeredStudySchema } from "./studyViews.js";
import { tableExaminationSchema } from "./tableExamination.js";

/** What the agent answers to each of `agentRequests.ts`. The agent loads no schema of an answer; its types are these. */

const nothing = z.strictObject({});

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

export const agentAnswers = {
  health: z.object({
    connected: z.boolean(),
    code: z.literal("DISK_FULL").nullable().describe("Why the agent is not ready, where that has a code."),
  }),
  status: siteStatusSchema,
  changes: siteEventSchema,
  studies: z.array(offeredStudySchema),
  study: studyFactsSchema,
  approve: decidedFactsSchema,
  approvalRecords: approvalRecordsSchema,
  ask: decidedFactsSchema,
  answered: z.array(answeredSchema),
  refuse: decidedFactsSchema,
  profile: profileReportSchema,
  studyProfile: profileReportSchema,
  tableCheck: tableExaminationSchema,
  ledger: ledgerSchema,
  ledgerSeries: z.array(ledgerSeriesSchema),
  ledgerVerify: ledgerReportSchema,
  ledgerExport: z.object({ text: z.string() }),
  ledgerCompact: compactedSchema,
  reconcile: reconciledSchema,
  acceptProtocol: z.object({ from: z.int(), to: z.int() }),
  egress: z.array(egressSchema),
  policy: policyStandingSchema,
  policyCheck: policyCheckSchema,
  policySave: policyStandingSchema,
  policyHistory: z.array(policyVersionSchema),
  policyVersion: policyVersionTextSchema,
  doctor: doctorFactsSchema,
  protectionFacts: protectionFactsSchema,
  metrics: z.object({
    contentType: z.string(),
    agent: z.string(),
    ledger: z.string().describe("What the hospital has spent of its budgets."),
  }),
  logLines: z.object({
    run: z.string().describe("Of the agent's process: positions of another one mean nothing."),
    next: z.int().min(0).describe("The position after the last line."),
    lines: z.array(
      z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.array(z.string()).readonly()])),
    ),
    dropped: z.int().min(0).describe("Lines that found no room since the last answer."),
  }),
  audit: z.array(agentAuditSchema),
  consoleSettings: z.object({
    site: z.string(),
    configPath: z.string().describe("Files that the settings name lie beside it."),
    settings: z.unknown().describe("`console:` of config.yaml."),
    logs: z.unknown().optional().describe("`logs:` of config.yaml."),
    logLevel: z.enum(["debug", "info", "warn", "error"]),
  }),
  formerAccounts: formerAccountsSchema,
  formerAccountsTaken: nothing,
} as const satisfies Record<AgentRequest, z.ZodType>;

export type AgentAnswers<N extends AgentRequest> = z.output<(typeof agentAnswers)[N]>;

/** The agent as its hospital asks it: the same type at the server in the agent and at the client of its socket. */
export type AgentInterface = {
  readonly [N in AgentRequest]: (asked: AgentAsks<N>) => Promise<AgentAnswers<N>>;
};
