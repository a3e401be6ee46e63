import { readFileSync } from "node:fs";
import { simulateSums } from "@consilium/core/learning/sums";
import { plainKernels } from "@consilium/core/linalg/plain";
import { unwrap } from "@consilium/core/result";
import type { CorrelationTree } from "@consilium/methods/shared/correlation-tree/correlationTree";
import { asCorrelationTree } from "@consilium/methods/testing/families";
import { parseStudy } from "@consilium/methods/testing/studies";
import fc from "fast-check";
import seedrandom from "seedrandom";
import { describe, expect, it } from "vitest";
import { pearsonConversation } from "./conversation.js";
import { type PearsonTreeStudy, planPearsonTree } from "./study.js";
import { pearsonVector } from "./vector.js";

/**
 * The order of the published tree against a program of its own, written from the patent's steps: it has all subsets in one
 * place, rows instead of sums, and a loop with the text's j and ω_j.
 */

interface Row {
  readonly values: readonly number[];
  readonly label: number;
}

/** A table's features: a number has bounds, a category so many levels. */
type Column = { readonly min: number; readonly max: number } | { readonly levels: number };

interface Table {
  readonly columns: readonly Column[];
  readonly classes: number;
  /** Per site its rows. */
  readonly sites: readonly (readonly Row[])[];
}

interface Node {
  readonly subsets: readonly (readonly Row[])[];
  split: { readonly attribute: number; readonly threshold: number } | null;
  branches: readonly Node[];
}

interface Attribute {
  readonly feature: number;
  readonly level: number | null;
}

function attributesOf(columns: Table["columns"]): Attribute[] {
  return columns.flatMap((column, feature): Attribute[] =>
    "levels" in column
      ? Array.from({ length: column.levels }, (_, level) => ({ feature, level }))
      : [{ feature, level: null }],
  );
}

const valueIn = ({ feature, level }: Attribute, row: Row) =>
  level === null ? row.values[feature]! : row.values[feature] === level ? 0 : 1;

/** |P| of v'_c and whether a row has a class, from the definition: covariance over the standard deviations. */
function correlation(cut: readonly number[], own: readonly number[]): number {
  const mean = (x: readonly number[]) => x.reduce((sum, value) => sum + value, 0) / x.length;
  const [left, right] = [mean(cut), mean(own)];
  const covariance = mean(cut.map((value, i) => (value - left) * (own[i]! - right)));
  const variances = mean(cut.map((v) => (v - left) ** 2)) * mean(own.map((v) => (v - right) ** 2));
  return variances < 1e-18 ? 0 : Math.abs(covariance) / Math.sqrt(variances);
}

/** max_c |P| and the smallest such c of one subset; q is 0 where no cut has a correlation. */
function bestCut(rows: readonly Row[], attribute: Attribute, classes: number): { q: number; c: number } {
  let best = { q: 0, c: Number.NaN };
  for (const c of [...new Set(rows.map((row) => valueIn(attribute, row)))].sort((a, b) => a - b)) {
    for (let label = 0; label < classes; label++) {
      const q = correlation(
        rows.map((row) => (valueIn(attribute, row) <= c ? 1 : 2)),
        rows.map((row) => (row.label === label ? 1 : 0)),
      );
      if (q > best.q + 1e-9) best = { q, c };
    }
  }
  return best;
}

/** The attribute with the largest mean of the subsets' correlations, and the mean of their cuts. */
function chosen(node: Node, table: Table, left: ReadonlySet<number>): Node["split"] {
  const attributes = attributesOf(table.columns);
  const filled = node.subsets.filter((rows) => rows.length > 0);
  let best: { attribute: number; threshold: number; score: number } | null = null;
  for (const attribute of [...left].sort((a, b) => a - b)) {
    const found = filled.map((rows) => bestCut(rows, attributes[attribute]!, table.classes));
    const score = found.reduce((sum, { q }) => sum + q, 0) / filled.length;
    const cuts = found.filter(({ q }) => q > 0).map(({ c }) => c);
    if (score > (best?.score ?? 0) + 1e-8)
      best = { attribute, threshold: cuts.reduce((sum, c) => sum + c, 0) / cuts.length, score };
  }
  return best;
}

