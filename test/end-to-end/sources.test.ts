/**
 * One study over kinds of sources, over real processes: a hospital has a CSV file, one a PostgreSQL database, one a query over files of
 * persons and of their stays, one a FHIR bulk export read through views, and with CONSILIUM_TESTS=whole one a table that Spark computes,
 * configured as docs/tutorials/four-sources.md has it. Without noise the release is that of all patients at one place; with noise it verifies.
 */
import { readFileSync } from "node:fs";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isWholeRun } from "@consilium/core/testing/wholeRun";
import { additiveModelSchema } from "@consilium/methods/dp-additive/model";
import { postgresPrograms, TestPostgres } from "@consilium/runtime/testing/postgres/postgres";
import { afterAll, beforeAll, expect, it } from "vitest";
import { parse } from "yaml";
import { LocalFederation } from "../../scripts/localFederation.js";
import { hasSpark, quickSpark } from "../support/spark.js";
import {
  curvesOf,
  type WardPatient,
  wardBlock,
  wardPatients,
  wardStudy,
  wards,
} from "../support/wardPatients.js";

interface Patient extends WardPatient {
  readonly id: string;
}

const patients = (count: number, seed: number): Patient[] =>
  wardPatients(count, seed).map((patient, i) => ({ ...patient, id: `p-${i}` }));

const programs = postgresPrograms();
if (programs === null)
  process.stderr.write("SKIPPED: no PostgreSQL programs, so no hospital has its patients there\n");

const own = {
  files: patients(300, 1),
  query: patients(150, 2),
  fhir: patients(200, 3),
  ...(isWholeRun && hasSpark() && { spark: patients(150, 4) }),
  ...(programs !== null && { postgres: patients(180, 5) }),
};
type Kind = "files" | "query" | "fhir" | "spark" | "postgres";
const kinds = Object.keys(own) as Kind[];

const csv = (lines: readonly (readonly unknown[])[]) => `${lines.map((line) => line.join(",")).join("\n")}\n`;

async function csvFile(folder: string, rows: readonly Patient[]): Promise<void> {
  const lines = rows.map(({ age, ward, ill }) => [age, wards[ward], ill === 1 ? "yes" : "no"]);
  await writeFile(join(folder, "patients.csv"), csv([["age", "ward", "ill"], ...lines]));
}

async function csvEntry(folder: string, rows: readonly Patient[]): Promise<object> {
  await csvFile(folder, rows);
  return entryOn("files", { "/srv/files": folder });
}

async function sparkEntry(folder: string, rows: readonly Patient[]): Promise<object> {
  await csvFile(folder, rows);
  return entryOn("spark", { "/srv/spark": folder });
}

const page = readFileSync(new URL("../../docs/tutorials/four-sources.md", import.meta.url), "utf8");

/** The YAML that follows a mark of the tutorial. @param places - what stands for what of it here */
function onPage(mark: string, places: Readonly<Record<string, string>> = {}) {
  const [, block] = page.split(`<!-- ${mark} -->\n\`\`\`yaml\n`);
  let text = block!.split("```", 1)[0]!;
  for (const [shown, here] of Object.entries(places)) {
    expect(text).toContain(shown);
    text = text.replaceAll(shown, here);
  }
  return parse(text);
}

/** The table's entry, as the tutorial has it. */
const entryOn = (kind: Kind, places: Readonly<Record<string, string>>): object =>
  onPage(`hospital: ${kind}`, places).tables.patients;

const lake = {
  ...onPage("hospital: spark").engines.lake,
  python: process.env.CONSILIUM_PYTHON,
  conf: quickSpark,
};

/** Each person has one stay or two, of which the later one counts. */
async function queryEntry(folder: string, rows: readonly Patient[]): Promise<object> {
  const lines = rows.map(({ id, age, ill }) => [id, age, ill]);
  await writeFile(join(folder, "person.csv"), csv([["id", "age", "ill"], ...lines]));
  const stays = rows.flatMap(({ id, ward }, i) => [
    ...(i % 2 === 0 ? [{ id, day: "2024-01-01", ward: wards[(ward + 1) % 3] }] : []),
    { id, day: "2024-02-01", ward: wards[ward] },
  ]);
  await writeFile(join(folder, "stay.jsonl"), stays.map((stay) => `${JSON.stringify(stay)}\n`).join(""));
  return {
    duckdb: {
      files: {
        person: { path: join(folder, "person.csv"), csv: { header: true } },
        stay: { path: join(folder, "stay.jsonl"), columns: ["id", "day", "ward"] },
      },
      query: `SELECT age, arg_max(ward, day) AS ward, CASE ill WHEN '1' THEN 'yes' ELSE 'no' END AS ill
        FROM person JOIN stay USING (id)
        GROUP BY id, age, ill`,
    },
    unit: "rows",
  };
}

async function fhirEntry(folder: string, rows: readonly Patient[]): Promise<object> {
  const subject = ({ id }: Patient) => ({ reference: `Patient/${id}` });
  const resources = {
    Patient: rows.map(({ id }) => ({ resourceType: "Patient", id })),
    Observation: rows.map((row) => ({
      resourceType: "Observation",
      subject: subject(row),
      code: { coding: [{ system: "http://loinc.org", code: "30525-0" }] },
      valueQuantity: { value: row.age, unit: "a" },
    })),
    Encounter: rows.map((row) => ({
      resourceType: "Encounter",
      subject: subject(row),
      period: { start: "2024-02-01T10:00:00Z" },
      serviceType: { coding: [{ code: wards[row.ward] }] },
    })),
    Condition: rows
      .filter(({ ill }) => ill === 1)
      .map((row) => ({ resourceType: "Condition", subject: subject(row) })),
  };
  for (const [type, all] of Object.entries(resources))
    await writeFile(
      join(folder, `${type}.000.ndjson`),
      all.map((one) => `${JSON.stringify(one)}\n`).join(""),
    );
  return entryOn("fhir", { "/srv/fhir": folder });
}

