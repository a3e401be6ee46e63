import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { answerOf, type StageTable } from "./answer.js";
import type { Contributor } from "./contributions.js";
import type { Proposal } from "./fold.js";
import { type Part, sumOfParts } from "./part.js";
import type { Query } from "./query.js";
import type { RecordBlock } from "./record.js";

/** A row: three features from 0 to 4, a label, and whose it is. */
type Row = readonly [number, number, number, number, number];

const kinds: Record<string, { readonly query: Query; readonly contributor: () => Contributor }> = {
  histogram: {
    query: { kind: "histogram", cells: 10, touches: 2, channels: [{ least: -4, most: 4 }] },
    contributor: () => ({
      kind: "histogram",
      write({ values, label }, cells, out) {
        cells.set([values[0]!, 5 + values[1]!]);
        out.set([values[2]!, label === 0 ? -1 : 4]);
        return 2;
      },
    }),
  },
  "divisible histogram": {
    query: {
      kind: "histogram",
      cells: 5,
      touches: 1,
      channels: [{ least: 0, most: 4_000_000 }],
      divisible: true,
    },
    contributor: () => ({
      kind: "histogram",
      write({ values }, cells, out) {
        cells[0] = values[0]!;
        out[0] = 999_983 * values[1]!;
        return 1;
      },
    }),
  },
  "histogram with a root": {
    query: {
      kind: "histogram",
      cells: 15,
      touches: 2,
      channels: [{ least: -128, most: 64 }],
      sections: [
        { cells: 10, most: 4, root: { run: 5, exponent: 5 } },
        { cells: 5, most: 64, least: -128 },
      ],
    },
    contributor: () => ({
      kind: "histogram",
      write({ values, label }, cells, out) {
        cells.set([5 * label + values[0]!, 10 + values[1]!]);
        out.set([values[2]!, label === 0 ? -32 : 64]);
        return 2;
      },
    }),
  },
  vector: {
    query: { kind: "vector", parts: 2, length: 3, limit: 48 },
    contributor: () => ({
      kind: "vector",
      write({ values, label }, out) {
        out.set([values[0]! - 2, -values[1]!, values[2]!]);
        return label;
      },
    }),
  },
  gram: {
    query: { kind: "gram", parts: 2, order: 3, limit: 48 * 10 ** 8 },
    contributor: () => ({
      kind: "gram",
      write({ values, label }, out) {
        out.set([10_000 * values[0]!, -9_999 * values[1]!, 7 * values[2]!]);
        return label;
      },
    }),
  },
  product: {
    query: { kind: "product", rows: 2, columns: 2, limit: 32 },
    contributor: () => ({
      kind: "product",
      write({ values }, left, right) {
        left.set([values[0]!, -values[1]!]);
        right.set([values[2]!, 1]);
        return true;
      },
    }),
  },
};

const unit = 12;
const seeded = { bytes: (count: number) => Uint8Array.from({ length: count }, (_, i) => (i * 7919) >>> 5) };

/** @param batch - rows of a block */
async function* blocksOf(rows: readonly Row[], batch: number, counts: ReadonlyMap<number, number> | null) {
  for (let from = 0; from < rows.length; from += batch) {
    const some = rows.slice(from, from + batch);
    const block: RecordBlock = {
      rows: some.length,
      columns: [0, 1, 2].map((f) => Float64Array.from(some, (row) => row[f]!)),
      labels: Uint16Array.from(some, (row) => row[3]),
    };
    yield counts === null
      ? block
      : {
          ...block,
          patientRows: {
            counts: Uint16Array.from(some, (row) => counts.get(row[4])!),
            draws: new Uint32Array(some.length),
          },
        };
  }
}

function tableOf(rows: readonly Row[], batch: number, byPatient: boolean): StageTable {
  const counts = new Map<number, number>();
  for (const row of rows) counts.set(row[4], (counts.get(row[4]) ?? 0) + 1);
  return {
    records: blocksOf(rows, batch, byPatient ? counts : null),
    domain: { features: Array.from({ length: 3 }, () => ({ kind: "level", levels: 5 }) as const), labels: 2 },
    patients: byPatient ? { rowsMost: 100, unit } : null,
    rowsAtMost: 1000,
    kernel: {
      gram: () => ({ add: () => Promise.reject(new Error("none")), finish: () => Promise.reject() }),
    },
    random: seeded,
    checks: seeded,
  };
}

const rowsArbitrary = fc.array(
  fc.tuple(
    ...[4, 4, 4, 1, 5].map((most) => fc.integer({ min: 0, max: most })),
  ) as unknown as fc.Arbitrary<Row>,
  { maxLength: 60 },
);

async function* each<T>(items: readonly T[]): AsyncGenerator<T> {
  yield* items;
}

const sumOf = (proposal: Proposal, byPatient: boolean, parts: readonly Part[]) =>
  sumOfParts(proposal, byPatient ? { rowsMost: unit, unit } : null, each(parts));

