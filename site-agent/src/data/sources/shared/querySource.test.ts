import { existsSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { ConsiliumError } from "@consilium/core/errors";
import { unwrap } from "@consilium/core/result";
import { inEnglish } from "@consilium/core/testing/inEnglish";
import { english } from "@consilium/runtime/http/spoken";
import { describe, expect, test } from "vitest";
import { studyOver } from "../../../../testing/data/study.js";
import { duckdb, temporaryFolder } from "../../../../testing/data/writeTable.js";
import { type CellRequest, LevelIndex, MissingValues, numberCell } from "../../cells.js";
import { DuckDbEngine, type Sealing } from "../../duckdbEngine.js";
import { openSource } from "../../openSource.js";
import { tablePlace } from "../../place.js";
import { openTable } from "../../preflight.js";
import { describeDeclared, describeTable } from "../../schema.js";
import { anyRows, checkTable, reopen } from "../../snapshot.js";
import { defaultReadLimits } from "../../source.js";
import { resolveTableConfig, type TableConfig, tableConfigSchema } from "../../tableConfig.js";
import { describeQueryFault } from "./querySource.js";
import { sqlText } from "./sqlText.js";

const folder = temporaryFolder();
let made = 0;
const file = (text: string, ending = ".csv") => {
  const path = join(folder, `f${made++}${ending}`);
  writeFileSync(path, text);
  return path;
};
const csv = { header: true };
const table = (files: object, query: string, more: object = {}): TableConfig =>
  tableConfigSchema.parse({ name: "records", duckdb: { files, query, ...more } });

const number = (name: string): CellRequest => ({ kind: "number", name });
const level = (name: string, levels: string[]): CellRequest => ({
  kind: "level",
  name,
  levels: new LevelIndex({ name, levels }, new MissingValues([])),
});

async function cells(config: TableConfig, requests: readonly CellRequest[], skip = false) {
  const { source, files } = await openSource(config);
  const malformed = { rows: 0 };
  const columns: number[][] = requests.map(() => []);
  for await (const chunk of source.read(files[0]!, requests, skip ? { malformed } : {}))
    for (const [k, values] of chunk.columns.entries()) columns[k]!.push(...values.subarray(0, chunk.rows));
  return { columns, malformed: malformed.rows };
}

const persons = () => file("id,sex,born\n1,f,1950\n2,m,1960\n3,f,1970\n");
const measurements = () =>
  file('{"id": 1, "value": 7.5}\n{"id": 1, "value": "8"}\n{"id": 3, "value": null}\n', ".jsonl");
const files = () => ({
  person: { path: persons(), csv },
  measurement: { path: measurements(), columns: ["id", "value"] },
});
const joined =
  "SELECT p.id, sex, max(TRY_CAST(value AS DOUBLE)) AS highest\nFROM person p LEFT JOIN measurement USING (id)\nGROUP BY ALL ORDER BY p.id -- one row per person";

describe("a query over named files", () => {
  test("joins them; every column of CSV and JSON lines is text", async () => {
    const config = table(files(), `${joined};\n`);
    const { columns } = await cells(config, [number("id"), level("sex", ["f", "m"]), number("highest")]);
    expect(columns).toEqual([
      [1, 2, 3],
      [0, 1, 0],
      [8, numberCell.missing, numberCell.missing],
    ]);
    expect(unwrap(await describeTable(config)).columns).toEqual([
      { name: "id", type: "text" },
      { name: "sex", type: "text" },
      { name: "highest", type: "number" },
    ]);
    expect((await describeDeclared(config)).columns).toHaveLength(3);
  });

  test("reads folders, compressed files and Parquet with the types of its columns", async () => {
    const path = join(folder, "typed.parquet");
    await duckdb([
      `COPY (SELECT 12345678901234567.8::DECIMAL(20,1) AS d, 9007199254740993 AS b, DATE '2020-02-29' AS day) TO ${sqlText(path)} (FORMAT parquet)`,
    ]);
    const { columns } = await cells(table({ t: path }, "FROM t"), [
      number("d"),
      level("b", ["9007199254740992", "9007199254740993"]),
      level("day", ["2020-02-29"]),
    ]);
    expect(columns).toEqual([[Number("12345678901234567.8")], [1], [0]]);
  });

  test("rows that cannot be taken apart end a reading, or are left out and counted", async () => {
    const bad = {
      a: { path: file("x,y\n1,2\n3\n4,5\n6,7,8\n"), csv },
      b: { path: file('{"x": "1"}\n[1]\n{"x": \n{"x": "4"}\n', ".jsonl"), columns: ["x"] },
    };
    const query = "SELECT x FROM a JOIN b USING (x) ORDER BY x";
    expect(await cells(table(bad, query), [number("x")], true)).toEqual({ columns: [[1, 4]], malformed: 4 });
    const strict = cells(table(bad, query), [number("x")]);
    await expect(strict).rejects.toMatchObject({ code: "TABLE_UNREADABLE" });
    // A file that the query does not read is not counted, and no fault.
    const one = table(bad, "SELECT x FROM b ORDER BY x");
    expect(await cells(one, [number("x")], true)).toEqual({ columns: [[1, 4]], malformed: 2 });
  });

  test("a query without rows is a table without rows", async () => {
    const config = table(files(), "SELECT born FROM person WHERE false");
    expect(await cells(config, [number("born")])).toEqual({ columns: [[]], malformed: 0 });
    const study = studyOver([{ name: "born", type: "numeric", min: 0, max: 3000 }]);
    expect(unwrap(await openTable(config, study)).report.used).toBe(0);
  });

  test.each([
    ["SELECT id AS a, sex AS a, born FROM person", "COLUMN_AMBIGUOUS"],
    ["SELECT id AS a, [born] AS born FROM person", "COLUMN_TYPE"],
    ["SELECT id AS a FROM person", "COLUMN_MISSING"],
    ["SELECT a FROM person", "QUERY_INVALID"],
    ["SELECT FROM WHERE", "QUERY_INVALID"],
    ["SELECT * FROM visits", "QUERY_INVALID"],
    ["SELECT id AS a, born FROM person; SELECT 1", "QUERY_INVALID"],
    ["SELECT id AS a, $1 AS born FROM person", "QUERY_INVALID"],
    ["PIVOT person ON sex USING count(*)", "QUERY_INVALID"],
    ["SELECT 1) AS x; COPY person TO '/tmp/x' --", "QUERY_INVALID"],
    ["SELECT id AS a, born FROM person WHERE id > 1", "QUERY_INVALID"],
    ["SELECT id AS a, error(born) AS born FROM person", "QUERY_INVALID"],
    ["SELECT id AS a, strptime(born, '%Y')::VARCHAR AS born FROM person", "QUERY_INVALID"],
    ["SELECT id AS a, born FROM query('SELECT id, born::INTEGER AS born FROM person')", "QUERY_INVALID"],
    ["SELECT id::INTEGER AS a, born FROM person", "QUERY_INVALID"],
    ["SELECT id AS a, (SELECT max(CAST(born AS DATE)) FROM person) AS born FROM person", "QUERY_INVALID"],
  ])("%j is refused with %s before a record is read", async (query, code) => {
    const study = studyOver(["a", "born"].map((name) => ({ name, type: "numeric", min: 0, max: 3000 })));
    const checked = await checkTable(table(files(), query), study);
    expect(checked.ok ? null : checked.error.code).toBe(code);
  });

  test("a cast that cannot fail, or that gives no value, is accepted", async () => {
    const query =
      "SELECT id::VARCHAR AS a, TRY_CAST(born AS INTEGER) AS born FROM person WHERE DATE '2020-01-01' > DATE '1999-01-01'";
    const study = studyOver(["a", "born"].map((name) => ({ name, type: "numeric", min: 0, max: 3000 })));
    expect((await checkTable(table(files(), query), study)).ok).toBe(true);
  });

  test("may be left while text is still read", async () => {
    // More than DuckDB keeps of a result: its threads wait for text, or for us.
    const path = file(`x\n${`${"7".repeat(4_000)}\n`.repeat(12_000)}`);
    const config = table({ t: { path, csv } }, "FROM t UNION ALL FROM t", { memoryMb: 128 });
    const { source } = await openSource(config);
    for (const chunks of [1, 2, 1, 2]) {
      let left = chunks;
      for await (const _ of source.read("", [{ kind: "order", name: "x" }], {})) if (--left === 0) break;
      expect(left).toBe(0);
    }
  });

  test("of several studies at once all end, while text is still read", async () => {
    const path = file(`x\n${"7\n".repeat(500_000)}`);
    const config = table({ t: { path, csv } }, "FROM t", { memoryMb: 128 });
    const rows = async () => {
      const { columns } = await cells(config, [number("x")]);
      return columns[0]!.length;
    };
    // More than the system reads files by.
    const read = Array.from({ length: 12 }, rows);
    expect(new Set(await Promise.all(read))).toEqual(new Set([500_000]));
  });

  test("a value at which the query fails has a code and is not quoted", async () => {
    const path = file("id,x\n1,987654321\n");
    const query = "SELECT TRY_CAST(x AS INTEGER) * 1000 AS id FROM t";
    const read = cells(table({ t: { path, csv } }, query), [number("id")]);
    await expect(read).rejects.toMatchObject({ code: "QUERY_FAILED" });
    await expect(read).rejects.not.toThrow(/9876/);
    const text = new Error("Conversion Error: Could not convert string 'SECRETLEVEL' to INT32");
    const fault = describeQueryFault(text, tablePlace("t"), defaultReadLimits, "SELECT 1");
    expect(fault.code).toBe("QUERY_FAILED");
    expect(fault.message).not.toContain("SECRET");
  });

  test("a query that needs more memory than its entry allows says so", async () => {
    const query = "SELECT len(list(a.range)) AS x FROM range(20000000) AS a";
    const read = cells(table(files(), query, { memoryMb: 128 }), [number("x")]);
    await expect(inEnglish(read)).rejects.toMatchObject({
      code: "TABLE_UNREADABLE",
      message: expect.stringContaining("the query needs over 128 MB"),
    });
  });

  test("of a fault of the query's text it tells the line and the name, if the query has it", () => {
    const fault = (message: string) =>
      english(
        describeQueryFault(new Error(message), tablePlace("t"), defaultReadLimits, "SELECT\n  oops FROM t")
          .message,
      );
    const message = 'Binder Error: Referenced column "oops" not found\n\nLINE 2:   oops FROM t';
    expect(fault(message)).toContain('line 2, at "oops"');
    expect(fault('Binder Error: Referenced column "SECRETLEVEL" not found')).not.toContain("SECRET");
  });
});

describe("files that change", () => {
  const study = studyOver([
    { name: "id", type: "numeric", min: 0, max: 100, missing: { constant: 0 } },
    { name: "sex", type: "categorical", levels: ["f", "m"] },
  ]);
  const query = "SELECT * FROM person";
  const of = (path: string) => table({ person: { path, csv } }, query);

  async function blocks(config: TableConfig, approval: Parameters<typeof reopen>[2]) {
    let rows = 0;
    for await (const block of unwrap(await reopen(config, study, approval)).blocks()) rows += block.rows;
    return rows;
  }

  test.each([
    ["another value", "id,sex\n1,f\n2,f\n"],
    ["no rows", "id,sex\n"],
    ["another column", "id,gender\n1,f\n2,m\n"],
  ])("%s at the next stage: TABLE_CHANGED", async (_, after) => {
    const path = file("id,sex\n1,f\n2,m\n");
    const approved = unwrap(await openTable(of(path), study));
    expect(await blocks(of(path), approved)).toBe(2);
    writeFileSync(path, after);
    await expect(blocks(of(path), approved)).rejects.toMatchObject({ code: "TABLE_CHANGED" });
  });

  test("another type of a query's column at the next stage: TABLE_CHANGED; without an approval COLUMN_TYPE", async () => {
    const path = join(folder, "types.parquet");
    const write = (select: string) => duckdb([`COPY (${select}) TO ${sqlText(path)} (FORMAT parquet)`]);
    await write("SELECT 1 AS id, 'f' AS sex");
    const config = table({ person: path }, query);
    const approved = unwrap(await openTable(config, study));
    await write("SELECT [1] AS id, 'f' AS sex");
    await expect(blocks(config, approved)).rejects.toMatchObject({ code: "TABLE_CHANGED" });
    const any = async () => {
      for await (const _ of anyRows(config, study, () => undefined));
    };
    await expect(any()).rejects.toMatchObject({ code: "COLUMN_TYPE" });
  });

  test.each(["replaced", "written to", "removed"])("a file %s midway: TABLE_CHANGED", async (how) => {
    const text = `id,sex\n${"1,f\n".repeat(20_000)}`;
    const path = file(text);
    const { source } = await openSource(of(path));
    const read = async (change: boolean) => {
      let changed = false;
      for await (const _ of source.read("", [number("id")], {})) {
        if (!change || changed) continue;
        changed = true;
        if (how === "replaced") renameSync(file(text), path);
        else if (how === "removed") rmSync(path);
        else writeFileSync(path, text.slice(0, 1000));
      }
    };
    await read(false);
    await expect(read(true)).rejects.toMatchObject({ code: "TABLE_CHANGED" });
  });
});

describe("the DuckDB that a query runs in", () => {
  const secret = file("secret\nSECRETLEVEL\n");
  const listed = file("x\n1\n");
  const sealing: Sealing = {
    files: [listed],
    faultOf: (thrown) => new ConsiliumError("INTERNAL", thrown instanceof Error ? thrown.message : ""),
  };
  async function run(statement: string, sealed: Sealing | null = sealing): Promise<string[]> {
    const engine = await DuckDbEngine.open(defaultReadLimits, 0, sealed);
    try {
      return await engine.texts(statement, tablePlace("t"));
    } finally {
      engine.close();
    }
  }

  test("reads the file that is listed", async () => {
    expect(await run(`SELECT x::VARCHAR FROM read_csv(${sqlText(listed)})`)).toEqual(["1"]);
    expect(await run(`SELECT x::VARCHAR FROM ${sqlText(listed)}`)).toEqual(["1"]);
  });

  const link = join(folder, "link.csv");
  symlinkSync(secret, link);
  test.each([
    ["another file", `SELECT secret FROM read_csv(${sqlText(secret)})`],
    ["another file by its name", `SELECT secret FROM ${sqlText(secret)}`],
    ["its text", `SELECT content FROM read_text(${sqlText(secret)})`],
    ["a link to another file", `SELECT secret FROM read_csv(${sqlText(link)})`],
    ["a way through folders", `SELECT secret FROM read_csv(${sqlText(join(folder, "..", secret))})`],
    ["a folder's names", `SELECT file FROM glob(${sqlText(join(folder, "*"))})`],
    ["a pattern", `SELECT x FROM read_csv(${sqlText(join(folder, "*.csv"))})`],
    ["a file of the system", "SELECT content FROM read_text('/proc/self/environ')"],
    ["another database", `ATTACH ${sqlText(join(folder, "other.duckdb"))}`],
    ["copying to a file", `COPY (SELECT 1) TO ${sqlText(join(folder, "out.csv"))}`],
    ["exporting", `EXPORT DATABASE ${sqlText(join(folder, "out"))}`],
    ["installing an extension", "INSTALL httpfs"],
    ["loading an extension", "LOAD httpfs"],
    ["an extension that would load by itself", "SELECT a FROM sqlite_scan('x.db', 't')"],
    ["unlocking", "SET lock_configuration = false"],
    ["external access", "SET enable_external_access = true"],
    ["further paths", `SET allowed_paths = [${sqlText(secret)}]`],
    ["a folder for overflow", `SET temp_directory = ${sqlText(folder)}`],
    ["the environment", "SELECT getenv('PATH')"],
  ])("refuses %s, which a DuckDB that is not sealed may allow", async (_, statement) => {
    await expect(run(statement)).rejects.toThrow(
      /^\[?[^\n]*(Permission|Catalog|configuration has been locked|Parser|Binder|Invalid Input)/,
    );
    expect(existsSync(join(folder, "out.csv"))).toBe(false);
    expect(existsSync(join(folder, "other.duckdb"))).toBe(false);
  });

  test("the same statements do read and write where nothing is sealed", async () => {
    expect(await run(`SELECT secret FROM read_csv(${sqlText(secret)})`, null)).toEqual(["SECRETLEVEL"]);
    expect(await run(`SELECT secret FROM read_csv(${sqlText(link)})`, null)).toEqual(["SECRETLEVEL"]);
    await run(`COPY (SELECT 1) TO ${sqlText(join(folder, "unsealed.csv"))}`, null);
    expect(existsSync(join(folder, "unsealed.csv"))).toBe(true);
  });

  test("asks no server", async () => {
    let asked = 0;
    const server = createServer((_, response) => {
      asked++;
      response.end("x\n1\n");
    });
    await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
    const { port } = server.address() as AddressInfo;
    await expect(run(`SELECT x FROM read_csv('http://127.0.0.1:${port}/a.csv')`)).rejects.toThrow();
    expect(asked).toBe(0);
    expect(await (await fetch(`http://127.0.0.1:${port}/a.csv`)).text()).toBe("x\n1\n");
    expect(asked).toBe(1);
    server.close();
  });

  test("does not write to a listed file by a query, which alone could", async () => {
    const before = readFileSync(listed, "utf8");
    const copy = `COPY (SELECT 9 AS x) TO ${sqlText(listed)} (USE_TMP_FILE false)`;
    const { source } = await openSource(table({ t: { path: listed, csv } }, copy));
    await expect(source.columns("")).rejects.toMatchObject({ code: "QUERY_INVALID" });
    expect(readFileSync(listed, "utf8")).toBe(before);
    const engine = await DuckDbEngine.open(defaultReadLimits, 0, sealing);
    await engine.texts(copy, tablePlace("t"));
    engine.close();
    expect(readFileSync(listed, "utf8")).not.toBe(before);
  });

  test("does not read a listed file of text by itself", async () => {
    const { source } = await openSource(
      table({ t: { path: listed, csv } }, `SELECT x FROM read_csv(${sqlText(listed)})`),
    );
    await expect(source.columns("")).rejects.toMatchObject({ code: "QUERY_INVALID" });
  });

  test("a path that DuckDB would take for a pattern is refused", async () => {
    const path = join(folder, "a*.parquet");
    const plain = join(folder, "a.parquet");
    await duckdb([`COPY (SELECT 1 AS x) TO ${sqlText(plain)} (FORMAT parquet)`]);
    renameSync(plain, path);
    await expect(openSource(table({ t: path }, "FROM t"))).rejects.toMatchObject({ code: "CONFIG_INVALID" });
    // Text is read by ourselves.
    const text = join(folder, "b*.csv");
    writeFileSync(text, "x\n1\n");
    const config = table({ t: { path: text, csv } }, "FROM t");
    expect((await cells(config, [number("x")])).columns).toEqual([[1]]);
    await expect(DuckDbEngine.open(defaultReadLimits, 0, { ...sealing, files: [path] })).rejects.toThrow(
      RangeError,
    );
  });
});

describe("its entry in the configuration", () => {
  const entry = (duckdb: object) => tableConfigSchema.safeParse({ name: "t", duckdb });
  test("paths are relative to the configuration file", () => {
    const config = table({ person: { path: "p.csv", csv }, labs: "labs.parquet" }, "FROM person");
    const { duckdb } = resolveTableConfig(config, "/etc/site");
    expect(Object.values(duckdb!.files).map(({ path }) => path)).toEqual([
      "/etc/site/p.csv",
      "/etc/site/labs.parquet",
    ]);
    expect(duckdb!.memoryMb).toBe(1024);
  });

  test.each([
    [{ files: {}, query: "SELECT 1" }, "duckdb.files"],
    [{ files: { "a b": "a.parquet" }, query: "SELECT 1" }, "duckdb.files.a b"],
    [{ files: { a: "a.parquet", A: "b.parquet" }, query: "SELECT 1" }, "duckdb.files"],
    [{ files: { a: "https://example.org/a.parquet" }, query: "SELECT 1" }, "duckdb.files.a.path"],
    [{ files: { a: "a.csv" }, query: "SELECT 1" }, "duckdb.files.a.csv"],
    [
      {
        files: { a: { path: "a.csv", csv: { header: true, delimiter: ";", decimal: "," } } },
        query: "FROM a",
      },
      "duckdb.files.a.csv",
    ],
    [{ files: { a: "a.jsonl" }, query: "SELECT 1" }, "duckdb.files.a.columns"],
    [{ files: { a: "a.sqlite" }, query: "SELECT 1" }, "duckdb.files.a.format"],
    [{ files: { a: "folder" }, query: "SELECT 1" }, "duckdb.files.a.format"],
    [{ files: { a: "a.parquet" } }, "duckdb.query"],
    [{ files: { a: "a.parquet" }, query: "SELECT 1", orderBy: ["a"] }, "duckdb"],
  ])("%j is refused at %s", (duckdb, path) => {
    expect(entry(duckdb).error?.issues.map((issue) => issue.path.join("."))).toContain(path);
  });

  test("one source per table", () => {
    const both = tableConfigSchema.safeParse({
      name: "t",
      path: "a.csv",
      duckdb: { files: { a: "a.parquet" }, query: "FROM a" },
    });
    expect(both.success).toBe(false);
    expect(entry({ files: { a: "a.parquet" }, query: "FROM a" }).success).toBe(true);
  });
});
