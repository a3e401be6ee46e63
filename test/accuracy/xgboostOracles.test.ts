import { outputsOf, singleCut, type Tree, type TreeEnsemble } from "@consilium/core/learning/trees/tree";
import { plainKernels } from "@consilium/core/linalg/plain";
import { unwrap } from "@consilium/core/result";
import type { ColumnBlock } from "@consilium/core/study/design";
import { inGate, isWholeRun } from "@consilium/core/testing/wholeRun";
import { binnedFeatures } from "@consilium/methods/shared/columns/binning";
import { type SecondOrderSettings, secondOrderSettings } from "@consilium/methods/shared/trees/secondOrder";
import {
  type GrownTree,
  growTree,
  type SecondOrderSums,
  secondOrderConversation,
  splitImportances,
} from "@consilium/methods/shared/trees/secondOrderConversation";
import { parseStudy, type Study } from "@consilium/methods/testing/studies";
import { simulateSecondOrder } from "@consilium/methods/testing/trees/secondOrderSimulation";
import { describe, expect, it } from "vitest";
import {
  asGrown,
  type ClassTable,
  classTable,
  distinctValues,
  halfway,
  singles,
  tableHash,
  type XgboostNode,
  type XgboostOracle,
  xgboostOracle,
} from "./xgboostTables.js";

/**
 * Second-order boosting over sites against XGBoost 1.7.4, `tree_method: exact` and `hist`, split by split. Every tree is grown
 * after XGBoost's own trees before it, so that one tie which single precision breaks otherwise would derail nothing else.
 */

const kernels = plainKernels();

function studyOf(values: readonly (readonly number[])[]): Study {
  return unwrap(
    parseStudy({
      name: "boost",
      table: "t",
      analysis: "pca",
      features: values.map((own, j) => ({
        name: `f${j}`,
        type: "numeric",
        min: own[0],
        max: own.length > 1 ? own.at(-1) : own[0]! + 1,
        edges: own.slice(1).map((value, i) => halfway(own[i]!, value)),
      })),
      label: { name: "y", levels: ["0", "1"] },
      parameters: { components: 1 },
      privacy: "none",
      participation: { maxRowsPerSite: 100_000 },
    }),
  );
}

function settingsOf(study: Study, { params, trees }: XgboostOracle): SecondOrderSettings {
  return secondOrderSettings({
    features: binnedFeatures(study.features, 16),
    positive: 1,
    trees: trees.length,
    depth: params.max_depth,
    eta: params.eta,
    lambda: params.reg_lambda,
    gamma: params.gamma,
    minChildWeight: params.min_child_weight,
    baseScore: params.base_score,
    treeMethod: params.tree_method,
    maxBin: params.max_bin,
    sums: "exact",
    records: 100_000,
  });
}

function blockOf(rows: ClassTable["rows"], columns: number): ColumnBlock {
  return {
    rows: rows.length,
    columns: Array.from({ length: columns }, (_, j) => Float64Array.from(rows, (row) => row[j]!)),
    labels: Uint16Array.from(rows, (row) => row[columns]!),
  };
}

/** Every s-th row to one site. */
function dealt(table: ClassTable, sites: number): ColumnBlock[][] {
  return Array.from({ length: sites }, (_, site) => [
    blockOf(
      table.rows.filter((_, r) => r % sites === site),
      table.columns,
    ),
  ]);
}

const random = {
  bytes: () => {
    throw new Error("nothing is drawn");
  },
};

/** Boosting over sites: as it goes by itself, or each tree after XGBoost's own ones. */
function run<R>(
  oracle: XgboostOracle,
  table: ClassTable,
  sites: number,
  program: (sums: SecondOrderSums) => Promise<R>,
): Promise<R> {
  const study = studyOf(distinctValues(table));
  return simulateSecondOrder({
    study,
    settings: settingsOf(study, oracle),
    tables: dealt(table, sites),
    kernels,
    random,
    run: program,
  });
}

function forced(oracle: XgboostOracle, table: ClassTable, sites: number): Promise<Tree[]> {
  const values = distinctValues(table);
  return run(oracle, table, sites, async (sums) => {
    const trees: Tree[] = [];
    let before: GrownTree | null = null;
    for (const [t, nodes] of oracle.trees.entries()) {
      const { tree, cuts }: GrownTree = await growTree(sums, t, before);
      trees.push(tree);
      before = asGrown(nodes, oracle.params.max_depth, values, cuts);
    }
    return trees;
  });
}

