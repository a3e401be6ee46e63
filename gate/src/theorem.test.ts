import type { RandomSource } from "@consilium/secure-sum/random";
import { describe, expect, it } from "vitest";
import { type AnswerOf, type Contributor, contributionFor, type PlaceOf } from "./contributions.js";
import { foldRecords } from "./fold.js";
import type { GramKernel } from "./gramSums.js";
import { type Part, sumOfParts } from "./part.js";
import { PatientBound } from "./patientBound.js";
import { answerLength, entryMost, lengthOf, type Query, type Section, sensitivitySquared } from "./query.js";
import type { OneRecord, RecordBlock } from "./record.js";
import { rehearse } from "./rehearsal.js";
import { rootOf } from "./root.js";

/**
 * What the gate promises of every method, tried on every pair of small tables that differ in one record: whatever a method
 * writes, the sums differ by at most what the query is charged for. Each evil method is shown to be one: without the gate its
 * contributions break the bound.
 */

interface Row {
  readonly values: readonly [number, number];
  readonly label: 0 | 1;
}

/** All records that there are: two features of two values, two labels. */
const everyRow: Row[] = [0, 1].flatMap((a) =>
  [0, 1].flatMap((b) => [0, 1].map((label): Row => ({ values: [a, b], label: label as 0 | 1 }))),
);

/** All tables of up to two records, in every order. */
const everyTable: Row[][] = [
  [],
  ...everyRow.map((row) => [row]),
  ...everyRow.flatMap((row) => everyRow.map((other) => [row, other])),
];

/** A query of each kind; blocks that keep counts; and histograms of sections: of one touch each, of several with signs, and with a root. */
type QueryName = Query["kind"] | "counts" | "sections" | "touches" | "root";

const queries: Record<QueryName, Query> = {
  histogram: {
    kind: "histogram",
    cells: 6,
    touches: 2,
    channels: [
      { least: -3, most: 3 },
      { least: 0, most: 2 },
    ],
    cellLimit: 10,
  },
  sections: {
    kind: "histogram",
    cells: 7,
    touches: 3,
    channels: [{ least: 0, most: 5 }],
    sections: [
      { cells: 2, most: 3 },
      { cells: 2, most: 5 },
      { cells: 3, most: 1 },
    ],
  },
  touches: {
    kind: "histogram",
    cells: 6,
    touches: 3,
    channels: [{ least: -9, most: 9 }],
    sections: [
      { cells: 3, most: 2, least: -5, touches: 2 },
      { cells: 3, most: 4, least: -1 },
    ],
  },
  root: {
    kind: "histogram",
    cells: 8,
    touches: 2,
    channels: [{ least: 0, most: 8 }],
    sections: [
      { cells: 6, most: 3, root: { run: 3, exponent: 2 } },
      { cells: 2, most: 8 },
    ],
  },
  vector: { kind: "vector", parts: 2, length: 3, limit: 14 },
  gram: { kind: "gram", parts: 2, order: 3, limit: 14 },
  product: { kind: "product", rows: 3, columns: 2, limit: 13 },
  blocks: {
    kind: "blocks",
    blocks: 2,
    parts: 2,
    deal: "lot",
    rowsMost: 4,
    answer: { kind: "length", entries: 2, limit: 25 },
  },
  counts: {
    kind: "blocks",
    blocks: 2,
    parts: 2,
    deal: "record",
    counts: { cells: 3, touches: 2 },
    answer: { kind: "groups", most: 5, groups: [{ entries: 3, taken: 1 }] },
  },
};

/** Methods that use all that their query gives them. */
const honest: Record<QueryName, () => Contributor> = {
  histogram: () => ({
    kind: "histogram",
    write({ values, label }, cells, out) {
      cells.set([values[0]!, 2 + 2 * values[1]! + label]);
      out.set([3, 1, -3, 1]);
      return 2;
    },
  }),
  sections: () => ({
    kind: "histogram",
    write({ values, label }, cells, out) {
      cells.set([values[0]!, 2 + values[1]!, 4 + label]);
      out.set([3, 5, 1]);
      return 3;
    },
  }),
  touches: () => ({
    kind: "histogram",
    write({ values, label }, cells, out) {
      cells.set([values[0]!, 2, 3 + values[1]! + label]);
      out.set([values[1] === 1 ? -5 : 2, -5, label === 1 ? 4 : -1]);
      return 3;
    },
  }),
  root: () => ({
    kind: "histogram",
    write({ values, label }, cells, out) {
      cells.set([3 * values[0]! + values[1]! + label, 6 + label]);
      out.set([3, 8]);
      return 2;
    },
  }),
  vector: () => ({
    kind: "vector",
    write({ values, label }, out) {
      out.set([1, values[0] === 1 ? 2 : -2, 3]);
      return label;
    },
  }),
  gram: () => ({
    kind: "gram",
    write({ values, label }, out) {
      out.set([3, values[0] === 1 ? 2 : -2, values[1]!]);
      return label;
    },
  }),
  product: () => ({
    kind: "product",
    write({ values, label }, left, right) {
      left.set([3, values[0] === 1 ? 2 : -2]);
      right.set(label === 1 ? [3, 2] : [1, 0]);
      return true;
    },
  }),
  blocks: () => ({
    kind: "blocks",
    placeOf: ({ label }) => label,
    answer({ rows }, out) {
      out[rows % 2] = 5;
    },
  }),
  counts: () => ({
    kind: "blocks",
    placeOf({ values, label }, counted) {
      counted.set([values[1]!, 2]);
      return 2 * label + values[0]!;
    },
    answer({ counts }, out) {
      out[counts[0]! > counts[1]! ? 0 : 1] = 5;
    },
  }),
};

