import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import type { NumericKernels } from "@consilium/core/linalg/kernels";
import { plainKernels } from "@consilium/core/linalg/plain";
import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import { BlockedGram, type GramRoom, laneCount, laneOf, slotRows } from "./blockedGram.js";
import { openSystemKernels } from "./openSystem.js";
import { threads } from "./pool.js";
import { WasmKernels } from "./wasmKernels.js";

const plain = plainKernels();
const wasm = await Promise.all([1, 2, 3].map((workers) => openSystemKernels({ workers, prefer: "wasm" })));
const openblas = await Promise.all(
  [1, 2].map((workers) => openSystemKernels({ workers, prefer: "openblas" })),
);
afterAll(() => Promise.all([...wasm, ...openblas].map((kernels) => kernels.close())));

/** One implementation with different numbers of workers. */
const implementations: [string, NumericKernels[]][] = [["wasm", wasm]];
if (openblas[0]!.name === "openblas") implementations.push(["openblas", openblas]);

/** Adds the rows in blocks of the given sizes, repeated as often as it takes. */
async function gram(kernels: NumericKernels, x: Float64Array, d: number, sizes: readonly number[]) {
  const accumulator = kernels.gram(d);
  const rows = x.length / d;
  for (let row = 0, i = 0; row < rows; i++) {
    const count = Math.min(rows - row, sizes[i % sizes.length]!);
    await accumulator.add(x.subarray(row * d, (row + count) * d), count);
    row += count;
  }
  return accumulator.finish();
}

function integers(rows: number, d: number, limit: number): Float64Array {
  let state = 12345;
  return Float64Array.from({ length: rows * d }, () => {
    state = (Math.imul(state, 1103515245) + 12345) >>> 0;
    return (state % (2 * limit + 1)) - limit;
  });
}

describe.each(implementations)("%s", (_, kernels) => {
  it("equals the reference on any rows, columns and blocks", async () => {
    const problem = fc.record({
      d: fc.integer({ min: 1, max: 37 }),
      rows: fc.integer({ min: 0, max: 600 }),
      sizes: fc.array(fc.integer({ min: 1, max: 97 }), { minLength: 1, maxLength: 5 }),
      seed: fc.integer(),
    });
    await fc.assert(
      fc.asyncProperty(problem, async ({ d, rows, sizes, seed }) => {
        let state = seed;
        const x = Float64Array.from({ length: rows * d }, () => {
          state = Math.imul(state, 1103515245) + 12345;
          return state / 2 ** 31;
        });
        const expected = await gram(plain, x, d, [rows]);
        for (const set of kernels) {
          const sum = await gram(set, x, d, sizes);
          for (let i = 0; i < d * d; i++) {
            expect(Math.abs(sum[i]! - expected[i]!)).toBeLessThanOrEqual(1e-13 * (rows + 1));
          }
        }
      }),
      { numRuns: 60 },
    );
  });

  it.each([1, 2, 3, 4, 5, 31, 64, 129])("is exact for integers, d = %i, over many slots", async (d) => {
    const rows = d > 60 ? 1001 : 4001;
    const x = integers(rows, d, 2 ** 20);
    const expected = await gram(plain, x, d, [rows]);
    for (const set of kernels) expect(await gram(set, x, d, [1, 1023, 300, 7])).toEqual(expected);
  });

  it("is the same to the last bit for any number of workers and any blocks", async () => {
    const d = 21;
    const rows = 26 * slotRows(d) + 13;
    const x = integers(rows, d, 2 ** 30).map((value) => value / 3);
    const reference = await gram(kernels[0]!, x, d, [rows]);
    for (const set of kernels) expect(await gram(set, x, d, [999, 1, 2048])).toEqual(reference);
  });

  it("takes blocks longer than a slot, without waiting between them, and lets the caller reuse them", async () => {
    const d = 41;
    const rows = 3 * slotRows(d) + 5;
    const block = new Float64Array(rows * d).fill(1);
    const accumulator = kernels.at(-1)!.gram(d);
    const first = accumulator.add(block, rows);
    const second = accumulator.add(block, rows);
    await Promise.all([first, second]);
    block.fill(Number.NaN);
    expect(await accumulator.finish()).toEqual(new Float64Array(d * d).fill(2 * rows));
  });

  it("keeps accumulations apart that run together", async () => {
    const results = await Promise.all(
      [1, 5, 40, 130].map((d) => gram(kernels.at(-1)!, new Float64Array(999 * d).fill(d), d, [100])),
    );
    expect(results.map((sum) => sum.every((x) => x === 999 * Math.sqrt(sum.length) ** 2))).toEqual([
      true,
      true,
      true,
      true,
    ]);
  });

  it("is zero without rows", async () => {
    const accumulator = kernels[0]!.gram(3);
    await accumulator.add(new Float64Array(0), 0);
    expect(await accumulator.finish()).toEqual(new Float64Array(9));
  });

  it.each([Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 1e200])(
    "refuses %s in the data",
    async (bad) => {
      const accumulator = kernels[0]!.gram(5);
      const block = new Float64Array(50).fill(1);
      block[43] = bad;
      await accumulator.add(block, 10);
      await expect(accumulator.finish()).rejects.toThrow(/column 3 /);
    },
  );

  it("refuses wrong sizes, and use after the end", async () => {
    for (const d of [0, -1, 1.5, 16385, Number.NaN]) expect(() => kernels[0]!.gram(d)).toThrow(RangeError);
    const accumulator = kernels[0]!.gram(4);
    await expect(accumulator.add(new Float64Array(7), 2)).rejects.toThrow(RangeError);
    await expect(accumulator.add(new Float64Array(8), -2)).rejects.toThrow(RangeError);
    await accumulator.finish();
    await expect(accumulator.add(new Float64Array(8), 2)).rejects.toThrow(/ended/);
    await expect(accumulator.finish()).rejects.toThrow(/ended/);
  });
});

