import type { CountedParams, FindingSays } from "@consilium/words/says/findings";
import { nameOf, saidText } from "../said.js";
import type { Counted } from "./finding.js";

/** A count in words, as a line. */
export function countedText({ of, name, value, low, high, unit }: Counted): string {
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
