import { existsSync, readFileSync } from "node:fs";
import { type BinnedTable, shuffled } from "./tables.js";

/** Small tables in ten folds that are dealt out anew for each seed. */

const range = (from: number, to: number, step: number) =>
  Array.from({ length: Math.ceil((to - from) / step) }, (_, i) => from + i * step);

/** All rows of a small table. */
export interface SmallTable {
  /** Of the label; left out: benign and malignant. */
  readonly levels?: readonly string[];
  readonly features: readonly Record<string, unknown>[];
  readonly rows: readonly (readonly number[])[];
  readonly labels: readonly number[];
}

/** Ten stratified folds of a small table, dealt out anew for each seed. */
export function folds(name: string, table: SmallTable, seed: number): BinnedTable[] {
  const { features, rows, labels } = table;
  const fold = new Int32Array(rows.length);
  for (const label of [0, 1]) {
    const own = labels.flatMap((one, r) => (one === label ? [r] : []));
    shuffled(own.length, `${name} ${seed} ${label}`).forEach((place, i) => {
      fold[own[place]!] = i % 10;
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
