import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { unwrap } from "@consilium/core/result";
import { inEnglish } from "@consilium/core/testing/inEnglish";
import { english } from "@consilium/runtime/http/spoken";
import { describe, expect, test } from "vitest";
import { studyOver } from "../../../../testing/data/study.js";
import { temporaryFolder, writeGzipped } from "../../../../testing/data/writeTable.js";
import { openSource } from "../../openSource.js";
import { openTable } from "../../preflight.js";
import { describeTable } from "../../schema.js";
import { anyRows, checkTable } from "../../snapshot.js";
import { resolveTableConfig, type TableConfig, tableConfigSchema } from "../../tableConfig.js";

const folder = temporaryFolder();
let made = 0;
/** A folder with the given files. */
function exported(files: Readonly<Record<string, string>>): string {
  const path = join(folder, `export${made++}`);
  mkdirSync(path);
  for (const [name, text] of Object.entries(files)) {
    if (name.endsWith(".gz")) writeGzipped(join(path, name), text);
    else writeFileSync(join(path, name), text);
  }
  return path;
}
const lines = (...resources: readonly object[]) =>
  resources.map((one) => `${JSON.stringify(one)}\n`).join("");
const table = (fhir: object): TableConfig => tableConfigSchema.parse({ name: "records", fhir });

const patients = {
  resource: "Patient",
  select: [
    {
      column: [
        { name: "id", path: "getResourceKey()" },
        { name: "sex", path: "gender" },
        { name: "born", path: "birthDate" },
      ],
    },
  ],
};
const labs = {
  resource: "Observation",
  select: [
    {
      column: [
        { name: "patient", path: "subject.getReferenceKey(Patient)" },
        { name: "value", path: "value.ofType(Quantity).value", type: "decimal" },
      ],
    },
  ],
  where: [{ path: "code.coding.where(code = '718-7').exists()" }],
};
const patient = (id: string, gender: string, more: object = {}) => ({
  resourceType: "Patient",
  id,
  gender,
  birthDate: "1980-02-29",
  ...more,
});
const hemoglobin = (of: string, value: number) => ({
  resourceType: "Observation",
  subject: { reference: `Patient/${of}` },
  code: { coding: [{ system: "http://loinc.org", code: "718-7" }] },
  valueQuantity: { value },
});
const people = [patient("a", "female"), patient("b", "male"), patient("c", "female")];
const study = studyOver([
  { name: "lowest", type: "numeric", min: 0, max: 30, missing: { constant: 0 } },
  { name: "sex", type: "categorical", levels: ["female", "male"] },
]);
const query = "SELECT p.id, sex, min(value) AS lowest FROM p LEFT JOIN o ON o.patient = p.id GROUP BY ALL";
const both = () => ({
  folder: exported({
    "Patient.000.ndjson": lines(people[0]!),
    "1.Patient.ndjson.gz": lines(people[1]!, people[2]!),
    "Observation.ndjson": lines(hemoglobin("a", 13.5), hemoglobin("a", 12.25), hemoglobin("c", 9)),
    "PatientList.ndjson": "not read",
  }),
  views: { p: patients, o: labs },
  query,
});

async function rowsOf(config: TableConfig): Promise<number[][]> {
  const rows: number[][] = [];
  for await (const { rows: count, columns } of unwrap(await openTable(config, study)).blocks())
    for (let r = 0; r < count; r++) rows.push(columns.map((column) => column[r]!));
  return rows.sort((x, y) => x[0]! - y[0]!);
}

