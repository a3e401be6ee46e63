#!/usr/bin/env node
import { readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { ConsiliumError, toConsiliumError } from "@consilium/core/errors";
import { unwrap } from "@consilium/core/result";
import { homeFolders } from "@consilium/runtime/home";
import { lockState } from "@consilium/runtime/store/lock";
import { enforceTlsPolicy } from "@consilium/runtime/tls/policy";
import { pino } from "pino";
import { parsePublisherConfig } from "./config.js";
import { startPublisher } from "./publisher.js";

/** The publisher's process: `main.js --state <folder>`. */
async function main(): Promise<void> {
  enforceTlsPolicy();
  const state = stateFolder();
  const config = unwrap(parsePublisherConfig(await readConfig(join(state, "config.yaml"))));
  const log = pino({ level: config.logLevel, base: { process: "publisher" } });
  const lock = await lockState(state);
  const publisher = await startPublisher({ state, config, log, software: await softwareVersion() });

  let stopping = false;
  const stop = (signal: NodeJS.Signals) => {
    if (stopping) return;
    stopping = true;
    log.info({ signal }, "stopping");
    void publisher.close().then(
      () => {
        lock.release();
        process.exit(0);
      },
      (cause: unknown) => {
        log.error({ err: cause }, "stopping failed");
        process.exit(1);
      },
    );
  };
  process.on("SIGTERM", stop);
  process.on("SIGINT", stop);
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
  if (error.code === "INTERNAL") process.stderr.write(`${String((thrown as Error)?.stack ?? thrown)}\n`);
  process.exit(1);
});
