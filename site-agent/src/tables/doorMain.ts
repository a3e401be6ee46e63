#!/usr/bin/env node
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { toConsiliumError } from "@consilium/core/errors";
import { createLogger } from "@consilium/runtime/log";
import { openDoor } from "./door.js";

const usage = `Usage: tables-door --listen <socket>

Starts the processes that read a hospital's tables, for the agent that asks at this Unix socket, as the user that this runs as: one who may
read the tables, and not the agent's state folder. The agent is started with --tables <socket>. Its group may connect.

  --listen <socket>  made anew at each start; of 107 bytes at most
  --help             this text
`;

try {
  const { values } = parseArgs({ options: { listen: { type: "string" }, help: { type: "boolean" } } });
  if (values.help === true || values.listen === undefined) {
    process.stdout.write(usage);
    process.exitCode = values.help === true ? 0 : 2;
  } else {
    const log = createLogger({ service: "site-agent" }).child("door");
    // Processes end with it: their pipe closes. The first process of a container has no default action.
    for (const signal of ["SIGTERM", "SIGINT"] as const) process.once(signal, () => process.exit(0));
    await openDoor(resolve(values.listen), log);
    log.info("ready");
  }
} catch (thrown) {
  const { spokenError } = await import("@consilium/runtime/http/spoken");
  process.stderr.write(`${spokenError(toConsiliumError(thrown)).describe()}\n`);
  process.exitCode = 1;
}
