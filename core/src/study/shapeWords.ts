import type { z } from "zod";

/** What a person calls a type of the schema or a value. */
const names: Readonly<Record<string, string>> = {
  string: "text",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  array: "a list",
  tuple: "a list",
  object: "keys and values",
  record: "keys and values",
  null: "nothing",
  nan: "not a number",
  date: "a date",
};

const nameOf = (type: string) => names[type] ?? type;

/** Of a value, its type alone: what is written may be anything. */
function typeOf(value: unknown): string {
  if (value === null) return nameOf("null");
  if (Array.isArray(value)) return nameOf("array");
  if (value instanceof Date) return nameOf("date");
  if (typeof value === "number" && !Number.isFinite(value)) return nameOf("nan");
  return nameOf(typeof value);
}

/** What a text or a list is counted in. */
const counted: Readonly<Record<string, readonly [one: string, many: string]>> = {
  string: ["character", "characters"],
  array: ["entry", "entries"],
  object: ["key", "keys"],
  record: ["key", "keys"],
};

function boundText(word: string, bound: number | bigint, origin: string): string {
  const units = counted[origin];
  return units === undefined ? `${word} ${bound}` : `${word} ${bound} ${units[bound === 1 ? 0 : 1]}`;
}

/**
 * What is wrong with the shape of a study that somebody has written, as people say it: what is wanted, and of which type the value
 * is. A key's own words in the schema come first; undefined leaves it to them, and to zod.
 */
export const shapeWords: z.core.$ZodErrorMap = (issue) => {
  switch (issue.code) {
    case "invalid_type":
      return `expected ${nameOf(issue.expected)}, got ${typeOf(issue.input)}`;
    case "invalid_value":
      return issue.values.length === 1
        ? `expected ${String(issue.values[0])}`
        : `expected one of: ${issue.values.map(String).join(", ")}`;
    case "too_small":
      return boundText(issue.inclusive === false ? "more than" : "at least", issue.minimum, issue.origin);
    case "too_big":
      return boundText(issue.inclusive === false ? "less than" : "at most", issue.maximum, issue.origin);
    case "invalid_format":
      return `not a valid ${issue.format === "regex" ? "name" : issue.format}`;
    case "invalid_union":
      return `expected another form, got ${typeOf(issue.input)}`;
    default:
      return undefined;
  }
};
