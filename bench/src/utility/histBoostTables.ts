import { existsSync, readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import seedrandom from "seedrandom";
import { adultTable, type UtilityTable } from "../dpPcaTables.js";

/** Tables of two classes with declared bins, the second class the one that is looked for. */
export type ClassTable = Pick<UtilityTable, "name" | "features" | "levels" | "train" | "test">;

const range = (from: number, to: number, step: number) =>
  Array.from({ length: Math.ceil((to - from) / step) }, (_, i) => from + i * step);

/** Public bins, chosen by hand before any run. */
const adultEdges: Readonly<Record<string, readonly number[]>> = {
  age: range(20, 81, 4),
  fnlwgt: [5e4, 1e5, 1.5e5, 2e5, 2.5e5, 3e5, 4e5],
  educationnum: range(1.5, 16, 1),
  capgain: [1, 1000, 2000, 3000, 4000, 5000, 6000, 7000, 8000, 10000, 15000, 20000, 50000],
  caploss: [1, 500, 1000, 1400, 1600, 1700, 1800, 1900, 2000, 2200, 2500, 3000],
  hours: range(10, 81, 5),
};

/** UCI Adult with its own split; null where it is not at hand. */
export function adultClasses(root: string | null): ClassTable | null {
  const table = adultTable(root);
  if (table === null) return null;
  const features = table.features.map((feature) => {
    const edges = adultEdges[String(feature.name)];
    return edges === undefined ? feature : { ...feature, edges };
  });
  return { ...table, features };
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
const censusColumns = 41;
/** Column 24 is the instance weight. */
const censusWeight = 24;
const censusTraining = 66_508;

/** The test file of UCI Census-Income (KDD), two thirds of it for training; null where it is not at hand. */
export function censusClasses(root: string | null): ClassTable | null {
  const file = `${root}/census-income-kdd/census-income.test.gz`;
  if (root === null || !existsSync(file)) return null;
  const lines = gunzipSync(readFileSync(file))
    .toString("utf8")
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map((line) => line.split(",").map((cell) => cell.trim()));
  const columns = Array.from({ length: censusColumns }, (_, c) => c).filter((c) => c !== censusWeight);
  const places = columns.map((c) => {
    if (c in censusEdges) return null;
    const levels = [...new Set(lines.map((cells) => cells[c]!))].sort();
    return new Map(levels.map((level, i) => [level, i]));
  });
  const features = columns.map((c, j) => {
    const levels = places[j];
    if (levels) return { name: `c${c}`, type: "categorical", levels: [...levels.keys()] };
    return { name: `c${c}`, type: "numeric", min: 0, max: 1e6, edges: censusEdges[c] };
  });
  const order = shuffled(
    lines.map((_, r) => r),
    "census",
  );
  const part = (rows: readonly number[]) => ({
    rows: rows.map((r) => columns.map((c, j) => places[j]?.get(lines[r]![c]!) ?? Number(lines[r]![c]))),
    labels: rows.map((r) => (lines[r]![censusColumns]!.includes("50000+") ? 1 : 0)),
  });
  return {
    name: "Census-Income",
    features,
    levels: ["- 50000.", "50000+."],
    train: part(order.slice(0, censusTraining)),
    test: part(order.slice(censusTraining)),
  };
}

/** All rows of a small table. */
interface SmallTable {
  readonly features: readonly Record<string, unknown>[];
  readonly rows: readonly (readonly number[])[];
  readonly labels: readonly number[];
}

/** Ten stratified folds of a small table, dealt out anew for each seed. */
export function folds(name: string, table: SmallTable, seed: number): ClassTable[] {
  const { features, rows, labels } = table;
  const fold = new Int32Array(rows.length);
  for (const label of [0, 1]) {
    const own = labels.flatMap((one, r) => (one === label ? [r] : []));
    shuffled(own, `${name} ${seed} ${label}`).forEach((r, i) => {
      fold[r] = i % 10;
    });
  }
  return range(0, 10, 1).map((held) => {
    const part = (isHeld: boolean) => {
      const chosen = rows.flatMap((_, r) => ((fold[r] === held) === isHeld ? [r] : []));
      return { rows: chosen.map((r) => rows[r]!), labels: chosen.map((r) => labels[r]!) };
    };
    return { name, features, levels: ["benign", "malignant"], train: part(false), test: part(true) };
  });
}

/** Wisconsin Breast Cancer (original), rows without a missing value, five bins; null where it is not at hand. */
export function bcwRows(root: string | null): SmallTable | null {
  const file = `${root}/breast-cancer-wisconsin/breast-cancer-wisconsin.data`;
  if (root === null || !existsSync(file)) return null;
  const lines = readFileSync(file, "utf8")
    .trim()
    .split("\n")
    .filter((line) => !line.includes("?"))
    .map((line) => line.split(",").map(Number));
  return {
    features: range(0, 9, 1).map((j) => ({
      name: `a${j + 1}`,
      type: "numeric",
      min: 1,
      max: 10,
      edges: [3, 5, 7, 9],
    })),
    rows: lines.map((cells) => cells.slice(1, 10)),
    labels: lines.map((cells) => (cells[10] === 4 ? 1 : 0)),
  };
}

/** WDBC between its columns' extremes, as the targets have it. */
export function wdbcRows(): SmallTable {
  const file = new URL("../../../examples/data/wdbc.csv", import.meta.url);
  const [header, ...lines] = readFileSync(file, "utf8").trim().split("\n");
  const cells = lines.map((line) => line.split(","));
  const rows = cells.map((line) => line.slice(0, -1).map(Number));
  return {
    features: header!
      .split(",")
      .slice(0, -1)
      .map((name, j) => {
        const values = rows.map((row) => row[j]!);
        return { name, type: "numeric", min: Math.min(...values), max: Math.max(...values) };
      }),
    rows,
    labels: cells.map((line) => (line.at(-1) === "malignant" ? 1 : 0)),
  };
}

function shuffled<T>(items: readonly T[], seed: string): T[] {
  const random = seedrandom(seed);
  return items
    .map((item) => ({ item, key: random() }))
    .sort((a, b) => a.key - b.key)
    .map(({ item }) => item);
}
