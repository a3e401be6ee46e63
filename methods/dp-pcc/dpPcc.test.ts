import type { StageId } from "@consilium/core/ids";
import { heldOutRows } from "@consilium/core/learning/heldOut";
import { simulatedSite, simulateSums, streamed } from "@consilium/core/learning/sums";
import { classOf, outputsOf, type TreeNode } from "@consilium/core/learning/trees/tree";
import { phi } from "@consilium/core/linalg/phi";
import { plainKernels } from "@consilium/core/linalg/plain";
import type { RandomSource } from "@consilium/core/random";
import { figureSchema } from "@consilium/core/release/figures";
import { modelCardSchema } from "@consilium/core/release/modelCard";
import { predictorSchema } from "@consilium/core/release/predictor";
import { unwrap } from "@consilium/core/result";
import type { Broadcast, Broadcasts } from "@consilium/core/study/broadcast";
import type { ColumnBlock } from "@consilium/core/study/design";
import { evaluationStageId } from "@consilium/core/study/evaluation";
import { seededRandom } from "@consilium/core/testing/privacy/random";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { binOf } from "../shared/columns/binning.js";
import { bestCut } from "../shared/correlation-tree/bestCut.js";
import type { CorrelationTree } from "../shared/correlation-tree/correlationTree.js";
import {
  correlationTreeCard,
  correlationTreeFigures,
  correlationTreeModel,
  predictorOf,
} from "../shared/correlation-tree/release.js";
import { splitsName, treeStages, valuesName } from "../shared/correlation-tree/treeStudy.js";
import { blockOf, dealt, type TestRow, testFeatures, testRows } from "../testing/correlationTree/tables.js";
import { asCorrelationTree } from "../testing/families.js";
import { parseStudy } from "../testing/studies.js";
import { dpPccConversation } from "./conversation.js";
import { type DpPccStudy, dpPccLayout, planDpPcc } from "./study.js";
import { dpPccVector } from "./vector.js";

const kernels = plainKernels();
const nothing: RandomSource = {
  bytes() {
    throw new Error("a study without privacy draws nothing");
  },
};

function studyOf(options: {
  readonly classes: number;
  readonly privacy?: unknown;
  readonly parameters?: Record<string, unknown>;
}): DpPccStudy {
  const levels = Array.from({ length: options.classes }, (_, c) => `class-${c}`);
  return asCorrelationTree(
    unwrap(
      parseStudy({
        name: "tree",
        table: "t",
        analysis: "correlation-tree",
        features: testFeatures,
        label: { name: "y", levels },
        parameters: { depth: 3, bins: 5, evaluation: "none", ...options.parameters },
        privacy: options.privacy ?? "none",
        participation: { maxRowsPerSite: 100_000 },
      }),
    ),
  ) as DpPccStudy;
}

function grown(
  study: DpPccStudy,
  tables: readonly (readonly ColumnBlock[])[],
  random: RandomSource = nothing,
) {
  return simulateSums({
    plan: planDpPcc(study),
    tables,
    kernels,
    random,
    vector: (id, input) => dpPccVector(study, id, input),
    run: (conversation) => dpPccConversation({ study, conversation }),
  });
}

/** The same tree from all rows in one place, each cut counted by itself. */
type Naive =
  | { readonly leaf: readonly number[] }
  | {
      readonly feature: number;
      readonly cut: number;
      readonly gain: number;
      readonly left: Naive;
      readonly right: Naive;
    };

const edgesOf = [[20, 40, 60], [0.2, 0.4, 0.6, 0.8], null, null];
const cutsOf = [3, 4, 3, 2];

function isLeft(row: TestRow, feature: number, cut: number): boolean {
  const edges = edgesOf[feature]!;
  return edges === null ? row.values[feature] === cut : row.values[feature]! < edges[cut]!;
}

/** Pearson's correlation of two lists of numbers, by its definition. */
function pearson(x: readonly number[], y: readonly number[]): number {
  const mean = (z: readonly number[]) => z.reduce((sum, value) => sum + value, 0) / z.length;
  const [mx, my] = [mean(x), mean(y)];
  const product = (p: readonly number[], mp: number, q: readonly number[], mq: number) =>
    p.reduce((sum, value, i) => sum + (value - mp) * (q[i]! - mq), 0);
  const scale = Math.sqrt(product(x, mx, x, mx) * product(y, my, y, my));
  return scale < 1e-12 ? 0 : product(x, mx, y, my) / scale;
}

