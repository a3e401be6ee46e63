import { join } from "node:path";
import type { AgentInterface } from "@consilium/core/hospital/agentApi";
import { agentSocketName } from "@consilium/core/hospital/agentRequests";
import { agentClient } from "@consilium/runtime/agent/agentClient";

/** A running agent as its hospital's own tools ask it. */
export function siteAgent(site: { readonly state: string }): AgentInterface {
  return agentClient({ socketPath: join(site.state, agentSocketName), timeoutMs: 120_000 });
}
