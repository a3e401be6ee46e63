import { existsSync, readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import type { ColumnBlock } from "@consilium/core/study/design";
import seedrandom from "seedrandom";

/** A real table, split over sites: what the comparisons run on. */
export interface SplitTable {
  readonly name: string;
  /** As in a study file. */
  readonly features: readonly FeatureSource[];
  /** Per site its rows; a categorical value is its level's index. */
  readonly sites: readonly (readonly (readonly number[])[])[];
  readonly components: number;
}

export type FeatureSource =
  | { readonly name: string; readonly type: "numeric"; readonly min: number; readonly max: number }
  | { readonly name: string; readonly type: "categorical"; readonly levels: readonly string[] };

const numeric = (name: string, min: number, max: number): FeatureSource => ({
  name,
  type: "numeric",
  min,
  max,
});

/** The folder of a data set that is not bundled, or null: then it says so and the data set is skipped. */
export function datasetFolder(name: string): string | null {
  const root = process.env.CONSILIUM_DATASETS ?? "";
  if (root !== "" && existsSync(`${root}/${name}`)) return `${root}/${name}`;
  if (root !== "" && process.env.CONSILIUM_FORBID_SKIPS === "1") {
    throw new Error(`CONSILIUM_DATASETS has no ${name}; CONSILIUM_FORBID_SKIPS=1 forbids to skip it`);
  }
  process.stderr.write(`\nSKIPPED: comparisons on ${name}, because CONSILIUM_DATASETS does not lead to it\n`);
  return null;
}

/** The bundled table, as its four hospitals hold it. */
export function bundledWdbc(features: readonly FeatureSource[]): SplitTable {
  const folder = new URL("../../examples/data/", import.meta.url);
  const sites = ["a", "b", "c", "d"].map((letter) =>
    readFileSync(new URL(`hospital-${letter}.csv`, folder), "utf8")
      .trim()
      .split("\n")
      .slice(1)
      .map((line) => line.split(",").slice(0, -1).map(Number)),
  );
  return { name: "bundled wdbc, 4 hospitals", features, sites, components: 4 };
}

/** The same table from UCI's file, over ten sites of random sizes. */
export function uciWdbc(folder: string, features: readonly FeatureSource[]): SplitTable {
  const rows = readFileSync(`${folder}/wdbc.data`, "utf8")
    .trim()
    .split("\n")
    .map((line) => line.split(",").slice(2).map(Number));
  return { name: "wdbc, 10 sites", features, sites: randomSplit(rows, 10, "wdbc"), components: 5 };
}

/** Four real hospitals; rows with a missing value among these columns are left out. */
export function heartDisease(folder: string): SplitTable {
  const [header, ...lines] = readFileSync(`${folder}/heart_4sites.csv`, "utf8").trim().split("\n");
  const names = header!.split(",");
  const features: FeatureSource[] = [
    numeric("age", 0, 120),
    { name: "sex", type: "categorical", levels: ["0.0", "1.0"] },
    { name: "cp", type: "categorical", levels: ["1.0", "2.0", "3.0", "4.0"] },
    numeric("trestbps", 0, 300),
    numeric("chol", 0, 1000),
    numeric("thalach", 0, 250),
    { name: "exang", type: "categorical", levels: ["0.0", "1.0"] },
    numeric("oldpeak", -5, 10),
  ];
  const bySite = new Map<string, number[][]>();
  for (const line of lines) {
    const cells = line.split(",");
    const row = features.map((feature) => {
      const text = cells[names.indexOf(feature.name)]!;
      if (text === "") return Number.NaN;
      return feature.type === "numeric" ? Number(text) : feature.levels.indexOf(text);
    });
    if (row.some((value) => Number.isNaN(value))) continue;
    if (row.some((value, j) => features[j]!.type === "categorical" && value < 0)) {
      throw new Error("a level of heart-disease is not declared");
    }
    const site = cells[0]!;
    bySite.set(site, [...(bySite.get(site) ?? []), row]);
  }
  return { name: "heart disease, 4 real hospitals", features, sites: [...bySite.values()], components: 3 };
}

/** 20,000 rows over twelve sites: ten numeric columns and 44 that are 0 or 1. */
export function covertype(folder: string): SplitTable {
  const bounds: [number, number][] = [
    [0, 5000],
    [0, 360],
    [0, 90],
    [0, 2000],
    [-1000, 1000],
    [0, 10_000],
    [0, 255],
    [0, 255],
    [0, 255],
    [0, 10_000],
  ];
  const features = Array.from({ length: 54 }, (_, j) => numeric(`x${j}`, ...(bounds[j] ?? [0, 1])));
  const rows = gunzipSync(readFileSync(`${folder}/covtype.20k.data.gz`))
    .toString("utf8")
    .trim()
    .split("\n")
    .map((line) => line.split(",").slice(0, 54).map(Number));
  return { name: "covertype, 12 sites", features, sites: randomSplit(rows, 12, "covertype"), components: 10 };
}

/** Shuffles rows and cuts them into parts of random sizes, none under 20 rows. */
function randomSplit(rows: number[][], parts: number, seed: string): number[][][] {
  const random = seedrandom(seed);
  const shuffled = rows
    .map((row) => ({ row, key: random() }))
    .sort((a, b) => a.key - b.key)
    .map(({ row }) => row);
  const spare = rows.length - 20 * parts;
  const cuts = Array.from({ length: parts - 1 }, () => Math.floor(random() * spare)).sort((a, b) => a - b);
  const bounds = [0, ...cuts, spare];
  return Array.from({ length: parts }, (_, i) =>
    shuffled.slice(bounds[i]! + 20 * i, bounds[i + 1]! + 20 * (i + 1)),
  );
}

/** Rows as blocks of at most 1000, as a site's data layer hands them out. */
export function blocksOf(rows: readonly (readonly number[])[], columns: number): ColumnBlock[] {
  const blocks: ColumnBlock[] = [];
  for (let from = 0; from < rows.length; from += 1000) {
    const part = rows.slice(from, from + 1000);
    blocks.push({
      rows: part.length,
      columns: Array.from({ length: columns }, (_, j) => Float64Array.from(part, (row) => row[j]!)),
      labels: null,
    });
  }
  return blocks;
}