describe("WasmKernels", () => {
  it("gives its memory back: after finish, after a refusal, and when an accumulator is dropped", async () => {
    const kernels = new WasmKernels(threads(1));
    await gram(kernels, new Float64Array(500).fill(1), 5, [100]);
    await kernels.symmetricEigen(new Float64Array(100 * 100).fill(1), 100, 100);
    const refused = kernels.gram(2);
    await refused.add(Float64Array.of(Number.NaN, 1), 1);
    await expect(refused.finish()).rejects.toThrow(RangeError);
    expect(kernels.takenBytes).toBe(0);

    await (async () => {
      const dropped = kernels.gram(50);
      await dropped.add(new Float64Array(5000), 100);
    })();
    expect(kernels.takenBytes).toBeGreaterThan(0);
    setFlagsFromString("--expose-gc");
    const collect = runInNewContext("gc") as () => void;
    for (let i = 0; i < 50 && kernels.takenBytes > 0; i++) {
      await new Promise((resolve) => setTimeout(resolve, 10));
      collect();
    }
    expect(kernels.takenBytes).toBe(0);
    await kernels.close();
  });

  it("rejects what is under way when it is closed", async () => {
    const kernels = new WasmKernels(threads(1));
    const accumulator = kernels.gram(500);
    await accumulator.add(new Float64Array(500 * 2000), 2000);
    const finished = accumulator.finish();
    const closed = kernels.close();
    await expect(finished).rejects.toThrow(/closed/);
    await closed;
    expect(kernels.takenBytes).toBe(0);
  });
});

describe("BlockedGram", () => {
  /** Multiplications are answered by hand: what is tested is who waits for whom. */
  function manual(d: number, slots: number) {
    const pending: { slot: number; lane: number; resolve: () => void; reject: (error: Error) => void }[] = [];
    let released = 0;
    const room: GramRoom = {
      slots: Array.from({ length: slots }, () => new Float64Array(slotRows(d) * d)),
      multiply: (slot, _rows, lane) =>
        new Promise((resolve, reject) => pending.push({ slot, lane, resolve, reject })),
      fold: async () => new Float64Array(d * d),
      release: () => {
        released++;
      },
    };
    return { pending, gram: new BlockedGram(d, room, () => {}), released: () => released };
  }
  const settle = () => new Promise((resolve) => setTimeout(resolve, 20));

  it("holds a fast caller back until a slot is free", async () => {
    const d = 300;
    const { pending, gram } = manual(d, 3);
    const block = new Float64Array(slotRows(d) * d);
    let added = 0;
    const adding = (async () => {
      for (let i = 0; i < 5; i++) {
        await gram.add(block, slotRows(d));
        added++;
      }
    })();
    await expect.poll(() => added).toBe(3);
    await settle();
    expect(added).toBe(3);
    expect(pending.map(({ lane }) => lane)).toEqual([0, 1]);
    pending.shift()!.resolve();
    await expect.poll(() => added).toBe(4);
    // the third block had waited for its lane
    expect(pending.map(({ lane }) => lane)).toEqual([1, 0]);
    for (let i = 0; i < 4; i++) {
      await expect.poll(() => pending).not.toHaveLength(0);
      pending.shift()!.resolve();
    }
    await adding;
    expect(added).toBe(5);
    await gram.finish();
  });

  it("fails every later call once a multiplication failed, and gives its room back once", async () => {
    const d = 300;
    const { pending, gram, released } = manual(d, 2);
    const block = new Float64Array(slotRows(d) * d);
    await gram.add(block, slotRows(d));
    await gram.add(block, slotRows(d));
    const third = gram.add(block, slotRows(d));
    const outcome = expect(third).rejects.toThrow("broken");
    pending.shift()!.reject(new Error("broken"));
    await outcome;
    await expect(gram.add(block, 1)).rejects.toThrow("broken");
    pending.shift()!.resolve();
    await expect(gram.finish()).rejects.toThrow("broken");
    expect(released()).toBe(1);
  });
});

describe("slotRows", () => {
  it("is a multiple of 256 rows, of 4 MiB or as many as amortise a pass over the sum", () => {
    expect([1, 50, 500, 2000, 4096, 16384].map(slotRows)).toEqual([524288, 10240, 1024, 1024, 512, 256]);
  });
});

describe("laneCount", () => {
  it("bounds the memory of partial sums", () => {
    expect([0, 1, 2, 15, 16, 17, 23, 24].map((slot) => laneOf(slot, 8))).toEqual([0, 1, 0, 1, 0, 1, 7, 0]);
    expect([0, 1, 16, 17].map((slot) => laneOf(slot, 1))).toEqual([0, 0, 0, 0]);
    expect([1, 1000, 2000, 4000, 8192, 8193, 16384].map(laneCount)).toEqual([8, 8, 4, 2, 2, 1, 1]);
  });
});
