import { join } from "node:path";
import { agentSocketName } from "@consilium/core/hospital/agentRequests";
import { type HospitalAgent, hospitalAgent } from "@consilium/runtime/agent/hospitalAgent";
import { spoken } from "@consilium/runtime/http/spoken";
import { installedMethods } from "../methods.js";
import type { Session } from "../session.js";

/**
 * A client, whose answers are in English, of the site's running agent, over the Unix socket in its state folder; only users with access to the folder
 * reach it.
 * @param timeoutMs - the timeout of a response
 */
export function agentOf(session: Session, state: string, timeoutMs: number): HospitalAgent {
  const agent = hospitalAgent({
    socketPath: join(state, agentSocketName),
    timeoutMs,
    signal: session.interrupted,
    methods: installedMethods,
  });
  const calls = Object.entries(agent).map(([name, call]: [string, (asked: never) => Promise<unknown>]) => [
    name,
    async (asked: never) => spoken(await call(asked)),
  ]);
  return Object.fromEntries(calls) as HospitalAgent;
}
