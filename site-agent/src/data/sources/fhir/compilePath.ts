import { nameOf } from "@consilium/core/said";
import { sqlText } from "../shared/sqlText.js";
import { type Operator, PathFault, type PathNode } from "./pathSyntax.js";
import type { SqlType } from "./viewDefinition.js";

/**
 * A path of FHIRPath as an SQL expression of DuckDB. A collection is a list of JSON values and never NULL; what is known to be
 * one text, number or truth value is that, with NULL for the empty collection.
 *
 * No expression fails at a value, but for those that `PathContext.fault` gives.
 */

export type PathValue =
  | { readonly kind: "list"; readonly sql: string }
  | { readonly kind: "text" | "number" | "boolean"; readonly sql: string };

export interface PathContext {
  /** SQL of the JSON value that the path begins at; NULL where `forEachOrNull` found none. */
  readonly item: string;
  /** SQL of `%rowIndex`. */
  readonly row: string;
  /** The resource's type, where the path begins at the resource itself. */
  readonly resource: string | null;
  readonly constants: ReadonlyMap<string, string | number | boolean>;
  /** SQL for where a value is not as the view needs it: NULL, or what ends the reading with this sentence. */
  readonly fault: (what: "path.no-truth" | "path.several") => string;
  /** Lambdas around the path. */
  readonly depth: number;
}

/** Macros that the expressions use. Their own parameters begin with `m`, those of expressions with `x`. */
export const pathMacros: readonly string[] = [
  `fhir_this(v) AS CASE WHEN v IS NULL THEN []::JSON[] ELSE [v] END`,
  `fhir_step(v, one, each) AS CASE coalesce(json_type(v, one), 'NULL') WHEN 'NULL' THEN []::JSON[]
     WHEN 'ARRAY' THEN list_filter(json_extract(v, each), lambda m: json_type(m) <> 'NULL')
     ELSE [json_extract(v, one)] END`,
  `fhir_steps(list, one, each) AS flatten(list_transform(list, lambda m: fhir_step(m, one, each)))`,
  `fhir_numbered(list) AS list_transform(list, lambda m, mi: {'item': m, 'row': mi - 1})`,
  `fhir_is_number(v) AS json_type(v) IN ('BIGINT', 'UBIGINT', 'HUGEINT', 'UHUGEINT', 'DOUBLE', 'DECIMAL')`,
  `fhir_text(list) AS CASE WHEN len(list) = 1 THEN json_extract_string(list[1], '$') END`,
  `fhir_number(list) AS CASE WHEN len(list) = 1 AND fhir_is_number(list[1])
     THEN TRY_CAST(json_extract_string(list[1], '$') AS DOUBLE) END`,
  `fhir_truth(v) AS CASE WHEN json_type(v) = 'BOOLEAN' THEN json_extract_string(v, '$') = 'true' END`,
  // An instant is the same whatever its time zone is written as.
  `fhir_instant(s) AS CASE WHEN regexp_full_match(s, '\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d.*(Z|[+-]\\d\\d:\\d\\d)')
     THEN epoch_us(TRY_CAST(s AS TIMESTAMPTZ)) END`,
  `fhir_key(v) AS CASE WHEN fhir_is_number(v) THEN 'n' || TRY_CAST(json_extract_string(v, '$') AS DOUBLE)::VARCHAR
     WHEN json_type(v) = 'VARCHAR' THEN coalesce('i' || fhir_instant(json_extract_string(v, '$'))::VARCHAR,
       's' || json_extract_string(v, '$')) ELSE v::VARCHAR END`,
  `fhir_equal(a, b) AS CASE WHEN len(a) = 0 OR len(b) = 0 THEN NULL
     ELSE list_transform(a, lambda m: fhir_key(m)) = list_transform(b, lambda m: fhir_key(m)) END`,
  `fhir_sign(a, b) AS CASE WHEN a < b THEN -1 WHEN a > b THEN 1 WHEN a = b THEN 0 END`,
  // Dates of different precision are in order only if they differ in what both have.
  `fhir_text_order(a, b) AS CASE
     WHEN fhir_instant(a) IS NOT NULL AND fhir_instant(b) IS NOT NULL THEN fhir_sign(fhir_instant(a), fhir_instant(b))
     WHEN length(a) <> length(b) AND regexp_full_match(a, '\\d{4}(-.*)?') AND regexp_full_match(b, '\\d{4}(-.*)?')
       THEN nullif(fhir_sign(left(a, least(length(a), length(b))), left(b, least(length(a), length(b)))), 0)
     ELSE fhir_sign(a, b) END`,
  `fhir_order(a, b) AS CASE WHEN len(a) <> 1 OR len(b) <> 1 THEN NULL
     WHEN fhir_is_number(a[1]) AND fhir_is_number(b[1]) THEN fhir_sign(fhir_number(a), fhir_number(b))
     WHEN json_type(a[1]) = 'VARCHAR' AND json_type(b[1]) = 'VARCHAR' THEN fhir_text_order(fhir_text(a), fhir_text(b)) END`,
  `fhir_extensions(list, url) AS
     list_filter(fhir_steps(list, '$.extension', '$.extension[*]'), lambda m: json_extract_string(m, '$.url') = url)`,
  // RESTful references alone tell a resource: Patient/1, https://example.org/fhir/Patient/1, Patient/1/_history/2.
  `fhir_reference_keys(list, type) AS list_filter(list_transform(list, lambda m: to_json(nullif(regexp_extract(
     json_extract_string(m, '$.reference'), '(?:^|/)' || type || '/([A-Za-z0-9.-]{1,64})(?:/_history/[A-Za-z0-9.-]+)?$', 1), ''))),
     lambda m: json_type(m) <> 'NULL')`,
];

