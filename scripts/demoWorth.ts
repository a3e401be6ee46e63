import { readFile } from "node:fs/promises";
import { type TreePredictor, treePredictorSchema } from "@consilium/core/release/predictor";
import { tablesFileSchema } from "@consilium/core/release/views";
import { type DpPcaModel, dpPcaModelSchema, projectDpPcaRow } from "@consilium/methods/dp-pca/model";
import { regressionModelSchema } from "@consilium/methods/regression/model";
import { type SurvivalModel, survivalModelSchema } from "@consilium/methods/survival/model";
import { type PcaModel, pcaModelSchema, projectRow } from "@consilium/methods-paper/elfed-pca/model";
import { z } from "zod";
import { predictRow } from "../core/testing/release/predict.js";

/**
 * What a release is worth: the part of the demo's biopsies whose diagnosis it tells right. Only the demo can see that:
 * the tables are public, and nobody in a federation has such a view.
 *
 * - PCA: by the nearest class mean of the released rows, in the reduced coordinates.
 * - Selected features: by the nearest class mean of the table itself, in the selected columns.
 * - Trees: by the model.
 *
 * Of survival curves: 1 less the largest distance from the curves of all rows, not cut into intervals.
 *
 * @param tables - parts of the whole table, CSV without quotes
 * @param folder - of the release
 * @returns null where a release predicts nothing
 */
export async function measureWorth(tables: readonly string[], folder: string): Promise<number | null> {
  const raw = JSON.parse(await readFile(`${folder}/model.json`, "utf8")) as Record<string, unknown>;
  if (isDescription(raw)) return null;
  const texts = await Promise.all(tables.map((path) => readFile(path, "utf8")));
  if (raw.method === "survival") {
    const released = await readFile(`${folder}/data.csv`, "utf8");
    return curvesWorth(survivalModelSchema.parse(raw), linesOf(released), texts.flatMap(linesOf));
  }
  const rows = texts.flatMap(readTable);
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

const isDescription = (raw: Record<string, unknown>) => raw.analysis === "describe";

/** A released number beside that of the whole table. */
export interface ReleasedFact {
  readonly what: string;
  readonly value: number;
  readonly low: number;
  readonly high: number;
  readonly truth: number;
}

/** What counts and a table one say: the counts, and the mean of each column; nothing of other releases. */
export async function releasedFacts(tables: readonly string[], folder: string): Promise<ReleasedFact[]> {
  const raw = JSON.parse(await readFile(`${folder}/model.json`, "utf8")) as Record<string, unknown>;
  if (!isDescription(raw)) return [];
  const texts = await Promise.all(tables.map((path) => readFile(path, "utf8")));
  const rows = texts.flatMap(readTable);
  const released = tablesFileSchema.parse(JSON.parse(await readFile(`${folder}/tables.json`, "utf8"))).tables;
  const tableLines = (name: string) => released.find((table) => table.name === name)?.rows ?? [];
  const number = z.number();
  const counts = tableLines("counts").map(([what, meaning, , value, low, high]) => ({
    what: String(what),
    ...{ value: number.parse(value), low: number.parse(low), high: number.parse(high) },
    truth: rows.filter(({ values }) => meets(String(meaning), values)).length,
  }));
  const means = tableLines("summary")
    .filter(([, group, statistic]) => group === "overall" && statistic === "mean")
    .map(([what, , , value, low, high]) => ({
      what: `mean of ${what}`,
      ...{ value: number.parse(value), low: number.parse(low), high: number.parse(high) },
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

function curvesWorth(model: SurvivalModel, released: readonly Line[], rows: readonly Line[]): number {
  const { time, status, groupedBy } = model;
  const horizon = time.edges.at(-1)!;
  const distances = released.map(({ time: at, survival, group }) => {
    const own = rows.filter((row) => groupedBy === null || row[groupedBy] === group);
    const followed = own.map((row) => ({
      until: Number(row[time.name]),
      isEvent: row[status.name] === status.event,
    }));
    const until = Number(at);
    // At the horizon itself nobody has the event any more.
    const events = followed.filter((one) => one.isEvent && one.until < Math.min(until, horizon));
    const part = [...new Set(events.map((one) => one.until))].reduce((left, t) => {
      const atRisk = followed.filter((one) => one.until >= t).length;
      return left * (1 - events.filter((one) => one.until === t).length / atRisk);
    }, 1);
    return Math.abs(part - Number(survival));
  });
  return 1 - Math.max(...distances);
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
  const { outcome, coefficients } = regressionModelSchema.parse(raw);
  const right = rows.filter(({ values, label }) => {
    const logOdds = coefficients.reduce(
      (sum, { feature, coefficient }) => sum + coefficient * (feature === null ? 1 : values[feature]!),
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
