import { z } from "zod";

/**
 * What the operator's API shows of the sites' tables: names and types of columns, as far as the sites share them, and what people at a
 * hospital wrote of them, where its policy has `announce: described`.
 */

const columnType = z
  .string()
  .describe(
    "`number`, `text`, `boolean`, `date`, `time`, `timestamp`, `binary` or `nested`; `any` where the table's format has no types.",
  );

const describedColumn = z.object({
  name: z.string(),
  type: columnType,
  unit: z
    .string()
    .optional()
    .describe("As the hospital's people wrote it, as bounds and levels; absent where they are not told."),
  bounds: z.object({ min: z.number(), max: z.number() }).optional(),
  levels: z.array(z.string()).readonly().optional(),
});

export const admitsSchema = z.object({
  analyses: z.array(z.string()).readonly(),
  variants: z.array(z.string()).readonly(),
  maxEpsilon: z.number().nullable().describe("What one study may cost; null: no limit but the budget."),
  maxDelta: z.number().nullable(),
  minimumSites: z.int(),
  tolerateColluding: z.int(),
  perHospital: z.boolean().describe("Whether a study may show figures of single hospitals."),
  requires: z.array(z.string()).readonly().describe("Keys of `request` that a study must have."),
});
export type AdmitsView = z.output<typeof admitsSchema>;

export const siteTableSchema = z
  .object({
    name: z.string(),
    columns: z.array(describedColumn).readonly().describe("Empty where the site shares none."),
    budget: z
      .object({ epsilon: z.number(), delta: z.number() })
      .nullable()
      .describe(
        "Left of the budget of the table's records: what is spent taken off, what is reserved not; rounded down to a tenth. Null where the site does not say, or has no limit.",
      ),
  })
  .meta({ id: "SiteTable" });
export type SiteTableView = z.output<typeof siteTableSchema>;

export const tableNameSchema = z
  .object({
    name: z.string(),
    sites: z.array(z.string()).readonly().describe("Enrolled sites that have a table of this name."),
  })
  .meta({ id: "TableName" });
export type TableNameView = z.output<typeof tableNameSchema>;

export const tableSchema = tableNameSchema
  .extend({
    withoutColumns: z
      .array(z.string())
      .readonly()
      .describe("Of the sites, those that share no columns of it: whether they have a column is not known."),
    columns: z
      .array(
        z.object({
          name: z.string(),
          types: z.array(columnType).readonly().describe("Each type that a site gives it, once."),
          missingAt: z
            .array(z.string())
            .readonly()
            .describe("Sites that share their columns and lack this one; empty where all have it."),
        }),
      )
      .readonly()
      .describe("In the order of the first site that names them."),
  })
  .meta({ id: "Table" });
export type TableView = z.output<typeof tableSchema>;
