import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type BoundedRows, PatientBound } from "./patientBound.js";

/** A row: whose it is, where its table's order puts it, its key, and which of equal ones it is. */
interface Row {
  readonly who: number;
  readonly order: number;
  readonly key: number;
}

const columnsOf = (rows: readonly Row[]): BoundedRows => ({
  patient: [
    // Few distinct first parts, so that slots collide and the other parts decide.
    Float64Array.from(rows, ({ who }) => who % 7),
    Float64Array.from(rows, ({ who }) => Math.floor(who / 7)),
    Float64Array.from(rows, () => 2 ** 40 - 1),
  ],
  order: Float64Array.from(rows, ({ order }) => order),
  key: Float64Array.from(rows, ({ key }) => key),
});

/** Which of a table's rows are used, with the count and the draw that a method is told. */
type Used = Row & { readonly count: number; readonly draw: number };
type Bounding = (rows: readonly Row[], m: number, notes?: number) => Used[];

const drawOf = ({ order, key }: Row) =>
  3_000_000_000 + 10 * key + (order === Number.POSITIVE_INFINITY ? 7 : order);

const gateBounds: Bounding = (rows, m, notes) => {
  const bound = new PatientBound({ maxRows: m, notes });
  const columns = columnsOf(rows);
  do {
    for (const [r, row] of rows.entries()) bound.note(columns, r, drawOf(row));
  } while (!bound.settle());
  return taken(bound, rows);
};

function taken(bound: PatientBound, rows: readonly Row[]): Used[] {
  const columns = columnsOf(rows);
  return rows.flatMap((row, r) => {
    const place = bound.take(columns, r);
    if (place === -1) return [];
    const { counts, draws } = bound.rowsOf(Uint32Array.of(place));
    return [{ ...row, count: counts[0]!, draw: draws[0]! }];
  });
}

/** What a bound must not be: of all patients together, or by where a row stands in the table. */
const weak: Record<string, Bounding> = {
  "the least rows of all patients": (rows, m) =>
    rows
      .toSorted((a, b) => a.order - b.order || a.key - b.key)
      .slice(0, 2 * m)
      .map((row) => ({ ...row, count: 1, draw: 0 })),
  "the first rows of the table": (rows, m) =>
    rows.slice(0, 2 * m).map((row) => ({ ...row, count: 1, draw: 0 })),
  "as many rows as the patient has, told as m": (rows, m) =>
    rows.map((row) => ({ ...row, count: m, draw: 0 })),
  "the first rows of each patient": (rows, m) =>
    rows
      .filter((row, r) => rows.slice(0, r).filter(({ who }) => who === row.who).length < m)
      .map((row) => ({ ...row, count: 1, draw: 0 })),
};

const rowsOf = (used: readonly Used[], who: number) =>
  used
    .filter((row) => row.who === who)
    .map((row) => JSON.stringify(row))
    .sort();

/** Everything that a patient can have: up to three rows, of four kinds. */
const kinds = [0, 1].flatMap((order) => [5, 6].map((key) => ({ order, key })));
const everyPatient = (who: number): Row[][] => {
  const multisets = (from: number, size: number): Row[][] =>
    size === 0
      ? [[]]
      : kinds.flatMap((kind, k) =>
          k < from ? [] : multisets(k, size - 1).map((rest) => [{ who, ...kind }, ...rest]),
        );
  return [0, 1, 2, 3].flatMap((size) => multisets(0, size));
};

/** The ways in which two patients' rows can stand in a table that are tried. */
const arrangements = (one: readonly Row[], other: readonly Row[]): Row[][] => {
  const alternating = Array.from({ length: Math.max(one.length, other.length) }, (_, i) =>
    [other[i], one[i]].flatMap((row) => (row === undefined ? [] : [row])),
  ).flat();
  return [[...one, ...other], [...other, ...one], [...one, ...other].reverse(), alternating];
};

/** Counts in how many neighbouring tables a bound breaks its promise. */
function breaches(bounds: Bounding): number {
  let found = 0;
  for (const m of [1, 2]) {
    for (const mine of everyPatient(1)) {
      const alone = rowsOf(bounds(mine, m), 1).join();
      for (const other of everyPatient(2)) {
        const without = rowsOf(bounds(other, m), 2).join();
        for (const table of arrangements(mine, other)) {
          const used = bounds(table, m, 2 * m);
          const own = rowsOf(used, 1);
          const isAsAlone = own.join() === alone && rowsOf(used, 2).join() === without;
          const weight = used.filter(({ who }) => who === 1).reduce((sum, { count }) => sum + 1 / count, 0);
          if (!isAsAlone || own.length !== Math.min(m, mine.length) || weight > 1 + 1e-12) found++;
        }
      }
    }
  }
  return found;
}

