import type { HistogramQuery } from "@consilium/gate/query";

/** Several tables of counts as sections of one histogram: a record adds each table's weight to one cell of it. */

/** A table's place among all cells. */
export interface CountSection {
  readonly offset: number;
  readonly cells: number;
  /** w: what a record adds to its cell. */
  readonly weight: number;
}

/** Δ² = Σ w², by the gate. */
export function sectionsQuery(sections: readonly CountSection[]): HistogramQuery {
  return {
    kind: "histogram",
    cells: sections.reduce((sum, { cells }) => sum + cells, 0),
    touches: sections.length,
    channels: [{ least: 0, most: Math.max(...sections.map(({ weight }) => weight)) }],
    sections: sections.map(({ cells, weight }) => ({ cells, most: weight })),
  };
}

/** Tables one after another. */
export function placedSections<T extends Omit<CountSection, "offset">>(
  tables: readonly T[],
): (T & CountSection)[] {
  let offset = 0;
  return tables.map((table) => {
    const placed = { ...table, offset };
    offset += table.cells;
    return placed;
  });
}

/** Weights are integers: with a least one of 19 they are within 3 % of what they stand for. */
const weightUnit = 16;

/**
 * w_i ∝ c_i^¼ for tables of c_i cells: of all weights with one Σ w² these make Σ c_i/w_i², the sum of all cells' noise variances, the
 * least (docs/methods/describe.md#describe-weights). Square roots are exact to the last bit everywhere, so weights are the same at
 * every site. Without a common divisor: tables of one size have weight 1.
 */
export function weightsOf(cells: readonly number[]): number[] {
  const weights = cells.map((count) => Math.round(weightUnit * Math.sqrt(Math.sqrt(count))));
  const divisor = weights.reduce(commonDivisor);
  return weights.map((weight) => weight / divisor);
}

function commonDivisor(a: number, b: number): number {
  return b === 0 ? a : commonDivisor(b, a % b);
}
