/**
 * One study over three kinds of sources, over real processes: a hospital has a CSV file, one a query over files of persons and
 * of their stays, and one a FHIR bulk export read through views. Without noise the release is that of all patients at one
 * place; with noise it verifies.
 */
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { plainKernels } from "@consilium/core/linalg/plain";
import { unwrap } from "@consilium/core/result";
import { additiveModelSchema } from "@consilium/methods/dp-additive/model";
import { asAdditive } from "@consilium/methods/dp-additive/study";
import { simulateAdditive } from "@consilium/methods/testing/additive/simulate";
import { parseStudy } from "@consilium/methods/testing/studies";
import { afterAll, beforeAll, expect, it } from "vitest";
import { LocalFederation } from "../../scripts/localFederation.js";
import { seededUniform } from "../support/faultFederation.js";

const wards = ["surgery", "heart", "children"];

interface Patient {
  readonly id: string;
  readonly age: number;
  readonly ward: number;
  readonly ill: 0 | 1;
}

function patients(count: number, seed: number): Patient[] {
  const uniform = seededUniform(seed);
  return Array.from({ length: count }, (_, i) => {
    const [age, ward] = [Math.floor(90 * uniform()), Math.floor(3 * uniform())];
    const ill = uniform() < (ward === 1 ? 0.6 : 0.2) + (age > 60 ? 0.2 : 0) ? 1 : 0;
    return { id: `p-${i}`, age, ward, ill };
  });
}

const own = { files: patients(300, 1), query: patients(260, 2), fhir: patients(240, 3) };

const csv = (lines: readonly (readonly unknown[])[]) => `${lines.map((line) => line.join(",")).join("\n")}\n`;

async function csvEntry(folder: string, rows: readonly Patient[]): Promise<object> {
  const path = join(folder, "patients.csv");
  const lines = rows.map(({ age, ward, ill }) => [age, wards[ward], ill === 1 ? "yes" : "no"]);
  await writeFile(path, csv([["age", "ward", "ill"], ...lines]));
  return { path, csv: { header: true }, unit: "rows" };
}

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

const views = {
  patient: { resource: "Patient", select: [{ column: [{ name: "id", path: "getResourceKey()" }] }] },
  age: {
    resource: "Observation",
    where: [{ path: "code.coding.where(code = '30525-0').exists()" }],
    select: [
      {
        column: [
          { name: "id", path: "subject.getReferenceKey(Patient)" },
          { name: "age", path: "value.ofType(Quantity).value", type: "decimal" },
        ],
      },
    ],
  },
  stay: {
    resource: "Encounter",
    select: [
      {
        column: [
          { name: "id", path: "subject.getReferenceKey(Patient)" },
          { name: "day", path: "period.start" },
          { name: "ward", path: "serviceType.coding.code.first()" },
        ],
      },
    ],
  },
  illness: {
    resource: "Condition",
    select: [{ column: [{ name: "id", path: "subject.getReferenceKey(Patient)" }] }],
  },
};

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
  return {
    fhir: {
      folder,
      views,
      query: `SELECT age, ward, CASE WHEN id IN (SELECT id FROM illness) THEN 'yes' ELSE 'no' END AS ill
        FROM patient JOIN age USING (id) JOIN stay USING (id)`,
    },
    unit: "rows",
  };
}

const studyOf = (name: string, privacy: unknown) => ({
  name,
  table: "patients",
  analysis: "boosted-trees",
  method: "dp-additive",
  features: [
    { name: "age", type: "numeric", min: 0, max: 100, unit: "years", edges: [20, 40, 60, 80] },
    { name: "ward", type: "categorical", levels: wards },
  ],
  label: { name: "ill", levels: ["no", "yes"] },
  privacy,
  parameters: { epochs: 3 },
  participation: { minimumSites: 3, maxRowsPerSite: 1000, phaseDeadline: "60s" },
});

