/**
 * Bytes of any kind in one record change what is used of that record at most, in each format of text, in tables that DuckDB makes of
 * text, in SQLite and in databases; the number of draws is fixed, and larger in whole runs.
 */

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import type { ConsiliumError } from "@consilium/core/errors";
import { omopPlanSchema } from "@consilium/core/omop/plan";
import { unwrap } from "@consilium/core/result";
import { inEnglish } from "@consilium/core/testing/inEnglish";
import { isWholeRun } from "@consilium/core/testing/wholeRun";
import { parseStudy } from "@consilium/methods/testing/studies";
import { english, spokenError } from "@consilium/runtime/http/spoken";
import { postgresPrograms, TestPostgres } from "@consilium/runtime/testing/postgres/postgres";
import fc from "fast-check";
import Database from "libsql";
import { describe, expect, it } from "vitest";
import { mariaDbProgram, TestMariaDb } from "../../testing/data/mariadb.js";
import { omopStudy } from "../../testing/data/omopPlans.js";
import { studyOver } from "../../testing/data/study.js";
import { duckdb, temporaryFolder } from "../../testing/data/writeTable.js";
import { examineTable } from "../doctor/examineTable.js";
import { openTable } from "./preflight.js";
import { anyRows } from "./snapshot.js";
import { type TableConfig, tableConfigSchema } from "./tableConfig.js";

const folder = temporaryFolder();
const programs = postgresPrograms();
const mariaDb = mariaDbProgram();
const draws = isWholeRun ? 2_000 : 100;
/** Where each draw opens a DuckDB. */
const queryDraws = isWholeRun ? 500 : 25;
const records = 40;
const study = studyOver([
  { name: "x", type: "numeric", min: 0, max: 1_000_000 },
  { name: "c", type: "categorical", levels: ["höher", "€", "a"] },
]);
const levels = ["höher", "€", "a"];

/** Numbers of the records that are used. */
async function used(config: object): Promise<number[]> {
  const found: number[] = [];
  const table = tableConfigSchema.parse({ name: "records", ...config });
  for await (const { rows, columns } of anyRows(table, study, () => undefined))
    for (let r = 0; r < rows; r++)
      if (levels[columns[1]![r]!] === levels[columns[0]![r]! % 3]) found.push(columns[0]![r]!);
  return found;
}

const all = Array.from({ length: records }, (_, x) => x);
/** Quotation marks, line ends and the like are drawn more often than other bytes. */
const noise = fc.array(
  fc.oneof(fc.integer({ min: 0, max: 255 }), fc.constantFrom(...Buffer.from('"\n\r,\\{}[]:\0é€'))),
  { minLength: 1, maxLength: 24 },
);

const csv = (x: number) => `${x},"${levels[x % 3]}",note ${x}\r\n`;
const json = (x: number) => `${JSON.stringify({ x, c: levels[x % 3], note: x })}\n`;
const latin = (text: string) => Buffer.from(text.replaceAll("€", "\x80"), "latin1");
const big = (text: string) => Buffer.from(text, "utf16le").swap16();

const overFiles = (entry: object) => (path: string) => ({
  duckdb: { files: { t: { path, ...entry } }, query: "SELECT x, c FROM t" },
});
const view = {
  resource: "Basic",
  where: [{ path: "note.text.exists()" }],
  select: [{ column: ["x", "c"].map((name) => ({ name, path: name })) }],
};

interface TextFormat {
  readonly name: string;
  readonly ending: string;
  readonly entry: (path: string) => object;
  readonly head: string;
  readonly line: (x: number) => string;
  readonly bytes: (text: string) => Buffer;
  /** Lines that an open quotation mark may take beside its own. */
  readonly lines: number;
  readonly numRuns?: number;
}

const plain =
  (more: object = {}) =>
  (path: string) => ({ path, ...more });
