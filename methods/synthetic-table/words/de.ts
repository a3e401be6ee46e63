import type { Words } from "@consilium/words/said";
import type { SyntheticTableSays } from "../says.js";

export const de: Words<SyntheticTableSays> = {
  "synthetic-table.sent-pairs": ({ units, coarse, columns, more }, { say, number, names }) =>
    `wie viele ${say(units)} es für jede Kombination der Werte oder Intervalle zweier Spalten gibt, je höchstens ${number(coarse)}, für alle Paare von ${names(columns, more)}`,
  "synthetic-table.sent-tables": ({ units, columns, more, chosen }, { say, names }) =>
    `wie viele ${say(units)} es für jeden Wert oder jedes Intervall von ${names(columns, more)} gibt, und für jede Kombination einer Spalte mit ${chosen === 0 ? "der anderen" : "einer anderen, die die erste Summe ausgewählt hat"}`,
  "synthetic-table.lost-pairs": ({ expected, tables, factor }, { say, number }) =>
    `${say(expected)} verdeckt das Rauschen die meisten Anzahlen der ${number(tables)} groben Tabellen, sodass der Baum kaum besser wäre als Zufall; deklarieren Sie weniger Spalten, verringern Sie parameters.coarse, oder erhöhen Sie epsilon etwa auf das ${number(factor)}-fache`,
  "synthetic-table.lost": ({ expected, tables, more, factor }, { say, number, names }) =>
    `${say(expected)} verdeckt das Rauschen die meisten Anzahlen einer Tabelle einer anderen Spalte mit ${names(tables, more)}; deklarieren Sie weniger Intervalle, Ausprägungen oder Spalten, oder erhöhen Sie epsilon etwa auf das ${number(factor)}-fache`,
  "synthetic-table.lost-table": ({ column, counts, each, units, within }, { say, number }) =>
    `${column} (etwa ${number(counts)} Anzahlen von im Mittel ${number(each)} ${say(units)}, ±${number(within)})`,
};
