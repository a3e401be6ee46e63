import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { inGate } from "@consilium/core/testing/wholeRun";
import type { TestPostgres } from "@consilium/runtime/testing/postgres/postgres";
import { writeAsWritten, writtenWays } from "@consilium/site-agent/testing/data/asWritten";
import { DuckDBInstance } from "@duckdb/node-api";
import fc from "fast-check";
import Database from "libsql";

/** One small table in every format, and the same with every kind of record that a study may meet. */

/** As text, or null where there is no value. */
export type Row = Readonly<Record<"a" | "b" | "sex" | "outcome", string | null>>;

export const rowsAllowed = 60;
const row = (i: number, change: Partial<Row> = {}): Row => ({
  a: String((i * 37) % 101),
  b: String(((i * 13) % 97) / 10),
  sex: i % 3 === 0 ? "f" : "m",
  outcome: i % 2 === 0 ? "good" : "poor",
  ...change,
});
const base = Array.from({ length: rowsAllowed }, (_, i) => row(i));
const withRow7 = (change: Partial<Row>) => base.map((one, i) => (i === 7 ? { ...one, ...change } : one));

/** Tables that differ from the first in one record, or in everything that can be wrong. */
export const tables: Readonly<Record<string, readonly Row[]>> = {
  base,
  // With it the table is longer than the study allows.
  more: [...base, row(60)],
  less: base.slice(0, -1),
  changed: withRow7({ a: "100", b: "9.6", sex: "f", outcome: "good" }),
  undeclared: withRow7({ sex: "x", outcome: "unknown" }),
  missing: withRow7({ a: null, outcome: null }),
  words: withRow7({ a: "twelve", b: "NaN" }),
  outside: withRow7({ a: "1e300", b: "-5" }),
  hopeless: Array.from({ length: 200 }, () => row(1, { a: "?", sex: "x", outcome: "unknown" })),
  empty: [],
};
const brokenCsv = ["1,2", "1,2,f,good,more", '"x"y,2,f,good'];
const brokenJson = ["{", '"x"', "[1, 2]"];
/** Lines that a file's format cannot take apart. */
export const brokenLines: Readonly<Partial<Record<Format, readonly string[]>>> = {
  csv: brokenCsv,
  jsonl: brokenJson,
  duckdb: brokenCsv,
  fhir: brokenJson,
};

const columns = ["a", "b", "sex", "outcome"] as const;
const sqlText = (text: string | null) => (text === null ? "NULL" : `'${text.replaceAll("'", "''")}'`);
const values = (rows: readonly Row[]) =>
  rows.map((one) => `(${columns.map((name) => sqlText(one[name])).join(", ")})`).join(", ");
/** All columns are text, so that each format can hold each record. */
const selectOf = (rows: readonly Row[], type: string) => {
  const names = columns.map((name) => `CAST(${name} AS ${type}) AS ${name}`).join(", ");
  const from = rows.length > 0 ? values(rows) : `(${columns.map(() => "NULL").join(", ")})`;
  return `SELECT ${names} FROM (VALUES ${from}) AS t(${columns.join(", ")})${rows.length > 0 ? "" : " WHERE false"}`;
};

export type Config = Record<string, unknown>;
export type Format = "csv" | "jsonl" | "parquet" | "sqlite" | "postgres" | "duckdb" | "fhir";

/** @param broken - lines that no record can be made of */
export async function csvTable<C extends string>(
  folder: string,
  name: string,
  names: readonly C[],
  rows: readonly Readonly<Record<C, string | null>>[],
  broken: readonly string[] = [],
): Promise<Config> {
  const path = join(folder, `${name}.csv`);
  const lines = rows.map((one) => names.map((column) => one[column] ?? "").join(","));
  await writeFile(path, [names.join(","), ...lines.toSpliced(3, 0, ...broken), ""].join("\n"));
  return { path, csv: { header: true }, unit: "rows" };
}