const isPure = ({ subsets }: Node) => new Set(subsets.flat().map(({ label }) => label)).size < 2;

/** A mean of equal cuts is not that cut in doubles. */
const rounding = 1e-10;

function divide(node: Node, table: Table, split: NonNullable<Node["split"]>): void {
  const attribute = attributesOf(table.columns)[split.attribute]!;
  node.split = split;
  node.branches = [true, false].map((side) => ({
    subsets: node.subsets.map((rows) =>
      rows.filter((row) => valueIn(attribute, row) <= split.threshold + rounding === side),
    ),
    split: null,
    branches: [],
  }));
}

function rootOf({ sites }: Table, partitions: number): Node {
  const subsets = sites.flatMap((rows) =>
    Array.from({ length: partitions }, (_, p) => rows.filter((_row, r) => r % partitions === p)),
  );
  return { subsets, split: null, branches: [] };
}

/** Steps 3 to 9: down to the next branch of ω_j, up where ω_j is empty, and out where no attribute is left. */
function published(table: Table, depth: number, partitions: number): Node {
  const root = rootOf(table, partitions);
  const left = new Set(attributesOf(table.columns).keys());
  const omega: Node[][] = [];
  let [j, current] = [0, root];
  while (left.size > 0) {
    const split = j === depth || isPure(current) ? null : chosen(current, table, left);
    if (split !== null) {
      divide(current, table, split);
      left.delete(split.attribute);
      j += 1;
      omega[j] = [...current.branches];
    }
    while (j > 0 && omega[j]!.length === 0) j -= 1;
    if (j === 0) break;
    current = omega[j]!.shift()!;
  }
  return root;
}

/** The order of `breadth-first`: all nodes of a level before those of the next. */
function byLevels(table: Table, depth: number, partitions: number): Node {
  const root = rootOf(table, partitions);
  const left = new Set(attributesOf(table.columns).keys());
  for (let level = [root], j = 0; j < depth; level = level.flatMap(({ branches }) => branches), j++) {
    for (const node of level) {
      const split = isPure(node) ? null : chosen(node, table, left);
      if (split === null) continue;
      divide(node, table, split);
      left.delete(split.attribute);
    }
  }
  return root;
}

/** A tree as text, attribute by attribute, with the rows by class of each leaf; and its thresholds in the same order. */
interface Told {
  readonly shape: string;
  readonly cuts: readonly number[];
}

function leafTold(rows: readonly Row[], classes: number): Told {
  const counts = Array.from({ length: classes }, (_, c) => rows.filter(({ label }) => label === c).length);
  return { shape: `[${counts}]`, cuts: [] };
}

function splitTold(name: string, cut: number | null, left: Told, right: Told): Told {
  return {
    shape: `(${name} ${left.shape} ${right.shape})`,
    cuts: [...(cut === null ? [] : [cut]), ...left.cuts, ...right.cuts],
  };
}

function wanted(node: Node, table: Table): Told {
  if (node.split === null) return leafTold(node.subsets.flat(), table.classes);
  const { feature, level } = attributesOf(table.columns)[node.split.attribute]!;
  const [left, right] = node.branches.map((branch) => wanted(branch, table));
  const isNumber = level === null;
  const name = isNumber ? `${feature}` : `${feature} is ${level}`;
  return splitTold(name, isNumber ? node.split.threshold : null, left!, right!);
}

function released(tree: CorrelationTree, rows: readonly Row[], classes: number, at = 0): Told {
  const node = tree.ensemble.trees[0]!.nodes[at]!;
  if (node.kind === "leaf") return leafTold(rows, classes);
  const feature = tree.features[node.feature]!;
  const isNumber = feature.kind === "ordered";
  // This method takes one level out.
  const cut = node.cut as number;
  const goesLeft = ({ values }: Row) =>
    isNumber ? values[node.feature]! < feature.edges[cut]! : values[node.feature] === cut;
  const [left, right] = [true, false].map((side) =>
    released(
      tree,
      rows.filter((row) => goesLeft(row) === side),
      classes,
      side ? node.left : node.right,
    ),
  );
  const name = isNumber ? `${node.feature}` : `${node.feature} is ${cut}`;
  return splitTold(name, isNumber ? feature.edges[cut]! : null, left!, right!);
}

