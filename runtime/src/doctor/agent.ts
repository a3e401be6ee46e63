import { join } from "node:path";
import { agentSocketName } from "@consilium/core/hospital/agentRequests";
import type { ExpelledListView } from "@consilium/core/hospital/statusViews";
import { agentClient } from "../agent/agentClient.js";
import { fail, ok, skipped, type Verdict, warn } from "./check.js";

/** How an agent's connection stands. */
export interface AgentState {
  readonly connected: boolean;
  /** ISO 8601. */
  readonly connectedSince: string | null;
  readonly lastFault: { readonly code: string; readonly message: string } | null;
  /** Null of an agent of an earlier version. */
  readonly expelledList: ExpelledListView | null;
}

const answerMs = 5_000;

/** Asks the agent that runs with a state folder, over its own socket; null where none answers. */
export async function askAgent(stateFolder: string): Promise<AgentState | null> {
  const agent = agentClient({ socketPath: join(stateFolder, agentSocketName), timeoutMs: answerMs });
  try {
    return await agent.status({});
  } catch {
    return null;
  }
}

/** Warned of so long before the authority must have signed the list again. */
const renewalWarnMs = 30 * 86_400_000;

/** The list of expelled sites that the agent knows. */
export function judgeExpelledList(agent: AgentState | null, now: number): Verdict {
  const list = agent?.expelledList ?? null;
  if (list === null) return skipped("not checked: no running agent told of it");
  const { number, sites, issuedAt, nextUpdate, confirmedAt, fault } = list;
  if (fault !== null) return fail(`${fault.message} (${fault.code}): new studies are refused`, fault.remedy);
  const found = `number ${number}, ${sites === 1 ? "1 key" : `${sites} keys`}, confirmed ${confirmedAt}`;
  if (nextUpdate === null) {
    return warn(
      `${found}; it has no date, so that only the aggregator vouches for it`,
      "ask the operator to have it signed again: `consilium expelled renew`",
    );
  }
  if (Date.parse(nextUpdate) - now < renewalWarnMs) {
    return warn(
      `${found}; the authority is to sign it again by ${nextUpdate}, and new studies are refused after that`,
      "ask the operator to have it signed again: `consilium expelled renew`",
    );
  }
  return ok(`${found}; signed ${issuedAt}, to be signed again by ${nextUpdate}`);
}

export function judgeAgent(agent: AgentState | null, stateFolder: string): Verdict {
  if (agent === null) {
    return warn(`no agent runs with ${stateFolder}`, "start it: `consilium serve site`");
  }
  if (agent.connected) {
    return ok(
      `it runs, and is connected${agent.connectedSince === null ? "" : ` since ${agent.connectedSince}`}`,
    );
  }
  const { lastFault } = agent;
  const why = lastFault === null ? "it is connecting" : `[${lastFault.code}] ${lastFault.message}`;
  return fail(
    `the agent runs and is not connected: ${why}`,
    "see the checks above; it goes on trying by itself, and needs a restart only after a change of config.yaml",
  );
}
