import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { seededNormals } from "../shared/draws/seededNormals.js";
import { dependentTable, type NoisyTable, pooledMargins } from "./margins.js";

const sum = (values: Iterable<number>) => [...values].reduce((total, value) => total + value, 0);

/** Least squares by its definition: gradient descent on Σ w²·|table of x - counts|² over joint counts x of three columns. */
function leastSquares(sizes: readonly number[], tables: readonly NoisyTable[]): number[] {
  const cells = sizes[0]! * sizes[1]! * sizes[2]!;
  const levelsOf = (cell: number) => [
    Math.floor(cell / (sizes[1]! * sizes[2]!)),
    Math.floor(cell / sizes[2]!) % sizes[1]!,
    cell % sizes[2]!,
  ];
  const placeOf = ({ columns }: NoisyTable, cell: number) => {
    const levels = levelsOf(cell);
    const [first, second] = columns;
    return second === undefined ? levels[first]! : levels[first]! * sizes[second]! + levels[second]!;
  };
  let x = new Array<number>(cells).fill(0);
  const step =
    0.9 / tables.reduce((most, { weight, counts }) => most + (weight ** 2 * cells) / counts.length, 0);
  for (let round = 0; round < 6000; round++) {
    const gradient = new Array<number>(cells).fill(0);
    for (const table of tables) {
      const apart = Float64Array.from(table.counts, (count) => -count);
      x.forEach((value, cell) => {
        apart[placeOf(table, cell)]! += value;
      });
      for (let cell = 0; cell < cells; cell++)
        gradient[cell]! += table.weight ** 2 * apart[placeOf(table, cell)]!;
    }
    x = x.map((value, cell) => value - step * gradient[cell]!);
  }
  const margins = sizes.map((size) => new Array<number>(size).fill(0));
  x.forEach((value, cell) => {
    for (const [column, level] of levelsOf(cell).entries()) margins[column]![level]! += value;
  });
  return margins.flat();
}

const sizes = [2, 3, 2];
const noisyTables = (seed: string): NoisyTable[] => {
  const normal = seededNormals(seed);
  const counts = (length: number) => Float64Array.from({ length }, () => 40 + 3 * normal());
  return [
    { columns: [0], counts: counts(2).map((count) => 3 * count), weight: 2 },
    { columns: [0, 1], counts: counts(6), weight: 3 },
    { columns: [1, 2], counts: counts(6), weight: 5 },
  ];
};

describe("margins of several noisy tables", () => {
  it("are those of the nearest tables that one set of records could have, by least squares", () => {
    for (const seed of ["a", "b", "c"]) {
      const tables = noisyTables(seed);
      const { counts } = pooledMargins(sizes, tables, 1);
      const wanted = leastSquares(sizes, tables);
      counts
        .flatMap((own) => [...own])
        .forEach((count, i) => {
          expect(count).toBeCloseTo(wanted[i]!, 6);
        });
    }
  });

  it("have one total, which is unbiased with the stated deviation, and no negative count", () => {
    const stdDev = 6;
    const totals = Array.from({ length: 400 }, (_, seed) => {
      const normal = seededNormals(`total ${seed}`);
      const noisy = noisyTables("true").map((table) => ({
        ...table,
        counts: Float64Array.from(
          table.counts,
          () => 240 / table.counts.length + (stdDev * normal()) / table.weight,
        ),
      }));
      const { total, counts } = pooledMargins(sizes, noisy, stdDev);
      for (const own of counts) {
        expect(sum(own)).toBeCloseTo(total.noisy, 8);
        expect(Math.min(...own)).toBeGreaterThanOrEqual(0);
      }
      return total;
    });
    const deviation = totals[0]!.stdDev;
    // Five standard errors each: false positives below 1e-6.
    expect(Math.abs(sum(totals.map(({ noisy }) => noisy)) / 400 - 240)).toBeLessThan((5 * deviation) / 20);
    const square = sum(totals.map(({ noisy }) => (noisy - 240) ** 2)) / 400;
    expect(Math.abs(square / deviation ** 2 - 1)).toBeLessThan(5 * Math.sqrt(2 / 400));
  });
});

describe("a two-way table", () => {
  const margins = { rows: Float64Array.of(60, 40), own: Float64Array.of(50, 30, 20) };

  it("has the margins of all tables, whatever it says itself, and without noise its own dependence", () => {
    const counts = Float64Array.of(40, 15, 5, 10, 15, 15);
    expect(
      [...dependentTable({ counts }, { ...margins, stdDev: 0 }).counts].map((x) => Number(x.toFixed(9))),
    ).toEqual([...counts]);
    fc.assert(
      fc.property(
        fc.array(fc.double({ min: -50, max: 90, noNaN: true }), { minLength: 6, maxLength: 6 }),
        fc.double({ min: 0, max: 30, noNaN: true }),
        (cells, stdDev) => {
          const table = dependentTable({ counts: Float64Array.from(cells) }, { ...margins, stdDev }).counts;
          expect(table[0]! + table[1]! + table[2]!).toBeCloseTo(60, 8);
          expect(table[2]! + table[5]!).toBeCloseTo(20, 8);
          expect(sum(table)).toBeCloseTo(100, 8);
        },
      ),
    );
  });

  it("of noise alone becomes that of independent columns, mostly", () => {
    const normal = seededNormals("noise");
    const stdDev = 8;
    let standing = 0;
    const apart = Array.from({ length: 300 }, () => {
      const counts = Float64Array.from({ length: 6 }, () => 100 / 6 + stdDev * normal());
      const { counts: table, standsOut } = dependentTable({ counts }, { ...margins, stdDev });
      if (standsOut) standing++;
      const independent = [30, 18, 12, 20, 12, 8];
      return sum(table.map((count, cell) => (count - independent[cell]!) ** 2));
    });
    // Unsmoothed its two degrees of freedom would be 2·σ² apart on average.
    expect(sum(apart) / 300).toBeLessThan(0.45 * 2 * stdDev ** 2);
    // Of two degrees of freedom beyond four times the mean: e^-4 of them, 5.5; 21 or more by a chance of 10^-6.
    expect(standing).toBeLessThan(21);
    const counts = Float64Array.of(40, 15, 5, 10, 15, 15);
    expect(dependentTable({ counts }, { ...margins, stdDev: 2 }).standsOut).toBe(true);
  });

  it("of no records is empty", () => {
    const none = { rows: new Float64Array(2), own: new Float64Array(3), stdDev: 1 };
    expect([...dependentTable({ counts: Float64Array.of(1, -2, 3, -4, 1, 0) }, none).counts]).toEqual([
      0, 0, 0, 0, 0, 0,
    ]);
  });
});
