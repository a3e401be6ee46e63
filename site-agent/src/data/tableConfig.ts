import { maxTableNameLength } from "@consilium/core/limits";
import { personColumn } from "@consilium/core/omop/plan";
import { z } from "zod";
import { type ResolvedCluster, resolveCluster } from "../engines/spark/sparkConfig.js";
import {
  type ColumnMeaning,
  type CsvOptions,
  columnMeanings,
  columnName,
  csvOptions,
  defaultCsv,
  formatOfFile,
  jsonColumns,
  tableFormats,
} from "./fileConfig.js";
import { type SourceName, sourceNames, sourceOf, sources } from "./sources/places.js";

/** One table of a hospital, as its site's configuration names it. */

/**
 * Whose privacy the ledger counts for a table: that of a row, or of a patient with all their rows. The hospital says it,
 * because a study's author may name any column as the patient's, or none.
 */
const tableUnit = z.union(
  [
    z.literal("rows"),
    z.strictObject({
      patient: z.strictObject({
        /** The column that says whose row it is. */
        column: columnName,
        /** Studies use at most so many rows of each patient. */
        maxRows: z.int("a whole number of rows").min(1, "at least 1").max(10_000, "at most 10,000"),
        /**
         * Of a patient with more rows the first by this column are used: a number, a date or a time. Left out, a keyed hash
         * of each row decides.
         */
        orderBy: columnName.optional(),
      }),
    }),
  ],
  { error: "write rows, or patient: {column: patient_id, maxRows: 5}" },
);

type EntryOf<K extends SourceName> = z.ZodOptional<(typeof sources)[K]["entry"]>;

/** One of them says where the table's rows are. */
const places = Object.fromEntries(
  sourceNames.map((name) => [name, sources[name].entry.optional()]),
) as unknown as { readonly [K in SourceName]: EntryOf<K> };

/** The value of one entry under the site's `tables:`; its `name` is what studies call the table. */
export const tableConfigSchema = z
  .strictObject({
    name: z
      .string()
      .min(1)
      .max(maxTableNameLength)
      .regex(/^[A-Za-z0-9_-]+$/, "a table's name holds letters, digits, _ and -"),
    ...places,
    /** Default: by the ending of the file's name. */
    format: z.enum(tableFormats, `one of: ${tableFormats.join(", ")}`).optional(),
    /** SQLite only: the table or view in the database; may be left out when there is just one table. */
    table: z.string().min(1).max(128).optional(),
    /** Left out, it counts as `rows`, and no study of the table is joined without a person. */
    unit: tableUnit.optional(),
    /**
     * Texts that stand for a missing value, such as `?` or `NA`, compared without surrounding blanks. The empty
     * text always does. One that is a number, such as `-9`, stands for every spelling of that number.
     */
    missing: z.array(z.string().max(128)).max(100).default([]),
    /** Former name of `missing`. */
    nullValues: z.array(z.string().max(128)).max(100).default([]),
    /** Where the hospital is: on which day an instant falls. Left out, a time's day is the one that is written, in UTC. */
    timeZone: z.string().max(64).refine(isTimeZone, "a time zone's name, such as Europe/Berlin").optional(),
    csv: csvOptions.optional(),
    /**
     * About how many rows the table has. A sound study that takes fewer gets a sample; without this its sums may wrap
     * around. To be stated by a person: counted, it would tell how many rows there are.
     */
    expectedRows: z.int("a whole number of rows").min(1).max(1e12).optional(),
    /** What computes its stages: an entry of `engines`, or `none` for the agent itself. Left out, its size decides. */
    engine: z.string().min(1).max(64).optional(),
    /**
     * What spellings mean, by column. JSON lines: these, or a list of names, are the keys that are columns; left out, studies may name
     * any key, and none is sent to anybody. Spark: a list of columns that studies are told of before one runs.
     */
    columns: z.union([jsonColumns, columnMeanings]).optional(),
  })
  .superRefine((table, context) => {
    const kinds = sourceNames.filter((kind) => table[kind] !== undefined);
    const [kind] = kinds;
    if (kinds.length !== 1) {
      const message = `a table has exactly one of: ${sourceNames.join(", ")}`;
      context.addIssue({ code: "custom", path: ["path"], message });
    }
    if (kind !== "path" && table.format !== undefined) {
      context.addIssue({ code: "custom", path: ["format"], message: "only for files" });
    }
    if (table.omop !== undefined && table.unit !== undefined) {
      const message = `not for an omop table: it has one row for each patient, by ${personColumn}`;
      context.addIssue({ code: "custom", path: ["unit"], message });
    }
    const source = table.spark?.csv === undefined ? kind : "csv";
    const format = kind === "path" ? (table.format ?? formatOfFile(table.path ?? "")) : (source ?? null);
    if (format === null) return; // a folder or a pattern: its files tell
    if (table.table !== undefined && format !== "sqlite") {
      context.addIssue({ code: "custom", path: ["table"], message: `only for sqlite, not for ${format}` });
    }
    if (
      source === "csv" &&
      ((table.csv?.header !== true && table.csv?.names === undefined) ||
        (["decimal", "quote", "escape", "skipRows", "multiline"] as const).some(
          (key) => table.csv?.[key] !== defaultCsv[key],
        ))
    ) {
      const message =
        "write header: true, or header: false and names; with a decimal point, and without quote, escape, skipRows and multiline";
      context.addIssue({ code: "custom", path: ["csv"], message });
    }
    const isList = Array.isArray(table.columns);
    if (isList && format !== "jsonl" && kind !== "spark") {
      const message = `a list only for jsonl, not for ${format}: it has column names of its own`;
      context.addIssue({ code: "custom", path: ["columns"], message });
    }
    if (kind === "spark" && ((table.columns !== undefined && !isList) || table.timeZone !== undefined)) {
      const message = "a list of names, and no timeZone: what spellings mean is said in Spark's query";
      context.addIssue({ code: "custom", path: ["columns"], message });
    }
    if (table.csv !== undefined && format !== "csv") {
      context.addIssue({ code: "custom", path: ["csv"], message: `only for csv, not for ${format}` });
    }
  })
  .transform(({ missing, columns, ...table }) => {
    const nullValues = [...table.nullValues, ...missing];
    if (columns === undefined || Array.isArray(columns)) return { ...table, nullValues, columns };
    const isJson = (table.format ?? formatOfFile(table.path ?? "")) === "jsonl";
    return { ...table, nullValues, meanings: columns, ...(isJson && { columns: Object.keys(columns) }) };
  });