function naive(
  rows: readonly TestRow[],
  classes: number,
  depth: number,
  asked: readonly number[] = [],
): Naive {
  let best: { feature: number; cut: number; gain: number } | null = null;
  if (depth > 0) {
    for (const [feature, cuts] of cutsOf.entries()) {
      if (asked.includes(feature)) continue;
      for (let cut = 0; cut < cuts; cut++) {
        const sides = rows.map((row) => (isLeft(row, feature, cut) ? 1 : 0));
        for (let c = 0; c < classes; c++) {
          const gain = Math.abs(
            pearson(
              sides,
              rows.map(({ label }) => (label === c ? 1 : 0)),
            ),
          );
          if (gain > (best?.gain ?? 0) + 1e-9) best = { feature, cut, gain };
        }
      }
    }
  }
  if (best === null) {
    return {
      leaf: Array.from({ length: classes }, (_, c) => rows.filter(({ label }) => label === c).length),
    };
  }
  const { feature, cut } = best;
  const next = [...asked, feature];
  const part = (left: boolean) =>
    naive(
      rows.filter((row) => isLeft(row, feature, cut) === left),
      classes,
      depth - 1,
      next,
    );
  return { ...best, left: part(true), right: part(false) };
}

function expectSame(nodes: readonly TreeNode[], at: number, wanted: Naive): void {
  const node = nodes[at]!;
  if ("leaf" in wanted) {
    if (node.kind !== "leaf") throw new Error("a leaf was split");
    const total = wanted.leaf.reduce((sum, count) => sum + count, 0);
    expect(node.cover).toBe(total);
    node.values.forEach((value, c) => {
      expect(value * 2 ** 24).toBe(
        Math.round(((wanted.leaf[c]! + 1 / wanted.leaf.length) / (total + 1)) * 2 ** 24),
      );
    });
    return;
  }
  if (node.kind !== "split") throw new Error("a node was not split");
  expect([node.feature, node.cut]).toEqual([wanted.feature, wanted.cut]);
  expect(node.gain).toBeCloseTo(wanted.gain, 9);
  expectSame(nodes, node.left, wanted.left);
  expectSame(nodes, node.right, wanted.right);
}

describe("|φ|", () => {
  it("is 0.583333 where left is (3, 1) and right (1, 5)", () => {
    expect(phi(3, 1, 1, 5)).toBeCloseTo(0.5833333333, 10);
  });

  it("is 0 where a side or a class is empty, and 1 where they agree", () => {
    expect([phi(0, 0, 3, 4), phi(3, 4, 0, 0), phi(0, 2, 0, 3), phi(0, 0, 0, 0)]).toEqual([0, 0, 0, 0]);
    expect([phi(3, 0, 0, 9), phi(0, 3, 9, 0)]).toEqual([1, 1]);
  });

  it("is Pearson's correlation, and its square χ²/n", () => {
    const count = fc.integer({ min: 0, max: 30 });
    fc.assert(
      fc.property(count, count, count, count, (a, b, c, d) => {
        const rows = [
          ...new Array<[number, number]>(a).fill([1, 1]),
          ...new Array<[number, number]>(b).fill([1, 0]),
          ...new Array<[number, number]>(c).fill([0, 1]),
          ...new Array<[number, number]>(d).fill([0, 0]),
        ];
        if (rows.length === 0) return;
        const expected = Math.abs(
          pearson(
            rows.map(([x]) => x),
            rows.map(([, y]) => y),
          ),
        );
        expect(phi(a, b, c, d)).toBeCloseTo(expected, 9);
      }),
    );
  });

  it("of a cut needs enough rows on both sides, and takes a nominal bin out by itself", () => {
    const bins = Float64Array.of(3, 0, 0, 5, 3, 0);
    expect(bestCut(bins, "nominal", 2, 0)).toMatchObject({ cut: 1, correlation: 1 });
    expect(bestCut(bins, "ordered", 2, 0)!.cut).toBe(0);
    expect(bestCut(bins, "ordered", 2, 4)).toBeNull();
    expect(bestCut(bins, "nominal", 2, 4)).toMatchObject({ cut: 1 });
    expect(bestCut(Float64Array.of(4, 0, 2, 0), "ordered", 2, 0)).toBeNull();
  });
});

