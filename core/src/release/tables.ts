import { z } from "zod";
import { isFormula } from "../study/cellText.js";
import { isStorableText } from "../text.js";

/**
 * Tables of results: counts, estimates with their intervals, a table one. The publisher writes each as `<name>.csv` and
 * `<name>.parquet`; those that people read are in the README and on the release's page too.
 */

const text = (length: number) =>
  z.string().min(1).max(length).refine(isStorableText, "holds text that UTF-8 files cannot");

/** Spreadsheets would compute a formula. */
const cellText = text(1000).refine(
  (value) => !isFormula(value),
  "a spreadsheet would compute the text of a cell",
);

const column = z.strictObject({
  name: cellText.max(200),
  type: z.enum(["number", "text"]),
  description: text(2000),
});

export const resultTableSchema = z
  .strictObject({
    /** Of its files. */
    name: z
      .string()
      .regex(/^[a-z0-9]+(?:-[a-z0-9]+)*$/)
      .max(60),
    title: text(300),
    description: text(2000),
    columns: z.array(column).min(1).max(200),
    /** A cell for each column; null where there is nothing to say. */
    rows: z.array(z.array(z.union([z.number(), cellText, z.null()]))).max(200_000),
    /** In the README and on the release's page. */
    isShown: z.boolean(),
  })
  .superRefine(({ columns, rows }, context) => {
    const add = (message: string) => context.addIssue({ code: "custom", path: ["rows"], message });
    const types = columns.map(({ type }) => (type === "number" ? "number" : "string"));
    if (new Set(columns.map(({ name }) => name.toLowerCase())).size < columns.length)
      add("two columns have names that differ at most in letter case");
    const fits = (cells: readonly (number | string | null)[]) =>
      cells.length === types.length && cells.every((cell, i) => cell === null || typeof cell === types[i]);
    if (!rows.every(fits)) add("a row does not have a cell of each column's type");
  });

export type ResultTable = z.output<typeof resultTableSchema>;
