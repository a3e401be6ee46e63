import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { inspect } from "node:util";
import type { ConsiliumError } from "@consilium/core/errors";
import { formatProfile } from "@consilium/core/hospital/profileText";
import { english } from "@consilium/runtime/http/spoken";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { studyOver } from "../../testing/data/study.js";
import {
  formats,
  type TestValue,
  tableConfig,
  temporaryFolder,
  writeTable,
} from "../../testing/data/writeTable.js";
import { describeFault } from "./duckdbEngine.js";
import { safeError } from "./fault.js";
import { tablePlace } from "./place.js";
import { openTable } from "./preflight.js";
import { profileTable } from "./profile.js";
import { describeTable } from "./schema.js";
import { reopen } from "./snapshot.js";
import { defaultReadLimits } from "./source.js";
import { type TableConfig, tableConfigSchema } from "./tableConfig.js";

/**
 * Marked values in bad cells of every kind and format: they may be nowhere in an error, whatever one prints of it,
 * nor in what this layer writes to the process's output.
 */

const folder = temporaryFolder();
let tables = 0;
const stem = () => join(folder, `t${tables++}`);

const markers = /987654[.,]?321|9\.87654321|SECRETLEVEL/;

/** Everything that a log could print of a value. */
function everythingOf(value: unknown): string {
  const parts = [inspect(value, { depth: Number.POSITIVE_INFINITY, showHidden: true, getters: true })];
  if (value instanceof Error) {
    parts.push(value.message, value.stack ?? "", JSON.stringify(value, Object.getOwnPropertyNames(value)));
    if (value.cause !== undefined) parts.push(everythingOf(value.cause));
  }
  return parts.join("\n");
}

let written: string[] = [];
beforeEach(() => {
  written = [];
  for (const stream of [process.stdout, process.stderr]) {
    vi.spyOn(stream, "write").mockImplementation((text) => {
      written.push(String(text));
      return true;
    });
  }
});
afterEach(() => {
  vi.restoreAllMocks();
  expect(written.join("")).not.toMatch(markers);
});

const x = { name: "x", type: "numeric", min: 0, max: 1e6 };
const c = { name: "c", type: "categorical", levels: ["a", "b"] };
const label = { name: "y", levels: ["no", "yes"] };
const plain = studyOver([x, c], { label });
const perPatient = studyOver([x, c], { label, patient: { column: "who", maxRows: 1 } });

async function errorsOf(config: TableConfig, study = plain): Promise<unknown[]> {
  const opened = await openTable(config, study);
  if (opened.ok) throw new RangeError("the table was accepted");
  const profile = await profileTable(config, study);
  const approval = { rows: 3, contentHash: "0".repeat(64) as never };
  const again = await reopen(config, study, approval);
  const later: unknown[] = [];
  if (again.ok) {
    try {
      for await (const _ of again.value.blocks());
    } catch (thrown) {
      later.push(thrown);
    }
    expect(later).toHaveLength(1);
  } else later.push(again.error);
  const described = await describeTable(config);
  return [
    opened.error,
    opened.error.describe(),
    profile.ok ? [profile.value.problems, formatProfile(profile.value)] : profile.error,
    described.ok ? described.value : described.error,
    ...later,
  ];
}

const good: TestValue[] = [1, "a", "no"];
const badCells: [string, TestValue[], string][] = [
  ["text in a number", ["SECRETLEVEL", "a", "no"], "COLUMN_TYPE"],
  ["a marked number with its unit", ["987654.321 mg", "a", "no"], "COLUMN_TYPE"],
  ["an undeclared level", [1, "SECRETLEVEL", "no"], "LEVEL_UNDECLARED"],
  ["a number where a level is due", [1, 987654.321, "no"], "LEVEL_UNDECLARED"],
  ["an undeclared label", [1, "a", "SECRETLEVEL"], "LEVEL_UNDECLARED"],
  ["an overflowing number", ["987654.321e999", "a", "no"], "VALUE_NOT_FINITE"],
  ["a very long text", [`SECRETLEVEL${"x".repeat(100_000)}987654.321`, "a", "no"], "COLUMN_TYPE"],
];

