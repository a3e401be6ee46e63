/** JSON Schema as the services' OpenAPI documents hold it: the parts that the project's own schemas come to. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly format?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly default?: unknown;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | Schema;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly pattern?: string;
}

/** A line is no longer than this where a remark can stand above it instead. */
const lineLength = 110;

/** The name of a component that a schema refers to; null for any other schema. */
export function referenceOf({ $ref }: Schema): string | null {
  return $ref?.split("/").at(-1) ?? null;
}

/** A schema as a type that reads like TypeScript's. `indent` is that of the line on which it begins. */
export function typeText(schema: Schema, indent = ""): string {
  const reference = referenceOf(schema);
  if (reference !== null) return reference;
  if ("const" in schema) return JSON.stringify(schema.const);
  if (schema.enum !== undefined) return schema.enum.map((value) => JSON.stringify(value)).join(" | ");
  const options = schema.anyOf ?? schema.oneOf;
  if (options !== undefined) return options.map((option) => typeText(option, indent)).join(" | ");
  const types = [schema.type ?? []].flat();
  return types.length === 0 ? "any" : types.map((type) => oneType(type, schema, indent)).join(" | ");
}

function oneType(type: string, schema: Schema, indent: string): string {
  if (type === "array") {
    const item = typeText(schema.items ?? {}, indent);
    return /^[\w"]+$/.test(item) ? `${item}[]` : item.startsWith("{") ? `${item}[]` : `(${item})[]`;
  }
  if (type !== "object") return type;
  if (schema.properties !== undefined) return objectText(schema, indent);
  const values = schema.additionalProperties;
  return `{ [name: string]: ${typeof values === "object" ? typeText(values, indent) : "any"} }`;
}

function objectText({ properties = {}, required = [] }: Schema, indent: string): string {
  const inner = `${indent}  `;
  const lines = Object.entries(properties).flatMap(([name, property]) => {
    const key = /^\w+$/.test(name) ? name : JSON.stringify(name);
    const line = `${inner}${key}${required.includes(name) ? "" : "?"}: ${typeText(property, inner)}`;
    const remark = remarkOf(property);
    if (remark === "") return [line];
    if (!line.includes("\n") && line.length + remark.length + 4 <= lineLength)
      return [`${line}  // ${remark}`];
    return [...wrapped(remark, `${inner}// `), line];
  });
  return lines.length === 0 ? "{}" : `{\n${lines.join("\n")}\n${indent}}`;
}

/** What a schema says of its values beyond their type, as one line; nothing for a reference without words of its own. */
export function remarkOf(schema: Schema): string {
  const limits = limitsOf(schema);
  const described = schema.description ?? "";
  return limits === "" ? described : described === "" ? limits : `${limits}. ${described}`;
}

function limitsOf(schema: Schema): string {
  const value =
    schema.anyOf?.length === 2 ? (schema.anyOf.find((one) => one.type !== "null") ?? schema) : schema;
  const { format, minimum, maximum, exclusiveMinimum, minLength, maxLength, minItems, maxItems, pattern } =
    value;
  return [
    format ?? "",
    exclusiveMinimum === undefined ? "" : `above ${exclusiveMinimum}`,
    range(minimum, maximum, ""),
    range(minLength, maxLength, " characters"),
    range(minItems, maxItems, " items"),
    pattern === undefined || format !== undefined ? "" : `/${pattern}/`,
    schema.default === undefined ? "" : `default ${JSON.stringify(schema.default)}`,
  ]
    .filter((part) => part !== "")
    .join(", ");
}

function range(from: number | undefined, to: number | undefined, unit: string): string {
  if (from !== undefined && to !== undefined) return `${from} to ${to}${unit}`;
  if (from !== undefined) return `${from}${unit} or more`;
  return to === undefined ? "" : `at most ${to}${unit}`;
}

function wrapped(text: string, start: string): string[] {
  const lines: string[] = [];
  for (const word of text.split(" ")) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + word.length < lineLength)
      lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(`${start}${word}`);
  }
  return lines;
}
