import { createHash } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { SiteId } from "@consilium/core/ids";
import { plainKernels } from "@consilium/core/linalg/plain";
import { unwrap } from "@consilium/core/result";
import { planStudy } from "@consilium/core/study/plan";
import { inGate } from "@consilium/core/testing/wholeRun";
import { answered } from "@consilium/methods/testing/families";
import { parseStudy, type Study } from "@consilium/methods/testing/studies";
import { osRandom } from "@consilium/runtime/random";
import { postgresPrograms, TestPostgres } from "@consilium/runtime/testing/postgres/postgres";
import fc from "fast-check";
import Database from "libsql";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { duckdb, temporaryFolder } from "../../testing/data/writeTable.js";
import { processSecret } from "./rowHash.js";
import { sqlName, sqlText } from "./sources/shared/sqlText.js";
import { tableConfigSchema } from "./tableConfig.js";
import { ConfiguredTables } from "./tables.js";

/**
 * One table, stored in every format with the types that the format has: one content hash, one set of integers of a
 * study's stage. A cell is the text that spells its value; what each format makes of it stands in `columns`.
 */

const folder = temporaryFolder();
const programs = postgresPrograms();
let written = 0;

interface Column {
  readonly name: string;
  readonly cell: fc.Arbitrary<string>;
  /** The column's types, and whether JSON has its cells as they are or as text. */
  readonly parquet: string;
  readonly sqlite: string;
  readonly postgres: string;
  readonly json: "literal" | "text";
  readonly feature: object | null;
}

const digits = (most: number) => fc.stringMatching(new RegExp(`^[1-9][0-9]{0,${most - 1}}$`));
const signed = (text: fc.Arbitrary<string>) =>
  fc.tuple(fc.constantFrom("", "-"), text).map((parts) => parts.join(""));
/** A decimal with exactly so many digits behind the point, as a column of decimals prints it. */
const decimal = (before: number, after: number) =>
  signed(
    fc
      .tuple(digits(before), fc.stringMatching(new RegExp(`^[0-9]{${after}}$`)))
      .map(([whole, fraction]) => `${whole}.${fraction}`),
  );
const double = fc
  .oneof(
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.double({ noNaN: true, min: -100, max: 100 }),
    fc.constantFrom(0, -0, 5e-324, 2 ** -1022, 1.7976931348623157e308, 0.1 + 0.2, 2 ** 53 + 2),
  )
  .map((x) => (Object.is(x, -0) ? "-0.0" : String(x)));
const float = fc
  .float({ noNaN: true, noDefaultInfinity: true })
  .map((x) => (Object.is(x, -0) ? "-0.0" : String(x)));
const date = fc
  .date({ min: new Date("1900-01-01"), max: new Date("2199-12-31"), noInvalidDate: true })
  .map((day) => day.toISOString().slice(0, 10));
const spelled = fc
  .tuple(
    fc.constantFrom("", " ", "\t", "\v", "\f "),
    fc.constantFrom("", "+", "-", "+-"),
    fc.constantFrom(
      "7",
      "1_000",
      ".5",
      "5.",
      "1e3",
      "2.5E-2",
      "007",
      "1e1_0",
      "123456789012345678901234567890",
    ),
    fc.constantFrom("", " ", "  \t", "\f"),
  )
  .map((parts) => parts.join(""));

const numeric = (name: string, bound = 1e6) => ({
  name,
  type: "numeric",
  min: -bound,
  max: bound,
  missing: { constant: -0.5 },
});
const levels = (name: string, all: string[]) => ({
  name,
  type: "categorical",
  levels: all,
  missing: "own-level",
});
const text = { parquet: "VARCHAR", sqlite: "TEXT", postgres: "text", json: "text" } as const;
const days = ["2020-02-29", "1999-12-31", "2024-01-01"];

