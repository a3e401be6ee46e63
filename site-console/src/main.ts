#!/usr/bin/env node
import { resolve } from "node:path";
import { ConsiliumError } from "@consilium/core/errors";
import { agentSocketName } from "@consilium/core/hospital/agentRequests";
import { runExecutable } from "@consilium/runtime/executable";
import { startSiteConsole } from "./process.js";

await runExecutable({
  usage: `Usage: site-console --state <folder> --agent <path>

Serves a hospital's pages and API, and keeps their accounts. It gets everything about studies, tables and the ledger from
the site's agent, over the agent's Unix socket.

  --state <folder>    accounts, sessions and the audit log; the folder console in the site's state folder
  --agent <path>      the agent's socket (default: agent.sock in the folder above --state)
  --listen <address>  where the pages are served, such as 0.0.0.0:7082 in a container (default: console.listen in the
                      site's config.yaml)
  --help              show this help
`,
  defaultState: () => {
    throw new ConsiliumError("USAGE", "no state folder given", { remedy: "give --state <folder>" });
  },
  furtherOptions: ["agent", "listen"],
  start: (state, { agent, listen }) =>
    startSiteConsole(state, {
      agentSocket: resolve(agent ?? resolve(state, "..", agentSocketName)),
      listen: listen ?? null,
    }),
});
