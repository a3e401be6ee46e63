import { at } from "../at.js";
import { type DatabaseMeaning, databaseMeaning } from "../databaseCodes.js";
import type { Words } from "../said.js";
import type { QuerySays } from "../says/queries.js";

const meanings: Readonly<Record<DatabaseMeaning, string>> = {
  noAnswer: "unter der Adresse antwortet keine Datenbank",
  unknownHost: "der Rechnername der Datenbank ist unbekannt",
  foreignCertificate:
    "das Zertifikat der Datenbank ist nicht von der Stelle, die die Adresse der Tabelle nennt",
  expiredCertificate: "das Zertifikat der Datenbank ist abgelaufen",
  otherHost: "das Zertifikat der Datenbank gilt für einen anderen Rechnernamen",
  password: "die Datenbank lehnt Benutzer oder Passwort ab",
  noDatabase: "diese Datenbank gibt es nicht",
  noSchema: "die Datenbank hat dieses Schema nicht",
  noTable: "die Abfrage nennt eine Tabelle, die es nicht gibt",
  noColumn: "die Abfrage oder orderBy nennt eine Spalte, die es nicht gibt",
  notUnderstood: "die Abfrage ist nicht verständlich",
  mayNotRead: "der Benutzer darf nicht lesen, was die Abfrage nennt",
  wouldWrite: "die Abfrage würde schreiben",
  connectionsOfEngine:
    "die Datenbank gibt keine weiteren Verbindungen: eine Engine braucht zwei je Worker und eine dazu",
  tooLong: "die Abfrage dauerte zu lange",
  shuttingDown: "die Datenbank wird gerade heruntergefahren",
  starting: "die Datenbank startet gerade",
  noDatabaseForUser: "diese Datenbank gibt es nicht, oder der Benutzer darf sie nicht öffnen",
  noSnapshots: "die Datenbank erlaubt keine Snapshot-Isolation: setzen Sie ALLOW_SNAPSHOT_ISOLATION ON",
  late: "keine Antwort in der Zeit",
  noEncryption: "der Server bietet keine Verschlüsselung an",
  closed: "die Verbindung scheiterte oder wurde geschlossen",
  userLocked: "die Datenbank hat den Benutzer gesperrt",
  passwordExpired: "das Passwort des Benutzers ist abgelaufen",
  noService: "der Server hat diesen Dienst nicht",
  noTableForUser: "die Abfrage nennt eine Tabelle, die es nicht gibt oder die der Benutzer nicht lesen darf",
  tooLittleUndo: "die Datenbank hält zu wenig Undo für einen Lesevorgang dieser Länge vor",
  wallet: "die Wallet ist nicht verständlich",
  tlsFailed:
    "TLS scheiterte: das Zertifikat ist von keiner Stelle, der hier vertraut wird, oder es gibt kein TLS",
  signIn: "der Benutzer meldet sich auf eine Weise an, die nicht unterstützt wird",
  passwordOverTls: "der Server nimmt das Passwort dieses Benutzers nur über TLS an",
  sameName: "zwei Spalten der Abfrage heißen gleich",
  connections: "die Datenbank gibt keine weiteren Verbindungen",
  lock: "die Abfrage wartete zu lange auf eine Sperre",
  interrupted: "die Abfrage wurde am Server beendet",
};

const coded = (code: string | null) => (code === null ? "" : ` (${code})`);
const tablesOf = (tables: readonly string[], more: number) =>
  tables.length === 0
    ? "keine"
    : `${tables.map((name) => `„${name}“`).join(", ")}${more > 0 ? ` und ${more} weitere` : ""}`;
/** Of a value in a path. */
const kinds: Readonly<Record<string, string>> = {
  list: "eine Liste",
  text: "ein Text",
  number: "eine Zahl",
  boolean: "ein Wahrheitswert",
};