interface Comparison {
  readonly splits: number;
  /** Where the two took different splits, or only one of them any. */
  readonly otherwise: string[];
  /** How far a gain is off, at most, in parts of what is allowed; see `gainAllowance`. */
  readonly gainError: number;
  readonly leafError: number;
}

function compared(oracle: XgboostOracle, table: ClassTable, trees: readonly Tree[]): Comparison {
  const values = distinctValues(table);
  let [splits, gainError, leafError] = [0, 0, 0];
  const otherwise: string[] = [];
  trees.forEach((tree, t) => {
    const theirTree = oracle.trees[t]!;
    const visit = (id: number, at: number, rows: ClassTable["rows"]) => {
      const theirs = theirTree.find((node) => node.id === id)!;
      const ours = tree.nodes[at]!;
      if (theirs.leaf !== undefined && ours.kind === "leaf") {
        leafError = Math.max(leafError, Math.abs(ours.values[0]! - theirs.leaf));
        return;
      }
      const sides = ours.kind === "split" ? sidesOf(oracle, tree, at, rows, values) : null;
      if (
        ours.kind === "leaf" ||
        ours.feature !== theirs.feature ||
        sides!.threshold !== Math.fround(theirs.threshold!)
      ) {
        const named = [ours.kind === "split" ? `f${ours.feature}` : "leaf", `f${theirs.feature}`];
        otherwise.push(`tree ${t + 1}, node ${id}: ${named.join(" for ")}`);
        return;
      }
      splits++;
      const off = Math.abs(ours.gain - theirs.gain!) / gainAllowance(oracle, theirTree, theirs);
      gainError = Math.max(gainError, off);
      visit(theirs.yes!, ours.left, sides!.low);
      visit(theirs.no!, ours.right, sides!.high);
    };
    visit(0, 0, table.rows);
  });
  return { splits, otherwise, gainError, leafError };
}

/**
 * A gain is the difference of scores that XGBoost holds in single precision: 10^-4 of it, and eight units in the last
 * place of the node's score G²/(H+λ). G is what the leaves below say.
 */
function gainAllowance({ params }: XgboostOracle, tree: readonly XgboostNode[], node: XgboostNode): number {
  const gradient = ({ leaf, cover, yes, no }: XgboostNode): number => {
    if (leaf !== undefined) return (-leaf / params.eta) * (cover + params.reg_lambda);
    const below = tree.filter(({ id }) => id === yes || id === no);
    return below.map(gradient).reduce((a, b) => a + b);
  };
  return 1e-4 * node.gain! + (8 * 2 ** -24 * gradient(node) ** 2) / (node.cover + params.reg_lambda);
}

/**
 * A node's rows on both sides of its split, and the threshold that XGBoost would give it: halfway between them, or of a
 * quantile the value itself.
 */
function sidesOf(
  { params }: XgboostOracle,
  tree: Tree,
  at: number,
  rows: ClassTable["rows"],
  values: readonly (readonly number[])[],
) {
  const node = tree.nodes[at]!;
  if (node.kind !== "split") throw new Error("a leaf has no sides");
  const most = values[node.feature]![singleCut(node)]!;
  const value = (row: readonly number[]) => row[node.feature]!;
  const [low, high] = [rows.filter((row) => value(row) <= most), rows.filter((row) => value(row) > most)];
  const edge = (side: ClassTable["rows"], pick: (a: number, b: number) => number) =>
    side.map(value).reduce((a, b) => pick(a, b));
  const threshold =
    params.tree_method === "exact"
      ? halfway(edge(low, Math.max), edge(high, Math.min))
      : values[node.feature]![singleCut(node) + 1]!;
  return { low, high, threshold };
}

interface Case {
  readonly data: "bcw" | "wdbc" | "adult";
  readonly name: string;
  readonly sites: number;
  readonly splits: number;
  readonly whole: boolean;
  /** Of the file's trees so many are grown; left out: all. */
  readonly first?: number;
  readonly sketched?: { readonly column: string; readonly splits: number };
}

/**
 * `whole`: all trees are in the file, so that importances can be compared too. `sketched`: a column of more distinct values
 * than XGBoost's own quantile sketch of `hist` can hold, so that its cuts there are approximate and ours are not.
 */
