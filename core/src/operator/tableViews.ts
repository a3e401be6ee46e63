import { z } from "zod";

/** What the operator's API shows of the sites' tables: names and types of columns, as far as the sites share them. */

const columnType = z
  .string()
  .describe(
    "`number`, `text`, `boolean`, `date`, `time`, `timestamp`, `binary` or `nested`; `any` where the table's format has no types.",
  );

export const siteTableSchema = z
  .object({
    name: z.string(),
    columns: z
      .array(z.object({ name: z.string(), type: columnType }))
      .readonly()
      .describe("Empty where the site shares none."),
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
