import { createCipheriv } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { studyOver } from "../../testing/data/study.js";
import { contentHash, emptySum, mergeSums, type TableSum, TableSummer } from "./contentHash.js";
import type { DecodedBlock } from "./decode.js";
import { RowHasher, TableKeys } from "./rowHash.js";

/** The hash of a table is that of its rows' multiset: it merges over parts of the table, in any order. */

const features = ["a", "b", "c"].map((name) => ({ name, type: "numeric" as const, min: -1e9, max: 1e9 }));
const study = studyOver(features, { label: { name: "y", levels: ["no", "yes"] } });
const secret = new Uint8Array(32).fill(7);
const keys = TableKeys.derive(secret, study);

type Row = readonly [a: number, b: number, c: number, label: number];

function blockOf(rows: readonly Row[]): DecodedBlock {
  return {
    rows: rows.length,
    columns: [0, 1, 2].map((k) => Float64Array.from(rows, (row) => row[k]!)),
    labels: Uint16Array.from(rows, (row) => row[3]),
    patients: null,
  };
}

function sumOf(rows: readonly Row[], under = keys): TableSum {
  const summer = new TableSummer(under);
  summer.add(blockOf(rows));
  return summer.sum;
}

const number = fc.double({ noNaN: true, min: -1e9, max: 1e9 }).map((x) => x + 0);
const row = fc.tuple(number, fc.constantFrom(0, 1), number, fc.constantFrom(0, 1)) as fc.Arbitrary<Row>;
const table = fc.array(row, { maxLength: 60 });

describe("the sum of a table's rows", () => {
  it("is the same for every order and every division of the rows", () => {
    fc.assert(
      fc.property(
        table.chain((rows) =>
          fc.tuple(fc.constant(rows), fc.shuffledSubarray(rows, { minLength: rows.length })),
        ),
        fc.array(fc.nat({ max: 60 }), { maxLength: 5 }),
        ([rows, shuffled], cuts) => {
          const ends = [...cuts, rows.length].sort((a, b) => a - b);
          const parts = ends.map((end, k) => sumOf(shuffled.slice(k === 0 ? 0 : ends[k - 1], end)));
          const whole = sumOf(rows);
          expect(parts.reduce(mergeSums, emptySum)).toEqual(whole);
          expect(parts.reduceRight(mergeSums, emptySum)).toEqual(whole);
          const summer = new TableSummer(keys);
          for (const one of shuffled) summer.add(blockOf([one]));
          expect(summer.sum).toEqual(whole);
          expect(summer.rows).toBe(rows.length);
        },
      ),
    );
  });

  it("is a commutative monoid under merging", () => {
    const word = fc.bigInt({ min: 0n, max: 2n ** 256n - 1n });
    const sum = fc.record({ rows: fc.nat(), sum: word });
    fc.assert(
      fc.property(sum, sum, sum, (a, b, c) => {
        expect(mergeSums(a, mergeSums(b, c))).toEqual(mergeSums(mergeSums(a, b), c));
        expect(mergeSums(a, b)).toEqual(mergeSums(b, a));
        expect(mergeSums(a, emptySum)).toEqual(a);
        expect(mergeSums(a, b).sum < 2n ** 256n).toBe(true);
      }),
    );
  });

  it("differs for every other multiset of rows", () => {
    const multiset = (rows: readonly Row[]) =>
      rows
        .map((one) => one.join())
        .sort()
        .join(";");
    fc.assert(
      fc.property(table, table, (one, other) => {
        expect(sumOf(one).sum === sumOf(other).sum).toBe(multiset(one) === multiset(other));
      }),
    );
    // Two equal rows do not cancel out, and a value moved to another column or row is seen.
    const base: Row[] = [
      [1, 0, 2, 0],
      [3, 1, 4, 1],
    ];
    const others: Row[][] = [
      [],
      [base[0]!, base[0]!],
      [...base, base[1]!],
      [[2, 0, 1, 0], base[1]!],
      [
        [1, 1, 2, 0],
        [3, 0, 4, 1],
      ],
    ];
    for (const other of others) expect(sumOf(other).sum).not.toBe(sumOf(base).sum);
  });

  it("adds up exactly over more rows than its words have room for", () => {
    const rows = 2 ** 16;
    const block = blockOf(Array.from({ length: rows }, (): Row => [1, 0, 1, 1]));
    const summer = new TableSummer(keys);
    for (let i = 0; i < 40; i++) summer.add(block);
    const one = sumOf([[1, 0, 1, 1]]).sum;
    expect(summer.sum).toEqual({ rows: 40 * rows, sum: BigInt.asUintN(256, one * BigInt(40 * rows)) });
  });

  it("depends on the site's secret and on the declared columns", () => {
    const rows: Row[] = [[1, 0, 2, 1]];
    const wider = studyOver([...features.slice(0, 2), { ...features[2]!, max: 2e9 }], {
      label: { name: "y", levels: ["no", "yes"] },
    });
    const sums = [keys, TableKeys.derive(new Uint8Array(32), study), TableKeys.derive(secret, wider)].map(
      (under) => sumOf(rows, under).sum,
    );
    expect(new Set(sums).size).toBe(3);
    expect(sumOf(rows, TableKeys.derive(secret, study)).sum).toBe(sums[0]);
    expect(() => TableKeys.derive(new Uint8Array(31), study)).toThrow(RangeError);
  });

  it("is stored as a hash that covers the number of rows and the columns", () => {
    const sum = sumOf([[1, 0, 2, 1]]);
    const hashes = [
      contentHash(sum, keys),
      contentHash({ ...sum, rows: 2 }, keys),
      contentHash({ ...sum, sum: sum.sum + 1n }, keys),
      contentHash(sum, { schema: "{}" }),
    ];
    expect(new Set(hashes).size).toBe(4);
  });
});

