import { flowStatuses } from "@consilium/gate/flow";
import { ConsiliumError } from "../errors.js";
import { unscaledSum } from "../learning/sums.js";
import { z95 } from "../linalg/z95.js";
import type { FlowCounts } from "../release/flowSchema.js";
import { flowStageId } from "../study/flow.js";
import { countedFlow } from "../study/flowCells.js";
import { flowStage, studyOfFlow } from "../study/flowStage.js";
import { noiseStdDev } from "../study/soundSums.js";
import type { Study } from "../study/study.js";
import type { AggregatorSide, Conversation } from "./aggregatorSide.js";
import { methodKey } from "./method.js";

/** What the aggregator runs for a study: the flow of its rows, where the study has it, and then its method. */
export async function aggregatorSideOf(study: Study): Promise<AggregatorSide> {
  const side = await study[methodKey].aggregator();
  if (study.flow !== true) return side;
  return async (conversation) => {
    const flow = await flowOf(conversation);
    const result = await side(conversation);
    return { ...result, flow: { ...flow, finished: conversation.survivors } };
  };
}

async function flowOf(conversation: Conversation): Promise<Omit<FlowCounts, "finished">> {
  const { study } = conversation;
  const counting = studyOfFlow(study);
  const stage = flowStage(study);
  const sum = await conversation.sum(flowStageId, {});
  const counted = conversation.survivors;
  const cells = plainSum(() => unscaledSum(counting, stage, sum));
  const stdDev = noiseStdDev(counting, stage, counted);
  const weight = stage.entryMost;
  const estimate = (value: number, width: number) => ({
    value,
    low: value - z95 * width,
    high: value + z95 * width,
  });
  const { read, used, leftOut, beyond } = countedFlow(study, cells);
  const status = (count: number) => estimate(count, stdDev / weight);
  return {
    unit: study.patient === undefined ? "rows" : "patients",
    read: estimate(read, (Math.sqrt(flowStatuses) * stdDev) / weight),
    used: status(used),
    leftOut: leftOut.map(({ cause, count }) => ({ cause, ...status(count) })),
    beyond: beyond.map(({ count, ...of }) => ({ ...of, ...estimate(count, stdDev) })),
    taking: conversation.sites,
    counted,
  };
}

/** The mathematics refuses what no honest sites can have sent; to the operator that is a fault of a peer. */
function plainSum<T>(decode: () => T): T {
  try {
    return decode();
  } catch (thrown) {
    if (!(thrown instanceof RangeError)) throw thrown;
    throw new ConsiliumError("SUM_IMPLAUSIBLE", thrown.message, { cause: thrown });
  }
}
