import { goesLeft, type Split, type TreeEnsemble } from "@consilium/core/learning/trees/tree";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  boosted,
  expectPrinted,
  featuresOf,
  halfway,
  type Printed,
  printed,
  type Rows,
  settingsOf,
  studyOf,
} from "../../testing/trees/secondOrder.js";
import type { SecondOrderSettings } from "./secondOrder.js";
import { secondOrderConversation, splitImportances } from "./secondOrderConversation.js";
import { exactChoice } from "./secondOrderSplits.js";

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
    const study = studyOf(featuresOf(rows));
    const sites = [rows.slice(0, 3), rows.slice(3), []];
    const ensemble = await boosted({ study, settings: settingsOf(study, more), sites });
    expect(ensemble.trees.length).toBe(trees.length);
    for (const [t, tree] of ensemble.trees.entries()) expectPrinted(printed(tree, rows, halfway), trees[t]!);
  });

  it("gains what the closed form says", () => {
    const study = studyOf(
      featuresOf([
        [1, 0],
        [2, 1],
      ]),
    );
    const settings = settingsOf(study);
    const { total, best } = exactChoice(settings, [Float64Array.of(-1, 1, 2, 1.5)]);
    expect(total).toEqual({ g: 1, h: 2.5 });
    expect(best!.gain / 2).toBeCloseTo(0.907143, 6);
    expect([best!.left, best!.right]).toEqual([
      { g: -1, h: 1 },
      { g: 2, h: 1.5 },
    ]);
    // Neither side may weigh less than it must.
    expect(
      exactChoice({ ...settings, minChildWeight: 1.1 }, [Float64Array.of(-1, 1, 2, 1.5)]).best,
    ).toBeNull();
  });

  it("is the best that the rows allow, however they lie over sites", async () => {
    await fc.assert(
      fc.asyncProperty(
        tables,
        options,
        fc.array(fc.nat(19), { minLength: 60, maxLength: 60 }),
        async (rows, more, homes) => {
          const study = studyOf(mixedFeatures);
          const settings = settingsOf(study, { trees: 2, ...more });
          const pooled = await boosted({ study, settings, sites: [rows] });
          checkOptimal(pooled, settings, rows);
          // Twenty sites, of which some have no rows and some one class alone.
          const sites = Array.from({ length: 20 }, (_, s) => rows.filter((_, r) => homes[r] === s));
          expect(await boosted({ study, settings, sites })).toEqual(pooled);
          expect(await boosted({ study, settings, sites: sites.reverse() })).toEqual(pooled);
        },
      ),
      { numRuns: 40 },
    );
  });

  it("adds exactly, however many rows one histogram takes", async () => {
    const study = studyOf(featuresOf(toy10), {
      participation: { sites: ["a", "b", "c"], maxRowsPerSite: 10 },
    });
    // 2^(52-k) rows: one, four, all. The first tree's sums are exact on each of these grids.
    const [one, four, all] = await Promise.all(
      [52, 50, 40].map((gridExponent) =>
        boosted({ study, settings: settingsOf(study, { trees: 1, gridExponent }), sites: [toy10] }),
      ),
    );
    expect(one).toEqual(all);
    expect(four).toEqual(all);
  });

  it("is valid where the rows tell nothing: none, one class, one value", async () => {
    const study = studyOf(mixedFeatures);
    const settings = settingsOf(study);
    for (const rows of [
      [],
      [[1, 0, 1]],
      toy8.map(() => [2, 1, 0]),
      toy8.map(([x]) => [x! % 5, 1, 1]),
    ] as Rows[]) {
      const ensemble = await boosted({ study, settings, sites: [rows, [], []] });
      expect(ensemble.trees.length).toBe(3);
      for (const { nodes } of ensemble.trees) expect(nodes).toMatchObject([{ kind: "leaf" }]);
    }
  });
});

