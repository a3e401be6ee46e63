import type { StageId } from "@consilium/core/ids";
import { simulatedSite } from "@consilium/core/learning/sums";
import { outputsOf, type TreeEnsemble } from "@consilium/core/learning/trees/tree";
import type { Broadcast } from "@consilium/core/study/broadcast";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  boosted,
  expectPrinted,
  featuresOf,
  halfway,
  kernels,
  nextValue,
  type Printed,
  printed,
  type Rows,
  settingsOf,
  studyOf,
} from "../../testing/trees/secondOrder.js";
import vectors from "../../testing/trees/testVectors/v1/xgboostTreeMethods.json" with { type: "json" };
import { rowDraws } from "./rowDraws.js";
import {
  boostingStages,
  type SecondOrderSettings,
  secondOrderIssues,
  secondOrderSettings,
} from "./secondOrder.js";
import { splitImportances } from "./secondOrderConversation.js";
import { secondOrderVector } from "./secondOrderVector.js";
import { treeFeatures } from "./treeMethod.js";

/** The tables that the vectors' "rows" describes. */
function rowsOf({ rows, moduli }: { rows: number; moduli: readonly number[] }, classes: number): Rows {
  const [m0, m1, m2] = moduli as [number, number, number];
  const all = Array.from({ length: rows }, (_, r) => {
    const values = [(r * r * 7 + 3 * r) % m0, (r * 37 + 11) % m1, (r * r + r * 5) % m2] as const;
    const [a, b, c] = values;
    return { values, score: a / m0 + (2 * b) / m1 - c / m2 + ((r * r * r) % 17) / 20 };
  });
  const sorted = all.map(({ score }) => score).sort((a, b) => a - b);
  const part = (n: number, of: number) => sorted[Math.floor((n * rows) / of)]!;
  const label = (score: number) =>
    classes === 2 ? Number(score > part(1, 2)) : Number(score >= part(1, 3)) + Number(score >= part(2, 3));
  return all.map(({ values, score }) => [...values, label(score)]);
}

const study = (rows: Rows, classes: number) =>
  studyOf(featuresOf(rows), {
    label: { name: "y", levels: ["no", "yes", "perhaps"].slice(0, classes) },
    participation: { maxRowsPerSite: 3000 },
  });

type Case = (typeof vectors.cases)[number];

function caseOf(one: Case) {
  const rows = rowsOf(vectors.tables[one.table as keyof typeof vectors.tables], one.classes);
  const outputs = one.classes === 2 ? 1 : one.classes;
  const table = study(rows, one.classes);
  const settings = settingsOf(table, {
    trees: one.rounds * outputs,
    depth: one.depth,
    outputs,
    gamma: one.gamma,
    minChildWeight: one.minChildWeight,
    treeMethod: one.treeMethod as SecondOrderSettings["treeMethod"],
    maxBin: one.maxBin,
  });
  return { rows, outputs, table, settings };
}

describe("tree methods and several classes", () => {
  it.each(
    vectors.cases.map((one) => ({
      one,
      name: `${one.treeMethod}, ${one.maxBin} bins, depth ${one.depth}, γ ${one.gamma}, ${one.classes} classes, ${one.table}`,
    })),
  )("grow XGBoost's own trees: $name", async ({ one }) => {
    const { rows, outputs, table, settings } = caseOf(one);
    const sites = [rows.slice(0, 50), rows.slice(50), []];
    const ensemble = await boosted({ study: table, settings, sites });
    expect(ensemble.trees.length).toBe(one.trees.length);
    ensemble.trees.forEach((tree, t) => {
      const threshold = one.treeMethod === "exact" ? halfway : nextValue;
      expectPrinted(printed(tree, rows, threshold, t % outputs), one.trees[t] as unknown as Printed);
    });
    const kinds = settings.features.map(({ kind }) => kind);
    one.margins.forEach((margins, r) => {
      const binAt = (f: number) => settings.features[f]!.edges.filter((edge) => edge <= rows[r]![f]!).length;
      const found = outputsOf(ensemble, kinds, binAt);
      margins.forEach((margin, c) => {
        expect(found[c]).toBeCloseTo(margin, 5);
      });
    });
    splitImportances(ensemble.trees, 3, outputs).forEach(({ averageGain, totalGain, gainPerTree }, f) => {
      expect(averageGain / (one.averageGain[f]! || 1)).toBeCloseTo(one.averageGain[f] === 0 ? 0 : 1, 4);
      expect(totalGain / (one.totalGain[f]! || 1)).toBeCloseTo(one.totalGain[f] === 0 ? 0 : 1, 4);
      // Over the rounds: of several classes the trees of all of them count.
      expect(gainPerTree).toBeCloseTo(totalGain / one.rounds, 9);
    });
  });
});