const csvOf = {
  ending: ".csv",
  head: "x,c,note\r\n",
  line: csv,
  bytes: (text: string) => Buffer.from(text),
  lines: 0,
};
const queryOf = { ...csvOf, numRuns: queryDraws };
const formats: readonly TextFormat[] = [
  { ...csvOf, name: "CSV", entry: plain() },
  { ...csvOf, name: "packed CSV", ending: ".csv.gz", entry: plain() },
  { ...csvOf, name: "CSV of several lines a record", entry: plain({ csv: { multiline: 4 } }), lines: 3 },
  { ...csvOf, name: "CSV with an escape", entry: plain({ csv: { escape: "\\" } }) },
  {
    ...csvOf,
    name: "CSV in windows-1252",
    entry: plain({ csv: { encoding: "windows-1252" } }),
    bytes: latin,
  },
  {
    ...csvOf,
    name: "CSV in UTF-16",
    entry: plain({ csv: { encoding: "utf-16" } }),
    bytes: (text) => Buffer.from(text, "utf16le"),
  },
  { ...csvOf, name: "CSV in big-endian UTF-16", entry: plain({ csv: { encoding: "utf-16be" } }), bytes: big },
  {
    ...csvOf,
    name: "CSV without a header row",
    head: "",
    entry: plain({ csv: { header: false, names: ["x", "c", "note"] } }),
  },
  { ...csvOf, name: "JSON lines", ending: ".jsonl", head: "", line: json, entry: plain() },
  { ...queryOf, name: "CSV in a query over files", entry: overFiles({ csv: { header: true } }) },
  {
    ...queryOf,
    name: "packed CSV in UTF-16 in a query over files",
    ending: ".csv.gz",
    entry: overFiles({ csv: { header: true, encoding: "utf-16" } }),
    bytes: (text) => Buffer.from(text, "utf16le"),
  },
  {
    ...queryOf,
    name: "JSON lines in a query over files",
    ending: ".jsonl",
    head: "",
    line: json,
    entry: overFiles({ columns: ["x", "c"] }),
  },
  {
    ...queryOf,
    name: "FHIR resources",
    ending: ".ndjson",
    head: "",
    line: (x) => `${JSON.stringify({ resourceType: "Basic", x, c: levels[x % 3], note: { text: [x] } })}\n`,
    entry: (path) => ({ fhir: { files: { Basic: path }, views: { v: view } } }),
  },
];

describe.each(formats)(
  "bytes of any kind in a record of $name",
  ({ ending, entry, head, line, bytes, lines, numRuns = draws }) => {
    it("change what is used of it at most", async () => {
      const path = join(folder, `t${ending}`);
      const write = (parts: readonly Buffer[]) => {
        const whole = Buffer.concat(parts);
        writeFileSync(path, ending.endsWith(".gz") ? gzipSync(whole) : whole);
      };
      const clean = [bytes(head), ...all.map((x) => bytes(line(x)))];
      write(clean);
      expect(await used(entry(path))).toEqual(all);
      await fc.assert(
        fc.asyncProperty(noise, fc.nat(records - 1), fc.nat(30), fc.nat(6), async (some, x, from, cut) => {
          const own = clean[x + 1]!;
          // The line end stays: what stands behind it is another record.
          const at = Math.min(from, own.length - bytes("\r\n").length);
          const behind = Math.min(at + cut, own.length - bytes("\r\n").length);
          write(
            clean.with(x + 1, Buffer.concat([own.subarray(0, at), Buffer.from(some), own.subarray(behind)])),
          );
          const found = await used(entry(path));
          const others = (of: readonly number[]) => of.filter((one) => one < x || one > x + lines);
          // A record may turn into others' numbers, so each of the others is there at least once.
          expect(others(all).filter((one) => !found.includes(one))).toEqual([]);
          expect(found.length).toBeLessThanOrEqual(records + some.length);
        }),
        { numRuns, seed: 11 },
      );
    });
  },
);

describe("bytes of any kind in a record of OMOP tables", () => {
  const cdm = join(folder, "cdm");
  const person = (x: number) => 1_000_000 + 7_919 * x;
  const written: Readonly<Record<string, { readonly head: string; readonly line: (x: number) => string }>> = {
    person: {
      head: "person_id,gender_concept_id,year_of_birth,month_of_birth,day_of_birth,note",
      line: (x) => `${person(x)},8507,1970,1,1,"note ${x}"`,
    },
    condition_occurrence: {
      head: "condition_occurrence_id,person_id,condition_concept_id,condition_start_date",
      line: (x) => `${x},${person(x)},1,2020-01-01`,
    },
    measurement: {
      head: "measurement_id,person_id,measurement_concept_id,measurement_date,value_as_number,unit_concept_id",
      line: (x) => `${x},${person(x)},2,2020-01-02,${x},3`,
    },
  };
  const plan = omopPlanSchema.parse({
    cdm: "5.4",
    conceptSets: { ill: [{ concept: 1 }], measured: [{ concept: 2 }] },
    index: { domain: "condition", concepts: "ill" },
    columns: [
      { name: "x", value: "last", domain: "measurement", concepts: "measured", unit: "any", days: [0, 9] },
    ],
  });
  const config = tableConfigSchema.parse({ name: "cohort", omop: { files: cdm } });

  it("change what is used of its person at most", async () => {
    const persons = async () => {
      const found: number[] = [];
      for await (const { rows, columns } of anyRows(
        config,
        unwrap(parseStudy(omopStudy(plan))),
        () => undefined,
      ))
        found.push(...columns[0]!.subarray(0, rows));
      return found;
    };
    mkdirSync(cdm);
    writeFileSync(join(cdm, "concept_ancestor.csv"), "ancestor_concept_id,descendant_concept_id\n");
    const text = (name: string) => {
      const { head, line } = written[name]!;
      return [head, ...all.map(line)].map((one) => Buffer.from(`${one}\n`));
    };
    const clean = (name: string) => writeFileSync(join(cdm, `${name}.csv`), Buffer.concat(text(name)));
    for (const name of Object.keys(written)) clean(name);
    expect((await persons()).sort((a, b) => a - b)).toEqual(all);
    const draw = [
      noise,
      fc.nat(records - 1),
      fc.nat(30),
      fc.nat(6),
      fc.constantFrom(...Object.keys(written)),
    ] as const;
    await fc.assert(
      fc.asyncProperty(...draw, async (some, x, from, cut, name) => {
        const lines = text(name);
        const own = lines[x + 1]!;
        const at = Math.min(from, own.length - 1);
        const behind = own.subarray(Math.min(at + cut, own.length - 1));
        const spoiled = Buffer.concat([own.subarray(0, at), Buffer.from(some), behind]);
        writeFileSync(join(cdm, `${name}.csv`), Buffer.concat(lines.with(x + 1, spoiled)));
        const found = await persons();
        clean(name);
        expect(all.filter((one) => one !== x && !found.includes(one))).toEqual([]);
      }),
      { numRuns: queryDraws, seed: 11 },
    );
  });
});

