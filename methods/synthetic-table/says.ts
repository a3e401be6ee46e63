import type { AnySaid, Name, None } from "@consilium/words/said";

/** Synthetic tables: what is sent. */
export interface SyntheticTableSays {
  "synthetic-table.sent-pairs": { units: AnySaid; coarse: number; columns: readonly Name[]; more: number };
  "synthetic-table.sent-tables": { units: AnySaid; columns: readonly Name[]; more: number; chosen: number };
  "synthetic-table.lost-pairs": { expected: AnySaid; tables: number; factor: number };
  "synthetic-table.lost": { expected: AnySaid; tables: readonly AnySaid[]; more: number; factor: number };
  "synthetic-table.lost-table": {
    column: Name;
    counts: number;
    each: number;
    units: AnySaid;
    within: number;
  };
  "synthetic-table.many-counts": { counts: number; max: number; pairs: number };
  "synthetic-table.one-column": None;
  "synthetic-table.label": { label: Name };
  "synthetic-table.no-decimals": { column: Name };
  "synthetic-table.listed": { column: Name };
  "synthetic-table.bounds": { column: Name; decimals: number };
  "synthetic-table.no-number": { decimals: number; interval: Name; column: Name };
}
