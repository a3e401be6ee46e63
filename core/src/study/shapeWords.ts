import type { Name } from "@consilium/words/said";
import type { StudyFaultSays } from "@consilium/words/says/studyFaults";
import type { z } from "zod";
import { lines, nameOf } from "../said.js";

const line = lines<StudyFaultSays>();

/** Of a value, its type alone: what is written may be anything. */
function typeOf(value: unknown): Name {
  if (value === null) return nameOf("null");
  if (Array.isArray(value)) return nameOf("array");
  if (value instanceof Date) return nameOf("date");
  if (typeof value === "number" && !Number.isFinite(value)) return nameOf("nan");
  return nameOf(typeof value);
}

/**
 * What is wrong with the shape of a study that somebody has written: what is wanted, and of which type the value is. A key's own
 * words in the schema come first; undefined leaves it to them, and to zod.
 */
export const shapeWords: z.core.$ZodErrorMap = (issue) => {
  switch (issue.code) {
    case "invalid_type":
      return issue.expected === "int" && typeof issue.input === "number"
        ? line("fault.whole-number", {})
        : line("fault.type", { wanted: nameOf(issue.expected), got: typeOf(issue.input) });
    case "invalid_value":
      return line("fault.value", { allowed: issue.values.map((value) => nameOf(String(value))) });
    case "too_small":
      return line(issue.inclusive === false ? "fault.above" : "fault.at-least", {
        bound: Number(issue.minimum),
        of: nameOf(issue.origin),
      });
    case "too_big":
      return line(issue.inclusive === false ? "fault.below" : "fault.at-most", {
        bound: Number(issue.maximum),
        of: nameOf(issue.origin),
      });
    case "invalid_format":
      return line("fault.format", { format: nameOf(issue.format) });
    case "invalid_union":
      return line("fault.form", { got: typeOf(issue.input) });
    default:
      return undefined;
  }
};
