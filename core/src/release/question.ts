import type { InputColumn } from "./predictor.js";

/** Levels that a question names; the others are in model.json. */
const namedMost = 8;

/**
 * A split's question in words, such as `< 16.2`, `is male` or `is one of a, b`: rows that meet it go left.
 * @param shown - how a number is written
 */
export function conditionOf(
  input: InputColumn,
  cut: number | readonly number[],
  shown: (value: number) => string,
): string {
  if (input.type === "numeric") {
    if (typeof cut === "number") return `< ${shown(input.edges[cut]!)}`;
    throw new RangeError(`a set of levels as the cut of the number ${input.name}`);
  }
  const levels = typeof cut === "number" ? [cut] : cut;
  if (levels.length === 1) return `is ${input.levels[levels[0]!]!}`;
  const names = levels.slice(0, namedMost).map((level) => input.levels[level]!);
  const rest = levels.length - names.length;
  return `is one of ${names.join(", ")}${rest === 0 ? "" : ` and ${rest} more`}`;
}
