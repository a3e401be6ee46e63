import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { inEnglish } from "@consilium/core/testing/inEnglish";
import { describe, expect, test } from "vitest";
import {
  csvText,
  duckdb,
  endings,
  formats,
  jsonLines,
  type TestTable,
  tableConfig,
  temporaryFolder,
  writeGzipped,
  writeTable,
} from "../../testing/data/writeTable.js";
import { type CellRequest, LevelIndex, levelCell, MissingValues, numberCell, orderOf } from "./cells.js";
import { openSource } from "./openSource.js";
import type { TableConfig } from "./tableConfig.js";

/** The suite that every source passes: one table, the same cells from every format. */

const folder = temporaryFolder();
let tables = 0;
const stem = () => join(folder, `t${tables++}`);

const number = (name: string): CellRequest => ({ kind: "number", name });
const level = (name: string, levels: string[], nullValues: string[] = []): CellRequest => ({
  kind: "level",
  name,
  levels: new LevelIndex({ name, levels }, new MissingValues(nullValues)),
});

async function cells(config: TableConfig, requests: readonly CellRequest[]): Promise<number[][]> {
  const { source, files } = await openSource(config);
  const columns: number[][] = requests.map(() => []);
  for (const file of files) {
    for await (const chunk of source.read(file, requests, {})) {
      expect(chunk.columns).toHaveLength(requests.length);
      for (const [k, values] of chunk.columns.entries()) columns[k]!.push(...values.subarray(0, chunk.rows));
    }
  }
  return columns;
}

const { missing, notFinite, notNumeric } = numberCell;

