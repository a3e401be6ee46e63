import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { SiteId } from "../../ids.js";
import { plainKernels } from "../../linalg/plain.js";
import { seededRandom } from "../../privacy/testRandom.js";
import { unwrap } from "../../result.js";
import { type CartAdaboostStudy, cartAdaboostLayout } from "../../study/cartAdaboost.js";
import type { ColumnBlock } from "../../study/design.js";
import { planStudy } from "../../study/plan.js";
import { parseStudy } from "../../study/study.js";
import { heldOutRows } from "../heldOut.js";
import { simulatedSite, simulateSums } from "../sums.js";
import { classOf, outputsOf } from "../trees/tree.js";
import { grownBefore } from "./broadcastTrees.js";
import { candidatesOf, exponentialCut, giniAfter, intervalWidths, leastGini } from "./choices.js";
import { alphaLeast, alphaOf, type CartAdaboostResult, cartAdaboostConversation } from "./conversation.js";
import { holdOutDraws, resampleDraws } from "./siteDraws.js";
import { cartAdaboostVector } from "./siteVector.js";

const kernels = plainKernels();
const random = seededRandom("cart-dps-adaboost");

interface Row {
  readonly x: number;
  readonly z: number;
  readonly c: number;
  readonly y: number;
}

function studyOf(parameters: object = {}, privacy: unknown = "none"): CartAdaboostStudy {
  return unwrap(
    parseStudy({
      name: "boost",
      table: "t",
      analysis: "boosted-trees",
      variant: "paper",
      features: [
        { name: "x", type: "numeric", min: 0, max: 8 },
        { name: "z", type: "numeric", min: 0, max: 1, edges: [0.3, 0.5] },
        { name: "c", type: "categorical", levels: ["a", "b", "c"] },
      ],
      label: { name: "y", levels: ["no", "yes"] },
      privacy,
      participation: { maxRowsPerSite: 1000 },
      parameters: { trees: 3, depth: 2, featuresPerNode: 2, bins: 4, evaluation: "none", ...parameters },
    }),
  ) as CartAdaboostStudy;
}

function blocksOf(rows: readonly Row[], at = rows.length): ColumnBlock[] {
  return [rows.slice(0, at), rows.slice(at)].map((part) => ({
    rows: part.length,
    columns: [
      Float64Array.from(part, ({ x }) => x),
      Float64Array.from(part, ({ z }) => z),
      Float64Array.from(part, ({ c }) => c),
    ],
    labels: Uint16Array.from(part, ({ y }) => y),
  }));
}

function federated(
  study: CartAdaboostStudy,
  tables: readonly (readonly ColumnBlock[])[],
): Promise<CartAdaboostResult> {
  return simulateSums({
    plan: planStudy(study),
    tables,
    kernels,
    random,
    vector: (id, input) => cartAdaboostVector(study, id, input),
    run: (conversation) => cartAdaboostConversation(study, conversation, random),
  });
}

// ---- the same in one place, row by row ----------------------------------------------------------------------------

interface Known extends Row {
  readonly bins: readonly number[];
  readonly isHeldOut: boolean;
  times: number;
  weight: number;
}
type Naive = { label: 1 | -1 } | { feature: number; cut: number; left: Naive; right: Naive };

const sign = (row: Row) => (row.y === 1 ? 1 : -1);
const isLeft = (row: Known, { feature, cut }: { feature: number; cut: number }) =>
  feature === 2 ? row.bins[2] === cut : row.bins[feature]! <= cut;

function predicted(tree: Naive, row: Known): number {
  if ("label" in tree) return tree.label;
  return predicted(isLeft(row, tree) ? tree.left : tree.right, row);
}

function impurity(rows: readonly Known[]): number {
  const n = rows.reduce((sum, { times }) => sum + times, 0);
  const p = rows.filter(({ y }) => y === 1).reduce((sum, { times }) => sum + times, 0) / n;
  return 1 - p * p - (1 - p) * (1 - p);
}
const size = (rows: readonly Known[]) => rows.reduce((sum, { times }) => sum + times, 0);

const binsOf = ({ x, z, c }: Row) => [Math.min(3, Math.floor(x / 2)), z < 0.3 ? 0 : z < 0.5 ? 1 : 2, c];

