/**
 * One study over five hospitals whose tables are as their systems write them: a CSV file of an old system's, in windows-1252 with
 * semicolons, decimal commas and German dates; Excel's UTF-16; MariaDB; Parquet with Berlin's midnights in UTC; PostgreSQL with periods
 * that have no end, by a query, and in a study of OMOP by the CDM itself. Without noise the model is that of the same records written
 * plainly.
 */
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { postgresPrograms, TestPostgres } from "@consilium/runtime/testing/postgres/postgres";
import { cdmTables } from "@consilium/site-agent/data/sources/omop/query";
import { mariaDbProgram, TestMariaDb } from "@consilium/site-agent/testing/data/mariadb";
import { omopInPostgres } from "@consilium/site-agent/testing/data/omopInPostgres";
import { DuckDBInstance } from "@duckdb/node-api";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { LocalFederation } from "../../scripts/localFederation.js";

const postgres = postgresPrograms();
const mariadb = mariaDbProgram();
const wards = ["Chirurgie", "Innere", "Pädiatrie"];

interface Stay {
  readonly age: number;
  /** Null: below detection. */
  readonly crea: number | null;
  readonly ward: string;
  /** A day of 2015. */
  readonly day: Date;
  readonly died: boolean;
}

const stays = (hospital: number): Stay[] =>
  Array.from({ length: 90 + hospital }, (_, i) => ({
    age: 20 + ((i * 7 + hospital * 11) % 70),
    crea: i % 9 === 0 ? null : ((i * 13 + hospital) % 40) / 8 + 0.5,
    ward: wards[(i + hospital) % 3]!,
    day: new Date(Date.UTC(2015, 0, 1 + ((i * 17 + hospital * 5) % 365))),
    died: (i + hospital) % 5 === 0,
  }));

const iso = (day: Date) => day.toISOString().slice(0, 10);
const german = (day: Date) => iso(day).split("-").reverse().join(".");
const names = ["age", "crea", "ward", "admitted", "died"];
const lines = (rows: readonly (readonly unknown[])[], delimiter: string, end: string) =>
  [names, ...rows].map((row) => `${row.join(delimiter)}${end}`).join("");

/** What counts below a limit of detection of .5 is half of it. */
const plain = (rows: readonly Stay[]) =>
  lines(
    rows.map(({ age, crea, ward, day, died }) => [age, crea ?? 0.25, ward, iso(day), died ? "yes" : "no"]),
    ",",
    "\n",
  );

const feature = { type: "numeric", min: 0 } as const;
const studyOf = (table: string) => ({
  name: `stays-${table}`,
  table,
  analysis: "describe",
  parameters: { bins: 8 },
  privacy: "none",
  participation: { minimumSites: 5, maxRowsPerSite: 200, phaseDeadline: "120s" },
  columns: [{ name: "admitted", type: "date" }],
  features: [
    { name: "age", ...feature, max: 120 },
    { name: "crea", ...feature, max: 10, belowDetection: "half" },
    { name: "ward", type: "categorical", levels: wards },
    { name: "day", ...feature, max: 366, from: "admitted", as: { "days-since": "2015-01-01" } },
    { name: "died", type: "categorical", levels: ["no", "yes"] },
  ],
});

const concepts = { male: 8507, stay: 9201, crea: 3016723, mgPerDl: 8840, death: 4306655 };
/** What a study of OMOP can ask of the same records: it has no dates, and no texts. */
const cohortOf = (table: string) => {
  const { features, columns: _, ...study } = studyOf(table);
  const events = (domain: string, set: string) => ({ domain, concepts: set, days: [0, 0] });
  return {
    ...study,
    features: [
      ...features.filter(({ name }) => name === "age" || name === "crea"),
      { name: "died", type: "categorical", levels: ["0", "1"] },
    ],
    omop: {
      cdm: "5.4",
      conceptSets: {
        stay: [{ concept: concepts.stay }],
        crea: [{ concept: concepts.crea }],
        death: [{ concept: concepts.death }],
      },
      index: { domain: "visit", concepts: "stay", observed: { daysBefore: 30, daysAfter: 365 } },
      columns: [
        { name: "age", value: "age" },
        { name: "crea", value: "last", unit: concepts.mgPerDl, ...events("measurement", "crea") },
        { name: "died", value: "any", ...events("condition", "death") },
      ],
    },
  };
};

/** The entry for a study whose levels are a CDM's. */
function asDigits(entry: object): object {
  const { columns = {} } = entry as { columns?: { died?: { levels: Readonly<Record<string, string>> } } };
  const { levels = { yes: "yes", no: "no" } } = columns.died ?? {};
  const digits = Object.entries(levels).map(([text, level]) => [text, level === "yes" ? "1" : "0"]);
  return { ...entry, columns: { ...columns, died: { levels: Object.fromEntries(digits) } } };
}

