import { type BinColumn, type HistogramAccumulator, noNode } from "@consilium/core/linalg/histograms";
import type { NumericKernels } from "@consilium/core/linalg/kernels";
import type { BinnedFeature } from "../columns/binning.js";

/**
 * What a level's histogram looks like as one vector: node by node, in each the node's features in their order, of each its
 * bins, of each bin the channels (classes, or gradient and hessian).
 */
export interface HistogramLayout {
  readonly features: readonly BinnedFeature[];
  /** Per node, indices of the features it is asked for, each once. */
  readonly nodeFeatures: readonly (readonly number[])[];
  readonly channels: number;
  /** Entries of the vector. */
  readonly length: number;
  /** [node][position among the node's features] where that feature's first bin begins. */
  readonly offsets: readonly (readonly number[])[];
}

export function histogramLayout(
  features: readonly BinnedFeature[],
  nodeFeatures: readonly (readonly number[])[],
  channels: number,
): HistogramLayout {
  let length = 0;
  const offsets = nodeFeatures.map((asked) =>
    asked.map((feature) => {
      const at = length;
      length += features[feature]!.bins * channels;
      return at;
    }),
  );
  return { features, nodeFeatures, channels, length, offsets };
}

/** Every node asked for every feature. */
export function fullLayout(
  features: readonly BinnedFeature[],
  nodes: number,
  channels: number,
): HistogramLayout {
  const all = features.map((_, f) => f);
  return histogramLayout(
    features,
    Array.from({ length: nodes }, () => all),
    channels,
  );
}

/** What rows add: each its weight to the channel of its class, or one value to every channel. */
export type HistogramWeights =
  | { readonly kind: "classes"; readonly classes: Uint16Array; readonly weights: Float64Array }
  | { readonly kind: "values"; readonly values: Float64Array };

/** A row in no node. */
export { noNode };

/** A block's rows, as a level's histogram adds them. */
export interface HistogramRows {
  /** Each row's node, or `noNode`. */
  readonly nodes: Uint16Array;
  /** Per feature of the study, each row's bin. */
  readonly bins: readonly BinColumn[];
  readonly weights: HistogramWeights;
}

/**
 * A level's histogram over many rows, on the fast kernels. Weights are integers, so that sums are exact in any order.
 * @param kind - of the weights of every block
 * @throws RangeError as `NumericKernels.histograms`; the accumulator's methods as `HistogramAccumulator`
 */
export function levelHistogram(
  kernels: NumericKernels,
  layout: HistogramLayout,
  kind: HistogramWeights["kind"],
): { add(rows: HistogramRows): Promise<void>; finish(): Promise<Float64Array> } {
  const sums: HistogramAccumulator = kernels.histograms({
    binCounts: layout.features.map(({ bins }) => bins),
    nodeCount: layout.nodeFeatures.length,
    nodeFeatures: layout.nodeFeatures,
    channels: layout.channels,
    weights: kind === "classes" ? "class" : "vector",
  });
  return {
    add({ nodes, bins, weights }) {
      const byClass = weights.kind === "classes";
      return sums.add({
        rows: nodes.length,
        columns: bins,
        nodes,
        weights: byClass ? weights.weights : weights.values,
        classes: byClass ? weights.classes : null,
      });
    },
    finish: () => sums.finish(),
  };
}

/** The bins of one feature in one node: [bins × channels], a view into the sums. */
export function binsOf(
  sums: Float64Array,
  layout: HistogramLayout,
  node: number,
  position: number,
): Float64Array {
  const at = layout.offsets[node]![position]!;
  const { bins } = layout.features[layout.nodeFeatures[node]![position]!]!;
  return sums.subarray(at, at + bins * layout.channels);
}
