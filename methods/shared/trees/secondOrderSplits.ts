import type { Split } from "@consilium/core/learning/trees/tree";
import type { BinnedFeature } from "../columns/binning.js";
import { channels, leafClip, leafExponent, type SecondOrderSettings } from "./secondOrder.js";
import type { TreeGrid } from "./treeGrid.js";

/** Sums of g and h. */
export interface Derivatives {
  readonly g: number;
  readonly h: number;
}

/** What is decided at a node that is open. */
export interface NodeChoice {
  readonly total: Derivatives;
  /** The best split with the sums of both sides, or null where none is worth it. */
  readonly best: {
    readonly split: Split;
    /** G_L²/(H_L+λ) + G_R²/(H_R+λ) - G²/(H+λ): twice the bracket's half of the paper, as XGBoost has it. */
    readonly gain: number;
    readonly left: Derivatives;
    readonly right: Derivatives;
  } | null;
}

/** Of each feature that the tree may split on, in their order: [bins × (g, h)] in units of 1. */
export type NodeBins = readonly Float64Array[];

const single = Math.fround;

/** XGBoost's kRtEps: what gains less is not split. */
const gainLeast = 1e-6;

/**
 * A node's split by the study's tree method.
 * @param grid - of the tree
 * @param stdDev - of the noise in one entry, in units of 1
 */
export function nodeChoice(
  settings: SecondOrderSettings,
  grid: TreeGrid,
  bins: NodeBins,
  stdDev: number,
): NodeChoice {
  if (settings.sums === "noisy") return noisyChoice(settings, bins, stdDev);
  return settings.treeMethod === "exact"
    ? exactChoice(settings, bins, grid.chosen)
    : quantileChoice(settings, bins, grid);
}

/** How a method goes over a node's candidates: left sides, and what makes their cut. */
type Offer = (feature: number, cut: () => number, left: Derivatives) => void;

/** The candidate of the greatest gain in single precision as XGBoost has it, so that ties are ties in both; the first of equal ones. */
function bestOf(
  settings: SecondOrderSettings,
  bins: NodeBins,
  candidates: (offer: Offer, total: Derivatives) => void,
): NodeChoice {
  const total = sumOf(bins[0]!);
  const whole = singleScore(settings, total);
  let best: NodeChoice["best"] = null;
  candidates((feature, cut, left) => {
    const right = { g: total.g - left.g, h: total.h - left.h };
    if (Math.min(left.h, right.h) < settings.minChildWeight) return;
    const gain = single(single(singleScore(settings, left) + singleScore(settings, right)) - whole);
    if (gain > (best?.gain ?? 0)) best = { split: { feature, cut: cut() }, gain, left, right };
  }, total);
  return { total, best: best !== null && (best as { gain: number }).gain > gainLeast ? best : null };
}

/**
 * A node's split as XGBoost's `exact` takes it [CG16, algorithm 1]. Features in their order, values of each from the largest
 * down, and only a greater gain replaces the best one. A candidate lies between two neighbouring values of the node; where
 * bins between them are empty, the cut is the one next to the middle. A nominal feature's candidates take one level out, in
 * the order of its levels.
 * @param chosen - indices of the features
 */
export function exactChoice(
  settings: SecondOrderSettings,
  bins: NodeBins,
  chosen: readonly number[] = settings.features.map((_, f) => f),
): NodeChoice {
  return bestOf(settings, bins, (offer, total) => {
    chosen.forEach((f, position) => {
      const feature = settings.features[f]!;
      const sums = bins[position]!;
      const held = heldBins(sums);
      if (held.length < 2) return;
      if (feature.kind === "nominal") {
        offerLevels(offer, f, sums, held);
        return;
      }
      let right: Derivatives = { g: 0, h: 0 };
      for (let i = held.length - 1; i > 0; i--) {
        const b = held[i]!;
        right = { g: right.g + sums[channels * b]!, h: right.h + sums[channels * b + 1]! };
        const left = { g: total.g - right.g, h: total.h - right.h };
        offer(f, () => middleCut(feature, held[i - 1]!, b - 1), left);
      }
    });
  });
}

/**
 * A node's split as XGBoost's `hist` and `approx` take it: features in their order, cuts of each from the smallest up, and
 * only a greater gain replaces the best one. What gains less than γ is not split, where `exact` undoes it afterwards.
 */
function quantileChoice(settings: SecondOrderSettings, bins: NodeBins, grid: TreeGrid): NodeChoice {
  const choice = bestOf(settings, bins, (offer) => {
    grid.chosen.forEach((f, position) => {
      const sums = bins[position]!;
      if (settings.features[f]!.kind === "nominal") {
        const held = heldBins(sums);
        if (held.length > 1) offerLevels(offer, f, sums, held);
        return;
      }
      let left: Derivatives = { g: 0, h: 0 };
      (grid.cuts[f] ?? []).forEach((cut, b) => {
        left = { g: left.g + sums[channels * b]!, h: left.h + sums[channels * b + 1]! };
        offer(f, () => cut, left);
      });
    });
  });
  return choice.best !== null && choice.best.gain < settings.gamma ? { ...choice, best: null } : choice;
}

