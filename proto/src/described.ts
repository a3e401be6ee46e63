import * as limits from "@consilium/core/limits";
import { fieldFault, listOf, textOf } from "./fields.js";
import { type GreetedTable, greetedBytes, greetedTable } from "./hello.js";

/** A table of a greeting of a hospital that tells what its people wrote of it; each member may be missing. */
export interface DescribedTable extends GreetedTable {
  readonly columns: readonly DescribedColumn[];
  /** Left of its records' budget; null or missing where it has no limit. */
  readonly budget?: { readonly epsilon: number; readonly delta: number } | null;
}

type DescribedColumn = GreetedTable["columns"][number] & {
  readonly unit?: string;
  readonly bounds?: { readonly min: number; readonly max: number } | null;
  readonly levels?: readonly string[];
};

/**
 * A table of a greeting, as the aggregator takes it; the site asks the same where it tells more than names and types.
 * @returns of a column no key for what is not told
 * @throws ConsiliumError FIELD_INVALID with the column's place, never its name
 */
export function describedTable(table: DescribedTable) {
  const { name, columns } = greetedTable(table);
  const at = (i: number) => `hello.tables.${name}.columns.${i + 1}`;
  const { budget } = table;
  return {
    name,
    columns: columns.map((column, i) => ({ ...column, ...described(table.columns[i]!, at(i)) })),
    budget:
      budget == null
        ? null
        : {
            epsilon: numberOf(budget.epsilon, "hello.tables.budget", 0),
            delta: numberOf(budget.delta, "hello.tables.budget", 0),
          },
  };
}

function described({ unit = "", bounds, levels = [] }: DescribedColumn, at: string) {
  const texts = listOf(levels, `${at}.levels`, limits.maxLevels, (level) =>
    textOf(level, `${at}.levels`, limits.maxNameBytes),
  );
  return {
    ...(unit !== "" && { unit: textOf(unit, `${at}.unit`, limits.maxNameBytes) }),
    ...(bounds != null && {
      bounds: { min: numberOf(bounds.min, `${at}.bounds`), max: numberOf(bounds.max, `${at}.bounds`) },
    }),
    ...(texts.length > 0 && { levels: texts }),
  };
}

/** A finite number. */
export function numberOf(value: number, field: string, least = Number.NEGATIVE_INFINITY): number {
  if (Number.isFinite(value) && value >= least) return value;
  throw fieldFault(field, "not a number that it may be");
}

/** Bytes of a text's tag and length, or of a message of two numbers, at most. */
const textFraming = 6;
const numbersBytes = 6 + 2 * 9;

/** Bytes that such a table takes in a greeting, at most. */
export function describedBytes(table: DescribedTable): number {
  const ofColumns = table.columns.map(({ unit = "", levels = [] }) => {
    const texts = [unit, ...levels].map((text) => textFraming + Buffer.byteLength(text));
    return texts.reduce((sum, bytes) => sum + bytes, numbersBytes);
  });
  return ofColumns.reduce((sum, bytes) => sum + bytes, greetedBytes(table) + numbersBytes);
}
