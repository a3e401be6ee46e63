import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import type { LevelSplits } from "@consilium/methods/shared/trees/levels";
import type { GrownTree } from "@consilium/methods/shared/trees/secondOrderConversation";
import { z } from "zod";
import { datasetFolder } from "./tables.js";

/** What XGBoost grew on real tables, and these tables. */

const xgboostNode = z.object({
  id: z.int(),
  depth: z.int(),
  cover: z.number(),
  feature: z
    .string()
    .transform((name) => Number(name.slice(1)))
    .optional(),
  threshold: z.number().optional(),
  gain: z.number().optional(),
  yes: z.int().optional(),
  no: z.int().optional(),
  leaf: z.number().optional(),
});

const oracleSchema = z.object({
  params: z.object({
    eta: z.number(),
    reg_lambda: z.number(),
    gamma: z.number(),
    min_child_weight: z.number(),
    base_score: z.number(),
    max_depth: z.int(),
    tree_method: z.enum(["exact", "hist", "approx"]),
    max_bin: z.int().default(256),
  }),
  n: z.int(),
  d: z.int(),
  data_sha256: z.string(),
  average_gain: z.record(z.string(), z.number()),
  margin_first_rows: z.array(z.number()),
  trees: z.array(z.array(xgboostNode)),
});
export type XgboostOracle = z.infer<typeof oracleSchema>;
export type XgboostNode = z.infer<typeof xgboostNode>;

/** An oracle's file, or null: then it says so and what needs it is skipped. */
export function xgboostOracle(name: string): XgboostOracle | null {
  const folder = process.env.CONSILIUM_ORACLES ?? "";
  const path = join(folder, `xgb_${name}.json`);
  if (folder !== "" && existsSync(path)) return oracleSchema.parse(JSON.parse(readFileSync(path, "utf8")));
  if (process.env.CONSILIUM_FORBID_SKIPS === "1")
    throw new Error(`CONSILIUM_ORACLES has no xgb_${name}.json; CONSILIUM_FORBID_SKIPS=1 forbids to skip it`);
  process.stderr.write(
    `\nSKIPPED: XGBoost's trees ${name}, because CONSILIUM_ORACLES does not lead to them\n`,
  );
  return null;
}

/** A table as XGBoost was given it: rows of numbers, the class last. */
export interface ClassTable {
  readonly rows: readonly (readonly number[])[];
  readonly columns: number;
}

export function classTable(name: "bcw" | "wdbc" | "adult"): ClassTable | null {
  const load = { bcw: breastCancer, wdbc, adult }[name];
  const folder = datasetFolder({ bcw: "breast-cancer-wisconsin", wdbc: "wdbc", adult: "adult" }[name]);
  if (folder === null) return null;
  const rows = load(folder);
  return { rows, columns: rows[0]!.length - 1 };
}

const cellsOf = (text: string) =>
  text
    .trim()
    .split("\n")
    .map((line) => line.split(",").map((cell) => cell.trim()));

function breastCancer(folder: string): number[][] {
  return cellsOf(readFileSync(`${folder}/breast-cancer-wisconsin.data`, "utf8"))
    .filter((cells) => !cells.includes("?"))
    .map((cells) => [...cells.slice(1, 10).map(Number), cells[10] === "4" ? 1 : 0]);
}

function wdbc(folder: string): number[][] {
  return cellsOf(readFileSync(`${folder}/wdbc.data`, "utf8")).map((cells) => [
    ...cells.slice(2).map(Number),
    cells[1] === "M" ? 1 : 0,
  ]);
}

/** Categories are numbers in the order of the alphabet, as the oracle has them. */
function adult(folder: string): number[][] {
  const lines = cellsOf(gunzipSync(readFileSync(`${folder}/adult.data.gz`)).toString("utf8"));
  const codes = Array.from({ length: 14 }, (_, j) => {
    const values = [...new Set(lines.map((cells) => cells[j]!))];
    if (values.every((value) => Number.isFinite(Number(value)))) return null;
    return new Map(values.sort().map((value, code) => [value, code]));
  });
  return lines.map((cells) => [
    ...codes.map((code, j) => (code === null ? Number(cells[j]) : code.get(cells[j]!)!)),
    cells[14] === ">50K" ? 1 : 0,
  ]);
}

/** The hash by which an oracle names its table: of float64 values row by row. */
export function tableHash(table: ClassTable): string {
  const values = Float64Array.from(table.rows.flat());
  return createHash("sha256").update(new Uint8Array(values.buffer)).digest("hex");
}

/** A table as XGBoost holds it: in single precision. */
export function singles(table: ClassTable): ClassTable {
  return { ...table, rows: table.rows.map((row) => row.map(Math.fround)) };
}

/** [columns] the distinct values of each column, ascending. */
export function distinctValues(table: ClassTable): number[][] {
  return Array.from({ length: table.columns }, (_, j) =>
    [...new Set(table.rows.map((row) => row[j]!))].sort((a, b) => a - b),
  );
}

/** XGBoost's thresholds: halfway between neighbours, in single precision. */
export const halfway = (low: number, high: number) => Math.fround(Math.fround(low + high) * 0.5);

/** A tree of XGBoost as ours would have been broadcast. @param cuts - that it was grown on */
export function asGrown(
  nodes: readonly XgboostNode[],
  depth: number,
  values: readonly (readonly number[])[],
  cuts: GrownTree["cuts"] = null,
): GrownTree {
  const levels: LevelSplits[number][][] = Array.from({ length: depth }, (_, level) =>
    new Array<LevelSplits[number]>(2 ** level).fill(null),
  );
  const leaves = new Float64Array(2 ** depth);
  const place = (id: number, level: number, node: number) => {
    const own = nodes.find((one) => one.id === id)!;
    if (own.leaf !== undefined) {
      leaves.fill(Math.fround(own.leaf), node << (depth - level), (node + 1) << (depth - level));
      return;
    }
    const feature = own.feature!;
    const cut = values[feature]!.filter((value) => value < Math.fround(own.threshold!)).length - 1;
    levels[level]![node] = { feature, cut };
    place(own.yes!, level + 1, 2 * node);
    place(own.no!, level + 1, 2 * node + 1);
  };
  place(0, 0, 0);
  return { levels, leaves, cuts, tree: { nodes: [] } };
}
