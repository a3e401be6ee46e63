import { withValue } from "../../shared/yaml/edit";
import { isRecord } from "../../shared/yaml/values";
import { readStudyText } from "./studyText";

/** Bin edges to propose where bounds are declared: equal widths at round numbers. They follow from what is public. */

/** As many bins as the table of clinical variables has for most of them. */
const binsMost = 10;

/** Methods that count by interval and have no intervals of their own: each numeric column needs edges, or the study needs bins. */
const needing: ReadonlySet<string> = new Set(["describe", "synthetic-table"]);

type Feature = Readonly<Record<string, unknown>>;

/** Whether a study's method needs edges of each numeric column. */
export const needsEdges = (method: string | undefined, parameters: unknown): boolean =>
  needing.has(method ?? "") && !(isRecord(parameters) && parameters.bins !== undefined);

/**
 * Edges strictly between two bounds, at multiples of 1, 2, 2.5 or 5 times a power of ten: at most nine, and as many of them as that
 * allows. @returns empty where a bound is no number, or none fits
 */
export function roundEdges(min: number, max: number): number[] {
  const range = max - min;
  if (!(Number.isFinite(range) && range > 0)) return [];
  const power = 10 ** Math.floor(Math.log10(range / binsMost));
  // Whole bounds are often those of counts: half of one is no value.
  const isWhole = Number.isInteger(min) && Number.isInteger(max) && range >= 4;
  const step = [1, 2, 2.5, 5, 10]
    .map((one) => one * power)
    .find((one) => range / one <= binsMost * (1 + 1e-9) && (!isWhole || Number.isInteger(one)));
  if (step === undefined || !(step > 0)) return [];
  const first = Math.floor(min / step) + 1;
  const edges = Array.from({ length: binsMost + 1 }, (_, i) => Number(((first + i) * step).toPrecision(12)));
  return edges.filter((edge) => edge > min && edge < max);
}

/** What is proposed for a column; null where nothing is. */
export function edgesOf({ type, min, max }: Feature): readonly number[] | null {
  if (type === "categorical" || typeof min !== "number" || typeof max !== "number") return null;
  const edges = roundEdges(min, max);
  return edges.length === 0 ? null : edges;
}

/** Whether a column's edges are those that are proposed for its bounds. */
export function hasProposedEdges(feature: Feature): boolean {
  const { edges } = feature;
  return Array.isArray(edges) && JSON.stringify(edges) === JSON.stringify(edgesOf(feature));
}

/**
 * A column with another bound: edges that were proposed, and no person's, follow it.
 * @param isNeeded - the method has no answer without edges
 */
export function withBound(feature: Feature, key: "min" | "max", value: unknown, isNeeded: boolean): Feature {
  const { [key]: _before, ...others } = feature;
  const changed = value === undefined ? others : { ...feature, [key]: value };
  const mayFollow = hasProposedEdges(feature) || (isNeeded && feature.edges === undefined);
  if (!mayFollow) return changed;
  const edges = edgesOf(changed);
  // While a bound is typed, what was proposed stays.
  return edges === null ? changed : { ...changed, edges };
}

/** Places of columns that have bounds and no edges, with what is proposed. */
export function openEdges(features: readonly unknown[]): ReadonlyMap<number, readonly number[]> {
  const open = new Map<number, readonly number[]>();
  features.forEach((one, at) => {
    if (!isRecord(one) || one.edges !== undefined) return;
    const edges = edgesOf(one);
    if (edges !== null) open.set(at, edges);
  });
  return open;
}

/** The draft with edges proposed for each column that has none. */
export function withProposedEdges(text: string): string {
  const features = readStudyText(text).value?.features;
  if (!Array.isArray(features)) return text;
  return [...openEdges(features)].reduce(
    (changed, [at, edges]) => withValue(changed, ["features", at, "edges"], edges),
    text,
  );
}
