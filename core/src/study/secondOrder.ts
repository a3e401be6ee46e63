import { z } from "zod";
import type { StageId } from "../ids.js";
import { maximumHistogramEntries } from "../linalg/histograms.js";
import type { BinnedFeature } from "./binning.js";
import type { BroadcastPlan } from "./plan.js";
import type { SoundStage } from "./soundSums.js";

/**
 * Second-order boosting of the log loss [CG16], summed over sites: what is public before it runs
 * (docs/methods/second-order-boosting.md#second-order-boosting). A method that stands on it takes these parameters into its own schema and
 * these stages into its own plan.
 */

/** The parameters, under XGBoost's meanings and defaults where it has them. */
export const secondOrderParameters = {
  trees: z
    .int("a whole number of trees")
    .min(1, "at least 1")
    .max(1000, "at most 1000")
    .default(5)
    .describe("T: trees, one after another."),
  depth: z
    .int("a whole number of levels")
    .min(1, "at least 1")
    .max(12, "at most 12")
    .default(2)
    .describe("d: levels of splits in a tree."),
  eta: z
    .number()
    .gt(0, "greater than 0")
    .max(1, "at most 1")
    .default(0.3)
    .describe("η: what a tree's leaf weights are multiplied with."),
  lambda: z
    .number()
    .min(0, "at least 0")
    .max(1e6)
    .default(1)
    .describe("λ of the penalty ½λΣw² on leaf weights."),
  gamma: z
    .number()
    .min(0, "at least 0")
    .max(1e9)
    .default(0)
    .describe("γ: a split whose children are leaves stays only where it gains as much."),
  minChildWeight: z
    .number()
    .min(0, "at least 0")
    .max(1e9)
    .default(1)
    .describe("The least sum of hessians on either side of a split."),
  baseScore: z
    .number()
    .gt(0, "between 0 and 1")
    .lt(1, "between 0 and 1")
    .default(0.5)
    .describe("The probability that every row begins with."),
};

/** Everything that decides what boosting computes. */
export interface SecondOrderSettings {
  readonly features: readonly BinnedFeature[];
  /** The label's level whose log-odds are learnt; all others together are the other class. */
  readonly positive: number;
  readonly trees: number;
  readonly depth: number;
  readonly eta: number;
  readonly lambda: number;
  readonly gamma: number;
  readonly minChildWeight: number;
  readonly baseScore: number;
  /**
   * `exact`: sums without noise, and XGBoost's own steps in single precision. `noisy`: records of certain length, a
   * choice of splits that allows for noise, and models in fixed point.
   */
  readonly sums: "exact" | "noisy";
  /** k: gradients and hessians are integers in units of 2^-k. */
  readonly gridExponent: number;
}

/** Finest grid of exact sums: XGBoost's own numbers are single. */
const exactGridExponent = 30;
/** Finest grid of noisy sums: cutting toward zero moves no record by more than 2^-20. */
const noisyGridExponent = 20;

/**
 * Settings with the finest grid that fits.
 * @param options.records - rows that all sites together may have
 */
export function secondOrderSettings(
  options: Omit<SecondOrderSettings, "gridExponent"> & { readonly records: number },
): SecondOrderSettings {
  const { records, ...settings } = options;
  const gridExponent =
    settings.sums === "exact"
      ? Math.min(exactGridExponent, Math.floor(62 - Math.log2(records)))
      : Math.min(noisyGridExponent, Math.floor((52 - Math.log2(settings.features.length)) / 2));
  return { ...settings, gridExponent };
}

/** Weights of leaves are cut to ±3 before η where sums have noise. */
export const leafClip = 3;

/** Where sums have noise, leaves are multiples of 2^-24. */
export const leafExponent = 24;

/** The most that a leaf can hold where sums have noise: ⌊2^24·3η⌋/2^24. */
export function leafMost(settings: SecondOrderSettings): number {
  return Math.floor(settings.eta * leafClip * 2 ** leafExponent) / 2 ** leafExponent;
}

/** A level of a tree. */
export interface SecondOrderStage extends SoundStage {
  /** From 0. */
  readonly tree: number;
  /** ℓ, from 0: the level has 2^ℓ nodes. */
  readonly level: number;
}

/** Names of the broadcasts. */
export const splitsName = "splits";
export const leavesName = "leaves";

/** Trees and levels count from 1 in names. */
export function secondOrderStageId(tree: number, level: number): StageId {
  return `tree-${tree + 1}-level-${level + 1}` as StageId;
}

/** Gradient and hessian. */
export const channels = 2;

function stageLength(settings: SecondOrderSettings, level: number): number {
  const bins = settings.features.reduce((sum, feature) => sum + feature.bins, 0);
  return channels * 2 ** level * bins;
}

/**
 * A stage per level of each tree, root first. Every record adds its (g, h), |(g, h)| ≤ 1, to one bin of each of the m
 * features: Δ = √m in units of 2^-k. There is no stage for leaves, whose sums the last level's splits hold.
 *
 * A stage is told the splits of the level before it; the first one of a tree, the tree before it to its end.
 * @param share - the part of the study's ρ for all of them, divided evenly
 */
export function secondOrderStages(settings: SecondOrderSettings, share: number): SecondOrderStage[] {
  const { trees, depth, features, gridExponent } = settings;
  return Array.from({ length: trees * depth }, (_, i): SecondOrderStage => {
    const [tree, level] = [Math.floor(i / depth), i % depth];
    return {
      id: secondOrderStageId(tree, level),
      tree,
      level,
      broadcasts: broadcastsOf(settings, tree, level),
      length: stageLength(settings, level),
      share: share / (trees * depth),
      sensitivitySquared: features.length * 4 ** gridExponent,
      entryMost: 2 ** gridExponent,
      // Entry by entry: g of -1 to 1, h of 0 to ¼.
      changes: [
        { entries: features.length, most: 2 ** gridExponent },
        { entries: features.length, most: 2 ** (gridExponent - 2) },
      ],
      integersPerUnit: 2 ** gridExponent,
      what: `first and second derivatives of the rows' log loss at each node of level ${level + 1} of a tree, apart for each bin of each of the ${features.length} features`,
    };
  });
}

function broadcastsOf(settings: SecondOrderSettings, tree: number, level: number): BroadcastPlan[] {
  if (level > 0) return [{ name: splitsName, length: 2 * 2 ** (level - 1) }];
  return tree === 0 ? [] : wholeTreeBroadcasts(settings);
}

/** What a stage is told that follows a whole tree: the splits of its last level, and its leaves. */
export function wholeTreeBroadcasts({ depth }: Pick<SecondOrderSettings, "depth">): BroadcastPlan[] {
  return [
    { name: splitsName, length: 2 * 2 ** (depth - 1) },
    { name: leavesName, length: 2 ** depth },
  ];
}

/** Faults that only the whole study shows, as [parameter, message]. */
export function secondOrderIssues(settings: SecondOrderSettings): [path: PropertyKey[], message: string][] {
  const longest = stageLength(settings, settings.depth - 1);
  if (longest <= maximumHistogramEntries) return [];
  return [
    [
      ["parameters", "depth"],
      `the last level of a tree takes ${longest} numbers, over the limit of ${maximumHistogramEntries}; lower depth, or declare fewer bins`,
    ],
  ];
}
