import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import {
  binColumn,
  type HistogramBlock,
  type HistogramShape,
  noNode,
} from "@consilium/core/linalg/histograms";
import type { NumericKernels } from "@consilium/core/linalg/kernels";
import { plainKernels } from "@consilium/core/linalg/plain";
import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import { generator } from "../testing/generator.js";
import { openSystemKernels } from "./openSystem.js";
import { threads } from "./pool.js";
import { WasmKernels } from "./wasmKernels.js";

const plain = plainKernels();
const sets = await Promise.all([1, 2, 3].map((workers) => openSystemKernels({ workers, prefer: "wasm" })));
sets.push(await openSystemKernels({ workers: 2, prefer: "openblas" }));
afterAll(() => Promise.all(sets.map((kernels) => kernels.close())));

/** Rows whose weights are integers of up to 40 bits and either sign. */
function randomRows(shape: HistogramShape, rows: number, seed: number, nodes: HistogramBlock["nodes"]) {
  const next = generator(seed);
  const perRow = shape.weights === "vector" ? shape.channels : 1;
  const block: HistogramBlock = {
    rows,
    columns: shape.binCounts.map((bins) => binColumn(bins, rows).map(() => next(bins))),
    nodes,
    weights: Float64Array.from({ length: rows * perRow }, () => next(2 ** 41) - 2 ** 40),
    classes:
      shape.weights === "class" ? Uint16Array.from({ length: rows }, () => next(shape.channels)) : null,
  };
  return block;
}

function part(block: HistogramBlock, shape: HistogramShape, from: number, to: number): HistogramBlock {
  const perRow = shape.weights === "vector" ? shape.channels : 1;
  return {
    rows: to - from,
    columns: block.columns.map((column) => column.subarray(from, to)),
    nodes: block.nodes?.subarray(from, to) ?? null,
    weights: block.weights.subarray(from * perRow, to * perRow),
    classes: block.classes?.subarray(from, to) ?? null,
  };
}

/** Adds the rows in blocks of the given sizes, repeated as often as it takes. */
async function histograms(
  kernels: NumericKernels,
  shape: HistogramShape,
  block: HistogramBlock,
  sizes: readonly number[],
): Promise<Float64Array> {
  const accumulator = kernels.histograms(shape);
  for (let row = 0, i = 0; row < block.rows; i++) {
    const to = Math.min(block.rows, row + sizes[i % sizes.length]!);
    await accumulator.add(part(block, shape, row, to));
    row = to;
  }
  return accumulator.finish();
}

function randomNodes(kind: string, nodeCount: number, rows: number, seed: number): HistogramBlock["nodes"] {
  const next = generator(seed ^ 0x5bd1e995);
  if (kind === "none given") return null;
  if (kind === "one") return new Uint16Array(rows).fill(next(nodeCount));
  if (kind === "no row in any") return new Uint16Array(rows).fill(noNode);
  return Uint16Array.from({ length: rows }, () => (next(5) === 0 ? noNode : next(nodeCount)));
}

const binCount = fc.oneof(
  { weight: 6, arbitrary: fc.integer({ min: 1, max: 40 }) },
  { weight: 2, arbitrary: fc.constantFrom(255, 256, 257, 1000) },
  { weight: 1, arbitrary: fc.constantFrom(65535, 65536) },
);
const problem = fc
  .record({
    binCounts: fc.array(binCount, { minLength: 0, maxLength: 7 }),
    nodeCount: fc.integer({ min: 1, max: 9 }),
    weights: fc.constantFrom("vector" as const, "class" as const),
    channels: fc.oneof(fc.constant(2), fc.integer({ min: 1, max: 7 })),
    rows: fc.oneof(fc.constantFrom(0, 1, 2, 3), fc.integer({ min: 4, max: 700 })),
    nodes: fc.constantFrom("mixed", "one", "none given", "no row in any"),
    sizes: fc.array(fc.integer({ min: 1, max: 200 }), { minLength: 1, maxLength: 4 }),
    seed: fc.integer(),
  })
  .chain((base) => {
    const features = base.binCounts.map((_, feature) => feature);
    const list = fc.shuffledSubarray(features);
    const lists = fc.array(list, { minLength: base.nodeCount, maxLength: base.nodeCount });
    return fc.record({ base: fc.constant(base), nodeFeatures: fc.oneof(fc.constant(null), lists) });
  });

