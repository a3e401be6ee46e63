import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ConsiliumError } from "@consilium/core/errors";
import { inEnglish } from "@consilium/core/testing/inEnglish";
import { english, spokenError } from "@consilium/runtime/http/spoken";
import { sayEnglish } from "@consilium/words/english";
import type { AnySaid } from "@consilium/words/said";
import { type DuckDBConnection, DuckDBInstance } from "@duckdb/node-api";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { temporaryFolder } from "../../../../testing/data/writeTable.js";
import { sqlText } from "../shared/sqlText.js";
import { compileView, viewPrelude } from "./compileView.js";

const folder = temporaryFolder();
let written = 0;

const resourcesOf = (path: string) =>
  `(SELECT json FROM read_json_objects(${sqlText(path)}, format = 'newline_delimited', ignore_errors = true))`;

type Row = Readonly<Record<string, unknown>>;

/** A view's rows over resources. @param strict - whether a value that is not as the view needs it is an error */
async function rowsOf(
  view: unknown,
  resources: readonly unknown[],
  strict = true,
): Promise<{ columns: string[]; rows: Row[] }> {
  const fault = (at: string, what: AnySaid) =>
    strict ? `error(${sqlText(`${at}: ${sayEnglish(what)}`)})` : "NULL";
  const { select } = compileView(view, { name: "v", fault });
  const path = join(folder, `${written++}.ndjson`);
  writeFileSync(path, resources.map((resource) => `${JSON.stringify(resource)}\n`).join(""));
  const result = await connection.runAndReadAll(select(resourcesOf(path)));
  return { columns: result.columnNames(), rows: result.getRowObjectsJson() };
}

let instance: DuckDBInstance;
let connection: DuckDBConnection;
beforeAll(async () => {
  instance = await DuckDBInstance.create(":memory:", { threads: "1" });
  connection = await instance.connect();
  for (const statement of viewPrelude) await connection.run(statement);
});
afterAll(() => {
  connection.closeSync();
  instance.closeSync();
});

/** Rows in any order. Whole numbers of 64 bits come as text, and so all numbers are compared as text. */
function comparable(rows: readonly Row[]): string[] {
  const text = (value: unknown) => (typeof value === "number" ? String(value) : value);
  return rows
    .map((row) => {
      const cells = Object.entries(row).map(([name, value]) => [name, text(value)] as const);
      return JSON.stringify(cells.sort(([a], [b]) => (a < b ? -1 : 1)));
    })
    .sort();
}

interface Conformance {
  readonly resources: readonly unknown[];
  readonly tests: readonly {
    readonly title: string;
    readonly tags: readonly string[];
    readonly view: unknown;
    readonly expect?: readonly Row[];
    readonly expectColumns?: readonly string[];
    readonly expectError?: boolean;
  }[];
}

const datasets = process.env.CONSILIUM_DATASETS;
const suite = datasets === undefined ? "" : join(datasets, "sql-on-fhir-tests");
const present = datasets !== undefined && existsSync(suite);
if (!present)
  process.stderr.write("SKIPPED: CONSILIUM_DATASETS is not set, so SQL on FHIR's own tests are not run\n");
const parts = present ? readdirSync(suite).filter((name) => name.endsWith(".json")) : [];

describe.skipIf(!present)("the specification's own tests", () => {
  const all = parts.flatMap((part) => {
    const { resources, tests } = JSON.parse(readFileSync(join(suite, part), "utf8")) as Conformance;
    return tests.map((one) => ({ ...one, resources, part }));
  });
  // lowBoundary() and highBoundary() are experimental, and not supported.
  const supported = all.filter(({ part }) => part !== "fn_boundary.json");
  const boundaries = all.filter(({ part }) => part === "fn_boundary.json");

  test("are the ones of the stored version, those of the shareable subset among them", () => {
    expect(all).toHaveLength(134);
    expect(supported.filter(({ tags }) => tags.includes("shareable"))).toHaveLength(123);
    expect(boundaries.filter(({ tags }) => tags.includes("shareable"))).toHaveLength(0);
  });

  test.each(supported.map((one) => [one.part, one.title, one] as const))("%s: %s", async (_, __, one) => {
    if (one.expectError === true) {
      await expect(rowsOf(one.view, one.resources)).rejects.toThrow();
      return;
    }
    for (const strict of [true, false]) {
      const { columns, rows } = await rowsOf(one.view, one.resources, strict);
      expect(comparable(rows)).toEqual(comparable(one.expect ?? []));
      if (one.expectColumns !== undefined) expect(columns).toEqual(one.expectColumns);
    }
  });

  test.each(boundaries.map((one) => [one.title, one.view] as const))("%s is refused", async (_, view) => {
    expect(inEnglish(() => compileView(view, { name: "v", fault: () => "NULL" }))).toThrow(
      /Boundary\(\) is not supported/,
    );
  });
});