describe.each(formats)("%s", (format) => {
  test.each(badCells)("%s", async (_, bad, code) => {
    const rows = [good, bad, good];
    const config = tableConfig({ path: await writeTable(format, stem(), { names: ["x", "c", "y"], rows }) });
    const errors = await errorsOf(config);
    expect(errors[0]).toMatchObject({ code });
    expect(everythingOf(errors)).not.toMatch(markers);
    expect(english((errors[0] as ConsiliumError).message)).toMatch(/row 2/);
  });

  test("columns that are not there, in a table whose cells are marked", async () => {
    const names = ["x1", "c", "y"];
    const rows: TestValue[][] = [[987654.321, "SECRETLEVEL", "SECRETLEVEL"]];
    const config = tableConfig({ path: await writeTable(format, stem(), { names, rows }) });
    const errors = await errorsOf(config);
    expect(errors[0]).toMatchObject({ code: "COLUMN_MISSING" });
    expect(everythingOf(errors)).not.toMatch(markers);
  });

  test("whose rows they are, in a table that is refused and in one that changed", async () => {
    const names = ["x", "c", "y", "who"];
    const write = (rows: TestValue[][]) => writeTable(format, stem(), { names, rows });
    const bad = await write([
      [1, "a", "no", "SECRETLEVEL 1"],
      ["oops", "a", "no", "SECRETLEVEL 1"],
      [1, "a", "no", "SECRETLEVEL 1"],
    ]);
    const errors = await errorsOf(tableConfig({ path: bad }), perPatient);
    expect(errors[0]).toMatchObject({ code: "COLUMN_TYPE" });
    const numbered = await write([["oops", "a", "no", 987654.321]]);
    errors.push(...(await errorsOf(tableConfig({ path: numbered }), perPatient)));

    const good = tableConfig({ path: await write([[1, "a", "no", "SECRETLEVEL 1"]]) });
    const approved = await openTable(good, perPatient);
    if (!approved.ok) throw approved.error;
    const changed = tableConfig({ path: await write([[1, "a", "no", ""]]) });
    const again = await reopen(changed, perPatient, approved.value);
    if (!again.ok) throw again.error;
    try {
      for await (const _ of again.value.blocks());
    } catch (thrown) {
      errors.push(thrown);
    }
    expect(errors.at(-1)).toMatchObject({ code: "TABLE_CHANGED" });
    expect(everythingOf([...errors, approved.value, formatProfile(approved.value.report)])).not.toMatch(
      markers,
    );
  });

  test("truncated and garbled files", async () => {
    const path = await writeTable(format, stem(), {
      names: ["x", "c", "y"],
      rows: Array.from({ length: 500 }, () => [987654.321, "SECRETLEVEL", "no"]),
    });
    const { readFileSync } = await import("node:fs");
    const bytes = readFileSync(path);
    for (const cut of [bytes.subarray(0, bytes.length - 13), bytes.subarray(5), bytes.subarray(0, 100)]) {
      writeFileSync(path, cut);
      const errors = await errorsOf(tableConfig({ path }));
      // A CSV or JSON file without its head loses its first names: those are shown, they are the file's columns.
      expect(everythingOf(errors)).not.toMatch(markers);
    }
  });
});

describe("csv", () => {
  test.each([
    ["a row of too many fields", "x,c,y\n1,a,no\n1,a,no,SECRETLEVEL,987654.321\n"],
    ["a row of too few fields", "x,c,y\n1,a,no\n987654.321,SECRETLEVEL\n"],
    ["an open quotation", 'x,c,y\n1,a,"SECRETLEVEL\n987654.321,a,no\n'],
    ["text after a quotation", 'x,c,y\n1,a,"no"SECRETLEVEL\n987654.321,a,no\n'],
    ["no header: words", "SECRETLEVEL,SECRETLEVELS,no\nSECRETLEVEL,a,no\n"],
    ["no header: numbers", "987654.321,SECRETLEVEL,no\n1,a,no\n"],
    ["the wrong delimiter", "x;c;y\n987654.321;SECRETLEVEL;no\n"],
  ])("%s", async (_, text) => {
    const path = `${stem()}.csv`;
    writeFileSync(path, text);
    const config = tableConfig({ path });
    const errors = await errorsOf(config);
    // The description of a table is its header row: of words alone it cannot be told from a record.
    if (text.startsWith("SECRETLEVEL,")) errors.splice(3, 1);
    expect(everythingOf(errors)).not.toMatch(markers);
  });

  test("bytes that are no text", async () => {
    const path = `${stem()}.csv`;
    writeFileSync(path, Buffer.from("x,c,y\n987654.321,SECRETLEVEL\xe9,no\n", "latin1"));
    expect(everythingOf(await errorsOf(tableConfig({ path })))).not.toMatch(markers);
  });
});

