/**
 * Bytes of any kind in one record change what is used of that record at most, in each format of text and in SQLite's; the number of
 * draws is fixed, and larger in whole runs.
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { isWholeRun } from "@consilium/core/testing/wholeRun";
import fc from "fast-check";
import Database from "libsql";
import { describe, expect, it } from "vitest";
import { studyOver } from "../../testing/data/study.js";
import { tableConfig, temporaryFolder } from "../../testing/data/writeTable.js";
import { anyRows } from "./snapshot.js";

const folder = temporaryFolder();
const draws = isWholeRun ? 2_000 : 100;
const records = 40;
const study = studyOver([
  { name: "x", type: "numeric", min: 0, max: 1_000_000 },
  { name: "c", type: "categorical", levels: ["höher", "€", "a"] },
]);
const levels = ["höher", "€", "a"];

/** Numbers of the records that are used. */
async function used(config: object): Promise<number[]> {
  const found: number[] = [];
  for await (const { rows, columns } of anyRows(
    tableConfig(config as { path: string }),
    study,
    () => undefined,
  ))
    for (let r = 0; r < rows; r++)
      if (levels[columns[1]![r]!] === levels[columns[0]![r]! % 3]) found.push(columns[0]![r]!);
  return found;
}

const all = Array.from({ length: records }, (_, x) => x);
/** Quotation marks, line ends and the like are drawn more often than other bytes. */
const noise = fc.array(
  fc.oneof(fc.integer({ min: 0, max: 255 }), fc.constantFrom(...Buffer.from('"\n\r,\\{}[]:\0é€'))),
  { minLength: 1, maxLength: 24 },
);

const csv = (x: number) => `${x},"${levels[x % 3]}",note ${x}\r\n`;
const json = (x: number) => `${JSON.stringify({ x, c: levels[x % 3], note: x })}\n`;
const latin = (text: string) => Buffer.from(text.replaceAll("€", "\x80"), "latin1");
const big = (text: string) => Buffer.from(text, "utf16le").swap16();

interface TextFormat {
  readonly name: string;
  readonly ending: string;
  readonly entry: object;
  readonly head: string;
  readonly line: (x: number) => string;
  readonly bytes: (text: string) => Buffer;
  /** Lines that an open quotation mark may take beside its own. */
  readonly lines: number;
}

const csvOf = {
  ending: ".csv",
  head: "x,c,note\r\n",
  line: csv,
  bytes: (text: string) => Buffer.from(text),
  lines: 0,
};
const formats: readonly TextFormat[] = [
  { ...csvOf, name: "CSV", entry: {} },
  { ...csvOf, name: "packed CSV", ending: ".csv.gz", entry: {} },
  { ...csvOf, name: "CSV of several lines a record", entry: { csv: { multiline: 4 } }, lines: 3 },
  { ...csvOf, name: "CSV with an escape", entry: { csv: { escape: "\\" } } },
  { ...csvOf, name: "CSV in windows-1252", entry: { csv: { encoding: "windows-1252" } }, bytes: latin },
  {
    ...csvOf,
    name: "CSV in UTF-16",
    entry: { csv: { encoding: "utf-16" } },
    bytes: (text) => Buffer.from(text, "utf16le"),
  },
  { ...csvOf, name: "CSV in big-endian UTF-16", entry: { csv: { encoding: "utf-16be" } }, bytes: big },
  {
    ...csvOf,
    name: "CSV without a header row",
    head: "",
    entry: { csv: { header: false, names: ["x", "c", "note"] } },
  },
  { ...csvOf, name: "JSON lines", ending: ".jsonl", head: "", line: json, entry: {} },
];

describe.each(formats)(
  "bytes of any kind in a record of $name",
  ({ ending, entry, head, line, bytes, lines }) => {
    it("change what is used of it at most", async () => {
      const path = join(folder, `t${ending}`);
      const write = (parts: readonly Buffer[]) => {
        const whole = Buffer.concat(parts);
        writeFileSync(path, ending.endsWith(".gz") ? gzipSync(whole) : whole);
      };
      const clean = [bytes(head), ...all.map((x) => bytes(line(x)))];
      write(clean);
      expect(await used({ path, ...entry })).toEqual(all);
      await fc.assert(
        fc.asyncProperty(noise, fc.nat(records - 1), fc.nat(30), fc.nat(6), async (some, x, from, cut) => {
          const own = clean[x + 1]!;
          // The line end stays: what stands behind it is another record.
          const at = Math.min(from, own.length - bytes("\r\n").length);
          const behind = Math.min(at + cut, own.length - bytes("\r\n").length);
          write(
            clean.with(x + 1, Buffer.concat([own.subarray(0, at), Buffer.from(some), own.subarray(behind)])),
          );
          const found = await used({ path, ...entry });
          const others = (of: readonly number[]) => of.filter((one) => one < x || one > x + lines);
          // A record may turn into others' numbers, so each of the others is there at least once.
          expect(others(all).filter((one) => !found.includes(one))).toEqual([]);
          expect(found.length).toBeLessThanOrEqual(records + some.length);
        }),
        { numRuns: draws, seed: 11 },
      );
    });
  },
);

describe("bytes of any kind in a cell of SQLite", () => {
  it.each(["UTF-8", "UTF-16le"])("change what is used of its record at most, in %s", async (encoding) => {
    const path = join(folder, `t-${encoding}.sqlite`);
    const database = new Database(path);
    database.exec(`PRAGMA encoding = '${encoding}'; CREATE TABLE t (x, c)`);
    for (const x of all) database.prepare("INSERT INTO t VALUES (?, ?)").run([x, levels[x % 3]!]);
    expect(await used({ path })).toEqual(all);
    await fc.assert(
      fc.asyncProperty(noise, fc.nat(records - 1), fc.constantFrom("x", "c"), async (some, x, column) => {
        const hex = Buffer.from(some).toString("hex");
        database.exec(`UPDATE t SET ${column} = CAST(x'${hex}' AS TEXT) WHERE rowid = ${x + 1}`);
        const found = await used({ path });
        database.exec(`UPDATE t SET x = ${x}, c = '${levels[x % 3]}' WHERE rowid = ${x + 1}`);
        expect(all.filter((one) => one !== x && !found.includes(one))).toEqual([]);
      }),
      { numRuns: draws, seed: 11 },
    );
    database.close();
  });
});

describe("a packed file", () => {
  const path = join(folder, "packed.csv.gz");
  const text = `x,c\n${Array.from({ length: 5_000 }, (_, x) => `${x},${levels[x % 3]}\n`).join("")}`;
  const packed = gzipSync(text);

  it.each<[string, Buffer]>([
    ["is cut", packed.subarray(0, packed.length - 200)],
    ["lacks its checksum", packed.subarray(0, packed.length - 8)],
    ["has another checksum", Buffer.concat([packed.subarray(0, -8), Buffer.alloc(4), packed.subarray(-4)])],
  ])("that %s is waited for", async (_, bytes) => {
    writeFileSync(path, bytes);
    await expect(used({ path })).rejects.toMatchObject({ code: "TABLE_AWAY" });
    await expect(used({ path })).rejects.toThrow(/not complete/);
  });

  it("may have zeros behind its end, or be of several parts", async () => {
    writeFileSync(path, Buffer.concat([packed, Buffer.alloc(1_000)]));
    expect(await used({ path })).toHaveLength(5_000);
    const [first, second] = [text.slice(0, 20_000), text.slice(20_000)];
    writeFileSync(path, Buffer.concat([gzipSync(first), gzipSync(second)]));
    expect(await used({ path })).toHaveLength(5_000);
  });
});
