import type { Words } from "@consilium/words/said";
import type { SyntheticTableSays } from "../says.js";

export const en: Words<SyntheticTableSays> = {
  "synthetic-table.sent-pairs": ({ units, coarse, columns, more }, { say, names }) =>
    `how many ${say(units)} there are for each combination of two columns' values or intervals, at most ${coarse} of each, for all pairs of ${names(columns, more)}`,
  "synthetic-table.sent-tables": ({ units, columns, more, chosen }, { say, names }) =>
    `how many ${say(units)} there are for each value or interval of ${names(columns, more)}, and for each combination of a column's with those of ${chosen === 0 ? "the other one" : "one other column, which the first sum chose"}`,
};
