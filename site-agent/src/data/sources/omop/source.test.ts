import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type OmopPlan, omopPlanSchema, personColumn } from "@consilium/core/omop/plan";
import { unwrap } from "@consilium/core/result";
import type { Study } from "@consilium/core/study/study";
import { parseStudy } from "@consilium/methods/testing/studies";
import { english } from "@consilium/runtime/http/spoken";
import { postgresPrograms, TestPostgres } from "@consilium/runtime/testing/postgres/postgres";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parse } from "yaml";
import { type Cdm, type HandRow, readCdm, rowsByHand } from "../../../../testing/data/omopByHand.js";
import { omopInPostgres } from "../../../../testing/data/omopInPostgres.js";
import { fullPlan, omopStudy } from "../../../../testing/data/omopPlans.js";
import { seededUniform } from "../../../../testing/data/seededUniform.js";
import { syntheticConcepts as concepts, writeSyntheticCdm } from "../../../../testing/data/syntheticCdm.js";
import { csvText, duckdb, temporaryFolder } from "../../../../testing/data/writeTable.js";
import { tableFacts } from "../../../doctor/tables.js";
import { Engines } from "../../../engines/engines.js";
import { type CellRequest, LevelIndex, MissingValues } from "../../cells.js";
import { DuckDbEngine } from "../../duckdbEngine.js";
import { filesSignature } from "../../heldBlocks.js";
import { openSource } from "../../openSource.js";
import { tablePlace } from "../../place.js";
import { openTable } from "../../preflight.js";
import { checkTable } from "../../snapshot.js";
import { defaultReadLimits } from "../../source.js";
import { type TableConfig, tableConfigSchema } from "../../tableConfig.js";
import { TableSources } from "../../tableSources.js";
import { boundedStudy, unitOf } from "../../tableUnit.js";
import { databaseReaders } from "../readers.js";
import { databaseSource } from "../shared/databaseSource.js";
import { cdmTables } from "./query.js";
import { omopDatabaseQuery } from "./source.js";

const programs = postgresPrograms();
const datasets = process.env.CONSILIUM_DATASETS;
const real = datasets === undefined ? null : join(datasets, "omop-synthea27nj");
if (real === null)
  process.stderr.write("SKIPPED: CONSILIUM_DATASETS is not set, so no real OMOP structure is read\n");
const upper = (table: string) => table.toUpperCase();

const studyOf = (plan: OmopPlan): Study => unwrap(parseStudy(omopStudy(plan)));

const table = (omop: object): TableConfig => tableConfigSchema.parse({ name: "cohort", omop });

/** Every row as the site reads it, by the person's number. */
async function rowsOf(config: TableConfig, study: Study): Promise<Map<string, HandRow>> {
  const { source, files } = await openSource(config, study);
  const plan = study.omop!;
  const sexes = new LevelIndex({ name: "sex", levels: ["female", "male"] }, new MissingValues([]));
  const requests: CellRequest[] = [
    ...plan.columns.map(
      ({ name, value }): CellRequest =>
        value === "sex" ? { kind: "level", name, levels: sexes } : { kind: "number", name },
    ),
    { kind: "number", name: personColumn },
  ];
  const rows = new Map<string, HandRow>();
  for await (const chunk of source.read(files[0]!, requests, {})) {
    for (let r = 0; r < chunk.rows; r++) {
      const person = String(chunk.columns.at(-1)![r]);
      expect(rows.has(person)).toBe(false);
      const cells = plan.columns.map(({ name, value }, k) => {
        const cell = chunk.columns[k]![r]!;
        if (value === "sex") return [name, cell === -1 ? null : ["female", "male"][cell]];
        return [name, Number.isNaN(cell) ? null : cell];
      });
      rows.set(person, Object.fromEntries(cells));
    }
  }
  return rows;
}

const { diabetes, heartFailure, units } = concepts;

