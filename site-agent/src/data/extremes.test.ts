import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type OmopPlan, personColumn } from "@consilium/core/omop/plan";
import { unwrap } from "@consilium/core/result";
import { numberKinds } from "@consilium/core/study/columnKinds";
import { dateFormats } from "@consilium/core/study/dates";
import { trimBlanks } from "@consilium/core/study/plainText";
import { inGate } from "@consilium/core/testing/wholeRun";
import { parseStudy } from "@consilium/methods/testing/studies";
import { postgresPrograms, TestPostgres } from "@consilium/runtime/testing/postgres/postgres";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { duckdbExtremes, extremeCdm, literal, postgresExtremes, texts } from "../../testing/data/extremes.js";
import { fullPlan, omopStudy } from "../../testing/data/omopPlans.js";
import { studyOver } from "../../testing/data/study.js";
import { duckdb, temporaryFolder } from "../../testing/data/writeTable.js";
import { type CellRequest, LevelIndex, MissingValues, numberFromText } from "./cells.js";
import { checkColumns } from "./columns.js";
import { openSource } from "./openSource.js";
import { PatientHash } from "./patientHash.js";
import { tablePlace } from "./place.js";
import { anyRows, type FoundTable } from "./snapshot.js";
import type { SourceColumn } from "./source.js";
import { cdmTables } from "./sources/omop/query.js";
import { openDatabase } from "./sources/postgres/connection.js";
import { connectOptionsOf, sharedPostgres } from "./sources/postgres/source.js";
import { rowSumOf } from "./sources/shared/databaseSource.js";
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

  test.each(inGate(cdmTypes.duckdb.slice(1, 3), { whole: [...cdmTypes.duckdb] }))(
    "in Parquet and CSV files: $id, $day",
    async (types) => {
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
    },
  );
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
    checkColumns(columns, [request], tablePlace("t"));
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

describe("columns recoded from extreme values", () => {
  const dates = [
    {
      name: "stay",
      type: "numeric",
      from: "x",
      as: { "days-since": "y" },
      min: 0,
      max: 10,
      missing: { constant: 0 },
    },
    {
      name: "age",
      type: "numeric",
      from: "x",
      as: { "age-at": "2015-02-28" },
      min: 0,
      max: 120,
      missing: { constant: 0 },
    },
    {
      name: "year",
      type: "numeric",
      from: "y",
      as: "year",
      min: 1900,
      max: 2000,
      missing: { constant: 1900 },
    },
  ];
  const numbers = [
    { name: "n", type: "numeric", from: "z", min: -1, max: 1, missing: { constant: 0 } },
    {
      name: "group",
      type: "categorical",
      from: "z",
      levels: ["low", "high"],
      missing: "own-level",
      map: [{ below: 0, level: "low" }, { level: "high" }],
    },
    {
      name: "c",
      type: "categorical",
      from: "z",
      map: { NaN: "u", "1e400": "v" },
      levels: ["u", "v"],
      undeclared: "other",
      missing: "own-level",
    },
  ];
  const columns = ["x", "y"].map((name) => ({ name, type: "date" }));

  test.each(["DATE", "TIMESTAMP", "VARCHAR"])(
    "give every row to a study that hides its table: %s",
    async (type) => {
      const values = type === "VARCHAR" ? texts(1000) : duckdbExtremes[type]!;
      const path = join(folder, `recoded-${type}.parquet`);
      const cells = ends(type, values).map((select) => `(${select})`);
      const rows = cells.map(
        (x, at) => `SELECT ${x} AS x, ${cells[(at + 1) % cells.length]} AS y, ${x}::VARCHAR AS z`,
      );
      await duckdb([`COPY (${rows.join(" UNION ALL ")}) TO '${path}' (FORMAT parquet)`]);
      const study = studyOver([...dates, ...numbers], { columns, where: "x != 2020-01-01 or x is missing" });
      let found: FoundTable | null = null;
      const note = (table: FoundTable) => {
        found = table;
      };
      for await (const { rows: used, columns: cells } of anyRows(table({ path }), study, note))
        for (const column of cells) expect(column.subarray(0, used).every(Number.isFinite)).toBe(true);
      expect(found).toMatchObject({ rows: rows.length, malformed: 0 });
    },
  );
});

