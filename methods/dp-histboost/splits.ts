import type { Split } from "@consilium/core/learning/trees/tree";
import type { BinnedFeature } from "../shared/columns/binning.js";
import { binsOf, type HistogramLayout } from "../shared/trees/histograms.js";
import { classes, weightUnits } from "./study.js";

/** A node's split as the aggregator chose it from noisy sums; gain and cover in units of weight. */
export interface ChosenSplit extends Split {
  readonly gain: number;
  /** Standard deviation that the noise gives the gain of a split fixed beforehand, to first order. */
  readonly gainStdDev: number;
  /** Weight in the node. */
  readonly cover: number;
}

/** Weights of both classes. */
interface Weights {
  readonly negative: number;
  readonly positive: number;
}

const total = ({ negative, positive }: Weights) => negative + positive;
const clipped = ({ negative, positive }: Weights): Weights => ({
  negative: Math.max(0, negative),
  positive: Math.max(0, positive),
});

/** (P² + N²)/(P + N); 0 of nothing. */
function purity(weights: Weights): number {
  const sum = total(weights);
  return sum === 0 ? 0 : (weights.positive ** 2 + weights.negative ** 2) / sum;
}

/** How much a split lowers the Gini index, times the node's weight. All weights at least 0. */
export function giniDecrease(left: Weights, right: Weights, parent: Weights): number {
  return purity(left) + purity(right) - purity(parent);
}

/**
 * The best split of every node of a level, from its noisy sums: the largest decrease of the weighted Gini index among the
 * node's features and all their cuts, where both sides weigh at least the guard.
 * @param sums - [layout.length] in sixteenths
 * @param stdDev - of one entry's noise, in sixteenths; 0 without noise
 * @param least - what each side must weigh, in sixteenths: `guardWeight`
 * @param isReached - per node whether any row can be there
 * @returns null where no cut passes, or none gains anything
 */
export function chooseSplits(options: {
  readonly layout: HistogramLayout;
  readonly sums: Float64Array;
  readonly stdDev: number;
  readonly least: number;
  readonly isReached: readonly boolean[];
}): (ChosenSplit | null)[] {
  const { layout, sums, stdDev, least, isReached } = options;
  return layout.nodeFeatures.map((asked, node) => {
    if (!isReached[node]) return null;
    let best: ChosenSplit | null = null;
    asked.forEach((feature, position) => {
      const found = bestCut({
        counts: binsOf(sums, layout, node, position),
        feature,
        binned: layout.features[feature]!,
        stdDev,
        least,
      });
      if (found !== null && (best === null || found.gain > best.gain)) best = found;
    });
    return best;
  });
}

/**
 * All weight at the root of a tree, from its first level's noisy sums: the mean over the features that the root is asked
 * for, each of which has every row once.
 */
export function rootWeight(layout: HistogramLayout, sums: Float64Array): number {
  const asked = layout.nodeFeatures[0]!;
  const weights = asked.map((feature, position) =>
    total(weightsIn(binsOf(sums, layout, 0, position), 0, layout.features[feature]!.bins)),
  );
  return weights.reduce((sum, weight) => sum + weight, 0) / asked.length;
}

/** The best cut of one feature in one node. @param counts - [bins × 2] */
function bestCut(options: {
  readonly counts: Float64Array;
  readonly feature: number;
  readonly binned: BinnedFeature;
  readonly stdDev: number;
  /** What each side must weigh, in sixteenths. */
  readonly least: number;
}): ChosenSplit | null {
  const { counts, feature, binned, stdDev, least } = options;
  const { bins, kind } = binned;
  const all = weightsIn(counts, 0, bins);
  const parent = clipped(all);
  let best: { cut: number; gain: number; left: Weights; right: Weights } | null = null;
  let negative = 0;
  let positive = 0;
  for (let cut = 0; cut < (kind === "ordered" ? bins - 1 : bins); cut++) {
    if (kind === "nominal") negative = positive = 0;
    negative += counts[cut * classes]!;
    positive += counts[cut * classes + 1]!;
    const left = clipped({ negative, positive });
    const right = clipped({ negative: all.negative - negative, positive: all.positive - positive });
    if (Math.min(total(left), total(right)) < least) continue;
    const gain = giniDecrease(left, right, parent);
    if (gain > (best?.gain ?? 0)) best = { cut, gain, left, right };
  }
  if (best === null) return null;
  const leftBins = kind === "ordered" ? best.cut + 1 : 1;
  return {
    feature,
    cut: best.cut,
    gain: best.gain / weightUnits,
    gainStdDev: (stdDev * gainSlope({ ...best, parent, leftBins, rightBins: bins - leftBins })) / weightUnits,
    cover: total(parent) / weightUnits,
  };
}

function weightsIn(counts: Float64Array, from: number, to: number): Weights {
  let negative = 0;
  let positive = 0;
  for (let bin = from; bin < to; bin++) {
    negative += counts[bin * classes]!;
    positive += counts[bin * classes + 1]!;
  }
  return { negative, positive };
}

/** The length of the gain's gradient with respect to all entries of the feature's histogram. */
function gainSlope(options: {
  readonly left: Weights;
  readonly right: Weights;
  readonly parent: Weights;
  readonly leftBins: number;
  readonly rightBins: number;
}): number {
  const { left, right, parent, leftBins, rightBins } = options;
  const parentSlope = puritySlope(parent);
  const difference = (side: Weights) => {
    const slope = puritySlope(side);
    return (slope.negative - parentSlope.negative) ** 2 + (slope.positive - parentSlope.positive) ** 2;
  };
  return Math.sqrt(leftBins * difference(left) + rightBins * difference(right));
}

/** Derivatives of (P² + N²)/(P + N). */
function puritySlope(weights: Weights): Weights {
  const { negative: n, positive: p } = weights;
  const square = total(weights) ** 2;
  if (square === 0) return { negative: 0, positive: 0 };
  return { negative: (n * n + 2 * n * p - p * p) / square, positive: (p * p + 2 * n * p - n * n) / square };
}
