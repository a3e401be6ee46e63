import { describe, expect, it } from "vitest";
import type { StageId } from "../../ids.js";
import { plainKernels } from "../../linalg/plain.js";
import { seededRandom } from "../../privacy/testRandom.js";
import type { RandomSource } from "../../random.js";
import { unwrap } from "../../result.js";
import { binOf } from "../../study/binning.js";
import type { Broadcasts } from "../../study/broadcast.js";
import { asCorrelationTree } from "../../study/correlationTree.js";
import type { ColumnBlock } from "../../study/design.js";
import { splitsName, treeStages } from "../../study/dpPcc.js";
import { type PearsonTreeStudy, planPearsonTree } from "../../study/pearsonTree.js";
import { parseStudy } from "../../study/study.js";
import { simulatedSite, simulateSums } from "../sums.js";
import { leafOf, type TreeNode } from "../trees/tree.js";
import type { CorrelationTree } from "./correlationTree.js";
import { pearsonConversation } from "./pearsonConversation.js";
import { pearsonVector } from "./pearsonVector.js";
import { blockOf, type TestRow, testFeatures, testRows } from "./testTables.js";

const kernels = plainKernels();
const nothing: RandomSource = {
  bytes() {
    throw new Error("nothing is drawn here");
  },
};

function studyOf(options: {
  readonly classes?: number;
  readonly privacy?: unknown;
  readonly parameters?: Record<string, unknown>;
}): PearsonTreeStudy {
  const levels = Array.from({ length: options.classes ?? 2 }, (_, c) => `class-${c}`);
  return asCorrelationTree(
    unwrap(
      parseStudy({
        name: "tree",
        table: "t",
        analysis: "correlation-tree",
        variant: "paper",
        features: testFeatures,
        label: { name: "y", levels },
        parameters: { depth: 3, evaluation: "none", ...options.parameters },
        privacy: options.privacy ?? "none",
        participation: { maxRowsPerSite: 100_000 },
      }),
    ),
  ) as PearsonTreeStudy;
}

/** @param tables - per site its rows */
function grown(
  study: PearsonTreeStudy,
  tables: readonly (readonly TestRow[])[],
  random: RandomSource = nothing,
): Promise<CorrelationTree> {
  return simulateSums({
    plan: planPearsonTree(study),
    tables: tables.map((rows) => [blockOf(rows.slice(0, 20)), blockOf(rows.slice(20))]),
    kernels,
    random,
    vector: (id, input) => pearsonVector(study, id, input),
    run: (conversation) => pearsonConversation({ study, conversation, random }),
  });
}

/** The text's tree from its subsets, with each cut counted by itself. Attributes: age, pressure, three wards, two of smoker. */
interface Node {
  readonly subsets: readonly (readonly TestRow[])[];
  split: { readonly attribute: number; readonly threshold: number } | null;
}

const attributes: readonly ((row: TestRow) => number)[] = [
  (row) => row.values[0]!,
  (row) => row.values[1]!,
  ...[0, 1, 2].map((level) => (row: TestRow) => (row.values[2] === level ? 0 : 1)),
  ...[0, 1].map((level) => (row: TestRow) => (row.values[3] === level ? 0 : 1)),
];

function correlation(rows: readonly TestRow[], left: (row: TestRow) => boolean, label: number): number {
  const count = (l: boolean, y: boolean) =>
    rows.filter((row) => left(row) === l && (row.label === label) === y).length;
  const [a, b, c, d] = [count(true, true), count(true, false), count(false, true), count(false, false)];
  const chi = (a + b) * (c + d) * (a + c) * (b + d);
  return chi === 0 ? 0 : Math.abs(a * d - b * c) / Math.sqrt(chi);
}

function bestOf(rows: readonly TestRow[], of: (row: TestRow) => number, classes: number) {
  let best = { q: 0, cut: Number.NaN };
  for (const cut of [...new Set(rows.map(of))].sort((a, b) => a - b)) {
    for (let label = 0; label < classes; label++) {
      const q = correlation(rows, (row) => of(row) <= cut, label);
      if (q > best.q + 1e-12) best = { q, cut };
    }
  }
  return best;
}