export async function writeTable(
  folder: string,
  format: Format,
  name: string,
  rows: readonly Row[],
  postgres: TestPostgres | null,
  broken: readonly string[] = [],
): Promise<Config> {
  const path = join(folder, `${name}.${format}`);
  const jsonLines = (more: object) =>
    [...rows.map((one) => JSON.stringify({ ...more, ...one })).toSpliced(3, 0, ...broken), ""].join("\n");
  switch (format) {
    case "csv":
      return csvTable(folder, name, columns, rows, broken);
    case "jsonl": {
      await writeFile(path, jsonLines({}));
      return { path, unit: "rows" };
    }
    case "parquet": {
      const instance = await DuckDBInstance.create(":memory:");
      const connection = await instance.connect();
      await connection.run(`COPY (${selectOf(rows, "VARCHAR")}) TO '${path}' (FORMAT parquet)`);
      connection.closeSync();
      instance.closeSync();
      return { path, unit: "rows" };
    }
    case "sqlite": {
      const database = new Database(path);
      database.exec(`CREATE TABLE records AS ${sqliteSelect(rows)}`);
      database.close();
      return { path, unit: "rows" };
    }
    case "postgres":
      return { postgres: { url: postgres!.url(), query: selectOf(rows, "text") }, unit: "rows" };
    case "duckdb": {
      const { path: file, csv } = await csvTable(folder, `${format}-${name}`, columns, rows, broken);
      const query =
        "SELECT t.* FROM t JOIN (SELECT DISTINCT sex FROM t) AS s ON t.sex IS NOT DISTINCT FROM s.sex";
      return { duckdb: { files: { t: { path: file, csv } }, query }, unit: "rows" };
    }
    case "fhir": {
      await writeFile(path, jsonLines({ resourceType: "Basic" }));
      const select = [{ column: columns.map((column) => ({ name: column, path: column })) }];
      return {
        fhir: { files: { Basic: path }, views: { v: { resource: "Basic", select } } },
        unit: "rows",
      };
    }
  }
}

function sqliteSelect(rows: readonly Row[]): string {
  const one = (each: Row) =>
    `SELECT ${columns.map((name) => `${sqlText(each[name])} AS ${name}`).join(", ")}`;
  return rows.length > 0 ? rows.map(one).join(" UNION ALL ") : `${one(row(0))} WHERE 0`;
}

export const formats: readonly Format[] = ["csv", "jsonl", "parquet", "sqlite", "postgres", "duckdb", "fhir"];
export const tableName = (format: Format, kind: string) => `${format}-${kind}`;
/** A table of which hardly a record fits. */
export const everyWrong = "every-wrong";

/** Writes all kinds of tables in all formats. @returns a site's configuration of them */
export async function writeEveryTable(
  folder: string,
  postgres: TestPostgres | null,
): Promise<Record<string, Config>> {
  const all: Record<string, Config> = {};
  for (const format of formats) {
    if (format === "postgres" && postgres === null) continue;
    for (const [kind, rows] of Object.entries(tables))
      all[tableName(format, kind)] = await writeTable(folder, format, kind, rows, postgres);
  }
  for (const format of formats) {
    if (brokenLines[format] === undefined) continue;
    const name = tableName(format, "broken");
    all[name] = await writeTable(folder, format, "broken", tables.base!, null, brokenLines[format]);
  }
  const wrong = [...tables.hopeless!, ...tables.words!, ...tables.undeclared!, ...tables.missing!];
  all[everyWrong] = await writeTable(folder, "csv", everyWrong, wrong, null, brokenLines.csv);
  return all;
}