describe("dp-pcc without noise", () => {
  it.each([2, 3])("grows the tree of all rows in one place, of %d classes", async (classes) => {
    const rows = testRows(600, { classes, seed: `naive ${classes}` });
    const tree = await grown(studyOf({ classes }), dealt(rows, 4, "sites"));
    expectSame(tree.ensemble.trees[0]!.nodes, 0, naive(rows, classes, 3));
    expect(tree.rows).toBe(600);
  });

  it("is the same for any partition and order of rows and sites, empty ones and ones of one class too", async () => {
    const study = studyOf({ classes: 2 });
    const rows = testRows(300, { classes: 2, seed: "partition" });
    const whole = await grown(study, [[blockOf(rows)], [], []]);
    for (const [sites, seed] of [
      [3, "a"],
      [20, "b"],
    ] as const) {
      const shuffled = testRows(300, { classes: 2, seed: "partition" }).reverse();
      expect(await grown(study, dealt(shuffled, sites, seed))).toEqual(whole);
    }
    const byClass = [0, 1].map((c) => [blockOf(rows.filter(({ label }) => label === c))]);
    expect(await grown(study, [...byClass, []])).toEqual(whole);
  });

  it("is a single leaf where all rows have one class, where there are none, and says so", async () => {
    const study = studyOf({ classes: 3 });
    const one = testRows(50, { classes: 3, seed: "one" }).map((row) => ({ ...row, label: 1 }));
    const tree = await grown(study, [[blockOf(one)], [], []]);
    expect(tree.isSplit).toBe(false);
    expect(tree.unpredicted).toEqual([0, 2]);
    const none = await grown(study, [[], [], []]);
    expect(none.ensemble.trees[0]!.nodes).toEqual([
      { kind: "leaf", cover: 0, values: new Array(3).fill(Math.round(2 ** 24 / 3) / 2 ** 24) },
    ]);
  });
});

describe("dp-pcc's evaluation", () => {
  it.each([2, 3])(
    "counts held-out rows by what their leaf says, of %d classes, and trains on the others",
    async (classes) => {
      const study = studyOf({ classes, parameters: { evaluation: { heldOut: 0.3 } } });
      const rows = testRows(900, { classes, seed: "evaluated" });
      const held = heldOutRows(blockOf(rows), 0.3, "consilium");
      const training = rows.filter((_, r) => held[r] === 0);
      const tree = await grown(study, dealt(rows, 4, "evaluated"));
      expectSame(tree.ensemble.trees[0]!.nodes, 0, naive(training, classes, 3));
      const right = rows.filter((row, r) => held[r] === 1 && predictedBy(tree, row) === row.label).length;
      const { evaluation } = tree;
      expect(evaluation!.rows).toBe(rows.length - training.length);
      expect(evaluation!.accuracy.value).toBeCloseTo(right / evaluation!.rows, 12);
      expect(evaluation!.scores === null).toBe(classes > 2);
    },
  );

  it("refuses invalid values of leaves", async () => {
    const study = studyOf({ classes: 2, parameters: { depth: 1, evaluation: {} } });
    for (const values of [
      [0.5, 0.5, 0.5],
      [0, 1, Number.NaN, 0],
      [0, 0, 0, 1.5],
    ]) {
      const broadcasts = new Map<StageId, Broadcast>([
        [treeStages.leaves, { [splitsName]: Float64Array.of(0, 0) }],
        [evaluationStageId, { [valuesName]: Float64Array.from(values) }],
      ]);
      const input = {
        site: simulatedSite(0),
        sites: 3,
        broadcasts,
        blocks: unread(),
        kernels,
        random: nothing,
      };
      await expect(dpPccVector(study, evaluationStageId, input)).rejects.toMatchObject({
        code: "BROADCAST_INVALID",
      });
    }
  });
});

/** The class of a row by the released predictor. */
function predictedBy({ ensemble, features }: CorrelationTree, row: TestRow): number {
  const kinds = features.map(({ kind }) => kind);
  const outputs = outputsOf(ensemble, kinds, (f) => binOf(features[f]!, row.values[f]!));
  return classOf(outputs, ensemble.link);
}

// biome-ignore lint/correctness/useYield: nobody may come so far
async function* unread(): AsyncGenerator<ColumnBlock> {
  throw new Error("the table was read");
}