describe("the bound on a patient's rows", () => {
  it("lets no patient's rows change another's, nor count for more than m rows or weigh more than one", () => {
    expect(breaches(gateBounds)).toBe(0);
  });

  it.each(Object.keys(weak))("the same check finds: %s", (name) => {
    expect(breaches(weak[name]!)).toBeGreaterThan(0);
  });

  it("uses the least rows by order, then by key; equal ones as often as they fit; in any order", () => {
    const row = (order: number, key: number): Row => ({ who: 3, order, key });
    const table = [row(Infinity, 0), row(2, 1), row(1, 9), row(2, 1), row(1, 8), row(2, 1)];
    const kept = (m: number, rows = table) =>
      gateBounds(rows, m)
        .map(({ order, key }) => [order, key])
        .sort((a, b) => a[0]! - b[0]! || a[1]! - b[1]!);
    expect(kept(1)).toEqual([[1, 8]]);
    expect(kept(4)).toEqual([
      [1, 8],
      [1, 9],
      [2, 1],
      [2, 1],
    ]);
    expect(kept(6)).toHaveLength(6);
    expect(kept(4, table.toReversed())).toEqual(kept(4));
    const [used] = gateBounds(table, 4);
    expect(used).toMatchObject({
      count: 4,
      draw: (4 * 3e9 + 10 * (8 + 9 + 1 + 1) + 1 + 1 + 2 + 2) % 2 ** 32,
    });
  });

  it("agrees with sorting each patient's rows, however few notes there is room for", () => {
    const tables = fc.array(
      fc.record({
        who: fc.integer({ min: 0, max: 40 }),
        order: fc.constantFrom(0, 1, Number.POSITIVE_INFINITY),
        key: fc.integer({ min: 0, max: 9 }),
      }),
      { maxLength: 300 },
    );
    fc.assert(
      fc.property(
        tables,
        fc.integer({ min: 1, max: 6 }),
        fc.integer({ min: 1, max: 20 }),
        (rows, m, room) => {
          const plain = [...new Set(rows.map(({ who }) => who))].flatMap((who) => {
            const own = rows
              .filter((row) => row.who === who)
              .sort((a, b) => (a.order === b.order ? a.key - b.key : a.order < b.order ? -1 : 1))
              .slice(0, m);
            const draw = own.reduce((sum, row) => (sum + drawOf(row)) % 2 ** 32, 0);
            return own.map((row) => JSON.stringify({ ...row, count: own.length, draw }));
          });
          const used = gateBounds(rows, m, 2 * m * room).map((row) => JSON.stringify(row));
          expect(used.sort()).toEqual(plain.sort());
        },
      ),
      { numRuns: 200 },
    );
  });

  it("keeps patients apart while their number grows", () => {
    const rows = Array.from({ length: 20_000 }, (_, i) => ({ who: (i * 7919) % 9001, order: 0, key: i }));
    const used = gateBounds(rows, 2, 5000);
    expect(used).toHaveLength(18_002);
    expect(used.every(({ count }) => count === 2)).toBe(true);
  });

  it("holds when the table changes between the passes", () => {
    const before: Row[] = [1, 1, 1, 2].map((who, key) => ({ who, order: 0, key: key + 10 }));
    const bound = new PatientBound({ maxRows: 2 });
    for (const [r, row] of before.entries()) bound.note(columnsOf(before), r, drawOf(row));
    expect(() => bound.take(columnsOf(before), 0)).toThrow(RangeError);
    expect(bound.settle()).toBe(true);
    const after: Row[] = [1, 1, 1, 1, 2, 2, 2, 3].map((who) => ({ who, order: 0, key: 0 }));
    // Patient 2 had one row and 3 none: more would weigh more than was counted.
    expect(taken(bound, after).map(({ who }) => who)).toEqual([1, 1, 2]);
  });

  it.each([0, 65_536, 1.5])("refuses a bound of %s rows", (maxRows) => {
    expect(() => new PatientBound({ maxRows })).toThrow(RangeError);
  });
});
