import type { AnySaid, Name } from "@consilium/words/said";

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
}
