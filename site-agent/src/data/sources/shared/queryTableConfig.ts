import { resolve } from "node:path";
import { z } from "zod";
import { csvOptions, filePath, formatOfFile, jsonColumns } from "../../fileConfig.js";

/** Tables that are a query over named local files: of a `duckdb:` entry files of records, of a `fhir:` entry views of resources. */

/** What a query calls a table of its own: names differ whatever their case, as SQL has them. */
const sqlNames = <Value extends z.ZodType>(value: Value, what: string) =>
  z
    .record(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]{0,62}$/, "a name of letters, digits and _"), value)
    .refine((entries) => Object.keys(entries).length > 0, `name at least one ${what}`)
    .refine((entries) => Object.keys(entries).length <= 100, `at most 100 of them`)
    .refine(
      (entries) =>
        new Set(Object.keys(entries).map((name) => name.toLowerCase())).size === Object.keys(entries).length,
      "names must differ in more than upper and lower case",
    );

const namedFileFormats = ["csv", "parquet", "jsonl"] as const;

const namedFile = z
  .preprocess(
    (entry) => (typeof entry === "string" ? { path: entry } : entry),
    z.strictObject({
      path: filePath,
      format: z
        .enum(namedFileFormats, `one of: ${namedFileFormats.join(", ")}; export other files as one of these`)
        .optional(),
      csv: csvOptions.optional(),
      columns: jsonColumns.optional(),
    }),
  )
  .superRefine(({ path, format: stated, csv, columns }, context) => {
    const issue = (key: string, message: string) =>
      context.addIssue({ code: "custom", path: [key], message });
    const format = stated ?? formatOfFile(path);
    if (format === null) issue("format", `missing: one of ${namedFileFormats.join(", ")}`);
    if (format === "sqlite") issue("format", "not SQLite: export the table as Parquet or CSV");
    // The names of a query's columns are sent to the aggregator, and `SELECT *` takes them from the files.
    if (format === "csv" && csv?.header !== true && csv?.names === undefined)
      issue("csv", "write header: true if the first row holds the names, or header: false and names");
    if (format !== "csv" && csv !== undefined) issue("csv", `only for csv, not for ${format}`);
    if (csv?.decimal === ",")
      issue("csv", "no decimal comma: columns come as text; write replace(x, ',', '.') in the query");
    if (format === "jsonl" && columns === undefined)
      issue("columns", "missing: list the keys that are columns");
    if (format !== "jsonl" && columns !== undefined) issue("columns", `only for jsonl, not for ${format}`);
  });

export const sqlQuery = z.string().min(1, "a query is needed").max(100_000);
/** What the query's joins and groups may take: nothing is written to disk. */
const memoryMb = z.int().min(128).max(1_000_000).default(1024);

export const duckdbOptions = z.strictObject({
  /** What the query calls them. */
  files: sqlNames(namedFile, "file"),
  /** One SELECT in DuckDB's SQL; its columns are the table's. */
  query: sqlQuery,
  memoryMb,
});

const resourceType = z.string().regex(/^[A-Z][A-Za-z]{1,63}$/, "a resource type, such as Patient");

export const fhirOptions = z
  .strictObject({
    /** A bulk export: NDJSON files, each named for the resource type in it, such as `Patient.000.ndjson`. */
    folder: filePath.optional(),
    /** In its place, by resource type: a file, a folder or a pattern. */
    files: z.record(resourceType, filePath).optional(),
    /** ViewDefinitions of SQL on FHIR 2: a JSON file, or the view itself. What the query calls them. */
    views: sqlNames(
      z.union([filePath, z.looseObject({})], { error: "a JSON file, or the view itself" }),
      "view",
    ),
    /** One SELECT over the views; may be left out of one view, whose columns are the table's. */
    query: sqlQuery.optional(),
    memoryMb,
  })
  .superRefine(({ folder, files, views, query }, context) => {
    if ((folder === undefined) === (files === undefined))
      context.addIssue({
        code: "custom",
        path: ["folder"],
        message: "either a folder, or files by resource type",
      });
    if (query === undefined && Object.keys(views).length > 1)
      context.addIssue({
        code: "custom",
        path: ["query"],
        message: "missing: of several views one SELECT makes the table",
      });
  });

export type DuckDbOptions = z.output<typeof duckdbOptions>;
export type FhirOptions = z.output<typeof fhirOptions>;
export type NamedFile = DuckDbOptions["files"][string];

/** The options with their paths made absolute. @param folder - the folder of the configuration file */
export function resolveDuckDb(options: DuckDbOptions, folder: string): DuckDbOptions {
  const files = mapValues(options.files, (file) => ({ ...file, path: resolve(folder, file.path) }));
  return { ...options, files };
}

export function resolveFhir(options: FhirOptions, folder: string): FhirOptions {
  const absolute = (path: string) => resolve(folder, path);
  return {
    ...options,
    ...(options.folder !== undefined && { folder: absolute(options.folder) }),
    ...(options.files !== undefined && { files: mapValues(options.files, absolute) }),
    views: mapValues(options.views, (view) => (typeof view === "string" ? absolute(view) : view)),
  };
}

function mapValues<From, To>(
  entries: Readonly<Record<string, From>>,
  of: (value: From) => To,
): Record<string, To> {
  return Object.fromEntries(Object.entries(entries).map(([name, value]) => [name, of(value)]));
}