const supported =
  "where, exists, empty, first, ofType, extension, join, not, getResourceKey, getReferenceKey";

/** @throws PathFault for what the subset does not have */
export function compilePath(node: PathNode, context: PathContext): PathValue {
  switch (node.kind) {
    case "literal":
      return scalar(node.value);
    case "this":
      return list(`fhir_this(${context.item})`);
    case "constant": {
      if (node.name === "rowIndex") return { kind: "number", sql: context.row };
      const value = context.constants.get(node.name);
      if (value === undefined) throw new PathFault("path.no-constant", { name: nameOf(node.name) });
      return scalar(value);
    }
    case "member":
      return member(node, context);
    case "index": {
      const index = compilePath(node.index, context);
      if (index.kind !== "number" || !/^\d+$/.test(index.sql)) throw new PathFault("path.index", {});
      const at = Number(index.sql) + 1;
      return list(`list_slice(${asList(compilePath(node.of, context))}, ${at}, ${at})`);
    }
    case "negate":
      return { kind: "number", sql: `(-${asNumber(compilePath(node.of, context))})` };
    case "call":
      return call(node, context);
    case "binary":
      return binary(node.operator, node.left, node.right, context);
  }
}

/** The elements that a path gives. */
export function elementsOf(node: PathNode, context: PathContext): string {
  return asList(compilePath(node, context));
}

/** Whether a path only leads to what lies below its beginning: what `repeat` needs to come to an end. */
export function descends(node: PathNode): boolean {
  if (node.kind === "member") return true;
  if (node.kind === "index") return descends(node.of);
  return node.kind === "call" && (node.name === "extension" || descends(node.of));
}

/** The truth value of a condition. */
export function conditionOf(node: PathNode, context: PathContext): string {
  return asBoolean(compilePath(node, context), context);
}

/** A column of a type, with one value or as a list. @param fault - as `PathContext.fault`, for a second value */
export function columnSql(
  value: PathValue,
  { type, isList, fault }: { readonly type: SqlType; readonly isList: boolean; readonly fault: string },
): string {
  if (value.kind !== "list") {
    const one =
      value.kind === sqlKinds[type] && type !== "BIGINT" ? value.sql : `TRY_CAST(${value.sql} AS ${type})`;
    return isList ? `CASE WHEN ${one} IS NULL THEN [] ELSE [${one}] END` : one;
  }
  const typed = (json: string) => {
    const text = `json_extract_string(${json}, '$')`;
    if (type === "BOOLEAN") return `fhir_truth(${json})`;
    return type === "VARCHAR" ? text : `TRY_CAST(${text} AS ${type})`;
  };
  if (isList) return `list_transform(${value.sql}, lambda x: ${typed("x")})`;
  return `CASE WHEN len(${value.sql}) > 1 THEN ${fault} ELSE ${typed(`(${value.sql})[1]`)} END`;
}

