import type { CountedParams, FindingSays } from "@consilium/words/says/findings";
import { nameOf, saidText } from "../said.js";
import type { Counted } from "./finding.js";
import { flowTexts, isAllUsed, narrowerCount } from "./flow.js";
import type { Flow } from "./flowSchema.js";
import { refusalTexts } from "./refusals.js";
import type { Refusals } from "./refusalsSchema.js";

/**
 * Who was counted, the flow of rows, and why hospitals did not take part, as lines. The method's count of all that it used and the flow's are two estimates of one number:
 * of them the one with the narrower interval is said.
 */
export function countedTexts({
  counted = [],
  flow,
  refusals,
}: {
  readonly counted?: readonly Counted[] | undefined;
  readonly flow?: Flow | undefined;
  readonly refusals?: Refusals | undefined;
}): { readonly counted: string[]; readonly flow: string[] } {
  const absent = refusalTexts(refusals);
  if (flow === undefined) return { counted: counted.map(countedText), flow: absent };
  const isByMethod = narrowerCount(flow, counted) !== undefined;
  const said = isByMethod ? counted : counted.filter((one) => !isAllUsed(one, flow));
  return {
    counted: said.map(countedText),
    flow: [...flowTexts(flow, { isUsedSaid: isByMethod }), ...absent],
  };
}

/** A count in words, as a line. */
function countedText({ of, name, value, low, high, unit }: Counted): string {
  const isUnits = unit === "rows" || unit === "patients";
  const params = {
    name: name === null ? null : nameOf(name),
    value,
    low,
    high,
    unit: isUnits ? { code: `finding.${unit}`, params: {} } : unit === null ? null : nameOf(unit),
  };
  return saidText({
    code: `finding.${of}` satisfies keyof FindingSays,
    params: params satisfies CountedParams,
  });
}
