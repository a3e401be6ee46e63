import { maxColumnNameLength, maxColumnsPerTable } from "@consilium/core/limits";
import { dateFormats } from "@consilium/core/study/dates";
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

export const encodings = ["utf-8", "windows-1252", "latin-1", "utf-16", "utf-16le", "utf-16be"] as const;

const oneCharacter = z.string().regex(/^[\t\x20-\x7e]$/, "one character, such as `,` `;` `|` or a tab");

/** How a date column may be written, beside ISO 8601; months by name are English or German, with any marks between. */
export const dateSpellings: readonly string[] = [
  ...dateFormats,
  ..."DD-MM-YYYY MM-DD-YYYY YYYY/MM/DD YYYY.MM.DD DD.MM.YY DD/MM/YY DD-MM-YY MM/DD/YY MM-DD-YY".split(" "),
  ..."DD-MON-YYYY DD-MON-YY MON-DD-YYYY excel-days sas-days unix-seconds unix-milliseconds".split(" "),
];

const spelling = z.string().max(128);
const spellings = z.array(spelling.min(1)).max(100);

/** What a hospital's own spellings in one column mean, whatever a study says. */
const columnMeaning = z.strictObject({
  date: spelling
    .refine((format) => dateSpellings.includes(format), `one of: ${dateSpellings.join(", ")}`)
    .optional(),
  /** Texts that are the levels `true` and `false`. */
  true: spellings.optional(),
  false: spellings.optional(),
  /** Beside the table's own. */
  missing: z.array(spelling).max(100).optional(),
  /** For people. */
  unit: z.string().max(64).optional(),
  /** For people: between which values it lies. */
  bounds: z
    .strictObject({ min: z.number(), max: z.number() })
    .refine(({ min, max }) => min < max, "min is less than max")
    .optional(),
  /** Texts of the table to the levels of studies. */
  levels: z.record(spelling.min(1), spelling.min(1)).optional(),
  /** Texts that say a value is below detection, or what stands before the limit in them, such as `<`. */
  below: spellings.optional(),
});

export const columnMeanings = z.record(z.string(), columnMeaning);
export type ColumnMeaning = z.output<typeof columnMeaning>;

export const csvOptions = z
  .strictObject({
    /** Default: a comma; a tab for `.tsv`. */
    delimiter: oneCharacter.optional(),
    /** Whether the first row holds the column names. Left out, it does, and is checked to look like names. */
    header: z.boolean().optional(),
    /** The columns in file order, for files without a header row. */
    names: z.array(columnName).min(1, "name at least one column").max(maxColumnsPerTable).optional(),
    /** The decimal mark of numbers. */
    decimal: z.enum([".", ","]).default("."),
    /** Of bytes; a byte order mark before the header row is believed in its place. */
    encoding: z.enum(encodings).default("utf-8"),
    /** What fields are quoted with; within it a doubled one stands for itself. */
    quote: z.union([oneCharacter, z.literal("none")]).default('"'),
    /** Within quotation marks, before a character that is meant as it is, such as a backslash. */
    escape: oneCharacter.optional(),
    /** Lines before the header row, or the first record, that are neither. */
    skipRows: z.int("a whole number of lines").min(0).max(10_000).default(0),
    /** At most so many lines make a record, whose line ends stand within quotation marks. */
    multiline: z.int("a whole number of lines").min(1).max(1_000).default(1),
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
  .refine((csv) => csv.delimiter !== csv.quote, {
    path: ["delimiter"],
    message: "not the quotation mark: fields are quoted with it",
  })
  .refine((csv) => csv.decimal !== "," || csv.delimiter !== ",", {
    path: ["delimiter"],
    message: "the decimal mark is a comma: the delimiter must be another character",
  });

export type CsvOptions = z.output<typeof csvOptions>;

export const defaultCsv: CsvOptions = csvOptions.parse({});

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
