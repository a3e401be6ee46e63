import type { HistogramLayout, HistogramRows } from "../../shared/trees/histograms.js";
import { noNode } from "../../shared/trees/histograms.js";

/**
 * Adds a block's rows to a level's histogram, row by row: what `levelHistogram` must give. Weights are integers, so that sums are exact in any order.
 * @param into - [layout.length]
 */
export function addToHistogram(into: Float64Array, layout: HistogramLayout, rows: HistogramRows): void {
  const { channels, nodeFeatures, offsets } = layout;
  const { nodes, bins, weights } = rows;
  for (let r = 0; r < nodes.length; r++) {
    const node = nodes[r]!;
    if (node === noNode) continue;
    const asked = nodeFeatures[node]!;
    const begins = offsets[node]!;
    for (let p = 0; p < asked.length; p++) {
      const at = begins[p]! + bins[asked[p]!]![r]! * channels;
      if (weights.kind === "classes") into[at + weights.classes[r]!]! += weights.weights[r]!;
      else for (let c = 0; c < channels; c++) into[at + c]! += weights.values[r * channels + c]!;
    }
  }
}