test.each([
  ['{"x": 987654.321, "c": SECRETLEVEL}\n'],
  ['{"x": 1, "c": "a", "y": "no"}\n[987654.321, "SECRETLEVEL"]\n'],
  ['{"x": 1, "c": "a", "y": "no"}\n"SECRETLEVEL"\n'],
  ['{"x": 987654.321, "c": {"SECRETLEVEL": 1}, "y": "no"}\n'],
  ['{"x": [987654.321], "c": "SECRETLEVEL", "y": "no"\n'],
])("json lines: %j", async (text) => {
  const path = `${stem()}.jsonl`;
  writeFileSync(path, text);
  expect(everythingOf(await errorsOf(tableConfig({ path })))).not.toMatch(markers);
});

describe("a query over files", () => {
  const query = (files: object, sql: string) =>
    tableConfigSchema.parse({ name: "records", duckdb: { files, query: sql } });
  const csvFile = (text: string) => {
    const path = `${stem()}.csv`;
    writeFileSync(path, text);
    return { path, csv: { header: true } };
  };

  test.each([
    ["a bad cell", "x,c,y\nSECRETLEVEL,a,no\n", "SELECT * FROM t"],
    ["a row of too few fields", "x,c,y\n1,a,no\n987654.321,SECRETLEVEL\n", "SELECT * FROM t"],
    [
      "a sum that is too long",
      "x,c,y\n987654321,SECRETLEVEL,no\n",
      "SELECT TRY_CAST(x AS INTEGER) * 1000 AS x, c, y FROM t",
    ],
    [
      "an invalid regular expression",
      "x,c,y\n1,SECRETLEVEL(,no\n",
      "SELECT x, c, y FROM t WHERE regexp_matches(y, c)",
    ],
    ["invalid JSON", "x,c,y\n1,SECRETLEVEL,no\n", "SELECT json_extract(c, '$.a')::VARCHAR AS x, c, y FROM t"],
    [
      "a comparison of text with a number",
      "x,c,y\n987654.321,SECRETLEVEL,no\n",
      "SELECT * FROM t WHERE c > 5",
    ],
    [
      "a row that is looked for twice",
      "x,c,y\n1,SECRETLEVEL,no\n1,SECRETLEVEL,no\n",
      "SELECT (SELECT x FROM t) AS x, c, y FROM t",
    ],
  ])("%s", async (_, text, sql) => {
    expect(everythingOf(await errorsOf(query({ t: csvFile(text) }, sql)))).not.toMatch(markers);
  });
});

test.each([
  ["two values", [{ resourceType: "Patient", x: ["SECRETLEVEL", "987654.321"], c: "a", y: "no" }]],
  ["an object", [{ resourceType: "Patient", x: { SECRETLEVEL: 987654.321 }, c: "a", y: "no" }]],
  [
    "text in a condition",
    [{ resourceType: "Patient", id: "SECRETLEVEL", x: 1, c: "a", y: "no", z: "SECRETLEVEL" }],
  ],
])("a view of FHIR resources: %s", async (_, resources) => {
  const path = `${stem()}.ndjson`;
  writeFileSync(path, resources.map((one) => `${JSON.stringify(one)}\n`).join(""));
  const column = ["x", "c", "y"].map((name) => ({ name, path: name }));
  const view = { resource: "Patient", select: [{ column }], where: [{ path: "z.exists().not() or z" }] };
  const config = tableConfigSchema.parse({
    name: "records",
    fhir: { files: { Patient: path }, views: { v: view } },
  });
  expect(everythingOf(await errorsOf(config))).not.toMatch(markers);
});

test("whatever is thrown below, its message goes no further", () => {
  const config = tableConfig({ path: "/nowhere.csv" });
  const thrown = Object.assign(new RangeError("got 987654.321 for SECRETLEVEL"), { row: "SECRETLEVEL" });
  for (const error of [
    safeError(thrown, config),
    safeError("SECRETLEVEL", config),
    describeFault(thrown, tablePlace("t"), defaultReadLimits),
    describeFault(new Error("SECRETLEVEL Error: 987654.321"), tablePlace("t"), defaultReadLimits),
    describeFault(new TypeError("SECRETLEVEL"), tablePlace("t"), defaultReadLimits),
  ]) {
    expect(everythingOf(error)).not.toMatch(markers);
  }
  // The positive control: this check does see what an error carries.
  expect(everythingOf(new Error("kept", { cause: thrown }))).toMatch(markers);
  expect(everythingOf(Object.assign(new Error("kept"), { row: "SECRETLEVEL" }))).toMatch(markers);
});
