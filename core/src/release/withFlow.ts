import type { MethodResult } from "../method/aggregatorSide.js";
import { flowFigure, flowTable } from "./flow.js";
import type { Flow } from "./flowSchema.js";

/** A result with what its release says of the flow of rows. */
export interface FinishedResult extends Omit<MethodResult, "flow"> {
  readonly flow?: Flow;
}

/** @param invited - hospitals that were asked to take part */
export function withFlow({ flow: counts, ...result }: MethodResult, invited: number): FinishedResult {
  if (counts === undefined) return result;
  const flow = { ...counts, invited };
  return {
    ...result,
    flow,
    tables: [...(result.tables ?? []), flowTable(flow)],
    figures: [...(result.figures ?? []), flowFigure(flow, result.counted)],
  };
}
