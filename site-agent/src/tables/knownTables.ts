import type { TableUnit } from "../data/tableUnit.js";

/** Of one table. */
export interface RecordSource {
  /** What the ledger's entries carry: at most `coverMost` keyed hashes. */
  readonly cover: readonly string[];
  /** All keyed hashes that stand for one of the table's records. */
  readonly matches: ReadonlySet<string>;
}

/** What policy and ledger know of the hospital's tables, without reading a record. */
export interface KnownTables {
  readonly names: readonly string[];
  /** Of a table that the configuration does not name: rows, undeclared. */
  unit(table: string): TableUnit;
  /** Whether the names of its columns are declared; see `hasDeclaredColumns`. */
  hasDeclaredColumns(table: string): boolean;
  /** Null for a table that the configuration does not name. */
  source(table: string): RecordSource | null;
  /** Pairs of tables whose sources overlap. */
  readonly overlaps: readonly (readonly [string, string])[];
}

/** The same, and looked for anew before a study is judged. */
export interface ResolvedTables extends KnownTables {
  resolve(): Promise<void>;
}

/** Hashes of a source in one entry of the ledger. */
export const coverMost = 16;
