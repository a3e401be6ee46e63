import { readFile } from "node:fs/promises";
import { z95 } from "@consilium/core/linalg/z95";
import { type TreePredictor, treePredictorSchema } from "@consilium/core/release/predictor";
import { tablesFileSchema } from "@consilium/core/release/views";
import { type DpPcaModel, dpPcaModelSchema, projectDpPcaRow } from "@consilium/methods/dp-pca/model";
import { regressionModelSchema } from "@consilium/methods/regression/model";
import { survivalModelSchema } from "@consilium/methods/survival/model";
import {
  type SyntheticTableModel,
  syntheticTableModelSchema,
} from "@consilium/methods/synthetic-table/model";
import { type PcaModel, pcaModelSchema, projectRow } from "@consilium/methods-paper/elfed-pca/model";
import { z } from "zod";
import { predictRow } from "../core/testing/release/predict.js";

/**
 * What a release is worth: the part of the demo's biopsies whose diagnosis it tells right. Only the demo can see that:
 * the tables are public, and nobody in a federation has such a view.
 *
 * - PCA: by the nearest class mean of the released rows, in the reduced coordinates.
 * - Selected features: by the nearest class mean of the table itself, in the selected columns.
 * - Trees and regressions: by the model.
 *
 * @param tables - parts of the whole table, CSV without quotes
 * @param folder - of the release
 * @returns null where a release predicts no diagnosis
 */
export async function measureWorth(tables: readonly string[], folder: string): Promise<number | null> {
  const raw = await modelIn(folder);
  if (factsOf(raw) !== null) return null;
  const rows = (await whole(tables)).flatMap(readTable);
  if (raw.analysis === "regression") return regressionWorth(raw, rows);
  if ("trees" in raw) return treesWorth(raw, rows);
  if ("selected" in raw) return selectionWorth(raw, rows);
  const model = readModel(raw);
  const released = readTable(await readFile(`${folder}/data.csv`, "utf8"));
  return accuracyOf(
    rows.map(({ values, label }) => ({ at: project(model, values), label })),
    released.map(({ values, label }) => ({ at: Object.values(values), label })),
  );
}

const modelIn = async (folder: string) =>
  JSON.parse(await readFile(`${folder}/model.json`, "utf8")) as Record<string, unknown>;

const whole = (tables: readonly string[]) => Promise.all(tables.map((path) => readFile(path, "utf8")));

/** A released number beside that of the whole table. */
export interface ReleasedFact {
  readonly what: string;
  readonly value: number;
  /** Its interval of 95 %; null where the release states none. */
  readonly interval: { readonly low: number; readonly high: number } | null;
  readonly truth: number;
}

/** What a release without a prediction says first. */
export async function releasedFacts(tables: readonly string[], folder: string): Promise<ReleasedFact[]> {
  const raw = await modelIn(folder);
  const facts = factsOf(raw);
  return facts === null ? [] : facts(raw, await whole(tables), folder);
}

type Facts = (
  raw: Record<string, unknown>,
  texts: readonly string[],
  folder: string,
) => Promise<ReleasedFact[]>;

function factsOf({ analysis }: Record<string, unknown>): Facts | null {
  switch (analysis) {
    case "describe":
      return describedFacts;
    case "survival":
      return survivalFacts;
    case "synthetic-table":
      return syntheticFacts;
    default:
      return null;
  }
}

const number = z.number();

/** The counts of conditions, and the mean of each column of a table one. */
async function describedFacts(
  _raw: Record<string, unknown>,
  texts: readonly string[],
  folder: string,
): Promise<ReleasedFact[]> {
  const rows = texts.flatMap(readTable);
  const released = tablesFileSchema.parse(JSON.parse(await readFile(`${folder}/tables.json`, "utf8"))).tables;
  const tableLines = (name: string) => released.find((table) => table.name === name)?.rows ?? [];
  const counts = tableLines("counts").map(([what, meaning, , value, low, high]) => ({
    what: String(what),
    value: number.parse(value),
    interval: { low: number.parse(low), high: number.parse(high) },
    truth: rows.filter(({ values }) => meets(String(meaning), values)).length,
  }));
  const means = tableLines("summary")
    .filter(([, group, statistic]) => group === "overall" && statistic === "mean")
    .map(([what, , , value, low, high]) => ({
      what: `mean of ${what}`,
      value: number.parse(value),
      interval: { low: number.parse(low), high: number.parse(high) },
      truth: rows.reduce((sum, { values }) => sum + values[String(what)]! / rows.length, 0),
    }));
  return [...counts, ...means];
}

