import { z } from "zod";
import { flowCauses } from "../study/flow.js";
import { tableExaminationSchema } from "./tableExamination.js";

/**
 * A hospital's table as a study would see it. It says much about the records, so it stays at the hospital: no message to
 * the aggregator has any of it.
 */

const count = z.int().min(0);

const common = {
  name: z.string(),
  missing: count.describe("Cells without a value, in all rows."),
  rejectedRows: count.describe(
    "Rows left out because this column's value is missing, or below a minimum that the study refuses values below; a row may count at several columns.",
  ),
  constant: z.boolean().describe("Whether all used rows have one value."),
};

const commonestSchema = z
  .object({
    value: z.number().nullable().describe("Null in the console, which shows counts alone."),
    rows: count,
  })
  .nullable();

const numericProfileSchema = z
  .object({
    ...common,
    type: z.literal("numeric"),
    unit: z.string().nullable(),
    declared: z.object({ min: z.number(), max: z.number() }),
    below: count.describe(
      "Values of used rows below and above the declared bounds: they count as the bound.",
    ),
    above: count,
    commonestBelow: commonestSchema.describe(
      "The value that most of the used rows below the declared minimum have, such as -9 for a missing one; null without one. commonestAbove: the same of the maximum.",
    ),
    commonestAbove: commonestSchema,
    min: z
      .number()
      .nullable()
      .describe(
        "Of the used values, after clamping; null without a used row, and in the console, which shows counts alone. stdDev divides by n - 1 and needs two rows.",
      ),
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
    undeclared: count.describe("Cells with a value that is not one of the levels, in all rows."),
    levels: z
      .array(z.object({ level: z.string(), rows: count }))
      .describe("In declared order, the level for missing values last where the study declares one."),
  })
  .meta({ id: "LevelProfile" });
export type LevelProfile = z.output<typeof levelProfileSchema>;

export const profileReportSchema = z
  .object({
    table: z.string(),
    study: z.string(),
    files: count,
    rows: count.describe(
      "Rows in the files; those the study would use; those that a missing value or a fault rules out.",
    ),
    used: count,
    rejected: count,
    outside: z
      .object({
        rows: count,
        open: count.describe("Of them those for which a missing value leaves the condition open."),
      })
      .nullable()
      .describe("Rows that the study's `where` leaves out: counted here and nowhere else. Null without one."),
    malformed: count.describe(
      "Rows that cannot be taken apart, left out of all other numbers; at least so many. A sound study continues without them.",
    ),
    unsampled: count.describe(
      "Usable rows that are left out because the table is longer than the study takes.",
    ),
    maxRowsPerSite: count,
    minimumUsable: z
      .int()
      .min(0)
      .max(100)
      .describe(
        "Of the rows that the study means to use, the percentage below which the policy wants people to look.",
      ),
    patients: z
      .object({
        column: z.string(),
        maxRows: count,
        orderBy: z
          .nullable(z.string())
          .describe(
            "The column by which rows of a patient are chosen; null where a keyed hash of the row decides.",
          ),
        patients: count.describe("Patients of whom the study would use a row."),
        overBound: count.describe(
          "Usable rows left out because their patient has more than `maxRows`; not among the rejected ones.",
        ),
        withoutPatient: count.describe(
          "Rows rejected because their patient is missing; a row may count at a column as well.",
        ),
      })
      .nullable()
      .describe("Whose rows they are, where the study names the patient."),
    flow: z
      .object({
        unit: z.enum(["rows", "patients"]),
        read: count.describe("All of the following; rows without a patient count nowhere."),
        used: count,
        leftOut: z
          .array(z.object({ cause: z.enum(flowCauses), count }))
          .readonly()
          .describe("Each row, or patient, by the first cause in this order."),
        beyond: z
          .array(z.object({ column: z.string(), side: z.enum(["below", "above"]), bound: z.number(), count }))
          .readonly()
          .describe("Those used of which a number counts as its bound: at most four numbers of each."),
      })
      .optional()
      .describe(
        "What the study's first sum counts of this table, without noise. Left out where the study has no such sum.",
      ),
    columns: z
      .array(z.discriminatedUnion("type", [numericProfileSchema, levelProfileSchema]))
      .describe("Features in the study's order."),
    label: levelProfileSchema.nullable(),
    problems: z
      .array(
        z.object({
          code: z.string(),
          column: z.string(),
          count,
          row: count.describe("The first such row, from 1."),
          file: z.string().nullable(),
        }),
      )
      .describe(
        "Cells that no rule of the study covers. A sound study leaves their rows out, another one cannot use the table until they are corrected.",
      ),
    check: tableExaminationSchema.describe("The table check of the columns that the study reads."),
  })
  .meta({ id: "ProfileReport" });
export type ProfileReportView = z.output<typeof profileReportSchema>;

export const profileSchema = z
  .object({
    report: profileReportSchema,
    text: z.string().describe("The same as a table to read on a terminal."),
    flow: z.array(z.string()).readonly().describe("The report's flow in sentences; empty where it has none."),
    remarks: z
      .array(z.string())
      .readonly()
      .describe(
        "What to check before anybody approves, most important first; empty where nothing stands out.",
      ),
  })
  .meta({ id: "Profile" });
export type ProfileView = z.output<typeof profileSchema>;
