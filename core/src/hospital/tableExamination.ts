import { z } from "zod";

const count = z.int().min(0);

/** A remark for a person: a sentence by its code, and what the table's entry in config.yaml would say. */
const tableRemarkSchema = z.object({
  line: z.string(),
  entry: z
    .record(z.string(), z.unknown())
    .nullable()
    .describe("Keys to write into the table's entry; null where a person has to choose."),
});
export type TableRemark = z.output<typeof tableRemarkSchema>;

const seenSchema = z.object({
  name: z.string(),
  type: z.string(),
  levels: z
    .array(
      z.object({
        text: z.string(),
        cells: count,
        declared: z
          .boolean()
          .nullable()
          .describe("Whether the study, or the table's entry, names it; null where neither names any."),
      }),
    )
    .describe(
      "Texts that at least five cells have, the commonest first; none of a column of numbers, of dates, or of more than 50 texts.",
    ),
  others: count.describe("Cells with texts that fewer cells have."),
  dates: z
    .object({
      format: z.string().describe("As it is stated; else as all of them are written."),
      first: z.int().describe("The first year, and the last, of the column's first 2,000 different texts."),
      last: z.int(),
    })
    .nullable(),
});

const leftOutSchema = z.object({
  rows: count.describe("Rows with a cell that cannot be read: their number, and that of the others."),
  others: count,
  columns: z
    .array(
      z.object({
        name: z.string(),
        text: z
          .string()
          .nullable()
          .describe("Null of numbers, whose means these are; else shares of this text."),
        left: z.number().describe("Of at least twenty rows that are left out."),
        others: z.number(),
        isApart: z.boolean().describe("Whether they differ by more than three standard errors."),
      }),
    )
    .describe("The columns of these rows that could be read."),
});
export type LeftOutRows = z.output<typeof leftOutSchema>;

/**
 * A hospital's table by itself, for the hospital's own screens alone: levels and texts that several records have are in it, no value of
 * one record.
 */
export const tableExaminationSchema = z
  .object({
    name: z.string(),
    format: z.string(),
    files: count,
    columns: z.array(seenSchema),
    leftOut: leftOutSchema
      .nullable()
      .describe("How rows that are left out differ from the others; null where none is known."),
    rows: count.nullable().describe("Null where they could not be counted."),
    malformed: count.describe("Rows that cannot be taken apart."),
    written: z
      .object({
        encoding: z.string(),
        delimiter: z.string(),
        lineEnds: z.object({ lf: count, crlf: count, cr: count }),
        header: z.boolean(),
      })
      .nullable()
      .describe("How a CSV file is written; null for other tables."),
    problems: z
      .array(z.string())
      .describe("Sentences by their codes: what the first rows say of a CSV file."),
    remarks: z.array(tableRemarkSchema),
    csv: z
      .record(z.string(), z.unknown())
      .nullable()
      .describe("What the entry's `csv:` should be; null where it needs no change."),
    fault: z.object({ message: z.string(), remedy: z.string() }).nullable(),
    policy: z
      .string()
      .nullable()
      .describe(
        "Why the policy would refuse every study once the configuration has this entry; null where it would not.",
      ),
  })
  .meta({ id: "TableExamination" });
export type TableExamination = z.output<typeof tableExaminationSchema>;
export type SeenColumn = TableExamination["columns"][number];

/** Of a file of tables: their names. */
export const checkedTablesSchema = z.object({ tables: z.array(z.string()) });
