import type { MethodResult } from "../method/aggregatorSide.js";
import type { MissingPart } from "../method/parts.js";
import { flowFigure, flowTable } from "./flow.js";
import type { Flow } from "./flowSchema.js";

/** A result with what its release says of the flow of rows. */
export interface FinishedResult extends Omit<MethodResult, "flow"> {
  readonly flow?: Flow;
}

/**
 * @param invited - hospitals that were asked to take part
 * @param missing - parts that the operator has accepted the release without: one without figures has none of the flow either
 */
export function withFlow(
  { flow: counts, ...result }: MethodResult,
  invited: number,
  missing: readonly MissingPart[],
): FinishedResult {
  if (counts === undefined) return result;
  const flow = { ...counts, invited };
  const lacks = new Set(missing.map(({ part }) => part));
  const { tables, figures } = result;
  return {
    ...result,
    flow,
    tables: lacks.has("tables") ? tables : [...(tables ?? []), flowTable(flow)],
    figures: lacks.has("figures") ? figures : [...(figures ?? []), flowFigure(flow, result.counted)],
  };
}