function grownAndPruned(
  study: CartAdaboostStudy,
  tree: number,
  place: { level: number; node: number },
  rows: readonly Known[],
): Naive {
  const training = rows.filter(({ isHeldOut, times }) => !isHeldOut && times > 0);
  const votes = size(training.filter(({ y }) => y === 1));
  const leaf: Naive = { label: votes > size(training) - votes ? 1 : -1 };
  const stage = cartAdaboostLayout(study).stages.find(
    (one) => one.tree === tree && one.level === place.level,
  )!;
  if (stage.histogram === null || votes === 0 || votes === size(training)) return leaf;
  let best: { gini: number; feature: number; cut: number } | null = null;
  for (const feature of stage.histogram.nodeFeatures[place.node]!) {
    for (let cut = 0; cut < [3, 2, 3][feature]!; cut++) {
      const [l, r] = [true, false].map((side) =>
        training.filter((row) => isLeft(row, { feature, cut }) === side),
      );
      if (l!.length === 0 || r!.length === 0) continue;
      const gini = (size(l!) * impurity(l!) + size(r!) * impurity(r!)) / size(training);
      if (best === null || gini < best.gini - 1e-12) best = { gini, feature, cut };
    }
  }
  if (best === null) return leaf;
  const chosen = best;
  const child = (side: boolean) =>
    grownAndPruned(
      study,
      tree,
      { level: place.level + 1, node: 2 * place.node + (side ? 0 : 1) },
      rows.filter((row) => isLeft(row, chosen) === side),
    );
  const split: Naive = { feature: chosen.feature, cut: chosen.cut, left: child(true), right: child(false) };
  if (study.parameters.holdOut === 0) return split;
  const wrong = (by: Naive) => rows.filter((row) => row.isHeldOut && predicted(by, row) !== sign(row)).length;
  return wrong(leaf) <= wrong(split) ? leaf : split;
}

function centralised(study: CartAdaboostStudy, tables: readonly (readonly Row[])[]) {
  const { seed, holdOut, trees } = study.parameters;
  const known = tables.map((rows, index) => {
    const isNext = holdOutDraws(seed, simulatedSite(index), holdOut);
    return rows.map((row): Known => {
      return { ...row, bins: binsOf(row), isHeldOut: isNext(), times: 0, weight: 0 };
    });
  });
  const all = known.flat();
  const training = all.filter(({ isHeldOut }) => !isHeldOut);
  for (const row of all) row.weight = 1 / training.length;
  const kept: { tree: Naive; alpha: number; error: number }[] = [];
  for (let number = 1; number <= trees && training.length > 0; number++) {
    known.forEach((rows, index) => {
      const times = resampleDraws(seed, simulatedSite(index), number);
      for (const row of rows) row.times = times(row.weight * training.length);
    });
    const tree = grownAndPruned(study, number, { level: 0, node: 0 }, all);
    const wrong = training.filter((row) => predicted(tree, row) !== sign(row));
    const error = wrong.reduce((sum, { weight }) => sum + weight, 0);
    const alpha = alphaOf(error, training.length);
    if (alpha <= alphaLeast) break;
    for (const row of all) row.weight *= Math.exp(-alpha * sign(row) * predicted(tree, row));
    const z = training.reduce((sum, { weight }) => sum + weight, 0);
    for (const row of all) row.weight /= z;
    kept.push({ tree, alpha, error });
  }
  return {
    kept,
    score: (row: Known) => kept.reduce((sum, { tree, alpha }) => sum + alpha * predicted(tree, row), 0),
    all,
  };
}

const kinds = ["ordered", "ordered", "nominal"] as const;
const row: fc.Arbitrary<Row> = fc
  .record({
    x: fc.double({ min: 0, max: 8, noNaN: true }),
    z: fc.double({ min: 0, max: 1, noNaN: true }),
    c: fc.nat(2),
    coin: fc.nat(9),
  })
  // Mostly x decides, sometimes a coin.
  .map(({ coin, ...rest }) => ({ ...rest, y: coin < 3 ? coin % 2 : rest.x + 4 * rest.z > 6 ? 1 : 0 }));

