#!/usr/bin/env node
import { parseArgs } from "node:util";
import { toConsiliumError } from "@consilium/core/errors";
import { homeFolders } from "@consilium/runtime/home";
import { enforceTlsPolicy } from "@consilium/runtime/tls/policy";
import { startAggregator } from "./process.js";

const usage = `Usage: aggregator [--state <folder>]

Runs a federation's aggregator from the folder that \`consilium init\` made.

  --state <folder>   config.yaml, identity, issuing key and store (default: $CONSILIUM_HOME/aggregator)
  --help             this text
`;

enforceTlsPolicy();
try {
  const { values } = parseArgs({ options: { state: { type: "string" }, help: { type: "boolean" } } });
  if (values.help) process.stdout.write(usage);
  else await startAggregator(values.state ?? homeFolders().aggregator);
} catch (thrown) {
  const isUsage =
    thrown instanceof TypeError && "code" in thrown && String(thrown.code).startsWith("ERR_PARSE_ARGS");
  if (isUsage) process.stderr.write(`${thrown.message}\n\n${usage}`);
  else {
    const error = toConsiliumError(thrown);
    const cause = error.code === "INTERNAL" && error.cause instanceof Error ? `\n${error.cause.stack}` : "";
    process.stderr.write(`${error.describe()}${cause}\n`);
  }
  process.exitCode = isUsage ? 2 : 1;
}
