import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Methods } from "@consilium/core/method/methods";
import { runExecutable } from "@consilium/runtime/executable";
import { createLogger } from "@consilium/runtime/log";
import { osRandom } from "@consilium/runtime/random";
import { siteMethods, toy } from "./toy.js";

/** One of the three processes as it is shipped, with one method more: node --import tsx process.ts <role> --state <folder>. */
const role = process.argv.splice(2, 1)[0];

async function allMethods(): Promise<Methods> {
  const { soundMethods } = await import("@consilium/methods/all");
  return new Methods([...soundMethods, await toy.load()]);
}

/** The hospital's tables, read by a process that has the toy too. */
async function tablesOf(state: string) {
  const { startTables } = await import("@consilium/site-agent/tables/startProcess");
  const { TableProcess } = await import("@consilium/site-agent/tables/tableProcess");
  const configPath = join(state, "config.yaml");
  const path = fileURLToPath(new URL("tables.ts", import.meta.url));
  return TableProcess.start({
    opening: {
      configPath,
      configText: await readFile(configPath, "utf8"),
      secret: osRandom.bytes(32),
      sourceKey: osRandom.bytes(32),
    },
    log: createLogger({ service: "site-agent", level: "info" }),
    start: (needs) => startTables(needs, { path, execArgv: ["--import", "tsx"], isFree: true }),
  });
}

const starts: Readonly<Record<string, (state: string) => Promise<void>>> = {
  async aggregator(state) {
    const { startAggregator } = await import("@consilium/aggregator/process");
    await startAggregator(state, await allMethods());
  },
  async publisher(state) {
    const { startPublisherProcess } = await import("@consilium/publisher/process");
    await startPublisherProcess(state, await allMethods());
  },
  async "site-agent"(state) {
    const { startSiteAgent } = await import("@consilium/site-agent/process");
    const tables = await tablesOf(state);
    await startSiteAgent(state, {
      methods: siteMethods(),
      tables: { tables, known: tables, following: tables },
    });
  },
};

await runExecutable({
  usage: "Usage: process.ts <role> --state <folder>\n",
  defaultState: () => {
    throw new RangeError("give --state <folder>");
  },
  start: (state) => starts[role!]!(state),
});
