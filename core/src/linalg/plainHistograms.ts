import {
  binOutOfRange,
  checkHistogramBlock,
  classOutOfRange,
  featuresInUse,
  type HistogramAccumulator,
  type HistogramBlock,
  type HistogramLayout,
  type HistogramShape,
  histogramLayout,
  nodeOutOfRange,
  noNode,
} from "./histograms.js";

/** Histograms by plain loops: the oracle of the fast kernels. */
export function plainHistograms(shape: HistogramShape): HistogramAccumulator {
  const layout = histogramLayout(shape);
  const used = featuresInUse(layout);
  const sums = new Float64Array(layout.length);
  let failure: unknown;
  let ended = false;
  const requireOpen = () => {
    if (ended) throw new RangeError("this accumulation has ended: start another with histograms()");
    if (failure !== undefined) throw failure;
  };
  return {
    async add(block) {
      requireOpen();
      checkHistogramBlock(block, shape, used);
      try {
        checkRows(block, shape, used);
      } catch (error) {
        failure = error;
        throw error;
      }
      for (let row = 0; row < block.rows; row++) addRow(row, block, shape, layout, sums);
    },
    async finish() {
      requireOpen();
      ended = true;
      return sums;
    },
  };
}

/** Every row's bins are checked, those of features that its node does not ask for too. */
function checkRows(block: HistogramBlock, shape: HistogramShape, used: readonly number[]): void {
  const { rows, nodes, classes } = block;
  for (const feature of used) {
    const bins = shape.binCounts[feature]!;
    const column = block.columns[feature]!;
    for (let row = 0; row < rows; row++) if (column[row]! >= bins) throw binOutOfRange(feature, bins);
  }
  for (let row = 0; row < rows && nodes !== null; row++) {
    const node = nodes[row]!;
    if (node >= shape.nodeCount && node !== noNode) throw nodeOutOfRange(shape.nodeCount);
  }
  for (let row = 0; row < rows && shape.weights === "class"; row++) {
    if (classes![row]! >= shape.channels) throw classOutOfRange(shape.channels);
  }
}

function addRow(
  row: number,
  block: HistogramBlock,
  shape: HistogramShape,
  layout: HistogramLayout,
  sums: Float64Array,
): void {
  const { channels } = shape;
  const node = block.nodes === null ? 0 : block.nodes[row]!;
  if (node === noNode) return;
  const features = layout.features[node]!;
  for (let position = 0; position < features.length; position++) {
    const bin = block.columns[features[position]!]![row]!;
    const start = layout.starts[node]![position]! + bin * channels;
    if (shape.weights === "class") {
      sums[start + block.classes![row]!]! += block.weights[row]!;
      continue;
    }
    for (let c = 0; c < channels; c++) sums[start + c]! += block.weights[row * channels + c]!;
  }
}