/** An evil method: what it is, whom it is given, and what it writes. */
interface Evil {
  readonly what: string;
  readonly query: QueryName;
  readonly contributor: () => Contributor;
}

const victim = ({ values, label }: OneRecord) => values[0] === 1 && values[1] === 1 && label === 1;

const evil: Evil[] = [
  cells("a weight beyond its bounds", (record, _out, values) => {
    values[0] = victim(record) ? 1000 : 0;
    return 1;
  }),
  cells("a cell's channels each within bounds, together too long", (record, _out, values) => {
    values.set(victim(record) ? [3, 2] : [0, 0]);
    return 1;
  }),
  cells("one cell twice", (record, _out, values) => {
    values.set(victim(record) ? [3, 1, 3, 1] : [0, 0, 0, 0]);
    return 2;
  }),
  cells("more cells than it may touch", (record) => (victim(record) ? 5 : 0)),
  cells("an invalid cell", (record, out, values) => {
    out[0] = victim(record) ? 77 : 0;
    values[0] = 3;
    return 1;
  }),
  cells("a count that is no number", (record) => (victim(record) ? Number.NaN : 0)),
  cells("an exception with the record in its message", (record) => {
    if (victim(record)) throw new Error(`a patient with ${record.values.join()}`);
    return 0;
  }),
  sections("two cells of one section", (record, out, values) => {
    out.set([2, 3]);
    values.set(victim(record) ? [5, 5] : [0, 0]);
    return 2;
  }),
  sections("a cell of a section with another one's weight", (record, out, values) => {
    out.set([0, 2, 4]);
    values.set(victim(record) ? [5, 5, 1] : [0, 0, 0]);
    return 3;
  }),
  ofSections("touches", "three cells of a section of two", (record, out, values) => {
    out.set([0, 1, 2]);
    values.set(victim(record) ? [-5, -5, -5] : [0, 0, 0]);
    return 3;
  }),
  ofSections("touches", "more than a section's most, within its channel", (record, out, values) => {
    out.set([0, 1, 3]);
    values.set(victim(record) ? [9, 9, 4] : [0, 0, 0]);
    return 3;
  }),
  ofSections("touches", "less than a section's least, within its channel", (record, out, values) => {
    out.set([0, 1, 3]);
    values.set(victim(record) ? [-5, -5, -9] : [0, 0, 0]);
    return 3;
  }),
  ofSections("root", "two cells of a run", (record, out, values) => {
    out.set([0, 1]);
    values.set(victim(record) ? [3, 3] : [0, 0]);
    return 2;
  }),
  ofSections("root", "one cell of each of two runs", (record, out, values) => {
    out.set([0, 3]);
    values.set(victim(record) ? [3, 3] : [0, 0]);
    return 2;
  }),
  ofSections("root", "what another section may add into a run", (record, _out, values) => {
    values[0] = victim(record) ? 8 : 0;
    return 1;
  }),
  ofSections("root", "less than 0 into a run", (record, _out, values) => {
    values[0] = victim(record) ? -8 : 0;
    return 1;
  }),
  vectors("vector", "a vector that is too long", (record, out) => {
    out.fill(victim(record) ? 9 : 0);
    return 0;
  }),
  vectors("vector", "a vector so long that its square overflows", (record, out) => {
    out.fill(victim(record) ? 2 ** 31 - 1 : 0);
    return 0;
  }),
  vectors("vector", "numbers that are not whole, infinite or none", (record, out) => {
    if (victim(record)) out.set([1.9, Number.POSITIVE_INFINITY, Number.NaN]);
    return 1;
  }),
  vectors("vector", "an invalid part", (record, out) => {
    out.fill(1);
    return victim(record) ? 7 : 0;
  }),
  vectors("gram", "a row of a Gram matrix that is too long", (record, out) => {
    out.fill(victim(record) ? 9 : 0);
    return 0;
  }),
  {
    what: "a product of which one side is too long",
    query: "product",
    contributor: () => ({
      kind: "product",
      write(record, left, right) {
        left.set([1, 1, 1]);
        right.fill(victim(record) ? 60 : 0);
        return true;
      },
    }),
  },
  {
    what: "a block's answer that is too long",
    query: "blocks",
    contributor: () => ({
      kind: "blocks",
      placeOf: () => 0,
      answer({ rows }, out) {
        out.fill(rows === 1 ? 80 : 0);
      },
    }),
  },
  counts("counts that a record breaks off", (record, counted) => {
    counted.set([1, 2]);
    if (victim(record)) throw new Error("a patient");
    return 0;
  }),
  ...[3, -1, 2 ** 31].map((cell) =>
    counts(`a count in cell ${cell}, which is none`, (record, counted) => {
      if (victim(record)) counted[1] = cell;
      return 0;
    }),
  ),
  ...[4, -2, 0.5, Number.NaN, Number.POSITIVE_INFINITY].map((place) =>
    counts(`a place ${place}, which is none`, (record) => (victim(record) ? place : 0)),
  ),
  ...[Number.NaN, Number.POSITIVE_INFINITY, 2 ** 31, -1, 6].map((value): Evil => {
    const isNothing = !Number.isFinite(value);
    return {
      ...counts(
        `a block's answer of ${value}, ${isNothing ? "taken as nothing" : "beyond its form"}`,
        () => 0,
      ),
      contributor: () => ({
        kind: "blocks",
        placeOf: () => 0,
        answer: (_, out) => void out.fill(value, 0, 1),
      }),
    };
  }),
  {
    what: "a block's answer in more entries than its form takes",
    query: "counts",
    contributor: () => ({ kind: "blocks", placeOf: () => 0, answer: (_, out) => void out.fill(5) }),
  },
  {
    what: "a block's answer that its records break off",
    query: "blocks",
    contributor: () => ({
      kind: "blocks",
      placeOf: () => 0,
      answer({ values }, out) {
        out[0] = 5;
        if (values.includes(1)) throw new Error(`a patient with ${values.join()}`);
      },
    }),
  },
  {
    what: "a block's answer with entries below 0",
    query: "blocks",
    contributor: () => ({
      kind: "blocks",
      placeOf: () => 0,
      answer({ values }, out) {
        out[0] = values[0] === 1 ? 5 : -5;
      },
    }),
  },
];