describe("importances of splits", () => {
  it("are what XGBoost calls gain, the total, and the mean per tree", async () => {
    const study = studyOf(featuresOf(toy10));
    const settings = settingsOf(study, { trees: 5, depth: 3, minChildWeight: 0 });
    const { trees } = await boosted({ study, settings, sites: [toy10], run: secondOrderConversation });
    const found = splitImportances(trees, 3);
    const expected = [
      { splits: 9, averageGain: 0.6531857252120972, totalGain: 5.878671646118164 },
      { splits: 5, averageGain: 1.0354111194610596, totalGain: 5.177055835723877 },
      { splits: 5, averageGain: 0.36264699697494507, totalGain: 1.8132350444793701 },
    ];
    for (const [f, { splits, averageGain, totalGain }] of expected.entries()) {
      expect(found[f]!.splits).toBe(splits);
      expect(found[f]!.averageGain).toBeCloseTo(averageGain, 5);
      expect(found[f]!.totalGain).toBeCloseTo(totalGain, 5);
      expect(found[f]!.gainPerTree).toBeCloseTo(totalGain / 5, 5);
    }
    expect(splitImportances([], 1)).toEqual([{ splits: 0, totalGain: 0, averageGain: 0, gainPerTree: 0 }]);
  });
});

/** A number from 0 to 4 and a category of three levels. */
const mixedFeatures = [
  { name: "x", type: "numeric", min: 0, max: 4, edges: [0.5, 1.5, 2.5, 3.5] },
  { name: "c", type: "categorical", levels: ["a", "b", "c"] },
];
const tables: fc.Arbitrary<Rows> = fc.array(fc.tuple(fc.nat(4), fc.nat(2), fc.nat(1)), {
  minLength: 1,
  maxLength: 60,
});
const options: fc.Arbitrary<Partial<SecondOrderSettings>> = fc.record({
  lambda: fc.constantFrom(0.5, 1, 3),
  minChildWeight: fc.constantFrom(0, 1),
  depth: fc.constantFrom(1, 2, 3),
});

/**
 * Every node of every tree by the definition, from the rows themselves and in doubles: gains, covers and leaves are what
 * the formulas give, and no question that could be asked gains more.
 */
function checkOptimal(ensemble: TreeEnsemble, settings: SecondOrderSettings, rows: Rows): void {
  const { eta, lambda, minChildWeight, features, depth } = settings;
  const margins = rows.map(() => 0);
  for (const tree of ensemble.trees) {
    const probabilities = margins.map((margin) => 1 / (1 + Math.exp(-margin)));
    const sum = (members: readonly number[]) => ({
      g: members.reduce((total, r) => total + probabilities[r]! - rows[r]![2]!, 0),
      h: members.reduce((total, r) => total + probabilities[r]! * (1 - probabilities[r]!), 0),
    });
    const score = (members: readonly number[]) => {
      const { g, h } = sum(members);
      return members.length === 0 ? 0 : g ** 2 / (h + lambda);
    };
    const candidates = features.flatMap((feature, f) =>
      Array.from({ length: feature.kind === "ordered" ? feature.bins - 1 : feature.bins }, (_, cut) => ({
        feature: f,
        cut,
      })),
    );
    const sides = (split: Split, members: readonly number[]) => {
      const left = (r: number) => goesLeft(split, features[split.feature]!.kind, rows[r]![split.feature]!);
      return [members.filter(left), members.filter((r) => !left(r))] as const;
    };
    const visit = (at: number, level: number, members: readonly number[]) => {
      const node = tree.nodes[at]!;
      const gains = candidates.map((split) => {
        const [left, right] = sides(split, members);
        if (left.length === 0 || right.length === 0) return 0;
        // A side just at the least weight may be on either side of it by rounding.
        if (Math.min(sum(left).h, sum(right).h) < minChildWeight + 1e-6) return 0;
        return score(left) + score(right) - score(members);
      });
      const most = Math.max(...gains);
      const { g, h } = sum(members);
      expect(Math.abs(node.cover - h)).toBeLessThan(1e-5);
      if (node.kind === "leaf") {
        if (level < depth) expect(most).toBeLessThan(1e-5);
        if (h > minChildWeight + 1e-6) expect(node.values[0]!).toBeCloseTo((-eta * g) / (h + lambda), 5);
        for (const r of members) margins[r]! += node.values[0]!;
        return;
      }
      const [left, right] = sides(node, members);
      expect(Math.abs(node.gain - (score(left) + score(right) - score(members)))).toBeLessThan(1e-5);
      expect(node.gain).toBeGreaterThan(most - 1e-5);
      visit(node.left, level + 1, left);
      visit(node.right, level + 1, right);
    };
    visit(
      0,
      0,
      rows.map((_, r) => r),
    );
  }
}
