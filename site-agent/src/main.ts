#!/usr/bin/env node
import { ConsiliumError } from "@consilium/core/errors";
import { runExecutable } from "@consilium/runtime/executable";
import { startSiteAgent } from "./process.js";

await runExecutable({
  usage: `Usage: site-agent --state <folder>

Runs a hospital's site agent from the folder that \`consilium site enroll\` made. It dials out; nothing of the
federation listens here.

  --state <folder>   config.yaml, identity and store
  --help             this text
`,
  defaultState: () => {
    // A home may hold several sites: guessing one would start another hospital's agent.
    throw new ConsiliumError("USAGE", "which site's agent is to run is not said", {
      remedy: "give --state <folder>",
    });
  },
  start: startSiteAgent,
});
