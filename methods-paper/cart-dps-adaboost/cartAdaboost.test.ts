import type { SiteId } from "@consilium/core/ids";
import { heldOutRows } from "@consilium/core/learning/heldOut";
import { simulatedSite, simulateSums } from "@consilium/core/learning/sums";
import { classOf, outputsOf, type SplitNode } from "@consilium/core/learning/trees/tree";
import { plainKernels } from "@consilium/core/linalg/plain";
import { wholly } from "@consilium/core/method/parts";
import { predictorFaults, type TreePredictor } from "@consilium/core/release/predictor";
import { unwrap } from "@consilium/core/result";
import type { ColumnBlock } from "@consilium/core/study/design";
import { planStudy } from "@consilium/core/study/plan";
import { seededRandom } from "@consilium/core/testing/privacy/random";
import { predictRow } from "@consilium/core/testing/release/predict";
import { parseStudy } from "@consilium/methods/testing/studies";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { grownBefore } from "./broadcastTrees.js";
import {
  bestSubset,
  type Counts,
  exponentialCut,
  giniAfter,
  intervalWidths,
  leastGini,
  oneLevelCandidates,
  orderedCandidates,
} from "./choices.js";
import {
  alphaLeast,
  alphaOf,
  type CartAdaboostResult,
  cartAdaboostConversation,
  treeBudget,
} from "./conversation.js";
import { cartAdaboostModel, cartAdaboostPredictor } from "./release.js";
import { holdOutDraws, resampleDraws } from "./siteDraws.js";
import { type CartAdaboostStudy, cartAdaboostLayout } from "./study.js";
import { cartAdaboostVector } from "./vector.js";

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
        { name: "c", type: "categorical", levels: ["a", "b", "c", "d", "e"] },
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
interface NaiveCut {
  readonly feature: number;
  /** Of a nominal feature the levels that go left. */
  readonly cut: number | readonly number[];
}
type Naive = { label: 1 | -1 } | (NaiveCut & { left: Naive; right: Naive });

const sign = (row: Row) => (row.y === 1 ? 1 : -1);
const isLeft = ({ bins }: Pick<Known, "bins">, { feature, cut }: NaiveCut) =>
  typeof cut === "number" ? bins[feature]! <= cut : cut.includes(bins[feature]!);

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

/** After a cut; infinite where it parts no rows. */
function giniOf(rows: readonly Known[], cut: NaiveCut): number {
  const [l, r] = [true, false].map((side) => rows.filter((row) => isLeft(row, cut) === side));
  if (l!.length === 0 || r!.length === 0) return Number.POSITIVE_INFINITY;
  return (size(l!) * impurity(l!) + size(r!) * impurity(r!)) / size(rows);
}

/** Cuts of a feature that CART tries; of a category's subsets the best, of all there are. */
function naiveCuts(
  { parameters }: CartAdaboostStudy,
  feature: number,
  rows: readonly Known[],
): readonly (number | readonly number[])[] {
  if (feature < 2) return [0, 1, 2].slice(0, [3, 2][feature]);
  if (parameters.categoryCuts === "one-level") return [0, 1, 2, 3, 4].map((level) => [level]);
  const share = (level: number) => {
    const own = rows.filter(({ c }) => c === level);
    return size(own.filter(({ y }) => y === 1)) / size(own);
  };
  const seen = [...new Set(rows.map(({ c }) => c))].sort((a, b) => share(a) - share(b) || a - b);
  const subsets = Array.from({ length: 2 ** seen.length }, (_, mask) =>
    seen.filter((_, i) => (mask >> i) & 1),
  );
  const least = Math.min(...subsets.map((cut) => giniOf(rows, { feature, cut })));
  // Of cuts that are equally good the first in the order of shares; its smaller side is left.
  const first = seen.findIndex(
    (_, i) => giniOf(rows, { feature, cut: seen.slice(0, i + 1) }) < least + 1e-12,
  );
  if (first === -1) return [];
  return [2 * (first + 1) <= seen.length ? seen.slice(0, first + 1) : seen.slice(first + 1)];
}

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
  let best: (NaiveCut & { gini: number }) | null = null;
  for (const feature of stage.histogram.nodeFeatures[place.node]!) {
    for (const cut of naiveCuts(study, feature, training)) {
      const gini = giniOf(training, { feature, cut });
      if (gini < (best?.gini ?? Number.POSITIVE_INFINITY) - 1e-12) best = { gini, feature, cut };
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
    c: fc.nat(4),
    coin: fc.nat(9),
  })
  // Mostly x decides, sometimes a coin.
  .map(({ coin, ...rest }) => ({ ...rest, y: coin < 3 ? coin % 2 : decided(rest) }));