const sqlKinds = { BOOLEAN: "boolean", BIGINT: "number", DOUBLE: "number", VARCHAR: "text" } as const;

function list(sql: string): PathValue {
  return { kind: "list", sql };
}

function scalar(value: string | number | boolean): PathValue {
  if (typeof value === "string") return { kind: "text", sql: sqlText(value) };
  if (typeof value === "boolean") return { kind: "boolean", sql: String(value) };
  return {
    kind: "number",
    sql: Number.isSafeInteger(value) ? String(value) : `${sqlText(String(value))}::DOUBLE`,
  };
}

function asList(value: PathValue): string {
  if (value.kind === "list") return value.sql;
  return `CASE WHEN ${value.sql} IS NULL THEN []::JSON[] ELSE [to_json(${value.sql})] END`;
}

function asNumber(value: PathValue): string {
  if (value.kind === "list") return `fhir_number(${value.sql})`;
  if (value.kind === "number") return value.sql;
  throw new PathFault("path.no-number", { kind: nameOf(value.kind) });
}

function asBoolean(value: PathValue, { fault }: PathContext): string {
  if (value.kind === "boolean") return value.sql;
  if (value.kind !== "list") throw new PathFault("path.no-condition", { kind: nameOf(value.kind) });
  const one = `fhir_truth((${value.sql})[1])`;
  return `CASE WHEN len(${value.sql}) = 0 THEN NULL WHEN len(${value.sql}) = 1 AND ${one} IS NOT NULL THEN ${one}
    ELSE ${fault("path.no-truth")} END`;
}

function steps(of: PathNode, name: string, context: PathContext): string {
  const paths = `'$.${name}', '$.${name}[*]'`;
  if (of.kind === "this") return `fhir_step(${context.item}, ${paths})`;
  return `fhir_steps(${elementsOf(of, context)}, ${paths})`;
}

function member({ of, name }: PathNode & { kind: "member" }, context: PathContext): PathValue {
  // A path may begin with the type of its resource: `Patient.name`.
  if (of.kind === "this" && name === context.resource) return list(`fhir_this(${context.item})`);
  return list(steps(of, name, context));
}

function call({ of, name, args }: PathNode & { kind: "call" }, context: PathContext): PathValue {
  const takes = (least: number, most: number) => {
    const given = args.length;
    if (given < least || given > most)
      throw new PathFault("path.arguments", { name: nameOf(name), least, most, given });
  };
  const elements = () => elementsOf(of, context);
  switch (name) {
    case "where":
      takes(1, 1);
      return list(filtered(elements(), args[0]!, context));
    case "exists": {
      takes(0, 1);
      const found = args.length === 0 ? elements() : filtered(elements(), args[0]!, context);
      return { kind: "boolean", sql: `(len(${found}) > 0)` };
    }
    case "empty":
      takes(0, 0);
      return { kind: "boolean", sql: `(len(${elements()}) = 0)` };
    case "not":
      takes(0, 0);
      return { kind: "boolean", sql: `(NOT ${asBoolean(compilePath(of, context), context)})` };
    case "first":
      takes(0, 0);
      return list(`list_slice(${elements()}, 1, 1)`);
    case "join": {
      takes(0, 1);
      const separator = args.length === 0 ? "''" : literalText(args[0]!, context, "join");
      const texts = `list_transform(${elements()}, lambda x: json_extract_string(x, '$'))`;
      return { kind: "text", sql: `array_to_string(${texts}, ${separator})` };
    }
    case "extension":
      takes(1, 1);
      return list(`fhir_extensions(${elements()}, ${literalText(args[0]!, context, "extension")})`);
    case "ofType":
      takes(1, 1);
      return list(ofType(of, typeName(args[0]!), context));
    case "getResourceKey":
      takes(0, 0);
      if (of.kind !== "this" || context.resource === null) throw new PathFault("path.resource-key", {});
      return { kind: "text", sql: `json_extract_string(${context.item}, '$.id')` };
    case "getReferenceKey": {
      takes(0, 1);
      const type = args.length === 0 ? "[A-Za-z]+" : typeName(args[0]!);
      return list(`fhir_reference_keys(${elements()}, ${sqlText(type)})`);
    }
    default:
      throw new PathFault("path.no-function", { name: nameOf(name), supported: nameOf(supported) });
  }
}

