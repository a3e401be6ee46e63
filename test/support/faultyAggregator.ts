import { existsSync, readFileSync } from "node:fs";
import type { AggregatorSide } from "@consilium/core/method/aggregatorSide";
import { namesOf } from "@consilium/core/method/method";
import { Methods } from "@consilium/core/method/methods";
import { soundMethods } from "@consilium/methods/all";
import { runExecutable } from "@consilium/runtime/executable";

/**
 * An aggregator as it is shipped, whose dp-pca is at fault while the file FAULT_FILE is there: what it says, `figures` or `whole`,
 * cannot be computed.
 */
const path = process.env.FAULT_FILE!;
const isFaulty = (what: string) => existsSync(path) && readFileSync(path, "utf8") === what;

const faulty =
  (side: AggregatorSide): AggregatorSide =>
  async (conversation) => {
    const result = await side({
      ...conversation,
      get survivors() {
        return conversation.survivors;
      },
      part: (id, compute) =>
        conversation.part(id, () => {
          if (isFaulty(id)) throw new RangeError("the figures cannot be computed");
          return compute();
        }),
    });
    if (isFaulty("whole")) throw new RangeError("the result cannot be computed");
    return result;
  };

const methods = soundMethods.map((method) =>
  namesOf(method).includes("dp-pca")
    ? { ...method, aggregator: async () => faulty(await method.aggregator()) }
    : method,
);

await runExecutable({
  usage: "Usage: faultyAggregator.ts --state <folder>\n",
  defaultState: () => {
    throw new RangeError("give --state <folder>");
  },
  start: async (state) => {
    const { startAggregator } = await import("@consilium/aggregator/process");
    await startAggregator(state, new Methods(methods));
  },
});
