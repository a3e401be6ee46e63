import { writeFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import Database from "libsql";
import { duckdb } from "./writeTable.js";

/**
 * One table of 200 stays, written in each of the ways that once cost a study records, or a site its connection: of every way the name
 * is that of its case below `cases/` of the folder that CONSILIUM_SHARED names.
 */

export const wardNames = ["id", "age", "sex", "crea", "admitted", "ward", "outcome"] as const;
export const wards = ["Chirurgie", "Innere", "Pädiatrie"];
type Stay = Readonly<Record<(typeof wardNames)[number], string>>;

const day = (i: number) => new Date(Date.UTC(2015, 0, 1 + ((i * 17) % 365))).toISOString().slice(0, 10);
const stays: readonly Stay[] = Array.from({ length: 200 }, (_, i) => ({
  id: `P${String(i).padStart(4, "0")}`,
  age: String(20 + ((i * 7) % 70)),
  sex: i % 9 < 5 ? "f" : "m",
  crea: String(((i * 13) % 40) / 10 + 0.25),
  admitted: day(i),
  ward: wards[(i * 7) % 3]!,
  outcome: i % 4 === 0 ? "yes" : "no",
}));
/** A record more, in which only what is odd differs from others. */
const more: Stay = { ...stays[1]!, id: "P9999", ward: "Innere" };

/** The columns that a study reads: `admitted` as days since the beginning of 2015. */
export const wardStudy = {
  label: { name: "outcome", levels: ["no", "yes"] },
  columns: [{ name: "admitted", type: "date" }],
  features: [
    { name: "age", type: "numeric", min: 0, max: 120 },
    { name: "crea", type: "numeric", min: 0, max: 10, belowDetection: "half" },
    { name: "sex", type: "categorical", levels: ["f", "m"] },
    { name: "ward", type: "categorical", levels: wards },
    { name: "day", type: "numeric", min: 0, max: 366, from: "admitted", as: { "days-since": "2015-01-01" } },
  ],
};

const changed = (change: (stay: Stay, i: number) => Partial<Stay>) =>
  stays.map((stay, i) => ({ ...stay, ...change(stay, i) }));
const cells = (stay: Stay) => wardNames.map((name) => stay[name]);
const line = (stay: Stay) => cells(stay).join(",");
const text = (lines: readonly string[], end = "\n") =>
  [wardNames.join(","), ...lines].map((one) => `${one}${end}`).join("");
const lines = stays.map(line);
/** In the middle of the others. */
const withMore = (one: string) => text(lines.toSpliced(100, 0, one));
const latin1 = (given: string) => Buffer.from(given, "latin1");
/** The few letters beyond latin-1 that hospitals write. */
const windows1252 = (given: string) =>
  latin1(given.replaceAll("€", "\x80").replaceAll("„", "\x84").replaceAll("“", "\x93"));
/** A byte that is no character of UTF-8 stands for the mark in it. */
const spoiled = (given: string) => {
  const bytes = Buffer.from(given);
  bytes[bytes.indexOf("~")] = 0xe4;
  return bytes;
};
const inner = (ward: string) => changed(({ ward: own }) => (own === "Innere" ? { ward } : {}));

async function writeSqlite(path: string): Promise<void> {
  const database = new Database(path);
  database.exec(
    "CREATE TABLE t (id text, age integer, sex text, crea real, admitted text, ward text, outcome text)",
  );
  const insert = database.prepare("INSERT INTO t VALUES (?, ?, ?, ?, ?, ?, ?)");
  for (const stay of [...stays, more]) insert.run(cells(stay));
  database.exec("UPDATE t SET ward = CAST(x'496ee46e' AS TEXT) WHERE id = 'P9999'");
  database.close();
}

const writeParquet = (path: string) =>
  duckdb([
    `COPY (SELECT * REPLACE (admitted::TIMESTAMP AT TIME ZONE 'Europe/Berlin' AS admitted, age::INT AS age, crea::DOUBLE AS crea)
      FROM (VALUES ${stays
        .map(
          (stay) =>
            `(${cells(stay)
              .map((cell) => `'${cell}'`)
              .join(", ")})`,
        )
        .join(", ")})
      AS t(${wardNames.join(", ")})) TO '${path}' (FORMAT parquet)`,
  ]);

/** What a file's bytes are, or how it is written, by the file's name. */
const ways: Readonly<Record<string, Uint8Array | string | ((path: string) => Promise<void>)>> = {
  "csv/clean.csv": text(lines),
  "csv/one-lf-in-crlf.csv": text([...lines, line(more)], "\r\n").replace(
    `${lines[99]}\r\n`,
    `${lines[99]}\n`,
  ),
  "csv/bare-cr-in-cell.csv": withMore(line({ ...more, ward: "Inn\rere" })),
  "csv/mixed-newlines.csv": text(lines).replaceAll(/(.*,yes)\n/g, "$1\r\n"),
  "csv/euro-in-latin-1.csv": windows1252(withMore(line({ ...more, ward: "In€nere" }))),
  "csv/utf-8-bad-byte-in-level.csv": spoiled(withMore(line({ ...more, ward: "In~nere" }))),
  "csv/utf-8-bad-byte-in-label.csv": spoiled(withMore(line({ ...more, outcome: "n~o" }))),
  "csv/quote-never-closed.csv": withMore(line({ ...more, ward: '"Innere' })),
  "csv/backslash-quotes.csv": text(inner('"Innere \\"A\\""').map(line)),
  "csv/latin-1-undeclared.csv": latin1(text(lines)),
  "csv/windows-1252.csv": windows1252(text(inner("Innere „A“ €").map(line))),
  "csv/utf-16-undeclared-nul-header.csv": Buffer.from(`\ufeff${text(lines)}`, "utf16le"),
  "csv/utf-16-big-endian.csv": Buffer.from(`\ufeff${text(lines)}`, "utf16le").swap16(),
  "csv/excel-sep-line.csv": [
    "sep=;",
    wardNames.join(";"),
    ...changed(({ crea }) => ({ crea: crea.replace(".", ",") })).map((stay) => cells(stay).join(";")),
    "",
  ].join("\r\n"),
  "csv/date-german-with-time.csv": text(
    changed(({ admitted }) => ({ admitted: `${admitted.split("-").reverse().join(".")} 14:30` })).map(line),
  ),
  "csv/date-oracle.csv": text(
    changed(({ admitted }) => {
      const [month, date] = new Date(admitted)
        .toLocaleDateString("en-US", { month: "short", day: "2-digit", timeZone: "UTC" })
        .toUpperCase()
        .split(" ");
      return { admitted: `${date}-${month}-15` };
    }).map(line),
  ),
  "csv/level-nfd.csv": text(changed(({ ward }) => ({ ward: ward.normalize("NFD") })).map(line)),
  "csv/level-nbsp.csv": text(changed(({ sex }) => (sex === "f" ? { sex: "f\u00a0" } : {})).map(line)),
  "csv/below-detection.csv": text(
    changed(({ crea }) => (Number(crea) < 1 ? { crea: "<0.5" } : {})).map(line),
  ),
  "csv/malformed-10000.csv": text([...Array.from({ length: 10_000 }, () => "x,y"), ...lines]),
  // Cut where a row ends: nothing of what is there tells it.
  "other/cut-at-a-row.csv.gz": gzipSync(text(lines)).subarray(0, -8),
  "other/bom.jsonl": `\ufeff${stays
    .map((stay) => `${JSON.stringify({ ...stay, age: Number(stay.age), crea: Number(stay.crea) })}\n`)
    .join("")}`,
  "other/bad-utf-8.sqlite": writeSqlite,
  "other/timestamps-berlin.parquet": writeParquet,
};
export const writtenWays: readonly string[] = Object.keys(ways);

/** @param way - one of `writtenWays` */
export async function writeAsWritten(way: string, path: string): Promise<void> {
  const content = ways[way]!;
  if (typeof content === "function") await content(path);
  else writeFileSync(path, content);
}