function filtered(elements: string, condition: PathNode, context: PathContext): string {
  const item = `x${context.depth}`;
  const within: PathContext = { ...context, item, resource: null, depth: context.depth + 1 };
  return `list_filter(${elements}, lambda ${item}: coalesce(${conditionOf(condition, within)}, false))`;
}

/** An element of a choice is named for its type: `value.ofType(Quantity)` is `valueQuantity`. A resource tells its type itself. */
function ofType(of: PathNode, type: string, context: PathContext): string {
  if (of.kind !== "member") throw new PathFault("path.of-type", {});
  const chosen = steps(of.of, `${of.name}${type[0]!.toUpperCase()}${type.slice(1)}`, context);
  if (!/^[A-Z]/.test(type)) return chosen;
  const item = `x${context.depth}`;
  const resources = `list_filter(${steps(of.of, of.name, context)}, lambda ${item}: json_extract_string(${item}, '$.resourceType') = ${sqlText(type)})`;
  return `list_concat(${chosen}, ${resources})`;
}

function typeName(node: PathNode): string {
  if (node.kind === "member") {
    const { of, name } = node;
    if (of.kind === "this" || (of.kind === "member" && of.of.kind === "this" && of.name === "FHIR"))
      return name;
  }
  throw new PathFault("path.no-type", {});
}

function literalText(node: PathNode, context: PathContext, name: string): string {
  if (node.kind === "literal" || node.kind === "constant") {
    const { kind, sql } = compilePath(node, context);
    if (kind === "text") return sql;
  }
  throw new PathFault("path.text-argument", { name: nameOf(name) });
}

function binary(
  operator: Operator,
  leftNode: PathNode,
  rightNode: PathNode,
  context: PathContext,
): PathValue {
  const left = compilePath(leftNode, context);
  const right = compilePath(rightNode, context);
  switch (operator) {
    case "and":
    case "or":
      return {
        kind: "boolean",
        sql: `(${asBoolean(left, context)} ${operator.toUpperCase()} ${asBoolean(right, context)})`,
      };
    case "=":
      return { kind: "boolean", sql: `fhir_equal(${asList(left)}, ${asList(right)})` };
    case "!=":
      return { kind: "boolean", sql: `(NOT fhir_equal(${asList(left)}, ${asList(right)}))` };
    case "<":
    case ">":
    case "<=":
    case ">=":
      return { kind: "boolean", sql: `(fhir_order(${asList(left)}, ${asList(right)}) ${operator} 0)` };
    case "+":
      if (left.kind === "text" || right.kind === "text")
        return { kind: "text", sql: `(${asText(left)} || ${asText(right)})` };
      return { kind: "number", sql: `(${asDouble(left)} + ${asDouble(right)})` };
    case "-":
    case "*":
      return { kind: "number", sql: `(${asDouble(left)} ${operator} ${asDouble(right)})` };
    case "/":
      return { kind: "number", sql: `(${asDouble(left)} / nullif(${asDouble(right)}, 0))` };
  }
}

/** Whole numbers too: a sum of them would end the reading where it is too long. */
function asDouble(value: PathValue): string {
  return `${asNumber(value)}::DOUBLE`;
}

function asText(value: PathValue): string {
  if (value.kind === "list") return `fhir_text(${value.sql})`;
  if (value.kind === "text") return value.sql;
  throw new PathFault("path.no-text", { kind: nameOf(value.kind) });
}
