import { type BinColumn, binColumn } from "@consilium/core/linalg/histograms";
import type { ColumnBlock } from "@consilium/core/study/design";
import { type Feature, levelsOf } from "@consilium/core/study/features";
import { remembering } from "@consilium/secure-sum/remembering";

/**
 * The one way to bin: declared, hence public and the same at every site. A numeric feature has the intervals between its
 * declared `edges`, or so many of equal width between `min` and `max`; a categorical one has a bin per level.
 */
export interface BinnedFeature {
  readonly name: string;
  /** `ordered` bins are split in two by a cut; of `nominal` ones a cut takes one out, or some. */
  readonly kind: "ordered" | "nominal";
  readonly bins: number;
  /** Ascending; bin b of an ordered feature has edges[b-1] ≤ x < edges[b]. Empty for a nominal one. */
  readonly edges: Float64Array;
  /** Of bins of equal width: where they begin, and how many a unit has. A guess at a value's bin, which edges then decide. */
  readonly even?: { readonly from: number; readonly perUnit: number };
  /** Names of a nominal feature's bins; empty for an ordered one. */
  readonly levels: readonly string[];
}

/** Bin indices fit 16 bits, and 0xffff is no bin. */
export const binsMost = 65_535;

/**
 * @param equalBins - bins of a numeric feature that declares no edges, at least 2
 */
export function binnedFeatures(features: readonly Feature[], equalBins: number): BinnedFeature[] {
  return features.map((feature): BinnedFeature => {
    if (feature.type === "categorical") {
      const levels = levelsOf(feature);
      return {
        name: feature.name,
        kind: "nominal",
        bins: levels.length,
        edges: new Float64Array(0),
        levels,
      };
    }
    const { name, min, max } = feature;
    if (feature.edges === undefined) {
      const edges = equalEdges(min, max, equalBins);
      const even = { from: min, perUnit: equalBins / (max - min) };
      return { name, kind: "ordered", bins: equalBins, edges, even, levels: [] };
    }
    const edges = Float64Array.from(feature.edges);
    return { name, kind: "ordered", bins: edges.length + 1, edges, levels: [] };
  });
}

function equalEdges(min: number, max: number, bins: number): Float64Array {
  const edges = new Float64Array(bins - 1);
  for (let i = 0; i < edges.length; i++) edges[i] = min + ((max - min) * (i + 1)) / bins;
  return edges;
}

/**
 * The bin of a value: for an ordered feature the number of edges at or below it.
 * @param value - a finite number, or a level's index
 */
export function binOf(feature: BinnedFeature, value: number): number {
  if (feature.kind === "nominal") return value;
  const { edges, even } = feature;
  if (even !== undefined) {
    let bin = Math.min(edges.length, Math.floor((value - even.from) * even.perUnit));
    if (!(bin > 0)) bin = 0;
    while (bin > 0 && edges[bin - 1]! > value) bin--;
    while (bin < edges.length && edges[bin]! <= value) bin++;
    return bin;
  }
  return below(edges, 0, edges.length, value);
}

/** What `binOf` tells of a study's features, from flat arrays: millions of records are binned so. Nothing in it changes. */
export class Bins {
  /** Of each feature: where its edges begin, between two NaN that no value passes, and how many there are; -1 of a nominal one. */
  readonly #first: Int32Array;
  readonly #count: Int32Array;
  readonly #edges: Float64Array;
  /** Of bins of equal width: where they begin, and how many a unit has, else 0. */
  readonly #from: Float64Array;
  readonly #perUnit: Float64Array;

  /** The same for the same list. */
  static readonly for = remembering((features: readonly BinnedFeature[]) => new Bins(features));

  private constructor(features: readonly BinnedFeature[]) {
    const ordered = features.filter(({ kind }) => kind === "ordered");
    this.#edges = new Float64Array(ordered.reduce((sum, { edges }) => sum + edges.length + 2, 0)).fill(
      Number.NaN,
    );
    let end = 0;
    this.#first = Int32Array.from(features, ({ kind, edges }) => {
      if (kind === "nominal") return -1;
      const first = end;
      this.#edges.set(edges, first + 1);
      end += edges.length + 2;
      return first;
    });
    this.#count = Int32Array.from(features, ({ edges }) => edges.length);
    this.#from = Float64Array.from(features, ({ even }) => even?.from ?? 0);
    this.#perUnit = Float64Array.from(features, ({ even }) => even?.perUnit ?? 0);
  }

  /** @param value - of the f-th feature */
  of(f: number, value: number): number {
    const first = this.#first[f]!;
    if (first === -1) return value;
    const edges = this.#edges;
    const count = this.#count[f]!;
    const perUnit = this.#perUnit[f]!;
    if (perUnit === 0) return below(edges, first + 1, count, value);
    // A guess: the edges decide, whatever it is.
    let bin = ((value - this.#from[f]!) * perUnit) | 0;
    bin = first + (bin < 0 ? 0 : bin > count ? count : bin);
    while (edges[bin]! > value) bin--;
    while (edges[bin + 1]! <= value) bin++;
    return bin - first;
  }
}

/** How many of the edges from `first` on are at or below a value. */
function below(edges: Float64Array, first: number, count: number, value: number): number {
  let low = 0;
  let high = count;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (edges[first + middle]! <= value) low = middle + 1;
    else high = middle;
  }
  return low;
}

/**
 * The bins of a block's rows: per feature an array of `block.rows` indices, bytes up to 256 bins.
 * @param used - features that are looked at, where not all are; the others' arrays are empty
 */
export function binBlock(
  block: ColumnBlock,
  features: readonly BinnedFeature[],
  used?: ReadonlySet<number>,
): BinColumn[] {
  return features.map((feature, f) => {
    if (used?.has(f) === false) return binColumn(feature.bins, 0);
    const values = block.columns[f]!;
    const bins = binColumn(feature.bins, block.rows);
    for (let r = 0; r < block.rows; r++) bins[r] = binOf(feature, values[r]!);
    return bins;
  });
}

/** The lower one of an even number. */
export function medianBins(features: readonly BinnedFeature[]): number {
  const ascending = features.map(({ bins }) => bins).sort((a, b) => a - b);
  return ascending[Math.floor((ascending.length - 1) / 2)]!;
}
