import { singleCut, type Tree } from "@consilium/core/learning/trees/tree";
import { plainKernels } from "@consilium/core/linalg/plain";
import type { RandomSource } from "@consilium/core/random";
import { unwrap } from "@consilium/core/result";
import type { ColumnBlock } from "@consilium/core/study/design";
import { expect } from "vitest";
import { binnedFeatures } from "../../shared/columns/binning.js";
import { type SecondOrderSettings, secondOrderSettings } from "../../shared/trees/secondOrder.js";
import { type SecondOrderSums, secondOrderConversation } from "../../shared/trees/secondOrderConversation.js";
import { parseStudy, type Study } from "../studies.js";
import { simulateSecondOrder } from "./secondOrderSimulation.js";

/** Small tables for tests of second-order boosting. */

/** Rows of numbers, the class last. A categorical feature's number is its level's index. */
export type Rows = readonly (readonly number[])[];

/** Cuts halfway between neighbouring values: XGBoost's `exact` on such a column. */
export function edgesOf(values: readonly number[]): number[] {
  const distinct = [...new Set(values)].sort((a, b) => a - b);
  return distinct.slice(1).map((value, i) => (value + distinct[i]!) / 2);
}

/** Numeric features f0, f1, … as the rows show them. */
export function featuresOf(rows: Rows): object[] {
  return Array.from({ length: rows[0]!.length - 1 }, (_, j) => {
    const values = rows.map((row) => row[j]!);
    const [min, max] = [Math.min(...values), Math.max(...values)];
    return { name: `f${j}`, type: "numeric", min, max, edges: edgesOf(values) };
  });
}

export function studyOf(features: readonly object[], more: object = {}): Study {
  return unwrap(
    parseStudy({
      name: "boost",
      table: "t",
      analysis: "pca",
      features,
      label: { name: "y", levels: ["no", "yes"] },
      parameters: { components: 1 },
      privacy: "none",
      participation: { maxRowsPerSite: 1000 },
      ...more,
    }),
  );
}

export function settingsOf(study: Study, more: Partial<SecondOrderSettings> = {}): SecondOrderSettings {
  const settings = secondOrderSettings({
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
  return { ...settings, ...more };
}

export function blockOf(rows: Rows, columns: number): ColumnBlock {
  return {
    rows: rows.length,
    columns: Array.from({ length: columns }, (_, j) => Float64Array.from(rows, (row) => row[j]!)),
    labels: Uint16Array.from(rows, (row) => row[columns]!),
  };
}

export const kernels = plainKernels();

const nothingDrawn: RandomSource = {
  bytes: () => {
    throw new Error("nothing is drawn");
  },
};

/** Boosting over sites, of which each has these rows in one block. */
export function boosted<R = Awaited<ReturnType<typeof secondOrderConversation>>>(options: {
  readonly study: Study;
  readonly settings: SecondOrderSettings;
  readonly sites: readonly Rows[];
  readonly random?: RandomSource;
  readonly run?: (sums: SecondOrderSums) => Promise<R>;
}): Promise<R> {
  const { study, settings, sites, random = nothingDrawn } = options;
  const run = options.run ?? (secondOrderConversation as (sums: SecondOrderSums) => Promise<R>);
  const tables = sites.map((rows) => [blockOf(rows, study.features.length)]);
  return simulateSecondOrder({ study, settings, tables, kernels, random, run });
}

/** [feature, threshold, gain, cover, left, right] or [leaf, cover], as XGBoost 1.7.4 prints a tree. */
export type Printed =
  | readonly [leaf: number, cover: number]
  | readonly [feature: string, threshold: number, gain: number, cover: number, left: Printed, right: Printed];

/** The threshold that XGBoost gives a split of ours. */
export type Threshold = (split: {
  /** The node's own values on either side. */
  readonly below: number;
  readonly above: number;
  /** Where we cut, between two values of the column. */
  readonly edge: number;
  readonly column: readonly number[];
}) => number;

/** Under `exact` halfway between the node's own values on either side, where ours is one of the edges there. */
export const halfway: Threshold = ({ below, above }) => (below + above) / 2;

/** Under `hist` and `approx` the column's next value. */
export const nextValue: Threshold = ({ edge, column }) =>
  column.filter((value) => value > edge).reduce((a, b) => Math.min(a, b));

/** A tree as XGBoost would print it. @param own - which of a leaf's values */
export function printed(tree: Tree, all: Rows, threshold: Threshold, own = 0): Printed {
  const visit = (at: number, rows: Rows): Printed => {
    const node = tree.nodes[at]!;
    if (node.kind === "leaf") return [node.values[own]!, node.cover];
    const value = (row: readonly number[]) => row[node.feature]!;
    const column = all.map(value);
    const edge = edgesOf(column)[singleCut(node)]!;
    const [low, high] = [rows.filter((row) => value(row) < edge), rows.filter((row) => value(row) >= edge)];
    const [below, above] = [Math.max(...low.map(value)), Math.min(...high.map(value))];
    const cut = threshold({ below, above, edge, column });
    return [`f${node.feature}`, cut, node.gain, node.cover, visit(node.left, low), visit(node.right, high)];
  };
  return visit(0, all);
}

export function expectPrinted(actual: Printed, expected: Printed): void {
  expect(actual.length).toBe(expected.length);
  if (actual.length === 2 || expected.length === 2) {
    expect(actual[0]).toBeCloseTo(expected[0] as number, 6);
    expect((actual[1] as number) / (expected[1] as number)).toBeCloseTo(1, 6);
    return;
  }
  expect(actual[0]).toBe(expected[0]);
  expect(actual[1]).toBeCloseTo(expected[1], 6);
  expect(actual[2] / expected[2]).toBeCloseTo(1, 5);
  expect(actual[3] / expected[3]).toBeCloseTo(1, 6);
  expectPrinted(actual[4], expected[4]);
  expectPrinted(actual[5], expected[5]);
}
