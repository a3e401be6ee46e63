import type { AnySaid, Name, None } from "@consilium/words/said";

/** Descriptive statistics: why a study is refused, and what a release says. */
export interface DescribeSays {
  "describe.sent": {
    units: AnySaid;
    columns: readonly Name[];
    more: number;
    label: Name | null;
    numbers: number;
    tables: readonly AnySaid[];
    moreTables: number;
  };
  "describe.pair": { first: Name; second: Name };
  /** @param edges - that the column declares. @param most - that it may */
  readonly "describe.many-edges": { readonly column: Name; readonly edges: number; readonly most: number };
  /** @param numbers - of the sum. @param most - that it may have */
  readonly "describe.many-numbers": { readonly numbers: number; readonly most: number };
  /** Note on the making of quartiles, means and standard deviations. */
  readonly "describe.numbers": Readonly<Record<string, never>>;
  "describe.lost": { expected: AnySaid; tables: readonly AnySaid[]; more: number; factor: number };
  "describe.lost-table": {
    columns: readonly Name[];
    counts: number;
    each: number;
    units: AnySaid;
    within: number;
  };
  "describe.many-counts": { counts: number; max: number };
  "describe.label-counted": { column: Name };
  "describe.one-column": None;
  "describe.table-twice": { table: number };
}