function counts(what: string, placeOf: PlaceOf): Evil {
  const answer: AnswerOf = (_, out) => {
    out[0] = 5;
  };
  return { what, query: "counts", contributor: () => ({ kind: "blocks", placeOf, answer }) };
}

function cells(
  what: string,
  write: (record: OneRecord, out: Int32Array, values: Int32Array) => number,
): Evil {
  return { what, query: "histogram", contributor: () => ({ kind: "histogram", write }) };
}

const threes = <T>(one: T, others: readonly T[]): T[][] =>
  others.flatMap((two) => others.map((three) => [one, two, three]));

function sections(
  what: string,
  write: (record: OneRecord, out: Int32Array, values: Int32Array) => number,
): Evil {
  return ofSections("sections", what, write);
}

function ofSections(
  query: "sections" | "touches" | "root",
  what: string,
  write: (record: OneRecord, out: Int32Array, values: Int32Array) => number,
): Evil {
  return { ...cells(what, write), query };
}

function vectors(
  query: "vector" | "gram",
  what: string,
  write: (record: OneRecord, out: Int32Array) => number,
): Evil {
  return { what, query, contributor: () => ({ kind: query, write }) };
}

describe("the gate, on every pair of tables that differ in one record", () => {
  for (const [name, query] of Object.entries(queries)) {
    it(`is exact about a ${name} query: an honest method reaches its sensitivity`, async () => {
      const worst = await worstDifference(query, honest[name as QueryName]);
      expect(worst.difference).toBe(sensitivitySquared(query));
      expect(worst.refused).toBe(0);
    });
  }

  for (const { what, query: kind, contributor } of evil) {
    it(`holds a ${kind} method to its query that writes ${what}`, async () => {
      const query = queries[kind];
      expect((await worstDifference(query, contributor)).difference).toBeLessThanOrEqual(
        sensitivitySquared(query),
      );
    });
  }

  it("would not without its checks: most of these methods then break the bound", async () => {
    const broken = evil.filter(({ query: kind, contributor }) => {
      const bound = sensitivitySquared(queries[kind]);
      return everyRow.some((row) => unchecked(queries[kind], contributor(), row) > bound);
    });
    expect(broken.length).toBeGreaterThanOrEqual(8);
    for (const one of evil)
      if (one.query === "touches" || one.query === "root")
        expect(broken.map(({ what }) => what)).toContain(one.what);
  });

  it("counts a record whose contribution breaks the query as absent, and says to the hospital how many", async () => {
    const [first] = evil;
    const table = everyRow;
    const { exact, refused } = await fold(queries.histogram, first!.contributor, table);
    expect(refused).toBe(1);
    expect(exact).toEqual(
      (
        await fold(
          queries.histogram,
          first!.contributor,
          table.filter((row) => row !== table.at(-1)),
        )
      ).exact,
    );
  });

  it("refuses more places for a record than an integer of a proposal can name", async () => {
    const { blocks: query } = queries;
    if (query.kind !== "blocks") throw new RangeError("places are of blocks");
    const named = { ...query, deal: "record", parts: 2 ** 20 } as const;
    await expect(fold({ ...named, blocks: 2 ** 11 }, honest.blocks, everyRow)).rejects.toThrow(RangeError);
    await fold({ ...named, blocks: 2 ** 11 - 1 }, honest.blocks, everyRow);
  });

  it("refuses sections that are not the query's cells", async () => {
    const { sections: query } = queries;
    if (query.kind !== "histogram") throw new RangeError("sections are of a histogram");
    for (const wrong of [{ cells: 8 }, { touches: 2 }, { channels: [{ least: 0, most: 4 }] }])
      await expect(fold({ ...query, ...wrong }, honest.sections, everyRow)).rejects.toThrow(RangeError);
    await fold(query, honest.sections, everyRow);
  });

  for (const name of ["sections", "touches", "root"] as const)
    it(`takes of ${name} what each section takes by itself, in cells that ascend, and nothing else`, () => {
      const query = queries[name];
      if (query.kind !== "histogram") throw new RangeError("sections are of a histogram");
      const sectionOfCell = query.sections!.flatMap((section) =>
        Array.from({ length: section.cells }, () => section),
      );
      const numbers = [
        -10,
        ...query.sections!.flatMap(({ most, least = 0 }) => [least - 1, least, most, most + 1]),
      ];
      const touch = Array.from({ length: query.cells + 2 }, (_, i) => i - 1).flatMap((cell) =>
        [...new Set(numbers)].map((value) => ({ cell, value })),
      );
      const isTaken = (touches: typeof touch): boolean =>
        touches.every(({ cell, value }, i) => {
          const section = sectionOfCell[cell];
          const before = touches[i - 1];
          if (section === undefined || (before !== undefined && before.cell >= cell)) return false;
          const here = touches.filter((other) => sectionOfCell[other.cell] === section);
          return (
            here.length <= (section.touches ?? 1) && value >= (section.least ?? 0) && value <= section.most
          );
        });
      let asked: typeof touch = [];
      const contribution = contributionFor(query, {
        kind: "histogram",
        write(_, out, values) {
          for (const [i, { cell, value }] of asked.entries()) [out[i], values[i]] = [cell, value];
          return asked.length;
        },
      });
      const record = { values: new Float64Array(2), label: 0, draw: -1 };
      const tried = [
        ...touch.map((one) => [one]),
        ...touch.flatMap((one) => touch.map((two) => [one, two])),
        // Of three the values that the sections allow, in all cells.
        ...(query.touches < 3
          ? []
          : touch.flatMap((one) =>
              threes(
                one,
                touch.filter(({ value }) => value === 1 || value === -1),
              ),
            )),
      ];
      let taken = 0;
      for (const touches of tried) {
        asked = touches;
        const isHeld = contribution.ask(record);
        if (isHeld !== isTaken(touches)) expect({ touches, isHeld }).toBeNull();
        if (isHeld) taken++;
      }
      expect(taken).toBeGreaterThan(20);
    });

  it("refuses sections whose touches, bounds or roots are none", async () => {
    const { touches, root } = queries;
    if (touches.kind !== "histogram" || root.kind !== "histogram")
      throw new RangeError("both are histograms");
    const changed = (at: number, change: Partial<Section>) => {
      const all = root.sections!.map((section, i) => (i === at ? { ...section, ...change } : section));
      const more = all.reduce((sum, one) => sum + (one.touches ?? 1), 0);
      const cells = all.reduce((sum, one) => sum + one.cells, 0);
      return { ...root, cells, touches: more, sections: all };
    };
    const wide = { ...root, channels: [{ least: -8, most: 2 ** 30 }] };
    const wrong: Query[] = [
      { ...touches, touches: 2 },
      { ...touches, channels: [{ least: -4, most: 9 }] },
      { ...touches, channels: [{ least: -9, most: 3 }] },
      { ...touches, touches: 5, sections: [{ ...touches.sections![0]!, touches: 4 }, touches.sections![1]!] },
      { ...touches, touches: 1, sections: [{ ...touches.sections![0]!, touches: 0 }, touches.sections![1]!] },
      { ...touches, sections: [{ ...touches.sections![0]!, least: 1 }, touches.sections![1]!] },
      changed(0, { cells: 7 }),
      changed(0, { root: { run: 4, exponent: 2 } }),
      changed(0, { root: { run: 0, exponent: 2 } }),
      changed(0, { root: { run: 1.5, exponent: 2 } }),
      changed(0, { cells: 8192, root: { run: 8192, exponent: 2 } }),
      changed(0, { root: { run: 3, exponent: -1 } }),
      changed(0, { root: { run: 3, exponent: 1.5 } }),
      changed(0, { root: { run: 3, exponent: 25 } }),
      changed(0, { touches: 2 }),
      { ...wide, sections: [{ ...root.sections![0]!, least: -1 }, root.sections![1]!] },
      // Not in units of 2^2, or two roots with units of their own.
      changed(1, { most: 6 }),
      { ...wide, sections: [root.sections![0]!, { cells: 2, most: 8, least: -2 }] },
      changed(1, { most: 3, root: { run: 2, exponent: 3 } }),
      // Δ² beyond exact integers.
      { ...wide, sections: [root.sections![0]!, { cells: 2, most: 2 ** 27 }] },
    ];
    for (const query of wrong)
      await expect(fold(query, honest.root, everyRow), JSON.stringify(query)).rejects.toThrow(RangeError);
    await fold(changed(1, { most: 4 }), honest.root, everyRow);
    await fold(
      { ...wide, sections: [root.sections![0]!, { cells: 2, most: 8, least: -4 }] },
      honest.root,
      everyRow,
    );
  });

  for (const name of ["sections", "touches", "root"] as const)
    it(`changes an entry of ${name} by as much as it says, and by no more`, async () => {
      let largest = 0;
      for (const row of everyRow)
        for (const entry of (await fold(queries[name], honest[name], [row])).exact)
          largest = Math.max(largest, Math.abs(Number(BigInt.asIntN(64, entry))));
      expect(largest).toBe(entryMost(queries[name]));
    });

  it("adds of every table what its records' own roots add up to", async () => {
    for (const table of everyTable) {
      const alone = await Promise.all(table.map((row) => fold(queries.root, honest.root, [row])));
      const sum = alone.reduce(
        (total, { exact }) => total.map((entry, i) => entry + exact[i]!),
        new BigUint64Array(8),
      );
      expect((await fold(queries.root, honest.root, table)).exact).toEqual(sum);
    }
  });

  it("adds of a block's answer what it has checked, whatever the method writes later", async () => {
    const late = (): Contributor => ({
      kind: "blocks",
      placeOf: () => 0,
      answer({ rows }, out) {
        const write = (turns: number): unknown =>
          turns === 0 ? out.fill(80 * (rows % 2)) : Promise.resolve().then(() => write(turns - 1));
        for (let turns = 2; turns < 6; turns++) write(turns);
      },
    });
    const { difference, refused } = await worstDifference(queries.blocks, late);
    expect({ difference, refused }).toEqual({ difference: 0, refused: 0 });
  });

  it("adds what it has checked of a method that overwrites it while it is asked again", async () => {
    let overwritten = 0;
    for (const isAlike of [false, true]) {
      const keeping = (): (() => Contributor) => {
        const handed: Int32Array[] = [];
        return () => ({
          kind: "vector",
          write(record, out) {
            const [first] = handed;
            if (first === undefined || first === out) handed[0] = out;
            else if (victim(record)) {
              // All words of what was checked, the part among them; or both answers alike, within the query.
              const words = new Int32Array(first.buffer);
              words.fill(isAlike ? 2 : 2 ** 30);
              overwritten++;
            }
            out.fill(2);
            return 1;
          },
        });
      };
      for (const table of everyTable) {
        const sums = await Promise.all(
          [table, [...table, everyRow.at(-1)!]].map((rows) =>
            fold(queries.vector, keeping(), rows, { checks: zeros }),
          ),
        );
        expect(distance(queries.vector, sums[0]!.exact, sums[1]!.exact)).toBeLessThanOrEqual(
          sensitivitySquared(queries.vector),
        );
      }
    }
    expect(overwritten).toBeGreaterThan(100);
  });

  it("hands a method nothing that is left of another record", async () => {
    const seen: (readonly number[])[] = [];
    const nosy = (): Contributor => ({
      kind: "histogram",
      write(_, cellsOf, values) {
        seen.push([...cellsOf, ...values]);
        cellsOf.set([1, 2]);
        values.set([1, 1, 1, 1]);
        return 2;
      },
    });
    await fold(queries.histogram, nosy, everyRow);
    expect(seen.length).toBeGreaterThanOrEqual(everyRow.length);
    expect(seen.every((words) => words.every((word) => word === 0))).toBe(true);
  });
});

