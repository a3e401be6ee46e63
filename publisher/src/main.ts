#!/usr/bin/env node
import { readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { ConsiliumError, toConsiliumError } from "@consilium/core/errors";
import { parseConfig } from "@consilium/runtime/config";
import { homeFolders } from "@consilium/runtime/home";
import { createLogger, errorFields } from "@consilium/runtime/log";
import { createShutdown } from "@consilium/runtime/shutdown";
import { lockState } from "@consilium/runtime/store/lock";
import { enforceTlsPolicy } from "@consilium/runtime/tls/policy";
import { publisherConfigSchema } from "./config.js";
import { startPublisher } from "./publisher.js";

/** The publisher's process: `main.js --state <folder>`. */
async function main(): Promise<void> {
  enforceTlsPolicy();
  const state = stateFolder();
  const configPath = join(state, "config.yaml");
  const config = parseConfig(await readConfig(configPath), configPath, publisherConfigSchema);
  const log = createLogger({ service: "publisher", level: config.logLevel });
  const lock = await lockState(state);
  const shutdown = createShutdown({ log });
  shutdown.onStop("lock", () => lock.release());
  const publisher = await startPublisher({ state, config, log, software: await softwareVersion() });
  shutdown.onStop("servers", () => publisher.close());
}

function stateFolder(): string {
  try {
    const { values } = parseArgs({ options: { state: { type: "string" } } });
    return resolve(values.state ?? homeFolders().publisher);
  } catch (cause) {
    throw new ConsiliumError("CONFIG_INVALID", "an unknown option was given", {
      remedy: "start it as `publisher --state <folder>`",
      cause,
    });
  }
}

async function readConfig(path: string): Promise<string> {
  try {
    return await readFile(path, "utf8");
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === "ENOENT") return "";
    throw cause;
  }
}

async function softwareVersion(): Promise<string> {
  const text = await readFile(new URL("../package.json", import.meta.url), "utf8");
  return String((JSON.parse(text) as { version: unknown }).version);
}

main().catch((thrown: unknown) => {
  const error = toConsiliumError(thrown);
  process.stderr.write(`${error.describe()}\n`);
  if (error.family === "internal") process.stderr.write(`${JSON.stringify(errorFields(error))}\n`);
  process.exit(1);
});
