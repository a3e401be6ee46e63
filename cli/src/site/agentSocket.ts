import { join } from "node:path";
import { type AgentInterface, agentSocketName } from "@consilium/core/hospital/agentApi";
import { agentClient } from "@consilium/runtime/agent/agentClient";
import type { Session } from "../session.js";

/**
 * A client of the site's running agent, over the Unix socket in its state folder; only users with access to the folder
 * reach it.
 * @param timeoutMs - the timeout of a response
 */
export function agentOf(session: Session, state: string, timeoutMs: number): AgentInterface {
  return agentClient({ socketPath: join(state, agentSocketName), timeoutMs, signal: session.interrupted });
}
