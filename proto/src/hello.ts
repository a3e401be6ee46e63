import * as limits from "@consilium/core/limits";
import { listOf, textOf } from "./fields.js";

/** A table as a greeting has it. */
export interface GreetedTable {
  readonly name: string;
  readonly columns: readonly { readonly name: string; readonly type: string }[];
}

/**
 * A table of a greeting, as the aggregator takes it. The site asks the same before it greets, and leaves out what is not taken.
 * @throws ConsiliumError FIELD_INVALID with the column's place, never its name
 */
export function greetedTable(table: GreetedTable): GreetedTable {
  const name = textOf(table.name, "hello.tables.name", limits.maxNameBytes);
  const at = `hello.tables.${name}.columns`;
  const columns = listOf(table.columns, at, limits.maxColumnsPerTable, (column) => column);
  return {
    name,
    columns: columns.map((column, i) => ({
      name: textOf(column.name, `${at}.${i + 1}.name`, limits.maxNameBytes),
      type: textOf(column.type, `${at}.${i + 1}.type`, limits.maxCodeBytes),
    })),
  };
}

/** Bytes of a string's or a message's tag and length, at most. */
const framing = 6;

/** Bytes that a table takes in a greeting, at most. */
export function greetedBytes({ name, columns }: GreetedTable): number {
  const ofColumns = columns.reduce(
    (sum, column) => sum + 3 * framing + Buffer.byteLength(column.name) + Buffer.byteLength(column.type),
    0,
  );
  return 2 * framing + Buffer.byteLength(name) + ofColumns;
}