/** A view of one column by a path. */
const viewOf = (path: string, more: object = {}, rest: object = {}) => ({
  resource: "Observation",
  select: [{ column: [{ name: "x", path, ...more }] }],
  ...rest,
});

async function valueAt(path: string, resource: object, type = "string"): Promise<unknown> {
  const { rows } = await rowsOf(viewOf(path, { type }), [{ resourceType: "Observation", ...resource }]);
  expect(rows).toHaveLength(1);
  return rows[0]!.x;
}

describe("a path", () => {
  test.each([
    ["id", { id: "a" }, "a"],
    ["Observation.id", { id: "a" }, "a"],
    ["`id`", { id: "a" }, "a"],
    ["subject.reference", {}, null],
    ["subject.reference", { subject: null }, null],
    ["note.text", { note: [null, { text: "t" }] }, "t"],
    ["value.ofType(Quantity).value", { valueQuantity: { value: 7.25 } }, "7.25"],
    ["value.ofType(FHIR.Quantity).value", { valueQuantity: { value: 7.25 } }, "7.25"],
    [
      "contained.ofType(Device).id",
      {
        contained: [
          { resourceType: "Patient", id: "p" },
          { resourceType: "Device", id: "d" },
        ],
      },
      "d",
    ],
    [
      "code.coding.where(system = 'http://loinc.org' and code != 'x').code.first()",
      {
        code: {
          coding: [
            { system: "http://loinc.org", code: "x" },
            { system: "http://loinc.org", code: "y" },
          ],
        },
      },
      "y",
    ],
    [
      "code.coding.where(display.exists(length > 3)).code",
      { code: { coding: [{ code: "a", display: [{ length: 5 }] }] } },
      "a",
    ],
    ["'it\\'s \\u0041' + id", { id: "!" }, "it's A!"],
    [
      "subject.getReferenceKey(Patient)",
      { subject: { reference: "https://h.example/fhir/Patient/p-1.2/_history/3" } },
      "p-1.2",
    ],
    ["subject.getReferenceKey()", { subject: { reference: "urn:uuid:53fefa32" } }, null],
    ["note.text.join('; ')", { note: [{ text: "a" }, { text: "b" }] }, "a; b"],
  ])("%s over %j is %j", async (path, resource, expected) => {
    expect(await valueAt(path, resource)).toBe(expected);
  });

  test.each([
    ["1 + 2 * 3", {}, 7],
    ["(1 + 2) * 3 - -1", {}, 10],
    ["n / 0", { n: 1 }, null],
    ["9007199254740991 * n", { n: 4096 }, Number.MAX_SAFE_INTEGER * 4096],
    ["n + 1", { n: "text" }, null],
    ["n + 1", { n: [1, 2] }, null],
    ["n", { n: "12.50" }, 12.5],
    ["n", { n: "twelve" }, null],
    ["n", { n: { a: 1 } }, null],
  ])("number %s over %j is %j", async (path, resource, expected) => {
    expect(await valueAt(path, resource, "decimal")).toBe(expected);
  });

  test.each([
    ["a = b", { a: 1, b: 1.0 }, true],
    ["a = b", { a: "1", b: 1 }, false],
    ["a = b", { a: [1, 2], b: [1, 2] }, true],
    ["a = b", { a: [1, 2], b: 1 }, false],
    ["a = b", { a: 1 }, null],
    ["a != b", { a: 1 }, null],
    ["a = b", { a: "2024-01-01T12:00:00Z", b: "2024-01-01T13:00:00+01:00" }, true],
    ["a < b", { a: "2024-01-01T12:30:00Z", b: "2024-01-01T13:00:00+01:00" }, false],
    ["a < b", { a: "2023", b: "2024-05" }, true],
    ["a < b", { a: "2024", b: "2024-05" }, null],
    ["a <= '2024-05-01'", { a: "2024-04-30" }, true],
    ["a > 1", { a: "2" }, null],
    ["a > 1", { a: [2, 3] }, null],
    ["a and b", { a: true }, null],
    ["a and b", { a: false }, false],
    ["a or b", { a: true }, true],
    ["a.not()", { a: false }, true],
    ["true or false and false", {}, true],
    ["a.empty() and b.exists()", { b: 0 }, true],
  ])("condition %s over %j is %j", async (path, resource, expected) => {
    expect(await valueAt(path, resource, "boolean")).toBe(expected);
  });

  test("of a wide number keeps every digit of a whole one, and the nearest float64 of a decimal", async () => {
    const lines =
      '{"resourceType": "Observation", "n": 9007199254740993, "d": 0.1000000000000000055511151231257827}\n';
    const { select } = compileView(
      {
        resource: "Observation",
        select: [
          {
            column: [
              { name: "n", path: "n", type: "integer" },
              { name: "d", path: "d", type: "decimal" },
            ],
          },
        ],
      },
      { name: "v", fault: () => "NULL" },
    );
    const path = join(folder, "wide.ndjson");
    writeFileSync(path, lines);
    const instance = await DuckDBInstance.create(":memory:");
    const connection = await instance.connect();
    for (const statement of viewPrelude) await connection.run(statement);
    const rows = (await connection.runAndReadAll(select(resourcesOf(path)))).getRows();
    expect(rows).toEqual([[9007199254740993n, 0.1]]);
    instance.closeSync();
  });
});

