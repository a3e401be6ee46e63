import { join } from "node:path";
import { agentSocketName } from "@consilium/core/hospital/agentRequests";
import { type HospitalAgent, hospitalAgent } from "@consilium/runtime/agent/hospitalAgent";
import { installedMethods } from "../methods.js";
import type { Session } from "../session.js";

/**
 * A client of the site's running agent, over the Unix socket in its state folder; only users with access to the folder
 * reach it.
 * @param timeoutMs - the timeout of a response
 */
export function agentOf(session: Session, state: string, timeoutMs: number): HospitalAgent {
  return hospitalAgent({
    socketPath: join(state, agentSocketName),
    timeoutMs,
    signal: session.interrupted,
    methods: installedMethods,
  });
}