function expectSame(own: Told, other: Told): void {
  expect(own.shape).toBe(other.shape);
  for (const [i, cut] of own.cuts.entries()) expect(cut).toBeCloseTo(other.cuts[i]!, 8);
}

function studyOf(table: Table, parameters: Record<string, unknown>): PearsonTreeStudy {
  return asCorrelationTree(
    unwrap(
      parseStudy({
        name: "order",
        table: "t",
        analysis: "correlation-tree",
        variant: "paper",
        features: table.columns.map((column, f) =>
          "levels" in column
            ? {
                name: `f${f}`,
                type: "categorical",
                levels: Array.from({ length: column.levels }, (_, l) => `level-${l}`),
              }
            : { name: `f${f}`, type: "numeric", min: column.min, max: column.max },
        ),
        label: { name: "y", levels: Array.from({ length: table.classes }, (_, c) => `class-${c}`) },
        parameters: { evaluation: "none", ...parameters },
        privacy: "none",
        participation: { maxRowsPerSite: 10_000 },
      }),
    ),
  ) as PearsonTreeStudy;
}

/** The released tree, and the stages that were asked for it. */
async function grown(table: Table, parameters: Record<string, unknown>) {
  const study = studyOf(table, parameters);
  const asked: string[] = [];
  const random = {
    bytes(): never {
      throw new Error("nothing is drawn here");
    },
  };
  const tree = await simulateSums({
    plan: planPearsonTree(study),
    tables: table.sites.map((rows) => [
      {
        rows: rows.length,
        columns: table.columns.map((_, f) => Float64Array.from(rows, ({ values }) => values[f]!)),
        labels: Uint16Array.from(rows, ({ label }) => label),
      },
    ]),
    kernels: plainKernels(),
    random,
    vector(id, input) {
      if (asked.at(-1) !== id) asked.push(id);
      return pearsonVector(study, id, input);
    },
    run: (conversation) => pearsonConversation({ study, conversation, random }),
  });
  return { tree: released(tree, table.sites.flat(), table.classes), asked };
}

/** Rows whose label goes with several columns at once, so that a deep tree has work to do. */
function madeTable(options: {
  readonly seed: string;
  readonly numbers: number;
  readonly categories: number;
  readonly classes: number;
  readonly rows: readonly number[];
}): Table {
  const { seed, numbers, categories, classes, rows } = options;
  const random = seedrandom(seed);
  const columns: Column[] = [
    ...Array.from({ length: numbers }, () => ({ min: 0, max: 100 })),
    ...Array.from({ length: categories }, () => ({ levels: 3 })),
  ];
  const weights = columns.map(() => random() - 0.5);
  const sites = rows.map((count) =>
    Array.from({ length: count }, (): Row => {
      const values = columns.map((column) =>
        "levels" in column ? Math.floor(3 * random()) : Math.round(1e4 * random()) / 100,
      );
      const score = values.reduce((sum, value, f) => {
        const share = "levels" in columns[f]! ? Number(value === 1) : value / 100;
        return sum + weights[f]! * share;
      }, 0.6 * random());
      const label = Math.floor(classes * (0.5 + score / 2)) % classes;
      return { values, label: Math.max(0, label) };
    }),
  );
  return { columns, classes, sites };
}

/** Four hospitals of the demo, their first columns. */
function wdbc(numbers: number): Table {
  const sites = ["a", "b", "c", "d"].map((name) => {
    const file = new URL(`../../examples/data/hospital-${name}.csv`, import.meta.url);
    const [header, ...lines] = readFileSync(file, "utf8").trim().split("\n");
    const names = header!.trim().split(",");
    const label = names.indexOf("diagnosis");
    const own = names.flatMap((_, i) => (i === label || names[i] === "id" ? [] : [i])).slice(0, numbers);
    return lines.map((line): Row => {
      const cells = line.trim().split(",");
      return {
        values: own.map((i) => Number(cells[i])),
        label: ["benign", "malignant"].indexOf(cells[label]!),
      };
    });
  });
  const columns = Array.from({ length: numbers }, (_, f) => ({
    min: 0,
    max: 2 * Math.max(...sites.flat().map(({ values }) => values[f]!)),
  }));
  return { columns, classes: 2, sites };
}

