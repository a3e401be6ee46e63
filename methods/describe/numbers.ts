import type { NumericFeature } from "@consilium/core/study/features";
import type { Section } from "@consilium/gate/query";
import type { BinnedFeature } from "../shared/columns/binning.js";
import type { Root } from "../shared/counts/root.js";

/**
 * Sums of a numeric column beside its counts, by group: two moments, from which mean and standard deviation follow without an error of
 * binning, and counts of many small cells under a root of the gate, whose prefix sums tell quantiles
 * (docs/methods/describe.md#moments).
 */
export interface NumberSections {
  readonly min: number;
  readonly max: number;
  /** u: a record adds `partsOf(u)`. */
  readonly unit: number;
  /** Where the sums of z begin, z = (value - min)/(max - min) - ½, those of z² - ⅛, and the small cells: [groups], [groups], [groups × cells]. */
  readonly sumsAt: number;
  readonly squaresAt: number;
  readonly cellsAt: number;
  readonly cells: SmallCells;
  readonly root: Root;
}

/** Entries of the matrix that factors the sum have so many bits: more would lower the noise of prefix sums by less than 2 %. */
export const rootBits = 5;

/**
 * What a record adds at most in units of u: to its count, by the sum of z and by that of z² - ⅛, and to its small cell. Flat ones count in
 * units of the root. Relative to the count's weight z has ⅔, z² - ⅛ twice that and the small cell ⅓ (docs/methods/describe.md#describe-weights).
 */
export const partsOf = (unit: number) => ({
  count: 6 * 2 ** rootBits * unit,
  sum: 2 * 2 ** rootBits * unit,
  squares: 2 ** rootBits * unit,
  cell: 2 * unit,
});

/** z and z² - ⅛ of a value as integers: |z| is at most ½, |z² - ⅛| at most ⅛, both reached at a bound. */
export function momentsOf({ min, max, unit }: NumberSections, value: number): readonly [number, number] {
  const z = (value - min) / (max - min) - 1 / 2;
  const { sum, squares } = partsOf(unit);
  return [Math.round(2 * sum * z), Math.round(8 * squares * (z ** 2 - 1 / 8))];
}

/** As the gate bounds them, each in a section. */
export function sectionsOf({ unit, cells, root }: NumberSections, groups: number): Section[] {
  const { sum, squares, cell } = partsOf(unit);
  const { run } = root;
  return [
    { cells: groups, most: sum, least: -sum },
    { cells: groups, most: squares, least: -squares },
    { cells: groups * cells.binned.bins, most: cell, root: { run, exponent: rootBits } },
  ];
}

/** Cells of a column that its declared intervals consist of. */
export interface SmallCells {
  readonly binned: BinnedFeature;
  /** [cells + 1] where they begin and end; a cell of one number begins and ends there. */
  readonly edges: Float64Array;
  /** [intervals + 1] where among them the declared intervals begin and end. */
  readonly declared: Int32Array;
}

/** The range is cut into so many cells of equal width, and further at declared edges and whole numbers. */
const equalCells = 256;
/** Cells of any numeric column, at least. */
export const smallCellsLeast = equalCells;
/** Of more whole numbers in a column's range only those that it declares have a cell of their own. */
const wholeMost = 129;

/**
 * Cuts a numeric column at its declared edges, into cells of a 256th of its range at most, and around its bounds and whole numbers, those that are
 * edges or, where few lie in the range, all: what was counted in whole numbers, or lies at a bound, has its quantiles there.
 */
export function smallCells({ min, max }: NumericFeature, declared: BinnedFeature): SmallCells {
  const cuts = new Set(declared.edges);
  for (let i = 1; i < equalCells; i++) cuts.add(min + ((max - min) * i) / equalCells);
  const [first, last] = [Math.ceil(min), Math.floor(max)];
  const alone = new Set([min, max, ...Array.from(declared.edges).filter(Number.isInteger)]);
  if (last - first < wholeMost) for (let whole = first; whole <= last; whole++) alone.add(whole);
  const ends = new Map<number, number>();
  for (const value of alone) {
    if (value > min) cuts.add(value);
    const end = value + Math.abs(value) * 2 ** -50 + (max - min) * 2 ** -50;
    if (end >= max) continue;
    cuts.add(end);
    ends.set(end, value);
  }
  const edges = Float64Array.from(cuts).sort();
  const { name } = declared;
  const binned: BinnedFeature = { name, kind: "ordered", bins: edges.length + 1, edges, levels: [] };
  const at = new Map(Array.from(edges, (edge, i) => [edge, i + 1] as const));
  return {
    binned,
    edges: Float64Array.of(min, ...Array.from(edges, (edge) => ends.get(edge) ?? edge), max),
    declared: Int32Array.of(0, ...Array.from(declared.edges, (edge) => at.get(edge)!), binned.bins),
  };
}

/** A column's sums of one group, or of all records. */
export interface NumberSums {
  /** Σz, and Σ(z² - ⅛). */
  readonly sum: number;
  readonly squares: number;
  /** [cells] records of each small cell, perhaps negative. */
  readonly counts: Float64Array;
  /** Standard deviations of the noise: in `sum`, in `squares`, and in each number of the run that the small cells were summed in. */
  readonly noise: { readonly sum: number; readonly squares: number; readonly run: number };
}

/**
 * @param sums - the stage's sum
 * @param stdDev - of the noise in one entry of it
 */
export function numberSums(
  { unit, sumsAt, squaresAt, cellsAt, root }: NumberSections,
  groups: number,
  sums: Float64Array,
  stdDev: number,
): { readonly groups: readonly NumberSums[]; readonly all: NumberSums } {
  const parts = partsOf(unit);
  const scales = { sum: 2 * parts.sum, squares: 8 * parts.squares, run: parts.cell };
  const noise = (deviation: number) => ({
    sum: deviation / scales.sum,
    squares: deviation / scales.squares,
    run: deviation / scales.run,
  });
  const { run } = root;
  const byGroup = Array.from({ length: groups }, (_, g): NumberSums => {
    const at = cellsAt + g * run;
    return {
      sum: sums[sumsAt + g]! / scales.sum,
      squares: sums[squaresAt + g]! / scales.squares,
      counts: root.counts(sums.subarray(at, at + run)).map((count) => count / scales.run),
      noise: noise(stdDev),
    };
  });
  const total = (of: (one: NumberSums) => number) => byGroup.reduce((all, one) => all + of(one), 0);
  return {
    groups: byGroup,
    all: {
      sum: total(({ sum }) => sum),
      squares: total(({ squares }) => squares),
      counts: Float64Array.from({ length: run }, (_, cell) => total(({ counts }) => counts[cell]!)),
      noise: noise(stdDev * Math.sqrt(groups)),
    },
  };
}
