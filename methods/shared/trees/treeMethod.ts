import { z } from "zod";
import type { BinnedFeature } from "../columns/binning.js";
import { drawnFeatures } from "./nodeFeatures.js";

/**
 * Where the trees of second-order boosting may cut, and of which rows and columns each is grown: XGBoost's `tree_method`,
 * `max_bin`, `subsample` and `colsample_bytree` (docs/methods/second-order-boosting.md#tree-methods). For exact sums alone.
 */

/** The parameters, under XGBoost's meanings and defaults except `treeMethod`. */
export const treeMethodParameters = {
  treeMethod: z
    .enum(["exact", "hist", "approx"])
    .default("exact")
    .describe(
      "Where trees may cut. `exact`: between any two declared intervals. `hist`: at up to maxBin quantiles of the rows, chosen once. `approx`: at quantiles weighted by the hessians, chosen anew for each tree.",
    ),
  maxBin: z
    .int()
    .min(2)
    .max(4096)
    .default(256)
    .describe("Bins of a numeric feature that `hist` and `approx` make out of its declared intervals."),
  subsample: z
    .number()
    .gt(0)
    .max(1)
    .default(1)
    .describe("The part of the rows that each tree is grown of, drawn by every site for itself."),
  columnSample: z
    .number()
    .gt(0)
    .max(1)
    .default(1)
    .describe("The part of the features that each tree may split on, drawn from the seed."),
  seed: z
    .string()
    .min(1)
    .max(100)
    .default("consilium")
    .describe("Public: what rows and columns of each tree are drawn from."),
};

/** `treeMethodParameters`, and how many trees a round has. */
export interface TreeMethodSettings {
  readonly treeMethod: "exact" | "hist" | "approx";
  readonly maxBin: number;
  readonly subsample: number;
  readonly columnSample: number;
  readonly seed: string;
  /** Trees of a round: 1 for the log-odds of one class of two, or one for each of several classes. */
  readonly outputs: number;
}

/** Two classes, every declared interval, every row and every column. */
export const wholeTrees: TreeMethodSettings = {
  treeMethod: "exact",
  maxBin: 256,
  subsample: 1,
  columnSample: 1,
  seed: "",
  outputs: 1,
};

/** What decides on a tree's bins. */
type TreeBinSettings = TreeMethodSettings & { readonly features: readonly BinnedFeature[] };

/** Indices of the features that a tree may split on, ascending: ⌊columnSample·m⌋ of m as XGBoost takes, at least 1. */
export function treeFeatures(settings: TreeBinSettings, tree: number): readonly number[] {
  const { features, columnSample, seed } = settings;
  if (columnSample === 1) return features.map((_, f) => f);
  const count = Math.max(1, Math.floor(columnSample * features.length));
  return drawnFeatures(`${seed} columns ${tree + 1}`, count, features.length);
}

/** The features as a tree's histograms hold them: with as many bins as they can have, whatever the cuts will be. */
export function histogramFeatures(settings: TreeBinSettings): readonly BinnedFeature[] {
  const { features, treeMethod, maxBin } = settings;
  if (treeMethod === "exact") return features;
  return features.map((feature) =>
    feature.kind === "ordered" ? { ...feature, bins: Math.min(feature.bins, maxBin) } : feature,
  );
}

/**
 * Indices of the features whose cuts are chosen before a tree grows, ascending; none for `exact`. `hist` chooses them once,
 * before the first tree, for all trees.
 */
export function sketchedFeatures(settings: TreeBinSettings, tree: number): readonly number[] {
  const { features, treeMethod } = settings;
  if (treeMethod === "exact") return [];
  const candidates = treeMethod === "hist" ? features.map((_, f) => f) : treeFeatures(settings, tree);
  return candidates.filter((f) => features[f]!.kind === "ordered" && features[f]!.bins > 1);
}

/** Whether the cuts of its features are chosen right before this tree. */
export function isSketchedBefore(settings: TreeBinSettings, tree: number): boolean {
  if (settings.treeMethod === "hist" && tree > 0) return false;
  return sketchedFeatures(settings, tree).length > 0;
}

/** The tree right before which a tree's cuts were chosen. */
export const sketchTree = ({ treeMethod }: TreeMethodSettings, tree: number) =>
  treeMethod === "hist" ? 0 : tree;

/** Numbers in the broadcast of a tree's cuts: of each sketched feature one fewer than its histogram has bins. */
export function cutsLength(settings: TreeBinSettings, tree: number): number {
  const histogram = histogramFeatures(settings);
  return sketchedFeatures(settings, tree).reduce((sum, f) => sum + histogram[f]!.bins - 1, 0);
}
