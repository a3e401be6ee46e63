import { z } from "zod";

/**
 * A hospital's table as a study would see it. It says much about the records, so it stays at the hospital: no message to
 * the aggregator has any of it.
 */

const count = z.int().min(0);

const common = {
  name: z.string(),
  /** Cells without a value, in all rows. */
  missing: count,
  /** Rows left out because this column's value is missing; a row may count at several columns. */
  rejectedRows: count,
  /** Whether all used rows have one value. */
  constant: z.boolean(),
};

const numericProfileSchema = z
  .object({
    ...common,
    type: z.literal("numeric"),
    unit: z.string().nullable(),
    declared: z.object({ min: z.number(), max: z.number() }),
    /** Values of used rows below and above the declared bounds: they count as the bound. */
    below: count,
    above: count,
    /**
     * Of the used values, after clamping; null without a used row, and in the console, which shows counts alone. stdDev
     * divides by n - 1 and needs two rows.
     */
    min: z.number().nullable(),
    mean: z.number().nullable(),
    max: z.number().nullable(),
    stdDev: z.number().nullable(),
  })
  .meta({ id: "NumericProfile" });
export type NumericProfile = z.output<typeof numericProfileSchema>;

const levelProfileSchema = z
  .object({
    ...common,
    type: z.literal("categorical"),
    /** In declared order, the level for missing values last where the study declares one. */
    levels: z.array(z.object({ level: z.string(), rows: count })),
  })
  .meta({ id: "LevelProfile" });
export type LevelProfile = z.output<typeof levelProfileSchema>;

export const profileReportSchema = z
  .object({
    table: z.string(),
    study: z.string(),
    files: count,
    /** Rows in the files; those the study would use; those that a missing value or a fault rules out. */
    rows: count,
    used: count,
    rejected: count,
    maxRowsPerSite: count,
    /** Whose rows they are, where the study names the patient. */
    patients: z
      .object({
        column: z.string(),
        maxRows: count,
        /** Patients of whom the study would use a row. */
        patients: count,
        /** Usable rows left out because their patient has `maxRows` before them; not among the rejected ones. */
        overBound: count,
        /** Rows rejected because their patient is missing; a row may count at a column as well. */
        withoutPatient: count,
      })
      .nullable(),
    /** Features in the study's order. */
    columns: z.array(z.discriminatedUnion("type", [numericProfileSchema, levelProfileSchema])),
    label: levelProfileSchema.nullable(),
    /** Cells that keep the study from using the table; empty when there is nothing to correct. */
    problems: z.array(
      z.object({
        code: z.string(),
        column: z.string(),
        count,
        /** The first such row, from 1. */
        row: count,
        file: z.string().nullable(),
      }),
    ),
  })
  .meta({ id: "ProfileReport" });
export type ProfileReportView = z.output<typeof profileReportSchema>;

export const profileBody = z.strictObject({
  /** A study file, YAML or JSON. */
  study: z.string().max(2_000_000),
});
export const profileSchema = z
  .object({
    report: profileReportSchema,
    /** The same as a table to read on a terminal. */
    text: z.string(),
  })
  .meta({ id: "Profile" });
export type ProfileView = z.output<typeof profileSchema>;
