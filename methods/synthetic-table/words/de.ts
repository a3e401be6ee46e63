import type { Words } from "@consilium/words/said";
import type { SyntheticTableSays } from "../says.js";

export const de: Words<SyntheticTableSays> = {
  "synthetic-table.sent-pairs": ({ units, coarse, columns, more }, { say, number, names }) =>
    `wie viele ${say(units)} es für jede Kombination der Werte oder Intervalle zweier Spalten gibt, je höchstens ${number(coarse)}, für alle Paare von ${names(columns, more)}`,
  "synthetic-table.sent-tables": ({ units, columns, more, chosen }, { say, names }) =>
    `wie viele ${say(units)} es für jeden Wert oder jedes Intervall von ${names(columns, more)} gibt, und für jede Kombination einer Spalte mit ${chosen === 0 ? "der anderen" : "einer anderen, die die erste Summe ausgewählt hat"}`,
};
