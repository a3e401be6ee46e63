import { placeholder } from "@consilium/core/study/placeholder";
import { said, served, t } from "../../shared/language";
import { isRecord, type Path, valueAt } from "../../shared/yaml/values";
import type { MethodSpec } from "./schemaFields";

/** Where a key of the file is in the form: its field, its step, and what the form calls it. */

/** What a person decides, in this order, with the keys that are asked there; others are columns, and what is asked of them. */
const keysByStep: readonly (readonly string[])[] = [
  ["analysis", "method", "variant"],
  [],
  ["privacy", "patient"],
  ["participation"],
  ["name", "release", "request"],
];
const ofColumns = 1;
const ofPrivacy = 2;

export function stepOf([key, next]: Path): number {
  // It is asked beside the precision that depends on it.
  if (key === "participation" && (next === "expectedRows" || next === "expectedEvents")) return ofPrivacy;
  const at = keysByStep.findIndex((keys) => keys.includes(String(key ?? "")));
  return at === -1 ? ofColumns : at;
}

/** The id of a field's control. */
export const fieldId = (path: Path): string => `field-${path.join("-")}`;

/** `minimumSites` as `Minimum sites`. */
export function titleOf(key: string): string {
  const words = key.replace(/([a-z])([A-Z])/g, "$1 $2").toLowerCase();
  return served(words.charAt(0).toUpperCase() + words.slice(1));
}

/** Parameters that name a column or a level. */
export const nameTitles: Readonly<Record<string, string>> = said({
  event: "The event",
  outcome: "The outcome",
  exposure: "In proportion to (exposure)",
  time: "Time of follow-up",
});

const columnTitles: Readonly<Record<string, string>> = said({
  name: "Name",
  type: "Type",
  min: "Minimum",
  max: "Maximum",
  levels: "Levels",
  edges: "Bin edges",
  unit: "Unit",
  per: "Step|of a coefficient",
});

const patientTitles: Readonly<Record<string, string>> = said({
  column: "Patient's column",
  maxRows: "Maximum rows per patient",
  weighting: "Patients with several rows",
});

const wholes: Readonly<Record<string, string>> = said({
  features: "Columns|of a study",
  label: "Outcome or group",
  privacy: "Privacy",
  patient: "Whom it protects",
  analysis: "The question",
  method: "The question",
  variant: "The question",
  table: "Table",
});

export interface Place {
  /** Such as "age: Maximum". */
  readonly label: string;
  /** Of a column's own key, what its row calls it: "Maximum"; null elsewhere. */
  readonly title: string | null;
  /** The path of the nearest field; null where only the file has the key. */
  readonly field: Path | null;
}

/**
 * @param study - the draft's value, half-written most of the time
 * @param method - the chosen method; null while it is unknown
 */
export function placeOf(
  path: Path,
  study: Readonly<Record<string, unknown>>,
  method: MethodSpec | null,
): Place {
  const title = path[0] === "features" && path[2] !== undefined ? columnTitle(path[2]) : null;
  return { title, ...namedPlace(path, study, method) };
}

const columnTitle = (key: string | number) => columnTitles[String(key)] ?? titleOf(String(key));

type NamedPlace = Omit<Place, "title">;

function namedPlace(
  path: Path,
  study: Readonly<Record<string, unknown>>,
  method: MethodSpec | null,
): NamedPlace {
  const [section, key, part] = path;
  const whole = wholes[String(section)] ?? titleOf(String(section ?? t("the file")));
  switch (section) {
    case "features":
      return columnPlace(path, study);
    case "label": {
      const isKnown = key === "name" || key === "levels";
      const own = isKnown ? (key === "name" ? t("Column") : t("Levels")) : titleOf(String(key));
      return key === undefined
        ? { label: whole, field: ["label"] }
        : { label: t("{of}: {what}", { of: whole, what: own }), field: isKnown ? ["label", key] : null };
    }
    case "parameters":
      return parameterPlace(path, study, method);
    case "privacy":
      if (key === "epsilon") return { label: t("Epsilon (ε)"), field: path };
      if (key === "delta") return { label: t("Delta (δ)"), field: path };
      return { label: whole, field: key === undefined ? ["privacy", "epsilon"] : null };
    case "patient":
      return { label: patientTitles[String(key)] ?? whole, field: path.slice(0, 2) };
    case "participation":
    case "release":
    case "request":
      return key === undefined
        ? { label: whole, field: null }
        : { label: titleOf(String(key)), field: path.slice(0, 2) };
    case "name":
    case "table":
      return { label: whole, field: [section] };
    case "analysis":
    case "method":
    case "variant":
      return { label: whole, field: ["analysis"] };
    default:
      return { label: [section, key, part].filter((one) => typeof one === "string").join("."), field: null };
  }
}

/** What the form calls a column: its name, or its place while it has none. */
export function columnName(study: Readonly<Record<string, unknown>>, at: number): string {
  const feature = valueAt(study, ["features", at]);
  const name = isRecord(feature) ? feature.name : undefined;
  return typeof name === "string" && name.trim() !== "" && name !== placeholder
    ? name
    : t("feature {index}", { index: at + 1 });
}

function columnPlace(path: Path, study: Readonly<Record<string, unknown>>): NamedPlace {
  const [, at, key] = path;
  if (typeof at !== "number") return { label: wholes.features!, field: ["features"] };
  const of = columnName(study, at);
  if (key === undefined) return { label: of, field: ["features", at, "name"] };
  return {
    label: t("{of}: {what}", { of, what: columnTitle(key) }),
    field: columnTitles[String(key)] === undefined ? null : path.slice(0, 3),
  };
}

function parameterPlace(
  path: Path,
  study: Readonly<Record<string, unknown>>,
  method: MethodSpec | null,
): NamedPlace {
  const [, key, at] = path;
  const isAsked = method?.parameters.some((one) => one.key === key) ?? false;
  const field = isAsked ? path.slice(0, 2) : null;
  if (key === "conditions" && typeof at === "number") {
    const name = valueAt(study, ["parameters", "conditions", at, "name"]);
    const of = typeof name === "string" && name !== "" ? name : String(at + 1);
    return { label: t("Condition {of}", { of }), field: field === null ? null : path.slice(0, 3) };
  }
  if (key === "tables" && typeof at === "number")
    return {
      label: t("Two-way table {index}", { index: at + 1 }),
      field: field === null ? null : path.slice(0, 3),
    };
  const own = String(key ?? "parameters");
  return { label: titlesOfLists[own] ?? nameTitles[own] ?? titleOf(own), field };
}

const titlesOfLists: Readonly<Record<string, string>> = said({
  conditions: "Conditions to count",
  tables: "Two-way tables",
});
