/**
 * One study over real processes at hospitals of five kinds: OMOP as files that DuckDB reads, which are Synthea's where its records are
 * at hand, OMOP in PostgreSQL, a FHIR bulk export of Synthea's, a CSV file of the same features, and in the whole run OMOP on Spark.
 * Without noise the released model is that of all persons' rows, worked out without SQL; with noise the release verifies and each ledger charges one
 * patient. A hospital sees in plain words what is read.
 */
import { readFileSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { plainKernels } from "@consilium/core/linalg/plain";
import { omopPlanSchema } from "@consilium/core/omop/plan";
import { unwrap } from "@consilium/core/result";
import { inGate, isWholeRun } from "@consilium/core/testing/wholeRun";
import { additiveModelSchema } from "@consilium/methods/dp-additive/model";
import { asAdditive } from "@consilium/methods/dp-additive/study";
import { simulateAdditive } from "@consilium/methods/testing/additive/simulate";
import { parseStudy } from "@consilium/methods/testing/studies";
import { postgresPrograms, TestPostgres } from "@consilium/runtime/testing/postgres/postgres";
import { type Cdm, type HandRow, readCdm, rowsByHand } from "@consilium/site-agent/testing/data/omopByHand";
import { omopInPostgres } from "@consilium/site-agent/testing/data/omopInPostgres";
import { omopInLake } from "@consilium/site-agent/testing/data/omopLake";
import { syntheticConcepts, writeSyntheticCdm } from "@consilium/site-agent/testing/data/syntheticCdm";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { LocalFederation, type SitePlan } from "../../scripts/localFederation.js";
import { hasSpark, quickSpark } from "../support/spark.js";

const programs = postgresPrograms();
if (programs === null)
  process.stderr.write("SKIPPED: no PostgreSQL programs, so no study reads OMOP in it\n");

const datasets = process.env.CONSILIUM_DATASETS;
if (datasets === undefined)
  process.stderr.write("SKIPPED: CONSILIUM_DATASETS is not set, so no hospital has Synthea's records\n");

const { diabetes, heartFailure, metformin, systolic, inpatient, units } = syntheticConcepts;
/** What is frequent among Synthea's few persons. */
const synthea = {
  stress: { concept: 4251306, snomed: "73595000", name: "Stress" },
  isolation: { concept: 4309238, snomed: "422650009", name: "Social isolation" },
  acetaminophen: 1127433,
  systolic: 3004249,
};
const named = ({ concept, name }: { concept: number; name: string }) => ({ concept, name });

const plan = {
  cdm: "5.4",
  conceptSets: {
    illness: [{ concept: diabetes.all, name: "Diabetes" }, named(synthea.stress)],
    consequence: [{ concept: heartFailure.all, name: "Heart failure" }, named(synthea.isolation)],
    drug: [{ concept: metformin }, { concept: synthea.acetaminophen }],
    systolic: [{ concept: systolic }, { concept: synthea.systolic }],
    inpatient: [{ concept: inpatient }],
  },
  index: { domain: "condition", concepts: "illness", occurrence: "first" },
  columns: [
    { name: "age", value: "age" },
    { name: "sex", value: "sex" },
    {
      name: "systolic",
      value: "last",
      domain: "measurement",
      concepts: "systolic",
      unit: units.mmHg,
      days: [-3000, 3000],
    },
    { name: "drug", value: "any", domain: "drug", concepts: "drug", days: [-3000, 0] },
    { name: "stays", value: "count", domain: "visit", concepts: "inpatient", days: [-3000, -1] },
    { name: "ill", value: "any", domain: "condition", concepts: "consequence", days: [-3000, 3000] },
  ],
};

const studyOf = (name: string, privacy: unknown, minimumSites: number) => ({
  name,
  table: "cohort",
  analysis: "boosted-trees",
  method: "dp-additive",
  features: [
    { name: "age", type: "numeric", min: 18, max: 100, unit: "years", edges: [40, 50, 60, 70, 80] },
    { name: "sex", type: "categorical", levels: ["female", "male"] },
    { name: "systolic", type: "numeric", min: 90, max: 200, unit: "mmHg", missing: { constant: 130 } },
    { name: "drug", type: "categorical", levels: ["0", "1"] },
    { name: "stays", type: "numeric", min: 0, max: 5, edges: [1, 2, 3, 4] },
  ],
  label: { name: "ill", levels: ["0", "1"] },
  omop: plan,
  privacy,
  parameters: { epochs: 2 },
  participation: { minimumSites, maxRowsPerSite: 2000, phaseDeadline: "300s" },
});

const names = plan.columns.map(({ name }) => name);
/** A hospital: its entry of `tables`, further settings, and its persons' rows, worked out without SQL. */
interface Hospital {
  readonly id: string;
  readonly plan: Partial<SitePlan>;
  readonly rows: Map<string, HandRow>;
}

const parsedPlan = omopPlanSchema.parse(plan);
const ofCdm = (table: object): Partial<SitePlan> => ({ entries: { cohort: { omop: table } } });

/** Made-up persons, whose numbers no other hospital has. @returns the CDM's folder */
async function madeUp(folder: string, place: number): Promise<string> {
  await writeSyntheticCdm(folder, {
    persons: 400 + 100 * place,
    seed: place,
    firstPerson: 1 + 10_000 * place,
  });
  return folder;
}

async function filesHospital(folder: string): Promise<Hospital> {
  const real = datasets === undefined ? null : join(datasets, "omop-synthea27nj");
  const files = real ?? (await madeUp(folder, 1));
  const rows = rowsByHand(
    parsedPlan,
    readCdm(files, (table) => (real === null ? table : table.toUpperCase())),
  );
  return { id: "files", plan: ofCdm({ files }), rows };
}

async function databaseHospital(folder: string, server: TestPostgres): Promise<Hospital> {
  const cdm = await madeUp(folder, 2);
  omopInPostgres(server, "cdm", cdm);
  const table = { postgres: { url: server.url() }, schema: "cdm" };
  return { id: "database", plan: ofCdm(table), rows: rowsByHand(parsedPlan, readCdm(cdm)) };
}

/** Features that somebody worked out before, in a file. */
async function exportHospital(folder: string): Promise<Hospital> {
  const rows = rowsByHand(parsedPlan, readCdm(await madeUp(folder, 3)));
  const csv = join(folder, "features.csv");
  const lines = [...rows].map(([person, row]) => [...names.map((name) => row[name] ?? ""), person].join());
  await writeFile(csv, `${[[...names, "person_id"].join(), ...lines].join("\n")}\n`);
  const units = { cohort: "patient:person_id:1" };
  return { id: "export", plan: { tables: { cohort: csv }, units }, rows };
}

async function sparkHospital(folder: string): Promise<Hospital> {
  const cdm = await madeUp(folder, 4);
  const lake = join(folder, "lake");
  await omopInLake(cdm, lake);
  const python = process.env.CONSILIUM_PYTHON;
  const engines = { lake: { kind: "spark", master: "local[2]", python, partitions: 3, conf: quickSpark } };
  const entries = { cohort: { engine: "lake", omop: { spark: lake } } };
  return { id: "spark", plan: { entries, engines }, rows: rowsByHand(parsedPlan, readCdm(cdm)) };
}

/** A bulk export without laboratory values and drugs, by the views of the examples. */
function fhirHospital(folder: string): Hospital {
  const view = (name: string) =>
    fileURLToPath(new URL(`../../examples/fhir/${name}.view.json`, import.meta.url));
  const day = (column: string) => `TRY_CAST(left(${column}, 10) AS DATE)`;
  const query = `WITH
      condition_day AS (SELECT patient_id, code, ${day("onset")} AS day FROM condition),
      person AS (
        SELECT patient_id AS id, min(day) AS index FROM condition_day WHERE code = '${synthea.stress.snomed}' GROUP BY 1
      )
    SELECT id AS person_id,
      date_part('year', age(index, TRY_CAST(birth_date AS DATE))) AS age,
      gender AS sex, NULL AS systolic, 0 AS drug,
      (SELECT count(*) FROM encounter
        WHERE patient_id = id AND class = 'IMP' AND date_diff('day', index, ${day("started")}) BETWEEN -3000 AND -1) AS stays,
      CASE WHEN EXISTS (SELECT 1 FROM condition_day
        WHERE patient_id = id AND code = '${synthea.isolation.snomed}' AND date_diff('day', index, day) BETWEEN -3000 AND 3000)
        THEN 1 ELSE 0 END AS ill
    FROM person JOIN patient USING (id)`;
  const views = { patient: view("patient"), condition: view("condition"), encounter: view("encounter") };
  const unit = { patient: { column: "person_id", maxRows: 1 } };
  const entries = { cohort: { fhir: { folder, views, query }, unit } };
  return { id: "fhir", plan: { entries }, rows: rowsByHand(parsedPlan, fhirAsCdm(folder)) };
}

/** What the plan reads of a bulk export, as a CDM's rows. */
function fhirAsCdm(folder: string): Cdm {
  // biome-ignore lint/suspicious/noExplicitAny: a FHIR resource, of whatever type
  const resources = (type: string): any[] =>
    readFileSync(join(folder, `${type}.000.ndjson`), "utf8")
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line));
  const person = ({ subject }: { subject: { reference: string } }) => subject.reference.split("/")[1]!;
  const conceptOf = new Map(
    [synthea.stress, synthea.isolation].map(({ snomed, concept }) => [snomed, String(concept)]),
  );
  return {
    person: resources("Patient").map(({ id, gender, birthDate }) => {
      const [year, month, day] = birthDate.split("-");
      const gender_concept_id = gender === "female" ? "8532" : "8507";
      return {
        person_id: id,
        gender_concept_id,
        year_of_birth: year,
        month_of_birth: month,
        day_of_birth: day,
      };
    }),
    condition_occurrence: resources("Condition").map((one) => ({
      person_id: person(one),
      condition_concept_id: conceptOf.get(one.code.coding[0].code) ?? "",
      condition_start_date: one.onsetDateTime.slice(0, 10),
    })),
    visit_occurrence: resources("Encounter").map((one) => ({
      person_id: person(one),
      visit_concept_id: one.class.code === "IMP" ? String(inpatient) : "",
      visit_start_date: one.period.start.slice(0, 10),
    })),
    observation_period: [],
    concept_ancestor: [],
    drug_exposure: [],
    measurement: [],
    procedure_occurrence: [],
    observation: [],
  };
}

