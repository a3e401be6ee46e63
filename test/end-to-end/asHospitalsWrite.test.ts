/**
 * One study over five hospitals whose tables are as their systems write them: a CSV file of an old system's, in windows-1252 with
 * semicolons, decimal commas and German dates; Excel's UTF-16; MariaDB; Parquet with Berlin's midnights in UTC; PostgreSQL with periods
 * that have no end. Without noise the model is that of the same records written plainly.
 */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { postgresPrograms, TestPostgres } from "@consilium/runtime/testing/postgres/postgres";
import { mariaDbProgram, TestMariaDb } from "@consilium/site-agent/testing/data/mariadb";
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
      "CREATE TABLE stays (age int, crea text, ward text, admitted timestamp, until date, died boolean)",
    );
    const values = rows.map(
      ({ age, crea, ward, day, died }, i) =>
        `(${age}, '${crea ?? "<0.5"}', '${ward}', '${iso(day)} 23:59:59', '${i % 2 === 0 ? "infinity" : iso(day)}', ${died})`,
    );
    warehouse.psql(`INSERT INTO stays VALUES ${values.join(", ")}`);
    const query =
      "SELECT age, crea, ward, admitted, CASE WHEN died THEN 'yes' ELSE 'no' END AS died FROM stays WHERE until >= admitted::date";
    return { postgres: { url: warehouse.url(), query }, columns: { crea: { below: ["<"] } } };
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
      const written = { ...(await write(rows)), unit: "rows" };
      await federation.addSite({
        id: `hospital-${String(at + 1)}`,
        tables: {},
        entries: { written, plain: { path, csv: { header: true }, unit: "rows" } },
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
  async function released(table: string): Promise<unknown> {
    const { id } = await federation.startStudy(studyOf(table));
    const { release } = await federation.waitForRelease(id, 200_000);
    const read = async (name: string) => (await fetch(`${release!.url}${name}`)).json();
    const { flow } = (await read("result.json")) as { flow: { used: { value: number } } };
    expect(flow.used.value).toBe([0, 1, 2, 3, 4].reduce((sum, at) => sum + stays(at).length, 0));
    return read("model.json");
  }

  it("are one table in a study", async () => {
    expect(await released("written")).toEqual(await released("plain"));
  }, 400_000);
});