let folder: string;
let federation: LocalFederation;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "consilium-sources-"));
  federation = await LocalFederation.create(join(folder, "home"), "sources");
  const entries = { files: csvEntry, query: queryEntry, fhir: fhirEntry };
  for (const kind of ["files", "query", "fhir"] as const) {
    const data = join(folder, kind);
    await mkdir(data);
    await federation.addSite({
      id: `hospital-${kind}`,
      tables: {},
      entries: { patients: await entries[kind](data, own[kind]) },
      allowNoPrivacy: true,
      policy: { budget: null },
    });
  }
  await federation.waitForSites();
});
afterAll(async () => {
  await federation?.remove();
  await rm(folder, { recursive: true, force: true });
});

async function released(name: string, privacy: unknown) {
  const { id } = await federation.startStudy(studyOf(name, privacy));
  const { release } = await federation.waitForRelease(id);
  const text = await (await fetch(`${release!.url}model.json`)).text();
  return { release: release!, model: additiveModelSchema.parse(JSON.parse(text)) };
}

it("without noise releases the curves of all patients at one place", async () => {
  const { model } = await released("sources-exact", "none");
  const study = asAdditive(unwrap(parseStudy(studyOf("sources-exact", "none"))));
  const all = Object.values(own).flat();
  const { curves } = await simulateAdditive({
    study,
    tables: [
      [
        {
          rows: all.length,
          columns: [Float64Array.from(all, ({ age }) => age), Float64Array.from(all, ({ ward }) => ward)],
          labels: Uint16Array.from(all, ({ ill }) => ill),
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
  expect(model.curves.flatMap(({ bins }) => bins.map(({ logOdds }) => logOdds))).toEqual([...curves.values]);
});

it("with noise publishes a release that verifies", async () => {
  const { release } = await released("sources-noisy", { epsilon: 10, delta: 1e-6 });
  const authority = join(federation.home, "authority", "root.pem");
  const { origin } = new URL(release.url);
  const to = join(folder, "release");
  await federation.cliOrThrow(
    ...["release", "get", release.id, "--publisher", origin, "--to", to, "--authority", authority],
  );
});

it("shows each hospital its source: by doctor and by the profile of its table", async () => {
  const file = join(folder, "study.yaml");
  await writeFile(file, JSON.stringify(studyOf("sources-profile", "none")));
  for (const kind of ["files", "query", "fhir"] as const) {
    const { state } = federation.site(`hospital-${kind}`);
    const { stdout } = await federation.cliOrThrow("site", "profile", file, "--state", state, "--json");
    const report = JSON.parse(stdout) as { rows: number; used: number; problems: unknown[] };
    expect(report).toMatchObject({ rows: own[kind].length, used: own[kind].length, problems: [] });
    const doctor = await federation.cli("doctor", "--state", state, "--json");
    const { checks } = JSON.parse(doctor.stdout) as {
      checks: { id: string; status: string; found: string }[];
    };
    const table = checks.find(({ id }) => id === "tables:patients");
    expect(table).toMatchObject({ status: "ok" });
    expect(JSON.stringify(table)).toMatch(
      { files: /one file \(csv\)/, query: /2 files \(duckdb\)/, fhir: /4 files \(fhir\)/ }[kind],
    );
  }
});

it("a file that is gone has a code, and the table is read again once it is back", async () => {
  await rm(join(folder, "query", "stay.jsonl"));
  const { state } = federation.site("hospital-query");
  const file = join(folder, "study.yaml");
  const failed = await federation.cli("site", "profile", file, "--state", state);
  expect(failed.code).not.toBe(0);
  expect(failed.stderr).toContain("TABLE_UNREADABLE");
  await queryEntry(join(folder, "query"), own.query);
  const again = await federation.cliOrThrow("site", "profile", file, "--state", state, "--json");
  expect(JSON.parse(again.stdout)).toMatchObject({ used: own.query.length });
});
