/**
 * What a hospital sends for a sound study depends on no record: studies of every method over tables that differ in one
 * record, or in one that nothing can be made of, compared frame by frame: kinds, order, sizes, codes. What may differ is
 * inside of masked vectors, keys and signatures.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inGate, isWholeRun } from "@consilium/core/testing/wholeRun";
import { postgresPrograms, TestPostgres } from "@consilium/runtime/testing/postgres/postgres";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { isVector, ObservedHospital, observed } from "./observedHospital.js";
import { type Method, methods, soundStudy, writtenStudy } from "./studies.js";
import {
  brokenLines,
  type Config,
  everyWrong,
  type Format,
  formats,
  tableName,
  tables,
  writeEveryTable,
  writeSpoiledTables,
  writeTable,
  writeWrittenTables,
  writtenName,
} from "./tables.js";

let folder: string;
let hospital: ObservedHospital;
let spoiled: Readonly<Record<string, Config>>;
let written: Readonly<Record<string, Config>>;
let postgres: TestPostgres | null = null;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "consilium-frames-"));
  const programs = postgresPrograms();
  if (programs !== null) postgres = await TestPostgres.start(programs);
  const plain = await writeTable(folder, "csv", "plain", tables.base!, null);
  spoiled = await writeSpoiledTables(folder, postgres);
  written = await writeWrittenTables(folder);
  const clean = written[writtenName("csv/clean.csv")]!;
  hospital = await ObservedHospital.start(folder, {
    tables: { ...(await writeEveryTable(folder, postgres)), ...spoiled, ...written },
    elsewhere: (name) => (name in written ? clean : plain),
  });
});

afterAll(async () => {
  await hospital?.remove();
  await postgres?.remove();
  await rm(folder, { recursive: true, force: true });
});

describe("a hospital sends the same frames", () => {
  it("for every sound method, whatever is wrong with its table", async () => {
    const names = Object.keys(methods) as Method[];
    const ids = await hospital.runAll(
      names.flatMap((method) => [
        soundStudy(method, tableName("csv", "base")),
        soundStudy(method, everyWrong),
      ]),
    );
    for (const [m, method] of names.entries()) {
      const [good, wrong] = await Promise.all([
        hospital.leftFor(ids[2 * m]!),
        hospital.leftFor(ids[2 * m + 1]!),
      ]);
      expect(good.length, method).toBeGreaterThan(5);
      expect(
        good.some((line) => line.includes('"exchangeKey"')),
        `${method} is joined`,
      ).toBe(true);
      expect(good.some(isVector), `${method} is answered`).toBe(true);
      expect(good.join("\n")).not.toContain("stepFault");
      expect(wrong, method).toEqual(good);
    }
  });

  it("for tables that differ in one record of any kind, in every format", async () => {
    const kinds = Object.keys(tables);
    const own = formats.filter((format) => format !== "postgres" || postgres !== null);
    // What a format's reading adds to a conversation: cells that it cannot read, none at all, and a row more.
    const kindsOf = (format: Format) =>
      kinds.filter(
        (kind) =>
          isWholeRun || format === "csv" || ["base", "more", "missing", "words", "empty"].includes(kind),
      );
    const namesIn = (of: readonly Format[]) =>
      of.flatMap((format) => [
        ...kindsOf(format).map((kind) => tableName(format, kind)),
        ...(brokenLines[format] === undefined ? [] : [tableName(format, "broken")]),
      ]);
    // A conversation of several stages in one format, and how each of the others is read.
    const asked = { "dp-pcc": namesIn(["csv"]), counts: namesIn(own.filter((format) => format !== "csv")) };
    for (const [method, names] of Object.entries(asked) as [Method, string[]][]) {
      const ids = await hospital.runAll(names.map((name) => soundStudy(method, name)));
      const expected = await hospital.leftFor(ids[0]!);
      expect(expected.some(isVector)).toBe(true);
      for (const [i, name] of names.entries())
        expect(await hospital.leftFor(ids[i]!), name).toEqual(expected);
    }
  });

  it("for tables of which one record keeps a reader from the whole, and says at home which", async () => {
    const names = Object.keys(spoiled);
    const [plain, ...ids] = await hospital.runAll(
      [tableName("csv", "base"), ...names].map((name) => soundStudy("counts", name)),
    );
    const expected = await hospital.leftFor(plain!);
    expect(expected.some(isVector)).toBe(true);
    const { state } = hospital.federation.site(observed);
    const { stdout } = await hospital.federation.cliOrThrow("site", "status", "--state", state, "--json");
    const { studies } = JSON.parse(stdout) as { studies: { id: string; zeros: unknown[] }[] };
    const zeros = names.filter((_, i) => studies.find(({ id }) => id === ids[i])!.zeros.length > 0);
    for (const [i, name] of names.entries()) expect(await hospital.leftFor(ids[i]!), name).toEqual(expected);
    // The others are read but for that record.
    expect(zeros).toContain("spoiled-duckdb-query");
    expect(zeros.filter((name) => /-csv-|-jsonl-/.test(name))).toEqual([]);
  });

  it("for a table in each of the ways that hospitals write theirs", async () => {
    const names = Object.keys(written);
    for (const method of inGate<readonly Method[]>(["counts"], {
      whole: ["counts", "regression", "dp-pcc"],
    })) {
      const ids = await hospital.runAll(names.map((table) => writtenStudy(method, table)));
      const expected = await hospital.leftFor(ids[names.indexOf(writtenName("csv/clean.csv"))]!);
      expect(expected.some(isVector)).toBe(true);
      for (const [i, name] of names.entries())
        expect(await hospital.leftFor(ids[i]!), `${name}, ${method}`).toEqual(expected);
    }
  });
});

describe("the comparison catches a hospital", () => {
  it("that takes what a record has brought about for a file that is away", async () => {
    await hospital.restart("weakened", "faults");
    const [good, query] = await hospital.runAll(
      ["csv-base", "spoiled-duckdb-query"].map((name) => soundStudy("counts", name)),
    );
    const left = await hospital.leftFor(query!);
    expect(left).not.toEqual(await hospital.leftFor(good!));
    expect(left.join("\n")).toContain("TABLE_AWAY");
  });

  it("that reads its table through before it joins, and refuses by what it found", async () => {
    await hospital.restart("weakened", "preflight");
    const [good, undeclared, more] = await hospital.runAll(
      ["base", "undeclared", "more"].map((kind) => soundStudy("dp-pcc", tableName("csv", kind))),
    );
    const expected = await hospital.leftFor(good!);
    expect(expected.some(isVector)).toBe(true);
    const spoiled = await hospital.run(
      writtenStudy("dp-pcc", writtenName("csv/utf-8-bad-byte-in-label.csv")),
    );
    for (const id of [undeclared, more, spoiled]) {
      const left = await hospital.leftFor(id!);
      expect(left).not.toEqual(expected);
      expect(left.join("\n")).toContain("refusalCode");
    }
  });

  it("that tells how far it is", async () => {
    await hospital.restart("weakened", "progress");
    const before = (await hospital.frames()).length;
    await hospital.run(soundStudy("dp-pcc", tableName("csv", "base")));
    const middle = (await hospital.frames()).length;
    await hospital.run(soundStudy("dp-pcc", tableName("csv", "empty")));
    const all = await hospital.frames();
    const told = (text: string) => text.split('"step":"rows"').length - 1;
    expect(told(all.slice(middle))).toBe(0);
    expect(told(all.slice(before, middle))).toBeGreaterThan(0);
  });
});
