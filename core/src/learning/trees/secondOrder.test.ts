import { describe, expect, it } from "vitest";
import { plainKernels } from "../../linalg/plain.js";
import type { RandomSource } from "../../random.js";
import { unwrap } from "../../result.js";
import { binnedFeatures } from "../../study/binning.js";
import type { ColumnBlock } from "../../study/design.js";
import { type SecondOrderSettings, secondOrderSettings } from "../../study/secondOrder.js";
import { parseStudy, type Study } from "../../study/study.js";
import { secondOrderConversation } from "./secondOrderConversation.js";
import { simulateSecondOrder } from "./secondOrderSimulation.js";
import type { Tree } from "./tree.js";

/** Rows of numbers, the class last. */
type Rows = readonly (readonly number[])[];

const toy8: Rows = [
  [1, 5, 0],
  [2, 4, 0],
  [3, 7, 0],
  [4, 1, 1],
  [5, 2, 0],
  [6, 9, 1],
  [7, 3, 1],
  [8, 8, 1],
];

const toy10: Rows = [
  [1, 5, 0.1, 0],
  [2, 4, 0.7, 0],
  [3, 7, 0.3, 1],
  [4, 1, 0.9, 0],
  [5, 2, 0.2, 0],
  [6, 9, 0.8, 1],
  [7, 3, 0.6, 1],
  [8, 8, 0.4, 0],
  [9, 6, 1.1, 1],
  [10, 12, 0.5, 1],
];

/** Cuts halfway between neighbouring values: XGBoost's `exact` on such a column. */
function edgesOf(values: readonly number[]): number[] {
  const distinct = [...new Set(values)].sort((a, b) => a - b);
  return distinct.slice(1).map((value, i) => (value + distinct[i]!) / 2);
}

function studyOf(rows: Rows, more: object = {}): Study {
  const columns = rows[0]!.length - 1;
  return unwrap(
    parseStudy({
      name: "boost",
      table: "t",
      analysis: "pca",
      features: Array.from({ length: columns }, (_, j) => {
        const values = rows.map((row) => row[j]!);
        const [min, max] = [Math.min(...values), Math.max(...values)];
        return { name: `f${j}`, type: "numeric", min, max, edges: edgesOf(values) };
      }),
      label: { name: "y", levels: ["no", "yes"] },
      parameters: { components: 1 },
      privacy: "none",
      participation: { maxRowsPerSite: 1000 },
      ...more,
    }),
  );
}

function settingsOf(study: Study, more: Partial<SecondOrderSettings> = {}): SecondOrderSettings {
  return secondOrderSettings({
    features: binnedFeatures(study.features, 16),
    positive: 1,
    trees: 3,
    depth: 2,
    eta: 0.3,
    lambda: 1,
    gamma: 0,
    minChildWeight: 1,
    baseScore: 0.5,
    sums: "exact",
    records: 64_000,
    ...more,
  });
}

function blockOf(rows: Rows, columns: number): ColumnBlock {
  return {
    rows: rows.length,
    columns: Array.from({ length: columns }, (_, j) => Float64Array.from(rows, (row) => row[j]!)),
    labels: Uint16Array.from(rows, (row) => row[columns]!),
  };
}

const kernels = plainKernels();
const random: RandomSource = {
  bytes: () => {
    throw new Error("nothing is drawn");
  },
};

function boosted(rows: Rows, sites: readonly Rows[], more: Partial<SecondOrderSettings> = {}) {
  const study = studyOf(rows);
  const columns = rows[0]!.length - 1;
  return simulateSecondOrder({
    study,
    settings: settingsOf(study, more),
    tables: sites.map((site) => [blockOf(site, columns)]),
    kernels,
    random,
    run: secondOrderConversation,
  });
}

/** [feature, threshold, gain, cover, left, right] or [leaf, cover], as XGBoost 1.7.4 prints a tree. */
type Printed = readonly [number, number] | readonly [string, number, number, number, Printed, Printed];

/** XGBoost's threshold lies halfway between the node's own values on either side, where ours is one of the edges there. */
function printed(tree: Tree, all: Rows, rows = all, at = 0): Printed {
  const node = tree.nodes[at]!;
  if (node.kind === "leaf") return [node.values[0]!, node.cover];
  const value = (row: readonly number[]) => row[node.feature]!;
  const edge = edgesOf(all.map(value))[node.cut]!;
  const [low, high] = [rows.filter((row) => value(row) < edge), rows.filter((row) => value(row) >= edge)];
  const threshold = (Math.max(...low.map(value)) + Math.min(...high.map(value))) / 2;
  const [left, right] = [printed(tree, all, low, node.left), printed(tree, all, high, node.right)];
  return [`f${node.feature}`, threshold, node.gain, node.cover, left, right];
}