const columns: readonly Column[] = [
  {
    name: "whole",
    cell: signed(digits(18)),
    parquet: "BIGINT",
    sqlite: "INTEGER",
    postgres: "bigint",
    json: "literal",
    feature: numeric("whole", 1e18),
  },
  {
    name: "long",
    cell: signed(digits(38)),
    parquet: "DECIMAL(38,0)",
    sqlite: "TEXT",
    postgres: "numeric",
    json: "literal",
    feature: numeric("long", 1e38),
  },
  {
    name: "decimal",
    cell: decimal(20, 18),
    parquet: "DECIMAL(38,18)",
    sqlite: "TEXT",
    postgres: "numeric(38,18)",
    json: "literal",
    feature: numeric("decimal", 1e20),
  },
  {
    name: "fraction",
    cell: decimal(1, 17),
    parquet: "DECIMAL(18,17)",
    sqlite: "TEXT",
    postgres: "numeric(18,17)",
    json: "literal",
    feature: numeric("fraction", 10),
  },
  {
    name: "price",
    cell: decimal(7, 2),
    parquet: "DECIMAL(9,2)",
    sqlite: "TEXT",
    postgres: "numeric(9,2)",
    json: "literal",
    feature: numeric("price"),
  },
  {
    name: "double",
    cell: double,
    parquet: "DOUBLE",
    sqlite: "REAL",
    postgres: "double precision",
    json: "literal",
    feature: numeric("double", 1e100),
  },
  {
    name: "float",
    cell: float,
    parquet: "FLOAT",
    sqlite: "REAL",
    postgres: "real",
    json: "literal",
    feature: numeric("float", 3e38),
  },
  {
    name: "gaps",
    cell: fc.constantFrom("NaN", "-9", "1.5"),
    parquet: "DOUBLE",
    sqlite: "",
    postgres: "double precision",
    json: "text",
    feature: numeric("gaps"),
  },
  { name: "spelled", cell: spelled, ...text, feature: numeric("spelled", 1e30) },
  {
    name: "word",
    cell: fc.constantFrom("naïve – ü", " 日本 ", "o'clock", '"quoted"', "a,b", "\tx\f", "👩🏽‍⚕️"),
    ...text,
    feature: levels("word", ["naïve – ü", "日本", "o'clock", '"quoted"', "a,b", "x", "👩🏽‍⚕️"]),
  },
  {
    name: "grade",
    cell: fc.constantFrom("1.00", "2.50", "-3.00"),
    parquet: "DECIMAL(4,2)",
    sqlite: "REAL",
    postgres: "numeric(4,2)",
    json: "literal",
    feature: levels("grade", ["2.5", "1", "-3.0"]),
  },
  {
    name: "code",
    cell: fc.constantFrom("9007199254740993", "9007199254740992", "0"),
    parquet: "BIGINT",
    sqlite: "INTEGER",
    postgres: "bigint",
    json: "literal",
    feature: levels("code", ["9007199254740992", "9007199254740993", "0"]),
  },
  {
    name: "flag",
    cell: fc.constantFrom("true", "false"),
    parquet: "BOOLEAN",
    sqlite: "TEXT",
    postgres: "boolean",
    json: "literal",
    feature: levels("flag", ["false", "true"]),
  },
  {
    name: "day",
    cell: fc.constantFrom(...days),
    parquet: "DATE",
    sqlite: "TEXT",
    postgres: "date",
    json: "text",
    feature: levels("day", days),
  },
  {
    name: "who",
    cell: fc.constantFrom("17", "18", "9007199254740993"),
    parquet: "BIGINT",
    sqlite: "INTEGER",
    postgres: "bigint",
    json: "literal",
    feature: null,
  },
  {
    name: "seen",
    cell: date,
    parquet: "DATE",
    sqlite: "TEXT",
    postgres: "date",
    json: "text",
    feature: null,
  },
];