/** A condition as the release words it. */
function meets(meaning: string, values: Row["values"]): boolean {
  const least = [...meaning.matchAll(/(\w+) is at least ([\d.]+)/g)];
  return least.every(([, column, bound]) => values[column!]! >= Number(bound));
}

type Line = Readonly<Record<string, string>>;

/** Of each group, how many have had no event halfway to the horizon; the whole table's curve is not cut into intervals. */
async function survivalFacts(
  raw: Record<string, unknown>,
  texts: readonly string[],
  folder: string,
): Promise<ReleasedFact[]> {
  const { time, status, groupedBy, groups } = survivalModelSchema.parse(raw);
  const rows = texts.flatMap(linesOf);
  const halfway = time.edges.at(-1)! / 2;
  const at = time.edges.find((edge) => edge >= halfway)!;
  const points = linesOf(await readFile(`${folder}/data.csv`, "utf8")).filter(
    (point) => Number(point.time) === at,
  );
  return points.map((point) => {
    const group = point.group ?? groups[0]!.group;
    const followed = rows
      .filter((row) => groupedBy === null || row[groupedBy] === group)
      .map((row) => ({ until: Number(row[time.name]), isEvent: row[status.name] === status.event }));
    return {
      what: `without the event after ${at} ${time.unit ?? ""}${groupedBy === null ? "" : `, ${groupedBy} = ${group}`}`,
      value: Number(point.survival),
      interval: { low: Number(point.survival_low), high: Number(point.survival_high) },
      truth: survivalOf(followed, at),
    };
  });
}

/** Kaplan and Meier's estimate at a time, with events at it. */
function survivalOf(
  followed: readonly { readonly until: number; readonly isEvent: boolean }[],
  time: number,
): number {
  const events = followed.filter((one) => one.isEvent && one.until <= time);
  return [...new Set(events.map((one) => one.until))].reduce((left, t) => {
    const atRisk = followed.filter((one) => one.until >= t).length;
    return left * (1 - events.filter((one) => one.until === t).length / atRisk);
  }, 1);
}

/** How many records were counted; and of the drawn rows, along the tree, a number's mean or how many have the last level, by the other column's levels. */
async function syntheticFacts(
  raw: Record<string, unknown>,
  texts: readonly string[],
  folder: string,
): Promise<ReleasedFact[]> {
  const { records, columns } = syntheticTableModelSchema.parse(raw);
  const rows = texts.flatMap(linesOf);
  const drawn = linesOf(await readFile(`${folder}/data.csv`, "utf8"));
  const all = columns.map(({ name, edges, levels, countsMissing }) => ({
    name,
    edges,
    levels: countsMissing ? (levels?.slice(0, -1) ?? null) : levels,
  }));
  const facts = columns.flatMap(({ given }, child) => {
    if (given === null) return [];
    const pair = [all[given.column]!, all[child]!];
    const by = pair.find(({ levels }) => levels !== null);
    const [of] = pair.filter((column) => column !== by);
    return (by?.levels ?? []).map((level): ReleasedFact => {
      const mean = (lines: readonly Line[]) => {
        const own = lines.filter((line) => line[by!.name] === level);
        return own.reduce((sum, line) => sum + valueIn(line, of!) / own.length, 0);
      };
      const what =
        of!.levels === null ? `mean of ${of!.name}` : `part with ${of!.name} = ${of!.levels.at(-1)}`;
      return {
        what: `${what} in the rows drawn, ${by!.name} = ${level}`,
        value: mean(drawn),
        interval: null,
        truth: mean(rows),
      };
    });
  });
  const half = z95 * records.noiseStdDev;
  const interval = { low: records.count - half, high: records.count + half };
  return [{ what: "records counted", value: records.count, interval, truth: rows.length }, ...facts];
}

