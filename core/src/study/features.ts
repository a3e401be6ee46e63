import { z } from "zod";
import { isStorableText } from "../text.js";
import { isFormula } from "./cellText.js";

/**
 * What a study declares of a table's columns. Bounds and levels are public and declared, never read from data:
 * reading them would reveal something of the records before any protection applies.
 */

const computed =
  "a spreadsheet would compute it: it may not begin with = or @, nor with + or - unless a number or nothing follows";

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this refuses
const noControlCharacters = /^[^\u0000-\u001f\u007f-\u009f]+$/;

/** What stands in the cells and headers of a release's files. */
const cellText = (what: string) =>
  z
    .string()
    .min(1, `${what} is not empty`)
    .max(128, `${what} has at most 128 characters`)
    .regex(noControlCharacters, `${what} holds no control characters`)
    .refine(isStorableText, `${what} holds no half of a surrogate pair`)
    .refine((text) => !isFormula(text), computed);

const columnName = cellText("a column's name");
const level = cellText("a level");

/** Text for people, which may have lines. */
export const freeText = (maxLength: number) =>
  z
    .string()
    .max(maxLength)
    .refine(isStorableText, "NUL characters and halves of surrogate pairs are not allowed");

const levels = z
  .array(level)
  .min(2, "declare at least two levels")
  .max(4096, "at most 4096 levels")
  .refine((all) => new Set(all).size === all.length, "levels must differ from each other");

/** What to do with a missing value; a study-wide rule may be overridden by a column. */
const missingConstant = z.strictObject({ constant: z.number() });
const numericMissing = z
  .union(
    [z.literal("reject-row"), z.literal("own-level"), missingConstant],
    "`reject-row`, `own-level` or { constant }",
  )
  .describe("`own-level`: missing values are counted by themselves, by the methods that count.");
const categoricalMissing = z.enum(["reject-row", "own-level"]);

/** Sums and differences of bounds must stay finite. */
const bound = z.number().min(-1e100, "at least -1e100").max(1e100, "at most 1e100");

const numericFeature = z
  .strictObject({
    name: columnName,
    type: z.literal("numeric"),
    min: bound,
    max: bound,
    unit: freeText(64).optional(),
    description: freeText(1000).optional(),
    missing: numericMissing.default("reject-row"),
    below: z
      .literal("reject-row")
      .optional()
      .describe(
        "What becomes of a row whose value is below `min`: `reject-row` leaves it out, for columns where such a value is an error. Left out: the value counts as `min`.",
      ),
    edges: z
      .array(bound)
      .min(1, "declare at least one edge")
      .max(65_534, "at most 65534 edges")
      .optional()
      .describe(
        "Where a method that counts divides the column: ascending, each above `min` and at most `max`. Bin b holds edges[b-1] ≤ x < edges[b]. Left out: intervals of equal width, as many as the study's `parameters.bins`.",
      ),
  })
  .refine((f) => f.edges === undefined || f.edges.every((edge, i) => i === 0 || edge > f.edges![i - 1]!), {
    path: ["edges"],
    message: "edges must ascend, each greater than the one before",
  })
  .refine((f) => f.edges === undefined || (f.edges[0]! > f.min && f.edges.at(-1)! <= f.max), {
    path: ["edges"],
    message: "edges must be greater than min and at most max",
  })
  .refine((f) => f.min < f.max, { path: ["max"], message: "max must be greater than min" })
  .refine(({ missing, min, max }) => missingFits(missing, min, max), {
    path: ["missing", "constant"],
    message: "the constant must lie between min and max",
  });

function missingFits(missing: z.output<typeof numericMissing>, min: number, max: number): boolean {
  return typeof missing === "string" || (missing.constant >= min && missing.constant <= max);
}

const categoricalFeature = z.strictObject({
  name: columnName,
  type: z.literal("categorical"),
  levels,
  description: freeText(1000).optional(),
  missing: categoricalMissing.default("reject-row"),
});

export const featureSchema = z.discriminatedUnion("type", [numericFeature, categoricalFeature], {
  error: "type must be numeric or categorical",
});

/** The label is categorical; a row whose label is missing is rejected. */
export const labelSchema = z.strictObject({
  name: columnName,
  levels,
  description: freeText(1000).optional(),
});

export type NumericFeature = z.output<typeof numericFeature>;
export type CategoricalFeature = z.output<typeof categoricalFeature>;
export type Feature = z.output<typeof featureSchema>;
export type Label = z.output<typeof labelSchema>;

/** How a missing value of a column with `missing: own-level` is called. */
export const missingLevel = "(missing)";

/** What a missing number counts as; null where its row is left out, or it is counted by itself. */
export function missingConstantOf({ missing }: NumericFeature): number | null {
  return typeof missing === "string" ? null : missing.constant;
}

/** Whether a missing value of a feature is counted by itself; a number is NaN then. */
export const countsMissing = ({ missing }: Feature): boolean => missing === "own-level";

/** All levels of a categorical feature, its own level for missing values last. */
export function levelsOf(feature: CategoricalFeature): readonly string[] {
  return feature.missing === "own-level" ? [...feature.levels, missingLevel] : feature.levels;
}