describe("the gate, on every pair of tables that differ in one patient who counts once", () => {
  const rowsMost = 3;
  /** All patients of up to three rows. */
  const everyPatient = everyRow.flatMap((one, a) => [
    [one],
    ...everyRow
      .slice(a)
      .flatMap((two, b) => [[one, two], ...everyRow.slice(a + b).map((three) => [one, two, three])]),
  ]);
  const others = [
    [],
    [[everyRow[0]!, everyRow[5]!]],
    [[everyRow[7]!], [everyRow[2]!, everyRow[2]!, everyRow[6]!]],
  ];

  for (const name of ["sections", "touches", "root"] as const)
    for (const isDivided of [false, true]) {
      const query = { ...queries[name], ...(isDivided ? { divisible: true } : {}) } as Query;
      // 5 is a multiple of neither 2 nor 3; what is divided is weighed by nothing.
      const unit = 5;
      const bound = sensitivitySquared(query) * (isDivided ? 1 : unit ** 2);
      const foldOf = (contributor: () => Contributor, patients: readonly (readonly Row[])[]) =>
        foldRecords({
          ...optionsOf(query, contributor),
          records: patientStream(patients),
          patients: { rowsMost, unit },
        });
      const worst = async (contributor: () => Contributor) => {
        let largest = 0;
        for (const table of others) {
          const { exact } = await foldOf(contributor, table);
          for (const patient of everyPatient) {
            const after = await foldOf(contributor, [...table, patient]);
            largest = Math.max(largest, distance(query, exact, after.exact));
          }
        }
        return largest;
      };
      const how = isDivided ? "rows divided" : "rows weighed";

      it(`is exact about ${name}, ${how}`, async () => {
        expect(everyPatient.length).toBe(8 + 36 + 120);
        expect(await worst(honest[name])).toBe(bound);
      });

      it(`holds methods of ${name}, ${how}`, async () => {
        for (const { query: of, contributor, what } of evil)
          if (of === name) expect(await worst(contributor), what).toBeLessThanOrEqual(bound);
      });
    }
});

