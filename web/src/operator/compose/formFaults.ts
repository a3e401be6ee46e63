import { readSaid } from "@consilium/core/readSaid";
import { placeholder } from "@consilium/core/study/placeholder";
import type { english as ofMethods } from "@consilium/methods-paper/english";
import type { english as shared } from "@consilium/words/english";
import type { AnySaid } from "@consilium/words/said";
import { t, translated } from "../../shared/language";
import { isRecord, type Path, valueAt } from "../../shared/yaml/values";
import { edgesOf } from "./edges";
import { columnName, placeOf, stepOf, titleOf } from "./places";
import type { MethodSpec } from "./schemaFields";
import { pathOf, type TextFault } from "./studyText";

/** An error as the form tells it: beside its field, in the form's words. */
export interface FormFault {
  readonly path: string;
  readonly at: Path;
  /** What the form calls the field. */
  readonly label: string;
  /** Of a column's own key, what its row calls it; null elsewhere. */
  readonly title: string | null;
  /** The field that mends it; null where only the file has the key. */
  readonly field: Path | null;
  readonly words: string;
  /** Nothing was entered: beside the field stands what it should hold. */
  readonly isEmpty: boolean;
  /** A change that mends it; null where only a person knows one. */
  readonly mend: Mend | null;
}

interface Mend {
  readonly label: string;
  readonly path: Path;
  readonly value: unknown;
}

type Study = Readonly<Record<string, unknown>>;

/** In one line, for what leads to the field. */
export const faultText = ({ label, words, isEmpty }: Pick<FormFault, "label" | "words" | "isEmpty">) =>
  isEmpty ? t("{of}: is empty", { of: label }) : t("{of}: {what}", { of: label, what: words });

/** @param faults - as the service sends them, sentences' lines; those of the YAML itself have no path and are left out */
export function formFaults(
  faults: readonly Pick<TextFault, "path" | "message">[],
  study: Study,
  method: MethodSpec | null,
): FormFault[] {
  const found = faults.flatMap(({ path, message }): FormFault[] => {
    if (path === "") return [];
    const at = pathOf(path);
    const said = readSaid(message);
    const mend = mendOf(at, said?.code, study);
    // Edges are proposed as soon as there are bounds: without them, these are what is lacking.
    if (said?.code === "fault.edges-lacking" && mend === null) return [];
    const isEmpty =
      isUnsaid(valueAt(study, at)) && (wanted(at) !== null || (said !== null && isMissing(said)));
    const words = isEmpty ? emptyWords(at) : wordsOf(message, said, study);
    return [{ path, at, ...placeOf(at, study, method), words, isEmpty, mend }];
  });
  const first = new Map(found.map((one) => [`${one.path} ${one.words}`, one]));
  return [...first.values()].sort((a, b) => stepOf(a.at) - stepOf(b.at) || placeAmong(a) - placeAmong(b));
}

/** As a column's row has its fields. */
const keysInOrder = ["name", "type", "min", "max", "levels", "edges", "unit"];

/** Columns stand in their order; what is asked of them comes after. */
function placeAmong({ at: [section, index, key] }: FormFault): number {
  if (section === "table") return -1;
  if (section !== "features" || typeof index !== "number") return Number.MAX_SAFE_INTEGER;
  return index + (1 + keysInOrder.indexOf(String(key))) / (1 + keysInOrder.length);
}

const emptyWords = (at: Path) => t("is empty: {what}", { what: wanted(at) ?? t("fill it in, or remove it") });

function wordsOf(message: string, said: AnySaid | null, study: Study): string {
  const own = said === null ? undefined : words[said.code as keyof Sentences];
  const text = own?.(said!.params as never) ?? tableWords(message);
  return text ?? inTheFormsNames(translated(message, "failures") ?? message, study);
}

/** Nothing was entered: what the form itself writes for that is no template's text. */
function isUnsaid(value: unknown): boolean {
  if (value === undefined || value === null || value === "" || value === placeholder) return true;
  return Array.isArray(value) && value.every(isUnsaid);
}

const missing: ReadonlySet<string> = new Set<keyof Sentences>([
  "fault.missing",
  "fault.placeholder",
  "fault.feature-needed",
  "fault.levels-needed",
  "fault.edge-needed",
  "fault.map-intervals",
  "fault.feature-type",
  "fault.column-type",
  "fault.classes-missing",
  "counts.condition-needed",
  "regression.feature-needed",
  "regression.label-missing",
  "regression.role-missing",
  "regression.event-missing",
]);