describe("bytes of any kind in a cell of SQLite", () => {
  it.each(["UTF-8", "UTF-16le"])("change what is used of its record at most, in %s", async (encoding) => {
    const path = join(folder, `t-${encoding}.sqlite`);
    const database = new Database(path);
    database.exec(`PRAGMA encoding = '${encoding}'; CREATE TABLE t (x, c)`);
    for (const x of all) database.prepare("INSERT INTO t VALUES (?, ?)").run([x, levels[x % 3]!]);
    expect(await used({ path })).toEqual(all);
    await fc.assert(
      fc.asyncProperty(noise, fc.nat(records - 1), fc.constantFrom("x", "c"), async (some, x, column) => {
        const hex = Buffer.from(some).toString("hex");
        database.exec(`UPDATE t SET ${column} = CAST(x'${hex}' AS TEXT) WHERE rowid = ${x + 1}`);
        const found = await used({ path });
        database.exec(`UPDATE t SET x = ${x}, c = '${levels[x % 3]}' WHERE rowid = ${x + 1}`);
        expect(all.filter((one) => one !== x && !found.includes(one))).toEqual([]);
      }),
      { numRuns: draws, seed: 11 },
    );
    database.close();
  });
});

describe("bytes of any kind in a cell of a database", () => {
  /** @param set - a cell of record x; null: as it was. PostgreSQL takes no NUL for text, in whatever encoding */
  const spoil = async (entry: object, set: (x: number, column: string, hex: string | null) => unknown) => {
    expect((await used(entry)).sort((a, b) => a - b)).toEqual(all);
    const cell = noise.map((some) => some.filter((byte) => byte !== 0));
    await fc.assert(
      fc.asyncProperty(cell, fc.nat(records - 1), fc.constantFrom("x", "c"), async (some, x, column) => {
        await set(x, column, Buffer.from(some).toString("hex"));
        const found = await used(entry);
        await set(x, column, null);
        expect(all.filter((one) => one !== x && !found.includes(one))).toEqual([]);
      }),
      { numRuns: queryDraws, seed: 11 },
    );
  };
  const text = (x: number, column: string) => (column === "x" ? String(x) : levels[x % 3]!);
  const rows = all.map((x) => `(${x}, '${x}', '${levels[x % 3]}')`).join(", ");

  it.skipIf(programs === null)(
    "change what is used of its record at most: PostgreSQL without an encoding",
    async () => {
      const server = await TestPostgres.start(programs!);
      try {
        server.psql("CREATE DATABASE bytes ENCODING 'SQL_ASCII' TEMPLATE template0");
        server.psql(`CREATE TABLE t (id int, x text, c text); INSERT INTO t VALUES ${rows}`, "bytes");
        const url = server.url().replace(/postgres$/, "bytes");
        await spoil({ postgres: { url, query: "SELECT x, c FROM t" } }, (x, column, hex) => {
          const bytes = hex ?? Buffer.from(text(x, column)).toString("hex");
          const value = `convert_from(decode('${bytes}', 'hex'), 'SQL_ASCII')`;
          server.psql(`UPDATE t SET ${column} = ${value} WHERE id = ${x}`, "bytes");
        });
      } finally {
        await server.remove();
      }
    },
  );

  it.skipIf(mariaDb === null).each([
    [
      "bytes that the query converts",
      "VARBINARY(90)",
      "CONVERT(x USING utf8mb4) AS x, CONVERT(c USING utf8mb4) AS c",
    ],
    ["latin1", "VARCHAR(90) CHARACTER SET latin1", "x, c"],
  ])("change what is used of its record at most: MariaDB, %s", async (_, type, columns) => {
    const server = await TestMariaDb.start(mariaDb!);
    try {
      await server.sql(
        "SET SESSION sql_mode = ''",
        `CREATE TABLE clinic.t (id INT, x ${type}, c ${type})`,
        `INSERT INTO clinic.t VALUES ${rows}`,
      );
      const query = `SELECT ${columns} FROM clinic.t`;
      const entry = { mariadb: { url: server.url(), passwordFile: server.passwordFile, query } };
      await spoil(entry, (x, column, hex) => {
        const value = hex === null ? `'${text(x, column)}'` : `X'${hex}'`;
        return server.sql(
          "SET SESSION sql_mode = ''",
          `UPDATE clinic.t SET ${column} = ${value} WHERE id = ${x}`,
        );
      });
    } finally {
      await server.remove();
    }
  });
});