const two = { numbers: 5, categories: 2, classes: 2, rows: [60, 45, 1, 0] };
const tables: readonly (readonly [name: string, table: Table])[] = [
  ["the demo's hospitals, ten columns", wdbc(10)],
  ["numbers and categories", madeTable({ seed: "mixed", ...two })],
  ["three classes", madeTable({ seed: "three", ...two, classes: 3 })],
  ["four attributes", madeTable({ seed: "few", ...two, numbers: 4, categories: 0, rows: [70, 50] })],
];
const depths = [2, 3, 4];

describe("the published order", () => {
  it.each(
    tables.flatMap(([name, table]) =>
      depths.flatMap((depth) => [1, 3].map((partitions) => ({ name, depth, partitions, table }))),
    ),
  )("is the text's: $name, depth $depth, $partitions partitions", async ({ table, depth, partitions }) => {
    const { tree } = await grown(table, { depth, partitions });
    expectSame(tree, wanted(published(table, depth, partitions), table));
    const breadth = await grown(table, { depth, partitions, order: "breadth-first" });
    expectSame(breadth.tree, wanted(byLevels(table, depth, partitions), table));
    if (depth === 2) expect(breadth.tree).toEqual(tree);
  });

  it("is another tree than breadth-first, on every table, at depth 4", async () => {
    for (const [, table] of tables) {
      const { tree } = await grown(table, { depth: 4 });
      const breadth = await grown(table, { depth: 4, order: "breadth-first" });
      expect(breadth.tree.shape).not.toBe(tree.shape);
    }
  });

  it("is the text's on any table", async () => {
    const small = fc.record({
      seed: fc.string({ minLength: 4, maxLength: 12 }),
      numbers: fc.integer({ min: 2, max: 5 }),
      categories: fc.integer({ min: 0, max: 2 }),
      classes: fc.integer({ min: 2, max: 3 }),
      rows: fc.array(fc.integer({ min: 0, max: 30 }), { minLength: 3, maxLength: 4 }),
    });
    await fc.assert(
      fc.asyncProperty(
        small,
        fc.integer({ min: 2, max: 4 }),
        fc.integer({ min: 1, max: 3 }),
        async (...args) => {
          const [options, deep, partitions] = args;
          const table = madeTable(options);
          const depth = Math.min(deep, attributesOf(table.columns).length);
          const { tree } = await grown(table, { depth, partitions });
          expectSame(tree, wanted(published(table, depth, partitions), table));
        },
      ),
      { numRuns: 100, seed: 11 },
    );
  });

  it("ends the whole run with the last attribute, with nodes above the leaves left unsplit", async () => {
    const table = tables[3]![1];
    const { tree, asked } = await grown(table, { depth: 4 });
    expect(tree.shape.match(/\(/g)).toHaveLength(4);
    // Seven nodes are planned for; the fourth split took the last attribute.
    expect(asked).toEqual([...asked.filter((id) => id.startsWith("node-")), "leaves"]);
    expect(asked.length - 1).toBeLessThan(7);
    const breadth = await grown(table, { depth: 4, order: "breadth-first" });
    expect(breadth.asked).toEqual(["level-1", "level-2", "level-3", "level-4", "leaves"]);
  });

  it("asks no node below a leaf, and none but the root where that is a leaf", async () => {
    const table = tables[1]![1];
    const pure = { ...table, sites: table.sites.map((rows) => rows.map((row) => ({ ...row, label: 1 }))) };
    expect(await grown(pure, { depth: 4 })).toEqual({
      tree: { shape: "[0,106]", cuts: [] },
      asked: ["node-1", "leaves"],
    });
    const none = { ...table, sites: table.sites.map(() => []) };
    expect(await grown(none, { depth: 4 })).toEqual({
      tree: { shape: "[0,0]", cuts: [] },
      asked: ["node-1", "leaves"],
    });
  });
});
