import { flowSide, flowStatus, flowStatuses } from "@consilium/gate/flow";
import { ConsiliumError } from "../errors.js";
import { unscaledSum } from "../learning/sums.js";
import { z95 } from "../linalg/z95.js";
import type { FlowCounts } from "../release/flowSchema.js";
import { boundedFeatures, flowStageId } from "../study/flow.js";
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
  const statuses = Array.from(cells.subarray(0, flowStatuses), (cell) => cell / weight);
  const status = (of: keyof typeof flowStatus) => estimate(statuses[flowStatus[of]]!, stdDev / weight);
  return {
    unit: study.patient === undefined ? "rows" : "patients",
    read: estimate(
      statuses.reduce((total, one) => total + one, 0),
      (Math.sqrt(flowStatuses) * stdDev) / weight,
    ),
    used: status("used"),
    leftOut: (["where", "label", "level", "type", "missing"] as const).map((cause) => ({
      cause,
      ...status(cause),
    })),
    beyond: boundedFeatures(study).flatMap(({ name, min, max }, n) =>
      (["below", "above"] as const).map((side) => ({
        column: name,
        side,
        bound: side === "below" ? min : max,
        ...estimate(cells[flowStatuses + 2 * n + flowSide[side] - 1]!, stdDev),
      })),
    ),
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