describe("text of Parquet that is not UTF-8", () => {
  const path = join(folder, "t.parquet");
  const column = /^table "[a-z.]+", column "c": text that is not UTF-8$/;

  it("is named with its column, and with what to do, before a study reads it", async () => {
    const mark = "such text";
    await duckdb([
      `COPY (SELECT range AS x, 'a' AS other, '${mark} ' || range AS c FROM range(1000)) TO '${path}' (FORMAT parquet, COMPRESSION uncompressed)`,
    ]);
    const config = tableConfigSchema.parse({ name: "records", path });
    expect(await checkedBy(config)).toBeNull();
    const bytes = readFileSync(path);
    for (let at = bytes.indexOf(`${mark} 500`); at >= 0; at = bytes.indexOf(`${mark} 500`, at + 1))
      bytes[at] = 0xe4;
    writeFileSync(path, bytes);
    const fault = { code: "TABLE_UNREADABLE", remedy: "write the file again with its text in UTF-8" };
    expect(await checkedBy(config)).toMatchObject({ ...fault, message: expect.stringMatching(column) });
    const { fault: seen } = await examineTable(folder, { entry: JSON.stringify({ name: "records", path }) });
    expect(english(seen!.message)).toMatch(column);
    expect(english(seen!.remedy)).toBe(fault.remedy);
    const query = { files: { t: path }, query: "SELECT x, c FROM t" };
    const queried = await checkedBy(tableConfigSchema.parse({ name: "records", duckdb: query }));
    expect(queried).toMatchObject({ ...fault, message: 'table "records": text that is not UTF-8' });
  });

  async function checkedBy(config: TableConfig): Promise<ConsiliumError | null> {
    const free = studyOver([
      { name: "x", type: "numeric", min: 0, max: 1_000_000 },
      { name: "c", type: "categorical", levels: ["a", "b"] },
    ]);
    const opened = await openTable(config, free);
    return opened.ok || opened.error.code === "LEVEL_UNDECLARED" ? null : spokenError(opened.error);
  }
});

describe("a packed file", () => {
  const path = join(folder, "packed.csv.gz");
  const text = `x,c\n${Array.from({ length: 5_000 }, (_, x) => `${x},${levels[x % 3]}\n`).join("")}`;
  const packed = gzipSync(text);

  it.each<[string, Buffer]>([
    ["is cut", packed.subarray(0, packed.length - 200)],
    ["lacks its checksum", packed.subarray(0, packed.length - 8)],
    ["has another checksum", Buffer.concat([packed.subarray(0, -8), Buffer.alloc(4), packed.subarray(-4)])],
  ])("that %s is waited for", async (_, bytes) => {
    writeFileSync(path, bytes);
    await expect(used({ path })).rejects.toMatchObject({ code: "TABLE_AWAY" });
    await expect(inEnglish(used({ path }))).rejects.toThrow(/not complete/);
  });

  it("may have zeros behind its end, or be of several parts", async () => {
    writeFileSync(path, Buffer.concat([packed, Buffer.alloc(1_000)]));
    expect(await used({ path })).toHaveLength(5_000);
    const [first, second] = [text.slice(0, 20_000), text.slice(20_000)];
    writeFileSync(path, Buffer.concat([gzipSync(first), gzipSync(second)]));
    expect(await used({ path })).toHaveLength(5_000);
  });
});
