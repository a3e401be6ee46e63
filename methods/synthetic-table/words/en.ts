import type { Words } from "@consilium/words/said";
import type { SyntheticTableSays } from "../says.js";

export const en: Words<SyntheticTableSays> = {
  "synthetic-table.sent-pairs": ({ units, coarse, columns, more }, { say, names }) =>
    `how many ${say(units)} there are for each combination of two columns' values or intervals, at most ${coarse} of each, for all pairs of ${names(columns, more)}`,
  "synthetic-table.sent-tables": ({ units, columns, more, chosen }, { say, names }) =>
    `how many ${say(units)} there are for each value or interval of ${names(columns, more)}, and for each combination of a column's with those of ${chosen === 0 ? "the other one" : "one other column, which the first sum chose"}`,
  "synthetic-table.lost-pairs": ({ expected, tables, factor }, { say }) =>
    `${say(expected)} the noise hides most counts of the ${tables} coarse tables, so that the tree would be little better than chance; declare fewer columns, lower parameters.coarse, or raise epsilon about ${factor}-fold`,
  "synthetic-table.lost": ({ expected, tables, more, factor }, { say, names }) =>
    `${say(expected)} the noise hides most counts of a table of another column with ${names(tables, more)}; declare fewer intervals, levels or columns, or raise epsilon about ${factor}-fold`,
  "synthetic-table.lost-table": ({ column, counts, each, units, within }, { say }) =>
    `${column} (about ${counts} counts of ${each} ${say(units)} on average, ±${within})`,
};
