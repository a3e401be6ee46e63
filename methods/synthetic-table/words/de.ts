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
  "synthetic-table.many-counts": ({ counts, max, pairs }) =>
    `eine Summe hätte ${counts} Zählungen, erlaubt sind höchstens ${max}; deklarieren Sie weniger Spalten, oder ${pairs === 1 ? "senken Sie parameters.coarse" : "weniger Intervalle oder Ausprägungen der Spalte, die die meisten hat"}`,
  "synthetic-table.one-column": () =>
    "1 Spalte; deklarieren Sie mindestens 2: Zeilen werden nach Paaren von Spalten gezogen",
  "synthetic-table.label": ({ label }) =>
    `eine Zielgröße (label) gibt es hier nicht: entfernen Sie sie, und deklarieren Sie „${label}“ unter features, wo sie wie die anderen gezogen wird`,
  "synthetic-table.no-decimals": ({ column }) =>
    `die Spalte „${column}“ hat Ausprägungen und keine Nachkommastellen; entfernen Sie sie hier`,
  "synthetic-table.listed": ({ column }) =>
    `die Spalte „${column}“ steht schon da; entfernen Sie einen Eintrag`,
  "synthetic-table.bounds": ({ column, decimals }) =>
    `die Grenzen der Spalte „${column}“ sind für ${decimals} Nachkommastellen zu groß; verwenden Sie weniger, oder lassen Sie sie weg`,
  "synthetic-table.no-number": ({ decimals, interval, column }) =>
    `im Intervall ${interval} der Spalte „${column}“ liegt keine Zahl mit ${decimals} Nachkommastellen; erlauben Sie mehr, oder deklarieren Sie andere Klassengrenzen`,
};