const small = rowsOf(vectors.tables.small, 2);
const three = rowsOf(vectors.tables.small, 3);
const twoClasses = study(small, 2);
/** A study is planned once: each settings' boosting has one of its own. */
const boostedOf = (settings: SecondOrderSettings, sites: readonly Rows[]) =>
  boosted({ study: study(small, 2), settings, sites });
const bySites = (rows: Rows, sites: number) =>
  Array.from({ length: sites }, (_, s) => rows.filter((_, r) => r % sites === s));

describe("trees of quantiles", () => {
  it("are the same however the rows lie over sites", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom("hist", "approx"),
        fc.integer({ min: 2, max: 12 }),
        fc.integer({ min: 2, max: 20 }),
        fc.boolean(),
        async (treeMethod, maxBin, sites, isTwo) => {
          const rows = isTwo ? small : three;
          const classes = isTwo ? 2 : 3;
          const table = study(rows, classes);
          const more = { treeMethod, maxBin, trees: classes, outputs: isTwo ? 1 : 3 } as const;
          const settings = settingsOf(table, more);
          const pooled = await boosted({ study: table, settings, sites: [rows] });
          expect(await boosted({ study: table, settings, sites: bySites(rows, sites) })).toEqual(pooled);
        },
      ),
      { numRuns: 12 },
    );
  });

  it("are valid where the rows tell nothing, and where no feature is a number", async () => {
    const category = [{ name: "c", type: "categorical", levels: ["a", "b", "c"] }];
    const rows: Rows = Array.from({ length: 30 }, (_, r) => [r % 3, r % 3 === 1 ? 1 : 0]);
    for (const treeMethod of ["hist", "approx"] as const) {
      const settings = settingsOf(twoClasses, { treeMethod });
      const none = await boostedOf(settings, [[], [], []]);
      for (const { nodes } of none.trees) expect(nodes).toMatchObject([{ kind: "leaf" }]);
      const table = studyOf(category);
      const own = settingsOf(table, { treeMethod, trees: 1 });
      expect(boostingStages(own).map(({ id }) => id)).toEqual(["tree-1-level-1", "tree-1-level-2"]);
      const found = await boosted({ study: table, settings: own, sites: [rows] });
      expect(found.trees[0]!.nodes[0]).toMatchObject({ kind: "split", cut: 1 });
    }
  });

  it("take a stage for the cuts before the first tree, or before each", () => {
    const stages = (treeMethod: "hist" | "approx") =>
      boostingStages(settingsOf(twoClasses, { treeMethod, maxBin: 8, trees: 2, depth: 2 })).map(
        ({ id, length, broadcasts }) => [id, length, broadcasts.map(({ name }) => name).join()],
      );
    const fine = settingsOf(twoClasses).features.reduce((sum, { bins }) => sum + bins, 0);
    const rest = [
      ["tree-1-level-1", 48, "treeCuts"],
      ["tree-1-level-2", 96, "splits"],
    ];
    expect(stages("hist")).toEqual([
      ["cuts", fine, ""],
      ...rest,
      ["tree-2-level-1", 48, "splits,leaves"],
      ["tree-2-level-2", 96, "splits"],
    ]);
    expect(stages("approx")).toEqual([
      ["tree-1-cuts", 2 * fine, ""],
      ...rest,
      ["tree-2-cuts", 2 * fine, "splits,leaves"],
      ["tree-2-level-1", 48, "treeCuts"],
      ["tree-2-level-2", 96, "splits"],
    ]);
  });

  it("are refused where their cuts do not ascend, before a row is read", async () => {
    const settings = settingsOf(twoClasses, { treeMethod: "hist", maxBin: 3, trees: 1, depth: 1 });
    const stage = boostingStages(settings)[1]!;
    const answer = (treeCuts: readonly number[]) =>
      secondOrderVector({
        study: twoClasses,
        settings,
        stage,
        kernels,
        site: simulatedSite(0),
        broadcasts: new Map<StageId, Broadcast>([[stage.id, { treeCuts: Float64Array.from(treeCuts) }]]),
        blocks: {
          [Symbol.asyncIterator]: () => {
            throw new Error("a row was read");
          },
        },
      });
    for (const honest of [
      [3, 40, 10, -1, -1, -1],
      [-1, -1, -1, -1, 0, 1],
    ])
      await expect(answer(honest)).rejects.toThrow("a row was read");
    for (const wrong of [
      [40, 3, 10, -1, -1, -1],
      [3, 3, 10, -1, -1, -1],
      [-1, 3, 10, -1, -1, -1],
      [3, 1000, 10, -1, -1, -1],
      [3, 7.5, 10, -1, -1, -1],
      [Number.NaN, 7, 10, -1, -1, -1],
    ])
      await expect(answer(wrong)).rejects.toMatchObject({ code: "BROADCAST_INVALID" });
    await expect(answer([3, 40])).rejects.toMatchObject({ code: "BROADCAST_INVALID" });
  });

  it("are not made of noisy sums", () => {
    const { features } = settingsOf(twoClasses);
    const given = { features, positive: 1, trees: 1, depth: 1, eta: 0.3, lambda: 1, gamma: 0 };
    const noisy = { ...given, minChildWeight: 1, baseScore: 0.5, sums: "noisy", records: 100 } as const;
    expect(secondOrderSettings(noisy).treeMethod).toBe("exact");
    for (const other of [
      { treeMethod: "hist" },
      { subsample: 0.5 },
      { columnSample: 0.5 },
      { outputs: 3 },
    ] as const)
      expect(() => secondOrderSettings({ ...noisy, ...other })).toThrow(RangeError);
  });

  it("need no more numbers than a sum can have", () => {
    const { features } = settingsOf(twoClasses);
    const many = Array.from({ length: 3000 }, () => ({ ...features[0]!, bins: 60_000 }));
    const settings = settingsOf(twoClasses, { treeMethod: "hist", maxBin: 8, features: many });
    expect(secondOrderIssues(settings)).toMatchObject([[["parameters", "treeMethod"], /numbers, over/]]);
    expect(secondOrderIssues({ ...settings, features: many.slice(0, 10) })).toEqual([]);
  });
});

