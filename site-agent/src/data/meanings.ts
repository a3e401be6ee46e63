import type { NumericFeature } from "@consilium/core/study/features";
import { plainText } from "@consilium/core/study/plainText";
import { type BelowDetection, MissingValues } from "./cells.js";
import type { ColumnMeaning } from "./fileConfig.js";
import type { TableConfig } from "./tableConfig.js";

export interface ColumnDescription {
  readonly unit: string;
  readonly bounds: { readonly min: number; readonly max: number } | null;
  readonly levels: string[];
}

/** What a hospital says that spellings of its table mean, column by column: no study needs to know it. */
export class Meanings {
  /** Of columns that say nothing of their own. */
  readonly missing: MissingValues;
  readonly zone: string | undefined;
  readonly #nullValues: readonly string[];
  readonly #columns: ReadonlyMap<string, ColumnMeaning>;
  readonly #missing = new Map<string, MissingValues>();

  constructor({
    nullValues,
    meanings = {},
    timeZone,
  }: Pick<TableConfig, "nullValues" | "meanings" | "timeZone">) {
    this.missing = new MissingValues(nullValues);
    this.zone = timeZone;
    this.#nullValues = nullValues;
    this.#columns = new Map(Object.entries(meanings).map(([name, one]) => [plainText(name), one]));
  }

  of(column: string): ColumnMeaning {
    return this.#columns.get(plainText(column)) ?? {};
  }

  missingOf(column: string): MissingValues {
    const { missing } = this.of(column);
    if (missing === undefined) return this.missing;
    const known = this.#missing.get(column) ?? new MissingValues([...this.#nullValues, ...missing]);
    this.#missing.set(column, known);
    return known;
  }

  dateOf(column: string): ColumnMeaning["date"] {
    return this.of(column).date;
  }

  /** The hospital's texts to those of studies. */
  spelledOf(column: string): Readonly<Record<string, string>> {
    const { true: yes = [], false: no = [], levels } = this.of(column);
    const booleans = (texts: readonly string[], level: string) => texts.map((text) => [text, level]);
    return { ...Object.fromEntries([...booleans(yes, "true"), ...booleans(no, "false")]), ...levels };
  }

  /** What people wrote of it that helps who writes a study; of its levels those of studies, not the table's spellings. */
  describedOf(column: string): ColumnDescription {
    const { unit = "", bounds = null } = this.of(column);
    return { unit, bounds, levels: [...new Set(Object.values(this.spelledOf(column)))] };
  }

  /** Undefined where the study does not say what counts, or the table has no such spelling. */
  belowOf(column: string, as: NumericFeature["belowDetection"]): BelowDetection | undefined {
    const { below } = this.of(column);
    return as === undefined || below === undefined ? undefined : { spellings: below.map(plainText), as };
  }
}
