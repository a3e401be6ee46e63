import type { StudyFaultSays } from "@consilium/words/says/studyFaults";
import { z } from "zod";
import { maxColumnNameLength, maxLevels, maxReadColumns } from "../limits.js";
import { lines, nameOf } from "../said.js";
import { isStorableText } from "../text.js";
import { isFormula } from "./cellText.js";
import { dateFormats } from "./dates.js";

/**
 * What a study declares of a table's columns. Bounds and levels are public and declared, never read from data:
 * reading them would reveal something of the records before any protection applies.
 */

const line = lines<StudyFaultSays>();

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this refuses
const noControlCharacters = /^[^\u0000-\u001f\u007f-\u009f]+$/;

/** What stands in the cells and headers of a release's files. */
const cellText = (of: "column" | "level") =>
  z
    .string()
    .min(1)
    .max(maxColumnNameLength)
    .regex(noControlCharacters, line("fault.cell-controls", { of: nameOf(of) }))
    .refine(isStorableText, line("fault.cell-surrogate", { of: nameOf(of) }))
    .refine((text) => !isFormula(text), line("fault.cell-formula", {}));

const columnName = cellText("column").describe("The column, as it is called in every site's table.");
const level = cellText("level");

export const unstorable = line("fault.unstorable", {});

/** Text for people, which may have lines. */
export const freeText = (maxLength: number) => z.string().max(maxLength).refine(isStorableText, unstorable);

const levels = z
  .array(level)
  .min(2, line("fault.levels-needed", {}))
  .max(maxLevels)
  .refine((all) => new Set(all).size === all.length, line("fault.levels-differ", {}))
  .describe(
    "Every value that the column may have. Public: declared, never read from records. One that is the id of a site of the study shows that hospital alone: its plan says so, and each policy must have figures.perHospital.",
  );

const columnDescription = freeText(1000).optional().describe("What the column means, for readers.");

/** What to do with a missing value; a study-wide rule may be overridden by a column. */
const missingConstant = z.strictObject({ constant: z.number().describe("What a missing value counts as.") });
const numericMissing = z
  .union([z.literal("reject-row"), z.literal("own-level"), missingConstant], line("fault.missing-rule", {}))
  .describe(
    "What becomes of a row whose value is missing. `reject-row`: it is left out. `own-level`: missing values are counted by themselves, by the methods that count. `{ constant }`: they count as that number.",
  );
const categoricalMissing = z
  .enum(["reject-row", "own-level"])
  .describe("Of a missing value: `reject-row` leaves its row out, `own-level` is a level of its own.");

/** Sums and differences of bounds must stay finite. */
const bound = z.number().min(-1e100).max(1e100);

const from = columnName
  .optional()
  .describe("The table's column that it is made from. Left out: the one of this name.");

/** Text of the table to levels, or numbers to levels by intervals. */
const levelMap = z
  .union(
    [
      z
        .record(freeText(maxColumnNameLength).min(1), level)
        .refine(
          (map) => Object.keys(map).length <= maxLevels,
          line("fault.at-most", { bound: maxLevels, of: nameOf("array") }),
        ),
      z
        .array(
          z.strictObject({
            below: bound
              .optional()
              .describe("The interval's end, which it does not hold. Left out: it has none."),
            level: level.describe("What its numbers become."),
          }),
        )
        .min(2, line("fault.map-intervals", {}))
        .max(maxLevels)
        .refine(
          (all) =>
            all.every(({ below }, i) =>
              below === undefined ? i === all.length - 1 : i === 0 || below > all[i - 1]!.below!,
            ),
          line("fault.map-ascend", {}),
        ),
    ],
    line("fault.map-form", {}),
  )
  .optional()
  .describe(
    "What the column's text or numbers become. Text: each one that the table holds, with its level. Numbers: intervals that ascend, each up to its `below`, which it does not hold; the last one may have none. What the map does not name is undeclared.",
  );

