import { join } from "node:path";
import { agentSocketName } from "@consilium/core/hospital/agentRequests";
import { type HospitalAgent, hospitalAgent } from "@consilium/runtime/agent/hospitalAgent";
import type { Session } from "../session.js";

/**
 * The site's running agent, asked over the Unix socket in its state folder; only users who may open the folder reach it.
 * @param timeoutMs - the longest wait for an answer
 */
export function agentOf(session: Session, state: string, timeoutMs: number): HospitalAgent {
  return hospitalAgent({ socketPath: join(state, agentSocketName), timeoutMs, signal: session.interrupted });
}
