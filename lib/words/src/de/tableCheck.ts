import type { Words } from "../said.js";
import type { TableCheckSays } from "../says/tableCheck.js";

const rowsOf = (rows: number, one: string, many: string) => (rows === 1 ? one : many);

const delimiter = (text: string) => (text === "\t" ? "einen Tabulator" : `„${text}“`);

export const tableCheck: Words<TableCheckSays> = {
  "check.delimiter": ({ found, stated }) =>
    `Felder sind durch ${delimiter(found)} getrennt, nicht durch ${delimiter(stated)}: csv.delimiter setzen.`,
  "check.sep-line": () =>
    "Die erste Zeile ist Excels `sep=` und keine Kopfzeile: mit csv.skipRows: 1 überspringen.",
  "check.encoding": ({ found, stated }) => `Der Text ist ${found}, nicht ${stated}: csv.encoding setzen.`,
  "check.decimal-comma": () => "Zahlen haben ein Dezimalkomma: csv.decimal setzen.",
  "check.same-names": ({ first, second }, { number }) =>
    `Die Spalten ${number(first)} und ${number(second)} heißen gleich: eine im Export umbenennen.`,
  "check.first-record": () =>
    "Die erste Zeile scheint ein Datensatz zu sein: csv.header: false setzen, und die Namen der Spalten in csv.names.",
  "check.ragged": ({ rows, all, row, fields, width }, { number, count }) =>
    `${number(rows)} von den ersten ${count(all, "Zeile", "Zeilen")} haben eine andere Zahl von Feldern: Zeile ${number(row)} hat ${number(fields)}, die erste ${number(width)}. Felder, die das Trennzeichen oder einen Zeilenumbruch enthalten, brauchen Anführungszeichen.`,
  "check.fields": ({ rows, line }, { number, count }) =>
    `${count(rows, "Zeile hat", "Zeilen haben")} mehr oder weniger Felder als die Kopfzeile und ${rowsOf(rows, "fällt", "fallen")} weg, zuerst in Zeile ${number(line)}. Enthalten Felder das Trennzeichen, brauchen sie Anführungszeichen: csv.quote, csv.escape und csv.delimiter prüfen.`,
  "check.cut": ({ line }, { number }) =>
    `Die letzte Zeile, ${number(line)}, bricht ab: Die Datei ist womöglich abgeschnitten. Neu exportieren und die Zahl der Zeilen vergleichen.`,
  "check.quote": ({ rows, line }, { number, count }) =>
    `${count(rows, "Zeile öffnet", "Zeilen öffnen")} ein Anführungszeichen, das in der Zeile nicht schließt, und ${rowsOf(rows, "fällt", "fallen")} weg, zuerst in Zeile ${number(line)}. Gehen Felder über Zeilen, csv.multiline auf deren größte Zahl setzen; bedeutet das Zeichen nichts, csv.quote: none.`,
  "check.behind-quote": ({ rows, line }, { number, count }) =>
    `${count(rows, "Zeile hat", "Zeilen haben")} Text hinter einem schließenden Anführungszeichen und ${rowsOf(rows, "fällt", "fallen")} weg, zuerst in Zeile ${number(line)}. Steht in Feldern ein umgekehrter Schrägstrich vor Anführungszeichen, csv.escape: "\\\\" setzen.`,
  "check.long": ({ rows, line }, { number, count }) =>
    `${count(rows, "Zeile ist", "Zeilen sind")} länger als 16 MiB und ${rowsOf(rows, "fällt", "fallen")} weg, zuerst in Zeile ${number(line)}. Ein Anführungszeichen, das nie schließt, bewirkt das: csv.quote: none, wenn die Zeichen nichts bedeuten.`,
  "check.no-object": ({ rows, line }, { number, count }) =>
    `${count(rows, "Zeile ist kein JSON-Objekt", "Zeilen sind keine JSON-Objekte")} und ${rowsOf(rows, "fällt", "fallen")} weg, zuerst Zeile ${number(line)}.`,
  "check.line-ends": ({ lf, crlf, cr }, { number }) =>
    `Zeilen enden auf mehr als eine Weise (LF ${number(lf)}, CRLF ${number(crlf)}, CR ${number(cr)}). Alle werden verstanden; eine Datei, die aus mehreren zusammengesetzt ist, verdient einen Blick.`,
  "check.texts-among-numbers": ({ column, cells, all }, { number, count }) =>
    `${column}: ${number(cells)} von ${count(all, "Zelle", "Zellen")} enthalten einen Text, die übrigen eine Zahl. Studien lassen ihre Zeilen weg, solange der Eintrag der Tabelle nicht sagt, was der Text bedeutet.`,
  "check.known-missing": ({ column, cells, all, spelling }, { number, count }) =>
    `${column}: ${number(cells)} von ${count(all, "Zelle", "Zellen")} enthalten ${spelling}. Steht es für einen fehlenden Wert, sollte der Eintrag das sagen.`,
  "check.below-detection": ({ column, cells, all }, { number, count }) =>
    `${column}: ${number(cells)} von ${count(all, "Zelle", "Zellen")} beginnen mit „<“, wie Werte unter der Nachweisgrenze. Sagt der Eintrag das nicht, lassen Studien diese Zeilen weg, und was bleibt, liegt im Mittel zu hoch.`,
  "check.no-characters": ({ column, cells }, { count }) =>
    `${column}: ${count(cells, "Zelle enthält", "Zellen enthalten")} Bytes, die in der angegebenen Kodierung keine Zeichen sind. Stimmt csv.encoding, und ist der Export vollständig?`,
  "check.midnights": ({ column }) =>
    `${column}: Alle Zeiten liegen auf denselben ein oder zwei vollen Stunden, wie Mitternacht einer anderen Zeitzone. Sind Tage gemeint, timeZone der Tabelle angeben, etwa Europe/Berlin.`,
  "check.left-out": ({ rows, columns }, { count, list }) =>
    `${count(rows, "Zeile", "Zeilen")} mit einer Zelle, die nicht gelesen werden kann, ${rowsOf(rows, "ist keine zufällige: Sie unterscheidet", "sind keine zufälligen: Sie unterscheiden")} sich von den übrigen in ${list(columns)}. Ohne sie bleiben andere Patienten, als die Tabelle hat.`,
  "check.dates": ({ column, format }) =>
    `${column} enthält Daten in der Schreibweise ${format}: Der Eintrag sollte das sagen.`,
  "check.dates-open": ({ column, formats }, { list }) =>
    `${column} enthält Daten, deren Schreibweise ${list(formats)} sein kann: unter columns mit dem Schlüssel date angeben, welche es ist.`,
  "check.least-apart": ({ column, cells, all }, { number, count }) =>
    `${column}: Die kleinste Zahl steht weit vor allen anderen, in ${number(cells)} von ${count(all, "Zelle", "Zellen")}. Steht sie für einen fehlenden Wert, gehört sie unter missing der Spalte.`,
  "check.greatest-apart": ({ column, cells, all }, { number, count }) =>
    `${column}: Die größte Zahl steht weit hinter allen anderen, in ${number(cells)} von ${count(all, "Zelle", "Zellen")}. Steht sie für einen fehlenden Wert, gehört sie unter missing der Spalte.`,
};