function isMissing({ code, params }: AnySaid): boolean {
  if (code === "fault.type" || code === "fault.form") return params.got === "null" || params.got === "string";
  if (code === "fault.at-least") return params.of === "array" || params.of === "string";
  return missing.has(code);
}

/** What an empty field should hold. */
function wanted([section, key, part]: Path): string | null {
  switch (
    section === "features"
      ? `column.${part ?? ""}`
      : [section, key].filter((one) => one !== undefined).join(".")
  ) {
    case "column.min":
      return t("enter a round number below every plausible value, from public knowledge, never from records");
    case "column.max":
      return t("enter a round number above every plausible value, from public knowledge, never from records");
    case "column.levels":
    case "label.levels":
      return t("enter every value that the column may have, separated by commas, from public knowledge");
    case "column.name":
    case "label.name":
      return t("enter the column's name in the table");
    case "column.":
      return t("add a column above");
    case "table":
      return t("choose a table, or enter its name");
    case "name":
      return t("enter a name for the study: small letters, digits and single hyphens");
    case "release.title":
      return t("say what this release is about");
    case "privacy":
    case "privacy.epsilon":
      return t("enter a number above 0: 1 is common");
    case "privacy.delta":
      return t("enter a small number, such as 0.000001");
    case "participation.maxRowsPerSite":
      return t("enter the most rows that one hospital may use, such as 10000");
    case "patient.column":
      return t("enter the column that says whose row it is");
    case "patient.maxRows":
      return t("enter how many rows of a patient are used at most, such as 4");
    case "parameters.components":
    case "parameters.select":
    case "parameters.k":
    case "parameters.rows":
      return t("enter a whole number");
    case "parameters.event":
    case "parameters.outcome":
    case "parameters.time":
      return t("choose one of those declared above");
    default:
      return null;
  }
}

type Sentences = typeof shared & typeof ofMethods;

const fromZero = () =>
  t("must be 0: follow-up and counts begin there; the maximum is where the follow-up ends");
const notNegative = () => t("rows with a negative value must be left out: they are errors");
const notMissing = () => t("rows without a value must be left out: nothing can stand for it");

/** Sentences that speak of the file, as the form says them; null for the sentence itself. */
const words: { readonly [C in keyof Sentences]?: (params: Parameters<Sentences[C]>[0]) => string | null } = {
  "fault.placeholder": () => t("is still the template's text: replace it, or empty the field"),
  "fault.edges-lacking": () =>
    t("are missing: take the proposal, or enter ascending numbers between the minimum and the maximum"),
  "fault.edges-ascend": () => t("must ascend: each number greater than the one before, separated by commas"),
  "fault.edges-within": () => t("must lie above the minimum, and at most at the maximum"),
  "fault.max-min": () => t("must be greater than the minimum; are the two swapped?"),
  "fault.missing-constant": () => t("must lie between the minimum and the maximum of the column"),
  "fault.declared-twice": ({ column, feature }) =>
    t("The column {name} is there twice, also as number {before} of the list: remove one of them.", {
      name: column,
      before: feature + 1,
    }),
  "fault.label-twice": ({ column }) =>
    t("{name} is among the columns above too: remove it there, or choose another column here.", {
      name: column,
    }),
  "fault.patient-read": ({ column }) =>
    t(
      "{name} is used in the study too: the column that says whose row it is must be used for nothing else.",
      { name: column },
    ),
  "fault.undeclared": ({ column }) =>
    t("The column {name} is not among the columns above: add it there, or choose another.", {
      name: column,
    }),
  "counts.level-undeclared": ({ level, column }) =>
    t("{level} is not among the levels of {name} above: add it there, or correct it here.", {
      level,
      name: column,
    }),
  "counts.outside": ({ value, min, max, column }) =>
    t(
      "{value} is not above the minimum ({min}) and at most at the maximum ({max}) of {name}: every number, or none, would meet it.",
      { value: String(value), min: String(min), max: String(max), name: column },
    ),
  "counts.name-taken": ({ condition }) =>
    t("Condition {at} has this name already: give each its own.", { at: condition + 1 }),
  "fault.colluding-honest": () =>
    t("must be at most Minimum sites less 2: two honest sites at least must remain"),
  "fault.rows-beyond": () => t("is more than Max rows per site times the number of sites: correct either"),
  "fault.sums-without-noise": () => t("cannot be public without noise: a sum without it shows records"),
  "fault.sums-paper": () =>
    t("cannot be public for a published method: what its sums show of a record is not proven"),
  "fault.sums-stage": ({ stage }) =>
    t("cannot be public: stage {stage} is no proven sum with noise", { stage }),
  "fault.sites-few": () => t("fewer sites are chosen than Minimum sites asks for"),
  "survival.time-zero": fromZero,
  "regression.time-zero": fromZero,
  "regression.counts-zero": fromZero,
  "survival.time-below": notNegative,
  "regression.value-below": notNegative,
  "survival.time-missing": notMissing,
  "regression.value-missing": notMissing,
  "fault.horizon-edge": () =>
    t("ends with the maximum, which ends the last interval anyway: remove that number"),
  "fault.title": () => t("is still “My study”: say what this release is about"),
  "fault.type": ({ wanted }) => (wanted === "number" || wanted === "int" ? t("must be a number") : null),
  "fault.whole-number": () => t("must be a whole number"),
  "fault.above": ({ bound }) => t("must be greater than {bound}", { bound: String(bound) }),
  "fault.at-most": ({ bound, of }) =>
    of === "string" ? t("is too long: at most {most} characters", { most: bound }) : null,
};