const numericFeature = z
  .strictObject({
    name: columnName,
    type: z.literal("numeric"),
    from,
    as: z
      .union(
        [
          z.literal("year"),
          z.strictObject({ "days-since": columnName }),
          z.strictObject({ "age-at": columnName }),
        ],
        line("fault.date-form", {}),
      )
      .optional()
      .describe(
        "What number becomes of the date `from`, which `columns` declares: its year, the days that have passed since another date, or the completed years at one. The other date is a date column of `columns` or fixed, such as 2015-01-31.",
      ),
    min: bound.describe("The least value; smaller ones count as it. Public, never read from records."),
    max: bound.describe("The greatest value, as `min`."),
    unit: freeText(64).optional().describe("Such as years or mmol/l."),
    per: z
      .number()
      .positive()
      .optional()
      .describe(
        "Of a regression: the increase of the column that its coefficient and ratio are for, such as 10 for an odds ratio per 10 years. Left out: 1.",
      ),
    description: columnDescription,
    missing: numericMissing.default("reject-row"),
    below: z
      .literal("reject-row")
      .optional()
      .describe(
        "What becomes of a row whose value is below `min`: `reject-row` leaves it out, for columns where such a value is an error. Left out: the value counts as `min`.",
      ),
    belowDetection: z
      .union([z.enum(["half", "bound", "missing"]), bound], line("fault.detection-rule", {}))
      .optional()
      .describe(
        "What a value counts as that a hospital's table spells as below detection, such as <0.5: `half` the limit, the limit itself (`bound`), `missing` or a number. How it is spelled is said by each hospital. Left out: its row is left out, as one without a number.",
      ),
    edges: z
      .array(bound)
      .min(1, line("fault.edge-needed", {}))
      .max(65_534)
      .optional()
      .describe(
        "Where a method that counts divides the column: ascending, each above `min` and at most `max`. Bin b holds edges[b-1] ≤ x < edges[b]. Left out: intervals of equal width, as many as the study's `parameters.bins`.",
      ),
  })
  .refine((f) => f.edges === undefined || f.edges.every((edge, i) => i === 0 || edge > f.edges![i - 1]!), {
    path: ["edges"],
    message: line("fault.edges-ascend", {}),
  })
  .refine((f) => f.edges === undefined || (f.edges[0]! > f.min && f.edges.at(-1)! <= f.max), {
    path: ["edges"],
    message: line("fault.edges-within", {}),
  })
  .refine(({ per, min, max }) => per === undefined || per <= max - min, {
    path: ["per"],
    message: line("fault.increase", {}),
  })
  .refine((f) => f.min < f.max, { path: ["max"], message: line("fault.max-min", {}) })
  .refine(({ missing, min, max }) => missingFits(missing, min, max), {
    path: ["missing", "constant"],
    message: line("fault.missing-constant", {}),
  });

function missingFits(missing: z.output<typeof numericMissing>, min: number, max: number): boolean {
  return typeof missing === "string" || (missing.constant >= min && missing.constant <= max);
}

const categoricalFeature = z.strictObject({
  name: columnName,
  type: z.literal("categorical"),
  from,
  map: levelMap,
  levels,
  description: columnDescription,
  missing: categoricalMissing.default("reject-row"),
  undeclared: z
    .enum(["reject-row", "other", "fault"])
    .optional()
    .describe(
      "A value that is not one of the levels, nor in `map`: `reject-row` leaves the row out, `other` counts it as a level of its own, `fault` is a fault of the table. Left out: `fault`.",
    ),
});

export const featureSchema = z.discriminatedUnion("type", [numericFeature, categoricalFeature], {
  error: line("fault.feature-type", {}),
});

/** The label is categorical; a row whose label is missing is rejected. */
export const labelSchema = z
  .strictObject({
    name: columnName,
    from,
    map: levelMap,
    levels,
    description: columnDescription,
    undeclared: z.enum(["reject-row", "fault"]).optional().describe("As of a feature, without `other`."),
  })
  .describe("The outcome, or the groups that are compared. A row without it is left out.");

/** Columns that no method sees. */
export const readColumns = z
  .array(
    z.discriminatedUnion(
      "type",
      [
        z.strictObject({ name: columnName, type: z.literal("numeric") }),
        z.strictObject({
          name: columnName,
          type: z.literal("categorical"),
          levels: z
            .array(level)
            .min(1)
            .max(maxLevels)
            .refine((all) => new Set(all).size === all.length, line("fault.levels-differ", {}))
            .describe("Those that `where` names; other text is another level."),
        }),
        z.strictObject({
          name: columnName,
          type: z.literal("date"),
          format: z
            .enum(dateFormats)
            .optional()
            .describe("How text spells it, besides ISO 8601. Left out: in no other way."),
        }),
      ],
      { error: line("fault.column-type", {}) },
    ),
  )
  .min(1)
  .max(maxReadColumns)
  .optional()
  .describe("Columns of the table that only `where` and dates read: no method sees their values.");

export type NumericFeature = z.output<typeof numericFeature>;
export type CategoricalFeature = z.output<typeof categoricalFeature>;
export type Feature = z.output<typeof featureSchema>;
export type Label = z.output<typeof labelSchema>;
export type ReadColumn = NonNullable<z.output<typeof readColumns>>[number];

/** How a missing value of a column with `missing: own-level` is called. */
export const missingLevel = "(missing)";
/** How an undeclared value of a column with `undeclared: other` is called. */
export const otherLevel = "(other)";

/** What a missing number counts as; null where its row is left out, or it is counted by itself. */
export function missingConstantOf({ missing }: NumericFeature): number | null {
  return typeof missing === "string" ? null : missing.constant;
}

/** Whether a missing value of a feature is counted by itself; a number is NaN then. */
export const countsMissing = ({ missing }: Feature): boolean => missing === "own-level";

/** All levels of a categorical feature, its own levels for undeclared and for missing values last. */
export function levelsOf({ levels, undeclared, missing }: CategoricalFeature): readonly string[] {
  const own = [
    ...(undeclared === "other" ? [otherLevel] : []),
    ...(missing === "own-level" ? [missingLevel] : []),
  ];
  return own.length === 0 ? levels : [...levels, ...own];
}
