import { z } from "zod";
import { maxProtocolVersion } from "../limits.js";
import { policyCheckBody, policySaveBody, reconcileBody } from "./bodies.js";
import { shownSchema } from "./shown.js";

/**
 * What a person at the hospital may ask of the site agent, over the Unix socket in its state folder: the site console
 * asks this for people who have signed in, and the `consilium` command for the folder's owner. Each request is
 * `POST /v1/<name>` with what it asks as JSON, and is answered with what `agentApi.ts` says, or with a failure's
 * `{code, message, remedy}`. Of records, answers hold counts, and texts and means that several records have in
 * common; one record's value only `profile` with `values`, which only the command line asks for.
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

export const agentRequests = {
  health: nothing,
  status: nothing,
  changes: nothing,
  studies: z.strictObject({ after: id.optional() }),
  study: z.strictObject({ id }),
  approve: z.strictObject({
    id,
    by,
    inPlaceOf: by.optional().describe("For whom a deputy approves."),
    shown: shownSchema.optional().describe("What was shown to who approves; left out: nothing was."),
  }),
  approvalRecords: z.strictObject({ id: id.describe("Of a study, or the start of it.") }),
  ask: z.strictObject({ id, by, text: z.string().max(1_000) }),
  /** Milliseconds since 1970. */
  answered: z.strictObject({ since: z.int() }),
  refuse: z.strictObject({
    id,
    by,
    reason: z.string().max(2_000).nullable(),
    shown: shownSchema
      .optional()
      .describe("As of an approval; kept, and not held against what holds by now."),
  }),
  profile: z.strictObject({
    study: z.unknown().describe("As JSON."),
    values: z
      .boolean()
      .describe("Whether the least, the mean and the largest value are in it: each may be one patient's."),
  }),
  studyProfile: z.strictObject({ id }),
  tableCheck: z.strictObject({ table: z.string().max(64) }),
  ledger: nothing,
  ledgerSeries: nothing,
  ledgerVerify: z.strictObject({ anchors: z.array(z.string().max(200)).max(100) }),
  ledgerExport: nothing,
  ledgerCompact: z.strictObject({ before: z.int().min(0), dryRun: z.boolean(), by }),
  reconcile: reconcileBody.extend({ by }),
  acceptProtocol: z.strictObject({ to: z.int().min(1).max(maxProtocolVersion), by }),
  egress: nothing,
  policy: nothing,
  policyCheck: policyCheckBody,
  policySave: policySaveBody.extend({ by }),
  policyHistory: nothing,
  policyVersion: z.strictObject({ id }),
  doctor: nothing,
  protectionFacts: nothing,
  metrics: nothing,
  logLines: z.strictObject({ run: z.string().max(40).nullable(), next: z.int().min(0) }),
  audit: z.strictObject({ after: z.int().min(0), limit: z.int().min(1).max(10_000) }),
  consoleSettings: nothing,
  formerAccounts: nothing,
  formerAccountsTaken: nothing,
} as const;

export type AgentRequest = keyof typeof agentRequests;
export type AgentAsks<N extends AgentRequest> = z.output<(typeof agentRequests)[N]>;

export function isAgentRequest(name: string): name is AgentRequest {
  return Object.hasOwn(agentRequests, name);
}
