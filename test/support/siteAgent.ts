import { join } from "node:path";
import { agentSocketName } from "@consilium/core/hospital/agentRequests";
import { allMethods } from "@consilium/methods-paper/all";
import { type HospitalAgent, hospitalAgent } from "@consilium/runtime/agent/hospitalAgent";

/** A running agent as its hospital's own tools ask it. */
export function siteAgent(site: { readonly state: string }): HospitalAgent {
  return hospitalAgent({
    socketPath: join(site.state, agentSocketName),
    timeoutMs: 120_000,
    methods: async () => allMethods,
  });
}
