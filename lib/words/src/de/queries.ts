import type { Words } from "../said.js";
import type { QuerySays } from "../says/queries.js";

const foreign = "das Zertifikat der Datenbank ist nicht von der Stelle, die die Adresse der Tabelle nennt";
const notUnderstood = "die Abfrage ist nicht verständlich";
const noTable = "die Abfrage nennt eine Tabelle, die es nicht gibt";
const noColumn = "die Abfrage oder orderBy nennt eine Spalte, die es nicht gibt";
const mayNotRead = "der Benutzer darf nicht lesen, was die Abfrage nennt";
const password = "die Datenbank lehnt Benutzer oder Passwort ab";
const noAnswer = "unter der Adresse antwortet keine Datenbank";
const late = "keine Antwort in der Zeit";

/** As in English. */
const meanings: Readonly<Record<string, string>> = {
  // Of the system
  ECONNREFUSED: noAnswer,
  ENOTFOUND: "der Rechnername der Datenbank ist unbekannt",
  ETIMEDOUT: noAnswer,
  SELF_SIGNED_CERT_IN_CHAIN: foreign,
  DEPTH_ZERO_SELF_SIGNED_CERT: foreign,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: foreign,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: foreign,
  CERT_HAS_EXPIRED: "das Zertifikat der Datenbank ist abgelaufen",
  ERR_TLS_CERT_ALTNAME_INVALID: "das Zertifikat der Datenbank gilt für einen anderen Rechnernamen",
  // SQLSTATEs (PostgreSQL's documentation, appendix A)
  "28P01": password,
  "28000": password,
  "3D000": "diese Datenbank gibt es nicht",
  "3F000": "die Datenbank hat dieses Schema nicht",
  "42P01": noTable,
  "42703": noColumn,
  "42601": notUnderstood,
  "42501": mayNotRead,
  "25006": "die Abfrage würde schreiben",
  "53300": "die Datenbank gibt keine weiteren Verbindungen: eine Engine braucht zwei je Worker und eine dazu",
  "57014": "die Abfrage dauerte zu lange",
  "57P01": "die Datenbank wird gerade heruntergefahren",
  "57P03": "die Datenbank startet gerade",
  // SQL Server and its driver
  "18456": password,
  ELOGIN: password,
  "4060": "diese Datenbank gibt es nicht, oder der Benutzer darf sie nicht öffnen",
  "208": noTable,
  "207": noColumn,
  "102": notUnderstood,
  "156": notUnderstood,
  "229": mayNotRead,
  "3952": "die Datenbank erlaubt keine Snapshot-Isolation: setzen Sie ALLOW_SNAPSHOT_ISOLATION ON",
  ETIMEOUT: late,
  EENCRYPT: "der Server bietet keine Verschlüsselung an",
  ESOCKET: "die Verbindung scheiterte oder wurde geschlossen",
  // Oracle and its driver
  "ORA-01017": password,
  "ORA-28000": "die Datenbank hat den Benutzer gesperrt",
  "ORA-28001": "das Passwort des Benutzers ist abgelaufen",
  "ORA-12514": "der Server hat diesen Dienst nicht",
  "NJS-518": "der Server hat diesen Dienst nicht",
  "ORA-00942": "die Abfrage nennt eine Tabelle, die es nicht gibt oder die der Benutzer nicht lesen darf",
  "ORA-00904": noColumn,
  "ORA-00900": notUnderstood,
  "ORA-00907": notUnderstood,
  "ORA-00923": notUnderstood,
  "ORA-00933": notUnderstood,
  "ORA-00936": notUnderstood,
  "ORA-01031": mayNotRead,
  "ORA-01456": "die Abfrage würde schreiben",
  "ORA-01555": "die Datenbank hält zu wenig Undo für einen Lesevorgang dieser Länge vor",
  "NJS-503": noAnswer,
  "NJS-505": "die Wallet ist nicht verständlich",
  "NJS-506":
    "TLS scheiterte: das Zertifikat ist von keiner Stelle, der hier vertraut wird, oder es gibt kein TLS",
  "NJS-508": "das Zertifikat der Datenbank gilt für einen anderen Rechnernamen",
  "NJS-510": late,
  "NJS-123": "die Abfrage dauerte zu lange",
  // MariaDB and MySQL, and their driver
  ER_ACCESS_DENIED_ERROR: password,
  ER_ACCESS_DENIED_NO_PASSWORD_ERROR: password,
  ER_NOT_SUPPORTED_AUTH_PLUGIN: "der Benutzer meldet sich auf eine Weise an, die nicht unterstützt wird",
  ER_CANNOT_RETRIEVE_RSA_KEY: "der Server nimmt das Passwort dieses Benutzers nur über TLS an",
  ER_BAD_DB_ERROR: "diese Datenbank gibt es nicht",
  ER_DBACCESS_DENIED_ERROR: "diese Datenbank gibt es nicht, oder der Benutzer darf sie nicht öffnen",
  ER_NO_SUCH_TABLE: noTable,
  ER_BAD_FIELD_ERROR: noColumn,
  ER_DUP_FIELDNAME: "zwei Spalten der Abfrage heißen gleich",
  ER_PARSE_ERROR: notUnderstood,
  ER_TABLEACCESS_DENIED_ERROR: mayNotRead,
  ER_COLUMNACCESS_DENIED_ERROR: mayNotRead,
  ER_CANT_EXECUTE_IN_READ_ONLY_TRANSACTION: "die Abfrage würde schreiben",
  ER_CON_COUNT_ERROR: "die Datenbank gibt keine weiteren Verbindungen",
  ER_SERVER_SSL_DISABLED: "der Server bietet keine Verschlüsselung an",
  ER_CONNECTION_TIMEOUT: late,
  ER_STATEMENT_TIMEOUT: "die Abfrage dauerte zu lange",
  ER_LOCK_WAIT_TIMEOUT: "die Abfrage wartete zu lange auf eine Sperre",
  ER_QUERY_INTERRUPTED: "die Abfrage wurde am Server beendet",
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
  "database.refused": ({ place, code }, { say }) =>
    `${say(place)}: ${meanings[code ?? ""] ?? "die Datenbank gibt sie nicht her"}${coded(code)}`,
  "database.lost": ({ place, code }, { say }) =>
    `${say(place)}: Die Verbindung zur Datenbank ging beim Lesen verloren${coded(code)}`,
  "database.try-with": ({ program }) =>
    `probieren Sie die Abfrage der Tabelle mit ${program}, als derselbe Benutzer und vom selben Rechner aus`,
  "database.try-with-mariadb": () =>
    "probieren Sie die Abfrage der Tabelle mit dem Programm mariadb oder mysql, als derselbe Benutzer und vom selben Rechner aus",
  "database.other-rows": ({ place }, { say }) =>
    `${say(place)}: Ihre Abfrage gab jedem Leser der Engine andere Zeilen`,
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
  "sqlite.empty": ({ place }, { say }) => `${say(place)}: Die Datenbank hat keine Tabelle`,
  "sqlite.which": ({ place, tables, more }, { say }) =>
    `${say(place)}: Welche Tabelle ist gemeint? Die Datenbank hat ${tablesOf(tables, more)}`,
  "sqlite.name-table": () => "nennen Sie eine in `table` des Eintrags",

  "query.no-select": ({ place }, { say }) => `${say(place)}: Die Abfrage ist kein einzelnes SELECT`,
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
  "query.other-files": ({ place }, { say }) =>
    `${say(place)}: Die Abfrage liest anderes als ihre eigenen Tabellen`,
  "query.name-files": () => "nennen Sie jede gelesene Datei im Eintrag der Tabelle",
  "query.failed": ({ place, kind }, { say }) =>
    `${say(place)}: Die Abfrage scheitert am Wert eines Datensatzes (Fehler „${kind}“)`,
  "query.compare-cast": () =>
    "vergleichen und rechnen Sie mit TRY_CAST(spalte AS DOUBLE): Spalten von CSV- und JSON-Dateien sind Text",
  "query.pattern": ({ place }, { say }) => `${say(place)}: Der Pfad einer Datei enthält *, ? oder [`,
  "query.rename": () =>
    "benennen Sie Datei oder Ordner um: eine Abfrage liest Dateien ohne diese Zeichen im Pfad",
  "query.other-columns": ({ place }, { say }) => `${say(place)}: Ihre Dateien haben verschiedene Spalten`,
  "query.own-tables": () =>
    "nennen Sie Dateien mit anderen Spalten oder anderer Reihenfolge als eigene Tabellen",
  "query.same-name": ({ place, column }, { say, number }) =>
    `${say(place)}: Spalte ${number(column)} heißt wie eine andere, höchstens mit anderer Großschreibung`,

  "spark.no-engine": ({ place }, { say }) => `${say(place)}: Ihre Engine ist keine von Spark`,
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
