import { existsSync, readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { normalStream } from "@consilium/methods/shared/draws/gaussian";
import seedrandom from "seedrandom";
import { parse } from "yaml";

/** The tables that the PCA benches run on, with rows in memory. */
export interface PcaTable {
  readonly name: string;
  /** Declared bounds per column. */
  readonly bounds: readonly (readonly [min: number, max: number])[];
  /** [rows × columns] row-major. */
  readonly values: Float64Array;
  readonly labels: readonly number[] | null;
  /** Rows of each site, which lie one after the other in `values`. */
  readonly siteRows: readonly number[];
  readonly components: number;
  /** How the published experiment on this data ran, when there is one. */
  readonly published: PublishedRun | null;
}

/** Relative captured energies at δ = 0.01 and S = 10 from the authors' result files [IS18], means of 10 runs. */
interface PublishedRun {
  readonly figures: Readonly<Record<string, readonly (number | null)[]>>;
  /** Largest ‖row‖ over the whole table, by which the authors divide every row. */
  readonly largestNorm: number;
  /** The covariance that they measure energy with, [d × d]; null for that of the rows themselves. */
  readonly trueCovariance: Float64Array | null;
  /** How our rows differ from the authors'. */
  readonly difference: string;
}

type Loader = (datasets: string | null) => PcaTable | null;

const sites = 10;

/** By name, in the order in which they run; a loader gives null where its data are not at hand. */
export const pcaTables: Readonly<Record<string, Loader>> = {
  "wdbc-hospitals": bundledWdbc,
  wdbc: (root) => uciWdbc(root),
  "heart-disease": heartDisease,
  synthetic: () => synthetic(),
  covertype,
  mnist,
};

const wdbcBounds = (): [number, number][] => {
  const file = new URL("../../examples/studies/wdbc-none.yaml", import.meta.url);
  const { features } = parse(readFileSync(file, "utf8")) as { features: { min: number; max: number }[] };
  return features.map(({ min, max }) => [min, max]);
};

function bundledWdbc(): PcaTable {
  const parts = ["a", "b", "c", "d"].map((letter) =>
    readFileSync(new URL(`../../examples/data/hospital-${letter}.csv`, import.meta.url), "utf8")
      .trim()
      .split("\n")
      .slice(1)
      .map((line) => line.split(",")),
  );
  return {
    name: "WDBC, the four bundled hospitals",
    bounds: wdbcBounds(),
    values: Float64Array.from(parts.flat().flatMap((row) => row.slice(0, -1).map(Number))),
    labels: parts.flat().map((row) => (row.at(-1) === "malignant" ? 1 : 0)),
    siteRows: parts.map((part) => part.length),
    components: 5,
    published: null,
  };
}

function uciWdbc(root: string | null): PcaTable | null {
  const file = located(root, "wdbc/wdbc.data");
  if (file === null) return null;
  const rows = shuffled(readFileSync(file, "utf8").trim().split("\n"), "wdbc").map((line) => line.split(","));
  return {
    name: "WDBC, 10 sites",
    bounds: wdbcBounds(),
    values: Float64Array.from(rows.flatMap((row) => row.slice(2).map(Number))),
    labels: rows.map((row) => (row[1] === "M" ? 1 : 0)),
    siteRows: evenly(rows.length, sites),
    components: 5,
    published: null,
  };
}

/** Four real hospitals; categories as 0/1 columns, rows with a missing value among these columns left out. */
function heartDisease(root: string | null): PcaTable | null {
  const file = located(root, "heart-disease-4sites/heart_4sites.csv");
  if (file === null) return null;
  const [header, ...lines] = readFileSync(file, "utf8").trim().split("\n");
  const names = header!.split(",");
  const numbers: Record<string, [number, number]> = {
    age: [0, 120],
    trestbps: [0, 300],
    chol: [0, 1000],
    thalach: [0, 250],
    oldpeak: [-5, 10],
    sex: [0, 1],
    exang: [0, 1],
  };
  const rows = lines
    .map((line) => {
      const cells = line.split(",");
      const cell = (name: string) => cells[names.indexOf(name)]!;
      const texts = [...Object.keys(numbers).map(cell), cell("cp")];
      return {
        site: cells[0]!,
        complete: texts.every((text) => text !== ""),
        values: [
          ...Object.keys(numbers).map((name) => Number(cell(name))),
          ...[1, 2, 3, 4].map((level) => (Number(cell("cp")) === level ? 1 : 0)),
        ],
        label: Number(cell("num")) > 0 ? 1 : 0,
      };
    })
    .filter((row) => row.complete);
  const hospitals = [...new Set(rows.map((row) => row.site))];
  const ordered = hospitals.flatMap((hospital) => rows.filter((row) => row.site === hospital));
  return {
    name: "Heart disease, four real hospitals",
    bounds: [...Object.values(numbers), ...[1, 2, 3, 4].map((): [number, number] => [0, 1])],
    values: Float64Array.from(ordered.flatMap((row) => row.values)),
    labels: ordered.map((row) => row.label),
    siteRows: hospitals.map((hospital) => rows.filter((row) => row.site === hospital).length),
    components: 3,
    published: null,
  };
}

/**
 * The authors' generator: N(0, diag(linspace(10, 1, 50), 0.5·U(0, 1))) in 200 dimensions. They draw 60,000 rows,
 * divide by the largest length among them and use 10,000.
 */
function synthetic(): PcaTable {
  const d = 200;
  const spikes = 50;
  const used = 10_000;
  const generator = seedrandom("synthetic d=200 K=50");
  const variances = Array.from({ length: d }, (_, j) =>
    j < spikes ? 10 - (9 * j) / (spikes - 1) : 0.5 * generator.double(),
  );
  const normal = normalStream(() => generator.double());
  const deviations = variances.map(Math.sqrt);
  const values = new Float64Array(used * d);
  let largest = 0;
  for (let row = 0; row < 60_000; row++) {
    let squares = 0;
    for (let j = 0; j < d; j++) {
      const value = deviations[j]! * normal();
      squares += value * value;
      if (row < used) values[row * d + j] = value;
    }
    largest = Math.max(largest, squares);
  }
  const trueCovariance = new Float64Array(d * d);
  variances.forEach((variance, j) => {
    trueCovariance[j * d + j] = variance;
  });
  return {
    name: "Synthetic, d = 200",
    bounds: variances.map(() => [-40, 40]),
    values,
    labels: null,
    siteRows: evenly(used, sites),
    components: spikes,
    published: {
      figures: {
        "pooled DP": [0.301, 0.552, 0.788, 0.985, 0.996],
        DPdisPCA: [0.284, 0.297, 0.334, 0.809, 0.943],
      },
      largestNorm: Math.sqrt(largest),
      trueCovariance,
      difference: "The published rows are another draw of the same generator.",
    },
  };
}

function covertype(root: string | null): PcaTable | null {
  const file = located(root, "covertype-20k/covtype.20k.data.gz");
  if (file === null) return null;
  const all = gunzipSync(readFileSync(file))
    .toString("utf8")
    .trim()
    .split("\n")
    .map((line) => line.split(",").map(Number));
  const rows = shuffled(all, "covertype").slice(0, 5000);
  const measured: [number, number][] = [
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
  const values = Float64Array.from(rows.flatMap((row) => row.slice(0, 54)));
  return {
    name: "Covertype, d = 54",
    bounds: Array.from({ length: 54 }, (_, j) => measured[j] ?? [0, 1]),
    values,
    labels: rows.map((row) => row[54]!),
    siteRows: evenly(rows.length, sites),
    components: 10,
    published: {
      figures: {
        "pooled DP": [0.647, 0.955, 0.971, 0.991, 0.996],
        DPdisPCA: [0.197, 0.687, 0.898, 0.974, 0.98],
      },
      largestNorm: largestCentredNorm(Float64Array.from(all.flatMap((row) => row.slice(0, 54))), 54),
      trueCovariance: null,
      difference:
        "The published rows are drawn from all 581,012; these are drawn from the first 20,000, where classes are balanced.",
    },
  };
}

function mnist(root: string | null): PcaTable | null {
  const images = located(root, "mnist-test10k/t10k-images-idx3-ubyte.gz");
  const labels = located(root, "mnist-test10k/t10k-labels-idx1-ubyte.gz");
  if (images === null || labels === null) return null;
  const pixels = gunzipSync(readFileSync(images)).subarray(16);
  const digits = gunzipSync(readFileSync(labels)).subarray(8);
  const d = 784;
  const order = shuffled([...digits.keys()], "mnist");
  const values = new Float64Array(order.length * d);
  order.forEach((row, i) => {
    values.set(pixels.subarray(row * d, (row + 1) * d), i * d);
  });
  return {
    name: "MNIST test set, d = 784",
    bounds: Array.from({ length: d }, () => [0, 255]),
    values,
    labels: order.map((row) => digits[row]!),
    siteRows: evenly(order.length, sites),
    components: 50,
    published: {
      figures: {
        "pooled DP": [0.085, 0.296, 0.498, 0.861, 0.953],
        DPdisPCA: [0.077, 0.08, 0.096, 0.499, 0.677],
      },
      largestNorm: largestCentredNorm(values, d),
      trueCovariance: null,
      difference: "The published rows are 10,000 of the training set; these are the test set.",
    },
  };
}

/** The column means of [rows × d]. */
export function columnMeans(values: Float64Array, d: number): Float64Array {
  const means = new Float64Array(d);
  for (let p = 0; p < values.length; p += d) for (let j = 0; j < d; j++) means[j]! += values[p + j]!;
  return means.map((sum) => (sum * d) / values.length);
}

function largestCentredNorm(values: Float64Array, d: number): number {
  const means = columnMeans(values, d);
  let largest = 0;
  for (let p = 0; p < values.length; p += d) {
    let squares = 0;
    for (let j = 0; j < d; j++) squares += (values[p + j]! - means[j]!) ** 2;
    largest = Math.max(largest, squares);
  }
  return Math.sqrt(largest);
}

function located(root: string | null, path: string): string | null {
  return root !== null && existsSync(`${root}/${path}`) ? `${root}/${path}` : null;
}

function evenly(rows: number, parts: number): number[] {
  return Array.from(
    { length: parts },
    (_, i) => Math.floor(((i + 1) * rows) / parts) - Math.floor((i * rows) / parts),
  );
}

function shuffled<T>(items: readonly T[], seed: string): T[] {
  const random = seedrandom(seed);
  return items
    .map((item) => ({ item, key: random() }))
    .sort((a, b) => a.key - b.key)
    .map(({ item }) => item);
}
