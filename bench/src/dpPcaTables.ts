import { existsSync, readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { unwrap } from "@consilium/core/result";
import { type ColumnBlock, designColumns } from "@consilium/core/study/design";
import { asDpPca, type DpPcaStudy, dpPcaCentre, dpPcaRadius } from "@consilium/methods/dp-pca/study";
import { parseStudy, type Study } from "@consilium/methods/testing/studies";
import seedrandom from "seedrandom";
import { minimumSitesOf, sized } from "./utility/fewerSites.js";

/** Real tables with a training and a test part, for what dp-pca's release is worth. */
export interface UtilityTable {
  readonly name: string;
  /** As in a study file. */
  readonly features: readonly Record<string, unknown>[];
  readonly levels: readonly string[];
  readonly train: LabelledRows;
  readonly test: LabelledRows;
  /** c0 and R, chosen by hand before any run and taken for public. */
  readonly centre: number;
  readonly radius: number;
}

export interface LabelledRows {
  /** Per row its features: numbers, or the index of a category's level. */
  readonly rows: readonly (readonly number[])[];
  readonly labels: readonly number[];
}

/** Hospitals that every table is dealt out to. */
export const utilitySites = ["a", "b", "c", "d", "e"] as const;

/**
 * WDBC, min-max bounds, nine tenths for training.
 * @param fold - which tenth of each class is held out, 0 to 9
 */
export function wdbcTable(fold: number): UtilityTable {
  const file = new URL("../../examples/data/wdbc.csv", import.meta.url);
  const [header, ...lines] = readFileSync(file, "utf8").trim().split("\n");
  const names = header!.split(",").slice(0, -1);
  const levels = ["benign", "malignant"] as const;
  const cells = lines.map((line) => line.split(","));
  const rows = cells.map((line) => line.slice(0, -1).map(Number));
  const labels = cells.map((line) => levels.indexOf(line.at(-1) as (typeof levels)[number]));
  const heldOut = new Set<number>();
  for (const level of [0, 1]) {
    const own = shuffled(
      labels.flatMap((label, r) => (label === level ? [r] : [])),
      `wdbc fold ${level}`,
    );
    own.forEach((r, i) => {
      if (i % 10 === fold) heldOut.add(r);
    });
  }
  const part = (wanted: boolean): LabelledRows => ({
    rows: rows.filter((_, r) => heldOut.has(r) === wanted),
    labels: labels.filter((_, r) => heldOut.has(r) === wanted),
  });
  return {
    name: "WDBC",
    features: names.map((name, j) => {
      const values = rows.map((row) => row[j]!);
      return { name, type: "numeric", min: Math.min(...values), max: Math.max(...values) };
    }),
    levels,
    train: part(false),
    test: part(true),
    centre: 0.25,
    radius: 0.8,
  };
}

const adultNumbers: Readonly<Record<string, readonly [min: number, max: number]>> = {
  age: [17, 90],
  fnlwgt: [0, 6e5],
  educationnum: [1, 16],
  capgain: [0, 5e4],
  caploss: [0, 4000],
  hours: [1, 99],
};
const adultColumns =
  "age workclass fnlwgt education educationnum marital occupation relationship race sex capgain caploss hours country";

/**
 * UCI Adult with its own split, categories as 0/1 columns ("?" is one), 108 columns.
 * @param root - the folder of the data sets
 * @returns null where it is not at hand
 */
export function adultTable(root: string | null): UtilityTable | null {
  if (root === null || !existsSync(`${root}/adult/adult.data.gz`)) return null;
  const read = (file: string) =>
    gunzipSync(readFileSync(`${root}/adult/${file}`))
      .toString("utf8")
      .split("\n")
      .map((line) => line.trim())
      .filter((line) => line !== "" && !line.startsWith("|"))
      .map((line) => line.replace(/\.$/, "").split(/,\s*/));
  const train = read("adult.data.gz");
  const test = read("adult.test.gz");
  const names = adultColumns.split(" ");
  const dictionaries = names.map((name, j) =>
    name in adultNumbers ? null : [...new Set([...train, ...test].map((cells) => cells[j]!))].sort(),
  );
  const places = dictionaries.map((levels) => levels && new Map(levels.map((level, i) => [level, i])));
  const levels = ["<=50K", ">50K"] as const;
  const part = (lines: string[][]): LabelledRows => ({
    rows: lines.map((cells) =>
      names.map((name, j) => {
        const place = places[j];
        if (place) return place.get(cells[j]!)!;
        const [min, max] = adultNumbers[name]!;
        return Math.min(max, Math.max(min, Number(cells[j])));
      }),
    ),
    labels: lines.map((cells) => levels.indexOf(cells[14] as (typeof levels)[number])),
  });
  return {
    name: "Adult",
    features: names.map((name, j) => {
      const [min, max] = adultNumbers[name] ?? [0, 1];
      const own = dictionaries[j];
      return own ? { name, type: "categorical", levels: own } : { name, type: "numeric", min, max };
    }),
    levels,
    train: part(train),
    test: part(test),
    centre: 0,
    radius: 3,
  };
}

/** A study of the table over five sites, of which one may collude. */
export function utilityStudy(
  table: UtilityTable,
  options: {
    readonly components: number;
    readonly privacy: Study["privacy"];
    readonly parameters?: Record<string, unknown>;
  },
): DpPcaStudy {
  const { centre, radius } = table;
  const parsed = parseStudy({
    name: "utility",
    table: "t",
    analysis: "pca",
    method: "dp-pca",
    variant: "sound",
    features: table.features,
    label: { name: "utility_label", levels: table.levels },
    parameters: { components: options.components, centre, radius, ...options.parameters },
    privacy: options.privacy,
    participation: {
      sites: [...utilitySites],
      minimumSites: minimumSitesOf(utilitySites.length),
      tolerateColluding: 1,
      maxRowsPerSite: 20_000,
    },
  });
  return sized(asDpPca(unwrap(parsed)));
}

/** The training rows dealt out to the sites in turn, in blocks of at most 1000. */
export function siteTables(table: Pick<UtilityTable, "features" | "train">): ColumnBlock[][] {
  const { rows, labels } = table.train;
  return utilitySites.map((_, site) => {
    const own = rows.flatMap((_, r) => (r % utilitySites.length === site ? [r] : []));
    const blocks: ColumnBlock[] = [];
    for (let from = 0; from < own.length; from += 1000) {
      const part = own.slice(from, from + 1000);
      blocks.push({
        rows: part.length,
        columns: table.features.map((_, j) => Float64Array.from(part, (r) => rows[r]![j]!)),
        labels: Uint16Array.from(part, (r) => labels[r]!),
      });
    }
    return blocks;
  });
}

/** Rows as dp-pca has them before it cuts them to its grid: clip_1((u - c0)/R), [rows × d] row-major. */
export function clippedRows(study: DpPcaStudy, rows: LabelledRows["rows"]): Float64Array {
  const columns = designColumns(study.features);
  const centre = dpPcaCentre(study);
  const radius = dpPcaRadius(study);
  const d = columns.length;
  const out = new Float64Array(rows.length * d);
  rows.forEach((row, r) => {
    let squares = 0;
    columns.forEach(({ feature, level, min, max }, j) => {
      const raw = row[feature]!;
      const unit = level === null ? (raw - min) / (max - min) : raw === level ? 1 : 0;
      const y = (unit - centre[j]!) / radius;
      out[r * d + j] = y;
      squares += y * y;
    });
    if (squares > 1) for (let p = r * d; p < (r + 1) * d; p++) out[p] = out[p]! / Math.sqrt(squares);
  });
  return out;
}

/** Σ(y - ȳ)(y - ȳ)'/n of rows, [d × d]; about the origin instead of the mean if asked. */
export function covarianceOf(rows: Float64Array, d: number, centred = true): Float64Array {
  const n = rows.length / d;
  const mean = new Float64Array(d);
  if (centred) for (let p = 0; p < rows.length; p++) mean[p % d]! += rows[p]! / n;
  const covariance = new Float64Array(d * d);
  const row = new Float64Array(d);
  for (let start = 0; start < rows.length; start += d) {
    for (let j = 0; j < d; j++) row[j] = rows[start + j]! - mean[j]!;
    for (let i = 0; i < d; i++) {
      const left = row[i]! / n;
      if (left === 0) continue;
      for (let j = 0; j < d; j++) covariance[i * d + j] = covariance[i * d + j]! + left * row[j]!;
    }
  }
  return covariance;
}

function shuffled<T>(items: readonly T[], seed: string): T[] {
  const random = seedrandom(seed);
  return items
    .map((item) => ({ item, key: random() }))
    .sort((a, b) => a.key - b.key)
    .map(({ item }) => item);
}

/** Noise that a bench can repeat. Never where it protects anyone. */
export function repeatableBytes(seed: string) {
  const random = seedrandom(seed);
  return {
    bytes(count: number): Uint8Array {
      const words = Int32Array.from({ length: Math.ceil(count / 4) }, () => random.int32());
      return new Uint8Array(words.buffer, 0, count);
    },
  };
}
