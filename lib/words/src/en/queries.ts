import { at } from "../at.js";
import { type DatabaseMeaning, databaseMeaning } from "../databaseCodes.js";
import type { Words } from "../said.js";
import type { QuerySays } from "../says/queries.js";

const meanings: Readonly<Record<DatabaseMeaning, string>> = {
  noAnswer: "no database answers at the address",
  unknownHost: "the database's host name is unknown",
  foreignCertificate: "the database's certificate is not of the authority that the table's address names",
  expiredCertificate: "the database's certificate has expired",
  otherHost: "the database's certificate is for another host name",
  password: "the database refuses user or password",
  noDatabase: "there is no such database",
  noSchema: "the database has no such schema",
  noTable: "the query names a table that is not there",
  noColumn: "the query, or orderBy, names a column that is not there",
  notUnderstood: "the query is not understood",
  mayNotRead: "the user may not read what the query names",
  wouldWrite: "the query would write",
  connectionsOfEngine:
    "the database gives no more connections: an engine needs two for each worker, and one more",
  tooLong: "the query took too long",
  shuttingDown: "the database is being shut down",
  starting: "the database is starting",
  noDatabaseForUser: "there is no such database, or the user may not open it",
  noSnapshots: "the database does not allow snapshot isolation: set ALLOW_SNAPSHOT_ISOLATION ON",
  late: "no answer in time",
  noEncryption: "the server offers no encryption",
  closed: "the connection failed or was closed",
  userLocked: "the database has locked the user",
  passwordExpired: "the user's password has expired",
  noService: "the server has no such service",
  noTableForUser: "the query names a table that is not there, or that the user may not read",
  tooLittleUndo: "the database kept too little undo for a reading of this length",
  wallet: "the wallet is not understood",
  tlsFailed: "TLS failed: the certificate is not of an authority that is trusted here, or there is no TLS",
  signIn: "the user signs in by a way that is not supported",
  passwordOverTls: "the server takes this user's password over TLS alone",
  sameName: "two columns of the query have one name",
  connections: "the database gives no more connections",
  lock: "the query waited too long for a lock",
  interrupted: "the query was ended at the server",
};

const coded = (code: string | null) => (code === null ? "" : ` (${code})`);
const tablesOf = (tables: readonly string[], more: number) =>
  tables.length === 0
    ? "none"
    : `${tables.map((name) => `"${name}"`).join(", ")}${more > 0 ? ` and ${more} more` : ""}`;

