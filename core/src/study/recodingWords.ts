import { namesText } from "../words.js";
import type { CategoricalFeature, Label, NumericFeature } from "./features.js";
import { cohortOf, referenceOf, sourceOf } from "./recoding.js";
import type { Study } from "./study.js";
import { printExpression } from "./where/print.js";
import { expressionWords } from "./where/words.js";

/** Features and label that are not columns of the table as they are, by name: of dates, of another column, or recoded. */
export function madeColumns({ features, label }: Pick<Study, "features" | "label">): string[] {
  const isMade = (one: Study["features"][number] | Label) =>
    sourceOf(one) !== one.name ||
    ("as" in one && one.as !== undefined) ||
    ("map" in one && one.map !== undefined);
  return [...features, ...(label === undefined ? [] : [label])].filter(isMade).map(({ name }) => name);
}

/** A study's cohort and what it makes of the table's columns, in words: for who decides, plans and records. Empty for most. */
export function recodingWords(study: Study): string[] {
  const { features, label, columns = [] } = study;
  const where = cohortOf(study);
  const made = [...features, ...(label === undefined ? [] : [label])];
  const format = new Map(columns.map((one) => [one.name, one.type === "date" ? one.format : undefined]));
  return [
    ...(where === null
      ? []
      : [
          `Only rows for which this is true count: ${expressionWords(where.expression)}. All others, and those where a missing value leaves it open, are left out within the sums; their number stays at the hospital.`,
          `In the study's language: ${printExpression(where.expression)}`,
        ]),
    ...made.flatMap((one) => {
      const words = "min" in one ? numberWords(one, format) : levelWords(one);
      return words === "" ? [] : [words];
    }),
    ...(columns.length === 0
      ? []
      : [`Read for this alone, and part of no sum: ${namesText(columns.map(({ name }) => name))}.`]),
  ];
}

function numberWords(feature: NumericFeature, format: ReadonlyMap<string, string | undefined>): string {
  const { name, as } = feature;
  const source = sourceOf(feature);
  if (as === undefined) return source === name ? "" : `${name} is column ${source}.`;
  const spelled = format.get(source);
  const date = `the date ${source}${spelled === undefined ? "" : ` (${spelled})`}`;
  if (as === "year") return `${name} is the year of ${date}.`;
  const reference = referenceOf(feature);
  return "age-at" in as
    ? `${name} is the number of completed years from ${date} to ${reference}.`
    : `${name} is the number of days from ${reference} to ${date}.`;
}

function levelWords(column: CategoricalFeature | Label): string {
  const { name, map, levels, undeclared } = column;
  const source = sourceOf(column);
  const becomes = Array.isArray(map)
    ? map.map(({ below, level }, i) => {
        const from = i === 0 ? "" : String(map[i - 1]!.below);
        const to = below === undefined ? "and above" : `${i === 0 ? "" : "to "}below ${below}`;
        return `${`${from} ${to}`.trim()} is ${level}`;
      })
    : levels.flatMap((level) => {
        const own = Object.entries(map ?? {}).flatMap(([text, to]) =>
          to === level ? [JSON.stringify(text)] : [],
        );
        return own.length === 0 ? [] : [`${own.join(", ")} is ${level}`];
      });
  const made =
    becomes.length > 0
      ? `${name} is made of column ${source}: ${namesText(becomes)}.`
      : source === name
        ? ""
        : `${name} is column ${source}.`;
  const rule =
    undeclared === "reject-row"
      ? `Rows with any other ${source} are left out.`
      : undeclared === "other"
        ? `Every other ${source} counts as one level of its own.`
        : "";
  return [made, rule].filter((one) => one !== "").join(" ");
}
