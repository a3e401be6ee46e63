import type { ExpectedPrecision } from "@consilium/core/study/expectedPrecision";

/** The line of how strongly an attribute goes with the class, from 0 to 1. */
export function associationLine({
  of,
  best,
  likely,
  rows,
}: {
  readonly of: string;
  readonly best: number;
  readonly likely: number;
  readonly rows: number;
}): ExpectedPrecision {
  const shown = (half: number) => (half < 1 / 2 ? half : null);
  return {
    statistic: "association",
    of,
    at: null,
    best: shown(best),
    likely: shown(likely),
    useful: 0.1,
    unit: null,
    rows,
    isOfGroup: false,
  };
}
