#!/usr/bin/env node
import { runExecutable } from "@consilium/runtime/executable";
import { homeFolders } from "@consilium/runtime/home";
import { startPublisherProcess } from "./process.js";

await runExecutable({
  usage: `Usage: publisher [--state <folder>]

Runs a federation's publisher from the folder that \`consilium init\` made.

  --state <folder>   config.yaml, identity, releases and tokens (default: $CONSILIUM_HOME/publisher)
  --help             show this help
`,
  defaultState: () => homeFolders().publisher,
  start: (state) => startPublisherProcess(state),
});