/** Tables of which one record, or one cell that no study reads, keeps a reader from the whole. */
export async function writeSpoiledTables(
  folder: string,
  postgres: TestPostgres | null,
): Promise<Record<string, Config>> {
  const all: Record<string, Config> = {};
  const names = [...columns, "note"];
  const lines = base.map((one) => [...columns.map((name) => one[name]), "calm"].join(","));
  const csv = async (what: string, bytes: Uint8Array | string, more: object = {}) => {
    const path = join(folder, `spoiled-${what}.csv`);
    await writeFile(path, bytes);
    all[`spoiled-csv-${what}`] = { path, csv: { header: true, ...more }, unit: "rows" };
  };
  const latin1 = (text: string) => Buffer.from(text, "latin1");
  const text = (row7: string) => [names.join(","), ...lines.with(7, row7), ""].join("\n");
  await csv("bad-byte-unread", latin1(text(lines[7]!.replace("calm", "cal\xff"))));
  await csv("surrogate", Buffer.from(text(lines[7]!.replace("calm", "ca\ud800lm")), "utf16le"), {
    encoding: "utf-16",
  });
  const json = join(folder, "spoiled.jsonl");
  const objects = base.map((one) => JSON.stringify({ ...one, note: "calm" })).join("\n");
  await writeFile(json, latin1(objects.replace('"calm"', '"cal\xff"')));
  all["spoiled-jsonl-bad-byte"] = { path: json, unit: "rows" };
  const parquet = join(folder, "spoiled.parquet");
  const instance = await DuckDBInstance.create(":memory:");
  const connection = await instance.connect();
  const marked = withRow7({ sex: "SPOILED" });
  await connection.run(
    `COPY (${selectOf(marked, "VARCHAR")}) TO '${parquet}' (FORMAT parquet, COMPRESSION uncompressed)`,
  );
  connection.closeSync();
  instance.closeSync();
  const stored = await readFile(parquet);
  for (let at = stored.indexOf("SPOILED"); at !== -1; at = stored.indexOf("SPOILED", at))
    stored.fill(0xff, at, at + 7);
  await writeFile(parquet, stored);
  all["spoiled-parquet-bad-text"] = { path: parquet, unit: "rows" };
  const { path } = await csvTable(folder, "spoiled-query", columns, base);
  const overflow =
    "SELECT * FROM t WHERE len(a) + CASE WHEN a = '37' THEN 9223372036854775807 ELSE 0 END > 0";
  all["spoiled-duckdb-query"] = {
    duckdb: { files: { t: { path, csv: { header: true } } }, query: overflow },
    unit: "rows",
  };
  if (postgres !== null) {
    const query = `SELECT * FROM (${selectOf(base, "text")}) AS t WHERE CASE WHEN a = '37' THEN 1 / (length(a) - 2) ELSE 1 END = 1`;
    all["spoiled-postgres-query"] = { postgres: { url: postgres.url(), query }, unit: "rows" };
  }
  return all;
}

/** How each table that is written as hospitals write theirs is described, where a word is not enough. */
const writtenKeys: Readonly<Record<string, Config>> = {
  "csv/excel-sep-line.csv": { csv: { header: true, skipRows: 1, delimiter: ";", decimal: "," } },
  "csv/euro-in-latin-1.csv": { csv: { header: true, encoding: "latin-1" } },
};
/** Bytes of any kind in one record: so many draws. */
const draws = inGate(4, { whole: 60 });

/** Tables as hospitals write theirs, most of them said to be plain CSV; and the plain one with bytes of any kind in a record. */
export async function writeWrittenTables(folder: string): Promise<Record<string, Config>> {
  const all: Record<string, Config> = {};
  const add = (name: string, path: string, keys: Config) => {
    all[name] = { path, ...keys, unit: "rows" };
  };
  const plain = { csv: { header: true } };
  // A file that is cut is waited for: no record says that.
  for (const way of writtenWays.filter((one) => !one.includes("cut-at-a-row"))) {
    const path = join(folder, way.replace("/", "-"));
    await writeAsWritten(way, path);
    add(writtenName(way), path, writtenKeys[way] ?? (way.startsWith("csv/") ? plain : {}));
  }
  const clean = (await readFile(join(folder, "csv-clean.csv"), "latin1")).split("\n");
  const noise = fc.tuple(fc.uint8Array({ minLength: 1, maxLength: 24 }), fc.nat(40));
  for (const [i, [bytes, at]] of fc.sample(noise, { numRuns: draws, seed: 7 }).entries()) {
    const path = join(folder, `drawn-${i}.csv`);
    const line = clean[100]!;
    const odd = `${line.slice(0, at)}${Buffer.from(bytes).toString("latin1")}${line.slice(at)}`;
    await writeFile(path, clean.with(100, odd).join("\n"), "latin1");
    add(`written-drawn-${i}`, path, plain);
  }
  return all;
}

/** @param way - of `writtenWays`. @returns a table's name */
export const writtenName = (way: string) => `written-${way.replaceAll(/[^A-Za-z0-9-]/g, "-")}`;