/** Rows of two parts, and each with a lot of two. */
const fewRows: Row[] = [0, 1].flatMap((a) =>
  [0, 1].map((label): Row => ({ values: [a, 0], label: label as 0 | 1 })),
);
const withLots = fewRows.flatMap((row) => [0, 1].map((lot) => ({ row, lot })));

/** An answer that depends on the order of the rows that it is handed. */
const byFirst: AnswerOf = ({ rows, values }, out) => {
  out[(rows + values[0]!) % 2] = 5;
};

/** All that a table of five records overfills. */
const capacities: readonly {
  readonly what: string;
  readonly query: Query;
  readonly contributor: () => Contributor;
}[] = [
  {
    what: "rows of a block's part, of which it keeps two",
    query: { ...blocksOf(2), deal: "record" },
    contributor: () => ({ kind: "blocks", placeOf: ({ label }) => label, answer: byFirst }),
  },
  {
    what: "counts of a block",
    query: { ...queries.counts, blocks: 1 } as Query,
    contributor: () => ({
      kind: "blocks",
      placeOf({ values, label }, counted) {
        counted[0] = values[0]!;
        return label;
      },
      answer({ counts }, out) {
        out[counts[1]! % 2] = 5;
      },
    }),
  },
  {
    what: "cells that a record may touch",
    query: queries.histogram,
    contributor: () => ({
      kind: "histogram",
      write({ values, label }, out, weights) {
        out.set([0, 2]);
        weights.set([3, 1, -3, 1]);
        return 2 + values[0]! * label;
      },
    }),
  },
  {
    what: "a Gram matrix's buffer, of one row",
    query: queries.gram,
    contributor: () => ({
      kind: "gram",
      write({ values, label }, out) {
        out.set([3, values[0] === 1 ? 2 : -2, 1]);
        return label;
      },
    }),
  },
  {
    what: "what doubles add up of products of one vector, at most one of them",
    query: { kind: "gram", parts: 2, order: 2, limit: 2 ** 52 },
    contributor: () => ({
      kind: "gram",
      write({ values, label }, out) {
        out[values[0]!] = 2 ** 26;
        return label;
      },
    }),
  },
  {
    what: "what doubles add up of products, at most one of them",
    query: { kind: "product", rows: 2, columns: 2, limit: 2 ** 52 },
    contributor: () => ({
      kind: "product",
      write({ values, label }, left, right) {
        left[values[0]!] = 2 ** 26;
        right[label] = 2 ** 26;
        return true;
      },
    }),
  },
];

