import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { TableRemark } from "@consilium/core/hospital/tableExamination";
import { readSaid } from "@consilium/core/said";
import { english } from "@consilium/words/english";
import { german } from "@consilium/words/german";
import { DuckDBInstance } from "@duckdb/node-api";
import { expect, it } from "vitest";
import { temporaryFolder } from "../../testing/data/writeTable.js";
import { examineTable } from "./examineTable.js";

const folder = temporaryFolder();
writeFileSync(join(folder, "config.yaml"), "{}\n");
let files = 0;

/** No value of a table may be in what is said of it. */
const secret = "Zyprexa-4711";

async function checked(content: string | Uint8Array, entry: object = {}) {
  const path = join(folder, `${files++}.csv`);
  writeFileSync(path, content);
  const given = { name: "visits", path, ...entry };
  const found = await examineTable(folder, { entry: JSON.stringify(given) });
  expect(JSON.stringify(found)).not.toContain(secret);
  return { ...found, said: found.remarks.map(({ line }) => line.replace(/ .*/, "")) };
}

const rowsOf = (count: number, row: (i: number) => string) => Array.from({ length: count }, (_, i) => row(i));
const table = (header: string, rows: readonly string[], end = "\n") => [header, ...rows, ""].join(end);
const paramsOf = ({ line }: TableRemark) => readSaid(line)!.params;

it("tells rows that are left out by cause, with the line of the first, and what they need", async () => {
  const rows = rowsOf(40, (i) => `${i},plain`);
  rows[3] = `3,"${secret}`;
  rows[7] = `7,"${secret}" behind`;
  rows[9] = `9,"open`;
  rows[11] = `11,${secret},more`;
  const { said, remarks, malformed, rows: read, written } = await checked(table("a,b", rows));
  expect([read, malformed]).toEqual([36, 4]);
  expect(said).toEqual(["check.quote", "check.behind-quote", "check.fields"]);
  expect(remarks.map(paramsOf)).toEqual([
    { rows: 2, line: 5 },
    { rows: 1, line: 9 },
    { rows: 1, line: 13 },
  ]);
  expect(written).toMatchObject({ encoding: "utf-8", delimiter: ",", header: true });
  const mended = await checked(
    table(
      "a,b",
      rowsOf(9, (i) => `${i},"a \\"b\\" c"`),
    ),
    { csv: { escape: "\\" } },
  );
  expect([mended.rows, mended.said]).toEqual([9, []]);
});

it("tells a last row that breaks off, and line ends of several kinds", async () => {
  const whole = table(
    "a,b",
    rowsOf(40, (i) => `${i},${i}`),
  );
  expect((await checked(whole.slice(0, -4))).said).toEqual(["check.cut"]);
  expect((await checked(whole)).said).toEqual([]);
  const mixed =
    table(
      "a,b",
      rowsOf(9, (i) => `${i},x`),
    ) +
    table(
      "9,x",
      rowsOf(9, (i) => `${i},x`),
      "\r\n",
    );
  const { said, remarks, written } = await checked(mixed);
  expect([said, paramsOf(remarks[0]!)]).toEqual([["check.line-ends"], { lf: 10, crlf: 10, cr: 0 }]);
  expect(written!.lineEnds).toEqual({ lf: 10, crlf: 10, cr: 0 });
});

it("proposes keys that mend what cells hold, and finds nothing once they are written", async () => {
  const text = table(
    "crea,seen,born",
    rowsOf(
      60,
      (i) =>
        `${i % 5 === 0 ? "<0.5" : i % 7 === 0 ? "n/a" : i},${(i % 28) + 1}.0${(i % 9) + 1}.2015 14:30,${(i % 12) + 1}/${(i % 12) + 1}/2015`,
    ),
  );
  const found = await checked(text);
  expect(found.said).toEqual([
    "check.known-missing",
    "check.below-detection",
    "check.dates",
    "check.dates-open",
  ]);
  expect(paramsOf(found.remarks[1]!)).toEqual({ column: "crea", cells: 12, all: 60 });
  expect(found.remarks[2]!.entry).toEqual({ columns: { seen: { date: "DD.MM.YYYY" } } });
  expect(found.remarks[3]!.entry).toBeNull();
  const columns = {
    crea: { missing: ["n/a"], below: ["<"] },
    seen: { date: "DD.MM.YYYY" },
    born: { date: "DD/MM/YYYY" },
  };
  expect((await checked(text, { columns })).said).toEqual([]);
});

it("knows a level `unknown` from a missing value, and ISO dates from others", async () => {
  const rows = rowsOf(
    60,
    (i) => `${["f", "m", "unknown"][i % 3]},2015-01-${String((i % 28) + 1).padStart(2, "0")}`,
  );
  expect((await checked(table("sex,seen", rows))).said).toEqual([]);
});

it("tells damaged characters from another encoding", async () => {
  const rows = rowsOf(60, (i) => `${i},Müller`);
  const bytes = Buffer.from(table("a,name", rows));
  const damaged = Buffer.from(bytes);
  damaged[bytes.indexOf("ü") + 1] = 0x20;
  const { said, csv, remarks } = await checked(damaged);
  expect([said, csv, paramsOf(remarks[0]!)]).toEqual([
    ["check.no-characters"],
    null,
    { column: "name", cells: 1 },
  ]);
  const latin = Buffer.from(table("a,name", rows), "latin1");
  expect((await checked(latin)).csv).toEqual({ encoding: "windows-1252", header: true });
});

it("knows Excel's first line, and what follows it", async () => {
  const { csv, problems } = await checked(table("sep=;", ["a;b", ...rowsOf(9, (i) => `${i};x`)]));
  expect([csv, problems]).toEqual([
    { skipRows: 1, delimiter: ";", header: true },
    [
      'fields are separated by ";", not by ","',
      "the first line is Excel's `sep=`, which is no header: skip it",
    ],
  ]);
  const mended = await checked(table("sep=;", ["a;b", ...rowsOf(9, (i) => `${i};x`)]), { csv });
  expect([mended.rows, mended.said, mended.problems]).toEqual([9, [], []]);
});

it("tells midnights of another time zone", async () => {
  const path = join(folder, "zone.parquet");
  const instance = await DuckDBInstance.create(":memory:");
  const connection = await instance.connect();
  // Midnights of Berlin in UTC, in winter and in summer.
  await connection.run(`COPY (SELECT i AS a, TIMESTAMP '2015-01-02' + INTERVAL (i) DAY + INTERVAL (22 + i % 2) HOUR AS seen
    FROM range(40) t(i)) TO '${path}' (FORMAT parquet)`);
  connection.closeSync();
  instance.closeSync();
  const remarksOf = async (entry: object) =>
    (await examineTable(folder, { entry: JSON.stringify({ name: "visits", path, ...entry }) })).remarks;
  expect((await remarksOf({})).map(paramsOf)).toEqual([{ column: "seen" }]);
  expect(await remarksOf({ timeZone: "Europe/Berlin" })).toEqual([]);
});

it("says each of its sentences in both languages", () => {
  const codes = (words: object) => Object.keys(words).filter((code) => code.startsWith("check."));
  expect(codes(german)).toEqual(codes(english));
});