function offerLevels(offer: Offer, feature: number, sums: Float64Array, held: readonly number[]): void {
  for (const b of held) offer(feature, () => b, { g: sums[channels * b]!, h: sums[channels * b + 1]! });
}

function singleScore({ lambda }: SecondOrderSettings, { g, h }: Derivatives): number {
  return h <= 0 ? 0 : single((g * g) / (h + single(lambda)));
}

/** Bins that rows lie in. */
function heldBins(sums: Float64Array): number[] {
  const held: number[] = [];
  for (let b = 0; b < sums.length / channels; b++)
    if (sums[channels * b] !== 0 || sums[channels * b + 1] !== 0) held.push(b);
  return held;
}

/** Of the cuts from `low` to `high`, which all divide the node's rows alike, the one nearest to the gap's middle. */
function middleCut(feature: BinnedFeature, low: number, high: number): number {
  const middle = (feature.edges[low]! + feature.edges[high]!) / 2;
  let cut = low;
  while (cut < high && Math.abs(feature.edges[cut + 1]! - middle) < Math.abs(feature.edges[cut]! - middle))
    cut++;
  return cut;
}

/** Of a sum's square, so many variances of its noise are taken away; and so many deviations must a side's hessian have. */
const noiseFactor = 4;

/**
 * A node's split from noisy sums: the most of S(G_L, H_L) + S(G_R, H_R) - S(G, H), S(G, H) = max(G² - 4·Var, 0)/(H+λ)
 * with the variance of the noise in G, among candidates whose sides both have H ≥ 4 standard deviations and at least
 * the least weight. Without this, features with many bins win by their noise. A bin's hessian below 0 counts as 0.
 * Each feature is judged by its own bins' totals.
 * @param stdDev - of the noise in one entry, in units of 1
 */
export function noisyChoice(settings: SecondOrderSettings, bins: NodeBins, stdDev: number): NodeChoice {
  const variance = stdDev ** 2;
  let best: NodeChoice["best"] = null;
  settings.features.forEach((feature, f) => {
    const sums = nonNegativeHessians(bins[f]!);
    const total = sumOf(sums);
    const whole = noisyScore(settings, total, feature.bins * variance);
    const offer = (cut: number, left: Derivatives, leftBins: number) => {
      const right = { g: total.g - left.g, h: Math.max(total.h - left.h, 0) };
      const [leftVariance, rightVariance] = [leftBins * variance, (feature.bins - leftBins) * variance];
      if (!stands(settings, left, leftVariance) || !stands(settings, right, rightVariance)) return;
      const gain =
        noisyScore(settings, left, leftVariance) + noisyScore(settings, right, rightVariance) - whole;
      if (gain > (best?.gain ?? gainLeast)) best = { split: { feature: f, cut }, gain, left, right };
    };
    let left: Derivatives = { g: 0, h: 0 };
    for (let b = 0; b < feature.bins; b++) {
      const own = { g: sums[channels * b]!, h: sums[channels * b + 1]! };
      if (feature.kind === "nominal") offer(b, own, 1);
      else if (b < feature.bins - 1) {
        left = { g: left.g + own.g, h: left.h + own.h };
        offer(b, left, b + 1);
      }
    }
  });
  return { total: pooledTotal(bins), best };
}

function stands(settings: SecondOrderSettings, { h }: Derivatives, variance: number): boolean {
  return h > 0 && h >= settings.minChildWeight && h >= noiseFactor * Math.sqrt(variance);
}

function noisyScore({ lambda }: SecondOrderSettings, { g, h }: Derivatives, variance: number): number {
  const square = Math.max(g * g - noiseFactor * variance, 0);
  return square === 0 ? 0 : square / (h + lambda);
}

function nonNegativeHessians(sums: Float64Array): Float64Array {
  const kept = sums.slice();
  for (let i = 1; i < kept.length; i += channels) kept[i] = Math.max(kept[i]!, 0);
  return kept;
}

/** A node's sums from those of all features, each weighted by the inverse of its noise: of how many bins it has. */
function pooledTotal(bins: NodeBins): Derivatives {
  let [g, h, weights] = [0, 0, 0];
  for (const sums of bins) {
    const total = sumOf(sums);
    const weight = channels / sums.length;
    g += weight * total.g;
    h += weight * total.h;
    weights += weight;
  }
  return { g: g / weights, h: Math.max(h / weights, 0) };
}

function sumOf(sums: Float64Array): Derivatives {
  let [g, h] = [0, 0];
  for (let i = 0; i < sums.length; i += channels) {
    g += sums[i]!;
    h += sums[i + 1]!;
  }
  return { g, h };
}

/** What a leaf of these sums adds to a margin: -ηG/(H+λ). */
export function leafValue(settings: SecondOrderSettings, { g, h }: Derivatives): number {
  const { eta, lambda, minChildWeight, sums } = settings;
  if (sums === "exact") {
    if (h < minChildWeight || h <= 0) return 0;
    return single(single(-g / (h + single(lambda))) * single(eta)) + 0;
  }
  const below = Math.max(h, 0) + lambda;
  const weight = below > 0 ? Math.max(-leafClip, Math.min(leafClip, -g / below)) : 0;
  return Math.trunc(weight * eta * 2 ** leafExponent) / 2 ** leafExponent + 0;
}
