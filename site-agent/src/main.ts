#!/usr/bin/env node

import { resolve } from "node:path";
import { faults } from "@consilium/core/fault";
import { sentences } from "@consilium/core/said";
import { runExecutable } from "@consilium/runtime/executable";
import type { SiteSays } from "@consilium/words/says/site";
import { startSiteAgent } from "./process.js";

const fault = faults<SiteSays>();
const said = sentences<SiteSays>();

await runExecutable({
  usage: `Usage: site-agent --state <folder>

Runs a hospital's site agent from the folder that \`consilium site enroll\` made. It dials out; nothing listens
here but a Unix socket for the hospital's own tools.

  --state <folder>   config.yaml, identity and store
  --socket <path>    a further socket beside agent.sock in the state folder, for a console in a container of its own;
                     it shows no value of a table
  --tables <socket>  the door of another user, who reads the tables and cannot open the state folder
  --help             this text
`,
  defaultState: () => {
    // A home may hold several sites: guessing one would start another hospital's agent.
    throw fault("USAGE", "start.which-site", {}, { remedy: said("start.give-state", {}) });
  },
  furtherOptions: ["socket", "tables"],
  start: (state, { socket, tables }) =>
    startSiteAgent(state, {
      consoleSocket: socket === undefined ? null : resolve(socket),
      tablesDoor: tables === undefined ? null : resolve(tables),
    }),
});
