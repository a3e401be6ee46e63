import { nameOf } from "@consilium/core/said";
import { fault } from "../fault.js";
import { openLibsql, type SqlDriver, type SqlValue } from "./driver.js";
import type { PostgresDriverOptions } from "./postgresDriver.js";
import { fromPostgres } from "./postgresSql.js";
import { codeName, PostgresFault, PostgresThread } from "./postgresThread.js";

/** Rows that are under way at once: each may hold a mebibyte. */
const pageRows = 32;

type Database = Pick<PostgresDriverOptions, "connect" | "schema" | "name" | "answerWithinMs">;

/**
 * Copies a store in PostgreSQL, as of one moment, into a new SQLite file of the same format. One transaction reads everything, and the
 * server holds it to reading: nothing is written there, no lock of the store is taken, and its aggregator continues.
 * @param migrations - of this software; the store may be of an earlier format
 * @throws ConsiliumError UNREACHABLE; STATE_MISSING where the database has no such store; CONFIG_INVALID for one of a newer format
 */
export function copyPostgres(database: Database, migrations: readonly string[], to: string): void {
  const { name, schema } = database;
  const thread = new PostgresThread(database);
  const copy = openLibsql(to);
  const ask = (text: string, values: readonly SqlValue[] = []) => thread.query({ text, values });
  try {
    thread.connect(database.connect);
    ask("SET bytea_output = hex");
    ask("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY");
    const found = ask("SELECT 1 FROM pg_tables WHERE schemaname = $1 AND tablename = 'consilium_store'", [
      schema,
    ]);
    if (found.rows.length === 0)
      throw fault("STATE_MISSING", "store.not-in-schema", { store: nameOf(name), schema: nameOf(schema) });
    const format = Number(ask(`SELECT format FROM ${schema}.consilium_store`).rows[0]?.[0] ?? 0);
    if (format > migrations.length)
      throw fault("CONFIG_INVALID", "store.newer-format", {
        store: nameOf(name),
        format,
        highest: migrations.length,
      });
    copy.exec("PRAGMA foreign_keys = OFF");
    for (const sql of migrations.slice(0, format)) copy.migrate(sql);
    copy.setFormat(format);
    copy.exec("BEGIN IMMEDIATE");
    for (const table of tablesOf(copy)) copyTable(table, { ask, schema, copy });
    copy.exec("COMMIT");
    ask("ROLLBACK");
  } catch (thrown) {
    if (!(thrown instanceof PostgresFault)) throw thrown;
    throw fault(
      "UNREACHABLE",
      "store.unreadable",
      { store: nameOf(name), code: codeName(thrown) },
      { remedy: "store.check-readable", cause: thrown },
    );
  } finally {
    copy.close();
    thread.close();
  }
}

function tablesOf(copy: SqlDriver): string[] {
  return copy
    .prepare("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%' ORDER BY name")
    .all([])
    .map(({ name }) => String(name));
}

/** In the order in which the rows came: what reads them may order by `rowid`. */
function copyTable(
  table: string,
  {
    ask,
    schema,
    copy,
  }: {
    readonly ask: (text: string, values: readonly SqlValue[]) => ReturnType<PostgresThread["query"]>;
    readonly schema: string;
    readonly copy: SqlDriver;
  },
): void {
  const columns = copy
    .prepare("SELECT name FROM pragma_table_info(?)")
    .all([table])
    .map(({ name }) => `"${String(name)}"`);
  // What a migration puts into a new store is among the rows that are copied.
  copy.exec(`DELETE FROM "${table}"`);
  const places = columns.map(() => "?").join(", ");
  const insert = copy.prepare(`INSERT INTO "${table}" (${columns.join(", ")}) VALUES (${places})`);
  const text = `SELECT rowid, ${columns.join(", ")} FROM ${schema}."${table}" WHERE rowid > $1 ORDER BY rowid LIMIT ${pageRows}`;
  let last = 0;
  for (;;) {
    const { rows, types } = ask(text, [last]);
    for (const [rowid, ...values] of rows) {
      insert.run(values.map((value, at) => fromPostgres(value, types[at + 1]!)));
      last = Number(rowid);
    }
    if (rows.length < pageRows) return;
  }
}