/** What the sites' tables lack, as the form says it; null for another sentence. */
function tableWords(message: string): string | null {
  const [, absent, absentAt, nearAbsent] =
    /^no table "(.*?)" at (.+?)( \(nearest: .*\))?$/.exec(message) ?? [];
  if (absent !== undefined)
    return `${t("There is no table {table} at {sites}.", { table: absent, sites: absentAt! })}${nearWords(nearAbsent)}`;
  const [, name, table, sites, near] =
    /^no column "(.*?)" in table (\S+) at (.+?)( \(nearest: .*\))?$/.exec(message) ?? [];
  if (name !== undefined)
    return `${t("The table {table} has no column {name} at {sites}.", { table: table!, name, sites: sites! })}${nearWords(near)}`;
  const [, typed, type, typedAt, isCategory] =
    /^column "(.*)" has the type (.+) at (.+?)(; declare it categorical)?$/.exec(message) ?? [];
  if (typed === undefined) return null;
  const values = { name: typed, type: type!, sites: typedAt! };
  return isCategory === undefined
    ? t("{name} is of the type {type} at {sites}, which the study does not read as declared.", values)
    : t("{name} is of the type {type} at {sites}: declare it as a category.", values);
}

/** The nearest names, as a service proposes them: ` (nearest: "age")`. */
function nearWords(near: string | undefined): string {
  const names = [...(near ?? "").matchAll(/"(.*?)"/g)].map(([, name]) => name);
  return names.length === 0 ? "" : ` ${t("Did you mean {name}?", { name: names.join(", ") })}`;
}

/** Keys of the file in a sentence, by what the form calls them. */
function inTheFormsNames(text: string, study: Study): string {
  return text
    .replace(/\bfeatures\[(\d+)\](?:\.(\w+))?/g, (_, at: string, key?: string) =>
      key === undefined
        ? columnName(study, Number(at))
        : placeOf(["features", Number(at), key], study, null).label,
    )
    .replace(
      /\b(?:parameters|participation|privacy|release|request|patient|label)\.(\w+)(?:\[\d+\])?/g,
      (_, key: string) => titleOf(key),
    )
    .replace(/\b[a-z]+(?:[A-Z][a-z]+)+\b/g, (key) => titleOf(key));
}

function mendOf(at: Path, code: string | undefined, study: Study): Mend | null {
  const [section, index] = at;
  if (section !== "features" || typeof index !== "number") return null;
  if (code === "fault.edges-lacking") {
    const feature = valueAt(study, ["features", index]);
    const value = isRecord(feature) ? edgesOf(feature) : null;
    return value === null
      ? null
      : { label: t("Use the proposal: {edges}", { edges: value.join(", ") }), path: at, value };
  }
  if (code !== undefined && words[code as keyof Sentences] === fromZero)
    return { label: t("Set it to 0"), path: at, value: 0 };
  return null;
}
