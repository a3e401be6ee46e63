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
  "synthetic-table.many-counts": ({ counts, max, pairs }) =>
    `a sum would have ${counts} counts, at most ${max} are allowed; declare fewer columns, or ${pairs === 1 ? "lower parameters.coarse" : "fewer intervals or levels of the column that has the most"}`,
  "synthetic-table.one-column": () => "1 column; declare at least 2: rows are drawn by pairs of columns",
  "synthetic-table.label": ({ label }) =>
    `no column is a label here: remove it, and declare "${label}" in features, where it is drawn like the others`,
  "synthetic-table.no-decimals": ({ column }) =>
    `column "${column}" has levels, and no decimals; remove it here`,
  "synthetic-table.listed": ({ column }) => `column "${column}" is listed already; remove one`,
  "synthetic-table.bounds": ({ column, decimals }) =>
    `column "${column}" has bounds too large for ${decimals} decimals; use fewer, or none of these`,
  "synthetic-table.no-number": ({ decimals, interval, column }) =>
    `no number with ${decimals} decimals lies in the interval ${interval} of column "${column}"; allow more decimals, or declare other edges`,
};
