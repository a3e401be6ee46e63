import { isRatioTold, ratioColumns } from "@consilium/core/release/ratios";
import { formatNumber } from "../shared/format";
import { t } from "../shared/language";

/** A table's columns of numbers with the columns that hold the ends of their intervals, which a page shows below the numbers. */

type Ends = readonly [low: number, high: number];

interface Columns {
  readonly columns: readonly { readonly name: string }[];
}

/** The one column whose ends are called otherwise. */
const endsOf: Readonly<Record<string, readonly [low: string, high: string]>> = {
  coefficient: ["ci_low", "ci_high"],
};

/** By a column's index, those of its interval's ends. */
export function intervalColumns({ columns }: Columns): ReadonlyMap<number, Ends> {
  const indexOf = (wanted: string) => columns.findIndex(({ name }) => name === wanted);
  return new Map(
    columns.flatMap(({ name }, index): [number, Ends][] => {
      const [low, high] = (endsOf[name] ?? [`${name}_low`, `${name}_high`]).map(indexOf) as [number, number];
      return low === -1 || high === -1 ? [] : [[index, [low, high]]];
    }),
  );
}

export interface ShownNumber {
  readonly text: string;
  /** In words; null where there is none. */
  readonly interval: string | null;
}

/** A number with its interval; a ratio that cannot be told with its interval alone. */
export function shownNumber(column: string, value: number, low: unknown, high: unknown): ShownNumber {
  if (typeof low !== "number" || typeof high !== "number")
    return { text: formatNumber(value), interval: null };
  const isRatio = (ratioColumns as readonly string[]).includes(column);
  const ranges = t("{low} to {high}", { low: formatNumber(low), high: formatNumber(high) });
  return {
    text: isRatio && !isRatioTold({ low, high }) ? t("cannot be told") : formatNumber(value),
    interval: low === high ? null : t("95 %: {ranges}", { ranges }),
  };
}