describe.skipIf(programs === null)("a study of OMOP", () => {
  let folder: string;
  let federation: LocalFederation;
  let server: TestPostgres;
  let hospitals: Hospital[];

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "consilium-omop-"));
    server = await TestPostgres.start(programs!);
    hospitals = [
      await filesHospital(join(folder, "files")),
      await databaseHospital(join(folder, "database"), server),
      await exportHospital(join(folder, "export")),
      ...(datasets === undefined ? [] : [fhirHospital(join(datasets, "fhir-synthea-10"))]),
      ...(isWholeRun && hasSpark() ? [await sparkHospital(join(folder, "spark"))] : []),
    ];
    federation = await LocalFederation.create(join(folder, "home"), "omop");
    for (const { id, plan } of hospitals)
      await federation.addSite({ id, tables: {}, allowNoPrivacy: true, policy: { budget: null }, ...plan });
    await federation.waitForSites();
  });
  afterAll(async () => {
    await federation?.remove();
    await server?.remove();
    await rm(folder, { recursive: true, force: true });
  });

  async function released(name: string, privacy: unknown) {
    const { id } = await federation.startStudy(studyOf(name, privacy, hospitals.length));
    const view = await federation.waitForRelease(id, 300_000);
    const read = async (file: string) => (await fetch(`${view.release!.url}${file}`)).text();
    return { id, view, model: additiveModelSchema.parse(JSON.parse(await read("model.json"))) };
  }

  it("without noise releases the curves of all hospitals' persons at one place", async () => {
    const { model } = await released("omop-exact", "none");
    const study = asAdditive(unwrap(parseStudy(studyOf("omop-exact", "none", hospitals.length))));
    // Persons whose sex is not told are left out, as the study has it.
    const all = hospitals.flatMap(({ rows }) => [...rows.values()]).filter(({ sex }) => sex !== null);
    expect(all.length).toBeGreaterThan(inGate(300, { whole: 600 }));
    const column = (of: (row: HandRow) => number) => Float64Array.from(all, of);
    const { curves } = await simulateAdditive({
      study,
      tables: [
        [
          {
            rows: all.length,
            columns: [
              column(({ age }) => Math.min(100, Math.max(18, Number(age)))),
              column(({ sex }) => (sex === "female" ? 0 : 1)),
              column(({ systolic: value }) => (value === null ? 130 : Number(value))),
              column((row) => Number(row.drug)),
              column(({ stays }) => Math.min(5, Number(stays))),
            ],
            labels: Uint16Array.from(all, ({ ill }) => Number(ill)),
          },
        ],
      ],
      kernels: plainKernels(),
      random: {
        bytes: () => {
          throw new Error("nothing is drawn");
        },
      },
    });
    expect(model.intercept).toBe(curves.intercept);
    expect(model.curves.flatMap(({ bins }) => bins.map(({ logOdds }) => logOdds))).toEqual([
      ...curves.values,
    ]);
  });

  it("with noise is released, verifies, and costs each patient what it says", async () => {
    const { id, view } = await released("omop-noisy", { epsilon: 3, delta: 1e-6 });
    const { id: release, url } = view.release!;
    const authority = join(federation.home, "authority", "root.pem");
    const to = join(folder, `release-${release}`);
    const got = [
      "release",
      "get",
      release,
      "--publisher",
      new URL(url).origin,
      "--to",
      to,
      "--authority",
      authority,
    ];
    await federation.cliOrThrow(...got);
    for (const { id: hospital } of hospitals) {
      const { state } = federation.site(hospital);
      const { stdout } = await federation.cliOrThrow("ledger", "show", "--state", state, "--json");
      const { populations } = JSON.parse(stdout) as { populations: { unit: string; spent: number }[] };
      const charged = populations.find(({ spent }) => spent > 0);
      expect(charged?.unit, hospital).toBe("patient");
      expect(charged?.spent, hospital).toBeLessThanOrEqual(3);
    }
    const { state } = federation.site("database");
    const shown = await federation.cliOrThrow("site", "show", id, "--state", state);
    const text = shown.stdout.replace(/\s+/g, " ");
    expect(text).toContain("the study brings no SQL");
    expect(text).toContain(
      "systolic: last value in the unit of concept 8876 of a measurement of the concept set systolic",
    );
  });
});