describe.each(formats)("%s", (format) => {
  const write = (table: TestTable) => writeTable(format, stem(), table);

  test("numbers come as float64, missing ones marked", async () => {
    const values = [0, -0.5, 1e-300, 123456789.123, null, 2 ** 53, 0.1, -7];
    const path = await write({ names: ["x", "y"], rows: values.map((v) => [v, 1]) });
    const [x, y] = await cells(tableConfig({ path }), [number("x"), number("y")]);
    expect(x).toEqual(values.map((v) => v ?? missing));
    expect(y).toEqual(values.map(() => 1));
  });

  test("text that spells a decimal number is one, other text is none", async () => {
    const spellings: [string, number][] = [
      ["12", 12],
      ["-3.25", -3.25],
      ["+5", 5],
      ["5.", 5],
      [".5", 0.5],
      ["1e3", 1000],
      ["1E-2", 0.01],
      ["  7 ", 7],
      ["\t8", 8],
      ["1_000", 1000],
      ["", missing],
      ["   ", missing],
      ["nan", notFinite],
      ["NaN", notFinite],
      ["-inf", notFinite],
      ["Infinity", notFinite],
      ["1e999", notFinite],
      ["-1e999", notFinite],
      ["abc", notNumeric],
      ["1,5", notNumeric],
      ["0x1A", notNumeric],
      ["1__0", notNumeric],
      ["_1", notNumeric],
      ["1_", notNumeric],
      ["--5", notNumeric],
      ["5e", notNumeric],
      ["1e5.0", notNumeric],
      [".", notNumeric],
      ["true", notNumeric],
      ["12 kg", notNumeric],
      ["١", notNumeric],
      ["2020-01-01", notNumeric],
    ];
    const path = await write({ names: ["x"], rows: spellings.map(([text]) => [text]) });
    const [x] = await cells(tableConfig({ path }), [number("x")]);
    expect(spellings.map(([text], r) => [text, x![r]])).toEqual(spellings);
  });

  test("declared null values are missing, in numbers and levels, however spaced", async () => {
    const path = await write({
      names: ["x", "c"],
      rows: [
        ["1", "a"],
        ["?", "?"],
        [" ? ", " NA"],
        ["NA", ""],
        ["2", null],
        ["x?", "x?"],
      ],
    });
    const nulls = ["?", "NA"];
    const [x, c] = await cells(tableConfig({ path, nullValues: nulls }), [
      number("x"),
      level("c", ["a", "b"], nulls),
    ]);
    expect(x).toEqual([1, missing, missing, missing, 2, notNumeric]);
    expect(c).toEqual([0, -1, -1, -1, -1, levelCell.undeclared]);
  });

  test("NaN and infinity are marked apart from missing", async () => {
    const path = await write({
      names: ["x"],
      rows: [[1], [Number.NaN], [Number.POSITIVE_INFINITY], [null], [2]],
    });
    expect(await cells(tableConfig({ path }), [number("x")])).toEqual([
      [1, notFinite, notFinite, missing, 2],
    ]);
    const [x] = await cells(tableConfig({ path, nullValues: ["NaN"] }), [number("x")]);
    expect(x).toEqual([1, missing, notFinite, missing, 2]);
  });

  test("levels are compared as trimmed exact text", async () => {
    const values = ["yes", "no", "Yes", " yes ", "maybe", null, "", "naïve – ü", "日本"];
    const path = await write({ names: ["c"], rows: values.map((v) => [v]) });
    const [c] = await cells(tableConfig({ path }), [level("c", ["no", "yes", "naïve – ü", "日本"])]);
    expect(c).toEqual([1, 0, -2, 1, -2, -1, -1, 2, 3]);
  });

  test("whole numbers are levels with and without a zero fraction", async () => {
    const path = await write({ names: ["c"], rows: [[0], [1], [2], [null], [1.5], [-1]] });
    expect(await cells(tableConfig({ path }), [level("c", ["1", "0", "1.5", "-1"])])).toEqual([
      [1, 0, -2, -1, 2, 3],
    ]);
    expect(await cells(tableConfig({ path }), [level("c", ["1.0", "0.0"])])).toEqual([
      [1, 0, -2, -1, -2, -2],
    ]);
    const text = await write({ names: ["c"], rows: [["1.0"], ["1"], ["01"], ["x"]] });
    expect(await cells(tableConfig({ path: text }), [level("c", ["1", "x"])])).toEqual([[0, 0, -2, 1]]);
    // Declared as two levels, they are two.
    expect(await cells(tableConfig({ path: text }), [level("c", ["1", "1.0", "x"])])).toEqual([
      [1, 0, -2, 2],
    ]);
  });

  test("booleans are the levels true and false", async () => {
    const path = await write({ names: ["c"], rows: [[true], [false], [null], [true]] });
    expect(await cells(tableConfig({ path }), [level("c", ["false", "true"])])).toEqual([[1, 0, -1, 1]]);
  });

  test("four thousand levels", async () => {
    const levels = Array.from({ length: 4096 }, (_, i) => `ICD-${i}'"`);
    const path = await write({ names: ["c"], rows: levels.map((_, i) => [levels[4095 - i]!]) });
    expect(await cells(tableConfig({ path }), [level("c", levels)])).toEqual([
      levels.map((_, i) => 4095 - i),
    ]);
  });

  test("any column name works", async () => {
    const names = [
      "plain",
      "with space",
      'double"quote',
      "single'quote",
      "ünïcödé 血圧",
      "select",
      "c1",
      "a.b",
      "a,b",
      "x; DROP TABLE records; --",
      "back\\slash",
      "{brace}",
      "$1",
      "?",
      "rowid",
      "~/",
    ];
    const path = await write({ names, rows: [names.map((_, k) => k + 0.5), names.map((_, k) => -k - 0.5)] });
    const config = tableConfig({ path });
    const { source, files } = await openSource(config);
    const listed = await source.columns(files[0]!);
    expect(listed.map((column) => column.name)).toEqual(names);
    const reversed = [...names].reverse();
    const read = await cells(config, reversed.map(number));
    expect(read).toEqual(reversed.map((_, i) => [names.length - 1 - i + 0.5, -(names.length - 1 - i) - 0.5]));
  });

  // SQLite itself refuses such a table.
  // SQLite itself cannot hold such a table.
  if (format !== "sqlite")
    test("names that differ in case alone are different columns", async () => {
      const path = await write({ names: ["Age", "agX", "YGE"], rows: [[1, 2, 3]] });
      // DuckDB writes no such Parquet file, so other letters of the same length are replaced in the finished one.
      const bytes = readFileSync(path).toString("latin1").replaceAll("agX", "age").replaceAll("YGE", "AGE");
      writeFileSync(path, Buffer.from(bytes, "latin1"));
      const read = await cells(tableConfig({ path }), [number("AGE"), number("Age"), number("age")]);
      expect(read).toEqual([[3], [1], [2]]);
    });

  test("only the columns asked for, in the order asked for", async () => {
    const path = await write({ names: ["a", "b", "c"], rows: [[1, "text", 3]] });
    expect(await cells(tableConfig({ path }), [number("c"), number("a")])).toEqual([[3], [1]]);
  });

  test("rows keep their order over many chunks and files", async () => {
    const part = stem();
    const rows = 5000;
    const names = ["part-b", "part-a", "sub/part-c", "part-10", "part-9"];
    for (const [at, name] of names.entries()) {
      await writeTable(format, join(part, name), {
        names: ["id", "half"],
        rows: Array.from({ length: rows }, (_, i) => [at * rows + i, i / 2]),
      });
    }
    const [id, half] = await cells(tableConfig({ path: part }), [number("id"), number("half")]);
    const order = ["part-10", "part-9", "part-a", "part-b", "sub/part-c"].map((name) => names.indexOf(name));
    expect(id).toEqual(order.flatMap((at) => Array.from({ length: rows }, (_, i) => at * rows + i)));
    expect(half).toEqual(order.flatMap(() => Array.from({ length: rows }, (_, i) => i / 2)));
  });

  test("a bad cell late in the file does not lose or double a row", async () => {
    const values = Array.from({ length: 30_000 }, (_, i) =>
      i === 29_000 ? "bad" : i % 7 === 0 ? null : String(i),
    );
    const path = await write({ names: ["x"], rows: values.map((v) => [v]) });
    const [x] = await cells(tableConfig({ path }), [number("x")]);
    expect(x).toEqual(values.map((v) => (v === null ? missing : v === "bad" ? notNumeric : Number(v))));
  });

  test("file names that look like patterns or SQL are plain names", async () => {
    const odd = join(folder, `odd-${format}`);
    await writeTable(format, join(odd, "a1"), { names: ["x"], rows: [[8]] });
    for (const name of ["a[1]", "a*b", "q'q", "h#a?b%20c", "ü x", "key=1"]) {
      const path = await writeTable(format, join(odd, name), { names: ["x"], rows: [[7]] });
      expect(await cells(tableConfig({ path }), [number("x")])).toEqual([[7]]);
    }
  });

  test("stops when told, at once and midway, and when the reader stops", async () => {
    const path = await write({ names: ["x"], rows: Array.from({ length: 20_000 }, (_, i) => [i]) });
    const { source, files } = await openSource(tableConfig({ path }));
    const controller = new AbortController();
    const midway = async () => {
      for await (const _ of source.read(files[0]!, [number("x")], { signal: controller.signal })) {
        controller.abort(new Error("told to stop"));
      }
    };
    await expect(midway()).rejects.toThrow("told to stop");
    await expect(midway()).rejects.toThrow("told to stop");
    for await (const chunk of source.read(files[0]!, [number("x")], {})) {
      expect(chunk.rows).toBeGreaterThan(0);
      break;
    }
  });

  // Nothing in an empty file of JSON lines tells its columns.
  // JSON lines name their columns in their rows.
  if (format !== "jsonl")
    test("a table without rows has columns and no chunk", async () => {
      const path = await write({ names: ["x"], rows: [] });
      const { source, files } = await openSource(tableConfig({ path }));
      expect((await source.columns(files[0]!)).map((c) => c.name)).toEqual(["x"]);
      expect(await cells(tableConfig({ path }), [number("x")])).toEqual([[]]);
    });

  test("a file of another format is unreadable, and nothing of it is quoted", async () => {
    const path = `${stem()}${endings[format]}`;
    writeFileSync(path, `SECRETLEVEL,987654.321\n${'"SECRETLEVEL\n'.repeat(300)}`);
    const act = async () => {
      const { source, files } = await openSource(tableConfig({ path }));
      await source.columns(files[0]!);
      for await (const _ of source.read(files[0]!, [number("SECRETLEVEL")], {}));
    };
    await expect(act()).rejects.toMatchObject({ code: "TABLE_UNREADABLE" });
    await expect(act()).rejects.not.toThrow(/SECRET|9876/);
  });

  test("a file that is not there is away, and is not made", async () => {
    const path = `${stem()}${endings[format]}`;
    await expect(openSource(tableConfig({ path }))).rejects.toMatchObject({ code: "TABLE_AWAY" });
    expect(existsSync(path)).toBe(false);
  });
});

