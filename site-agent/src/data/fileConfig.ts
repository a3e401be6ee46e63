import { maxColumnNameLength, maxColumnsPerTable } from "@consilium/core/limits";
import { z } from "zod";
import { formats } from "./sources/registry.js";
import type { TableConfig } from "./tableConfig.js";

/** Files of records, as a site's configuration names them: their formats, and how CSV is written. */

export type TableFormat = keyof typeof formats;
export const tableFormats = Object.keys(formats) as TableFormat[];

/** The format that a file's name tells, or null. */
export function formatOfFile(path: string): TableFormat | null {
  const lower = path.toLowerCase();
  return (
    tableFormats.find((format) => formats[format].endings.some((ending) => lower.endsWith(ending))) ?? null
  );
}

/** A part of a table as a table of files. */
export const tableOfFiles = (name: string, file: Partial<TableConfig>): TableConfig => ({
  name,
  nullValues: [],
  ...file,
});

export const columnName = z
  .string()
  .min(1, "a column needs a name")
  .max(maxColumnNameLength, `at most ${maxColumnNameLength} characters`);

export const csvOptions = z
  .strictObject({
    /** Default: a comma; a tab for `.tsv`. */
    delimiter: z
      .string()
      .regex(/^[\t\x20-\x7e]$/, "one character, such as `,` `;` `|` or a tab")
      .refine((one) => one !== '"', "not the quotation mark: fields are quoted with it")
      .optional(),
    /** Whether the first row holds the column names. Left out, it does, and is checked to look like names. */
    header: z.boolean().optional(),
    /** The columns in file order, for files without a header row. */
    names: z.array(columnName).min(1, "name at least one column").max(maxColumnsPerTable).optional(),
    /** The decimal mark of numbers. */
    decimal: z.enum([".", ","]).default("."),
    encoding: z.enum(["utf-8", "latin-1", "utf-16"]).default("utf-8"),
  })
  .refine((csv) => csv.header !== false || csv.names !== undefined, {
    path: ["names"],
    message: "missing: with header: false, list the columns' names in file order",
  })
  .refine((csv) => csv.names === undefined || csv.header === false, {
    path: ["names"],
    message: "only with header: false; a header row names the columns itself",
  })
  .refine((csv) => csv.names === undefined || new Set(csv.names).size === csv.names.length, {
    path: ["names"],
    message: "names must differ from each other",
  })
  .refine((csv) => csv.decimal !== "," || csv.delimiter !== ",", {
    path: ["delimiter"],
    message: "the decimal mark is a comma: the delimiter must be another character",
  });

export type CsvOptions = z.output<typeof csvOptions>;

export const defaultCsv: CsvOptions = { decimal: ".", encoding: "utf-8" };

/** A file, a folder of files, or a pattern with `*` and `?`; relative to the configuration file. */
export const filePath = z
  .string()
  .min(1, "a path is needed")
  .refine((path) => !/^[a-z][a-z0-9+.-]+:\/\//i.test(path), "a path on this machine, not a URL")
  .refine((path) => !path.includes("\0"), "a path holds no NUL character");

/** The keys of JSON objects that are columns. */
export const jsonColumns = z
  .array(columnName)
  .min(1, "name at least one column")
  .max(maxColumnsPerTable)
  .refine((names) => new Set(names).size === names.length, "names must differ from each other");
