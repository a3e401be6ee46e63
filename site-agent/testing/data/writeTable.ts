import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { gzipSync } from "node:zlib";
import { DuckDBInstance } from "@duckdb/node-api";
import Database from "libsql";
import { afterAll } from "vitest";
import type { TableFormat } from "../../src/data/fileConfig.js";
import { sqlName, sqlText } from "../../src/data/sources/shared/sqlText.js";
import { type TableConfig, tableConfigSchema } from "../../src/data/tableConfig.js";

/** Writes the same rows in every format, for tests. */

export type TestValue = number | string | boolean | null;

export interface TestTable {
  readonly names: readonly string[];
  readonly rows: readonly (readonly TestValue[])[];
}

export const formats: readonly TableFormat[] = ["csv", "parquet", "jsonl", "sqlite"];
export const endings: Record<TableFormat, string> = {
  csv: ".csv",
  parquet: ".parquet",
  jsonl: ".jsonl",
  sqlite: ".db",
};

/** A folder that is gone when the test file ends. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "consilium-data-"));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

export type FileTableConfig = TableConfig & { readonly path: string };

export function tableConfig(entry: {
  readonly path: string;
  readonly [key: string]: unknown;
}): FileTableConfig {
  return { ...tableConfigSchema.parse({ name: "records", ...entry }), path: entry.path };
}

/** @returns the path of the file, `stem` with the format's ending */
export async function writeTable(format: TableFormat, stem: string, table: TestTable): Promise<string> {
  const path = `${stem}${endings[format]}`;
  mkdirSync(dirname(path), { recursive: true });
  if (format === "csv") writeFileSync(path, csvText(table));
  else if (format === "jsonl") writeFileSync(path, jsonLines(table));
  else if (format === "sqlite") writeSqlite(path, table);
  else await writeParquet(path, table);
  return path;
}

export function writeGzipped(path: string, text: string): void {
  writeFileSync(path, gzipSync(text));
}

export function csvText({ names, rows }: TestTable): string {
  const field = (value: TestValue) => {
    const text = value === null ? "" : String(value);
    return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  return [names, ...rows].map((row) => `${row.map(field).join(",")}\n`).join("");
}

export function jsonLines({ names, rows }: TestTable): string {
  // JSON has no NaN: programs that have one write it as text.
  const value = (v: TestValue) => (typeof v === "number" && !Number.isFinite(v) ? String(v) : v);
  return rows
    .map((row) => `${JSON.stringify(Object.fromEntries(names.map((name, k) => [name, value(row[k]!)])))}\n`)
    .join("");
}

function writeSqlite(path: string, { names, rows }: TestTable): void {
  const database = new Database(path);
  database.exec("PRAGMA journal_mode = OFF");
  database.exec(`CREATE TABLE records (${names.map(sqlName).join(", ")})`);
  const insert = database.prepare(`INSERT INTO records VALUES (${names.map(() => "?").join(", ")})`);
  database.exec("BEGIN");
  for (const row of rows) {
    // SQLite stores NaN as NULL, so a text column is where one can be.
    insert.run(row.map((v) => (typeof v === "boolean" || Number.isNaN(v) ? String(v) : v)));
  }
  database.exec("COMMIT");
  database.close();
}

/** Columns of numbers become DOUBLE, of booleans BOOLEAN, all others VARCHAR. */
async function writeParquet(path: string, { names, rows }: TestTable): Promise<void> {
  const types = names.map((_, k) => {
    const values = rows.map((row) => row[k]!).filter((value) => value !== null);
    if (values.length > 0 && values.every((value) => typeof value === "number")) return "DOUBLE";
    return values.length > 0 && values.every((value) => typeof value === "boolean") ? "BOOLEAN" : "VARCHAR";
  });
  const cell = (value: TestValue) => {
    if (value === null) return "NULL";
    if (typeof value === "number") return `${sqlText(String(value))}::DOUBLE`;
    return typeof value === "boolean" ? String(value) : sqlText(value);
  };
  const statements = [
    `CREATE TABLE t (${names.map((name, k) => `${sqlName(name)} ${types[k]}`).join(", ")})`,
  ];
  for (let at = 0; at < rows.length; at += 1000) {
    const values = rows.slice(at, at + 1000).map((row) => `(${row.map(cell).join(", ")})`);
    statements.push(`INSERT INTO t VALUES ${values.join(", ")}`);
  }
  await duckdb([...statements, `COPY t TO ${sqlText(path)} (FORMAT parquet)`]);
}

/** Runs statements in a DuckDB of their own. */
export async function duckdb(statements: readonly string[]): Promise<void> {
  const instance = await DuckDBInstance.create(":memory:", { threads: "1" });
  const connection = await instance.connect();
  for (const statement of statements) await connection.run(statement);
  connection.closeSync();
  instance.closeSync();
}