describe("FHIR resources of extreme values", () => {
  const long = "9".repeat(500);
  const json = [
    "null true 0 -0 1e308 -1.7976931348623157e308 5e-324 1e400 -9223372036854775808 18446744073709551615",
    `${long} 0.${long} [] {} [null] [1,"1",true,{}] ${"[".repeat(500)}${"]".repeat(500)}`,
    `{"reference":"Patient/1/_history/"} {"reference":"${"Patient/".repeat(100)}"}`,
    '{"extension":[{"url":"u"},1],"code":{"code":[1]}}',
  ];
  const written = [
    "x NaN infinity -Infinity 0000-00-00 2020-02-30T25:61:61Z 2020-01-01T00:00:00+99:99 \u0000",
    `9999-12-31T23:59:59.999999999-23:59 0001-01-01T00:00:00+23:59 ${long} ${long}x`,
  ];
  const elements = [
    ...json.join(" ").split(" "),
    ...[...written.join(" ").split(" "), "", " ", `a${" ".repeat(500)}b`].map((one) => JSON.stringify(one)),
  ];
  const paths = [
    "v|v.first()|v[1]|v.code.code|v.exists()|v.empty()|v.exists().not()|v.where($this = 1).first()|v.join(',')",
    "v.where($this > 1 or code.exists()).exists()|v.extension('u').first()|v.ofType(Quantity)|v.getReferenceKey()",
    "getResourceKey()|v + 1|v - w|v * w|v / w|-v|'x' + v|v = w|v != w|v < w|v > w|v <= w|v >= w|v < '2020-01'|(v = w) and (v < 2)",
  ].flatMap((some) => some.split("|"));

  test("a view gives every row", async () => {
    const pairs = elements.flatMap((v, at) =>
      [v, "1", elements[(at + 1) % elements.length]!].map((w) => ({ v, w })),
    );
    const path = join(folder, "Observation.ndjson");
    const line = ({ v, w }: (typeof pairs)[number], at: number) =>
      `{"resourceType": "Observation", "id": "o${at}", "v": ${v}, "w": ${w}}\n`;
    writeFileSync(path, pairs.map(line).join(""));
    const types = inGate(["integer"], { whole: ["string", "integer", "decimal", "boolean"] });
    const typed = types.map((type) => {
      const column = paths.map((of, at) => ({ name: `c${at}`, path: of, type }));
      return [type, { resource: "Observation", select: [{ column }] }] as const;
    });
    const views = {
      ...Object.fromEntries(typed),
      unnested: {
        resource: "Observation",
        where: [{ path: "v.exists() or w > 1" }],
        select: [
          { column: [{ name: "n", path: "%rowIndex" }], forEachOrNull: "v" },
          { repeat: ["v", "code", "extension"], column: [{ name: "m", path: "%rowIndex" }] },
        ],
      },
    };
    for (const [name, view] of Object.entries(views)) {
      const config = table({ fhir: { files: { Observation: path }, views: { [name]: view } } });
      const { source, files } = await openSource(config);
      let count = 0;
      const malformed = { rows: 0 };
      const asked = (await source.columns(files[0]!)).map(({ name: column, kind }): CellRequest => {
        if (numberKinds.has(kind)) return { kind: "number", name: column };
        const levels = new LevelIndex({ name: column, levels: ["true"] }, new MissingValues([]));
        return { kind: "level", name: column, levels };
      });
      for await (const { rows } of source.read(files[0]!, asked, { malformed })) count += rows;
      if (name === "unnested") expect(count).toBeGreaterThan(0);
      else expect(count + malformed.rows).toBe(pairs.length);
    }
  });
});
