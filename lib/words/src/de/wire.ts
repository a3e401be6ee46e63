import type { Words } from "../said.js";
import type { WireSays } from "../says/wire.js";

export const wire: Words<WireSays> = {
  "wire.column-name": ({ table, column, name }, { number }) =>
    `Tabelle ${table}: der Name der Spalte ${number(column)}, ${name}, enthält ein Zeichen, das nicht gesendet werden kann; der Aggregator erfährt nichts von dieser Tabelle`,
  "wire.table": ({ table }) =>
    `Tabelle ${table}: ein Name oder ein Typ ist zu lang, um gesendet zu werden; der Aggregator erfährt nichts von dieser Tabelle`,
  "wire.table-room": ({ table, columns, maxBytes }, { count }) =>
    `Tabelle ${table}: die Namen ihrer ${count(columns, "Spalte", "Spalten")} passen nicht in die ${count(maxBytes, "Byte", "Bytes")} einer Nachricht; der Aggregator erfährt nichts von dieser Tabelle`,
  "wire.invitation": () =>
    "die Software dieses Standorts kann die Einladung des Aggregators nicht lesen; ihr Log nennt das Feld",
  "wire.questions": ({ max }, { count }) =>
    `ein Krankenhaus stellt höchstens ${count(max, "Frage", "Fragen")} zu einer Studie`,
};