describe("a row's hash", () => {
  const parts = [1, 2, 3].map((byte) => new Uint8Array(32).fill(byte)) as [
    Uint8Array,
    Uint8Array,
    Uint8Array,
  ];

  /** CBC-MAC with AES-256 as Node has it: the last block of CBC over zeros, then two ciphers of it. */
  function expected(values: readonly number[]): { mac: Buffer; hash: Buffer } {
    const padded = values.length % 2 === 0 ? values : [...values, 0];
    const bytes = Buffer.from(Float64Array.from(padded).buffer);
    const cbc = createCipheriv("aes-256-cbc", parts[0], Buffer.alloc(16)).setAutoPadding(false);
    const mac = cbc.update(bytes).subarray(-16);
    const halves = parts
      .slice(1)
      .map((key) => createCipheriv("aes-256-ecb", key, null).setAutoPadding(false).update(mac));
    return { mac, hash: Buffer.concat(halves) };
  }

  it("is AES in CBC over the row's values, for any number of rows and columns", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 5 }), fc.integer({ min: 1, max: 4100 }), (width, rows) => {
        const columns = Array.from({ length: width }, (_, k) =>
          Float64Array.from({ length: rows }, (_, r) => k + r / 7),
        );
        const hasher = new RowHasher(parts);
        const found = hasher.keys(columns, rows);
        for (const r of [0, rows >> 1, rows - 1]) {
          const { mac } = expected(columns.map((column) => column[r]!));
          expect(found[r]).toBe(mac.readUInt32LE(0) + (mac.readUInt32LE(4) >>> 11) * 2 ** 32);
        }
        const sums = new Float64Array(8);
        const one = columns.map((column) => column.subarray(rows - 1));
        hasher.addTo(sums, one, 1);
        const { hash } = expected(columns.map((column) => column[rows - 1]!));
        expect([...sums]).toEqual(Array.from({ length: 8 }, (_, i) => hash.readUInt32LE(4 * i)));
      }),
      { numRuns: 20 },
    );
  });
});
