#!/usr/bin/env node
import { parseArgs } from "node:util";
import { toConsiliumError } from "@consilium/core/errors";
import { homeFolders } from "@consilium/runtime/home";
import { enforceTlsPolicy } from "@consilium/runtime/tls/policy";
import { startSiteAgent } from "./process.js";

const usage = `Usage: site-agent [--state <folder>]

Runs a hospital's site agent from the folder that \`consilium site enroll\` made. It dials out; nothing of the
federation listens here.

  --state <folder>   config.yaml, identity and store (default: $CONSILIUM_HOME/site)
  --help             this text
`;

enforceTlsPolicy();
try {
  const { values } = parseArgs({ options: { state: { type: "string" }, help: { type: "boolean" } } });
  if (values.help) process.stdout.write(usage);
  else await startSiteAgent(values.state ?? `${homeFolders().home}/site`);
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
