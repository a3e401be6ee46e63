import { z } from "zod";

/** ViewDefinition of SQL on FHIR 2 (HL7): the keys that make a table. Those that only describe it are left aside. */

const sqlName = z
  .string()
  .regex(/^[A-Za-z][A-Za-z0-9_]{0,127}$/, "a name that begins with a letter and holds letters, digits and _");
const path = z.string().min(1, "a FHIRPath is needed").max(10_000);

/** FHIR's primitive types, and what a column of them is in SQL. */
export const primitiveTypes = {
  boolean: "BOOLEAN",
  integer: "BIGINT",
  integer64: "BIGINT",
  positiveInt: "BIGINT",
  unsignedInt: "BIGINT",
  decimal: "DOUBLE",
  string: "VARCHAR",
  base64Binary: "VARCHAR",
  canonical: "VARCHAR",
  code: "VARCHAR",
  date: "VARCHAR",
  dateTime: "VARCHAR",
  id: "VARCHAR",
  instant: "VARCHAR",
  markdown: "VARCHAR",
  oid: "VARCHAR",
  time: "VARCHAR",
  uri: "VARCHAR",
  url: "VARCHAR",
  uuid: "VARCHAR",
} as const satisfies Readonly<Record<string, SqlType>>;
export type SqlType = "BOOLEAN" | "BIGINT" | "DOUBLE" | "VARCHAR";

const described = {
  id: z.string().optional(),
  description: z.string().optional(),
  extension: z.unknown().optional(),
};

const column = z.strictObject({
  ...described,
  name: sqlName,
  path,
  /** A primitive type of FHIR; left out, the column is text. */
  type: z
    .enum(Object.keys(primitiveTypes) as (keyof typeof primitiveTypes)[], "a primitive type of FHIR")
    .optional(),
  /** Whether the column is a list of values: without it two values are a fault. */
  collection: z.boolean().default(false),
  tag: z.unknown().optional(),
});

export type ViewColumn = z.output<typeof column>;

/** Columns, and selects within, of each element that one of the three paths leads to. */
export interface ViewSelect {
  readonly column?: readonly ViewColumn[] | undefined;
  readonly select?: readonly ViewSelect[] | undefined;
  readonly unionAll?: readonly ViewSelect[] | undefined;
  readonly forEach?: string | undefined;
  readonly forEachOrNull?: string | undefined;
  readonly repeat?: readonly string[] | undefined;
}

const select: z.ZodType<ViewSelect> = z.lazy(() =>
  z
    .strictObject({
      ...described,
      column: z.array(column).optional(),
      select: z.array(select).optional(),
      unionAll: z.array(select).min(1).optional(),
      forEach: path.optional(),
      forEachOrNull: path.optional(),
      repeat: z.array(path).min(1).optional(),
    })
    .refine(
      ({ forEach, forEachOrNull, repeat }) =>
        [forEach, forEachOrNull, repeat].filter((one) => one !== undefined).length <= 1,
      "at most one of forEach, forEachOrNull and repeat",
    ),
);

/** The types of `value[x]` of a constant. */
const constantTypes = ["Boolean", "Integer", "Integer64", "PositiveInt", "UnsignedInt", "Decimal", "String", "Base64Binary",
  "Code", "Date", "DateTime", "Id", "Instant", "Oid", "Time", "Uri", "Url", "Canonical", "Uuid"]; // biome-ignore format: a list

const constant = z.looseObject({ name: sqlName }).transform(({ name, ...rest }, context) => {
  const values = Object.entries(rest).filter(([key]) => key.startsWith("value"));
  const [[key, value] = ["", null]] = values;
  const isScalar = typeof value === "string" || typeof value === "number" || typeof value === "boolean";
  if (values.length !== 1 || !constantTypes.includes(key.slice("value".length)) || !isScalar) {
    context.addIssue({ code: "custom", message: "a constant has one value, such as valueString" });
    return z.NEVER;
  }
  return { name, value };
});

export const viewSchema = z.looseObject({
  resource: z.string().regex(/^[A-Z][A-Za-z]{1,63}$/, "a resource type, such as Patient"),
  constant: z.array(constant).default([]),
  select: z.array(select).min(1, "a view selects something"),
  where: z.array(z.strictObject({ ...described, path })).default([]),
});

export type ViewDefinition = z.output<typeof viewSchema>;
