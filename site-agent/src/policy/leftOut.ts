import { ConsiliumError } from "@consilium/core/errors";
import { faults } from "@consilium/core/fault";
import { maxMessageBytes } from "@consilium/core/limits";
import { nameOf } from "@consilium/core/said";
import { isStorableText, quoted } from "@consilium/core/text";
import { type GreetedTable, greetedBytes, greetedTable } from "@consilium/proto/hello";
import type { WireSays } from "@consilium/words/says/wire";

const said = faults<WireSays>();

/** A table of which the aggregator is told nothing, for its names cannot travel. */
export interface LeftOut {
  readonly table: string;
  /** With the name that is at fault, escaped: for this hospital's eyes. */
  readonly fault: ConsiliumError;
  /** The same without any name. */
  readonly reason: string;
}

/** What the rest of a greeting takes, at most. */
const besidesBytes = 2_048;

/** The aggregator's: which table it takes, and of how many bytes. */
interface Rules<T> {
  readonly take: (table: T) => unknown;
  readonly bytesOf: (table: T) => number;
}

/** Holds tables against the aggregator's own rules: one table that it would refuse must not keep the whole site from greeting. */
export function takenTables<T extends GreetedTable>(
  tables: readonly T[],
  rules: Rules<T> = { take: greetedTable, bytesOf: greetedBytes },
): { readonly taken: T[]; readonly leftOut: LeftOut[] } {
  const taken: T[] = [];
  const leftOut: LeftOut[] = [];
  let bytes = besidesBytes;
  for (const table of tables) {
    const fault = faultOf(table, rules) ?? roomFault(table, bytes + rules.bytesOf(table));
    if (fault !== null) leftOut.push(fault);
    else {
      taken.push(table);
      bytes += rules.bytesOf(table);
    }
  }
  return { taken, leftOut };
}

function faultOf<T extends GreetedTable>(table: T, { take }: Rules<T>): LeftOut | null {
  try {
    take(table);
    return null;
  } catch (thrown) {
    if (!(thrown instanceof ConsiliumError)) throw thrown;
    const name = nameOf(table.name);
    const at = table.columns.findIndex((column) => !isStorableText(column.name));
    const fault =
      at === -1
        ? said("TABLE_LEFT_OUT", "wire.table", { table: name })
        : said("TABLE_LEFT_OUT", "wire.column-name", {
            table: name,
            column: at + 1,
            name: nameOf(quoted(table.columns[at]!.name)),
          });
    return { table: table.name, fault, reason: thrown.message };
  }
}

/** @param bytes - of the greeting with it */
function roomFault(table: GreetedTable, bytes: number): LeftOut | null {
  if (bytes <= maxMessageBytes) return null;
  const columns = table.columns.length;
  const params = { table: nameOf(table.name), columns, maxBytes: maxMessageBytes };
  const fault = said("TABLE_LEFT_OUT", "wire.table-room", params);
  return {
    table: table.name,
    fault,
    reason: `no room for ${columns} columns in a message of ${maxMessageBytes} bytes`,
  };
}
