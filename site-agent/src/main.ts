#!/usr/bin/env node
import { join } from "node:path";
import { runExecutable } from "@consilium/runtime/executable";
import { startSiteAgent } from "./process.js";

await runExecutable({
  usage: `Usage: site-agent [--state <folder>]

Runs a hospital's site agent from the folder that \`consilium site enroll\` made. It dials out; nothing of the
federation listens here.

  --state <folder>   config.yaml, identity and store (default: $CONSILIUM_HOME/site)
  --help             this text
`,
  defaultState: (folders) => join(folders.home, "site"),
  start: startSiteAgent,
});