/** The records as a CDM, with periods that have begun before all time, and that have no end. @param folder - of CSV files, an empty one */
async function writeCdm(folder: string, rows: readonly Stay[]): Promise<void> {
  const cells: Readonly<
    Record<string, (stay: Stay, person: number) => Readonly<Record<string, unknown>> | null>
  > = {
    person: ({ age }, person) => ({
      person_id: person,
      gender_concept_id: concepts.male,
      year_of_birth: 2015 - age,
      month_of_birth: 1,
      day_of_birth: 1,
    }),
    observation_period: ({ day }, person) => ({
      person_id: person,
      observation_period_start_date: person % 3 === 0 ? "-infinity" : "2014-01-01",
      observation_period_end_date: person % 2 === 0 ? "infinity" : `2017${iso(day).slice(4)}`,
    }),
    visit_occurrence: ({ day }, person) => ({
      person_id: person,
      visit_concept_id: concepts.stay,
      visit_start_date: iso(day),
    }),
    measurement: ({ crea, day }, person) => ({
      measurement_id: person,
      person_id: person,
      measurement_concept_id: concepts.crea,
      measurement_date: iso(day),
      value_as_number: crea ?? 0.25,
      unit_concept_id: concepts.mgPerDl,
    }),
    condition_occurrence: ({ day, died }, person) =>
      died
        ? { person_id: person, condition_concept_id: concepts.death, condition_start_date: iso(day) }
        : null,
  };
  for (const { name, columns } of cdmTables) {
    const names = columns.map(([column]) => column);
    const lines = rows.flatMap((stay, i) => {
      const row = cells[name]?.(stay, i + 1) ?? null;
      return row === null ? [] : [names.map((column) => row[column] ?? "").join(",")];
    });
    await writeFile(join(folder, `${name}.csv`), [names.join(","), ...lines, ""].join("\n"));
  }
}

