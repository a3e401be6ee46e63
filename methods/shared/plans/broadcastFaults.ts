import { faults } from "@consilium/core/fault";
import type { StageId } from "@consilium/core/ids";
import { nameOf } from "@consilium/core/said";
import type { AnySaid } from "@consilium/words/said";
import type { BroadcastSays } from "@consilium/words/says/broadcasts";

/** Errors in what a site or the aggregator is sent for a stage. */

const fault = faults<BroadcastSays>();

/** @param kind - of the stage that is asked for; null for any */
export const noStage = (method: string, stage: StageId, kind: "sum" | "rows" | "tags" | null = "sum") =>
  fault("MESSAGE_UNEXPECTED", "broadcast.no-stage", {
    method: nameOf(method),
    kind: kind === null ? null : nameOf(kind),
    stage,
  });

export const notSent = (stage: StageId, name: string) =>
  fault("FIELD_INVALID", "broadcast.not-sent", { stage, name: nameOf(name) });

/** @param what - is wrong with the broadcast of a stage */
export const invalidBroadcast = (stage: StageId, what: AnySaid) =>
  fault("BROADCAST_INVALID", "broadcast.at", { stage, what });

/** @param column - holds NaN or an infinite value, which is not said */
export const notFinite = (column: string) =>
  fault("VALUE_NOT_FINITE", "row.not-finite", { column: nameOf(column) });
