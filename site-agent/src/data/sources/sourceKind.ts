import type { AddressForm } from "@consilium/runtime/postgres/address";
import type { z } from "zod";
import type { TableConfig } from "../tableConfig.js";
import type { OmopDialect } from "./omop/dialect.js";

/** A format of files of records. */
export interface FormatKind {
  /** As documents have it. */
  readonly title: string;
  /** Endings of names by which its files are known. */
  readonly endings: readonly string[];
}

/** Where a database is, and the file with its password. */
export interface DatabasePlace {
  readonly url: string;
  readonly passwordFile?: string | undefined;
}

/** A database product that queries are put to. */
export interface DatabaseKind {
  /** How its addresses are written. */
  readonly address: AddressForm;
  /** Where its driver finds the password of a place without `passwordFile`; left out, a place has to have one. */
  readonly passwords?: {
    /** Variables of the environment that say where. */
    readonly variables: readonly string[];
    file(): string;
  };
  /** Whether the rows of a query without `orderBy` come by all columns that a study reads; left out, in any order. */
  readonly ordersRows?: true;
  readonly omop: OmopDialect;
}

/** Records that are not in files of this machine: in a database, which its id names among all, or where Spark reads, which may be a path. */
export type Elsewhere =
  | { readonly kind: "database"; readonly id: string }
  | { readonly kind: "spark"; readonly path: string | null };

/** Where a table's records can be: the value of one key of its entry. */
export interface SourceKind<Entry> {
  readonly entry: z.ZodType<Entry>;
  /** The value with its paths made absolute. @param folder - of the configuration file */
  resolve(value: Entry, folder: string): Entry;
  /** Files of records, each as a table of files. */
  files(value: Entry, config: TableConfig): readonly TableConfig[];
  /** Other files that are read: passwords, authorities, views. */
  beside(value: Entry): readonly string[];
  /** Null for files of this machine. */
  elsewhere(value: Entry): Elsewhere | null;
}
