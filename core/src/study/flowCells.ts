import { flowSide, flowStatus, flowStatuses } from "@consilium/gate/flow";
import { boundedFeatures, flowCauses } from "./flow.js";
import { flowStage } from "./flowStage.js";
import type { Study } from "./study.js";

/** What the cells of a flow's sum count, of one site or of several, with noise or without. */
export interface CountedFlow {
  readonly read: number;
  readonly used: number;
  readonly leftOut: readonly { readonly cause: (typeof flowCauses)[number]; readonly count: number }[];
  readonly beyond: readonly {
    readonly column: string;
    readonly side: "below" | "above";
    readonly bound: number;
    readonly count: number;
  }[];
}

/** @param cells - in the order of `flowQuery` of the gate: statuses, then two sides of each number */
export function countedFlow(study: Study, cells: ArrayLike<number>): CountedFlow {
  const { entryMost } = flowStage(study);
  const statuses = Array.from({ length: flowStatuses }, (_, at) => cells[at]! / entryMost);
  return {
    read: statuses.reduce((total, one) => total + one, 0),
    used: statuses[flowStatus.used]!,
    leftOut: flowCauses.map((cause) => ({ cause, count: statuses[flowStatus[cause]]! })),
    beyond: boundedFeatures(study).flatMap(({ name, min, max }, n) =>
      (["below", "above"] as const).map((side) => ({
        column: name,
        side,
        bound: side === "below" ? min : max,
        count: cells[flowStatuses + 2 * n + flowSide[side] - 1]!,
      })),
    ),
  };
}
