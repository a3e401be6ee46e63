import { join } from "node:path";
import { agentSocketName } from "@consilium/core/hospital/agentRequests";
import { type DoctorFacts, doctorFactsSchema } from "@consilium/core/hospital/doctorFacts";
import type { ExpelledListView, SiteStatusView } from "@consilium/core/hospital/statusViews";
import { agentClient } from "../agent/agentClient.js";
import { fail, ok, skipped, type Verdict, warn } from "./check.js";

/** The state of an agent's connection. */
export interface AgentState {
  readonly connected: boolean;
  /** ISO 8601. */
  readonly connectedSince: string | null;
  readonly lastFault: { readonly code: string; readonly message: string } | null;
  /** Null for an agent of an earlier version. */
  readonly expelledList: ExpelledListView | null;
}

const answerMs = 5_000;
/** It opens every table. */
const factsMs = 60_000;

/** Asks the agent running with a state folder, over its socket; null without an answer. */
export async function askAgent(stateFolder: string): Promise<SiteStatusView | null> {
  const agent = agentClient({ socketPath: join(stateFolder, agentSocketName), timeoutMs: answerMs });
  try {
    return await agent.status({});
  } catch {
    return null;
  }
}

/** What the agent that runs with a state folder finds of itself and its tables; null without an answer, or for another version's. */
export async function askFacts(stateFolder: string): Promise<DoctorFacts | null> {
  const agent = agentClient({ socketPath: join(stateFolder, agentSocketName), timeoutMs: factsMs });
  try {
    return doctorFactsSchema.parse(await agent.doctor({}));
  } catch {
    return null;
  }
}

/** How long before the re-signing deadline to warn. */
const renewalWarnMs = 30 * 86_400_000;

/** The list of expelled sites that the agent knows. */
export function judgeExpelledList(agent: AgentState | null, now: number): Verdict {
  const list = agent?.expelledList ?? null;
  if (list === null) return skipped("not checked: no agent is running");
  const { number, sites, issuedAt, nextUpdate, confirmedAt, fault } = list;
  if (fault !== null) return fail(`${fault.message} (${fault.code}): new studies are refused`, fault.remedy);
  const found = `number ${number}, ${sites === 1 ? "1 key" : `${sites} keys`}, confirmed ${confirmedAt}`;
  if (nextUpdate === null) {
    return warn(
      `${found}; it has no date, so only the aggregator confirms it`,
      "ask the operator to re-sign it: `consilium expelled renew`",
    );
  }
  if (Date.parse(nextUpdate) - now < renewalWarnMs) {
    return warn(
      `${found}; the authority must re-sign it by ${nextUpdate}; new studies are refused after that`,
      "ask the operator to re-sign it: `consilium expelled renew`",
    );
  }
  return ok(`${found}; signed ${issuedAt}, re-sign by ${nextUpdate}`);
}

export function judgeAgent(agent: AgentState | null, stateFolder: string): Verdict {
  if (agent === null) {
    return warn(`no agent is running with ${stateFolder}`, "start it: `consilium serve site`");
  }
  if (agent.connected) {
    return ok(
      `running and connected${agent.connectedSince === null ? "" : ` since ${agent.connectedSince}`}`,
    );
  }
  const { lastFault } = agent;
  const why = lastFault === null ? "connecting" : `[${lastFault.code}] ${lastFault.message}`;
  return fail(
    `the agent is running but not connected: ${why}`,
    "see the checks above; it retries automatically, and needs a restart only after a change of config.yaml",
  );
}
