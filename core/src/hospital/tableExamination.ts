import { z } from "zod";

/** What `consilium site table` shows of a hospital's table, to the hospital alone: no value of a record is in it. */
export const tableExaminationSchema = z.object({
  name: z.string(),
  format: z.string(),
  files: z.int().min(0),
  columns: z.array(z.object({ name: z.string(), type: z.string() })),
  rows: z.int().min(0).nullable().describe("Null where they could not be counted."),
  malformed: z.int().min(0).describe("Rows that cannot be taken apart."),
  problems: z.array(z.string()).describe("What the first rows say; by row and column numbers."),
  remarks: z
    .array(z.string())
    .default([])
    .describe("What the cells of a column look like that a person should decide about; without a value."),
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
});
export type TableExamination = z.output<typeof tableExaminationSchema>;

/** Of a file of tables: their names. */
export const checkedTablesSchema = z.object({ tables: z.array(z.string()) });
