import { at } from "../at.js";
import type { Words } from "../said.js";
import type { SourceSays } from "../says/sources.js";

const names = (all: readonly string[]) => all.map((name) => `„${name}“`).join(", ");
const coded = (code: string | null) => (code === null ? "" : ` (${code})`);
const listed = (endings: readonly string[]) => coded(endings.length === 0 ? null : endings.join(", "));

const line =
  (fault: string): Words<SourceSays>["line.cut"] =>
  ({ place, line }, { say, number }) =>
    `${say(place)}: ${line === null ? "Die erste Zeile" : `Zeile ${number(line)}`} ${fault}`;

const cell =
  (fault: string): Words<SourceSays>["cell.no-number"] =>
  ({ place, column, row, same, others }, { say, number, count }) => {
    const counts = [
      ...(same > 1 ? [`${number(same)} solche Werte in dieser Spalte`] : []),
      ...(others > 0 ? [`${count(others, "weiterer", "weitere")} Fehler in der Tabelle`] : []),
    ];
    const more = counts.length > 0 ? ` (${counts.join(", ")}; \`consilium site profile\` zeigt sie)` : "";
    return `${say(place)}, Spalte „${column}“, Zeile ${number(row)}: ${fault}${more}`;
  };

export const sources: Words<SourceSays> = {
  "place.table": ({ table }) => `Tabelle „${table}“`,
  "place.file": ({ table, file }) => `Tabelle „${table}“, Datei „${file}“`,
  "place.column": ({ place, column }, { say }) => `${say(place)}, Spalte „${column}“`,
  "place.cdm": ({ table, cdm }) => `Tabelle „${table}“, OMOP-Tabelle ${cdm}`,

  "source.system-code": ({ place, code }, { say }) => `${say(place)}: ${code}`,
  "source.unexpected": ({ place, what }, { say }) =>
    `${say(place)}: Beim Lesen trat ein unerwarteter Fehler auf: ${what}`,
  "source.duckdb-interface": at("Die Schnittstelle von DuckDB ist nicht die erwartete"),
  "source.memory": ({ place, megabytes }, { say, number }) =>
    `${say(place)}: Das Lesen braucht mehr als ${number(megabytes)} MB`,
  "source.more-memory": () =>
    "erhöhen Sie die Speichergrenze des Standorts zum Lesen, oder schreiben Sie die Tabelle in kleineren Zeilengruppen",
  "source.foreign-text": at("Text, der kein UTF-8 ist"),
  "source.write-utf8": () => "schreiben Sie die Datei neu, mit ihrem Text in UTF-8",
  "source.not-opened": at("Die Datei lässt sich nicht öffnen oder lesen"),
  "source.format": ({ place, kind }, { say }) =>
    `${say(place)}: Die Datei ist in ihrem Format nicht lesbar${kind === null ? "" : ` (Fehler „${kind}“)`}`,
  "source.end-missing": at("Die Datei ist unvollständig: Ihr Ende fehlt"),
  "source.checksum": at("Die Datei ist unvollständig: Ihre Prüfsumme ist falsch"),
  "source.copy-whole": () =>
    "kopieren Sie die Datei neu, und legen Sie sie erst an ihren Platz, wenn sie vollständig ist",
  "source.not-packed": at("Die Datei ist nicht mit gzip gepackt"),
  "source.unreadable": ({ place, code }, { say }) => `${say(place)}: Die Datei ist nicht lesbar (${code})`,
  "source.empty": at("Die Datei ist leer"),
  "source.one-empty": at("Eine Datei ist leer"),

  "file.code": ({ place, code, path }, { say }) =>
    `${say(place)}: ${code ?? "unbekannter Fehler"} bei ${path}`,
  "file.none": ({ place, path }, { say }) =>
    `${say(place)}: Diese Datei oder diesen Ordner gibt es nicht: ${path}`,
  "file.neither": ({ place, path }, { say }) => `${say(place)}: Das ist weder Datei noch Ordner: ${path}`,
  "file.empty-folder": ({ place, path, endings }, { say }) =>
    `${say(place)}: Der Ordner enthält keine Datendatei${listed(endings)}: ${path}`,
  "file.no-match": ({ place, path, endings }, { say }) =>
    `${say(place)}: Keine Datei passt zum Muster${listed(endings)}: ${path}`,
  "file.many": ({ place, path, most }, { say, number }) =>
    `${say(place)}: Es sind mehr als ${number(most)} Dateien: ${path}`,
  "file.replaced": at("Eine Datei wurde beim Lesen ersetzt"),
  "file.move-here": () =>
    "schreiben Sie Dateien anderswo, und verschieben Sie sie hierher, während keine Studie sie liest",
  "file.gone": ({ place, path }, { say }) =>
    `${say(place)}: Ein Link führt ins Leere, oder eine Datei ist verschwunden: ${path}`,
  "file.mount": () => "binden Sie ein, wohin er führt, oder entfernen Sie ihn aus dem Ordner der Tabelle",
  "file.no-format": ({ place, file }, { say }) => `${say(place)}: Die Endung von „${file}“ nennt kein Format`,
  "file.set-format": ({ formats }) => `setzen Sie format der Tabelle: ${formats.join(", ")}`,
  "file.formats": ({ place, formats }, { say }) =>
    `${say(place)}: Die Dateien haben mehrere Formate: ${formats.join(", ")}`,
  "file.choose-format": () => "setzen Sie format der Tabelle auf das gemeinte",

  "line.fields": line("hat mehr oder weniger Felder als die Kopfzeile"),
  "line.cut": line("bricht am Ende der Datei ab"),
  "line.quote": line("öffnet ein Anführungszeichen und schließt es nicht"),
  "line.behind-quote": line("hat Text hinter einem schließenden Anführungszeichen"),
  "line.long": line("ist länger als 16 MiB"),
  "line.no-object": line("ist kein JSON-Objekt"),
  "line.write-objects": () => "schreiben Sie ein JSON-Objekt je Zeile",
  "line.correct": () =>
    "berichtigen Sie diese Zeile oder die csv-Schlüssel der Tabelle in der Konfiguration des Standorts",
  "line.correct-header": () =>
    "berichtigen Sie die Kopfzeile oder die csv-Schlüssel der Tabelle in der Konfiguration des Standorts",
  "header.empty": at("Die erste Zeile enthält keine Spaltennamen"),
  "header.begin-with": () =>
    "beginnen Sie die Datei mit ihrer Kopfzeile, oder setzen Sie csv.header: false und csv.names",
  "header.numbers": at("Die erste Zeile enthält Zahlen, wo Namen stehen müssten"),
  "header.say-which": () =>
    "setzen Sie csv.header: false und csv.names, wenn sie ein Datensatz ist, csv.header: true, wenn die Namen Zahlen sind",

  "cell.no-number": cell("keine Zahl, wo eine deklariert ist"),
  "cell.not-finite": cell("NaN oder unendlich, wo eine endliche Zahl deklariert ist"),
  "cell.undeclared": cell("keine der deklarierten Ausprägungen"),

  "columns.missing": ({ place, columns, more, of }, { say, number }) => {
    const all = [...columns.map(say), ...(more > 0 ? [`${number(more)} weitere`] : [])];
    return `${say(place)}: Unter ihren ${number(of)} Spalten fehlt ${all.join(", ")}`;
  },
  "columns.no": ({ column, nearest }) =>
    `„${column}“${nearest.length > 0 ? ` (ähnlich: ${names(nearest)})` : ""}`,
  "columns.check-header": () =>
    "berichtigen Sie die Namen der Spalten; prüfen Sie bei einer CSV-Datei csv.delimiter und, wo Zeilen wie sep= vor der Kopfzeile stehen, csv.skipRows; ohne Kopfzeile setzen Sie csv.header: false und csv.names",
  "columns.same-name": ({ place, column, columns }, { say, number }) =>
    `${say(place)}: ${number(columns)} Spalten heißen „${column}“`,
  "columns.type": ({ place, column, type, declared }, { say }) =>
    `${say(place)}, Spalte „${column}“, ab Zeile 1: Die Datei hat den Typ ${type}, deklariert ist ${say(declared)}`,
  "columns.number": () => "eine Zahl",
  "columns.level": () => "eine Kategorie",
  "columns.date": () => "ein Datum",
  "columns.order": () => "eine Reihenfolge der Zeilen eines Patienten",
  "columns.name-order": () =>
    "nennen Sie in unit.patient.orderBy eine Spalte mit Zahlen, Daten oder Zeiten, oder entfernen Sie es",
  "columns.declare-categorical": () =>
    "deklarieren Sie die Spalte als kategorial, oder exportieren Sie sie als Zahl",
  "columns.leave-out": () => "lassen Sie die Spalte weg, oder exportieren Sie sie als Zahl oder Text",
  "columns.level-blank": ({ column, level }, { number }) =>
    `Spalte „${column}“: Die Ausprägung ${number(level)} ist leer`,
  "columns.level-alike": ({ column, level }, { number }) =>
    `Spalte „${column}“: Die Ausprägung ${number(level)} sieht wie eine andere aus`,

  "rows.many": ({ place, most }, { say, number }) =>
    `${say(place)}: Sie hat mehr verwendbare Zeilen als die ${number(most)} von participation.maxRowsPerSite`,
  "rows.few": ({ place, usable, rows, needs }, { say, number }) =>
    `${say(place)}: ${number(usable)} von ${number(rows)} Zeilen sind verwendbar, die Studie braucht ${number(needs)}`,
  "rows.constant": ({ place, usable, columns, more }, { say, number }) =>
    `${say(place)}: Ein einziger Wert steht in allen ${number(usable)} verwendbaren Zeilen von ${names(columns)}${more > 0 ? ` und ${number(more)} weiteren` : ""}`,

  "contents.columns": ({ place, code }, { say }) =>
    `${say(place)}: Ihre Spalten haben sich seit der Freigabe geändert (${code})`,
  "contents.uncovered": at("Seit der Freigabe sind Werte hinzugekommen, die keine Regel abdeckt"),
  "contents.more": at("Seit der Freigabe sind verwendbare Zeilen hinzugekommen"),
  "contents.fewer": at("Seit der Freigabe sind verwendbare Zeilen weggefallen"),
  "contents.values": at("Ihre Werte haben sich seit der Freigabe geändert"),
};
