import { listed } from "@consilium/core/method/listedMethods";
import { Methods } from "@consilium/core/method/methods";
import { soundRegistry } from "@consilium/methods/registry";
import { runExecutable } from "@consilium/runtime/executable";

/** One of the three processes as it is shipped, with one method more: node --import tsx process.ts <role> --state <folder>. */
const role = process.argv.splice(2, 1)[0];
const toy = listed("pca", "toy-halves", () => import("./method.js"));

async function allMethods(): Promise<Methods> {
  const { soundMethods } = await import("@consilium/methods/all");
  return new Methods([...soundMethods, await toy.load()]);
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
    const { SiteMethods } = await import("@consilium/site-agent/studies/siteMethods");
    await startSiteAgent(state, { methods: new SiteMethods([...soundRegistry, toy]) });
  },
};

await runExecutable({
  usage: "Usage: process.ts <role> --state <folder>\n",
  defaultState: () => {
    throw new RangeError("give --state <folder>");
  },
  start: (state) => starts[role!]!(state),
});