type Cell = string | null;
type Rows = readonly (readonly Cell[])[];
const rows: fc.Arbitrary<Rows> = fc.array(
  fc.tuple(...columns.map(({ cell, name }) => (name === "who" ? cell : fc.option(cell, { freq: 6 })))),
  { minLength: 1, maxLength: 25 },
);

const study: Study = unwrap(
  parseStudy({
    name: "one-table",
    table: "records",
    analysis: "pca",
    method: "dp-pca",
    features: columns.flatMap(({ feature }) => (feature === null ? [] : [feature])),
    patient: { column: "who", maxRows: 2 },
    parameters: { components: 1, form: "two-round" },
    privacy: { epsilon: 1, delta: 1e-6 },
    participation: { maxRowsPerSite: 1_000 },
  }),
);

const csvField = (cell: Cell) => (cell === null ? "" : `"${cell.replaceAll('"', '""')}"`);
const parquetCell = (value: Cell, k: number) =>
  value === null ? "NULL" : `${sqlText(value)}::${columns[k]!.parquet}`;

/** How each format stores the table: from its rows to the entry of a configuration that names it. */
const stores: Record<string, (table: Rows, server: TestPostgres | null) => Promise<object>> = {
  async csv(table) {
    const path = join(folder, `${written++}.csv`);
    const lines = [columns.map(({ name }) => name), ...table.map((row) => row.map(csvField))];
    writeFileSync(path, `${lines.map((line) => line.join(",")).join("\n")}\n`);
    return { path };
  },
  async parquet(table) {
    const path = join(folder, `${written++}.parquet`);
    await duckdb([
      `CREATE TABLE t (${columns.map(({ name, parquet }) => `${sqlName(name)} ${parquet}`).join(", ")})`,
      `INSERT INTO t VALUES ${table.map((row) => `(${row.map(parquetCell).join(", ")})`).join(", ")}`,
      `COPY t TO ${sqlText(path)} (FORMAT parquet)`,
    ]);
    return { path };
  },
  async jsonl(table) {
    const path = join(folder, `${written++}.jsonl`);
    const value = (cell: Cell, k: number) =>
      cell === null ? "null" : columns[k]!.json === "literal" ? cell : JSON.stringify(cell);
    const lines = table.map(
      (row) =>
        `{${row.map((cell, k) => `${JSON.stringify(columns[k]!.name)}: ${value(cell, k)}`).join(", ")}}\n`,
    );
    writeFileSync(path, lines.join(""));
    return { path };
  },
  async sqlite(table) {
    const path = join(folder, `${written++}.db`);
    const database = new Database(path);
    database.exec(
      `CREATE TABLE records (${columns.map(({ name, sqlite }) => `${sqlName(name)} ${sqlite}`).join(", ")})`,
    );
    const insert = database.prepare(`INSERT INTO records VALUES (${columns.map(() => "?").join(", ")})`);
    const stored = (cell: Cell, k: number) => {
      if (cell === null) return null;
      if (columns[k]!.sqlite === "INTEGER") return BigInt(cell);
      return columns[k]!.sqlite === "REAL" ? Number(cell) : cell;
    };
    for (const row of table) insert.run(row.map(stored));
    database.close();
    return { path };
  },
  /** Every other column is typed, in Parquet; the rest is text, in CSV: one query joins the two by a number of the row. */
  async duckdb(table) {
    const path = join(folder, `${written++}.parquet`);
    const isTyped = (_: unknown, k: number) => k % 2 === 0;
    const typed = columns.filter(isTyped);
    const values = table.map((row, n) => `(${[n, ...row.map(parquetCell).filter(isTyped)].join(", ")})`);
    await duckdb([
      `CREATE TABLE t (n INTEGER, ${typed.map(({ name, parquet }) => `${sqlName(name)} ${parquet}`).join(", ")})`,
      `INSERT INTO t VALUES ${values.join(", ")}`,
      `COPY t TO ${sqlText(path)} (FORMAT parquet)`,
    ]);
    const isText = (_: unknown, k: number) => k % 2 === 1;
    const lines = [
      ["n", ...columns.filter(isText).map(({ name }) => name)],
      ...table.map((row, n) => [String(n), ...row.map(csvField).filter(isText)]),
    ];
    const text = join(folder, `${written++}.csv`);
    writeFileSync(text, `${lines.map((line) => line.join(",")).join("\n")}\n`);
    return {
      duckdb: {
        files: { typed: path, plain: { path: text, csv: { header: true } } },
        query: "SELECT * FROM typed JOIN plain ON typed.n = TRY_CAST(plain.n AS INTEGER)",
      },
    };
  },
  async postgres(table, server) {
    const cell = (value: Cell, k: number) =>
      `${value === null ? "NULL" : `E${sqlText(value.replaceAll("\\", "\\\\").replaceAll("\v", "\\x0b"))}`}::${columns[k]!.postgres}`;
    const name = `t${written++}`;
    server!.psql(
      `CREATE TABLE ${name} (${columns.map((column) => `${sqlName(column.name)} ${column.postgres}`).join(", ")});
       INSERT INTO ${name} VALUES ${table.map((row) => `(${row.map(cell).join(", ")})`).join(", ")}`,
    );
    return { postgres: { url: server!.url(), query: `SELECT * FROM ${name}` } };
  },
};