function blocksOf(rowsMost: number) {
  return { ...queries.blocks, blocks: 2, parts: 2, rowsMost } as Query & {
    kind: "blocks";
  };
}

/** All tables of up to so many of these, in every order. */
function tablesOf<T>(items: readonly T[], length: number): T[][] {
  if (length === 0) return [[]];
  return [[], ...items.flatMap((item) => tablesOf(items, length - 1).map((table) => [item, ...table]))];
}

/**
 * The largest squared step of what is made of all tables of up to so many of these items, under one item more; and under another
 * order of the same.
 */
async function worstStep<T>(
  query: Query,
  {
    items,
    length,
    made,
  }: { items: readonly T[]; length: number; made: (table: T[]) => Promise<BigUint64Array> },
) {
  const vectors = new Map<string, BigUint64Array>();
  const keyOf = (places: readonly number[]) => [...places].sort().join();
  let [step, ofOrder] = [0, 0];
  const places = [...items.keys()];
  for (const table of tablesOf(places, length)) {
    const vector = await made(table.map((place) => items[place]!));
    const same = vectors.get(keyOf(table));
    if (same === undefined) vectors.set(keyOf(table), vector);
    else ofOrder = Math.max(ofOrder, distance(query, same, vector));
    for (const place of table) {
      const without = vectors.get(keyOf(table.toSpliced(table.indexOf(place), 1)));
      if (without !== undefined) step = Math.max(step, distance(query, without, vector));
    }
  }
  return { step, ofOrder };
}

describe("the gate, where all that has room for few is full", () => {
  for (const { what, query, contributor } of capacities)
    it(`moves by one record's step, and in no order by another, over ${what}`, async () => {
      const made = async (table: Row[]) => (await fold(query, contributor, table, { rowsAtMost: 1 })).exact;
      const { step, ofOrder } = await worstStep(query, { items: fewRows, length: 5, made });
      expect(ofOrder).toBe(0);
      expect(step).toBe(sensitivitySquared(query));
    });

  it("does so for every lot that records draw", async () => {
    const query = blocksOf(1);
    const contributor = (): Contributor => ({
      kind: "blocks",
      placeOf: ({ label }) => label,
      answer: byFirst,
    });
    const made = async (table: typeof withLots) => {
      const words = Uint32Array.from({ length: 64 }, (_, i) => (table[i]?.lot ?? 0) * 2 ** 31);
      const random = { bytes: () => new Uint8Array(words.buffer) };
      return (
        await fold(
          query,
          contributor,
          table.map(({ row }) => row),
          { random },
        )
      ).exact;
    };
    const { step, ofOrder } = await worstStep(query, { items: withLots, length: 4, made });
    expect(ofOrder).toBe(0);
    expect(step).toBe(sensitivitySquared(query));
  });

  it("keeps of equal rows as many as of different ones, and of the others those that the key chooses", async () => {
    const query = { ...blocksOf(3), blocks: 1, parts: 1, deal: "record" } as const;
    const kept = async (table: readonly Row[], checks: RandomSource) => {
      let handed = "";
      await fold(
        query,
        () => ({
          kind: "blocks",
          placeOf: () => 0,
          answer({ rows, values, labels }) {
            handed = JSON.stringify([rows, [...values], [...labels]]);
          },
        }),
        table,
        { checks },
      );
      return handed;
    };
    expect(
      await kept([...fewRows.slice(0, 1), ...Array.from({ length: 40 }, () => fewRows[0]!)], spread),
    ).toBe("[3,[0,0,0,0,0,0],[0,0,0]]");
    const chosen = new Set<string>();
    for (let key = 0; key < 64; key++) {
      const checks = { bytes: (count: number) => new Uint8Array(count).fill(key) };
      const all = await kept(everyRow, checks);
      // What is over twice the room has been left out before: of all the rows, not of those that came last.
      expect(await kept([...everyRow, ...everyRow].reverse(), checks)).toBe(
        await kept([...everyRow, ...everyRow], checks),
      );
      chosen.add(all);
    }
    expect(chosen.size).toBeGreaterThan(20);
  });

  it("moves by a patient's step over the rows of a patient, in every order of rows", async () => {
    const query = queries.sections;
    const [rowsMost, unit] = [2, 5];
    const rows = [everyRow[0]!, everyRow[3]!, everyRow[5]!].flatMap((row, key) =>
      [0, 1].map((patient) => ({ row, key, patient })),
    );
    const made = async (table: typeof rows) => {
      const bound = new PatientBound({ maxRows: rowsMost });
      const patient = [0, 1, 2].map((part) => Float64Array.from(table, (one) => one.patient * (part + 1)));
      const noted = { patient, order: null, key: Float64Array.from(table, ({ key }) => key) } as unknown;
      const columns = noted as Parameters<typeof bound.note>[0];
      for (const r of table.keys()) bound.note(columns, r, 1);
      bound.settle();
      const places = table.map((_, r) => bound.take(columns, r));
      const used = table.filter((_, r) => places[r] !== -1).map(({ row }) => row);
      const patientRows = bound.rowsOf(Uint32Array.from(places.filter((place) => place !== -1)));
      const records = (async function* () {
        for await (const block of stream(used)) yield { ...block, patientRows };
      })();
      const options = { records, patients: { rowsMost, unit } };
      return (await fold(query, honest.sections, used, options)).exact;
    };
    const vectors = new Map<string, BigUint64Array>();
    const keyOf = (table: typeof rows) =>
      table
        .map(({ key, patient }) => 3 * patient + key)
        .sort()
        .join();
    let step = 0;
    for (const table of tablesOf(rows, 4)) {
      const vector = await made(table);
      expect(vectors.get(keyOf(table)) ?? vector).toEqual(vector);
      vectors.set(keyOf(table), vector);
      const without = table.filter(({ patient }) => patient === 0);
      const before = vectors.get(keyOf(without)) ?? (await made(without));
      step = Math.max(step, distance(query, before, vector));
    }
    expect(step).toBeLessThanOrEqual(sensitivitySquared(query) * unit ** 2);
    expect(step).toBeGreaterThan(0);
  });
});

