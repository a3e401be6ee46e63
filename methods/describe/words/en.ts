import type { Words } from "@consilium/words/said";
import type { DescribeSays } from "../says.js";

export const en: Words<DescribeSays> = {
  "describe.sent": ({ units, columns, more, label, numbers, tables, moreTables }, { say, names }) =>
    `how many ${say(units)} there are for each value or interval of ${names(columns, more)}${label === null ? "" : `, by ${label}`}${numbers === 0 ? "" : ", and of each number its sum, its sum of squares and its distribution"}${tables.length === 0 ? "" : `, and for each combination of ${names(tables, moreTables)}`}`,
  "describe.pair": ({ first, second }) => `${first} with ${second}`,
  "describe.many-edges": ({ column, edges, most }, { number }) =>
    `numeric column "${column}" has ${number(edges)} edges, at most ${number(most)} are allowed; declare fewer`,
  "describe.many-numbers": ({ numbers, most }, { number }) =>
    `the study asks for at least ${number(numbers)} numbers, those for the quartiles of each group among them, at most ${number(most)} are allowed; declare fewer levels of the label or fewer numeric columns`,
  "describe.numbers": () =>
    "Means and standard deviations are from sums of the values and of their squares, and quartiles from counts in cells of at most 1/256 of the range each, whole numbers in cells of their own where the range has few of them. A standard deviation is told only where half of its interval is below a quarter of it. Values outside the declared bounds count as the nearer bound.",
  "describe.lost": ({ expected, tables, more, factor }, { say, names }) =>
    `${say(expected)} the noise hides most counts of ${names(tables, more)}; declare fewer bins, levels, groups or columns, or raise epsilon about ${factor}-fold`,
  "describe.lost-table": ({ columns, counts, each, units, within }, { say }) =>
    `${columns.join(" with ")} (${counts} counts of ${each} ${say(units)} on average, ±${within})`,
  "describe.many-counts": ({ counts, max }) =>
    `the study has ${counts} counts in all, at most ${max} are allowed; declare fewer bins or levels, or leave out two-way tables`,
  "describe.label-counted": ({ column }) =>
    `"${column}" is the label: every column is counted by it already; remove the pair`,
  "describe.one-column": () => "a two-way table needs two different columns",
  "describe.table-twice": ({ table }) => `the same two columns are at parameters.tables[${table}] already`,
};