export const queries: Words<QuerySays> = {
  "database.refused": ({ place, code }, { say }) => {
    const meaning = databaseMeaning(code);
    return `${say(place)}: ${meaning === null ? "the database does not give it" : meanings[meaning]}${coded(code)}`;
  },
  "database.lost": ({ place, code }, { say }) =>
    `${say(place)}: the connection to the database was lost while it was read${coded(code)}`,
  "database.try-with": ({ program }) =>
    `try the table's query with ${program}, as the same user and from the same machine`,
  "database.try-with-mariadb": () =>
    "try the table's query with the program mariadb or mysql, as the same user and from the same machine",
  "database.other-rows": at("its query returned other rows to each of the engine's readers"),
  "database.same-rows": () =>
    "write a query that returns the same rows each time: without random() and the time of day, and LIMIT with an ORDER BY; or set `engine: none` for the table",
  "database.no-driver": ({ product }) => `the driver of ${product} is not installed here`,
  "database.install-driver": ({ folder }) =>
    `run \`npm install --prefix ${folder} --ignore-scripts\`; on a machine without network carry the folder node_modules that it makes elsewhere (docs/HOSPITAL.md, "A query as a table")`,
  "database.oracle-prints": () => "NODE_ORACLEDB_DEBUG_PACKETS is set: the driver would print records",
  "database.start-without": () => "start the agent without it",

  "sqlite.unreadable": ({ place, code }, { say }) => `${say(place)}: SQLite cannot read it${coded(code)}`,
  "sqlite.no-table": ({ place, table, tables, more }, { say }) =>
    `${say(place)}: the database has no table "${table}"; it has ${tablesOf(tables, more)}`,
  "sqlite.correct-table": () => "correct the entry's `table`",
  "sqlite.empty": at("the database has no table"),
  "sqlite.which": ({ place, tables, more }, { say }) =>
    `${say(place)}: which table is meant? The database has ${tablesOf(tables, more)}`,
  "sqlite.name-table": () => "name one in the entry's `table`",

  "query.no-select": at("the query is not one SELECT statement"),
  "query.write-select": () => "write one SELECT without parameters; a PIVOT lists its values with IN",
  "query.may-fail": ({ place, parts }, { say }) =>
    `${say(place)}: the query fails where a record's value does not fit: ${parts.join(", ")}`,
  "query.try-cast": () => "write TRY_CAST and try_strptime, which give no value there",
  "query.not-accepted": ({ place, kind, line, named }, { say }) =>
    `${say(place)}: DuckDB does not accept the query (${kind} error${line === null ? "" : ` in line ${line}`}${named === null ? "" : `, at "${named}"`})`,
  "query.try-duckdb": () => "try the query with the duckdb command line over the same files",
  "query.memory": ({ place, megabytes }, { say }) => `${say(place)}: the query needs over ${megabytes} MB`,
  "query.fewer-columns": () => "raise memoryMb in the table's entry, or join and group fewer columns",
  "query.other-files": at("the query reads something else than its own tables"),
  "query.name-files": () => "name every file that it reads in the table's entry",
  "query.failed": ({ place, kind }, { say }) =>
    `${say(place)}: the query fails at a record's value (${kind} error)`,
  "query.compare-cast": () =>
    "compare and compute with TRY_CAST(column AS DOUBLE): columns of CSV and JSON files are text",
  "query.pattern": at("a file's path holds *, ? or ["),
  "query.rename": () =>
    "rename the file or folder: a query reads files without these characters in their paths",
  "query.other-columns": at("its files have different columns"),
  "query.own-tables": () => "name files with other columns, or in another order, as tables of their own",
  "query.same-name": ({ place, column }, { say }) =>
    `${say(place)}: column ${column} has the name of another one, whose case alone may differ`,

  "spark.no-engine": at("its engine is not one of Spark"),
  "spark.fields": ({ place, rows }, { say }) =>
    `${say(place)}: ${rows} or more rows have another number of fields than the first row`,

  "omop.no-plan": ({ place }, { say }) =>
    `${say(place)} is an OMOP database, and the study has no feature plan`,
  "omop.no-table": ({ place, cdm }, { say }) => `${say(place)}: the OMOP folder has no table ${cdm}`,
  "omop.add-table": ({ name }) => `add it as ${name}.csv or ${name}.parquet, or as a folder of such files`,
  "omop.no-columns": ({ place, columns }, { say }) => `${say(place)}: no column ${columns.join(", ")}`,
  "omop.write-cdm": () => "write the table as OMOP CDM 5.4 has it",
  "omop.twice": ({ place, cdm }, { say }) => `${say(place)}: the OMOP folder has ${cdm} twice`,
  "omop.leave-one": ({ name }) => `leave one of its files, or put the parts into one folder ${name}`,
  "omop.neither": ({ place, cdm }, { say }) => `${say(place)}: ${cdm} is neither CSV nor Parquet`,

  "fhir.no-file": ({ place, resource }, { say }) => `${say(place)}: no file of ${resource} resources`,
  "fhir.name-one": () => "name one under fhir.files",
  "fhir.name-for-type": ({ resource }) =>
    `name its file for the type, such as ${resource}.ndjson, or list files under fhir.files`,
  "view.unreadable": ({ place, path, code }, { say }) =>
    `${say(place)}: the view definition ${path} cannot be read (${code ?? "unknown fault"})`,
  "view.long": ({ place, path, most }, { say }) =>
    `${say(place)}: the view definition ${path} is longer than ${most} characters`,
  "view.not-json": ({ place, path }, { say }) => `${say(place)}: the view definition ${path} is not JSON`,
  "view.invalid": ({ view, at, what }, { say }) =>
    `view "${view}"${at === null ? "" : `, ${at}`}: ${say(what)}`,
  "view.failed": ({ table, view, at, what }, { say }) =>
    `table "${table}", view "${view}"${at === null ? "" : `, ${at}`}: ${say(what)}`,
  "view.correct": () => "correct the view at this path",
  "view.shape": ({ what }) => `${what}`,
  "view.same-constant": () => "another constant has this name",
  "view.no-column": () => "the view has no column",
  "view.same-column": ({ column }) => `two columns are called ${column}`,
  "view.branch": ({ columns, first }) =>
    `the columns differ from the first branch's: ${columns}, expected ${first}`,

  "path.character": ({ at }) => `character ${at} is not supported`,
  "path.backticks": () => "a name between backticks holds letters, digits and _ here",
  "path.ends": ({ due }) => `ends where ${due} is due`,
  "path.due": ({ due, before }) => `${due} is due before "${before}"`,
  "path.deep": ({ most }) => `nests deeper than ${most} levels`,
  "path.incomplete": () => "is not complete",
  "path.unexpected": ({ text }) => `"${text}" is not expected here`,
  "path.ends-with-point": () => "ends with a point",
  "path.no-name": ({ text }) => `"${text}" is not a name`,
  "path.unsupported": ({ text }) => `"${text}" is not supported here`,
  "path.no-constant": ({ name }) => `%${name} is not among the view's constants`,
  "path.index": () => "an index is a whole number, or a constant that is one",
  "path.no-number": ({ kind }) => `a ${kind} is not a number`,
  "path.no-condition": ({ kind }) => `a ${kind} is not a condition`,
  "path.no-text": ({ kind }) => `a ${kind} is not a text`,
  "path.no-truth": () => "the path gives something else than a truth value",
  "path.arguments": ({ name, least, most, given }) =>
    `${name}() takes ${least === most ? least : `${least} or ${most}`} arguments, not ${given}`,
  "path.resource-key": () => "getResourceKey() begins at the resource, not within forEach, repeat or where",
  "path.no-function": ({ name, supported }) =>
    `the function ${name}() is not supported; supported are ${supported}`,
  "path.of-type": () => "ofType() follows the name of an element, such as value.ofType(Quantity)",
  "path.no-type": () => "a type is a name, such as Quantity",
  "path.text-argument": ({ name }) =>
    `${name}() takes a text between quotation marks, or a constant that is one`,
  "path.several": () => "several values; write collection: true, or .first() behind the path",
  "path.endless": () => "repeat would not end: the path leads to no element below",
};
