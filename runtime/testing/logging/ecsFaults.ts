/** A line held against the Elastic Common Schema as Elastic publishes it, and against the closed list of fields. */
import { commonFields, eventFields } from "@consilium/core/logging/fields";
import { EcsFlat } from "@elastic/ecs";

const schema: Readonly<
  Record<string, { readonly type: string; readonly normalize: readonly string[] } | undefined>
> = EcsFlat;
const listed = new Map<string, string>([
  ...Object.values(eventFields).map(({ ecs, type }) => [ecs, type] as const),
  ...Object.entries(commonFields).map(([ecs, { type }]) => [ecs, type] as const),
]);

/** What is wrong with a line's fields, in words; empty where nothing is. */
export function ecsFaults(line: Readonly<Record<string, unknown>>): string[] {
  return Object.entries(line).flatMap(([name, value]) => {
    if (!listed.has(name)) return [`${name} is not in the closed list`];
    const published = schema[name];
    if (published === undefined && !name.startsWith("consilium.")) return [`${name} is not in the schema`];
    const type = published?.type ?? listed.get(name)!;
    const isList = published?.normalize.includes("array") ?? false;
    if (isList !== Array.isArray(value)) return [`${name} is ${isList ? "not " : ""}a list`];
    return [value].flat().every((each) => holds(each, type)) ? [] : [`${name} is not a ${type}`];
  });
}

function holds(value: unknown, type: string): boolean {
  switch (type) {
    case "long":
      return Number.isSafeInteger(value);
    case "boolean":
      return typeof value === "boolean";
    case "date":
      return typeof value === "string" && !Number.isNaN(Date.parse(value));
    case "ip":
      return typeof value === "string" && /^[0-9a-f.:]+$/i.test(value);
    default:
      return typeof value === "string";
  }
}
