import {
  Bool,
  DateDay,
  Dictionary,
  Float32,
  Float64,
  Int32,
  Int64,
  Table,
  TimestampMicrosecond,
  tableToIPC,
  Uint64,
  Utf8,
  type Vector,
  vectorFromArray,
} from "apache-arrow";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type CellRequest, LevelIndex, levelCell, MissingValues, numberCell } from "../../data/cells.js";
import { noPatient, PatientHash } from "../../data/patientHash.js";
import { CellStream } from "../arrowCells.js";
import { ArrowSource } from "./arrowSource.js";

const missing = new MissingValues(["NA"]);
const hash = new PatientHash(missing, "0".repeat(64));

async function* pieces(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let from = 0; from < bytes.length; from += size) yield bytes.subarray(from, from + size);
}

async function cells(bytes: Uint8Array, requests: readonly CellRequest[], size = 7): Promise<number[][]> {
  const source = new ArrowSource(pieces(bytes, size), missing);
  const columns: number[][] = [];
  for await (const chunk of source.read("", requests, {}))
    chunk.columns.forEach((column, k) => {
      columns[k] = [...(columns[k] ?? []), ...column.subarray(0, chunk.rows)];
    });
  return columns;
}

const ipc = (columns: Record<string, Vector>) => tableToIPC(new Table(columns), "stream");
const number = { kind: "number", name: "x" } as const;
const level = (...levels: string[]) =>
  ({
    kind: "level",
    name: "x",
    levels: new LevelIndex({ name: "x", levels }, missing),
  }) as const;

