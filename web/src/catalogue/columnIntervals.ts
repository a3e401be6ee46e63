import { isRatioTold, ratioColumns } from "@consilium/core/release/ratios";
import { formatNumber, formatWithin } from "../shared/format";
import { t } from "../shared/language";

/** A number in a table with its interval, which a page shows below it. */
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
  const isTold = !isRatio || isRatioTold({ low, high });
  // The interval of a ratio that cannot be told spans powers of ten: no number of decimals is that of both ends.
  const shown = isTold ? (one: number) => formatWithin(one, { value, low, high }) : formatNumber;
  const ranges = t("{low} to {high}", { low: shown(low), high: shown(high) });
  return {
    text: isTold ? shown(value) : t("cannot be told"),
    interval: low === high ? null : t("95 %: {ranges}", { ranges }),
  };
}