/** Persons and their stays, in tables of their own. */
async function postgresEntry(folder: string, rows: readonly Patient[]): Promise<object> {
  const born = (age: number) => `${2024 - age}-01-31`;
  const cells = rows.map(({ id, age, ill }) => [id, born(age), ill === 1 ? "t" : "f"]);
  await writeFile(join(folder, "persons.csv"), csv(cells));
  await writeFile(
    join(folder, "stays.csv"),
    csv(rows.map(({ id, ward }) => [id, wards[ward], "2024-02-01"])),
  );
  server!.psql("CREATE TABLE persons (person text, born date, ill boolean)");
  server!.psql("CREATE TABLE stays (person text, ward text, admitted date)");
  for (const name of ["persons", "stays"])
    server!.psql(`\\copy ${name} FROM '${join(folder, `${name}.csv`)}' (FORMAT csv)`);
  return entryOn("postgres", {
    "postgres://consilium_reader@db.hospital.example/warehouse": server!.url(),
  });
}

let folder: string;
let server: TestPostgres | null = null;
let federation: LocalFederation;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "consilium-sources-"));
  if (programs !== null) server = await TestPostgres.start(programs);
  federation = await LocalFederation.create(join(folder, "home"), "sources");
  const entries = {
    files: csvEntry,
    query: queryEntry,
    fhir: fhirEntry,
    spark: sparkEntry,
    postgres: postgresEntry,
  };
  for (const kind of kinds) {
    const data = join(folder, kind);
    await mkdir(data);
    await federation.addSite({
      id: `hospital-${kind}`,
      tables: {},
      entries: { patients: await entries[kind](data, own[kind]!) },
      ...(kind === "spark" && { engines: { lake } }),
      allowNoPrivacy: true,
      policy: { budget: null },
    });
  }
  await federation.waitForSites();
});
afterAll(async () => {
  await federation?.remove();
  await server?.remove();
  await rm(folder, { recursive: true, force: true });
});

/** All sites take part, and an application on a cluster takes its time to start. */
function studyOf(name: string, privacy: unknown) {
  const study = { ...onPage("study"), name, privacy };
  const participation = { ...study.participation, minimumSites: kinds.length, phaseDeadline: "300s" };
  return { ...study, participation };
}

async function released(name: string, privacy: unknown) {
  const { id } = await federation.startStudy(studyOf(name, privacy));
  const { release } = await federation.waitForRelease(id, 400_000);
  const text = await (await fetch(`${release!.url}model.json`)).text();
  return { release: release!, model: additiveModelSchema.parse(JSON.parse(text)) };
}

it("without noise releases the curves of all patients at one place", async () => {
  const { model } = await released("sources-exact", "none");
  const all = Object.values(own).flat();
  const curves = await curvesOf(studyOf("sources-exact", "none"), [[wardBlock(all)]]);
  expect(model.intercept).toBe(curves.intercept);
  expect(model.curves.flatMap(({ bins }) => bins.map(({ logOdds }) => logOdds))).toEqual([...curves.values]);
});

it("with noise publishes a release that verifies", async () => {
  const { release } = await released("sources-noisy", { epsilon: 10, delta: 1e-6 });
  const authority = join(federation.home, "authority", "root.pem");
  const { origin } = new URL(release.url);
  const to = join(folder, "release");
  await federation.cliOrThrow(
    "release",
    "get",
    release.id,
    "--publisher",
    origin,
    "--to",
    to,
    "--authority",
    authority,
  );
});

it("shows each hospital its source: by doctor and by the profile of its table", async () => {
  const file = join(folder, "study.yaml");
  await writeFile(file, JSON.stringify(wardStudy("sources-profile", "none")));
  for (const kind of kinds) {
    const { state } = federation.site(`hospital-${kind}`);
    const { stdout } = await federation.cliOrThrow("site", "profile", file, "--state", state, "--json");
    const report = JSON.parse(stdout) as { rows: number; used: number; problems: unknown[] };
    expect(report).toMatchObject({ rows: own[kind]!.length, used: own[kind]!.length, problems: [] });
    const doctor = await federation.cli("doctor", "--state", state, "--json");
    const { checks } = JSON.parse(doctor.stdout) as {
      checks: { id: string; status: string; found: string }[];
    };
    const table = checks.find(({ id }) => id === "tables:patients");
    expect(table).toMatchObject({ status: "ok" });
    expect(JSON.stringify(table)).toMatch(
      {
        files: /one file \(csv\)/,
        query: /2 files \(duckdb\)/,
        fhir: /4 files \(fhir\)/,
        postgres: /query in database \S+ at \S+, 3 columns/,
        spark: /on the Spark cluster local\[2\], 3 columns.*computed by the engine lake/,
      }[kind],
    );
  }
});

it("a file that is gone has a code, and the table is read again once it is back", async () => {
  await rm(join(folder, "query", "stay.jsonl"));
  const { state } = federation.site("hospital-query");
  const file = join(folder, "study.yaml");
  const failed = await federation.cli("site", "profile", file, "--state", state);
  expect(failed.code).not.toBe(0);
  expect(failed.stderr).toContain("TABLE_AWAY");
  await queryEntry(join(folder, "query"), own.query);
  const again = await federation.cliOrThrow("site", "profile", file, "--state", state, "--json");
  expect(JSON.parse(again.stdout)).toMatchObject({ used: own.query.length });
});