describe("what the view does not say how to take", () => {
  const two = [{ resourceType: "Observation", id: "SECRETLEVEL", a: ["SECRETLEVEL", "SECRETLEVEL"] }];
  test("two values of a column are an error that names the path, or no value", async () => {
    const read = rowsOf(viewOf("a"), two);
    await expect(read).rejects.toThrow(/select\[0\]\.column\[0\]\.path: several values/);
    await expect(read).rejects.not.toThrow(/SECRET/);
    expect((await rowsOf(viewOf("a"), two, false)).rows).toEqual([{ x: null }]);
    expect((await rowsOf(viewOf("a", { collection: true }), two)).rows).toEqual([{ x: two[0]!.a }]);
  });

  test("a condition that is not a truth value is an error, or does not hold", async () => {
    const view = viewOf("id", {}, { where: [{ path: "id" }] });
    await expect(rowsOf(view, two)).rejects.toThrow(/where\[0\]\.path/);
    expect((await rowsOf(view, two, false)).rows).toEqual([]);
  });
});

describe("a view that is to take any resource", () => {
  const view = {
    resource: "Observation",
    constant: [{ name: "day", valueDate: "2024-02-29" }],
    where: [{ path: "a.where(b > 1 or b < %day or b = 'x').exists() or c != 3 or d" }],
    select: [
      {
        column: ["integer", "decimal", "boolean", "date"].map((type) => ({
          name: `a_${type}`,
          path: "a",
          type,
        })),
      },
      { column: [{ name: "sum", path: "a.b + c - d * 2 / a", type: "decimal" }] },
      {
        column: [
          { name: "key", path: "a.getReferenceKey(Patient)" },
          { name: "ext", path: "extension('x').value.ofType(code)" },
        ],
      },
      { forEachOrNull: "a.b", column: [{ name: "b", path: "$this", type: "integer", collection: true }] },
      {
        unionAll: [
          { forEach: "c", column: [{ name: "e", path: "d" }] },
          { repeat: ["a", "d"], column: [{ name: "e", path: "c" }] },
        ],
      },
    ],
  };
  test("never fails, whatever the JSON is", async () => {
    const leaf = fc.oneof(
      fc.constantFrom(
        null,
        true,
        1,
        -0,
        1e308,
        1e-320,
        2 ** 63,
        "",
        "x",
        "2024",
        "2024-02-29T25:61:61Z",
        "2024-02-29T10:00:00+99:99",
        "Patient/1",
        "\u0000",
        "\ud800",
      ),
      fc.string(),
    );
    const { json } = fc.letrec((tie) => ({
      json: fc.oneof(
        { maxDepth: 4, withCrossShrink: true },
        leaf,
        fc.array(tie("json"), { maxLength: 3 }),
        fc.dictionary(
          fc.constantFrom("a", "b", "c", "d", "extension", "url", "valueCode", "reference"),
          tie("json"),
          { maxKeys: 4 },
        ),
      ),
    }));
    const resource = fc.dictionary(fc.constantFrom("a", "b", "c", "d", "extension"), json!, { maxKeys: 5 });
    await fc.assert(
      fc.asyncProperty(fc.array(resource, { minLength: 20, maxLength: 80 }), async (resources) => {
        await rowsOf(
          view,
          resources.map((one) => ({ ...one, resourceType: "Observation" })),
          false,
        );
      }),
      // A query is planned for half a second, whatever its rows.
      { numRuns: 6 },
    );
  });
});

