#!/usr/bin/env node
import { resolve } from "node:path";
import { ConsiliumError } from "@consilium/core/errors";
import { runExecutable } from "@consilium/runtime/executable";
import { startSiteConsole } from "./process.js";

await runExecutable({
  usage: `Usage: site-console --state <folder> --agent <path>

Serves a hospital's pages and API, and keeps their accounts. Everything about studies, tables and the ledger it asks of
the site's agent, over the agent's Unix socket.

  --state <folder>   accounts, sessions and the audit log; the folder console in the site's state folder
  --agent <path>     the agent's socket; agent.sock in the site's state folder
  --help             this text
`,
  defaultState: () => {
    throw new ConsiliumError("USAGE", "no state folder is given", { remedy: "give --state <folder>" });
  },
  furtherOptions: ["agent"],
  start: (state, { agent }) => startSiteConsole(state, resolve(agent ?? resolve(state, "..", "agent.sock"))),
});
