import type { LargestCorrelations, RowGroups } from "@consilium/core/linalg/correlations";
import type { NumericKernels } from "@consilium/core/linalg/kernels";
import { plainKernels } from "@consilium/core/linalg/plain";
import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import { generator } from "../testing/generator.js";
import { openSystemKernels } from "./openSystem.js";
import { threads } from "./pool.js";
import { workerRows } from "./wasmCorrelations.js";
import { WasmKernels } from "./wasmKernels.js";

const plain = plainKernels();
const sets = await Promise.all([1, 2, 3].map((workers) => openSystemKernels({ workers, prefer: "wasm" })));
sets.push(await openSystemKernels({ workers: 2, prefer: "openblas" }));
afterAll(() => Promise.all(sets.map((kernels) => kernels.close())));

interface Drawn {
  readonly groups: RowGroups;
  readonly columns: readonly Float64Array[];
}

/** Groups of any size, and columns with few different values, with many, and with zeros of both signs. */
function drawn(rows: number, groupCount: number, classes: number, seed: number): Drawn {
  const next = generator(seed);
  const ends = Array.from({ length: groupCount - 1 }, () => next(rows + 1)).sort((a, b) => a - b);
  const column = (value: () => number) => Float64Array.from({ length: rows }, value);
  return {
    groups: {
      starts: Uint32Array.from([0, ...ends, rows]),
      labels: Uint16Array.from({ length: rows }, () => next(classes)),
      classes,
    },
    columns: [
      column(() => next(2)),
      column(() => next(7) / 3 - 1),
      column(() => next(2 ** 30) * 1e-5),
      column(() => [0, -0, 1e-300, -1e300][next(4)]!),
    ],
  };
}

async function found(kernels: NumericKernels, { groups, columns }: Drawn): Promise<LargestCorrelations[]> {
  const search = kernels.correlations(groups);
  try {
    return await Promise.all(columns.map((values) => search.column((into) => into.set(values))));
  } finally {
    await search.end();
  }
}

describe("correlations on worker threads", () => {
  it("are bit for bit those of plain loops, for any groups and number of workers", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: workerRows, max: 3000 }),
        fc.integer({ min: 1, max: 40 }),
        fc.integer({ min: 1, max: 5 }),
        fc.integer(),
        async (rows, groups, classes, seed) => {
          const table = drawn(rows, groups, classes, seed);
          const wanted = await found(plain, table);
          for (const kernels of sets) expect(await found(kernels, table)).toEqual(wanted);
        },
      ),
      { numRuns: 30 },
    );
  });

  it("are the same where groups are many workers' tasks, and one group is longer than the others together", async () => {
    for (const starts of [
      [0, 9000, 18_000, 27_000, 36_000, 40_000],
      [0, 30_000, 40_000],
      [0, 40_000],
    ]) {
      const { groups, columns } = drawn(40_000, 1, 3, 5);
      const table = { groups: { ...groups, starts: Uint32Array.from(starts) }, columns };
      const wanted = await found(plain, table);
      expect(wanted.some(({ correlations }) => correlations.some((one) => one > 0))).toBe(true);
      for (const kernels of sets) expect(await found(kernels, table)).toEqual(wanted);
    }
  });

  it("hold as many columns as there is room for, and give all of it back", async () => {
    const kernels = new WasmKernels(threads(2));
    try {
      const { groups, columns } = drawn(5000, 3, 2, 9);
      const search = kernels.correlations(groups);
      const taken = kernels.takenBytes;
      let filled = 0;
      const all = Array.from({ length: 40 }, () =>
        search.column((into) => {
          filled++;
          into.set(columns[2]!);
        }),
      );
      await Promise.resolve();
      expect(filled).toBeLessThan(10);
      expect(new Set((await Promise.all(all)).map(({ cuts }) => cuts.join())).size).toBe(1);
      expect([filled, kernels.takenBytes]).toEqual([40, taken]);
      await search.end();
      await search.end();
      expect(kernels.takenBytes).toBe(0);
      await expect(search.column(() => {})).rejects.toThrow(/ended/);
    } finally {
      await kernels.close();
    }
  });

  it("continue after a column that could not be filled, and refuse groups that do not fit", async () => {
    const { groups, columns } = drawn(1000, 2, 2, 3);
    const [kernels] = sets;
    const search = kernels!.correlations(groups);
    const broken = () => {
      throw new Error("no values");
    };
    for (let i = 0; i < 10; i++) await expect(search.column(broken)).rejects.toThrow("no values");
    const [wanted] = await found(plain, { groups, columns });
    expect(await search.column((into) => into.set(columns[0]!))).toEqual(wanted);
    await search.end();
    expect(() => kernels!.correlations({ ...groups, classes: 1 })).toThrow(/label is not below 1/);
    expect(() => kernels!.correlations({ ...groups, starts: Uint32Array.of(0, 999) })).toThrow(
      /do not cover/,
    );
  });

  it("reject what is under way when the kernels are closed", async () => {
    const kernels = new WasmKernels(threads(1));
    const { groups, columns } = drawn(2000, 1, 2, 4);
    const search = kernels.correlations(groups);
    const all = Promise.allSettled(columns.map((values) => search.column((into) => into.set(values))));
    await kernels.close();
    expect((await all).map(({ status }) => status)).toContain("rejected");
    await search.end();
    expect(kernels.takenBytes).toBe(0);
  });
});
