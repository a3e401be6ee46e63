import { t } from "../../../shared/language";
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
  if (all.length === 0) return t("every record");
  return all.map((one) => criterionText(one, columns)).join(t(", and "));
}

function criterionText(one: Criterion, columns: readonly DeclaredColumn[]): string {
  const { column } = one;
  if (one.missing !== undefined)
    return one.missing === true
      ? t("{column} is missing", { column })
      : t("{column} is not missing", { column });
  if (one.in !== undefined)
    return t("{column} is {values}", { column, values: textsOf(one.in).join(t(" or ")) });
  const { unit = "" } = columns.find(({ name }) => name === column) ?? {};
  const suffix = unit === "" ? "" : ` ${unit}`;
  return [
    ...(one.atLeast === undefined
      ? []
      : [t("{column} is at least {value}", { column, value: `${textOf(one.atLeast)}${suffix}` })]),
    ...(one.below === undefined
      ? []
      : [t("{column} is below {value}", { column, value: `${textOf(one.below)}${suffix}` })]),
  ].join(t(" and "));
}