const allCases: readonly Case[] = [
  { data: "bcw", name: "bcw_exact_r3_d2", sites: 7, splits: 9, whole: true },
  { data: "wdbc", name: "wdbc_exact_r3_d2", sites: 20, splits: 9, whole: true },
  { data: "adult", name: "adult_exact_r3_d2", sites: 5, splits: 9, whole: true },
  { data: "adult", name: "adult_exact_r100_d6", sites: 1, splits: 123, whole: false },
  { data: "bcw", name: "bcw_exact_r100_d6", sites: 3, splits: 482, whole: true },
  { data: "wdbc", name: "wdbc_exact_r100_d6", sites: 1, splits: 290, whole: true },
  { data: "bcw", name: "bcw_hist_r3_d2", sites: 7, splits: 9, whole: true },
  { data: "wdbc", name: "wdbc_hist_r3_d2", sites: 20, splits: 9, whole: true },
  { data: "adult", name: "adult_hist_r3_d2", sites: 5, splits: 9, whole: true },
  {
    data: "wdbc",
    name: "wdbc_hist_r100_d6",
    sites: 1,
    whole: isWholeRun,
    ...inGate({ first: 20, splits: 166 }, { whole: { first: 100, splits: 293 } }),
  },
  {
    data: "adult",
    name: "adult_hist_r100_d6",
    sites: 1,
    splits: 118,
    whole: false,
    sketched: { column: "f2", splits: 5 },
  },
];

/** A hundred deep trees of every row take half a minute each: in the gate one table has the first of them, by quantiles. */
const long = ["bcw_exact_r100_d6", "wdbc_exact_r100_d6"];
const cases = allCases.filter(({ name }) => isWholeRun || !long.includes(name));

describe("trees grown over sites after XGBoost's", () => {
  for (const { data, name, sites, splits, whole, first, sketched } of cases) {
    const full = xgboostOracle(name);
    const oracle = full === null ? null : { ...full, trees: full.trees.slice(0, first) };
    const table = oracle === null ? null : classTable(data);
    it.skipIf(table === null)(`are XGBoost's: ${name}, ${sites} sites`, async () => {
      expect(tableHash(table!)).toBe(oracle!.data_sha256);
      const held = singles(table!);
      const trees = await forced(oracle!, held, sites);
      const found = compared(oracle!, held, trees);
      // No tie of these tables is one that single precision breaks otherwise.
      expect(found.otherwise.length).toBe(sketched?.splits ?? 0);
      // The same column is split there, next to where XGBoost splits it.
      for (const where of found.otherwise)
        expect(where).toContain(`: ${sketched!.column} for ${sketched!.column}`);
      expect(found.splits).toBe(splits);
      expect(found.gainError).toBeLessThan(1);
      expect(found.leafError).toBeLessThan(1e-6);
      if (!whole) return;
      splitImportances(trees, table!.columns).forEach(({ averageGain }, f) => {
        const theirs = oracle!.average_gain[`f${f}`] ?? 0;
        expect(Math.abs(averageGain - theirs)).toBeLessThanOrEqual(1e-4 * theirs);
      });
    });
  }
});

describe("boosting over sites, by itself", () => {
  for (const { data, name, sites } of cases.filter(({ whole }) => whole).slice(0, 4)) {
    const oracle = xgboostOracle(name);
    const table = oracle === null ? null : classTable(data);
    it.skipIf(table === null)(`gives XGBoost's margins: ${name}, ${sites} sites`, async () => {
      const held = singles(table!);
      const ensemble = await run(oracle!, held, sites, secondOrderConversation);
      const margins = marginsOf(ensemble, held, oracle!.margin_first_rows.length);
      margins.forEach((margin, r) => {
        expect(Math.abs(margin - oracle!.margin_first_rows[r]!)).toBeLessThan(1e-5);
      });
      // The same to the last bit, however the rows lie over sites.
      if (oracle!.trees.length > 3 || data === "adult") return;
      expect(ensemble).toEqual(await run(oracle!, held, sites + 5, secondOrderConversation));
    });
  }
});

function marginsOf(ensemble: TreeEnsemble, table: ClassTable, rows: number): number[] {
  const values = distinctValues(table);
  const kinds = values.map(() => "ordered" as const);
  return table.rows.slice(0, rows).map((row) => {
    const [margin] = outputsOf(ensemble, kinds, (feature) => values[feature]!.indexOf(row[feature]!));
    return margin!;
  });
}