describe("CART-DPsAdaBoost without noise", () => {
  it("equals the same computed in one place from the rows, for any sites", async () => {
    const tables = fc.array(fc.array(row, { maxLength: 25 }), { minLength: 3, maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(tables, fc.constantFrom(0, 0.3), fc.nat(20), async (sites, holdOut, at) => {
        const study = studyOf({ holdOut });
        const result = await federated(
          study,
          sites.map((rows) => blocksOf(rows, at)),
        );
        const expected = centralised(study, sites);
        expect(result.trees.map(({ error }) => error)).toHaveLength(expected.kept.length);
        result.trees.forEach(({ alpha, error }, t) => {
          expect(error).toBeCloseTo(expected.kept[t]!.error, 8);
          expect(alpha).toBeCloseTo(expected.kept[t]!.alpha, 6);
        });
        for (const one of expected.all) {
          const outputs = outputsOf(result.ensemble, kinds, (f) => one.bins[f]!);
          expect(outputs[0]).toBeCloseTo(expected.score(one), 6);
        }
      }),
      { numRuns: 50 },
    );
  });

  it("ends in a model whatever the tables hold: no rows, one class, a single row", async () => {
    const some: Row = { x: 1, z: 0.2, c: 0, y: 1 };
    const empty = await federated(studyOf(), [[], [], []]);
    expect(empty).toMatchObject({ ended: "there are no rows", rows: 0, trees: [] });
    const oneClass = await federated(studyOf({ holdOut: 0 }), [blocksOf([some, some]), [], blocksOf([some])]);
    expect(oneClass.rows).toBe(3);
    expect(
      classOf(
        outputsOf(oneClass.ensemble, kinds, () => 0),
        "margin",
      ),
    ).toBe(1);
  });
});

describe("its evaluation", () => {
  it("counts what the model says of the rows that no tree saw", async () => {
    const rows = fc.sample(row, { numRuns: 400, seed: 7 });
    const study = studyOf({ evaluation: { heldOut: 0.3 } });
    const tables = [rows.slice(0, 100), rows.slice(100, 250), rows.slice(250)];
    const result = await federated(
      study,
      tables.map((part) => blocksOf(part)),
    );
    const [held] = partsOf(rows, study);
    const right = held!.filter((one) => {
      const outputs = outputsOf(result.ensemble, kinds, (f) => binsOf(one)[f]!);
      return classOf(outputs, "margin") === one.y;
    });
    expect(result.evaluation!.rows).toBe(held!.length);
    expect(result.evaluation!.accuracy.value).toBeCloseTo(right.length / held!.length, 12);
    // Training with these rows taken away beforehand is the same.
    const without = await federated(
      studyOf(),
      tables.map((part) => blocksOf(partsOf(part, study)[1]!)),
    );
    expect(without.trees).toEqual(result.trees);
  });
});

/** Rows that are held out from training, and the others. */
function partsOf(rows: readonly Row[], study: CartAdaboostStudy): [Row[], Row[]] {
  const held = heldOutRows(blocksOf(rows)[0]!, 0.3, study.parameters.seed);
  return [rows.filter((_, r) => held[r] === 1), rows.filter((_, r) => held[r] === 0)];
}

describe("CART-DPsAdaBoost with the published noise", () => {
  const rows = Array.from(
    { length: 120 },
    (_, i): Row => ({ x: (i * 7) % 8, z: (i % 11) / 11, c: i % 3, y: (i * 7) % 8 > 3 ? 1 : 0 }),
  );
  const tables = [rows.slice(0, 30), rows.slice(30, 90), rows.slice(90)].map((part) => blocksOf(part));

  it("learns at a generous budget, and differs from run to run", async () => {
    const generous = await federated(studyOf({ featuresPerNode: 3 }, { epsilon: 1000, delta: 1e-5 }), tables);
    const right = rows.filter((one) => {
      const bins = [Math.floor(one.x / 2), one.z < 0.3 ? 0 : one.z < 0.5 ? 1 : 2, one.c];
      return (
        classOf(
          outputsOf(generous.ensemble, kinds, (f) => bins[f]!),
          "margin",
        ) === one.y
      );
    });
    expect(right.length).toBeGreaterThan(110);
    // The nodes' counts carry noise, so no two runs are the same.
    const again = await federated(studyOf({ featuresPerNode: 3 }, { epsilon: 1000, delta: 1e-5 }), tables);
    expect(again.trees.map(({ tree }) => tree)).not.toEqual(generous.trees.map(({ tree }) => tree));
  });

  it("takes ε/T - ln α for each next tree where the budget is weighted, and ends where that is not positive", async () => {
    const study = studyOf({ budget: "weighted", featuresPerNode: 3, trees: 10 }, { epsilon: 1, delta: 1e-5 });
    const { trees, ended } = await federated(study, tables);
    trees.slice(1).forEach(({ epsilon }, i) => {
      expect(epsilon).toBeCloseTo(0.1 - Math.log(trees[i]!.alpha), 12);
    });
    if (ended === "the budget is used up") expect(0.1 - Math.log(trees.at(-1)!.alpha)).toBeLessThanOrEqual(0);
    else expect(trees.length === 10 || ended === "a tree erred on half of the weight").toBe(true);
  });
});

describe("its parts", () => {
  it("have the published values", () => {
    // τ = .2: α = .693147. L(3,1) R(1,5): the Gini index falls from .48 to .316667.
    expect(alphaOf(0.2, 1e6)).toBeCloseTo(Math.LN2, 6);
    expect(giniAfter([1, 3], [5, 1])).toBeCloseTo(0.316667, 6);
    expect(giniAfter([6, 4], [0, 0])).toBeCloseTo(0.48, 12);
  });

  it("draw a cut in proportion to its interval where its index weighs nothing", () => {
    const binned = { name: "x", kind: "ordered" as const, bins: 3, edges: Float64Array.of(1, 4), levels: [] };
    const candidates = candidatesOf(0, binned, new Float64Array(6));
    const widths = intervalWidths(binned, 0);
    expect(widths).toEqual([1, 3]);
    const drawn = (uniform: number) =>
      exponentialCut(candidates, { widths, epsilon: 0, gini: "normalised", uniform }).cut;
    expect([0.1, 0.24, 0.26, 0.9].map(drawn)).toEqual([0, 0, 1, 1]);
    expect(leastGini(candidates)).toBeNull();
  });

  it("draw a cut in proportion to exp(ε·q/(2Δq))", () => {
    const binned = { name: "x", kind: "ordered" as const, bins: 3, edges: Float64Array.of(1, 2), levels: [] };
    // Cut 0 leaves [4,0] | [1,5], unnormalised 5/3; cut 1 leaves [4,4] | [1,1], 5.
    const candidates = candidatesOf(0, binned, Float64Array.of(4, 0, 0, 4, 1, 1));
    const weight = Math.exp((5 - 5 / 3) / 4);
    const boundary = weight / (1 + weight);
    const drawn = (uniform: number) =>
      exponentialCut(candidates, { widths: [1, 1], epsilon: 1, gini: "unnormalised", uniform }).cut;
    expect([boundary - 1e-6, boundary + 1e-6].map(drawn)).toEqual([0, 1]);
  });

  it("resample by Poisson draws of the row's weight", () => {
    const draw = resampleDraws("seed", "a" as SiteId, 1);
    for (const mean of [0.3, 4, 1200]) {
      const draws = Array.from({ length: 4000 }, () => draw(mean));
      const average = draws.reduce((sum, value) => sum + value, 0) / draws.length;
      expect(Math.abs(average - mean)).toBeLessThan(5 * Math.sqrt(mean / draws.length));
    }
    expect(draw(0)).toBe(0);
  });

  it("refuse broadcasts that no tree can be", () => {
    const study = studyOf();
    const stage = cartAdaboostLayout(study).stages.find(({ id }) => id === "tree-2-level-1")!;
    const told = (changed: Record<string, number[]>) => {
      const broadcasts = new Map<string, Record<string, Float64Array>>([
        ["tree-1-level-1", { splits: Float64Array.of(0, 1) }],
        ["tree-1-leaves", { splits: Float64Array.of(0, 0, -1, -1) }],
        [
          "tree-2-level-0",
          { labels: Float64Array.of(1, -1, 1, 1), alpha: Float64Array.of(0.5), scale: Float64Array.of(1) },
        ],
        ["tree-2-level-1", { splits: Float64Array.of(2, 2) }],
      ]);
      for (const [place, values] of Object.entries(changed)) {
        const [id, name] = place.split(" ") as [string, string];
        broadcasts.set(id, { ...broadcasts.get(id), [name]: Float64Array.from(values) });
      }
      return () => grownBefore(study, stage, broadcasts as never);
    };
    expect(told({})).not.toThrow();
    const wrong: Record<string, number[]>[] = [
      { "tree-1-level-1 splits": [0, 9] },
      { "tree-2-level-0 labels": [1, -1, 0, 1] },
      { "tree-2-level-0 alpha": [-1] },
      { "tree-2-level-0 alpha": [Number.NaN] },
      { "tree-2-level-0 scale": [0] },
      { "tree-2-level-0 scale": [Number.POSITIVE_INFINITY] },
    ];
    for (const changed of wrong) {
      expect(told(changed)).toThrow(expect.objectContaining({ code: "BROADCAST_INVALID" }));
    }
  });
});