/** By x, and the other way round for two of the five levels of c. */
function decided({ x, z, c }: Omit<Row, "y">): number {
  return Number(x + 4 * z > 6) ^ Number(c === 1 || c === 4);
}

describe("CART-DPsAdaBoost without noise", () => {
  it("equals the same computed in one place from the rows, for any sites", async () => {
    const tables = fc.array(fc.array(row, { maxLength: 25 }), { minLength: 3, maxLength: 8 });
    const holdOuts = fc.constantFrom(0, 0.3);
    const categoryCuts = fc.constantFrom("subset", "subset", "one-level");
    await fc.assert(
      fc.asyncProperty(tables, holdOuts, categoryCuts, fc.nat(20), async (sites, holdOut, categories, at) => {
        const study = studyOf({ holdOut, categoryCuts: categories });
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
      { numRuns: 80 },
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

describe("its release", () => {
  it("predicts from sets of levels as the trees do, and model.json has them as lists", async () => {
    const rows = fc.sample(row, { numRuns: 300, seed: 11 });
    const study = studyOf({ featuresPerNode: 3, depth: 3, holdOut: 0 });
    const result = await federated(study, [blocksOf(rows.slice(0, 100)), blocksOf(rows.slice(100)), []]);
    const predictor = cartAdaboostPredictor(study, result) as TreePredictor;
    expect(predictorFaults(predictor)).toEqual([]);
    for (const one of rows) {
      const { outputs } = predictRow(predictor, { x: one.x, z: one.z, c: "abcde"[one.c]! });
      expect(outputs).toEqual(outputsOf(result.ensemble, kinds, (f) => binsOf(one)[f]!));
    }
    const { trees } = cartAdaboostModel(study, result) as { trees: TreePredictor["trees"] };
    const cuts = trees.flatMap(({ nodes }) =>
      nodes.flatMap((node) => (node.kind === "split" && node.feature === 2 ? [node.cut] : [])),
    );
    // The first tree finds the two levels that turn the others' rule round.
    expect(cuts).toContainEqual([1, 4]);
    expect(cuts.every((cut) => Array.isArray(cut))).toBe(true);
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
    (_, i): Row => ({ x: (i * 7) % 8, z: (i % 11) / 11, c: i % 5, y: (i * 7) % 8 > 3 ? 1 : 0 }),
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

  it("takes ε/T - ln α for each next tree where the budget is weighted, at most what is left of ε", async () => {
    const study = studyOf({ budget: "weighted", featuresPerNode: 3, trees: 10 }, { epsilon: 1, delta: 1e-5 });
    const { trees, ended } = await federated(study, tables);
    const budgets = trees.map((_, i) => treeBudget(study, trees.slice(0, i)));
    expect(trees.map(({ epsilon }) => epsilon)).toEqual(budgets);
    const spent = trees.reduce((sum, { epsilon }) => sum + epsilon!, 0);
    expect(spent).toBeLessThan(1 + 1e-12);
    if (ended === "the budget is used up") expect(treeBudget(study, trees)).toBeLessThanOrEqual(0);
    else expect(trees.length === 10 || ended === "a tree erred on half of the weight").toBe(true);

    // ε = 1, T = 10. α = .5: .1 + .693147. After it .106853 is left, whatever α asks for, and then nothing.
    const first = { alpha: 0.5, epsilon: 0.1 };
    expect(treeBudget(study, [])).toBe(0.1);
    expect(treeBudget(study, [first])).toBeCloseTo(0.793147, 6);
    const second = { alpha: 0.6, epsilon: treeBudget(study, [first])! };
    expect(treeBudget(study, [first, second])).toBeCloseTo(0.106853, 6);
    const third = { alpha: 0.7, epsilon: treeBudget(study, [first, second])! };
    expect(treeBudget(study, [first, second, third])).toBeCloseTo(0, 12);
    expect(treeBudget(study, [{ alpha: 1.2, epsilon: 0.1 }])).toBeLessThan(0);
    // Equal shares are ε/T to the end.
    expect(treeBudget(studyOf({ trees: 10 }, { epsilon: 1, delta: 1e-5 }), [first, second, third])).toBe(0.1);
  });

  /**
   * One stump at ε = 1 over 100 resampled rows: ε' = 1/2, so that a node's count has noise of scale 1/(ε'/2) = 4.
   * @param uniform - what the root's count draws
   */
  async function stump(uniform: number): Promise<{ result: CartAdaboostResult; told: Float64Array }> {
    const parameters = { trees: 1, depth: 1, featuresPerNode: 3, holdOut: 0 };
    const study = studyOf(parameters, { epsilon: 1, delta: 1e-5 });
    const [level, leaves] = cartAdaboostLayout(study).stages;
    // By x, z and c: 40 rows of the first class, 60 of the second, whom c = e tells apart from the others.
    const x = [10, 15, 10, 15, 10, 15, 10, 15];
    const z = [20, 30, 10, 15, 10, 15];
    const c = [10, 0, 10, 0, 10, 0, 10, 0, 0, 60];
    const cells = [100, ...new Array<number>(255).fill(0)];
    const sums = new Map<string, readonly number[]>([
      [level!.id, [...x, ...z, ...c, ...cells]],
      [leaves!.id, []],
    ]);
    let told = new Float64Array();
    const result = await cartAdaboostConversation(
      study,
      {
        sites: 3,
        survivors: 3,
        kernels,
        part: wholly,
        async sum(id, broadcast) {
          const sum = sums.get(id)!;
          if (sum.length > 0) return BigUint64Array.from(sum, BigInt);
          told = Float64Array.from(broadcast.splits!);
          const isSplit = told[0] !== -1;
          const counts = isSplit ? [0, 60, 40, 0] : [40, 60, 0, 0];
          const weights = counts.map((count) => BigInt(count) << 30n);
          return BigUint64Array.of(...counts.map(BigInt), 0n, 0n, 0n, 0n, ...weights);
        },
        draw: (name) =>
          hexadecimal(
            name === "tree-1-level-0" ? [uniform, 0.5, 0.5, 0.5] : [0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5],
          ),
      },
      random,
    );
    return { result, told };
  }

  const hexadecimal = (uniforms: readonly number[]) =>
    uniforms.map((one) => (BigInt(Math.floor(one * 2 ** 53)) << 11n).toString(16).padStart(16, "0")).join("");

  it("stops at a node whose noisy count is not above 0, and splits one whose count is", async () => {
    // 100 + 4·ln(2u) = 0.
    const boundary = Math.exp(-25) / 2;
    const stopped = await stump(boundary * 0.999);
    expect([...stopped.told]).toEqual([-1, -1]);
    expect(stopped.result.trees[0]!.tree.nodes).toMatchObject([{ kind: "leaf", cover: 100 }]);
    const split = await stump(boundary * 1.001);
    // The fifth level alone goes left.
    expect([...split.told]).toEqual([2, 0b10000]);
    expect(split.result.trees[0]!.tree.nodes[0]).toMatchObject({ kind: "split", feature: 2, cut: [4] });
    expect((split.result.trees[0]!.tree.nodes[0] as SplitNode).cover).toBeCloseTo(4 * Math.log(1.001), 3);
    // What decides is what is shown.
    const usual = await stump(0.25);
    expect((usual.result.trees[0]!.tree.nodes[0] as SplitNode).cover).toBeCloseTo(100 - 4 * Math.LN2, 9);
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
    const candidates = orderedCandidates(0, new Float64Array(6));
    const widths = intervalWidths(binned, 0);
    expect(widths).toEqual([1, 3]);
    const drawn = (uniform: number) =>
      exponentialCut(candidates, { widths, epsilon: 0, gini: "normalised", uniform }).cut;
    expect([0.1, 0.24, 0.26, 0.9].map(drawn)).toEqual([0, 0, 1, 1]);
    expect(leastGini(candidates)).toBeNull();
  });

  it("draw a cut in proportion to exp(ε·q/(2Δq))", () => {
    // Cut 0 leaves [4,0] | [1,5], unnormalised 5/3; cut 1 leaves [4,4] | [1,1], 5.
    const candidates = orderedCandidates(0, Float64Array.of(4, 0, 0, 4, 1, 1));
    const weight = Math.exp((5 - 5 / 3) / 4);
    const boundary = weight / (1 + weight);
    const drawn = (uniform: number) =>
      exponentialCut(candidates, { widths: [1, 1], epsilon: 1, gini: "unnormalised", uniform }).cut;
    expect([boundary - 1e-6, boundary + 1e-6].map(drawn)).toEqual([0, 1]);
  });

  it("find the best of all subsets of a category's levels, for any counts", () => {
    const counts = fc.array(fc.tuple(fc.nat(12), fc.nat(12)), { minLength: 2, maxLength: 9 });
    fc.assert(
      fc.property(counts, (levels) => {
        const found = bestSubset(3, Float64Array.from(levels.flat()));
        const sides = (isLeft: (level: number) => boolean) =>
          [true, false].map((side) => {
            const own = levels.filter((_, level) => isLeft(level) === side);
            return [own.reduce((sum, [n]) => sum + n, 0), own.reduce((sum, [, p]) => sum + p, 0)] as const;
          }) as unknown as readonly [Counts, Counts];
        const ginis = Array.from({ length: 2 ** levels.length }, (_, mask) => {
          const [left, right] = sides((level) => ((mask >> level) & 1) === 1);
          const isEmpty = left[0] + left[1] === 0 || right[0] + right[1] === 0;
          return isEmpty ? Number.POSITIVE_INFINITY : giniAfter(left, right);
        });
        const least = Math.min(...ginis);
        if (found === null) {
          expect(least).toBe(Number.POSITIVE_INFINITY);
          return;
        }
        const cut = found.cut as readonly number[];
        expect(giniAfter(found.left, found.right)).toBeCloseTo(least, 10);
        expect([found.left, found.right]).toEqual(sides((level) => cut.includes(level)));
        expect(found.feature).toBe(3);
        // A level without rows goes right, and so do at least as many of the others as go left.
        const seen = levels.filter(([n, p]) => n + p > 0).length;
        expect(2 * cut.length).toBeLessThanOrEqual(seen);
        expect(cut.every((level) => levels[level]![0] + levels[level]![1] > 0)).toBe(true);
      }),
      { numRuns: 300 },
    );
  });

  it("take two levels out together where one alone gains less", () => {
    // a and c are of the second class, b and d of the first.
    const bins = Float64Array.of(0, 5, 5, 0, 0, 5, 5, 0);
    const subset = bestSubset(0, bins)!;
    expect(subset).toMatchObject({ cut: [1, 3], left: [10, 0], right: [0, 10] });
    const oneLevel = leastGini(oneLevelCandidates(0, bins))!;
    expect(oneLevel.cut).toEqual([0]);
    expect(giniAfter(subset.left, subset.right)).toBe(0);
    expect(giniAfter(oneLevel.left, oneLevel.right)).toBeCloseTo(1 / 3, 12);
    expect(bestSubset(0, Float64Array.of(3, 4, 0, 0))).toBeNull();
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
