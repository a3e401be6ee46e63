import type { Words } from "../said.js";
import type { TableSays } from "../says/tables.js";

export const tables: Words<TableSays> = {
  "table.other-build": ({ agent, tables }) =>
    `das Programm, das Tabellen liest, hat Version ${tables}, und der Agent hat Version ${agent}`,
  "table.stopping": () => "der Agent hält an",
  "table.study-over": () => "die Studie ist zu Ende",
  "table.process-ended": () => "der Prozess, der Tabellen liest, endete, bevor er antwortete",
  "table.unexpected": ({ what }) => `beim Lesen von Tabellen trat ein unerwarteter Fehler auf: ${what}`,
  "table.unknown": ({ table }) => `dieser Standort hat keine Tabelle „${table}“`,
  "table.name-it": ({ tables }) =>
    `nennen Sie sie in der Konfiguration des Standorts; er hat: ${tables.join(", ") || "(keine)"}`,
  "table.older-hash": ({ study }) =>
    `Studie ${study}: Eine frühere Version hat den Hash der freigegebenen Tabelle gebildet`,
  "table.start-again": () => "starten Sie die Studie neu, und geben Sie sie neu frei",
  "table.none-in": ({ file }) => `${file} enthält keine Tabelle`,
  "table.write-entry": () => "schreiben Sie mindestens einen Eintrag unter `tables:`",
  "table.not-in-config": ({ table }) => `config.yaml hat keine Tabelle „${table}“`,
  "table.add-one": ({ tables }) =>
    `vorhanden: ${tables.join(", ") || "keine"}; \`consilium site table add\` fügt eine hinzu`,
  "table.reading": ({ table }) => `Tabelle ${table}, was Stufen lesen`,
  "table.first-rows": ({ table }) => `Tabelle ${table}, erste Zeilen`,
  "table.test-it": ({ table }) =>
    `mit \`consilium site table test ${table}\` ganz ansehen; mit --write schreibt der Befehl die vorgeschlagenen Schlüssel`,
  "table.held": ({ needs, holds, memory }, { number }) =>
    `Nach der ersten Stufe einer Studie lesen Stufen diese Tabelle aus dem Arbeitsspeicher. Die Spalten ihrer letzten Studie brauchen ${number(needs)} MiB; alle Tabellen zusammen dürfen ${number(holds)} MiB belegen, ein Viertel von ${number(memory)} MiB.`,
  "table.too-large": ({ needs, holds, memory }, { number }) =>
    `Jede Stufe einer Studie liest die Dateien dieser Tabelle neu. Die Spalten ihrer letzten Studie brauchen ${number(needs)} MiB; alle Tabellen zusammen dürfen ${number(holds)} MiB belegen, ein Viertel von ${number(memory)} MiB.`,
  "table.more-memory": ({ memory }, { number }) =>
    `Studien mit vielen Stufen werden um ein Mehrfaches schneller, wenn die Maschine oder der Container des Agenten ${number(memory)} MiB Arbeitsspeicher oder mehr hat. Ohne mehr Speicher: Schreiben Sie die Tabelle als Parquet, oder lassen Sie eine Engine sie berechnen.`,
  "table.not-read": ({ holds, memory }, { number }) =>
    `Seit dem Start des Agenten hat keine Studie diese Tabelle gelesen. Passt sie in ${number(holds)} MiB, ein Viertel von ${number(memory)} MiB, so lesen Stufen nach der ersten sie aus dem Arbeitsspeicher.`,
  "table.always-read": () =>
    "Jede Stufe einer Studie liest diese Tabelle neu, denn nichts zeigt, ob sich ihre Quelle geändert hat.",
  "table.read-by-engine": () =>
    "Jede Stufe einer Studie liest diese Tabelle neu, in den Prozessen ihrer Engine.",
  "table.cdm-number": ({ table, column }) =>
    `Tabelle ${table}: Die OMOP-Spalte ${column} enthält keine Zahlen`,
  "table.cdm-day": ({ table, column }) =>
    `Tabelle ${table}: Die OMOP-Spalte ${column} enthält keine Datumsangaben`,
  "table.cdm-types": () =>
    "Geben Sie der Spalte den Typ, den die DDL von OMOP hat, oder nennen Sie ein Schema mit Sichten, in denen sie ihn hat",
  "table.beside-keys": ({ folder }) =>
    `In ${folder} werden Tabellen gelesen, und dort oder darunter liegen die Schlüssel des Agenten: Was Tabellen liest, könnte die Schlüssel lesen.`,
  "table.move-away": () =>
    "Legen Sie die Tabellen in einen Ordner außerhalb des Zustandsordners des Agenten, oder nennen Sie in config.yaml jede Datei",
  "table.door-away": ({ door, code }) =>
    `Die Tür ${door}, die den Prozess, der Tabellen liest, unter einem anderen Benutzer startet, antwortet nicht (${code}).`,
  "table.start-door": () =>
    "Starten Sie sie (consilium-tables@<Standort> von systemd oder den Container `tables`), und lassen Sie den Benutzer des Agenten ihren Socket öffnen",
  "table.door-unable": ({ door, code }) =>
    `Die Tür, die den Prozess startet, der Tabellen liest, kann unter ${door} nicht lauschen (${code}).`,
  "table.give-door-room": () =>
    "Nehmen Sie einen Pfad von höchstens 107 Bytes, an dem nichts anderes liegt, und lassen Sie den Benutzer, der Tabellen liest, in dessen Ordner schreiben",
  "table.reader": () => "Benutzer, der die Tabellen liest",
  "table.read-without-native-code": () =>
    "Der Benutzer des Agenten liest auch die Tabellen, alle in Datenbanken, deren Treiber das Rechtemodell von Node von den Schlüsseln des Agenten fernhält.",
  "table.read-apart": () => "Ein anderer Benutzer als der des Agenten liest die Tabellen.",
  "table.read-by-agents-user": () =>
    "Der Benutzer des Agenten liest auch die Tabellen: Eine Datei, die DuckDB oder SQLite, also nativen Code, übernimmt, könnte die Schlüssel des Agenten lesen.",
  "table.separate": () =>
    "Lassen Sie einen anderen Benutzer die Tabellen lesen: docs/HOSPITAL.md, The user who reads tables",
};