/** Windows, events, concept sets and the index at random, over the made-up vocabulary. */
function randomPlan(seed: number): OmopPlan {
  const uniform = seededUniform(seed);
  const below = (n: number) => Math.floor(uniform() * n);
  const pick = <T>(of: readonly T[]): T => of[below(of.length)]!;
  const known = [
    ["condition", [...Object.values(diabetes), ...Object.values(heartFailure)]],
    ["drug", [concepts.metformin]],
    ["visit", [concepts.inpatient, concepts.outpatient]],
    ["procedure", [concepts.eyeExam]],
    ["measurement", [concepts.hba1c, concepts.systolic]],
    ["observation", [concepts.smoker]],
  ] as const;
  const conceptSets: Record<string, object[]> = {};
  const event = () => {
    const [domain, all] = pick(known);
    const name = `set-${Object.keys(conceptSets).length}`;
    const items = Array.from({ length: 1 + below(3) }, () => ({
      concept: pick<number>(all),
      descendants: uniform() < 0.6,
    }));
    conceptSets[name] = items.map((item, at) => ({ ...item, excluded: at > 0 && uniform() < 0.4 }));
    return { domain, concepts: name };
  };
  const index = {
    ...event(),
    occurrence: pick(["first", "last"]),
    ...(uniform() < 0.5 && { from: "2012-06-15", to: "2018-01-31" }),
    ...(uniform() < 0.3 && { observed: { daysBefore: below(400), daysAfter: below(400) } }),
  };
  const columns = Array.from({ length: 8 }, (_, at) => {
    const days = [-below(3000), below(3000)].map((day) => (uniform() < 0.2 ? 0 : day));
    const { domain, concepts: set } = event();
    const hasValues = domain === "measurement" || domain === "observation";
    const value = pick(["any", "count", "days-to", ...(hasValues ? ["last"] : [])]);
    const unit = value === "last" && { unit: pick([units.percent, units.mmHg, "any"]) };
    return { name: `column ${at}`, value, domain, concepts: set, days, ...unit };
  });
  return omopPlanSchema.parse({ cdm: "5.4", conceptSets, index, columns });
}

const plans: readonly (readonly [string, OmopPlan])[] = [
  ["first events", fullPlan()],
  ["last events of a period", fullPlan({ occurrence: "last", from: "2012-02-29", to: "2017-12-31" })],
  ["observed persons", fullPlan({ observed: { daysBefore: 300, daysAfter: 100 } })],
];

