import type { StageId } from "@consilium/core/ids";
import { maximumHistogramEntries } from "@consilium/core/linalg/histograms";
import type { MethodIssue } from "@consilium/core/method/method";
import { sentences } from "@consilium/core/said";
import type { BroadcastPlan } from "@consilium/core/study/plan";
import { soundStage } from "@consilium/core/study/soundStage";
import type { SoundStage } from "@consilium/core/study/soundSums";
import type { Query } from "@consilium/gate/query";
import type { StageSays } from "@consilium/words/says/stages";
import type { StudyFaultSays } from "@consilium/words/says/studyFaults";
import { z } from "zod";
import type { BinnedFeature } from "../columns/binning.js";
import {
  cutsLength,
  histogramFeatures,
  isSketchedBefore,
  sketchedFeatures,
  sketchTree,
  type TreeMethodSettings,
  treeFeatures,
  wholeTrees,
} from "./treeMethod.js";

/**
 * Second-order boosting of the log loss [CG16], summed over sites: what is public before it runs
 * (docs/methods/second-order-boosting.md#second-order-boosting). A method that stands on it takes these parameters into its own schema and
 * these stages into its own plan.
 */

/** The parameters, under XGBoost's meanings and defaults where it has them. */
export const secondOrderParameters = {
  trees: z.int().min(1).max(1000).default(5).describe("T: trees, one after another."),
  depth: z.int().min(1).max(12).default(2).describe("d: levels of splits in a tree."),
  eta: z.number().gt(0).max(1).default(0.3).describe("η: what a tree's leaf weights are multiplied with."),
  lambda: z.number().min(0).max(1e6).default(1).describe("λ of the penalty ½λΣw² on leaf weights."),
  gamma: z
    .number()
    .min(0)
    .max(1e9)
    .default(0)
    .describe("γ: a split whose children are leaves stays only where it gains as much."),
  minChildWeight: z
    .number()
    .min(0)
    .max(1e9)
    .default(1)
    .describe("The least sum of hessians on either side of a split."),
  baseScore: z.number().gt(0).lt(1).default(0.5).describe("The probability that every row begins with."),
};

