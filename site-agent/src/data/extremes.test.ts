import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type OmopPlan, personColumn } from "@consilium/core/omop/plan";
import { unwrap } from "@consilium/core/result";
import { dateFormats } from "@consilium/core/study/dates";
import { inGate } from "@consilium/core/testing/wholeRun";
import { parseStudy } from "@consilium/methods/testing/studies";
import { postgresPrograms, TestPostgres } from "@consilium/runtime/testing/postgres/postgres";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { duckdbExtremes, extremeCdm, literal, postgresExtremes, texts } from "../../testing/data/extremes.js";
import { fullPlan, omopStudy } from "../../testing/data/omopPlans.js";
import { duckdb, temporaryFolder } from "../../testing/data/writeTable.js";
import { type CellRequest, LevelIndex, MissingValues, numberFromText, trimBlanks } from "./cells.js";
import { checkColumns } from "./columns.js";
import { rowSumOf } from "./databaseSource.js";
import { cdmTables } from "./omopQuery.js";
import { openSource } from "./openSource.js";
import { PatientHash } from "./patientHash.js";
import { openDatabase } from "./postgresConnection.js";
import { connectOptionsOf, sharedPostgres } from "./postgresSource.js";
import type { SourceColumn } from "./source.js";
import { type TableConfig, tableConfigSchema } from "./tableConfig.js";

/** Whatever a column's type holds, a table is read to its end, and no row is missing. */

const folder = temporaryFolder();
const programs = postgresPrograms();
const observed = { daysBefore: 0, daysAfter: 0 };
const plans: readonly OmopPlan[] = [
  fullPlan({ observed }),
  fullPlan({ occurrence: "last" }),
  fullPlan({ occurrence: "last", from: "2015-01-01", to: "2016-01-01", observed }),
];

const table = (entry: object): TableConfig => tableConfigSchema.parse({ name: "cohort", ...entry });

/** The numbers of the persons whose rows a plan gives. */
async function personsOf(config: TableConfig, plan: OmopPlan): Promise<number[]> {
  const { source, files } = await openSource(config, unwrap(parseStudy(omopStudy(plan))));
  const sexes = new LevelIndex({ name: "sex", levels: ["female", "male"] }, new MissingValues([]));
  const requests: CellRequest[] = [
    ...plan.columns.map(
      ({ name, value }): CellRequest =>
        value === "sex" ? { kind: "level", name, levels: sexes } : { kind: "number", name },
    ),
    { kind: "number", name: personColumn },
  ];
  const persons: number[] = [];
  for await (const { rows, columns } of source.read(files[0]!, requests, {}))
    persons.push(...columns.at(-1)!.subarray(0, rows));
  return persons;
}

/** Whose odd event is the index may have been observed at another time. */
const expectedOf = (plan: OmopPlan, odd: readonly string[]) =>
  odd.flatMap((column, at) => (plan.index.observed && column === "condition_start_date" ? [] : [at + 1]));

describe("an OMOP CDM of extreme values", () => {
  const cdmTypes = {
    postgres: [
      { id: "int4", day: "date", time: "timestamp", value: "numeric" },
      { id: "int2", day: "timestamp", time: "date", value: "float8" },
      { id: "int8", day: "timestamptz", time: "timestamptz", value: "int8" },
      { id: "numeric", day: "date", time: "timestamp", value: "float4" },
      { id: "float8", day: "date", time: "timestamp", value: "int2" },
    ],
    duckdb: [
      { id: "int4", day: "DATE", time: "TIMESTAMP", value: "float8" },
      { id: "int8", day: "TIMESTAMP", time: "DATE", value: "DECIMAL(38, 0)" },
      { id: "HUGEINT", day: "DATE", time: "TIMESTAMP", value: "HUGEINT" },
      { id: "float8", day: "DATE", time: "TIMESTAMP_NS", value: "int8" },
    ],
  } as const;

  describe.skipIf(programs === null)("in PostgreSQL", () => {
    let server: TestPostgres;
    beforeAll(async () => {
      server = await TestPostgres.start(programs!);
    });
    afterAll(() => server?.remove());

    test.each(cdmTypes.postgres)("$id, $day", async (types) => {
      const schema = `of_${types.id}`;
      const { statements, odd } = extremeCdm(types, postgresExtremes, `${schema}.`);
      const path = join(folder, `${schema}.sql`);
      writeFileSync(path, `CREATE SCHEMA ${schema};\n${statements.join(";\n")};\n`);
      server.psql(`\\i ${path}`);
      for (const plan of plans) {
        const found = await personsOf(table({ omop: { postgres: { url: server.url() }, schema } }), plan);
        expect(found).toEqual(expect.arrayContaining(expectedOf(plan, odd)));
      }
    });
  });

  test.each(cdmTypes.duckdb)("in Parquet and CSV files: $id, $day", async (types) => {
    const { statements, odd } = extremeCdm(types, duckdbExtremes);
    for (const format of ["parquet", "csv"]) {
      const files = join(folder, `${types.id}-${format}`);
      mkdirSync(files);
      const copies = cdmTables.map(
        ({ name }) => `COPY ${name} TO '${files}/${name}.${format}' (FORMAT ${format})`,
      );
      await duckdb([...statements, ...copies]);
      for (const plan of plans)
        expect(await personsOf(table({ omop: { files } }), plan), format).toEqual(
          expect.arrayContaining(expectedOf(plan, odd)),
        );
    }
  });
});