/** A number, beyond its bounds the bound; of a category, whether it is the last level. */
function valueIn(
  line: Line,
  { name, edges, levels }: Pick<SyntheticTableModel["columns"][number], "name" | "edges" | "levels">,
): number {
  if (edges === null) return line[name] === levels!.at(-1) ? 1 : 0;
  return Math.min(edges.at(-1)!, Math.max(edges[0]!, Number(line[name])));
}

function linesOf(text: string): Line[] {
  const [header, ...lines] = text.trim().split(/\r?\n/);
  const names = header!.split(",");
  return lines.map((line) => {
    const cells = line.split(",");
    return Object.fromEntries(names.map((name, j) => [name, cells[j]!]));
  });
}

function treesWorth(raw: Record<string, unknown>, rows: readonly Row[]): number {
  const { inputs, label, trees, base, link, probability } = treePredictorSchema.shape;
  const fields = z
    .object({ inputs, label, trees: z.array(trees.element), base, link, probability })
    .parse(raw);
  const predictor: TreePredictor = { kind: "trees", isXgboost: false, ...fields };
  const right = rows.filter(
    (row) => predictor.label.levels[predictRow(predictor, row.values).predicted] === row.label,
  );
  return right.length / rows.length;
}

function regressionWorth(raw: Record<string, unknown>, rows: readonly Row[]): number {
  const { outcome, coefficients, predicting } = regressionModelSchema.parse(raw);
  const right = rows.filter(({ values, label }) => {
    const logOdds = coefficients.reduce(
      (sum, { feature }, j) => sum + predicting[j]! * (feature === null ? 1 : values[feature]!),
      0,
    );
    return outcome.levels![logOdds > 0 ? 1 : 0] === label;
  });
  return right.length / rows.length;
}

function selectionWorth(raw: Record<string, unknown>, rows: readonly Row[]): number {
  const { selected } = z.object({ selected: z.array(z.string()) }).parse(raw);
  const spans = selected.map((name) => {
    const values = rows.map(({ values: own }) => own[name]!);
    return { name, min: Math.min(...values), width: Math.max(...values) - Math.min(...values) };
  });
  const points = rows.map(({ values, label }) => ({
    at: spans.map(({ name, min, width }) => (values[name]! - min) / width),
    label,
  }));
  return accuracyOf(points, points);
}

type Model = PcaModel | DpPcaModel;

interface Row {
  readonly values: Readonly<Record<string, number>>;
  readonly label: string;
}

function readModel(raw: { readonly method?: unknown }): Model {
  return raw.method === "dp-pca" ? dpPcaModelSchema.parse(raw) : pcaModelSchema.loose().parse(raw);
}

function project(model: Model, row: Row["values"]): readonly number[] {
  return [...(model.method === "dp-pca" ? projectDpPcaRow(model, row) : projectRow(model, row))];
}

/** The label in the last column, numbers in the others. */
function readTable(text: string): Row[] {
  return linesOf(text).map((line) => {
    const cells = Object.entries(line);
    const numbers = cells.slice(0, -1).map(([name, cell]) => [name, Number(cell)] as const);
    return { values: Object.fromEntries(numbers), label: cells.at(-1)![1] };
  });
}

interface Point {
  readonly at: readonly number[];
  readonly label: string;
}

function accuracyOf(rows: readonly Point[], released: readonly Point[]): number {
  const labels = [...new Set(released.map(({ label }) => label))];
  const means = labels.map((label) => {
    const own = released.filter((point) => point.label === label);
    return own[0]!.at.map((_, j) => own.reduce((sum, { at }) => sum + at[j]!, 0) / own.length);
  });
  const distance = (a: readonly number[], b: readonly number[]) =>
    a.reduce((sum, value, j) => sum + (value - b[j]!) ** 2, 0);
  const right = rows.filter(({ at, label }) => {
    const distances = means.map((mean) => distance(at, mean));
    return labels[distances.indexOf(Math.min(...distances))] === label;
  });
  return right.length / rows.length;
}