describe("nothing that a record or a method does ends in a fault", () => {
  const query = queries.counts;
  const placeOf: PlaceOf = ({ label }) => label;
  const answer: AnswerOf = (_, out) => {
    out[0] = 5;
  };
  const honestCounts: Contributor = { kind: "blocks", placeOf, answer };
  const of = (records: number, entry: bigint, rest: object) => ({
    exact: BigUint64Array.of(entry, 0n, 0n, 0n, 0n, 0n),
    records,
    refused: 0,
    ...rest,
  });
  const [row] = everyRow;

  it("but in a block that counts as zeros, where the method can no longer be made, or is another one by then", async () => {
    for (const later of [
      () => honest.vector(),
      () => {
        throw new Error("a patient");
      },
    ]) {
      let made = 0;
      const contributor = () => (++made > 2 ? later() : honestCounts);
      expect(await fold(query, contributor, [row!])).toEqual(of(1, 0n, { refusedBlocks: 1 }));
    }
  });

  it("but in a block that counts as zeros, where the method's pause fails", async () => {
    const pause = () => Promise.reject(new Error("a patient"));
    expect(await fold(query, () => honestCounts, [row!], { pause })).toEqual(of(1, 0n, { refusedBlocks: 1 }));
  });

  it("but in no block, where a record is refused: none is opened for it", async () => {
    const [contributor] = evil.filter(({ what }) => what === "counts that a record breaks off");
    const last = everyRow.at(-1)!;
    expect(await fold(query, contributor!.contributor, [last])).toEqual(of(1, 0n, { refused: 1 }));
    expect(await fold(query, contributor!.contributor, [row!, last])).toEqual(of(2, 5n, { refused: 1 }));
  });

  it("but in a row that is left out, where nobody can say how many its patient has", async () => {
    const patients = { rowsMost: 3, unit: 6 };
    const foldOf = (table: readonly Row[], counts: readonly number[]) => {
      const patientRows = { counts: Uint16Array.from(counts), draws: new Uint32Array(counts.length) };
      const records = (async function* () {
        for await (const block of stream(table)) yield { ...block, patientRows };
      })();
      return fold(queries.sections, honest.sections, table, { records, patients });
    };
    const { exact, refused } = await foldOf(everyRow.slice(0, 4), [1, 0, 4, 2]);
    expect(refused).toBe(2);
    expect(exact).toEqual((await foldOf([everyRow[0]!, everyRow[3]!], [1, 2])).exact);
  });
});

describe("a rehearsal", () => {
  const domain = {
    features: [
      { kind: "level", levels: 2 },
      { kind: "number", min: 0, max: 1 },
    ],
    labels: 2,
  } as const;
  const rehearsed = (query: Query, contributor: () => Contributor) =>
    rehearse({ query, contributor, domain, uniform: counted() });

  it("finds nothing in honest methods", async () => {
    for (const [name, query] of Object.entries(queries))
      expect(await rehearsed(query, honest[name as QueryName])).toBeNull();
  });

  it("refuses a method with a memory, whose sums would tell more of a record than they cost", async () => {
    const remembers = (): Contributor => {
      let met = false;
      return {
        kind: "histogram",
        write(record, _, values) {
          met ||= victim(record);
          values[0] = met ? 3 : 0;
          return 1;
        },
      };
    };
    expect(await rehearsed(queries.histogram, remembers)).toMatch(/asked for the same record again/);
    const [row] = everyRow;
    const many = Array.from({ length: 40 }, () => row!);
    const [without, withVictim] = await Promise.all(
      [many, [everyRow.at(-1)!, ...many]].map((table) => fold(queries.histogram, remembers, table)),
    );
    expect(distance(queries.histogram, without!.exact, withVictim!.exact)).toBeGreaterThan(
      sensitivitySquared(queries.histogram),
    );
  });

  it("refuses methods whose contributions break their query, and takes nothing else as a reason", async () => {
    for (const { query, contributor, what } of evil) {
      const reason = await rehearsed(queries[query], contributor);
      if (what.startsWith("numbers that are not whole") || what.endsWith("taken as nothing"))
        expect(reason).toBeNull();
      else expect(reason, what).toMatch(/not what its query says/);
    }
  });
});

const kernel: GramKernel = {
  gram(order) {
    const sums = new Float64Array(order * order);
    return {
      async add(rows, count) {
        for (let r = 0; r < count; r++)
          for (let i = 0; i < order; i++)
            for (let j = 0; j < order; j++)
              sums[i * order + j]! += rows[r * order + i]! * rows[r * order + j]!;
      },
      finish: async () => sums,
    };
  },
};

