#!/usr/bin/env node
import { runExecutable } from "@consilium/runtime/executable";
import { homeFolders } from "@consilium/runtime/home";
import { startAggregator } from "./process.js";

await runExecutable({
  usage: `Usage: aggregator [--state <folder>]

Runs a federation's aggregator from the folder that \`consilium init\` made.

  --state <folder>   config.yaml, identity, issuing key and store (default: $CONSILIUM_HOME/aggregator)
  --help             show this help
`,
  defaultState: () => homeFolders().aggregator,
  start: (state) => startAggregator(state),
});