/** The features that a tree's splits are on. */
const splitOn = ({ trees }: TreeEnsemble, tree: number) =>
  new Set(trees[tree]!.nodes.flatMap((node) => (node.kind === "split" ? [node.feature] : [])));

describe("trees of some rows and columns", () => {
  it("split on the columns that everybody draws from the seed, as many as XGBoost takes", async () => {
    for (const treeMethod of ["exact", "hist", "approx"] as const) {
      const settings = settingsOf(twoClasses, {
        treeMethod,
        columnSample: 0.67,
        seed: "s",
        trees: 12,
        maxBin: 16,
      });
      const ensemble = await boostedOf(settings, bySites(small, 3));
      const drawn = ensemble.trees.map((_, t) => treeFeatures(settings, t));
      expect(new Set(drawn.map((features) => features.join())).size).toBe(3);
      drawn.forEach((features, t) => {
        expect(features.length).toBe(2);
        for (const feature of splitOn(ensemble, t)) expect(features).toContain(feature);
      });
      expect(treeFeatures({ ...settings, seed: "other" }, 0).length).toBe(2);
    }
    // At least one.
    expect(treeFeatures(settingsOf(twoClasses, { columnSample: 0.01 }), 0).length).toBe(1);
  });

  it("are grown of each site's own rows, the same at every level, other ones for the next tree", async () => {
    const sites = bySites(small, 3);
    const more = { subsample: 0.5, seed: "rows", depth: 3, minChildWeight: 0 };
    for (const treeMethod of ["exact", "hist", "approx"] as const) {
      const settings = settingsOf(twoClasses, { ...more, treeMethod, trees: 4 });
      const ensemble = await boostedOf(settings, sites);
      expect(await boostedOf(settings, sites)).toEqual(ensemble);
      const drawn = sites.map((rows, s) => {
        const isDrawn = rowDraws(settings, 0, simulatedSite(s))!;
        return rows.filter(() => isDrawn());
      });
      const count = drawn.reduce((sum, rows) => sum + rows.length, 0);
      expect(count).toBeGreaterThan(70);
      expect(count).toBeLessThan(130);
      const [first] = ensemble.trees;
      expect(first!.nodes[0]!.cover).toBe(count / 4);
      for (const node of first!.nodes)
        if (node.kind === "split")
          expect(first!.nodes[node.left]!.cover + first!.nodes[node.right]!.cover).toBeCloseTo(node.cover, 9);
      if (treeMethod === "exact") {
        const whole = await boostedOf({ ...settings, subsample: 1, trees: 1 }, drawn);
        expect(whole.trees[0]).toEqual(first);
      }
      const other = rowDraws(settings, 1, simulatedSite(0))!;
      const own = rowDraws(settings, 0, simulatedSite(0))!;
      expect(sites[0]!.map(() => own())).not.toEqual(sites[0]!.map(() => other()));
    }
  });
});
