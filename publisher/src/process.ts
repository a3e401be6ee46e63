import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Methods } from "@consilium/core/method/methods";
import { softwareVersion } from "@consilium/core/version";
import { allMethods } from "@consilium/methods-paper/all";
import { parseConfig } from "@consilium/runtime/config";
import { exitOnceSent, openProcessLog } from "@consilium/runtime/logging/send/processLog";
import { createShutdown } from "@consilium/runtime/shutdown";
import { lockState } from "@consilium/runtime/store/lock";
import { publisherConfigSchema } from "./config.js";
import { startPublisher } from "./publisher.js";

/** Listens for deposits and readers; returns once it is ready. Every key of config.yaml has a default. */
export async function startPublisherProcess(state: string, methods: Methods = allMethods): Promise<void> {
  const configPath = join(state, "config.yaml");
  const config = parseConfig(await readConfig(configPath), configPath, publisherConfigSchema);
  const processLog = await openProcessLog({
    service: "publisher",
    level: config.logLevel,
    settings: config.logs,
    configPath,
  });
  const { log } = processLog;
  const lock = await lockState(state);
  const shutdown = createShutdown({ log, exit: exitOnceSent(processLog) });
  shutdown.onStop("lock", () => lock.release());
  const publisher = await startPublisher({
    state,
    config,
    log,
    software: softwareVersion,
    methods,
    onStoreLost: (error) => shutdown.abort("lost the store", error),
  });
  shutdown.onStop("servers", () => publisher.close());
}

async function readConfig(path: string): Promise<string> {
  try {
    return await readFile(path, "utf8");
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === "ENOENT") return "";
    throw cause;
  }
}