function naive(subsets: Node["subsets"], classes: number, depth: number): Node[][] {
  const levels: Node[][] = [[{ subsets, split: null }]];
  const asked = new Set<number>();
  for (let level = 0; level < depth; level++) {
    const next: Node[] = [];
    for (const node of levels[level]!) {
      const filled = node.subsets.filter((rows) => rows.length > 0);
      let best = { score: 0, attribute: -1, threshold: 0 };
      for (const [attribute, of] of attributes.entries()) {
        if (asked.has(attribute)) continue;
        const found = filled.map((rows) => bestOf(rows, of, classes));
        const score = found.reduce((sum, { q }) => sum + q, 0) / filled.length;
        const cuts = found.filter(({ q }) => q > 0).map(({ cut }) => cut);
        const threshold = cuts.reduce((sum, cut) => sum + cut, 0) / cuts.length;
        if (score > best.score + 1e-9) best = { score, attribute, threshold };
      }
      const parent = levels[level - 1];
      const isOpen = parent === undefined || parent[levels[level]!.indexOf(node) >> 1]!.split !== null;
      if (isOpen && best.attribute !== -1) {
        node.split = best;
        asked.add(best.attribute);
        const of = attributes[best.attribute]!;
        for (const side of [true, false])
          next.push({
            subsets: node.subsets.map((rows) => rows.filter((row) => of(row) <= best.threshold === side)),
            split: null,
          });
      } else next.push({ subsets: isOpen ? node.subsets : [], split: null }, { subsets: [], split: null });
    }
    levels.push(next);
  }
  return levels;
}

/** Where the released tree sends a row, by what is asked of it on the way. */
function path(tree: CorrelationTree, row: TestRow): string[] {
  const asked: string[] = [];
  const kinds = tree.features.map(({ kind }) => kind);
  leafOf(tree.ensemble.trees[0]!, kinds, (f) => {
    asked.push(tree.features[f]!.name);
    return binOf(tree.features[f]!, row.values[f]!);
  });
  return asked;
}

const splitsOf = (nodes: readonly TreeNode[]) => nodes.filter(({ kind }) => kind === "split").length;

describe("the published tree without noise", () => {
  it.each([
    [2, 1],
    [3, 1],
    [2, 3],
  ])("is the text's own from its subsets: %d classes, %d parts of each site", async (classes, partitions) => {
    const tables = [70, 55, 90, 1, 0].map((count, i) => testRows(count, { classes, seed: `paper ${i}` }));
    const subsets = tables.flatMap((rows) =>
      Array.from({ length: partitions }, (_, p) => rows.filter((_, r) => r % partitions === p)),
    );
    const wanted = naive(subsets, classes, 3);
    const tree = await grown(studyOf({ classes, parameters: { partitions } }), tables);
    const splits = wanted.flat().flatMap(({ split }) => split ?? []);
    expect(splitsOf(tree.ensemble.trees[0]!.nodes)).toBe(splits.length);
    expect(splits.length).toBeGreaterThan(3);
    for (const { attribute, threshold } of splits) {
      if (attribute > 1) continue;
      expect(tree.features[attribute]!.edges[0]!).toBeCloseTo(threshold, 9);
    }
    for (const row of tables.flat()) {
      let at = 0;
      const asked: string[] = [];
      for (const [level, nodes] of wanted.slice(0, -1).entries()) {
        const { split } = nodes[at]!;
        if (split === null) at *= 2;
        else {
          asked.push(["age", "pressure", "ward", "ward", "ward", "smoker", "smoker"][split.attribute]!);
          at = 2 * at + (attributes[split.attribute]!(row) <= split.threshold ? 0 : 1);
        }
        expect(wanted[level + 1]![at]!.subsets.flat()).toContain(row);
      }
      expect(path(tree, row)).toEqual(asked);
    }
  });

  it("cuts at a value of a row where there is one subset, and that row is left", async () => {
    const rows = [0.1, 0.2, 0.7, 0.9].map((value, i) => ({
      values: [10, value, 0, 0],
      label: i < 2 ? 0 : 1,
    }));
    const tree = await grown(studyOf({ parameters: { depth: 1 } }), [rows, [], []]);
    const [edge] = tree.features[1]!.edges;
    expect(edge).toBeGreaterThan(0.2);
    expect(edge).toBeLessThan(0.2 + 1e-11);
    expect(tree.ensemble.trees[0]!.nodes[0]).toMatchObject({ kind: "split", gain: 1, cover: 4 });
  });

  it("is a single leaf where all sites have one class between them, and where there are no rows", async () => {
    const rows = testRows(40, { classes: 2, seed: "one" }).map((row) => ({ ...row, label: 1 }));
    const tree = await grown(studyOf({}), [rows, [], []]);
    expect([tree.isSplit, tree.unpredicted, tree.rows]).toEqual([false, [0], 40]);
    expect((await grown(studyOf({}), [[], [], []])).isSplit).toBe(false);
  });

  it("takes a site of one class along: it has no cut to propose, and lowers every score alike", async () => {
    const rows = testRows(200, { classes: 2, seed: "sites" });
    const pure = rows.filter(({ label }) => label === 0);
    const both = await grown(studyOf({ parameters: { depth: 1 } }), [rows, pure, []]);
    const alone = await grown(studyOf({ parameters: { depth: 1 } }), [rows, [], []]);
    expect(both.features[1]!.edges[0]!).toBeCloseTo(alone.features[1]!.edges[0]!, 9);
  });
});

