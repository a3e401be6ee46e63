/** A JSON Schema's keys as a table of Markdown: each with its type, default, range and meaning. */

export type Schema = Readonly<Record<string, unknown>>;

export interface Row {
  readonly key: string;
  readonly type: string;
  /** `required` where it has none. */
  readonly usual: string;
  readonly range: string;
  readonly meaning: string;
}

/** The maps that a key's value, or each entry of its list, may be. */
export function formsOf(schema: Schema): Schema[] {
  const inside = (schema.oneOf ??
    schema.anyOf ??
    (schema.items === undefined ? undefined : [schema.items])) as readonly Schema[] | undefined;
  if (inside !== undefined) return inside.flatMap(formsOf);
  if (schema.properties !== undefined) return [schema];
  const { additionalProperties: entries } = schema;
  return typeof entries === "object" && entries !== null ? formsOf(entries as Schema) : [];
}

/** A map's keys, and below each the keys of the maps within it; one that several forms share comes once. */
export function rowsOf(form: Schema, prefix: string, path: string): Row[] {
  return Object.entries(propertiesOf(form)).flatMap(([key, schema]) => {
    const name = `${prefix}${key}`;
    const own = rowOf(name, schema, requiredOf(form).includes(key));
    const step = `${name}${stepOf(schema)}.`;
    const inner = formsOf(schema).flatMap((one) => rowsOf(one, step, path));
    const [seen, unique] = [new Set<string>(), [] as Row[]];
    for (const row of inner) {
      if (seen.has(row.key)) continue;
      seen.add(row.key);
      unique.push(row);
    }
    return [own, ...unique];
  });
}

/** What stands between a key and the keys of the maps below it. */
function stepOf(schema: Schema): string {
  if (schema.type === "array") return "[]";
  const union = (schema.oneOf ?? schema.anyOf) as readonly Schema[] | undefined;
  const isMapOfMaps = (one: Schema) => one.propertyNames !== undefined && formsOf(one).length > 0;
  if (union !== undefined) return stepOf(union.find(isMapOfMaps) ?? {});
  const { properties, additionalProperties: entries } = schema;
  if (properties !== undefined || typeof entries !== "object" || entries === null) return "";
  return `.<name>${stepOf(entries as Schema)}`;
}

export function rowOf(key: string, schema: Schema, isRequired: boolean): Row {
  const { default: usual } = schema;
  return {
    key,
    type: typeOf(schema),
    usual:
      usual === undefined
        ? isRequired
          ? "required"
          : ""
        : code(typeof usual === "string" ? usual : JSON.stringify(usual)),
    range: rangeOf(schema),
    meaning: sentence(descriptionOf(schema)),
  };
}

function typeOf(schema: Schema): string {
  if (schema.const !== undefined) return code(String(schema.const));
  if (Array.isArray(schema.enum)) return schema.enum.map((one) => code(String(one))).join(", ");
  const union = (schema.oneOf ?? schema.anyOf) as readonly Schema[] | undefined;
  if (union !== undefined) return [...new Set(union.map(typeOf))].join(" or ");
  switch (schema.type) {
    case "integer":
      return "whole number";
    case "string":
      return "text";
    case "boolean":
      return "`true` or `false`";
    case "array":
      return schema.items === undefined ? "list" : `list of ${plural(typeOf(schema.items as Schema))}`;
    case "object":
      return "map";
    default:
      return String(schema.type ?? "any");
  }
}

function plural(type: string): string {
  const known: Readonly<Record<string, string>> = {
    map: "maps",
    text: "texts",
    number: "numbers",
    "whole number": "whole numbers",
  };
  return known[type] ?? type;
}

/** What a schema without a limit of its own has: the whole numbers that a double holds. */
const unlimited = Number.MAX_SAFE_INTEGER;

function rangeOf(schema: Schema): string {
  const union = (schema.oneOf ?? schema.anyOf) as readonly Schema[] | undefined;
  if (union !== undefined) return [...new Set(union.map(rangeOf).filter((range) => range !== ""))].join("; ");
  const { minimum, exclusiveMinimum, maximum, exclusiveMaximum } = schema;
  const parts = [
    limit(minimum, "from", ""),
    limit(exclusiveMinimum, "above", ""),
    limit(maximum, "to", ""),
    limit(exclusiveMaximum, "below", ""),
    limit(schema.maxLength, "at most", " characters"),
    limit(schema.minItems, "at least", " entries"),
    limit(schema.maxItems, "at most", " entries"),
  ];
  return parts.filter((part) => part !== "").join(", ");
}

function limit(value: unknown, word: string, unit: string): string {
  if (typeof value !== "number" || Math.abs(value) >= unlimited) return "";
  return `${word} ${value}${unit}`;
}

export function keyTable(rows: readonly Row[]): string {
  const lines = rows.map(({ key, type, usual, range, meaning }) =>
    [code(key), type, usual, range, meaning].map((cell) => cell.replaceAll("|", "\\|")).join(" | "),
  );
  return `| key | type | default | range | meaning |\n| --- | --- | --- | --- | --- |\n${lines.map((line) => `| ${line} |`).join("\n")}`;
}

export function propertiesOf(schema: Schema): Readonly<Record<string, Schema>> {
  return (schema.properties ?? {}) as Readonly<Record<string, Schema>>;
}

export function requiredOf(schema: Schema): readonly string[] {
  return (schema.required ?? []) as readonly string[];
}

export function descriptionOf(schema: Schema): string {
  return typeof schema.description === "string" ? schema.description : "";
}

export function sentence(text: string): string {
  return text.replaceAll("\n", " ").replaceAll("<", "&lt;");
}

export function code(text: string): string {
  return `\`${text}\``;
}