describe("an OMOP database", () => {
  const folder = temporaryFolder();
  const synthetic = join(folder, "cdm");
  let cdm: Cdm;
  let server: TestPostgres | null = null;
  beforeAll(async () => {
    await writeSyntheticCdm(synthetic, { persons: 400, seed: 11 });
    cdm = readCdm(synthetic);
    if (programs !== null) {
      server = await TestPostgres.start(programs);
      omopInPostgres(server, "cdm", synthetic);
      if (real !== null) omopInPostgres(server, "synthea", real, upper);
    }
  });
  afterAll(() => server?.remove());

  const places = (): [string, object][] => [
    ["DuckDB over files", { files: synthetic }],
    ...(server === null
      ? []
      : [["PostgreSQL", { postgres: { url: server.url() }, schema: "cdm" }] as [string, object]]),
  ];

  test.each(plans)("gives the rows that a reader of the files works out by hand: %s", async (_, plan) => {
    const expected = rowsByHand(plan, cdm);
    expect(expected.size).toBeGreaterThan(50);
    // Each column has values and, where it can, gaps: otherwise the comparison would show little.
    for (const { name, value } of plan.columns) {
      const cells = [...expected.values()].map((row) => row[name]!);
      expect(new Set(cells).size, name).toBeGreaterThan(1);
      if (value === "last" || value === "days-to" || value === "sex") expect(cells, name).toContain(null);
    }
    for (const [place, omop] of places())
      expect(await rowsOf(table(omop), studyOf(plan)), place).toEqual(expected);
  });

  test.each([1, 2, 3, 4, 5, 6])(
    "gives what is worked out by hand for a plan made at random: seed %d",
    async (seed) => {
      const plan = randomPlan(seed);
      const expected = rowsByHand(plan, cdm);
      for (const [place, omop] of places())
        expect(await rowsOf(table(omop), studyOf(plan)), place).toEqual(expected);
    },
  );

  test("counts a person once, even where PERSON lists them twice", async () => {
    const doubled = join(folder, "doubled");
    cpSync(synthetic, doubled, { recursive: true });
    const path = join(doubled, "person.csv");
    const [header, ...lines] = readFileSync(path, "utf8").trimEnd().split("\n");
    writeFileSync(path, `${[header, ...lines, ...lines].join("\n")}\n`);
    const plan = fullPlan();
    expect(await rowsOf(table({ files: doubled }), studyOf(plan))).toEqual(rowsByHand(plan, cdm));
  });

  test("has one content hash whichever database and format it is in, and as a CSV file of the same features", async () => {
    const parquet = join(folder, "parquet");
    mkdirSync(parquet);
    await duckdb(
      Object.keys(cdm).map(
        (name) =>
          `COPY (FROM read_csv('${join(synthetic, `${name}.csv`)}', header = true)) TO '${join(parquet, `${name.toUpperCase()}.parquet`)}' (FORMAT parquet)`,
      ),
    );
    const athena = join(folder, "athena");
    cpSync(synthetic, athena, { recursive: true });
    const ancestor = join(athena, "concept_ancestor.csv");
    writeFileSync(ancestor, readFileSync(ancestor, "utf8").replaceAll(",", "\t"));
    // One table in parts.
    const parts = join(athena, "measurement");
    mkdirSync(parts);
    const [header, ...lines] = readFileSync(join(synthetic, "measurement.csv"), "utf8").trimEnd().split("\n");
    writeFileSync(join(parts, "1.csv"), `${[header, ...lines.slice(0, 100)].join("\n")}\n`);
    writeFileSync(join(parts, "2.csv"), `${[header, ...lines.slice(100)].join("\n")}\n`);
    rmSync(join(athena, "measurement.csv"));

    const plan = fullPlan();
    const study = studyOf(plan);
    const made = join(folder, "features.csv");
    const names = [...plan.columns.map(({ name }) => name), personColumn];
    const rows = [...rowsByHand(plan, cdm)].map(([person, row]) =>
      names.map((name) => row[name] ?? (name === personColumn ? person : null)),
    );
    writeFileSync(made, csvText({ names, rows }));
    const csv = tableConfigSchema.parse({
      name: "cohort",
      path: made,
      unit: { patient: { column: personColumn, maxRows: 1 } },
    });
    const secret = new Uint8Array(32).fill(7);
    const hashOf = async (config: TableConfig) => {
      const { rows, contentHash } = unwrap(
        await openTable(config, boundedStudy(study, unitOf(config)), { secret }),
      );
      return { rows, contentHash };
    };
    const expected = await hashOf(csv);
    expect(expected.rows).toBe(rows.length);
    const all = [
      ...places(),
      ["Parquet", { files: parquet }],
      ["tabs and parts", { files: athena }],
    ] as const;
    for (const [place, omop] of all)
      expect(await hashOf(table(omop as object)), place as string).toEqual(expected);
  });

  test.skipIf(real === null)(
    "of real structure gives what a reader of the files works out by hand",
    async () => {
      const synthea = readCdm(real!, upper);
      const plan = omopPlanSchema.parse({
        cdm: "5.4",
        conceptSets: {
          sinusitis: [{ concept: 40481087, name: "Viral sinusitis" }],
          stress: [{ concept: 4251306, name: "Stress" }],
          acetaminophen: [{ concept: 1127433 }],
          systolic: [{ concept: 3004249 }],
          weight: [{ concept: 3025315 }],
          smoking: [{ concept: 43054909 }],
          reconciliation: [{ concept: 4326177 }],
          emergency: [{ concept: 9203 }],
        },
        index: { domain: "condition", concepts: "sinusitis" },
        columns: [
          { name: "age", value: "age" },
          { name: "sex", value: "sex" },
          {
            name: "systolic",
            value: "last",
            domain: "measurement",
            concepts: "systolic",
            unit: 8876,
            days: [-3650, 0],
          },
          {
            name: "weight",
            value: "last",
            domain: "measurement",
            concepts: "weight",
            unit: 9529,
            days: [-3650, 3650],
          },
          { name: "drug", value: "any", domain: "drug", concepts: "acetaminophen", days: [-3650, 3650] },
          {
            name: "smoking",
            value: "count",
            domain: "observation",
            concepts: "smoking",
            days: [-3650, 3650],
          },
          {
            name: "reconciled",
            value: "count",
            domain: "procedure",
            concepts: "reconciliation",
            days: [-9000, 9000],
          },
          { name: "emergency", value: "days-to", domain: "visit", concepts: "emergency", days: [1, 9000] },
          { name: "stress", value: "any", domain: "condition", concepts: "stress", days: [-9000, 0] },
        ],
      });
      const expected = rowsByHand(plan, synthea);
      expect(expected.size).toBe(23);
      expect(await rowsOf(table({ files: real! }), studyOf(plan))).toEqual(expected);
      if (server === null) return;
      const inPostgres = table({ postgres: { url: server.url() }, schema: "synthea" });
      expect(await rowsOf(inPostgres, studyOf(plan))).toEqual(expected);
    },
  );

  test("is told without a plan by its persons alone, and refuses a study without one", async () => {
    const plan = fullPlan();
    const { omop: _, ...rest } = studyOf(plan);
    for (const [place, omop] of places()) {
      const { source, files } = await openSource(table(omop));
      expect(
        (await source.columns(files[0]!)).map(({ name }) => name),
        place,
      ).toEqual([personColumn]);
      const checked = await checkTable(table(omop), rest as Study);
      expect(checked.ok ? null : checked.error.code).toBe("OMOP_PLAN_MISSING");
      expect((await checkTable(table(omop), studyOf(plan))).ok).toBe(true);
    }
  });

  test("says which table or column of the CDM is missing, and which is there twice", async () => {
    const study = studyOf(fullPlan());
    const broken = async (change: (folder: string) => void) => {
      const own = join(folder, "broken");
      rmSync(own, { recursive: true, force: true });
      cpSync(synthetic, own, { recursive: true });
      change(own);
      const checked = await checkTable(table({ files: own }), study);
      return checked.ok ? null : english(checked.error.describe());
    };
    expect(await broken(() => undefined)).toBeNull();
    expect(await broken((own) => rmSync(join(own, "concept_ancestor.csv")))).toMatch(
      /TABLE_UNREADABLE.*the OMOP folder has no table CONCEPT_ANCESTOR/,
    );
    expect(await broken((own) => cpSync(join(own, "person.csv"), join(own, "PERSON.csv")))).toMatch(
      /CONFIG_INVALID.*the OMOP folder has PERSON twice/,
    );
    const renamed = (own: string) => {
      const path = join(own, "measurement.csv");
      writeFileSync(path, readFileSync(path, "utf8").replace("value_as_number", "value"));
    };
    expect(await broken(renamed)).toMatch(/COLUMN_MISSING.*MEASUREMENT: no column value_as_number/);
    expect(await broken((own) => rmSync(own, { recursive: true }))).toMatch(/TABLE_AWAY.*ENOENT/);
  });

  test("takes cells that are nothing of their type for missing, and rows that are none for none", async () => {
    const strange = join(folder, "strange");
    cpSync(synthetic, strange, { recursive: true });
    const add = (name: string, text: string) => {
      const path = join(strange, name);
      writeFileSync(path, `${readFileSync(path, "utf8")}${text}`);
    };
    add(
      "condition_occurrence.csv",
      `x,1,${diabetes.type2},not a day,\n77,nobody,${diabetes.type2},2013-01-01,\n1,2\n`,
    );
    add("person.csv", "abc,,,,\n");
    const plan = fullPlan();
    expect(await rowsOf(table({ files: strange }), studyOf(plan))).toEqual(rowsByHand(plan, cdm));
    // A day as a number is a day.
    const numbered = join(folder, "numbered");
    cpSync(synthetic, numbered, { recursive: true });
    const path = join(numbered, "condition_occurrence.csv");
    writeFileSync(path, readFileSync(path, "utf8").replaceAll(/(\d{4})-(\d\d)-(\d\d),/g, "$1$2$3,"));
    expect(await rowsOf(table({ files: numbered }), studyOf(plan))).toEqual(rowsByHand(plan, cdm));
  });

  test("is read by a DuckDB that can reach no other file, and not be told otherwise", async () => {
    const own = join(synthetic, "person.csv");
    const other = join(synthetic, "visit_occurrence.csv");
    const engine = await DuckDbEngine.open(defaultReadLimits, 0, { files: [own] });
    try {
      await engine.define([`CREATE VIEW own AS FROM read_csv('${own}', header = true)`], tablePlace("own"));
      const refused = [
        `CREATE TABLE other AS FROM read_csv('${other}', header = true)`,
        `CREATE TABLE listed AS FROM glob('${synthetic}/*')`,
        `COPY (SELECT 1) TO '${join(folder, "out.csv")}'`,
        `ATTACH '${join(folder, "out.db")}'`,
        "INSTALL httpfs",
        "LOAD httpfs",
        "SET enable_external_access = true",
        `SET allowed_paths = ['${other}']`,
        "RESET lock_configuration",
      ];
      for (const sql of refused)
        await expect(engine.define([sql], tablePlace("refused")), sql).rejects.toMatchObject({
          code: "TABLE_UNREADABLE",
        });
      expect(existsSync(join(folder, "out.csv"))).toBe(false);
    } finally {
      engine.close();
    }
    const open = await DuckDbEngine.open(defaultReadLimits);
    await open.define(
      [`CREATE TABLE other AS FROM read_csv('${other}', header = true)`],
      tablePlace("allowed"),
    );
    open.close();
  });

  test("ends with TABLE_CHANGED where a file is replaced while it is read", async () => {
    const own = join(folder, "replaced");
    cpSync(synthetic, own, { recursive: true });
    const { source, files } = await openSource(table({ files: own }), studyOf(fullPlan()));
    const read = async (name: string | null) => {
      for await (const _ of source.read(files[0]!, [{ kind: "number", name: personColumn }], {}))
        if (name !== null) writeFileSync(join(own, name), readFileSync(join(synthetic, name)));
    };
    await read(null);
    await expect(read("measurement.csv")).rejects.toMatchObject({ code: "TABLE_CHANGED" });
  });

  test("refuses files whose path DuckDB would take for a pattern", async () => {
    for (const [name, format, code] of [
      ["plain", "parquet", null],
      ["wards [a-c]", "parquet", "CONFIG_INVALID"],
      ["text [a-c]", "csv", null],
    ] as const) {
      const own = join(folder, name);
      cpSync(synthetic, own, { recursive: true });
      if (format === "parquet") {
        cpSync(join(folder, "parquet", "PERSON.parquet"), join(own, "PERSON.parquet"));
        rmSync(join(own, "person.csv"));
      }
      const checked = await checkTable(table({ files: own }), studyOf(fullPlan()));
      expect(checked.ok ? null : checked.error.code, name).toBe(code);
    }
  });

  test.skipIf(programs === null)("answers as before where dates in PostgreSQL are infinite", async () => {
    const schema = "infinite";
    omopInPostgres(server!, schema, synthetic);
    const drug = "SELECT max(drug_exposure_id) FROM infinite.drug_exposure WHERE drug_concept_id = 1200";
    server!.psql(`UPDATE ${schema}.drug_exposure SET drug_exposure_start_date = 'infinity' WHERE drug_exposure_id = (${drug});
      UPDATE ${schema}.observation_period SET observation_period_end_date = 'infinity' WHERE person_id = 1`);
    /** What a hospital would answer on each date, one after another, about who was ill by then. */
    const asked = ["2011-01-01", "2014-01-01", "2017-01-01", "2019-01-01"].flatMap((to) =>
      (["first", "last"] as const).map((occurrence) => ({ occurrence, to })),
    );
    const observed = { daysBefore: 0, daysAfter: 0 };
    const questions = [...asked, ...asked.slice(2).map((index) => ({ ...index, observed }))].map(fullPlan);
    expect(questions).toHaveLength(14);
    const at = (place: string) => table({ postgres: { url: server!.url() }, schema: place });
    const personsOf = async (place: string, plan: OmopPlan) => [
      ...(await rowsOf(at(place), studyOf(plan))).keys(),
    ];
    for (const plan of questions) {
      const found = await personsOf(schema, plan);
      expect(found).toEqual(await personsOf("cdm", plan));
      expect(found.length).toBeGreaterThan(0);
    }
    // The statements as they would be with dates as they stand.
    const codes: (string | null)[] = [];
    for (const plan of questions) {
      const config = at(schema);
      const query = omopDatabaseQuery(config, config.omop!, studyOf(plan), "postgres");
      const bare = (sql: string) =>
        sql.replaceAll(/CASE WHEN \S+ < DATE \S+ THEN .*? ELSE (CAST\(\S+ AS DATE\)) END/g, "$1");
      const weak = { ...query, with: bare(query.with!) };
      const source = databaseSource(config, await databaseReaders.postgres(config.omop!.postgres!), weak);
      const rows = source.read("cohort", [{ kind: "number", name: "metformin" }], {})[Symbol.asyncIterator]();
      codes.push(
        await rows.next().then(
          () => null,
          ({ code }: { code: string }) => code,
        ),
      );
    }
    expect(new Set(codes)).toEqual(new Set([null, "TABLE_UNREADABLE"]));
  });

  test.skipIf(programs === null)("in PostgreSQL has the types of its DDL", async () => {
    const typed = async (schema: string, column: string, type: string) => {
      server!.psql(`CREATE SCHEMA ${schema}`);
      for (const { name, columns } of cdmTables) {
        const cells = columns.map(([own]) => (own === column ? `${own}::${type}` : own));
        server!.psql(`CREATE VIEW ${schema}.${name} AS SELECT ${cells.join(", ")} FROM cdm.${name}`);
      }
      const checked = await checkTable(
        table({ postgres: { url: server!.url() }, schema }),
        studyOf(fullPlan({ observed: { daysBefore: 0, daysAfter: 0 } })),
      );
      return checked.ok ? null : english(checked.error.describe());
    };
    expect(await typed("timestamps", "condition_start_date", "timestamptz")).toBeNull();
    for (const column of ["condition_start_date", "observation_period_end_date"])
      expect(await typed(`of_${column}`, column, "text")).toMatch(/COLUMN_TYPE.*_date holds no dates/);
    for (const column of ["descendant_concept_id", "month_of_birth"])
      expect(await typed(`of_${column}`, column, "text")).toMatch(/COLUMN_TYPE.* holds no numbers/);
  });

  test.skipIf(programs === null)(
    "in PostgreSQL says that a schema or table is not there, without a value",
    async () => {
      const study = studyOf(fullPlan());
      const at = (schema: string) => table({ postgres: { url: server!.url() }, schema });
      const fault = async (schema: string) => {
        const checked = await checkTable(at(schema), study);
        return checked.ok ? null : english(checked.error.describe());
      };
      expect(await fault("cdm")).toBeNull();
      expect(await fault("nowhere")).toMatch(
        /table "cohort": the query names a table that is not there \(42P01\)/,
      );
    },
  );

  test("is told by doctor and the data-protection record without a query", async () => {
    const study = studyOf(fullPlan());
    for (const [place, omop] of places()) {
      const config = table(omop);
      const [facts] = await tableFacts([config], [study], { engines: new Engines({}) });
      expect(facts, place).toMatchObject({
        fault: null,
        format: "omop",
        columns: study.omop!.columns.length + 1,
      });
      expect(facts!.place).toMatch(/^OMOP in /);
      expect((await tableFacts([config], [], { engines: new Engines({}) }))[0]).toMatchObject({
        fault: null,
        columns: 1,
      });
    }
    const gone = table({ files: join(folder, "gone") });
    expect((await tableFacts([gone], [study], { engines: new Engines({}) }))[0]!.fault?.message).toContain(
      "ENOENT",
    );
  });

  test("shares its budget with every table of the same folder or database", async () => {
    const own = { ...table({ files: synthetic }), name: "own" };
    const one = tableConfigSchema.parse({ name: "one", path: join(synthetic, "person.csv") });
    const other = tableConfigSchema.parse({ name: "other", path: join(folder, "features.csv") });
    const url = "postgres://reader@db.example/warehouse";
    const inDatabase = { ...table({ postgres: { url }, schema: "cdm" }), name: "inDatabase" };
    const query = tableConfigSchema.parse({ name: "query", postgres: { url, query: "SELECT 1" } });
    const oracle = tableConfigSchema.parse({
      name: "oracle",
      oracle: { url: "oracle://reader@db.example/warehouse", passwordFile: "p", query: "SELECT 1" },
    });
    const sources = new TableSources([own, one, other, inDatabase, query, oracle], new Uint8Array(32));
    await sources.resolve();
    expect(sources.overlaps).toEqual([
      ["own", "one"],
      ["inDatabase", "query"],
    ]);
  });

  test("is held in memory as long as none of its files changes", async () => {
    const config = table({ files: synthetic });
    const later = Date.now() + 60_000;
    const before = await filesSignature(config, later);
    expect(before).toContain("person.csv");
    const path = join(synthetic, "visit_occurrence.csv");
    writeFileSync(path, readFileSync(path, "utf8"));
    expect(await filesSignature(config, later)).not.toBe(before);
    expect(await filesSignature(table({ postgres: { url: "postgres://u@localhost/d" } }), later)).toBeNull();
  });

  test("of the example is compiled and read, as far as a made-up vocabulary has its concepts", async () => {
    const text = readFileSync(
      new URL("../../../../../examples/omop/diabetes-heart-failure.yaml", import.meta.url),
      "utf8",
    );
    const study = unwrap(parseStudy(parse(text)));
    for (const [place, omop] of places()) {
      expect((await checkTable(table(omop), boundedStudy(study, unitOf(table(omop))))).ok, place).toBe(true);
      expect((await rowsOf(table(omop), study)).size).toBe(0);
    }
  });

  test("belongs to the patient as its unit, and to no other", () => {
    expect(unitOf(table({ files: synthetic }))).toMatchObject({
      kind: "patient",
      column: personColumn,
      maxRows: 1,
    });
    const parsed = tableConfigSchema.safeParse({ name: "t", omop: { files: "x" }, unit: "rows" });
    expect(parsed.error?.issues[0]?.message).toMatch(/one row for each patient/);
    for (const schema of ["a b", "a;b", 'a"b', "a.b.c", "a'b", ""])
      expect(
        tableConfigSchema.safeParse({
          name: "t",
          omop: { postgres: { url: "postgres://u@localhost/d" }, schema },
        }).success,
        schema,
      ).toBe(false);
    expect(
      tableConfigSchema.safeParse({
        name: "t",
        omop: { files: "x", postgres: { url: "postgres://u@localhost/d" } },
      }).success,
    ).toBe(false);
    expect(tableConfigSchema.safeParse({ name: "t", omop: {} }).success).toBe(false);
  });
});
