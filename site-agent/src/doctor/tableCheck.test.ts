import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { TableRemark } from "@consilium/core/hospital/tableExamination";
import { readSaid } from "@consilium/core/readSaid";
import { english } from "@consilium/words/english";
import { german } from "@consilium/words/german";
import { DuckDBInstance } from "@duckdb/node-api";
import { expect, it } from "vitest";
import { studyOver } from "../../testing/data/study.js";
import { temporaryFolder } from "../../testing/data/writeTable.js";
import { tableConfigSchema } from "../data/tableConfig.js";
import { examineTable } from "./examineTable.js";
import { tableCheck } from "./tableCheck.js";

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
    ['check.delimiter {"found":";","stated":","}', "check.sep-line {}"],
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

it("shows levels and years as they are written, beside what is declared, and no text of few records", async () => {
  const rows = rowsOf(
    60,
    (i) =>
      `${i},${i === 3 ? secret : ["f", "m", "W"][i % 3]},${(i % 28) + 1}.01.${2014 + (i % 2)},${i % 2},"${secret} ${i}"`,
  );
  const text = table("age,sex,seen,died,note", rows);
  const { columns } = await checked(text);
  const [age, sex, seen, died, note] = columns;
  expect([age, died, note].map((one) => [one!.levels, one!.dates])).toEqual(Array(3).fill([[], null]));
  const level = (text: string, cells: number, declared: boolean | null) => ({ text, cells, declared });
  expect(sex).toMatchObject({
    levels: [level("W", 20, null), level("m", 20, null), level("f", 19, null)],
    others: 1,
  });
  expect(seen!.dates).toEqual({ format: "DD.MM.YYYY", first: 2014, last: 2015 });
  const entry = { columns: { sex: { levels: { W: "f" } } } };
  expect((await checked(text, entry)).columns[1]!.levels[0]).toEqual(level("W", 20, true));
  const path = join(folder, "studied.csv");
  writeFileSync(path, text);
  const study = studyOver([
    { name: "sex", type: "categorical", levels: ["f", "m"] },
    { name: "died", type: "categorical", levels: ["0", "2"] },
  ]);
  const studied = await tableCheck(tableConfigSchema.parse({ name: "records", path, ...entry }), { study });
  expect(studied.columns.map(({ name, levels }) => [name, levels])).toEqual([
    ["sex", [level("W", 20, true), level("m", 20, true), level("f", 19, true)]],
    ["died", [level("0", 30, true), level("1", 30, false)]],
  ]);
  expect(JSON.stringify(studied)).not.toContain(secret);
  // A patient's rows may be many.
  const visits = rowsOf(60, (i) => `${i % 3 === 0 ? secret : `P${i % 3}`},${["f", "m"][i % 2]}`);
  const unit = { patient: { column: "person", maxRows: 9 } };
  const ofPatients = await checked(table("person,sex", visits), { unit });
  expect(ofPatients.columns.map(({ levels }) => levels.length)).toEqual([0, 2]);
});

it("tells how rows that are left out differ from the others, and means of no few rows", async () => {
  // Values below detection are those of young women.
  const rows = (below: number) =>
    rowsOf(300, (i) =>
      i < below ? `<0.5,${20 + (i % 9)},f` : `${1 + (i % 7)},${50 + (i % 30)},${i % 2 ? "f" : "m"}`,
    );
  const { leftOut, said, remarks } = await checked(table("crea,age,sex", rows(40)));
  expect(leftOut).toMatchObject({ rows: 40, others: 260 });
  expect(leftOut!.columns).toEqual([
    {
      name: "age",
      text: null,
      left: 23.75,
      others: expect.closeTo(64.885, 3),
      isApart: true,
    },
    { name: "sex", text: "f", left: 1, others: 0.5, isApart: true },
  ]);
  expect(said).toEqual(["check.below-detection", "check.left-out"]);
  expect(paramsOf(remarks[1]!)).toEqual({ rows: 40, columns: ["age", "sex"] });
  expect((await checked(table("crea,age,sex", rows(9)))).leftOut).toEqual({
    rows: 9,
    others: 291,
    columns: [],
  });
  expect((await checked(table("crea,age,sex", rows(0)))).leftOut).toBeNull();
  const understood = { columns: { crea: { below: ["<"] } } };
  expect((await checked(table("crea,age,sex", rows(40)), understood)).leftOut).toBeNull();
  // Rows at random are like the others.
  const random = rowsOf(
    300,
    (i) => `${i % 7 === 3 ? "n/a" : i},${20 + ((i * 13) % 60)},${i % 2 ? "f" : "m"}`,
  );
  expect((await checked(table("crea,age,sex", random))).said).toEqual(["check.known-missing"]);
});

it("says each of its sentences in both languages", () => {
  const codes = (words: object) => Object.keys(words).filter((code) => code.startsWith("check."));
  expect(codes(german)).toEqual(codes(english));
});