/** Everything that decides what boosting computes. */
export interface SecondOrderSettings extends TreeMethodSettings {
  readonly features: readonly BinnedFeature[];
  /** The label's level whose log-odds are learnt, all others together being the other class; of several classes not read. */
  readonly positive: number;
  /** Of all rounds: tree t is of round ⌊t/outputs⌋, and of several classes of class t mod outputs. */
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
 * @throws RangeError where sums with noise are asked for other trees than `wholeTrees`
 */
export function secondOrderSettings(
  options: Omit<SecondOrderSettings, "gridExponent" | keyof TreeMethodSettings> &
    Partial<TreeMethodSettings> & { readonly records: number },
): SecondOrderSettings {
  const { records, ...given } = options;
  const settings = { ...wholeTrees, ...given };
  if (settings.sums === "noisy" && !isWhole(settings))
    throw new RangeError(
      "sums with noise are for trees of every interval, row and column, and of two classes",
    );
  const gridExponent =
    settings.sums === "exact"
      ? Math.min(exactGridExponent, Math.floor(62 - Math.log2(records)))
      : noisyGridExponentOf(settings.features.length);
  return { ...settings, gridExponent };
}

function isWhole({ treeMethod, subsample, columnSample, outputs }: TreeMethodSettings): boolean {
  return treeMethod === "exact" && subsample === 1 && columnSample === 1 && outputs === 1;
}

/** k of noisy sums: as fine as the bound on a record, features · 4^k, leaves exact in float64. */
export function noisyGridExponentOf(features: number): number {
  return Math.min(noisyGridExponent, Math.floor((52 - Math.log2(features)) / 2));
}

/** Weights of leaves are cut to ±3 before η where sums have noise. */
export const leafClip = 3;

/** Where sums have noise, leaves are multiples of 2^-24. */
export const leafExponent = 24;

/** The most that a leaf can hold where sums have noise: ⌊2^24·3η⌋/2^24. */
export function leafMost(settings: SecondOrderSettings): number {
  return Math.floor(settings.eta * leafClip * 2 ** leafExponent) / 2 ** leafExponent;
}

/** The margin that every row begins with where sums have noise, a multiple of 2^-24: the log-odds of the base score. */
export function noisyBaseMargin({ baseScore }: Pick<SecondOrderSettings, "baseScore">): number {
  // + 0: never -0.
  return Math.round(Math.log(baseScore / (1 - baseScore)) * 2 ** leafExponent) / 2 ** leafExponent + 0;
}

/** Limits are whole parts of 4^k of this size, so that a study has few different noises. */
const limitParts = 64;

/**
 * The most that g² + h² of a record can be in a tree, in units of 4^-k: p² + p²(1 - p)² increases in p, and before tree t no
 * margin is further from 0 than that of the base score and t leaves (docs/METHODS.md#second-order-boosting-proof).
 * @param tree - from 0
 */
export function gradientLimit(settings: SecondOrderSettings, tree: number): number {
  const p = surestBefore(settings, tree);
  const part = Math.ceil(limitParts * p ** 2 * (1 + (1 - p) ** 2)) / limitParts;
  return Math.ceil(Math.min(1, part) * 4 ** settings.gridExponent);
}

/** The most that |g| of a record can be in a tree, in units of 2^-k: the probability that is furthest from its outcome. */
export function gradientMost(settings: SecondOrderSettings, tree: number): number {
  const part = Math.ceil(limitParts * surestBefore(settings, tree)) / limitParts;
  return Math.ceil(part * 2 ** settings.gridExponent);
}

/** The largest probability that any record can have before tree t; 1 for exact sums, whose leaves have no bound. */
function surestBefore(settings: SecondOrderSettings, tree: number): number {
  if (settings.sums === "exact") return 1;
  const margin = Math.abs(noisyBaseMargin(settings)) + tree * leafMost(settings);
  return 1 / (1 + Math.exp(-margin));
}

/** A level of a tree. */
export interface SecondOrderStage extends SoundStage {
  readonly kind: "level";
  /** From 0. */
  readonly tree: number;
  /** ℓ, from 0: the level has 2^ℓ nodes. */
  readonly level: number;
}

/** What the cuts of `hist` and `approx` are chosen from, before a tree grows. */
export interface SketchStage extends SoundStage {
  readonly kind: "sketch";
  /** From 0; of `hist` the first tree. */
  readonly tree: number;
}

export type BoostingStage = SecondOrderStage | SketchStage;

/** Names of the broadcasts. */
export const splitsName = "splits";
export const leavesName = "leaves";
/** Of the sketched features in their order, each one's cuts, ascending, filled up with -1. */
export const treeCutsName = "treeCuts";

/** Trees and levels count from 1 in names. */
export function secondOrderStageId(tree: number, level: number): StageId {
  return `tree-${tree + 1}-level-${level + 1}` as StageId;
}

/** Gradient and hessian. */
export const channels = 2;

const binsIn = (features: readonly BinnedFeature[], chosen: readonly number[]) =>
  chosen.reduce((sum, f) => sum + features[f]!.bins, 0);

function stageCells(settings: SecondOrderSettings, tree: number, level: number): number {
  return 2 ** level * binsIn(histogramFeatures(settings), treeFeatures(settings, tree));
}

export const sketchStageId = (settings: SecondOrderSettings, tree: number) =>
  (settings.treeMethod === "hist" ? "cuts" : `tree-${tree + 1}-cuts`) as StageId;

/** Rows, and under `approx` their hessians. */
export const sketchChannels = ({ treeMethod }: TreeMethodSettings) => (treeMethod === "hist" ? 1 : 2);

/** The first stage of a tree, which is told the tree before it to its end. */
export function firstStageId(settings: SecondOrderSettings, tree: number): StageId {
  return isSketchedBefore(settings, tree) ? sketchStageId(settings, tree) : secondOrderStageId(tree, 0);
}

/**
 * A stage per level of each tree, root first. Every record adds its (g, h) to one bin of each of the m features: Δ is √m times
 * the most that (g, h) can be in that tree, `gradientLimit`. There is no stage for leaves, whose sums the last level's splits hold.
 *
 * A stage is told the splits of the level before it; the first one of a tree, the tree before it to its end.
 * @param share - the part of the study's ρ for all of them, divided evenly
 */
export function secondOrderStages(settings: SecondOrderSettings, share: number): SecondOrderStage[] {
  const { trees, depth, gridExponent } = settings;
  return Array.from({ length: trees * depth }, (_, i): SecondOrderStage => {
    const [tree, level] = [Math.floor(i / depth), i % depth];
    const features = treeFeatures(settings, tree).length;
    const unit = 2 ** gridExponent;
    const stage = soundStage({
      id: secondOrderStageId(tree, level),
      broadcasts: broadcastsOf(settings, tree, level),
      share: share / (trees * depth),
      query: derivativeQuery({
        cells: stageCells(settings, tree, level),
        touches: features,
        gradientMost: gradientMost(settings, tree),
        // Of one class of several, h is 2p(1 - p) in exact sums; with noise a quarter at most.
        hessianMost: settings.sums === "exact" ? unit : unit / 4,
        ...(settings.sums === "exact" ? {} : { limit: gradientLimit(settings, tree) }),
      }),
      integersPerUnit: unit,
      what: said("sent.derivatives", { level: level + 1, features, of: settings.features.length }),
    });
    return { ...stage, kind: "level", tree, level };
  });
}

/** A record adds its (g, h) at one bin of each of so many features: |g| and h bounded, and g² + h². */
export function derivativeQuery(bounds: {
  readonly cells: number;
  readonly touches: number;
  readonly gradientMost: number;
  readonly hessianMost: number;
  /** Of g² + h²; left out for exact sums, where nothing depends on it. */
  readonly limit?: number;
}): Query {
  const { cells, touches, gradientMost, hessianMost, limit } = bounds;
  const channels = [
    { least: -gradientMost, most: gradientMost },
    { least: 0, most: hessianMost },
  ];
  const cellLimit = limit === undefined ? {} : { cellLimit: limit };
  return { kind: "histogram", cells, touches, channels, ...cellLimit, divisible: true };
}

const said = sentences<StageSays>();

/** The same with the stages that cuts are chosen from, each before the first tree that needs it. For exact sums. */
export function boostingStages(settings: SecondOrderSettings): BoostingStage[] {
  return secondOrderStages(settings, 1).flatMap((stage): BoostingStage[] =>
    stage.level === 0 && isSketchedBefore(settings, stage.tree)
      ? [sketchStage(settings, stage.tree), stage]
      : [stage],
  );
}

function sketchStage(settings: SecondOrderSettings, tree: number): SketchStage {
  const chosen = sketchedFeatures(settings, tree);
  const unit = settings.treeMethod === "hist" ? 1 : 2 ** settings.gridExponent;
  const rows = { least: 0, most: 1 };
  const stage = soundStage({
    id: sketchStageId(settings, tree),
    broadcasts: tree === 0 ? [] : wholeTreeBroadcasts(settings),
    // Exact sums cost no part of a budget.
    share: 0,
    query: {
      kind: "histogram",
      cells: binsIn(settings.features, chosen),
      touches: chosen.length,
      channels: settings.treeMethod === "hist" ? [rows] : [rows, { least: 0, most: unit }],
    },
    integersPerUnit: unit,
    what: said("sent.intervals", {
      features: chosen.length,
      hessians: settings.treeMethod === "hist" ? 0 : 1,
    }),
  });
  return { ...stage, kind: "sketch", tree };
}

function broadcastsOf(settings: SecondOrderSettings, tree: number, level: number): BroadcastPlan[] {
  if (level > 0) return [{ name: splitsName, length: 2 * 2 ** (level - 1) }];
  if (isSketchedBefore(settings, tree)) return [{ name: treeCutsName, length: cutsLength(settings, tree) }];
  return tree === 0 ? [] : wholeTreeBroadcasts(settings);
}

/** The stage that is told a tree's cuts; null where there are none to choose. */
export function cutsStageId(settings: SecondOrderSettings, tree: number): StageId | null {
  if (sketchedFeatures(settings, tree).length === 0) return null;
  return secondOrderStageId(sketchTree(settings, tree), 0);
}

/** What a stage is told that follows a whole tree: the splits of its last level, and its leaves. */
export function wholeTreeBroadcasts({ depth }: Pick<SecondOrderSettings, "depth">): BroadcastPlan[] {
  return [
    { name: splitsName, length: 2 * 2 ** (depth - 1) },
    { name: leavesName, length: 2 ** depth },
  ];
}

/** Faults that only the whole study shows, as [parameter, message]. */
export function secondOrderIssues(settings: SecondOrderSettings): MethodIssue[] {
  const fault = sentences<StudyFaultSays>();
  const issues: MethodIssue[] = [];
  const most = (numbers: (tree: number) => number) =>
    Array.from({ length: settings.trees }, (_, tree) => numbers(tree)).reduce((a, b) => Math.max(a, b));
  const longest = channels * most((tree) => stageCells(settings, tree, settings.depth - 1));
  const max = maximumHistogramEntries;
  if (longest > max)
    issues.push([["parameters", "depth"], fault("fault.last-level", { numbers: longest, max })]);
  const sketch = most(
    (tree) => sketchChannels(settings) * binsIn(settings.features, sketchedFeatures(settings, tree)),
  );
  if (sketch > max)
    issues.push([["parameters", "treeMethod"], fault("fault.cuts", { numbers: sketch, max })]);
  return issues;
}
