import type { AnySaid, Name } from "@consilium/words/said";

/** Synthetic tables: what is sent. */
export interface SyntheticTableSays {
  "synthetic-table.sent-pairs": { units: AnySaid; coarse: number; columns: readonly Name[]; more: number };
  "synthetic-table.sent-tables": { units: AnySaid; columns: readonly Name[]; more: number; chosen: number };
}
