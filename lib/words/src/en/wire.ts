import type { Words } from "../said.js";
import type { WireSays } from "../says/wire.js";

export const wire: Words<WireSays> = {
  "wire.column-name": ({ table, column, name }, { number }) =>
    `table ${table}: the name of column ${number(column)}, ${name}, holds a character that cannot be sent; the aggregator is told nothing of this table`,
  "wire.table": ({ table }) =>
    `table ${table}: a name or a type is too long to be sent; the aggregator is told nothing of this table`,
  "wire.table-room": ({ table, columns, maxBytes }, { count }) =>
    `table ${table}: the names of its ${count(columns, "column")} do not fit into the ${count(maxBytes, "byte")} of a message; the aggregator is told nothing of this table`,
  "wire.invitation": () =>
    "this site's software cannot read the aggregator's invitation; its log names the field",
  "wire.questions": ({ max }, { count }) => `a hospital asks at most ${count(max, "question")} about a study`,
};
