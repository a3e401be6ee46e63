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

/** A hospital's table by itself, for the hospital alone: no value of a record is in it. */
export const tableExaminationSchema = z
  .object({
    name: z.string(),
    format: z.string(),
    files: count,
    columns: z.array(z.object({ name: z.string(), type: z.string() })),
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
    problems: z.array(z.string()).describe("What the first rows say; by row and column numbers."),
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

/** Of a file of tables: their names. */
export const checkedTablesSchema = z.object({ tables: z.array(z.string()) });
