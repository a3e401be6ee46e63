import { t } from "../../shared/language";
import { isRecord } from "../../shared/yaml/values";

/** The composer's fields, read from the JSON Schema that the aggregator validates studies with. */

type JsonSchema = { readonly [key: string]: unknown };

export type FieldKind =
  | { readonly kind: "number"; readonly isWhole: boolean }
  | { readonly kind: "choice"; readonly options: readonly string[] }
  | { readonly kind: "text"; readonly isLong: boolean }
  /** One number, or a list of them. */
  | { readonly kind: "numbers" }
  | { readonly kind: "switch" }
  /** A list of anything: written as YAML on one line. */
  | { readonly kind: "list" }
  /** A map of fields; `off` is what stands in its place when it is switched off, where it can be. */
  | { readonly kind: "group"; readonly fields: readonly FieldSpec[]; readonly off: string | null }
  /** Anything else: the file is the place for it. */
  | { readonly kind: "other" };

export interface FieldSpec {
  readonly key: string;
  /** From the schema's description. */
  readonly hint: string;
  readonly isRequired: boolean;
  /** The default, in words; null if there is none or the hint states it. */
  readonly usual: string | null;
  readonly field: FieldKind;
  /** `1 to 50`; null without meaningful bounds. */
  readonly range: string | null;
}

export interface MethodSpec {
  readonly analysis: string;
  readonly method: string;
  readonly variant: string;
  readonly parameters: readonly FieldSpec[];
}

export interface StudySpec {
  readonly methods: readonly MethodSpec[];
  readonly participation: readonly FieldSpec[];
  readonly release: readonly FieldSpec[];
  /** Who wants the study. */
  readonly request: readonly FieldSpec[];
  /** Fields of the study itself: `name`, `table`. */
  readonly names: readonly FieldSpec[];
}

export function studySpec(schema: JsonSchema): StudySpec {
  const branches = branchesOf(schema);
  const first = propertiesOf(branches[0] ?? {});
  const names = fieldsOf(branches[0] ?? {}).filter(({ key }) => key === "name" || key === "table");
  return {
    methods: branches.flatMap(methodsOf),
    participation: fieldsOf(first.participation ?? {}),
    release: fieldsOf(first.release ?? {}),
    request: fieldsOf(first.request ?? {}),
    names,
  };
}

function unionOf(schema: JsonSchema): readonly JsonSchema[] | null {
  const union = schema.oneOf ?? schema.anyOf;
  return Array.isArray(union) ? (union as JsonSchema[]) : null;
}

/** The objects of a union of unions. */
function branchesOf(schema: JsonSchema): JsonSchema[] {
  return unionOf(schema)?.flatMap(branchesOf) ?? [schema];
}

function propertiesOf(schema: JsonSchema): Readonly<Record<string, JsonSchema>> {
  return (isRecord(schema.properties) ? schema.properties : {}) as Readonly<Record<string, JsonSchema>>;
}

function methodsOf(branch: JsonSchema): MethodSpec[] {
  const { analysis = {}, method = {}, variant = {}, parameters = {} } = propertiesOf(branch);
  return textsOf(method).map((name) => ({
    analysis: textsOf(analysis)[0] ?? "",
    method: name,
    variant: textsOf(variant)[0] ?? "",
    parameters: fieldsOf(parameters),
  }));
}

/** The texts that a schema allows: its constant or its enumeration. */
function textsOf(schema: JsonSchema): string[] {
  if (typeof schema.const === "string") return [schema.const];
  return Array.isArray(schema.enum) ? schema.enum.filter((one) => typeof one === "string") : [];
}

function fieldsOf(schema: JsonSchema): FieldSpec[] {
  const required = Array.isArray(schema.required) ? schema.required : [];
  return Object.entries(propertiesOf(schema)).map(([key, property]) => ({
    key,
    hint: typeof property.description === "string" ? property.description : "",
    isRequired: required.includes(key),
    usual: usualOf(property.default),
    field: kindOf(property),
    range: rangeOf(property),
  }));
}

function usualOf(value: unknown): string | null {
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean"
    ? String(value)
    : null;
}

const longText = 300;

function kindOf(schema: JsonSchema): FieldKind {
  const union = unionOf(schema);
  if (union !== null) return unionKind(union);
  if (Array.isArray(schema.enum)) return { kind: "choice", options: textsOf(schema) };
  switch (schema.type) {
    case "integer":
    case "number":
      return { kind: "number", isWhole: schema.type === "integer" };
    case "boolean":
      return { kind: "switch" };
    case "string":
      return { kind: "text", isLong: Number(schema.maxLength ?? 0) > longText };
    case "array":
      return { kind: "list" };
    case "object":
      return { kind: "group", fields: fieldsOf(schema), off: null };
    default:
      return { kind: "other" };
  }
}

function unionKind(union: readonly JsonSchema[]): FieldKind {
  const isNumber = ({ type }: JsonSchema) => type === "number" || type === "integer";
  const isNumbers = ({ type, items }: JsonSchema) => type === "array" && isRecord(items) && isNumber(items);
  if (union.every((one) => isNumber(one) || isNumbers(one))) return { kind: "numbers" };
  const texts = union.flatMap(textsOf);
  if (texts.length === union.length) return { kind: "choice", options: texts };
  const map = union.find(({ type }) => type === "object");
  if (union.length === 2 && texts.length === 1 && map !== undefined)
    return { kind: "group", fields: fieldsOf(map), off: texts[0]! };
  return { kind: "other" };
}

/** Larger bounds are limits of the program and are not shown. */
const askableMost = 100_000;

function rangeOf(schema: JsonSchema): string | null {
  if (schema.type !== "integer" && schema.type !== "number") return null;
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum } = schema as Readonly<
    Record<string, number | undefined>
  >;
  const low =
    minimum !== undefined
      ? t("at least {minimum}", { minimum })
      : exclusiveMinimum !== undefined
        ? t("more than {exclusiveMinimum}", { exclusiveMinimum })
        : null;
  const most = maximum ?? exclusiveMaximum;
  const high =
    most === undefined || most > askableMost
      ? null
      : maximum === undefined
        ? t("less than {most}", { most })
        : t("at most {most}", { most });
  const parts = [low, high].filter((part) => part !== null);
  return parts.length === 0 ? null : parts.join(", ");
}

/** A study's method with the aggregator's defaults: the sound variant, and the first method of each variant. */
export function methodOf(
  methods: readonly MethodSpec[],
  study: Readonly<Record<string, unknown>>,
): MethodSpec | null {
  const own = methods.filter(({ analysis }) => analysis === study.analysis);
  if (study.method !== undefined) return own.find(({ method }) => method === study.method) ?? null;
  return own.find(({ variant }) => variant === (study.variant ?? "sound")) ?? null;
}
