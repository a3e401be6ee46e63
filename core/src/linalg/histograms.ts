/** In `HistogramBlock.nodes`, a row that no node holds. */
export const noNode = 0xffff;

/** Most entries of all histograms together: 1 GiB. */
export const maximumHistogramEntries = 2 ** 27;

/** A feature of at most this many bins takes its bins as bytes. */
const byteBins = 256;
const maximumBins = 65536;

/** The bins of rows in one feature: bytes where the feature has at most 256 bins. */
export type BinColumn = Uint8Array | Uint16Array;

/** Which histograms one pass over the rows fills. */
export interface HistogramShape {
  /** Bins of each feature, 1 to 65,536. */
  readonly binCounts: readonly number[];
  /** 1 to 65,534. */
  readonly nodeCount: number;
  /**
   * For each node, the features it asks for, none twice, in the order of its histograms; a node may ask for none.
   * null: every node asks for every feature, in ascending order.
   */
  readonly nodeFeatures: readonly ArrayLike<number>[] | null;
  /** Numbers per bin, 1 to 65,535. */
  readonly channels: number;
  /**
   * What a row adds to its bin: `vector`, a weight in every channel, as gradient and hessian; `class`, one weight in
   * the channel of the row's class.
   */
  readonly weights: "vector" | "class";
}

/** Rows, column by column; every array may have more entries than the rows need. */
export interface HistogramBlock {
  readonly rows: number;
  /**
   * The bin of each row in each feature, as `binColumn` allocates them.
   * What stands for a feature that no node asks for is not looked at.
   */
  readonly columns: readonly BinColumn[];
  /** The node of each row, or `noNode`; null: every row is in node 0. */
  readonly nodes: Uint16Array | null;
  /** [rows × channels] row-major for weights of type `vector`, [rows] for `class`. */
  readonly weights: Float64Array;
  /** The class of each row, below `channels`; null for weights of type `vector`. */
  readonly classes: Uint16Array | null;
}

export interface HistogramAccumulator {
  /**
   * Adds a block of rows. The block is copied before the promise resolves, so the caller may reuse it. Calls need not
   * wait for each other; they are taken in order.
   * @throws RangeError if an array is too short or of the wrong type, or the accumulation has ended; and, here or from
   *   a later call, if the bin, node or class of a row does not exist
   */
  add(block: HistogramBlock): Promise<void>;
  /**
   * The sums over all blocks, laid out as `histogramLayout` says. Ends the accumulation. While every sum of magnitudes
   * of integer weights is below 2^53 the result is exact, whatever the blocks, their order and the number of threads.
   * @throws RangeError as `add`
   */
  finish(): Promise<Float64Array>;
}

/** Where each histogram starts: node by node, then in the order of the node's features, then bin, then channel. */
export interface HistogramLayout {
  readonly length: number;
  /** The features of each node. */
  readonly features: readonly Uint16Array[];
  /** [node][position among its features]: the entry where the histogram of that feature starts. */
  readonly starts: readonly Float64Array[];
}

/**
 * Checks a shape and lays its histograms out.
 * @throws RangeError naming what is out of range
 */
export function histogramLayout(shape: HistogramShape): HistogramLayout {
  const { binCounts, channels } = shape;
  requireInteger(channels, 1, 65535, "number of channels");
  requireInteger(shape.nodeCount, 1, noNode - 1, "number of nodes");
  requireInteger(binCounts.length, 0, 65535, "number of features");
  for (const [feature, bins] of binCounts.entries()) {
    requireInteger(bins, 1, maximumBins, `number of bins of feature ${feature}`);
  }
  const features = nodeFeatures(shape);
  let length = 0;
  const starts = features.map((list) =>
    Float64Array.from(list, (feature) => {
      const start = length;
      length += binCounts[feature]! * channels;
      return start;
    }),
  );
  if (length > maximumHistogramEntries) {
    throw new RangeError(`histograms of ${length} entries are more than ${maximumHistogramEntries}`);
  }
  return { length, features, starts };
}

function nodeFeatures(shape: HistogramShape): Uint16Array[] {
  const count = shape.binCounts.length;
  if (shape.nodeFeatures === null) {
    const all = Uint16Array.from({ length: count }, (_, feature) => feature);
    return Array.from({ length: shape.nodeCount }, () => all);
  }
  if (shape.nodeFeatures.length !== shape.nodeCount) {
    throw new RangeError(`${shape.nodeFeatures.length} lists of features for ${shape.nodeCount} nodes`);
  }
  return shape.nodeFeatures.map((list, node) => {
    const seen = new Set<number>();
    return Uint16Array.from(list, (feature) => {
      requireInteger(feature, 0, count - 1, `a feature of node ${node}`);
      if (seen.has(feature)) throw new RangeError(`node ${node} asks for feature ${feature} twice`);
      seen.add(feature);
      return feature;
    });
  });
}

/** The features that any node asks for, ascending. */
export function featuresInUse(layout: HistogramLayout): number[] {
  return [...new Set(layout.features.flatMap((list) => [...list]))].sort((a, b) => a - b);
}

/** Room for the bins of `rows` rows in a feature, of the type that the kernels take. */
export function binColumn(bins: number, rows: number): BinColumn {
  return bins <= byteBins ? new Uint8Array(rows) : new Uint16Array(rows);
}

/**
 * Checks the arrays of a block, not their entries.
 * @param used - the features that any node asks for
 * @throws RangeError naming the array
 */
export function checkHistogramBlock(
  block: HistogramBlock,
  shape: HistogramShape,
  used: readonly number[],
): void {
  const { rows, columns, nodes, weights, classes } = block;
  requireInteger(rows, 0, Number.MAX_SAFE_INTEGER, "number of rows");
  for (const feature of used) {
    const column = columns[feature];
    const bins = shape.binCounts[feature]!;
    const fits = bins <= byteBins ? column instanceof Uint8Array : column instanceof Uint16Array;
    if (!fits) {
      const type = bins <= byteBins ? "Uint8Array" : "Uint16Array";
      throw new RangeError(`the column of feature ${feature}, of ${bins} bins, is not a ${type}`);
    }
    requireLength(column!.length, rows, `column of feature ${feature}`);
  }
  if (nodes !== null) requireLength(nodes.length, rows, "column of nodes");
  const perRow = shape.weights === "vector" ? shape.channels : 1;
  requireLength(weights.length, rows * perRow, "array of weights");
  if (shape.weights === "vector") return;
  if (classes === null) throw new RangeError("weights by class need the class of each row");
  requireLength(classes.length, rows, "column of classes");
}

function requireLength(length: number, needed: number, what: string): void {
  if (length < needed) throw new RangeError(`the ${what} has ${length} entries, the rows need ${needed}`);
}

function requireInteger(value: number, minimum: number, maximum: number, what: string): void {
  if (!Number.isInteger(value) || value < minimum || value > maximum) {
    throw new RangeError(`${what} ${value} is not an integer from ${minimum} to ${maximum}`);
  }
}

/** What to throw for a row whose bin does not exist; the value itself is a record's and stays out. */
export function binOutOfRange(feature: number, bins: number): RangeError {
  return new RangeError(`feature ${feature}: a row's bin is not below ${bins}`);
}

export function nodeOutOfRange(nodeCount: number): RangeError {
  return new RangeError(`a row's node is not below ${nodeCount}`);
}

export function classOutOfRange(channels: number): RangeError {
  return new RangeError(`a row's class is not below ${channels}`);
}