async function seen(table: Rows, store: string, server: TestPostgres | null, orderBy: object) {
  const config = tableConfigSchema.parse({
    name: "records",
    nullValues: ["NaN", "-9"],
    unit: { patient: { column: "who", maxRows: 2, ...orderBy } },
    ...(await stores[store]!(table, server)),
  });
  const tables = new ConfiguredTables([config], folder, processSecret);
  const { rows: used, contentHash } = await tables.preflight(study, {
    minimumRows: 0,
    refuseConstant: false,
  });
  const vector = await answered(planStudy(study).stages[0]!.id, {
    study,
    site: "a" as SiteId,
    sites: 3,
    broadcasts: new Map(),
    sharedSeed: null,
    blocks: tables.read(study, () => undefined),
    kernels: plainKernels(),
    checks: osRandom,
    random: osRandom,
  });
  return { used, contentHash, integers: createHash("sha256").update(vector).digest("hex"), store };
}

describe("one table in every format", () => {
  let server: TestPostgres | null = null;
  beforeAll(async () => {
    if (programs !== null) server = await TestPostgres.start(programs, {});
  });
  afterAll(() => server?.remove());

  test.each([
    ["a keyed hash", {}],
    ["a date", { orderBy: "seen" }],
  ])("gives one content hash and one set of integers, a patient's rows chosen by %s", async (_, orderBy) => {
    await fc.assert(
      fc.asyncProperty(rows, async (table) => {
        const all = [];
        for (const store of Object.keys(stores))
          if (store !== "postgres" || server !== null) all.push(await seen(table, store, server, orderBy));
        for (const other of all) expect({ ...other, store: "" }).toEqual({ ...all[0]!, store: "" });
        expect(await seen(table.toReversed(), "csv", null, orderBy)).toEqual(all[0]);
      }),
      { numRuns: inGate(4, { whole: 8 }) },
    );
  });

  test("one value that is the next float64, another patient, or a row twice make another table", async () => {
    const plain = columns.map(({ name }) => (name === "who" ? "17" : name === "double" ? "0.1" : null));
    const changed = (name: string, value: string) =>
      plain.map((cell, k) => (columns[k]!.name === name ? value : cell));
    const tables = [
      [plain],
      [changed("double", "0.10000000000000002")],
      [changed("long", "12345678901234567890")],
      [changed("who", "18")],
      [plain, plain],
    ];
    const hashes = await Promise.all(
      tables.map(async (table) => (await seen(table, "csv", null, {})).contentHash),
    );
    expect(new Set(hashes).size).toBe(tables.length);
  });
});
