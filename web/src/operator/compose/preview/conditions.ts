import { isRecord } from "../../../shared/yaml/values";
import { type DeclaredColumn, textOf, textsOf } from "./declared";

/** Conditions of a count, read from a draft and told in the words of the released table. */

export interface Criterion {
  readonly column: string;
  readonly atLeast?: unknown;
  readonly below?: unknown;
  readonly in?: unknown;
  readonly missing?: unknown;
}

export interface Condition {
  readonly name: string;
  readonly all: readonly Criterion[];
}

/** What is counted where the file says nothing. */
const everything: Condition = { name: "all records", all: [] };

export function conditionsOf(value: unknown): Condition[] {
  if (!Array.isArray(value)) return [everything];
  return value.filter(isRecord).map(({ name, all }) => ({
    name: textOf(name),
    all: Array.isArray(all)
      ? all.filter(isRecord).map((one) => ({ ...one, column: textOf(one.column) }))
      : [],
  }));
}

export function conditionText({ all }: Condition, columns: readonly DeclaredColumn[]): string {
  if (all.length === 0) return "every record";
  return all.map((one) => criterionText(one, columns)).join(", and ");
}

function criterionText(one: Criterion, columns: readonly DeclaredColumn[]): string {
  const { column } = one;
  if (one.missing !== undefined) return `${column} ${one.missing === true ? "is" : "is not"} missing`;
  if (one.in !== undefined) return `${column} is ${textsOf(one.in).join(" or ")}`;
  const { unit = "" } = columns.find(({ name }) => name === column) ?? {};
  const suffix = unit === "" ? "" : ` ${unit}`;
  return [
    ...(one.atLeast === undefined ? [] : [`${column} is at least ${textOf(one.atLeast)}${suffix}`]),
    ...(one.below === undefined ? [] : [`${column} is below ${textOf(one.below)}${suffix}`]),
  ].join(" and ");
}