export const queries: Words<QuerySays> = {
  "database.refused": ({ place, code }, { say }) => {
    const meaning = databaseMeaning(code);
    return `${say(place)}: ${meaning === null ? "die Datenbank gibt sie nicht her" : meanings[meaning]}${coded(code)}`;
  },
  "database.lost": ({ place, code }, { say }) =>
    `${say(place)}: Die Verbindung zur Datenbank ging beim Lesen verloren${coded(code)}`,
  "database.try-with": ({ program }) =>
    `probieren Sie die Abfrage der Tabelle mit ${program}, als derselbe Benutzer und vom selben Rechner aus`,
  "database.try-with-mariadb": () =>
    "probieren Sie die Abfrage der Tabelle mit dem Programm mariadb oder mysql, als derselbe Benutzer und vom selben Rechner aus",
  "database.other-rows": at("Ihre Abfrage gab jedem Leser der Engine andere Zeilen"),
  "database.same-rows": () =>
    "schreiben Sie eine Abfrage, die jedes Mal dieselben Zeilen ergibt: ohne random() und Uhrzeit, LIMIT mit ORDER BY; oder setzen Sie `engine: none` für die Tabelle",
  "database.no-driver": ({ product }) => `der Treiber von ${product} ist hier nicht installiert`,
  "database.install-driver": ({ folder }) =>
    `führen Sie \`npm install --prefix ${folder} --ignore-scripts\` aus; auf einen Rechner ohne Netz bringen Sie den Ordner node_modules, der dabei anderswo entsteht (docs/HOSPITAL.md, "A query as a table")`,
  "database.oracle-prints": () =>
    "NODE_ORACLEDB_DEBUG_PACKETS ist gesetzt: Der Treiber würde Datensätze ausgeben",
  "database.start-without": () => "starten Sie den Agenten ohne diese Variable",

  "sqlite.unreadable": ({ place, code }, { say }) =>
    `${say(place)}: SQLite kann sie nicht lesen${coded(code)}`,
  "sqlite.no-table": ({ place, table, tables, more }, { say }) =>
    `${say(place)}: Die Datenbank hat keine Tabelle „${table}“; vorhanden: ${tablesOf(tables, more)}`,
  "sqlite.correct-table": () => "berichtigen Sie `table` des Eintrags",
  "sqlite.empty": at("Die Datenbank hat keine Tabelle"),
  "sqlite.which": ({ place, tables, more }, { say }) =>
    `${say(place)}: Welche Tabelle ist gemeint? Die Datenbank hat ${tablesOf(tables, more)}`,
  "sqlite.name-table": () => "nennen Sie eine in `table` des Eintrags",

  "query.no-select": at("Die Abfrage ist kein einzelnes SELECT"),
  "query.write-select": () =>
    "schreiben Sie ein SELECT ohne Parameter; ein PIVOT zählt seine Werte mit IN auf",
  "query.may-fail": ({ place, parts }, { say }) =>
    `${say(place)}: Die Abfrage scheitert, wo der Wert eines Datensatzes nicht passt: ${parts.join(", ")}`,
  "query.try-cast": () => "schreiben Sie TRY_CAST und try_strptime, die dort keinen Wert ergeben",
  "query.not-accepted": ({ place, kind, line, named }, { say }) =>
    `${say(place)}: DuckDB nimmt die Abfrage nicht an (Fehler „${kind}“${line === null ? "" : ` in Zeile ${line}`}${named === null ? "" : `, bei „${named}“`})`,
  "query.try-duckdb": () => "probieren Sie die Abfrage mit der Befehlszeile duckdb über dieselben Dateien",
  "query.memory": ({ place, megabytes }, { say, number }) =>
    `${say(place)}: Die Abfrage braucht mehr als ${number(megabytes)} MB`,
  "query.fewer-columns": () =>
    "erhöhen Sie memoryMb im Eintrag der Tabelle, oder verknüpfen und gruppieren Sie weniger Spalten",
  "query.other-files": at("Die Abfrage liest anderes als ihre eigenen Tabellen"),
  "query.name-files": () => "nennen Sie jede gelesene Datei im Eintrag der Tabelle",
  "query.failed": ({ place, kind }, { say }) =>
    `${say(place)}: Die Abfrage scheitert am Wert eines Datensatzes (Fehler „${kind}“)`,
  "query.compare-cast": () =>
    "vergleichen und rechnen Sie mit TRY_CAST(spalte AS DOUBLE): Spalten von CSV- und JSON-Dateien sind Text",
  "query.pattern": at("Der Pfad einer Datei enthält *, ? oder ["),
  "query.rename": () =>
    "benennen Sie Datei oder Ordner um: eine Abfrage liest Dateien ohne diese Zeichen im Pfad",
  "query.other-columns": at("Ihre Dateien haben verschiedene Spalten"),
  "query.own-tables": () =>
    "nennen Sie Dateien mit anderen Spalten oder anderer Reihenfolge als eigene Tabellen",
  "query.same-name": ({ place, column }, { say, number }) =>
    `${say(place)}: Spalte ${number(column)} heißt wie eine andere, höchstens mit anderer Großschreibung`,

  "spark.no-engine": at("Ihre Engine ist keine von Spark"),
  "spark.fields": ({ place, rows }, { say, number }) =>
    `${say(place)}: Mindestens ${number(rows)} Zeilen haben eine andere Zahl von Feldern als die erste`,

  "omop.no-plan": ({ place }, { say }) =>
    `${say(place)} ist eine OMOP-Datenbank, und die Studie hat keinen Merkmalsplan`,
  "omop.no-table": ({ place, cdm }, { say }) => `${say(place)}: Der OMOP-Ordner hat keine Tabelle ${cdm}`,
  "omop.add-table": ({ name }) =>
    `fügen Sie sie als ${name}.csv oder ${name}.parquet hinzu, oder als Ordner solcher Dateien`,
  "omop.no-columns": ({ place, columns }, { say }) =>
    `${say(place)}: Es fehlt die Spalte ${columns.join(", ")}`,
  "omop.write-cdm": () => "schreiben Sie die Tabelle so, wie OMOP CDM 5.4 sie hat",
  "omop.twice": ({ place, cdm }, { say }) => `${say(place)}: Der OMOP-Ordner hat ${cdm} zweimal`,
  "omop.leave-one": ({ name }) =>
    `lassen Sie eine ihrer Dateien übrig, oder legen Sie die Teile in einen Ordner ${name}`,
  "omop.neither": ({ place, cdm }, { say }) => `${say(place)}: ${cdm} ist weder CSV noch Parquet`,

  "fhir.no-file": ({ place, resource }, { say }) =>
    `${say(place)}: Es gibt keine Datei mit Ressourcen vom Typ ${resource}`,
  "fhir.name-one": () => "nennen Sie eine unter fhir.files",
  "fhir.name-for-type": ({ resource }) =>
    `benennen Sie ihre Datei nach dem Typ, wie ${resource}.ndjson, oder führen Sie Dateien unter fhir.files auf`,
  "view.unreadable": ({ place, path, code }, { say }) =>
    `${say(place)}: Die View-Definition ${path} ist nicht lesbar (${code ?? "unbekannter Fehler"})`,
  "view.long": ({ place, path, most }, { say, number }) =>
    `${say(place)}: Die View-Definition ${path} hat mehr als ${number(most)} Zeichen`,
  "view.not-json": ({ place, path }, { say }) => `${say(place)}: Die View-Definition ${path} ist kein JSON`,
  "view.invalid": ({ view, at, what }, { say }) =>
    `View „${view}“${at === null ? "" : `, ${at}`}: ${say(what)}`,
  "view.failed": ({ table, view, at, what }, { say }) =>
    `Tabelle „${table}“, View „${view}“${at === null ? "" : `, ${at}`}: ${say(what)}`,
  "view.correct": () => "berichtigen Sie die View an dieser Stelle",
  "view.shape": ({ what }) => `${what}`,
  "view.same-constant": () => "eine andere Konstante hat diesen Namen",
  "view.no-column": () => "die View hat keine Spalte",
  "view.same-column": ({ column }) => `zwei Spalten heißen ${column}`,
  "view.branch": ({ columns, first }) =>
    `die Spalten sind andere als im ersten Zweig: ${columns}, erwartet ${first}`,

  "path.character": ({ at }, { number }) => `Zeichen ${number(at)} wird nicht unterstützt`,
  "path.backticks": () => "ein Name zwischen Backticks enthält hier Buchstaben, Ziffern und _",
  "path.ends": ({ due }) => `endet, wo ${due} stehen müsste`,
  "path.due": ({ due, before }) => `vor „${before}“ fehlt ${due}`,
  "path.deep": ({ most }, { number }) => `ist tiefer als ${number(most)} Ebenen verschachtelt`,
  "path.incomplete": () => "ist unvollständig",
  "path.unexpected": ({ text }) => `„${text}“ passt hier nicht`,
  "path.ends-with-point": () => "endet mit einem Punkt",
  "path.no-name": ({ text }) => `„${text}“ ist kein Name`,
  "path.unsupported": ({ text }) => `„${text}“ wird hier nicht unterstützt`,
  "path.no-constant": ({ name }) => `%${name} ist keine Konstante der View`,
  "path.index": () => "ein Index ist eine ganze Zahl oder eine Konstante, die eine ist",
  "path.no-number": ({ kind }) => `${kinds[kind] ?? kind} ist keine Zahl`,
  "path.no-condition": ({ kind }) => `${kinds[kind] ?? kind} ist keine Bedingung`,
  "path.no-text": ({ kind }) => `${kinds[kind] ?? kind} ist kein Text`,
  "path.no-truth": () => "der Pfad ergibt etwas anderes als einen Wahrheitswert",
  "path.arguments": ({ name, least, most, given }) =>
    `${name}() nimmt ${least === most ? least : `${least} oder ${most}`} Argumente, nicht ${given}`,
  "path.resource-key": () => "getResourceKey() beginnt an der Ressource, nicht in forEach, repeat oder where",
  "path.no-function": ({ name, supported }) =>
    `die Funktion ${name}() wird nicht unterstützt; unterstützt werden ${supported}`,
  "path.of-type": () => "ofType() folgt dem Namen eines Elements, wie value.ofType(Quantity)",
  "path.no-type": () => "ein Typ ist ein Name, wie Quantity",
  "path.text-argument": ({ name }) =>
    `${name}() nimmt einen Text in Anführungszeichen oder eine Konstante, die einer ist`,
  "path.several": () => "mehrere Werte; schreiben Sie collection: true, oder .first() hinter den Pfad",
  "path.endless": () => "repeat fände kein Ende: Der Pfad führt zu keinem Element darunter",
};