describe("views of a bulk export", () => {
  test("are joined by one query, whatever files their resources are in", async () => {
    expect(await rowsOf(table(both()))).toEqual([
      [0, 1],
      [9, 0],
      [12.25, 0],
    ]);
    expect(unwrap(await describeTable(table(both()))).columns).toEqual([
      { name: "id", type: "text" },
      { name: "sex", type: "text" },
      { name: "lowest", type: "number" },
    ]);
  });

  test("one view alone is the table; it may stand in a file, and the files be named by resource type", async () => {
    const path = exported({
      "everything.ndjson": lines(...people, hemoglobin("a", 1)),
      "p.json": JSON.stringify(patients),
    });
    const entry = table({ files: { Patient: "everything.ndjson" }, views: { p: "p.json" } });
    const config = resolveTableConfig(entry, path);
    const sexes = studyOver([{ name: "sex", type: "categorical", levels: ["female", "male"] }]);
    expect(unwrap(await openTable(config, sexes)).report.used).toBe(3);
  });

  test("lines that are no object and values that no view takes are left out of a study that takes any table", async () => {
    const bad = [
      patient("d", "male"),
      patient("d", "male", { gender: ["male", "female"] }),
      patient("half \ud800", "male"),
      patient("x".repeat(2 ** 24), "male"),
    ];
    const path = exported({
      "Patient.ndjson": `${lines(...people, ...bad)}{"resourceType": "Patient", \n[1]\n`,
      "Observation.ndjson": lines(hemoglobin("a", 13.5)),
    });
    const config = table({ ...both(), folder: path });
    let found = { rows: 0, used: 0, malformed: 0, faults: 0 };
    for await (const _ of anyRows(config, study, (table) => {
      found = table;
    }));
    expect(found).toMatchObject({ rows: 6, used: 5, malformed: 3, faults: 0 });
    expect((await openTable(config, study)).ok).toBe(false);
  });

  test("two values where the view has one: a code and the path in the view, no value", async () => {
    const path = exported({
      "Patient.ndjson": lines(patient("SECRETLEVEL", "male", { birthDate: ["SECRETLEVEL", "x"] })),
    });
    const config = table({ folder: path, views: { p: patients } });
    const { source } = await openSource(config);
    const read = async () => {
      for await (const _ of source.read("", [{ kind: "order", name: "born" }], {}));
    };
    await expect(inEnglish(read())).rejects.toMatchObject({
      code: "QUERY_FAILED",
      message:
        'table "records", view "p", select[0].column[2].path: several values; write collection: true, or .first() behind the path',
    });
  });

  test.each([
    [
      {
        views: { p: { resource: "Patient", select: [{ column: [{ name: "x", path: "name.select(a)" }] }] } },
        query: undefined,
      },
      "VIEW_INVALID",
      /view "p", select\[0\]\.column\[0\]\.path/,
    ],
    [{ views: { p: "missing.json" }, query: undefined }, "VIEW_INVALID", /cannot be read \(ENOENT\)/],
    [
      { views: { p: { ...patients, resource: "Encounter" } }, query: undefined },
      "TABLE_UNREADABLE",
      /no file of Encounter/,
    ],
    [{ query: "SELECT gender FROM p" }, "QUERY_INVALID", /gender/],
    [{ query: "SELECT * FROM Patient" }, "QUERY_INVALID", /Patient/],
    [{ query: "SELECT id FROM p" }, "COLUMN_MISSING", /lowest/],
  ])("%j is refused before a record is read", async (change, code, message) => {
    const checked = await checkTable(table({ ...both(), ...change }), study);
    expect(checked.ok ? null : checked.error).toMatchObject({ code });
    expect(checked.ok ? "" : english(checked.error.message)).toMatch(message);
  });

  test.each([
    [{ views: { p: patients } }, "fhir.folder"],
    [{ folder: "a", files: { Patient: "b" }, views: { p: patients } }, "fhir.folder"],
    [{ folder: "a", views: {} }, "fhir.views"],
    [{ folder: "a", views: { p: patients, o: labs } }, "fhir.query"],
    [{ files: { patient: "b" }, views: { p: patients } }, "fhir.files.patient"],
    [{ folder: "https://example.org/$export", views: { p: patients } }, "fhir.folder"],
  ])("%j is refused at %s", (fhir, path) => {
    const parsed = tableConfigSchema.safeParse({ name: "t", fhir });
    expect(parsed.error?.issues.map((issue) => issue.path.join("."))).toContain(path);
  });
});

const datasets = process.env.CONSILIUM_DATASETS;
const synthea = datasets === undefined ? "" : join(datasets, "fhir-synthea-10");
const present = datasets !== undefined && existsSync(synthea);
if (!present)
  process.stderr.write("SKIPPED: CONSILIUM_DATASETS is not set, so a real bulk export is not read\n");
const examples = new URL("../../../../../examples/fhir/", import.meta.url).pathname;

test.skipIf(!present)("a bulk export of Synthea's, by the example's views", async () => {
  const entry = tableConfigSchema.parse({
    name: "records",
    fhir: {
      folder: synthea,
      views: {
        patient: "patient.view.json",
        condition: "condition.view.json",
        encounter: "encounter.view.json",
      },
      query: `SELECT patient.id, gender, date_diff('day', TRY_CAST(birth_date AS DATE), DATE '2020-01-01') / 365.25 AS age,
          (SELECT count(*) FROM encounter WHERE patient_id = patient.id) AS encounters,
          (SELECT count(DISTINCT code) FROM condition WHERE patient_id = patient.id) AS conditions
        FROM patient`,
    },
  });
  const columns = studyOver([
    { name: "gender", type: "categorical", levels: ["female", "male"] },
    { name: "age", type: "numeric", min: -150, max: 150 },
    { name: "encounters", type: "numeric", min: 0, max: 10_000 },
    { name: "conditions", type: "numeric", min: 0, max: 10_000 },
  ]);
  const snapshot = unwrap(await openTable(resolveTableConfig(entry, examples), columns));
  const sums = [0, 0, 0, 0];
  for await (const block of snapshot.blocks())
    block.columns.forEach((column, k) => {
      for (const value of column.subarray(0, block.rows)) sums[k]! += value;
    });
  expect(snapshot.rows).toBe(13);
  // Counted with Python over the same files.
  const [male, age, encounters, conditions] = sums;
  expect([male, encounters, conditions]).toEqual([4, 1215, 212]);
  expect(age).toBeCloseTo(629.349760438056, 9);
});
