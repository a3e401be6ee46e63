import { placeholder } from "@consilium/core/study/placeholder";
import { isRecord } from "../../../shared/yaml/values";

/** What a draft declares, as far as it can be read: a draft is half-written most of the time. */

export interface DeclaredColumn {
  readonly name: string;
  /** With its unit, as axes and tables have it. */
  readonly title: string;
  /** Empty without one. */
  readonly unit: string;
  /** Null for a number. */
  readonly levels: readonly string[] | null;
  /** [≥ 2] ascending, of a number: its bounds with its edges between them. */
  readonly edges: readonly number[];
}

export interface DeclaredLabel {
  readonly name: string;
  readonly levels: readonly string[];
}

export interface Declared {
  readonly columns: readonly DeclaredColumn[];
  readonly label: DeclaredLabel | null;
  /** With defaults and derived values, once the file has no faults. */
  readonly parameters: Readonly<Record<string, unknown>>;
  /** What is counted. */
  readonly units: "patients" | "rows";
}

/** Intervals of a column that declares no edges, while the plan has not said how many. */
const intervalsByDefault = 10;
const intervalsMost = 100;

/**
 * @param study - the draft's value
 * @param derived - the method's parameters as the aggregator fills them in; null while the draft has faults
 */
export function declaredOf(
  study: Readonly<Record<string, unknown>>,
  derived: Readonly<Record<string, unknown>> | null,
): Declared {
  // What is derived may be of an earlier text.
  const parameters = { ...derived, ...(isRecord(study.parameters) ? study.parameters : {}) };
  const intervals = countOf(parameters.bins) ?? countOf(parameters.intervals) ?? intervalsByDefault;
  const features = Array.isArray(study.features) ? study.features.filter(isRecord) : [];
  const isWeighed = isRecord(study.patient) && study.patient.weighting !== "rows";
  return {
    columns: features.map((feature, index) => columnOf(feature, index, Math.min(intervals, intervalsMost))),
    label: labelOf(study.label),
    parameters,
    units: isWeighed ? "patients" : "rows",
  };
}

function columnOf(
  feature: Readonly<Record<string, unknown>>,
  index: number,
  intervals: number,
): DeclaredColumn {
  const name = textOf(feature.name) || `column ${index + 1}`;
  if (feature.type === "categorical")
    return { name, title: name, unit: "", levels: textsOf(feature.levels), edges: [0, 1] };
  const unit = textOf(feature.unit);
  const min = numberOf(feature.min) ?? 0;
  const max = Math.max(numberOf(feature.max) ?? min + 1, min + Number.EPSILON);
  const declared = Array.isArray(feature.edges)
    ? feature.edges.filter((edge) => typeof edge === "number" && edge > min && edge < max)
    : null;
  const between =
    declared ?? Array.from({ length: intervals - 1 }, (_, i) => min + ((max - min) * (i + 1)) / intervals);
  return {
    name,
    title: unit === "" || unit === name ? name : `${name} (${unit})`,
    unit,
    levels: null,
    edges: [min, ...between.sort((a, b) => a - b), max],
  };
}

function labelOf(value: unknown): DeclaredLabel | null {
  if (!isRecord(value)) return null;
  return { name: textOf(value.name) || "outcome", levels: textsOf(value.levels) };
}

/** Empty of what nobody has written yet, too. */
export function textOf(value: unknown): string {
  if (value === placeholder) return "";
  return typeof value === "string" || typeof value === "number" ? String(value) : "";
}

export function textsOf(value: unknown): string[] {
  return Array.isArray(value) ? value.map(textOf).filter((one) => one !== "") : [];
}

const numberOf = (value: unknown) =>
  typeof value === "number" && Number.isFinite(value) ? value : undefined;

const countOf = (value: unknown) =>
  typeof value === "number" && Number.isInteger(value) && value >= 2 ? value : undefined;