describe("parts of a table", () => {
  for (const [name, { query, contributor }] of Object.entries(kinds))
    for (const byPatient of [false, true]) {
      const how = byPatient ? "patients whole" : "rows by themselves";
      it(`add up to what the table does: ${name}, ${how}, in any division, order and size of blocks`, async () => {
        const proposal: Proposal = { query, scale: 4, contributor };
        await fc.assert(
          fc.asyncProperty(
            rowsArbitrary,
            fc.integer({ min: 1, max: 5 }),
            fc.integer({ min: 1, max: 64 }),
            fc.infiniteStream(fc.nat()),
            async (rows, shares, batch, draws) => {
              const whole = await answerOf(proposal, tableOf(rows, 1000, byPatient));
              const dealt = rows.map((row) => ({ row, place: draws.next().value as number }));
              dealt.sort((one, other) => one.place - other.place);
              const shareOf = ({ row, place }: (typeof dealt)[number]) =>
                (byPatient ? row[4] : place) % shares;
              const parts = await Promise.all(
                Array.from({ length: shares }, (_, share) => {
                  const own = dealt.filter((one) => shareOf(one) === share).map(({ row }) => row);
                  return answerOf(proposal, tableOf(own, batch, byPatient));
                }),
              );
              const table = { ...tableOf(rows, 1, byPatient), parts: each(parts.reverse()) };
              expect(await answerOf(proposal, table)).toEqual(whole);
            },
          ),
          { numRuns: 40 },
        );
      });
    }

  it("wrap around as the ring does", async () => {
    const proposal = { ...kinds["divisible histogram"]!, scale: 2 ** 40 };
    const part = (): Part => ({
      exact: BigUint64Array.of(2n ** 63n, 0n, 2n ** 64n - 1n, 5n, 0n),
      records: 2 ** 30,
      refused: 1,
    });
    expect(await sumOf(proposal, false, [part(), part()])).toEqual({
      exact: BigUint64Array.of(0n, 0n, 2n ** 64n - 2n, 10n, 0n),
      records: 2 ** 31,
      refused: 2,
    });
  });

  it("count as zeros where their records cannot come to them, and what they hold as refused", async () => {
    const proposal = { ...kinds.histogram!, scale: 2 };
    const honest = () => ({ exact: new BigUint64Array(10), records: 3, refused: 1 });
    const most = 2 * 4 * 2; // records that count, of each, scale
    const at = (value: number): BigUint64Array => {
      const exact = new BigUint64Array(10);
      exact[7] = BigInt.asUintN(64, BigInt(value));
      return exact;
    };
    for (const value of [0, most, -most])
      expect((await sumOf(proposal, false, [honest(), { ...honest(), exact: at(value) }])).records).toBe(6);
    expect((await sumOf(proposal, true, [{ ...honest(), exact: at(unit * most) }])).records).toBe(3);
    // Under a root of exponent 5 each of two records adds 128 to an entry at most, whichever section it is in.
    const rooted = { ...kinds["histogram with a root"]!, scale: 2 };
    const ofRoot = (value: number) => {
      const exact = new BigUint64Array(15);
      exact[3] = BigInt(value);
      return { ...honest(), exact };
    };
    expect((await sumOf(rooted, false, [ofRoot(2 * 128 * 2)])).records).toBe(3);
    expect(await sumOf(rooted, false, [ofRoot(2 * 128 * 2 + 1)])).toEqual({
      exact: new BigUint64Array(15),
      records: 3,
      refused: 3,
    });
    const wrong: readonly (readonly [Partial<Part>, records?: number])[] = [
      [{ exact: at(most + 1) }],
      [{ exact: at(-most - 1) }],
      [{ exact: at(2 ** 62) }],
      [{ exact: new BigUint64Array(9) }],
      [{ exact: new Float64Array(10) as unknown as BigUint64Array }],
      [{ exact: null as unknown as BigUint64Array }],
      [{ exact: at(1), records: -1, refused: 0 }, 1],
      [{ exact: at(1), records: 0.5, refused: 0 }, 1],
      [{ exact: at(1), records: Number.NaN }, 1],
      [{ exact: at(1), records: 1, refused: 2 }, 1],
      [{ exact: at(1), refused: Number.NaN }],
      [{ exact: at(1), refused: -1 }],
    ];
    for (const [change, records = 3] of wrong) {
      const parts = [
        { ...honest(), exact: at(5) },
        { ...honest(), ...change },
      ];
      for (const order of [parts, [...parts].reverse()])
        expect(await sumOf(proposal, false, order)).toEqual({
          exact: at(5),
          records: 3 + records,
          refused: 1 + records,
        });
    }
  });

  it("are refused of blocks, which need all rows in one place; one part is the table", async () => {
    const query: Query = {
      kind: "blocks",
      blocks: 2,
      parts: 1,
      deal: "lot",
      rowsMost: 4,
      answer: { kind: "length", entries: 2, limit: 25 },
    };
    const contributor = () => ({ kind: "blocks", placeOf: () => 0, answer: () => undefined }) as const;
    const part = { exact: new BigUint64Array(2), records: 1, refused: 0 };
    const proposal = { query, scale: 1, contributor };
    expect(await sumOf(proposal, false, [part])).toEqual(part);
    await expect(sumOf(proposal, false, [part, part])).rejects.toThrow(/do not add up/);
  });
});