function expectPrinted(actual: Printed, expected: Printed): void {
  expect(actual.length).toBe(expected.length);
  if (actual.length === 2 || expected.length === 2) {
    for (const [i, value] of actual.entries()) expect(value).toBeCloseTo(expected[i] as number, 6);
    return;
  }
  expect(actual[0]).toBe(expected[0]);
  expect(actual[1]).toBeCloseTo(expected[1], 6);
  expect(actual[2] / expected[2]).toBeCloseTo(1, 5);
  expect(actual[3] / expected[3]).toBeCloseTo(1, 6);
  expectPrinted(actual[4], expected[4]);
  expectPrinted(actual[5], expected[5]);
}

/** Trees as XGBoost 1.7.4 grew them, `binary:logistic`, `tree_method: exact`, eta 0.3, base_score 0.5. */
const xgboost: readonly {
  readonly name: string;
  readonly rows: Rows;
  readonly more: Partial<SecondOrderSettings>;
  readonly trees: readonly Printed[];
}[] = [
  {
    name: "eight rows, one split",
    rows: toy8,
    more: { trees: 1, depth: 1 },
    trees: [["f0", 4.5, 1, 2, [-0.150000006, 1], [0.150000006, 1]]],
  },
  {
    name: "eight rows, λ = ½, γ = 0.2, a root gain that two cuts have",
    rows: toy8,
    more: { lambda: 0.5, gamma: 0.2, minChildWeight: 0 },
    trees: [
      [
        "f0",
        5.5,
        3.08571434,
        2,
        ["f1", 1.5, 1.71428573, 1.25, [0.200000018, 0.25], [-0.400000036, 1]],
        [0.360000014, 0.75],
      ],
      [
        "f0",
        3.5,
        2.14332438,
        1.93477499,
        [-0.29586041, 0.72078228],
        ["f0", 5.5, 0.283508599, 1.21399271, [0.0148374448, 0.487777323], [0.301630229, 0.726215363]],
      ],
      [
        "f0",
        3.5,
        1.53238797,
        1.82771111,
        [-0.256810844, 0.666062951],
        ["f0", 5.5, 0.210546851, 1.16164815, [0.0126346508, 0.488089979], [0.261031926, 0.673558116]],
      ],
    ],
  },
  {
    name: "ten rows, five trees of depth 3",
    rows: toy10,
    more: { trees: 5, depth: 3, minChildWeight: 0 },
    trees: [
      [
        "f0",
        5.5,
        2,
        2.5,
        ["f1", 6, 1.20000005, 1.25, [-0.300000012, 1], [0.120000005, 0.25]],
        ["f2", 0.449999988, 1.20000005, 1.25, [-0.120000005, 0.25], [0.300000012, 1]],
      ],
      [
        "f1",
        5.5,
        1.4638052,
        2.45387077,
        ["f0", 6, 0.877126575, 1.22229159, [-0.258196205, 0.977833271], [0.102588616, 0.244458318]],
        [
          "f2",
          0.449999988,
          0.209923744,
          1.2315793,
          ["f0", 5.5, 0.353748202, 0.498204321, [0.112889722, 0.24910216], [-0.112889722, 0.24910216]],
          [0.220957235, 0.733374953],
        ],
      ],
      [
        "f1",
        5.5,
        1.08225441,
        2.36072612,
        ["f0", 6, 0.715958655, 1.16611552, [-0.22677204, 0.925977826], [0.0969305038, 0.240137637]],
        [
          "f2",
          0.449999988,
          0.165098488,
          1.1946106,
          ["f0", 5.5, 0.313480437, 0.493281126, [0.106375314, 0.246640548], [-0.106375322, 0.246640563]],
          [0.197119713, 0.70132947],
        ],
      ],
      [
        "f1",
        5.5,
        0.812535405,
        2.24247193,
        ["f0", 6, 0.593695402, 1.09552932, [-0.202042744, 0.860497952], [0.0917354077, 0.235031366]],
        [
          "f2",
          0.449999988,
          0.131774545,
          1.14694262,
          ["f0", 5.5, 0.27844587, 0.485883981, [0.100404054, 0.24294199], [-0.100404054, 0.24294199]],
          [0.177618623, 0.661058605],
        ],
      ],
      [
        "f1",
        5.5,
        0.618460715,
        2.11473346,
        ["f0", 6, 0.498259217, 1.02052009, [-0.181895599, 0.791156232], [0.0869588926, 0.229363829]],
        [
          "f2",
          0.449999988,
          0.106438279,
          1.09421325,
          ["f0", 5.5, 0.247957915, 0.47659409, [0.094925493, 0.238297045], [-0.0949254856, 0.23829703]],
          [0.161312565, 0.617619216],
        ],
      ],
    ],
  },
];

describe("second-order boosting on exact sums", () => {
  it.each(xgboost)("grows XGBoost's own trees: $name", async ({ rows, more, trees }) => {
    const ensemble = await boosted(rows, [rows.slice(0, 3), rows.slice(3), []], more);
    expect(ensemble.trees.length).toBe(trees.length);
    for (const [t, tree] of ensemble.trees.entries()) expectPrinted(printed(tree, rows), trees[t]!);
  });
});