describe("a view that cannot be compiled", () => {
  const faultOf = (view: unknown) => {
    try {
      compileView(view, { name: "labs", fault: () => "NULL" });
    } catch (thrown) {
      return spokenError(thrown as ConsiliumError);
    }
    throw new RangeError("the view was compiled");
  };
  const column = { name: "x", path: "id" };

  test.each([
    [{}, /"labs", resource:/],
    [{ resource: "Patient" }, /select:/],
    [{ resource: "Patient", select: [] }, /select:/],
    [{ resource: "Patient", select: [{}] }, /select: the view has no column/],
    [{ resource: "Patient", select: [{ columns: [column] }] }, /select\[0\]:/],
    [
      { resource: "Patient", select: [{ column: [{ ...column, name: "a b" }] }] },
      /select\[0\]\.column\[0\]\.name:/,
    ],
    [
      { resource: "Patient", select: [{ column: [{ ...column, type: "Quantity" }] }] },
      /select\[0\]\.column\[0\]\.type:/,
    ],
    [
      { resource: "Patient", select: [{ column: [column] }, { column: [{ ...column, name: "X" }] }] },
      /two columns are called X/,
    ],
    [
      { resource: "Patient", select: [{ forEach: "name", forEachOrNull: "name", column: [column] }] },
      /at most one of/,
    ],
    [
      { resource: "Patient", select: [{ repeat: ["$this"], column: [column] }] },
      /select\[0\]\.repeat\[0\]: repeat would not end/,
    ],
    [{ resource: "Patient", select: [{ repeat: ["where(true)"], column: [column] }] }, /would not end/],
    [
      {
        resource: "Patient",
        select: [{ forEach: "name", column: [{ ...column, path: "getResourceKey()" }] }],
      },
      /begins at the resource/,
    ],
    [
      {
        resource: "Patient",
        constant: [
          { name: "a", valueString: "x" },
          { name: "a", valueString: "y" },
        ],
        select: [{ column: [column] }],
      },
      /constant\[1\]\.name/,
    ],
    [
      {
        resource: "Patient",
        constant: [{ name: "a", valueString: "x", valueCode: "y" }],
        select: [{ column: [column] }],
      },
      /constant\[0\]:/,
    ],
    [
      {
        resource: "Patient",
        select: [{ unionAll: [{ column: [column] }, { column: [{ ...column, type: "integer" }] }] }],
      },
      /select\[0\]\.unionAll\[1\]: the columns differ/,
    ],
  ])("%j", (view, message) => {
    const fault = faultOf(view);
    expect(fault).toMatchObject({ code: "VIEW_INVALID" });
    expect(fault.message).toMatch(message);
  });

  test.each([
    ["name.", "ends with a point"],
    ["name..family", '"." is not a name'],
    ["(name", "ends where ) is due"],
    ["name)", '")" is not supported here'],
    ["name family", '"family" is not supported here'],
    ["name = ", "is not complete"],
    ["@2020-01-01", "character 1 is not supported"],
    ["a | b", "character 3 is not supported"],
    ["name.select(family)", "the function select() is not supported"],
    ["lowBoundary()", "the function lowBoundary() is not supported"],
    ["name.first(1)", "first() takes 0 arguments, not 1"],
    ["name.where()", "where() takes 1 arguments, not 0"],
    ["name[id]", "an index is a whole number"],
    ["name[-1]", "an index is a whole number"],
    ["extension(url)", "extension() takes a text"],
    ["first().ofType(Patient)", "ofType() follows the name of an element"],
    ["'a' - 1", "a text is not a number"],
    ["'a' and true", "a text is not a condition"],
    ["%wrong", "%wrong is not among the view's constants"],
    ["name is Quantity", '"is" is not supported here'],
    ["a in b", '"in" is not supported here'],
    ["`a b`", "a name between backticks"],
    [`${"(".repeat(200)}id${")".repeat(200)}`, "nests deeper than 50 levels"],
  ])("by its path %s", (path, message) => {
    expect(faultOf(viewOf(path)).message).toContain(`select[0].column[0].path: ${message}`);
  });

  test("whatever the path, it is compiled or refused", () => {
    const word = fc.constantFrom("id", "name", ".", "(", ")", "[", "]", "=", "and", "or", "+", "-", "0", "'a'", "%c", "$this",
      "where", "exists()", "ofType(", "first()", ",", " ", "`", "'", "\\", "é"); // biome-ignore format: a list
    fc.assert(
      fc.property(fc.array(word, { maxLength: 12 }), (words) => {
        try {
          compileView(viewOf(words.join("") || " "), { name: "v", fault: () => "NULL" });
        } catch (thrown) {
          expect(thrown).toBeInstanceOf(ConsiliumError);
        }
      }),
      { numRuns: 2000 },
    );
  });

  test("a text of a path stays a text in SQL", async () => {
    expect(
      await valueAt("'x''); DROP TABLE t; --'.first()", {}).catch((thrown: Error) => english(thrown.message)),
    ).toMatch(/not supported/);
    expect(await valueAt("'\\'); SELECT error(\\'gone\\'); --'", {})).toBe("'); SELECT error('gone'); --");
  });
});
