import { Methods } from "@consilium/core/method/methods";
import { soundMethods } from "@consilium/methods/registry";
import { runExecutable } from "@consilium/runtime/executable";
import { toyMethod } from "./method.js";

/** One of the three processes as it is shipped, with one method more: node --import tsx process.ts <role> --state <folder>. */
const role = process.argv.splice(2, 1)[0];
const methods = [...soundMethods, toyMethod];

const starts: Readonly<Record<string, (state: string) => Promise<void>>> = {
  async aggregator(state) {
    const { startAggregator } = await import("@consilium/aggregator/process");
    await startAggregator(state, new Methods(methods));
  },
  async publisher(state) {
    const { startPublisherProcess } = await import("@consilium/publisher/process");
    await startPublisherProcess(state, new Methods(methods));
  },
  async "site-agent"(state) {
    const { startSiteAgent } = await import("@consilium/site-agent/process");
    const { SiteMethods } = await import("@consilium/site-agent/studies/siteMethods");
    await startSiteAgent(state, { methods: new SiteMethods(methods) });
  },
};

await runExecutable({
  usage: "Usage: process.ts <role> --state <folder>\n",
  defaultState: () => {
    throw new RangeError("give --state <folder>");
  },
  start: (state) => starts[role!]!(state),
});