function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat("en-US", { timeZone: name }) !== null;
  } catch {
    return false;
  }
}

export type TableConfig = Omit<z.output<typeof tableConfigSchema>, "columns" | "meanings"> & {
  /** Names of the columns, where the table's own schema does not tell them. */
  readonly columns?: readonly string[] | undefined;
  /** What spellings mean, by column. */
  readonly meanings?: Readonly<Record<string, ColumnMeaning>> | undefined;
  /** Of a `spark:` table, its engine's entry. */
  readonly cluster?: ResolvedCluster;
};

/** Where Spark has the table, of an OMOP catalogue nowhere in particular; null where it does not have it. */
export const placeOnSpark = ({ spark, omop }: Partial<TableConfig>) =>
  spark ?? (omop?.spark === undefined ? null : omop.spark === "catalog" ? {} : { parquet: omop.spark });

/** The options for reading CSV, defaults filled in. */
export function csvOptionsOf(config: TableConfig): CsvOptions {
  return config.csv ?? defaultCsv;
}

/** The entry with its paths made absolute. @param folder - the folder of the configuration file */
export function resolveTableConfig(config: TableConfig, folder: string): TableConfig {
  const resolved = sourceOf(config).resolved(folder);
  const { cluster } = resolved;
  return cluster === undefined ? resolved : { ...resolved, cluster: resolveCluster(cluster, folder) };
}

/** The path of a table that is made of files. */
export function filePathOf(config: TableConfig): string {
  if (config.path !== undefined) return config.path;
  throw new RangeError("the table is a query, not a file");
}

/**
 * Whether the names of a table's columns are known to be names: not where they are the first row of a CSV file, of which
 * nobody has said that it is no record.
 */
export function hasDeclaredColumns({
  path,
  format,
  csv,
}: Pick<TableConfig, "path" | "format" | "csv">): boolean {
  if (csv?.header === true || csv?.names !== undefined || path === undefined) return true;
  const known = format ?? formatOfFile(path);
  return known !== null && known !== "csv";
}
