import { expect, it } from "vitest";
import { remarkOf, type Schema, typeText } from "./apiSchemas.js";

const cases: readonly (readonly [Schema, string])[] = [
  [{ $ref: "#/components/schemas/Study" }, "Study"],
  [{}, "any"],
  [{ type: ["integer", "null"] }, "integer | null"],
  [{ enum: ["a", "b"] }, '"a" | "b"'],
  [{ type: "string", const: "a" }, '"a"'],
  [{ anyOf: [{ type: "string", format: "date-time" }, { type: "null" }] }, "string | null"],
  [{ type: "array", items: { $ref: "#/components/schemas/Study" } }, "Study[]"],
  [{ type: "array", items: { type: ["string", "number"] } }, "(string | number)[]"],
  [{ type: "object", additionalProperties: { type: "integer" } }, "{ [name: string]: integer }"],
  [{ type: "object", properties: {} }, "{}"],
];

it.each(cases)("reads %j as a type", (schema, text) => {
  expect(typeText(schema)).toBe(text);
});

it("shows an object with what may be left out, limits and meaning", () => {
  const schema: Schema = {
    type: "object",
    properties: {
      name: { type: "string", maxLength: 64 },
      limit: { type: "integer", minimum: 1, maximum: 500, default: 100, description: "Events on a page." },
      of: { type: "array", items: { type: "object", properties: { "an id": { type: "string" } } } },
    },
    required: ["name", "of"],
  };
  expect(typeText(schema)).toBe(
    [
      "{",
      "  name: string  // at most 64 characters",
      "  limit?: integer  // 1 to 500, default 100. Events on a page.",
      "  of: {",
      '    "an id"?: string',
      "  }[]",
      "}",
    ].join("\n"),
  );
});

it("puts a long remark above its line, and breaks it", () => {
  const description = "word ".repeat(40).trim();
  const lines = typeText({ type: "object", properties: { name: { type: "string", description } } }).split(
    "\n",
  );
  expect(lines.slice(1, -2).every((line) => line.startsWith("  // word") && line.length <= 110)).toBe(true);
  expect(lines.slice(1, -2).join(" ").match(/word/g)).toHaveLength(40);
  expect(lines.at(-2)).toBe("  name?: string");
});

it("says the limits of what may be null as well", () => {
  expect(remarkOf({ anyOf: [{ type: "string", maxLength: 9 }, { type: "null" }] })).toBe(
    "at most 9 characters",
  );
  expect(remarkOf({ type: "number", exclusiveMinimum: 0 })).toBe("above 0");
});