describe("raw columns of an Arrow stream", () => {
  it.each([
    ["int32", vectorFromArray([1, null, -7], new Int32()), [1, Number.NaN, -7]],
    ["int64", vectorFromArray([2n ** 53n + 1n, null, -1n], new Int64()), [2 ** 53, Number.NaN, -1]],
    [
      "float64",
      vectorFromArray([0.1, null, Number.POSITIVE_INFINITY], new Float64()),
      [0.1, Number.NaN, Number.POSITIVE_INFINITY],
    ],
    ["float32", vectorFromArray([0.5, null, 0.25], new Float32()), [0.5, Number.NaN, 0.25]],
    ["text", vectorFromArray([" 1e3 ", null, "NA"], new Utf8()), [1000, Number.NaN, Number.NaN]],
    [
      "other text",
      vectorFromArray(["x", "nan", "5"], new Utf8()),
      [numberCell.notNumeric, numberCell.notFinite, 5],
    ],
  ])("are read as numbers, and a slot without a value as missing: %s", async (_, vector, expected) => {
    expect(await cells(ipc({ x: vector as Vector }), [number])).toEqual([expected]);
  });

  it.each([
    ["text", vectorFromArray([" u", null, "w"], new Utf8()), level("u")],
    ["a dictionary", vectorFromArray(["u", null, "w"], new Dictionary(new Utf8(), new Int32())), level("u")],
    ["whole numbers", vectorFromArray([1, null, 2], new Int32()), level("1.0")],
    ["float32", vectorFromArray([0.1, null, 2], new Float32()), level("0.1")],
    ["float64", vectorFromArray([3, null, 0.2], new Float64()), level("3")],
    ["booleans", vectorFromArray([true, null, false], new Bool()), level("true")],
    [
      "dates",
      vectorFromArray([new Date("2020-02-29"), null, new Date(0)], new DateDay()),
      level("2020-02-29"),
    ],
    [
      "times",
      vectorFromArray([Date.parse("1969-12-31T23:59:59.250Z"), null, 0], new TimestampMicrosecond()),
      level("1969-12-31 23:59:59.25"),
    ],
  ])("are compared as levels: %s", async (_, vector, request) => {
    expect(await cells(ipc({ x: vector as Vector }), [request])).toEqual([
      [0, levelCell.missing, levelCell.undeclared],
    ]);
  });

  it("are the nearest numbers of whole ones of 64 bits", async () => {
    const wide = fc.oneof(fc.bigInt(-(2n ** 63n), 2n ** 63n - 1n), fc.bigInt(-(2n ** 54n), 2n ** 54n));
    await fc.assert(
      fc.asyncProperty(fc.array(fc.option(wide), { minLength: 1, maxLength: 40 }), async (values) => {
        const expected = values.map((value) => (value === null ? Number.NaN : Number(value)));
        expect(await cells(ipc({ x: vectorFromArray(values, new Int64()) }), [number], 1000)).toEqual([
          expected,
        ]);
        const bare = values.map((value) => (value === null ? null : BigInt.asUintN(64, value)));
        const unsigned = bare.map((value) => (value === null ? Number.NaN : Number(value)));
        expect(await cells(ipc({ x: vectorFromArray(bare, new Uint64()) }), [number], 1000)).toEqual([
          unsigned,
        ]);
      }),
    );
  });

  it("are missing or not finite where a number is neither, whichever slots have one", async () => {
    const some = fc.oneof(fc.double(), fc.constantFrom(Number.NaN, Number.POSITIVE_INFINITY, -0));
    await fc.assert(
      fc.asyncProperty(fc.array(fc.option(some), { minLength: 1, maxLength: 40 }), async (values) => {
        const read = await cells(ipc({ x: vectorFromArray(values, new Float64()) }), [number], 1000);
        const cellOf = (value: number | null) => {
          if (value === null) return numberCell.missing;
          return Number.isFinite(value) ? value : numberCell.notFinite;
        };
        expect(read).toEqual([values.map(cellOf)]);
      }),
    );
    const ofNaN = new MissingValues(["nan"]);
    const source = new ArrowSource(
      pieces(ipc({ x: vectorFromArray([Number.NaN, 1], new Float64()) }), 7),
      ofNaN,
    );
    for await (const { columns } of source.read("", [number], {}))
      expect([...columns[0]!]).toEqual([numberCell.missing, 1]);
  });

  it("are levels, also of more texts than are remembered", async () => {
    const names = Array.from({ length: 3000 }, (_, k) => `${"é".repeat(k % 4)} level ${k}`);
    const texts = Array.from({ length: 9000 }, (_, r) => (r % 17 === 0 ? null : names[(r * 7919) % 3000]!));
    const few = names.slice(0, 2000).map((name) => name.trim());
    const expected = texts.map((text) => {
      if (text === null) return levelCell.missing;
      const at = few.indexOf(text.trim());
      return at === -1 ? levelCell.undeclared : at;
    });
    const read = await cells(ipc({ x: vectorFromArray(texts, new Utf8()) }), [level(...few)], 100_000);
    expect(read).toEqual([expected]);
  });

  it("are dates, of types that hold dates and times and of text", async () => {
    const date = { kind: "date", name: "x", format: "DD.MM.YYYY" } as const;
    const columns = [
      vectorFromArray([new Date("2020-02-29"), null], new DateDay()),
      vectorFromArray([Date.parse("2020-02-29T23:59:59.250Z"), null], new TimestampMicrosecond()),
      vectorFromArray([" 29.2.2020 ", "NA"], new Utf8()),
      vectorFromArray(["2020-02-29T10:00+02:00", ""], new Utf8()),
    ];
    for (const vector of columns)
      expect(await cells(ipc({ x: vector as Vector }), [date])).toEqual([[18_321, numberCell.missing]]);
    const wrong = vectorFromArray(["30.2.2020", "soon"], new Utf8());
    expect(await cells(ipc({ x: wrong }), [date])).toEqual([[numberCell.notNumeric, numberCell.notNumeric]]);
  });

  it("are one patient, whatever type says who it is", async () => {
    const patient = { kind: "patient", name: "x", hash } as const;
    const columns = [
      vectorFromArray([17, null], new Int32()),
      vectorFromArray([17, Number.NaN], new Float64()),
      vectorFromArray([" 17.0 ", "NA"], new Utf8()),
    ];
    for (const vector of columns) {
      const read = await cells(ipc({ x: vector as Vector }), [patient]);
      expect(read).toEqual(hash.parts("17").map((part) => [part, noPatient]));
    }
  });

  it("of a type that holds no cells are refused", async () => {
    const list = vectorFromArray([[1], [2]]);
    await expect(cells(ipc({ x: list as unknown as Vector }), [number])).rejects.toMatchObject({
      code: "COLUMN_TYPE",
    });
    await expect(cells(ipc({ y: vectorFromArray([1], new Int32()) }), [number])).rejects.toMatchObject({
      code: "COLUMN_MISSING",
    });
  });
});

describe("cells on a pipe", () => {
  it("are what was sent, pass by pass, however they are cut into batches and pieces", async () => {
    const column = fc.array(fc.double(), { maxLength: 40 });
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(column, { maxLength: 3 }), { minLength: 1, maxLength: 3 }),
        fc.integer({ min: 1, max: 300 }),
        async (passes, size) => {
          const stream = new CellStream(2);
          const bytes = passes.flatMap((batches) => [
            ...stream.begin(),
            ...batches.flatMap((values) => {
              if (values.length === 0) return [];
              const cellsOf = Float64Array.from(values);
              return stream.batch([cellsOf, cellsOf.map((value) => -value)], values.length);
            }),
            ...stream.end(),
          ]);
          const source = new ArrowSource(pieces(Buffer.concat(bytes), size), missing);
          const requests = [number, { ...number, name: "y" }];
          for (const batches of passes) {
            const seen: number[][] = [[], []];
            for await (const { rows, columns } of source.read("", requests, {}))
              columns.forEach((values, k) => {
                seen[k]!.push(...values.subarray(0, rows));
              });
            expect(seen).toEqual([batches.flat(), batches.flat().map((value) => -value)]);
          }
          await expect(source.columns("", [])).rejects.toMatchObject({ code: "TABLE_UNREADABLE" });
        },
      ),
      { numRuns: 50 },
    );
  });
});