async function worstDifference(query: Query, contributor: () => Contributor) {
  let difference = 0;
  let refused = 0;
  for (const table of everyTable) {
    const before = await fold(query, contributor, table);
    for (const row of everyRow) {
      const after = await fold(query, contributor, [...table, row]);
      difference = Math.max(difference, distance(query, before.exact, after.exact));
      refused += after.refused;
    }
  }
  return { difference, refused };
}

/** The one part of a table, as a site adds it up. */
async function fold(
  query: Query,
  contributor: () => Contributor,
  rows: readonly Row[],
  options: Partial<Parameters<typeof foldRecords>[0]> = {},
): Promise<Part> {
  const asked = { ...optionsOf(query, contributor), records: stream(rows), patients: null, ...options };
  return sumOfParts(asked, asked.patients, [await foldRecords(asked)]);
}

const optionsOf = (query: Query, contributor: () => Contributor) => ({
  query,
  contributor,
  features: 2,
  rowsAtMost: 100,
  scale: 1,
  kernel,
  random: spread,
  checks: spread,
});

const spread = { bytes: (count: number) => Uint8Array.from({ length: count }, (_, i) => (i * 7919) >>> 3) };

/** Of which every record is asked for again. */
const zeros = { bytes: (count: number) => new Uint8Array(count) };

async function* stream(rows: readonly Row[]): AsyncGenerator<RecordBlock> {
  yield {
    rows: rows.length,
    columns: [0, 1].map((f) => Float64Array.from(rows, ({ values }) => values[f]!)),
    labels: Uint16Array.from(rows, ({ label }) => label),
  };
}

/** Each patient's rows, with how many they are. */
async function* patientStream(patients: readonly (readonly Row[])[]): AsyncGenerator<RecordBlock> {
  for await (const block of stream(patients.flat())) {
    const counts = Uint16Array.from(patients.flatMap((rows) => rows.map(() => rows.length)));
    yield { ...block, patientRows: { counts, draws: new Uint32Array(counts.length) } };
  }
}

/** Σ w_j·q_j² of the difference; entries off a triangle's diagonal weigh 2. */
function distance(query: Query, one: BigUint64Array, other: BigUint64Array): number {
  const weight = weightsOf(query);
  return one.reduce(
    (sum, value, i) => sum + weight(i) * Number(BigInt.asIntN(64, value - other[i]!)) ** 2,
    0,
  );
}

function weightsOf(query: Query): (index: number) => number {
  if (query.kind !== "gram") return () => 1;
  const diagonal = new Set(query.order === 3 ? [0, 3, 5] : [0, 2]);
  return (index) => (diagonal.has(index % (query.order === 3 ? 6 : 3)) ? 1 : 2);
}

/** Σ q² of what a method writes of one record, as it stands. */
function unchecked(query: Query, contributor: Contributor, { values, label }: Row): number {
  const record = { values: Float64Array.from(values), label, draw: -1 };
  const sum = (words: Int32Array) => words.reduce((total, word) => total + word ** 2, 0);
  switch (contributor.kind) {
    case "histogram": {
      if (query.kind !== "histogram") throw new RangeError("cells are of a histogram");
      const { touches, channels, sections = [] } = query;
      const [cellsOf, out] = [new Int32Array(touches), new Int32Array(touches * channels.length)];
      const vector = new Float64Array(lengthOf(query));
      try {
        const touched = contributor.write(record, cellsOf, out);
        for (let i = 0; i < Math.min(touched, touches); i++)
          for (let c = 0; c < channels.length; c++)
            vector[channels.length * cellsOf[i]! + c]! += out[channels.length * i + c]!;
      } catch {
        return 0;
      }
      return rooted(vector, sections).reduce((total, word) => total + word ** 2, 0);
    }
    case "vector":
    case "gram": {
      const out = new Int32Array(3);
      contributor.write(record, out);
      return contributor.kind === "gram" ? sum(out) ** 2 : sum(out);
    }
    case "product": {
      const [left, right] = [new Int32Array(3), new Int32Array(2)];
      contributor.write(record, left, right);
      return sum(left) * sum(right);
    }
    case "blocks": {
      const answers = [0, 1].map((first) => {
        if (query.kind !== "blocks") throw new RangeError("answers are of blocks");
        const out = new Int32Array(answerLength(query.answer));
        try {
          contributor.answer(
            {
              rows: 1,
              counts: new Float64Array(3),
              values: Float64Array.of(first, values[1]),
              labels: Uint16Array.of(label),
            },
            out,
          );
        } catch {
          out.fill(0);
        }
        return out;
      });
      return sum(answers[0]!.map((word, i) => word - answers[1]![i]!)) + sum(answers[1]!) / 2;
    }
  }
}

/** The vector with each run multiplied by its section's root, by the definition. */
function rooted(vector: Float64Array, sections: readonly Section[]): Float64Array {
  const out = vector.slice();
  let from = 0;
  for (const { cells: count, root } of sections) {
    if (root !== undefined) {
      const entries = rootOf(root.run, root.exponent);
      for (let j = 0; j < count; j++) {
        out[from + j] = 0;
        for (let i = 0; i <= j % root.run; i++) out[from + j]! += entries[i]! * vector[from + j - i]!;
      }
    }
    from += count;
  }
  return out;
}

/** Numbers from [0, 1) that are spread well, the same each time. */
function counted(): () => number {
  let state = 0.5;
  return () => {
    state = (state + 0.6180339887498949) % 1;
    return state;
  };
}
