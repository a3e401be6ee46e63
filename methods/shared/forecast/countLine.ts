import type { ExpectedPrecision } from "@consilium/core/study/expectedPrecision";

/** The line of a count, whose noise does not depend on the rows. */
export function countLine({
  within,
  ...own
}: {
  readonly of: string | null;
  readonly within: number;
  readonly rows: number;
  readonly isOfGroup: boolean;
}): ExpectedPrecision {
  return {
    statistic: "count",
    at: null,
    best: within,
    likely: within,
    useful: null,
    unit: null,
    ...own,
  };
}