describe.skipIf(postgres === null || mariadb === null)("tables as hospitals write them", () => {
  let folder: string;
  let federation: LocalFederation;
  let warehouse: TestPostgres;
  let clinic: TestMariaDb;

  async function oldSystem(rows: readonly Stay[]): Promise<object> {
    const comma = (crea: number | null) => (crea === null ? "<0,5" : String(crea).replace(".", ","));
    const cells = rows.map(({ age, crea, ward, day, died }) => [
      age,
      comma(crea),
      ward,
      `${german(day)} 14:30`,
      died ? "J" : "N",
    ]);
    const path = join(folder, "old.csv");
    await writeFile(path, Buffer.from(lines(cells, ";", "\r\n"), "latin1"));
    return {
      path,
      csv: { delimiter: ";", decimal: ",", encoding: "windows-1252", header: true },
      columns: {
        crea: { below: ["<"] },
        admitted: { date: "DD.MM.YYYY" },
        died: { levels: { J: "yes", N: "no" } },
      },
    };
  }

  async function excel(rows: readonly Stay[]): Promise<object> {
    // No-break blanks and taken-apart letters come out of office programs.
    const cells = rows.map(({ age, crea, ward, day, died }) => [
      age,
      crea ?? "<0.5",
      `${ward.normalize("NFD")}\u00a0`,
      iso(day),
      died ? "yes" : "no",
    ]);
    const path = join(folder, "excel.txt");
    await writeFile(path, Buffer.from(`\ufeff${lines(cells, "\t", "\r\n")}`, "utf16le"));
    const csv = { delimiter: "\t", encoding: "utf-16", header: true };
    return { path, format: "csv", csv, columns: { crea: { below: ["<"] } } };
  }

  async function database(rows: readonly Stay[]): Promise<object> {
    await clinic.sql(
      "CREATE TABLE clinic.stays (age SMALLINT, crea VARCHAR(8), ward VARCHAR(20), admitted DATE, died CHAR(1))",
      ...rows.map(
        ({ age, crea, ward, day, died }) =>
          `INSERT INTO clinic.stays VALUES (${age}, '${crea ?? "<0.5"}', '${ward}', '${iso(day)}', '${died ? 1 : 0}')`,
      ),
    );
    return {
      mariadb: {
        url: clinic.url(),
        passwordFile: clinic.passwordFile,
        query: "SELECT * FROM stays",
      },
      columns: { crea: { below: ["<"] }, died: { levels: { 1: "yes", 0: "no" } } },
    };
  }

  async function lake(rows: readonly Stay[]): Promise<object> {
    const path = join(folder, "lake.parquet");
    const instance = await DuckDBInstance.create(":memory:");
    const connection = await instance.connect();
    const values = rows.map(
      ({ age, crea, ward, day, died }) =>
        `(${age}, '${crea ?? "< 0.5"}', '${ward}', TIMESTAMPTZ '${iso(day)} 00:00:00 Europe/Berlin', ${died})`,
    );
    await connection.run(
      `COPY (SELECT * FROM (VALUES ${values.join(", ")}) AS t(${names.join(", ")})) TO '${path}' (FORMAT parquet)`,
    );
    connection.closeSync();
    instance.closeSync();
    return {
      path,
      timeZone: "Europe/Berlin",
      columns: { crea: { below: ["<"] }, died: { levels: { true: "yes", false: "no" } } },
    };
  }

  async function openPeriods(rows: readonly Stay[]): Promise<object> {
    warehouse.psql(
      "CREATE TABLE stays (person_id int, age int, crea text, ward text, admitted timestamp, until date, died boolean)",
    );
    const values = rows.map(
      ({ age, crea, ward, day, died }, i) =>
        `(${i + 1}, ${age}, '${crea ?? "<0.5"}', '${ward}', '${iso(day)} 23:59:59', '${i % 2 === 0 ? "infinity" : iso(day)}', ${died})`,
    );
    warehouse.psql(`INSERT INTO stays VALUES ${values.join(", ")}`);
    const query =
      "SELECT person_id, age, crea, ward, admitted, CASE WHEN died THEN 'yes' ELSE 'no' END AS died FROM stays WHERE until >= admitted::date";
    return { postgres: { url: warehouse.url(), query }, columns: { crea: { below: ["<"] } } };
  }

  async function commonModel(rows: readonly Stay[]): Promise<object> {
    const cdm = join(folder, "cdm");
    await mkdir(cdm);
    await writeCdm(cdm, rows);
    omopInPostgres(warehouse, "cdm", cdm);
    return { omop: { postgres: { url: warehouse.url() }, schema: "cdm" } };
  }

  /** A CDM has a row for each person, and all tables of a hospital that has one count persons. */
  async function ofPersons(
    rows: readonly Stay[],
    tables: Readonly<Record<string, object>>,
  ): Promise<Record<string, object>> {
    const path = join(folder, "persons-plain.csv");
    const [header, ...records] = plain(rows).trimEnd().split("\n");
    await writeFile(
      path,
      [`${header},person_id`, ...records.map((line, i) => `${line},${i + 1}`), ""].join("\n"),
    );
    const unit = { patient: { column: "person_id", maxRows: 1 } };
    const plainly = { path, csv: { header: true }, unit };
    return {
      written: { ...tables.written, unit },
      plain: plainly,
      cohort: await commonModel(rows),
      "cohort-plain": asDigits(plainly),
    };
  }

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "consilium-written-"));
    [warehouse, clinic] = await Promise.all([TestPostgres.start(postgres!), TestMariaDb.start(mariadb!)]);
    federation = await LocalFederation.create(join(folder, "home"), "written");
    const kinds = { oldSystem, excel, database, lake, openPeriods };
    for (const [at, [kind, write]] of Object.entries(kinds).entries()) {
      const rows = stays(at);
      const path = join(folder, `${kind}-plain.csv`);
      await writeFile(path, plain(rows));
      const plainly = { path, csv: { header: true }, unit: "rows" };
      const written = { ...(await write(rows)), unit: "rows" };
      const common = {
        written,
        plain: plainly,
        cohort: asDigits(written),
        "cohort-plain": asDigits(plainly),
      };
      await federation.addSite({
        id: `hospital-${String(at + 1)}`,
        tables: {},
        entries: kind === "openPeriods" ? await ofPersons(rows, common) : common,
        allowNoPrivacy: true,
        policy: { budget: null },
      });
    }
    await federation.waitForSites();
  }, 240_000);
  afterAll(async () => {
    await federation?.remove();
    await Promise.all([warehouse?.remove(), clinic?.remove()]);
    await rm(folder, { recursive: true, force: true });
  });

  /** Every row of every hospital is used. */
  async function released(study: Readonly<Record<string, unknown>>): Promise<unknown> {
    const { id } = await federation.startStudy(study);
    const { release } = await federation.waitForRelease(id, 200_000);
    const read = async (name: string) => (await fetch(`${release!.url}${name}`)).json();
    const { flow } = (await read("result.json")) as { flow: { used: { value: number } } };
    expect(flow.used.value).toBe([0, 1, 2, 3, 4].reduce((sum, at) => sum + stays(at).length, 0));
    return read("model.json");
  }

  it("are one table in a study", async () => {
    expect(await released(studyOf("written"))).toEqual(await released(studyOf("plain")));
  }, 400_000);

  it("are one in a study of OMOP, beside a CDM", async () => {
    expect(await released(cohortOf("cohort"))).toEqual(await released(cohortOf("cohort-plain")));
  }, 400_000);
});