describe("csv options", () => {
  const file = (text: string | Buffer, ending = ".csv") => {
    const path = `${stem()}${ending}`;
    writeFileSync(path, text);
    return path;
  };

  test("delimiter, decimal comma and a byte order mark", async () => {
    const path = file('\ufeffa;b\r\n1,5;x\r\n-0,25;y\r\n1.500;x\r\n"2,5";y\r\n');
    const config = tableConfig({ path, csv: { delimiter: ";", decimal: "," } });
    const read = await cells(config, [number("a"), level("b", ["x", "y"])]);
    // 1.500 may be one and a half or a thousand and a half: it is refused.
    expect(read).toEqual([
      [1.5, -0.25, notNumeric, 2.5],
      [0, 1, 0, 1],
    ]);
  });

  test("without a header, by listed names", async () => {
    const path = file("1, x\n2, y\n");
    const config = tableConfig({ path, csv: { header: false, names: ["n", "c"] } });
    expect(await cells(config, [level("c", ["x", "y"]), number("n")])).toEqual([
      [0, 1],
      [1, 2],
    ]);
    const short = tableConfig({ path, csv: { header: false, names: ["n"] } });
    await expect(cells(short, [number("n")])).rejects.toMatchObject({ code: "TABLE_UNREADABLE" });
  });

  test("a record taken for a header is refused, unless the site says it is one", async () => {
    const path = file("987654.321,SECRETLEVEL\n1,x\n");
    const read = cells(tableConfig({ path }), [number("a")]);
    await expect(read).rejects.toMatchObject({ code: "TABLE_UNREADABLE" });
    await expect(read).rejects.not.toThrow(/SECRET|9876/);
    const stated = tableConfig({ path, csv: { header: true } });
    expect(await cells(stated, [number("987654.321")])).toEqual([[1]]);
  });

  test("a nameless first column, as data frames write their index", async () => {
    const path = file(",x\n0,5\n1,6\n");
    expect(await cells(tableConfig({ path }), [number("x")])).toEqual([[5, 6]]);
  });

  test("encodings", async () => {
    const text = "größe,c\n1,café\n2,thé\n";
    const latin = file(Buffer.from(text, "latin1"));
    const utf16 = file(Buffer.from(`\ufeff${text}`, "utf16le"));
    for (const [path, encoding] of [
      [latin, "latin-1"],
      [utf16, "utf-16"],
    ] as const) {
      const config = tableConfig({ path, csv: { encoding } });
      expect(await cells(config, [number("größe"), level("c", ["thé", "café"])])).toEqual([
        [1, 2],
        [1, 0],
      ]);
    }
    // Taken for UTF-8 its characters are none: levels are undeclared, and nothing else happens.
    const wrong = await cells(tableConfig({ path: latin }), [level("c", ["thé"])]);
    expect(wrong).toEqual([[levelCell.undeclared, levelCell.undeclared]]);
  });

  test("gzip, tab-separated, and JSON lines gzipped", async () => {
    const table: TestTable = { names: ["x"], rows: Array.from({ length: 3000 }, (_, i) => [i]) };
    const path = `${stem()}.csv.gz`;
    writeGzipped(path, csvText(table));
    expect((await cells(tableConfig({ path }), [number("x")]))[0]).toHaveLength(3000);
    const lines = `${stem()}.jsonl.gz`;
    writeGzipped(lines, jsonLines(table));
    expect((await cells(tableConfig({ path: lines }), [number("x")]))[0]).toHaveLength(3000);
    expect(await cells(tableConfig({ path: file("a\tb\n1\t2\n", ".tsv") }), [number("b")])).toEqual([[2]]);
  });

  test("quoted fields with delimiters, quotes and line ends", async () => {
    const path = file('"a ""b""","c\nd"\n"1","x, ""y""\nz"\n');
    const config = tableConfig({ path, csv: { multiline: 2 } });
    const read = await cells(config, [number('a "b"'), level("c\nd", ['x, "y"\nz', "other"])]);
    expect(read).toEqual([[1], [0]]);
  });

  test.each([
    ["a,b\n1,x\n2\n", /line 3 has more or fewer fields/],
    ["a,b\n1,x\n2,SECRETLEVEL,987654.321\n", /line 3 has more or fewer fields/],
    ['a,b\n1,"SECRETLEVEL\n', /line 2 opens a quotation mark/],
    ["\n a,b\n1,2\n", /first row holds no column names/],
  ])("malformed: %j", async (text, message) => {
    const read = cells(tableConfig({ path: file(text) }), [number("a")]);
    await expect(read).rejects.toMatchObject({ code: "TABLE_UNREADABLE" });
    await expect(inEnglish(read)).rejects.toThrow(message);
    await expect(read).rejects.not.toThrow(/SECRET|9876/);
  });

  test("a null value that is a declared level elsewhere stays a level", async () => {
    const path = file("x,c\n?,?\n1,?\n");
    const config = tableConfig({ path, nullValues: ["?"] });
    expect(await cells(config, [number("x"), level("c", ["?", "y"], ["?"])])).toEqual([
      [missing, 1],
      [0, 0],
    ]);
  });
});

