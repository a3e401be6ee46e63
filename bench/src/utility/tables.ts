import { existsSync, readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { scoreOf } from "@consilium/core/learning/trees/link";
import { classOf, outputsOf, type TreeEnsemble } from "@consilium/core/learning/trees/tree";
import { epsilonFromRho, rhoFromEpsilon } from "@consilium/core/privacy/conversions";
import { type TreePredictor, treePredictorSchema } from "@consilium/core/release/predictor";
import { unwrap } from "@consilium/core/result";
import type { ColumnBlock } from "@consilium/core/study/design";
import { predictRow } from "@consilium/core/testing/release/predict";
import { type BinnedFeature, binOf } from "@consilium/methods/shared/columns/binning";
import { parseStudy, type Study } from "@consilium/methods/testing/studies";
import seedrandom from "seedrandom";
import { adultTable, type LabelledRows, utilitySites, wdbcTable } from "../dpPcaTables.js";
import { asksFewerSites, minimumSitesOf, sized } from "./fewerSites.js";
import type { UtilityNetwork } from "./network.js";

/** Real tables for methods that count by bins: bins and bounds as declared beforehand, a training and a test part. */
export interface BinnedTable {
  readonly name: string;
  /** As in a study file. */
  readonly features: readonly Record<string, unknown>[];
  readonly levels: readonly string[];
  /** A missing value is NaN: of a number the declared constant stands for it, of a category its own level. */
  readonly train: LabelledRows;
  readonly test: LabelledRows;
  /** Left out: `utilitySites`. */
  readonly sites?: readonly string[] | undefined;
  /** Of each training row, the place of its site; left out: dealt out in turn. */
  readonly siteOf?: readonly number[] | undefined;
  /** What a study declares of its sites; left out: 20,000. */
  readonly maxRowsPerSite?: number | undefined;
}

const root = process.env.CONSILIUM_DATASETS ?? null;

/** Made when it is first asked for, and kept. */
export function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | null = null;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

/** @throws RangeError where the data sets are not at hand */
export function dataset(path: string): Buffer {
  if (root === null || !existsSync(`${root}/${path}`))
    throw new RangeError(`${path} is not at hand: set CONSILIUM_DATASETS to the folder of the data sets`);
  return readFileSync(`${root}/${path}`);
}

const range = (from: number, to: number, step: number): number[] =>
  Array.from({ length: Math.ceil((to - from) / step) }, (_, i) => from + i * step);

const adultEdges: Readonly<Record<string, readonly number[]>> = {
  age: range(20, 81, 4),
  fnlwgt: [5e4, 1e5, 1.5e5, 2e5, 2.5e5, 3e5, 4e5],
  educationnum: range(1.5, 16, 1),
  capgain: [1, 1000, 2000, 3000, 4000, 5000, 6000, 7000, 8000, 10000, 15000, 20000, 50000],
  caploss: [1, 500, 1000, 1400, 1600, 1700, 1800, 1900, 2000, 2200, 2500, 3000],
  hours: range(10, 81, 5),
};

/** UCI Adult with its own split and 14 binned columns. */
export function adult(): BinnedTable {
  const table = adultTable(root);
  if (table === null) throw new RangeError("adult is not at hand: set CONSILIUM_DATASETS");
  return {
    ...table,
    features: table.features.map((feature) => ({ ...feature, ...edgesOf(adultEdges, feature) })),
  };
}

function edgesOf(all: Readonly<Record<string, readonly number[]>>, feature: Record<string, unknown>) {
  const edges = all[feature.name as string];
  return edges === undefined ? {} : { edges };
}

const censusEdges: Readonly<Record<number, readonly number[]>> = {
  0: range(5, 90, 5),
  5: [1, 500, 1000, 1500, 2000],
  16: [1, 3000, 5000, 7000, 10000, 20000, 50000],
  17: [1, 1500, 1800, 2000, 2200],
  18: [1, 100, 500, 1000, 5000, 20000],
  30: range(0.5, 6.5, 1),
  39: [1, 13, 26, 39, 50, 52],
};
/** The instance weight is no feature. */
const censusWeight = 24;
const censusColumns = 41;
const censusTrainingRows = 66_508;

/** UCI Census-Income, of whose test file two thirds are for training: 40 binned columns. @param seed - of the split */
export function census(seed: number): BinnedTable {
  const lines = gunzipSync(dataset("census-income-kdd/census-income.test.gz"))
    .toString("utf8")
    .trim()
    .split("\n")
    .map((line) => line.split(/,\s*/));
  const used = range(0, censusColumns, 1).filter((column) => column !== censusWeight);
  const levelsOf = (column: number) => [...new Set(lines.map((cells) => cells[column]!))].sort();
  const features = used.map((column): Record<string, unknown> => {
    const edges = censusEdges[column];
    if (edges === undefined) return { name: `c${column}`, type: "categorical", levels: levelsOf(column) };
    return { name: `c${column}`, type: "numeric", min: 0, max: edges.at(-1)! * 2, edges };
  });
  const places = features.map(({ levels }) =>
    levels === undefined ? null : new Map((levels as string[]).map((level, i) => [level, i])),
  );
  const rows = lines.map((cells) =>
    used.map((column, j) => {
      const place = places[j];
      return place ? place.get(cells[column]!)! : Math.min(features[j]!.max as number, Number(cells[column]));
    }),
  );
  const labels = lines.map((cells) => (cells[censusColumns]!.includes("50000+") ? 1 : 0));
  const order = shuffled(rows.length, `census ${seed}`);
  const part = (from: number, to: number): LabelledRows => ({
    rows: order.slice(from, to).map((r) => rows[r]!),
    labels: order.slice(from, to).map((r) => labels[r]!),
  });
  return {
    name: "Census-Income",
    features,
    levels: ["-50000", "50000+"],
    train: part(0, censusTrainingRows),
    test: part(censusTrainingRows, rows.length),
  };
}

/** Breast-Cancer-Wisconsin without incomplete rows, five bins for each of 9 columns. @param fold - 0 to 9, held out */
export function breastCancer(fold: number): BinnedTable {
  const cells = dataset("breast-cancer-wisconsin/breast-cancer-wisconsin.data")
    .toString("utf8")
    .trim()
    .split("\n")
    .map((line) => line.trim().split(","))
    .filter((line) => !line.includes("?"));
  const names = "thickness size shape adhesion epithelial nuclei chromatin nucleoli mitoses".split(" ");
  const rows = cells.map((line) => line.slice(1, 10).map(Number));
  const labels = cells.map((line) => (line[10] === "4" ? 1 : 0));
  return folded(
    {
      name: "Breast-Cancer-Wisconsin",
      features: names.map((name) => ({ name, type: "numeric", min: 1, max: 10, edges: [3, 5, 7, 9] })),
      levels: ["benign", "malignant"],
    },
    { rows, labels },
    fold,
  );
}

/** WDBC, eight bins of equal width for each of 30 columns. @param fold - 0 to 9, held out */
export function wdbc(fold: number): BinnedTable {
  const table = wdbcTable(fold);
  return {
    name: table.name,
    features: table.features,
    levels: table.levels,
    train: table.train,
    test: table.test,
  };
}

/** Of ten folds those that a seed runs: all in one process, one of them over a network, where a study takes its time. */
export function foldsOf(seed: number, network: UtilityNetwork | null): number[] {
  return network === null ? Array.from({ length: 10 }, (_, fold) => fold) : [(seed - 1) % 10];
}

/** The table with one stratified tenth held out. */
export function folded(
  about: Pick<BinnedTable, "name" | "features" | "levels">,
  { rows, labels }: LabelledRows,
  fold: number,
): BinnedTable {
  const heldOut = new Set<number>();
  about.levels.forEach((_, level) => {
    const own = labels.flatMap((label, r) => (label === level ? [r] : []));
    shuffled(own.length, `${about.name} fold ${level}`).forEach((place, i) => {
      if (i % 10 === fold) heldOut.add(own[place]!);
    });
  });
  return parted(about, { rows, labels }, (r) => heldOut.has(r));
}

/** The table with some of its rows held out. */
export function parted(
  about: Pick<BinnedTable, "name" | "features" | "levels">,
  { rows, labels }: LabelledRows,
  isHeldOut: (row: number) => boolean,
): BinnedTable {
  const part = (wanted: boolean): LabelledRows => ({
    rows: rows.filter((_, r) => isHeldOut(r) === wanted),
    labels: labels.filter((_, r) => isHeldOut(r) === wanted),
  });
  return { ...about, train: part(false), test: part(true) };
}

/** 0..n-1 in an order that the text decides. */
export function shuffled(n: number, text: string): number[] {
  const generator = seedrandom(text);
  const order = Array.from({ length: n }, (_, i) => i);
  for (let i = n - 1; i > 0; i--) {
    const j = Math.floor(generator.double() * (i + 1));
    [order[i], order[j]] = [order[j]!, order[i]!];
  }
  return order;
}

/** The features of studies that leave rows with a missing value out. */
export const ofCompleteRows = (
  features: readonly Record<string, unknown>[],
): readonly Record<string, unknown>[] => features.map((feature) => ({ ...feature, missing: "reject-row" }));

/** The training rows dealt out to the sites, in blocks. */
export function dealt(table: Pick<BinnedTable, "features" | "train" | "sites" | "siteOf">): ColumnBlock[][] {
  const { rows, labels } = table.train;
  const { sites = utilitySites, siteOf } = table;
  return sites.map((_, site) => {
    const own = rows.flatMap((_, r) => ((siteOf?.[r] ?? r % sites.length) === site ? [r] : []));
    const blocks: ColumnBlock[] = [];
    for (let from = 0; from < own.length; from += 8192) {
      const part = own.slice(from, from + 8192);
      blocks.push({
        rows: part.length,
        columns: table.features.map((feature, j) =>
          Float64Array.from(part, (r) => filled(feature, rows[r]![j]!)),
        ),
        labels: Uint16Array.from(part, (r) => labels[r]!),
      });
    }
    return blocks;
  });
}

/** A value as a site hands it on: what the study declares stands for a missing one. */
export function filled(feature: Record<string, unknown>, value: number): number {
  if (!Number.isNaN(value)) return value;
  const { missing, levels } = feature as {
    readonly missing: "own-level" | { readonly constant: number };
    readonly levels?: readonly string[];
  };
  return missing === "own-level" ? levels!.length : missing.constant;
}

/**
 * The privacy at which the sum over five sites, of which one may collude, carries the noise that an independent central
 * program adds at (ε, δ): five shares carry 1.25 times the guaranteed variance, so ρ is 1.25 times as large.
 */
export function equalNoise(epsilon: number | null, delta: number): Study["privacy"] {
  if (epsilon === null) return "none";
  if (asksFewerSites()) return { epsilon, delta };
  return { epsilon: epsilonFromRho({ rho: 1.25 * rhoFromEpsilon({ epsilon, delta }), delta }), delta };
}

/** A study of the table over its sites, of which one may collude. */
export function studyOf(
  table: Pick<BinnedTable, "features" | "levels" | "sites" | "maxRowsPerSite"> &
    Partial<Pick<BinnedTable, "train">>,
  about: Record<string, unknown> & { readonly privacy: Study["privacy"] },
): Study {
  const sites = [...(table.sites ?? utilitySites)];
  const study = unwrap(
    parseStudy({
      name: "utility",
      table: "t",
      features: table.features,
      label: { name: "utility_label", levels: table.levels },
      participation: {
        sites,
        minimumSites: minimumSitesOf(sites.length),
        tolerateColluding: 1,
        maxRowsPerSite: table.maxRowsPerSite ?? 20_000,
        // What a hospital knows of its tables: methods choose by it.
        expectedRows: table.train?.rows.length,
      },
      ...about,
    }),
  );
  return sized(study);
}

/** What a model makes of the test rows: classes, and a score of the second one. */
export interface Predictions {
  readonly predicted: readonly number[];
  readonly scores: readonly number[];
}

/** What a released model of trees makes of the test rows, from its file alone. @param model - `model.json` */
export function releasedPredictions(model: unknown, { features, test }: BinnedTable): Predictions {
  const { inputs, label, trees, base, link, probability } = model as TreePredictor;
  const predictor = treePredictorSchema.parse({
    kind: "trees",
    isXgboost: false,
    inputs,
    label,
    trees,
    base,
    link,
    probability,
  });
  const told = test.rows.map((row) => {
    const cells = features.map(({ name, levels }, j): [string, number | string | null] => {
      const value = row[j]!;
      if (Number.isNaN(value)) return [String(name), null];
      return [String(name), levels === undefined ? value : (levels as readonly string[])[value]!];
    });
    return predictRow(predictor, Object.fromEntries(cells));
  });
  return {
    predicted: told.map(({ predicted }) => predicted),
    scores: told.map(({ probabilities }) => probabilities[1]!),
  };
}

/** What an ensemble of trees makes of the test rows. */
export function predictions(
  ensemble: TreeEnsemble,
  binned: readonly BinnedFeature[],
  { features, test }: BinnedTable,
): Predictions {
  const kinds = binned.map(({ kind }) => kind);
  const outputs = test.rows.map((row) =>
    outputsOf(ensemble, kinds, (f) => binOf(binned[f]!, filled(features[f]!, row[f]!))),
  );
  return {
    predicted: outputs.map((one) => classOf(one, ensemble.link)),
    scores: outputs.map((one) => scoreOf(one, ensemble.link)),
  };
}

export function accuracyOf(predicted: readonly number[], labels: readonly number[]): number {
  return predicted.filter((one, r) => one === labels[r]).length / labels.length;
}

/** The area under the ROC curve: pairs of which the second class's scores higher, ties half. */
export function areaUnderRoc(scores: readonly number[], labels: readonly number[]): number {
  const order = scores.map((_, r) => r).sort((a, b) => scores[a]! - scores[b]!);
  let [ranks, positives, at] = [0, 0, 0];
  while (at < order.length) {
    let end = at;
    while (end < order.length && scores[order[end]!] === scores[order[at]!]) end++;
    const rank = (at + 1 + end) / 2;
    for (let i = at; i < end; i++) {
      if (labels[order[i]!] === 1) {
        ranks += rank;
        positives++;
      }
    }
    at = end;
  }
  const negatives = order.length - positives;
  return (ranks - (positives * (positives + 1)) / 2) / (positives * negatives);
}