describe("the published tree with noise", () => {
  const privacy = { epsilon: 2, delta: 1e-5 };
  const rows = [0, 1, 2].map((i) => testRows(60, { classes: 2, seed: `noisy ${i}` }));

  it("has Lap(1/ε2) in its leaves, and draws nothing else with argmax", async () => {
    let drawn = 0;
    const source = seededRandom("laplace");
    const counted: RandomSource = {
      bytes(count) {
        drawn += count;
        return source.bytes(count);
      },
    };
    const exact = await grown(studyOf({ parameters: { depth: 1 } }), rows);
    const errors: number[] = [];
    const study = studyOf({ privacy, parameters: { depth: 1 } });
    for (let run = 0; run < 200; run++) {
      const tree = await grown(study, rows, counted);
      tree.ensemble.trees[0]!.nodes.forEach((node, i) => {
        if (node.kind === "leaf") errors.push(node.cover - exact.ensemble.trees[0]!.nodes[i]!.cover);
      });
    }
    expect(drawn).toBe(200 * 4 * 8);
    // Two counts with scale 1 each: variance 4. Five standard errors of a mean square with fourth moment at most 60.
    const square = errors.reduce((sum, error) => sum + error ** 2, 0) / errors.length;
    expect(Math.abs(square - 4)).toBeLessThan(5 * Math.sqrt(60 / errors.length));
  });

  it("draws attributes by the exponential mechanism: evenly for a tiny ε, the best one for a large one", async () => {
    const first = async (epsilon: number, seed: string) => {
      const study = studyOf({
        privacy: { epsilon, delta: 1e-5 },
        parameters: { depth: 1, selection: "sample" },
      });
      const [root] = (await grown(study, rows, seededRandom(seed))).ensemble.trees[0]!.nodes;
      return root!.kind === "split" ? `${root!.feature} ${root!.feature > 1 ? root!.cut : ""}` : "leaf";
    };
    const even = new Map<string, number>();
    for (let run = 0; run < 140; run++) {
      const name = await first(1e-6, `even ${run}`);
      even.set(name, (even.get(name) ?? 0) + 1);
    }
    expect(even.size).toBe(7);
    for (const times of even.values()) expect(times).toBeGreaterThan(5);
    for (let run = 0; run < 10; run++) expect(await first(900, `sure ${run}`)).toBe("1 ");
  });
});

describe("the published tree's vector", () => {
  const study = studyOf({});
  const split = (...values: number[]) => ({ [splitsName]: Float64Array.from(values) });
  const second = treeStages.level(1);
  const third = treeStages.level(2);

  it.each<[string, Broadcasts]>([
    ["an attribute that is none", new Map([[second, split(7, 0)]])],
    ["a cut beyond the bounds", new Map([[second, split(0, 81)]])],
    ["a cut that is none", new Map([[second, split(0, Number.NaN)]])],
    ["a threshold of a level", new Map([[second, split(2, 0.5)]])],
    ["too many nodes", new Map([[second, split(0, 1, 1, 0.5)]])],
    [
      "an attribute asked twice in the tree",
      new Map([
        [second, split(0, 40)],
        [third, split(1, 0.5, 1, 0.6)],
      ]),
    ],
    [
      "a split below a leaf",
      new Map([
        [second, split(-1, 0)],
        [third, split(1, 0.5, -1, 0)],
      ]),
    ],
  ])("refuses %s before it reads a row", async (_, broadcasts) => {
    const input = {
      site: simulatedSite(0),
      sites: 3,
      broadcasts,
      // biome-ignore lint/correctness/useYield: nobody may come so far
      blocks: (async function* (): AsyncGenerator<ColumnBlock> {
        throw new Error("the table was read");
      })(),
      kernels,
      random: nothing,
    };
    const id = [...broadcasts.keys()].at(-1)!;
    await expect(pearsonVector(study, id, input)).rejects.toMatchObject({ code: "BROADCAST_INVALID" });
    await expect(pearsonVector(study, id, { ...input, broadcasts: new Map() })).rejects.toMatchObject({
      code: "FIELD_INVALID",
    });
    await expect(pearsonVector(study, "moments" as StageId, input)).rejects.toMatchObject({
      code: "MESSAGE_UNEXPECTED",
    });
  });
});