describe("parquet types", () => {
  test("every number type reads as float64, every level type as text", async () => {
    const path = `${stem()}.parquet`;
    await duckdb([
      `COPY (SELECT 1::TINYINT AS i8, 2::USMALLINT AS u16, 3::BIGINT AS i64, 4::HUGEINT AS i128, 0.5::FLOAT AS f32,
             12.50::DECIMAL(5,2) AS dec, 'b'::ENUM('a','b') AS e, DATE '2020-02-03' AS day, true AS flag,
             '7.5' AS spelled, TIMESTAMP '2020-02-03 04:05:06' AS at, [1, 2] AS list, {'a': 1} AS struct, 'x'::BLOB AS bytes)
       TO '${path}' (FORMAT parquet)`,
    ]);
    const config = tableConfig({ path });
    const read = await cells(config, [
      ...["i8", "u16", "i64", "i128", "f32", "dec", "spelled"].map(number),
      level("e", ["a", "b"]),
      level("day", ["2020-02-03", "other"]),
      level("flag", ["true", "false"]),
      level("i64", ["1", "3"]),
      level("dec", ["12.50", "12.5"]),
    ]);
    expect(read.map(([value]) => value)).toEqual([1, 2, 3, 4, 0.5, 12.5, 7.5, 1, 0, 0, 1, 0]);
    const { source, files } = await openSource(config);
    const kinds = Object.fromEntries((await source.columns(files[0]!)).map((c) => [c.name, c.kind]));
    expect(kinds).toMatchObject({
      flag: "boolean",
      day: "date",
      at: "timestamp",
      list: "nested",
      struct: "nested",
    });
    expect(kinds).toMatchObject({ i128: "number", dec: "number", e: "text", bytes: "binary" });
  });

  // DuckDB's own cast of each of these decimals to DOUBLE is another number.
  test.each([
    ["0.525965890921903006", "DECIMAL(18,18)"],
    ["71276944233481448869.7404795191", "DECIMAL(30,10)"],
    ["0.69696518605109150966873583496796744093", "DECIMAL(38,38)"],
    ["132823290674098696.7874425191425415934", "DECIMAL(38,19)"],
  ])("the decimal %s is the nearest float64", async (text, type) => {
    const path = `${stem()}.parquet`;
    await duckdb([
      `COPY (SELECT '${text}'::${type} AS x, '${text}'::${type}::DOUBLE AS cast) TO '${path}' (FORMAT parquet)`,
    ]);
    const [[x], [cast]] = (await cells(tableConfig({ path }), [number("x"), number("cast")])) as [
      number[],
      number[],
    ];
    expect(x).toBe(Number(text));
    expect(cast).not.toBe(Number(text));
  });

  test("short decimals are the nearest float64 too, without text", async () => {
    const texts = Array.from(
      { length: 500 },
      (_, i) => `${(i * 7_919_191_919) % 99_999}.${String((i * 104_729_007) % 10 ** 10).padStart(10, "0")}`,
    );
    const path = `${stem()}.parquet`;
    await duckdb([
      `COPY (SELECT unnest([${texts.map((text) => `'${text}'`).join(", ")}])::DECIMAL(15,10) AS x) TO '${path}' (FORMAT parquet)`,
    ]);
    expect(await cells(tableConfig({ path }), [number("x")])).toEqual([texts.map(Number)]);
  });
});

describe("an order of rows", () => {
  const none = new MissingValues(["?", "-9"]);

  test.each([
    ["12", 12],
    [" -0.5 ", -0.5],
    ["1970-01-02", 86_400],
    ["1970-01-01 00:01", 60],
    ["1970-01-01T00:00:01.5Z", 1.5],
    ["1970-01-01 00:00:02+00", 2],
    ["1969-12-31 23:59:59.25", -0.75],
    ...["", "?", "-9.0", "nan", "soon", "1970-01-01 02:00:00+02", "1970-13-01", "01.02.1970"].map(
      (text): [string, number] => [text, Number.POSITIVE_INFINITY],
    ),
  ])("%j is %d", (text, order) => {
    expect(orderOf(text, none)).toBe(order);
  });

  test("is later for every later time", () => {
    const times = [
      "0001-01-01",
      "1582-10-15",
      "1970-01-01",
      "2024-02-29 23:59:59.999999",
      "2024-03-01",
      "9999-12-31",
    ];
    const orders = times.map((text) => orderOf(text, none));
    expect(orders).toEqual(orders.toSorted((a, b) => a - b));
    expect(new Set(orders).size).toBe(times.length);
  });
});