/** Everything that is asked of a column: with levels few and many, which DuckDB looks up in two ways. */
const requests: readonly CellRequest[] = [
  { kind: "number", name: "x" },
  ...[["a", "1"], Array.from({ length: 40 }, (_, at) => `level ${at}`)].map((levels): CellRequest => {
    const index = new LevelIndex({ name: "x", levels }, new MissingValues(["-1"]));
    return { kind: "level", name: "x", levels: index };
  }),
  ...dateFormats.map((format): CellRequest => ({ kind: "date", name: "x", format })),
  { kind: "order", name: "x" },
  { kind: "patient", name: "x", hash: new PatientHash(new MissingValues([]), "ab".repeat(32)) },
];

/** Whether a study may ask so of the column. */
function isTaken(columns: readonly SourceColumn[], request: CellRequest): boolean {
  try {
    checkColumns(columns, [request], "");
    return true;
  } catch (thrown) {
    expect(thrown).toMatchObject({ code: "COLUMN_TYPE" });
    return false;
  }
}

async function countRows(config: TableConfig): Promise<number> {
  const { source, files } = await openSource(config);
  const columns = await source.columns(files[0]!);
  const taken = requests.filter((request) => isTaken(columns, request));
  let count = 0;
  for await (const { rows } of source.read(files[0]!, taken, {})) count += rows;
  return count;
}

/** A query of one column whose rows are a type's ends, and NULL. */
const ends = (type: string, values: readonly string[]) =>
  ["NULL", ...values].map(
    (value) => `SELECT ${value === "NULL" ? `CAST(NULL AS ${type})` : literal(type, value)} AS x`,
  );

describe("a column of extreme values", () => {
  const many = [...texts(2_000_000), ...inGate<string[]>([], { whole: ["repeat('x', 40000000)"] })];

  test("of text that is long costs time in proportion to it", () => {
    const long = "1".repeat(10_000_000);
    for (const text of [`${long}x`, `${long}_x`, `1.${long}x`, `.${long}e${long}x`])
      expect(numberFromText(text)).toBe(Number.NEGATIVE_INFINITY);
    expect(trimBlanks(`a${" ".repeat(10_000_000)}b`)).toHaveLength(10_000_002);
  });

  describe.skipIf(programs === null)("in PostgreSQL", () => {
    let server: TestPostgres;
    beforeAll(async () => {
      server = await TestPostgres.start(programs!);
      server.psql("CREATE TYPE mood AS ENUM ('', 'NaN'); CREATE DOMAIN small AS numeric CHECK (value < 5)");
    });
    afterAll(() => server?.remove());

    const own = { mood: ["", "NaN"], small: ["-Infinity", "4"] };
    test.each(Object.entries({ ...postgresExtremes, ...own, text: many }))("%s", async (type, values) => {
      const select = ends(type, values).join(" UNION ALL ");
      const place = { url: server.url() };
      expect(await countRows(table({ postgres: { ...place, query: select } }))).toBe(values.length + 1);
      const shared = sharedPostgres({ options: connectOptionsOf(place), snapshot: "" });
      const snapshot = await openDatabase(connectOptionsOf(place));
      const sum = await rowSumOf(table({ path: "x" }), { database: shared, query: { select }, snapshot });
      await snapshot.close();
      expect(sum.rows).toBe(values.length + 1);
    });
  });

  test.each(Object.entries({ ...duckdbExtremes, VARCHAR: [...many, "chr(0) || 'x'"] }))(
    "in DuckDB: %s",
    async (type, values) => {
      const path = join(folder, `${type.replace(/\W/g, "_")}.parquet`);
      const rows = ends(type, values);
      await duckdb([`COPY (${rows.join(" UNION ALL ")}) TO '${path}' (FORMAT parquet)`]);
      expect(await countRows(table({ path }))).toBe(rows.length);
    },
  );
});
