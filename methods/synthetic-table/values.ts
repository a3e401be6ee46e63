import type { Feature } from "@consilium/core/study/features";
import type { CountedFeature } from "../shared/columns/counted.js";

/** What a cell of a column is written as: docs/methods/synthetic-table.md#values. */
export type CellValue =
  | { readonly kind: "level"; readonly level: number }
  /** Any number of the interval, all alike. */
  | { readonly kind: "interval"; readonly from: number; readonly to: number }
  /** One of m/perUnit, first ≤ m ≤ last, all alike. */
  | { readonly kind: "grid"; readonly first: number; readonly last: number; readonly perUnit: number }
  | { readonly kind: "missing" };

/** Of each cell of a column. @param decimals - null where any number will do */
export function columnValues(
  feature: Feature,
  { binned, cells, missing }: CountedFeature,
  decimals: number | null,
): CellValue[] {
  return Array.from({ length: cells }, (_, cell): CellValue => {
    if (feature.type === "categorical") return { kind: "level", level: cell };
    if (cell === missing) return { kind: "missing" };
    const from = cell === 0 ? feature.min : binned.edges[cell - 1]!;
    const isLast = cell === binned.bins - 1;
    const to = isLast ? feature.max : binned.edges[cell]!;
    return decimals === null
      ? { kind: "interval", from, to }
      : gridOf(from, to, isLast, Number(`1e${decimals}`));
  });
}

/** Found by comparing the numbers themselves, as they are drawn: products of decimals with edges round. */
function gridOf(from: number, to: number, isLast: boolean, perUnit: number): CellValue {
  let first = Math.floor(from * perUnit) - 1;
  while (first / perUnit < from) first++;
  let last = Math.ceil(to * perUnit) + 1;
  while (isLast ? last / perUnit > to : last / perUnit >= to) last--;
  return { kind: "grid", first, last, perUnit };
}

/** A number of a cell, or NaN for a missing one. @param uniform - draws from [0, 1) */
export function drawnValue(value: CellValue, uniform: () => number): number {
  switch (value.kind) {
    case "level":
      return value.level;
    case "missing":
      return Number.NaN;
    case "grid": {
      const { first, last, perUnit } = value;
      return (first + Math.floor(uniform() * (last - first + 1))) / perUnit;
    }
    case "interval": {
      const drawn = value.from + uniform() * (value.to - value.from);
      // Rounding may reach the next interval.
      return drawn < value.to ? drawn : value.from;
    }
  }
}
