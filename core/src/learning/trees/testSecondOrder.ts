import { plainKernels } from "../../linalg/plain.js";
import type { RandomSource } from "../../random.js";
import { unwrap } from "../../result.js";
import { binnedFeatures } from "../../study/binning.js";
import type { ColumnBlock } from "../../study/design.js";
import { type SecondOrderSettings, secondOrderSettings } from "../../study/secondOrder.js";
import { parseStudy, type Study } from "../../study/study.js";
import { type SecondOrderSums, secondOrderConversation } from "./secondOrderConversation.js";
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
