import type { Words } from "@consilium/words/said";
import type { DescribeSays } from "../says.js";

export const de: Words<DescribeSays> = {
  "describe.sent": ({ units, columns, more, label, numbers, tables, moreTables }, { say, names }) =>
    `wie viele ${say(units)} es für jeden Wert oder jedes Intervall von ${names(columns, more)} gibt${label === null ? "" : `, nach ${label}`}${numbers === 0 ? "" : ", und von jeder Zahl ihre Summe, ihre Quadratsumme und ihre Verteilung"}${tables.length === 0 ? "" : `, und für jede Kombination von ${names(tables, moreTables)}`}`,
  "describe.pair": ({ first, second }) => `${first} mit ${second}`,
  "describe.many-edges": ({ column, edges, most }, { number }) =>
    `die Zahlenspalte „${column}“ hat ${number(edges)} Grenzen, erlaubt sind höchstens ${number(most)}; erklären Sie weniger`,
  "describe.many-numbers": ({ numbers, most }, { number }) =>
    `die Studie fragt nach mindestens ${number(numbers)} Zahlen, die für die Quartile jeder Gruppe eingeschlossen, erlaubt sind höchstens ${number(most)}; erklären Sie weniger Ausprägungen des Labels oder weniger Zahlenspalten`,
  "describe.numbers": () =>
    "Mittelwerte und Standardabweichungen stammen aus Summen der Werte und ihrer Quadrate, Quartile aus Anzahlen in Zellen von je höchstens 1/256 des Bereichs, ganze Zahlen in eigenen Zellen, wo der Bereich wenige davon hat. Eine Standardabweichung steht nur da, wo ihr halbes Intervall unter einem Viertel von ihr bleibt. Werte außerhalb der erklärten Grenzen zählen als die nähere Grenze.",
  "describe.lost": ({ expected, tables, more, factor }, { say, number, names }) =>
    `${say(expected)} verdeckt das Rauschen die meisten Anzahlen von ${names(tables, more)}; deklarieren Sie weniger Klassen, Ausprägungen, Gruppen oder Spalten, oder erhöhen Sie epsilon etwa auf das ${number(factor)}-fache`,
  "describe.lost-table": ({ columns, counts, each, units, within }, { say, number }) =>
    `${columns.join(" mit ")} (${number(counts)} Anzahlen von im Mittel ${number(each)} ${say(units)}, ±${number(within)})`,
  "describe.many-counts": ({ counts, max }) =>
    `die Studie hat insgesamt ${counts} Zählungen, erlaubt sind höchstens ${max}; deklarieren Sie weniger Klassen oder Ausprägungen, oder lassen Sie Kreuztabellen weg`,
  "describe.label-counted": ({ column }) =>
    `„${column}“ ist die Zielgröße: jede Spalte wird schon nach ihr gezählt; entfernen Sie das Paar`,
  "describe.one-column": () => "eine Kreuztabelle braucht zwei verschiedene Spalten",
  "describe.table-twice": ({ table }) =>
    `dieselben zwei Spalten stehen schon unter parameters.tables[${table}]`,
};