describe("histograms in WebAssembly", () => {
  it("equal the reference to the bit on any shape, rows, blocks and workers", async () => {
    await fc.assert(
      fc.asyncProperty(problem, async ({ base, nodeFeatures }) => {
        const { binCounts, nodeCount, weights, channels, rows, sizes, seed } = base;
        const shape: HistogramShape = { binCounts, nodeCount, nodeFeatures, channels, weights };
        const block = randomRows(shape, rows, seed, randomNodes(base.nodes, nodeCount, rows, seed));
        const expected = await histograms(plain, shape, block, [Math.max(1, rows)]);
        for (const kernels of sets) {
          const sums = await histograms(kernels, shape, block, sizes);
          expect(Buffer.compare(Buffer.from(sums.buffer), Buffer.from(expected.buffer))).toBe(0);
        }
      }),
      { numRuns: 120 },
    );
  });

  it.each([
    ["vector", 2],
    ["vector", 3],
    ["class", 2],
    ["class", 5],
  ] as const)("equal it over many chunks and slots, %s weights in %i channels", async (weights, channels) => {
    const shape: HistogramShape = {
      binCounts: [64, 3, 300, 256, 1],
      nodeCount: 5,
      nodeFeatures: null,
      channels,
      weights,
    };
    const rows = 200_003;
    const block = randomRows(shape, rows, 7, randomNodes("mixed", 5, rows, 3));
    // whole chunks of one node, of none, and of both in turn
    block.nodes!.fill(2, 20_000, 90_000).fill(noNode, 90_000, 150_000);
    const expected = await histograms(plain, shape, block, [rows]);
    for (const kernels of sets)
      expect(await histograms(kernels, shape, block, [2048, 65536])).toEqual(expected);
  });

  it.each(["vector", "class"] as const)(
    "equal it for rows of one node, columns of bytes in fours, %s weights",
    async (weights) => {
      const all = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9];
      // The second node lacks a column of the second four; a wide one ends the fours of both.
      const nodeFeatures = [all, all.filter((feature) => feature !== 6)];
      const binCounts = [64, 256, 3, 17, 255, 2, 9, 1, 300, 5];
      const shape: HistogramShape = { binCounts, nodeCount: 2, nodeFeatures, channels: 2, weights };
      const rows = 70_003;
      for (const node of [0, 1]) {
        const block = randomRows(shape, rows, 11 + node, new Uint16Array(rows).fill(node));
        const expected = await histograms(plain, shape, block, [rows]);
        for (const kernels of sets)
          expect(await histograms(kernels, shape, block, [2047, 65536])).toEqual(expected);
      }
    },
  );

  it("let the caller reuse a block, and take blocks without waiting between them", async () => {
    const shape: HistogramShape = {
      binCounts: [2],
      nodeCount: 1,
      nodeFeatures: null,
      channels: 1,
      weights: "vector",
    };
    const block = randomRows(shape, 50_000, 1, null);
    block.weights.fill(1);
    block.columns[0]!.fill(1);
    const accumulator = sets[1]!.histograms(shape);
    await Promise.all(Array.from({ length: 30 }, () => accumulator.add(block)));
    block.weights.fill(Number.NaN);
    expect([...(await accumulator.finish())]).toEqual([0, 1_500_000]);
  });

  it.each<[string, string, (block: HistogramBlock) => void]>([
    ["a bin in bytes", "feature 1: a row's bin is not below 3", ({ columns }) => columns[1]!.fill(3, 70, 71)],
    [
      "a bin in 16 bits",
      "feature 2: a row's bin is not below 300",
      ({ columns }) => columns[2]!.fill(300, 99),
    ],
    [
      "the last row's bin",
      "feature 1: a row's bin is not below 3",
      ({ columns }) => columns[1]!.fill(255, 99),
    ],
    ["a node among others", "a row's node is not below 4", ({ nodes }) => nodes!.fill(4, 50, 51)],
    ["a node of all rows", "a row's node is not below 4", ({ nodes }) => nodes!.fill(65534)],
    ["a class", "a row's class is not below 3", ({ classes }) => classes!.fill(3, 0, 1)],
  ])("refuse rows that do not exist: %s", async (_, message, spoil) => {
    const shape: HistogramShape = {
      binCounts: [256, 3, 300],
      nodeCount: 4,
      nodeFeatures: null,
      channels: 3,
      weights: "class",
    };
    const block = randomRows(shape, 100, 1, randomNodes("mixed", 4, 100, 1));
    spoil(block);
    for (const kernels of [plain, ...sets]) {
      const accumulator = kernels.histograms(shape);
      await expect(accumulator.add(block).then(() => accumulator.finish())).rejects.toThrow(message);
    }
  });

  it("refuse more rows once a row was refused", async () => {
    const shape: HistogramShape = {
      binCounts: [2],
      nodeCount: 1,
      nodeFeatures: null,
      channels: 1,
      weights: "vector",
    };
    const block = randomRows(shape, 300_000, 1, null);
    block.columns[0]!.fill(9);
    const accumulator = sets[0]!.histograms(shape);
    const adding = async () => {
      for (;;) await accumulator.add(block);
    };
    await expect(adding()).rejects.toThrow("bin is not below 2");
    await expect(accumulator.finish()).rejects.toThrow("bin is not below 2");
  });

  it("refuse shapes, blocks, and use after the end", async () => {
    const shape: HistogramShape = {
      binCounts: [2],
      nodeCount: 1,
      nodeFeatures: null,
      channels: 1,
      weights: "vector",
    };
    for (const kernels of sets) {
      expect(() => kernels.histograms({ ...shape, channels: 0 })).toThrow(RangeError);
      const accumulator = kernels.histograms(shape);
      const block = randomRows(shape, 4, 1, null);
      await expect(accumulator.add({ ...block, rows: 5 })).rejects.toThrow("column of feature 0");
      await accumulator.finish();
      await expect(accumulator.add(block)).rejects.toThrow(/ended/);
      await expect(accumulator.finish()).rejects.toThrow(/ended/);
    }
  });

  it("give their memory back: after finish, after a refusal, and when dropped", async () => {
    const kernels = new WasmKernels(threads(1));
    const shape: HistogramShape = {
      binCounts: [2, 300],
      nodeCount: 2,
      nodeFeatures: null,
      channels: 2,
      weights: "class",
    };
    const block = randomRows(shape, 100, 1, new Uint16Array(100));
    await histograms(kernels, shape, block, [100]);
    const refused = kernels.histograms(shape);
    await refused.add({ ...block, nodes: new Uint16Array(100).fill(2) });
    await expect(refused.finish()).rejects.toThrow(RangeError);
    expect(kernels.takenBytes).toBe(0);

    await (async () => {
      await kernels.histograms(shape).add(block);
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
});
