import { describe, expect, it } from "vitest";
import {
  binColumn,
  type HistogramBlock,
  type HistogramShape,
  histogramLayout,
  maximumHistogramEntries,
  noNode,
} from "./histograms.js";
import { plainKernels } from "./plain.js";

const kernels = plainKernels();

const vectors: HistogramShape = {
  binCounts: [2, 3, 300],
  nodeCount: 2,
  nodeFeatures: [[1], [2, 0]],
  channels: 2,
  weights: "vector",
};

function block(): HistogramBlock {
  return {
    rows: 4,
    columns: [Uint8Array.of(0, 1, 1, 0), Uint8Array.of(2, 0, 1, 2), Uint16Array.of(299, 0, 1, 299)],
    nodes: Uint16Array.of(0, 1, noNode, 0),
    weights: Float64Array.of(1, 10, 2, 20, 4, 40, 8, 80),
    classes: null,
  };
}

async function histograms(shape: HistogramShape, ...blocks: HistogramBlock[]): Promise<Float64Array> {
  const accumulator = kernels.histograms(shape);
  for (const one of blocks) await accumulator.add(one);
  return accumulator.finish();
}

describe("the layout of histograms", () => {
  it("goes node by node, then in the order of its features", () => {
    const { length, features, starts } = histogramLayout(vectors);
    expect(features.map((list) => [...list])).toEqual([[1], [2, 0]]);
    expect(starts.map((list) => [...list])).toEqual([[0], [6, 606]]);
    expect(length).toBe(610);
  });

  it("takes every feature in every node when no lists are given, and nodes that ask for none", () => {
    const all = histogramLayout({ ...vectors, nodeFeatures: null });
    expect(all.starts.map((list) => [...list])).toEqual([
      [0, 4, 10],
      [610, 614, 620],
    ]);
    expect(histogramLayout({ ...vectors, nodeFeatures: [[], []] }).length).toBe(0);
  });

  it.each<[string, Partial<HistogramShape>]>([
    ["number of channels 0", { channels: 0 }],
    ["number of nodes 65535", { nodeCount: 65535, nodeFeatures: null }],
    ["bins of feature 1 65537", { binCounts: [2, 65537, 2] }],
    ["bins of feature 0 0", { binCounts: [0, 3, 300] }],
    ["3 lists of features for 2 nodes", { nodeFeatures: [[], [], []] }],
    ["a feature of node 1 3", { nodeFeatures: [[], [3]] }],
    ["node 1 asks for feature 0 twice", { nodeFeatures: [[], [0, 1, 0]] }],
    [
      `more than ${maximumHistogramEntries}`,
      { nodeCount: 1025, nodeFeatures: null, binCounts: [65536], channels: 2 },
    ],
  ])("refuses: %s", (message, part) => {
    expect(() => histogramLayout({ ...vectors, ...part })).toThrow(message);
    expect(() => kernels.histograms({ ...vectors, ...part })).toThrow(RangeError);
  });
});

describe("plain histograms", () => {
  it("adds each row's vector to its bin in each feature that its node asks for, over blocks", async () => {
    const expected = new Float64Array(610);
    expected.set([9, 90], 4);
    expected.set([2, 20], 6);
    expected.set([2, 20], 608);
    expect(await histograms(vectors, block())).toEqual(expected);
    expect(await histograms(vectors, block(), { ...block(), rows: 0 }, block())).toEqual(
      expected.map((x) => 2 * x),
    );
  });

  it("adds one weight in the channel of the row's class", async () => {
    const shape: HistogramShape = {
      binCounts: [2],
      nodeCount: 1,
      nodeFeatures: null,
      channels: 3,
      weights: "class",
    };
    const sums = await histograms(shape, {
      rows: 4,
      columns: [Uint8Array.of(1, 0, 1, 1)],
      nodes: null,
      weights: Float64Array.of(1, 2, 4, 8),
      classes: Uint16Array.of(0, 2, 1, 0),
    });
    expect([...sums]).toEqual([0, 0, 2, 9, 4, 0]);
  });

  it("ignores the column of a feature that no node asks for", async () => {
    const shape = { ...vectors, nodeFeatures: [[0], [0]] };
    const columns = [Uint8Array.of(0, 1, 1, 0), new Uint8Array(0), new Uint8Array(0)];
    expect([...(await histograms(shape, { ...block(), columns }))]).toEqual([9, 90, 0, 0, 0, 0, 2, 20]);
  });

  it.each<[string, Partial<HistogramBlock>]>([
    ["number of rows -1", { rows: -1 }],
    ["feature 2, of 300 bins, is not a Uint16Array", { columns: Array(3).fill(new Uint8Array(4)) }],
    [
      "feature 1, of 3 bins, is not a Uint8Array",
      { columns: [new Uint8Array(4), new Uint16Array(4), new Uint16Array(4)] },
    ],
    ["feature 2, of 300 bins", { columns: [new Uint8Array(4), new Uint8Array(4)] }],
    ["column of feature 1 has 3 entries", { columns: [...block().columns].with(1, new Uint8Array(3)) }],
    ["column of nodes has 3 entries", { nodes: new Uint16Array(3) }],
    ["array of weights has 7 entries", { weights: new Float64Array(7) }],
    [
      "feature 1: a row's bin is not below 3",
      { columns: [...block().columns].with(1, Uint8Array.of(0, 0, 3, 0)) },
    ],
    ["a row's node is not below 2", { nodes: Uint16Array.of(0, 1, 2, 0) }],
  ])("refuses: %s", async (message, part) => {
    await expect(kernels.histograms(vectors).add({ ...block(), ...part })).rejects.toThrow(message);
  });

  it("refuses classes that are absent, short or do not exist", async () => {
    const shape: HistogramShape = { ...vectors, weights: "class" };
    const add = (classes: Uint16Array | null) => kernels.histograms(shape).add({ ...block(), classes });
    await expect(add(null)).rejects.toThrow("need the class");
    await expect(add(new Uint16Array(3))).rejects.toThrow("column of classes has 3");
    await expect(add(Uint16Array.of(0, 1, 2, 0))).rejects.toThrow("class is not below 2");
  });

  it("gives nothing once a row was refused, or after its end", async () => {
    const refused = kernels.histograms(vectors);
    await expect(refused.add({ ...block(), nodes: new Uint16Array(4).fill(7) })).rejects.toThrow(RangeError);
    await expect(refused.add(block())).rejects.toThrow("node is not below");
    await expect(refused.finish()).rejects.toThrow("node is not below");
    const ended = kernels.histograms(vectors);
    await ended.finish();
    await expect(ended.add(block())).rejects.toThrow(/ended/);
    await expect(ended.finish()).rejects.toThrow(/ended/);
  });
});

describe("binColumn", () => {
  it("is bytes up to 256 bins", () => {
    expect(binColumn(256, 3)).toEqual(new Uint8Array(3));
    expect(binColumn(257, 3)).toEqual(new Uint16Array(3));
  });
});