describe("dp-pcc with noise", () => {
  it("comes to the noise-free tree as ε grows, and finds nothing where ε is small", async () => {
    const rows = testRows(3000, { classes: 2, seed: "clear" });
    const tables = dealt(rows, 5, "noise");
    const exact = await grown(studyOf({ classes: 2, parameters: { depth: 2 } }), tables);
    const at = (epsilon: number) =>
      grown(
        studyOf({ classes: 2, privacy: { epsilon, delta: 1e-6 }, parameters: { depth: 2 } }),
        tables,
        seededRandom("n"),
      );
    const splits = (tree: typeof exact) =>
      tree.ensemble.trees[0]!.nodes.map((node) =>
        node.kind === "split" ? [node.feature, node.cut] : "leaf",
      );
    const clear = await at(500);
    expect(splits(clear)).toEqual(splits(exact));
    expect(clear.importance[1]!.value).toBeCloseTo(exact.importance[1]!.value, 2);
    expect(clear.importance[1]!.low!).toBeLessThan(clear.importance[1]!.value);
    const noisy = await at(0.01);
    expect(noisy.isSplit).toBe(false);
  });

  it("releases what the schemas of predictor and figures take", async () => {
    const study = studyOf({
      classes: 3,
      privacy: { epsilon: 20, delta: 1e-6 },
      parameters: { evaluation: {} },
    });
    const tree = await grown(
      study,
      dealt(testRows(2000, { classes: 3, seed: "r" }), 3, "r"),
      seededRandom("r"),
    );
    expect(predictorSchema.parse(predictorOf(study, tree))).toEqual(predictorOf(study, tree));
    const card = correlationTreeCard(study, tree, 3);
    expect(modelCardSchema.parse(card)).toEqual(card);
    expect(card.evaluation!.measures[0]!.value).toBe(tree.evaluation!.accuracy.value);
    for (const figure of correlationTreeFigures(study, tree, "importance"))
      expect(figureSchema.parse(figure)).toEqual(figure);
    expect(JSON.parse(JSON.stringify(correlationTreeModel(study, tree)))).toEqual(
      correlationTreeModel(study, tree),
    );
  });
});

describe("dp-pcc's vector", () => {
  const study = studyOf({ classes: 2 });
  const split = (...values: number[]) => ({ [splitsName]: Float64Array.from(values) });
  const ask = (id: StageId, broadcasts: Broadcasts, rows: readonly TestRow[]) =>
    dpPccVector(study, id, {
      site: simulatedSite(0),
      sites: 3,
      broadcasts,
      blocks: streamed([blockOf(rows)]),
      kernels,
      random: nothing,
      checks: seededRandom("checks"),
    });

  it("has of one record m ones at a level and a single one at the leaves", async () => {
    const broadcasts: Broadcasts = new Map([
      [treeStages.level(1), split(1, 2)],
      [treeStages.level(2), split(0, 1, -1, -1)],
      [treeStages.leaves, split(2, 0, 3, 1, -1, -1, -1, -1)],
    ]);
    for (const row of testRows(20, { classes: 2, seed: "one record" })) {
      for (const { stage } of dpPccLayout(study).levels) {
        const vector = await ask(stage.id, broadcasts, [row]);
        expect(vector).toHaveLength(stage.length);
        expect(vector.filter((entry) => entry === 1n)).toHaveLength(testFeatures.length);
        expect(vector.filter((entry) => entry > 1n)).toHaveLength(0);
      }
      const leaves = await ask(treeStages.leaves, broadcasts, [row]);
      expect(leaves.reduce((sum, entry) => sum + entry, 0n)).toBe(1n);
    }
  });

  it.each<[string, Broadcasts]>([
    ["an invalid feature", new Map([[treeStages.level(1), split(9, 0)]])],
    ["a cut beyond the bins", new Map([[treeStages.level(1), split(0, 3)]])],
    ["half a cut", new Map([[treeStages.level(1), split(0, 0.5)]])],
    ["too few nodes", new Map([[treeStages.level(1), split()]])],
    [
      "a feature asked twice on a path",
      new Map([
        [treeStages.level(1), split(1, 2)],
        [treeStages.level(2), split(-1, -1, 1, 0)],
      ]),
    ],
  ])("refuses %s before it reads a row", async (_, broadcasts) => {
    const id = [...broadcasts.keys()].at(-1)!;
    const untouched = {
      site: simulatedSite(0),
      sites: 3,
      broadcasts,
      blocks: unread(),
      kernels,
      random: nothing,
    };
    await expect(dpPccVector(study, id, untouched)).rejects.toMatchObject({ code: "BROADCAST_INVALID" });
    await expect(dpPccVector(study, id, { ...untouched, broadcasts: new Map() })).rejects.toMatchObject({
      code: "FIELD_INVALID",
    });
    await expect(dpPccVector(study, "moments" as StageId, untouched)).rejects.toMatchObject({
      code: "MESSAGE_UNEXPECTED",
    });
  });
});
