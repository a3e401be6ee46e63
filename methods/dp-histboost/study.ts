import type { StageId } from "@consilium/core/ids";
import type { MethodIssue } from "@consilium/core/method/method";
import { lines, nameOf, sentences } from "@consilium/core/said";
import { between } from "@consilium/core/study/between";
import {
  evaluationForm,
  evaluationParameter,
  evaluationStage,
  evaluationWarnings,
  trainingRows,
  trainingShare,
} from "@consilium/core/study/evaluation";
import { fewestInSum } from "@consilium/core/study/onRoster";
import { unitsOf } from "@consilium/core/study/patientWeights";
import type { BroadcastPlan, Plan } from "@consilium/core/study/plan";
import { soundStage } from "@consilium/core/study/soundStage";
import {
  asExpected,
  expectedSaid,
  fitsRing,
  planSoundSums,
  rowsExpected,
  rowsOfTheFewest,
  type SoundStage,
  soundIssues,
  soundSum,
} from "@consilium/core/study/soundSums";
import type { Study, StudyWith } from "@consilium/core/study/study";
import type { Query } from "@consilium/gate/query";
import type { StudyFaultSays } from "@consilium/words/says/studyFaults";
import { z } from "zod";
import { type BinnedFeature, binnedFeatures } from "../shared/columns/binning.js";
import { type HistogramLayout, histogramLayout } from "../shared/trees/histograms.js";
import { drawnFeatures } from "../shared/trees/nodeFeatures.js";
import { twoClassIssues } from "../shared/trees/twoClasses.js";
import type { DpHistBoostSays } from "./says.js";

/**
 * DP-HistBoost, the sound variant of boosted-trees: AdaBoost with bounded weights over trees that grow from noisy weighted
 * histograms. What it computes and why it is private: docs/methods/boosted-trees.md#dp-histboost. This file fixes everything that is
 * public before a run.
 */

export const histBoostParameters = z.strictObject({
  trees: z.int().min(1).max(200).default(10).describe("T: trees, one after another."),
  depth: z.int().min(1).max(8).default(4).describe("d, levels of splits."),
  featuresPerNode: z
    .int()
    .min(1)
    .max(1000)
    .optional()
    .describe(
      "k: features that each node is asked for, drawn from the seed. Left out: 5, or all where there are fewer.",
    ),
  mode: z
    .enum(["real", "discrete"])
    .default("real")
    .describe("`real`: leaves are half the log-odds. `discrete`: leaves vote with the weight of their tree."),
  bins: z
    .int()
    .min(2)
    .max(4096)
    .default(16)
    .describe("Intervals of equal width of a numeric feature that declares no edges."),
  seed: z
    .string()
    .min(1)
    .max(100)
    .default("consilium")
    .describe("Public: what each node's features are drawn from."),
  evaluation: evaluationParameter,
  leafShare: between(0.05, 0.95)
    .default(0.5)
    .describe("The part of each tree's ρ that its leaves cost; the levels share the rest evenly."),
  guard: between(0, 10)
    .default(3)
    .describe(
      "A side of a split must weigh so many standard deviations of one entry's noise; where that is more than a quarter of what all rows weigh in the tree, a quarter, but at least one standard deviation.",
    ),
  pruning: z
    .enum(["none", "siblings"])
    .default("none")
    .describe("`siblings`: two leaves that noise cannot tell apart become one, from the bottom up."),
});

const featuresPerNodeUsually = 5;

/** The keys that `analysis: boosted-trees` adds to a study with `method: dp-histboost`. */
export const histBoostSection = {
  analysis: z.literal("boosted-trees"),
  method: z.literal("dp-histboost").describe("Boosted trees that vote on one of two classes."),
  variant: z.literal("sound", {
    error: lines<StudyFaultSays>()("fault.sound", {
      methods: [nameOf("dp-histboost")],
      paper: [nameOf("cart-dps-adaboost")],
    }),
  }),
  parameters: histBoostParameters,
};

/** A study of DP-HistBoost. */
export type HistBoostStudy = StudyWith<typeof histBoostSection>;

/** @throws RangeError when the study is another one: its caller chose the wrong analysis */
export function asHistBoost(study: Study): HistBoostStudy {
  if (study.method === "dp-histboost") return study as HistBoostStudy;
  throw new RangeError(`${study.analysis}, method ${study.method}, is not dp-histboost`);
}

/** Weights are whole sixteenths. */
export const weightUnits = 16;
/** Classes; the second level of the label is y = +1. */
export const classes = 2;
/** Leaf values are broadcast as multiples of 2^-24. */
export const leafExponent = 24;
/** No leaf is further from 0: ½·ln of 2^63 and more. */
export const leafMost = 32;
/** A vector longer than this is no longer sent in one stage: 1 GiB. */
const lengthMost = 2 ** 27;

export const histBoostNames = {
  /** [2 × nodes] of the level before: `encodeSplits`. */
  splits: "splits",
  /** [2^d] of the tree before. */
  leaves: "leaves",
} as const;

/** A stage: one level of a tree, or its leaves. */
export interface HistBoostStage extends SoundStage {
  /** From 0. */
  readonly tree: number;
  /** From 0; the leaves come after the last, with level = depth. */
  readonly level: number;
  /** Of a level; null for leaves, whose vector is [leaf][class]. */
  readonly histogram: HistogramLayout | null;
}

export interface HistBoostLayout {
  readonly features: readonly BinnedFeature[];
  /** Tree by tree: its levels from the root down, then its leaves. */
  readonly stages: readonly HistBoostStage[];
  /** The last stage; null where the study asks for none. */
  readonly evaluation: SoundStage | null;
  /** k. */
  readonly featuresPerNode: number;
}

/** All stages of a study, in their order. */
export function histBoostStages(study: HistBoostStudy): SoundStage[] {
  const { stages, evaluation } = histBoostLayout(study);
  return evaluation === null ? [...stages] : [...stages, evaluation];
}

const layouts = new WeakMap<HistBoostStudy, HistBoostLayout>();

export function histBoostLayout(study: HistBoostStudy): HistBoostLayout {
  const known = layouts.get(study);
  if (known !== undefined) return known;
  const { trees, depth, bins } = study.parameters;
  const features = binnedFeatures(study.features, bins);
  const featuresPerNode =
    study.parameters.featuresPerNode ?? Math.min(featuresPerNodeUsually, features.length);
  const stages: HistBoostStage[] = [];
  for (let tree = 0; tree < trees; tree++) {
    for (let level = 0; level < depth; level++) {
      stages.push(levelStage({ study, features, featuresPerNode, tree, level }));
    }
    stages.push(leafStage(study, tree));
  }
  const told = [{ name: histBoostNames.leaves, length: 2 ** depth }];
  const evaluation = evaluationStage(study.parameters.evaluation, evaluationForm(classes), told);
  const layout = { features, stages, evaluation, featuresPerNode };
  layouts.set(study, layout);
  return layout;
}

/** A record adds its weight at k entries, one for each feature of its node: Δ² = k·16². */
function levelStage(options: {
  readonly study: HistBoostStudy;
  readonly features: readonly BinnedFeature[];
  readonly featuresPerNode: number;
  readonly tree: number;
  readonly level: number;
}): HistBoostStage {
  const { study, features, featuresPerNode, tree, level } = options;
  const { trees, depth, leafShare, seed, evaluation } = study.parameters;
  const nodeFeatures = Array.from({ length: 2 ** level }, (_, node) =>
    drawnFeatures(`${seed} features ${tree} ${level} ${node}`, featuresPerNode, features.length),
  );
  const histogram = histogramLayout(features, nodeFeatures, classes);
  const stage = soundStage({
    id: `tree-${tree + 1}-level-${level + 1}` as StageId,
    broadcasts: broadcastsOf(study, tree, level),
    share: (trainingShare(evaluation) * (1 - leafShare)) / (trees * depth),
    query: weightQuery(histogram.length, featuresPerNode),
    integersPerUnit: weightUnits,
    what: said("dp-histboost.splits", {
      features: featuresPerNode,
      level: level + 1,
      nodes: 2 ** level,
      label: nameOf(study.label!.name),
    }),
  });
  return { ...stage, tree, level, histogram };
}

/** A record adds its weight, 0 to 16, at so many entries. */
function weightQuery(cells: number, touches: number): Query {
  return { kind: "histogram", cells, touches, channels: [{ least: 0, most: weightUnits }] };
}

/** A record adds its weight at one entry: Δ² = 16². */
function leafStage(study: HistBoostStudy, tree: number): HistBoostStage {
  const { trees, depth, leafShare, evaluation } = study.parameters;
  const stage = soundStage({
    id: `tree-${tree + 1}-leaves` as StageId,
    broadcasts: broadcastsOf(study, tree, depth),
    share: (trainingShare(evaluation) * leafShare) / trees,
    query: weightQuery(classes * 2 ** depth, 1),
    integersPerUnit: weightUnits,
    what: said("dp-histboost.leaves", { leaves: 2 ** depth, label: nameOf(study.label!.name) }),
  });
  return { ...stage, tree, level: depth, histogram: null };
}

const said = sentences<DpHistBoostSays>();

/** What the sites do not know yet: the level before, or the leaves of the tree before. */
function broadcastsOf(study: HistBoostStudy, tree: number, level: number): BroadcastPlan[] {
  if (level > 0) return [{ name: histBoostNames.splits, length: 2 * 2 ** (level - 1) }];
  return tree === 0 ? [] : [{ name: histBoostNames.leaves, length: 2 ** study.parameters.depth }];
}

/**
 * Standard deviation of the noise in one entry of the sum of the fewest sites, in units of weight; 0 without noise.
 */
export function leastStdDev(study: HistBoostStudy, stage: HistBoostStage): number {
  return (soundSum(study, stage).shareStdDev * Math.sqrt(fewestInSum(study))) / weightUnits;
}

/** Faults that only the whole study shows, as [path, message]. */
export function histBoostIssues(study: HistBoostStudy): MethodIssue[] {
  const first = twoClassIssues(study);
  if (first.length > 0) return first;
  const { featuresPerNode, trees, depth } = study.parameters;
  const issues = soundIssues(study);
  if (featuresPerNode !== undefined && featuresPerNode > study.features.length) {
    const params = { asked: featuresPerNode, features: study.features.length };
    issues.push([["parameters", "featuresPerNode"], said("dp-histboost.node-features", params)]);
  }
  if (issues.length > 0) return issues;
  const { stages } = histBoostLayout(study);
  const longest = Math.max(...stages.map((stage) => stage.length));
  if (longest > lengthMost) {
    const params = { numbers: longest, max: lengthMost };
    return [[["parameters", "depth"], said("dp-histboost.long-stage", params)]];
  }
  if (!fitsRing(study, histBoostStages(study)))
    return [[["privacy", "epsilon"], said("dp-histboost.ring", {})]];
  const rows = rowsOfTheFewest(study);
  const needed = rowsToSplit(study, rows);
  if (rows < needed) {
    const params = { trees, depth, needed: Math.ceil(needed), units: unitsOf(study), rows };
    return [[["parameters", "trees"], said("dp-histboost.never-splits", params)]];
  }
  return [];
}

/** The part of a tree's weight that the guard asks of a side at most: half of an even side. */
const guardPartMost = 1 / 4;

/**
 * What each side of a split must weigh. The guard keeps out sides that are nothing but noise; but with few rows, or once most
 * rows are predicted well and weigh little, several standard deviations are more than any side has, and no tree would
 * grow. Leaves carry less noise than levels, so a doubtful split costs less than none.
 * @param stdDev - of one entry's noise
 * @param weight - of all rows in the tree, noisy as it is
 * @returns in the unit of `stdDev` and `weight`
 */
export function guardWeight(study: HistBoostStudy, stdDev: number, weight: number): number {
  return Math.min(study.parameters.guard * stdDev, Math.max(stdDev, guardPartMost * weight));
}

/** Rows below which no cut of a root of so many can pass the guard on both sides, but by noise. */
function rowsToSplit(study: HistBoostStudy, rows: number): number {
  const stdDev = leastStdDev(asExpected(study), histBoostLayout(study).stages[0]!);
  return 2 * guardWeight(study, stdDev, rows);
}

const histBoostProof = "docs/METHODS.md#dp-histboost-proof";

export function planHistBoost(study: HistBoostStudy): Plan {
  return planSoundSums(study, () => ({
    stages: histBoostStages(study),
    proof: histBoostProof,
    warnings: warningsOf(study),
  }));
}

function warningsOf(study: HistBoostStudy): string[] {
  if (study.privacy === "none") return [];
  const warnings: string[] = [];
  const { depth, evaluation } = study.parameters;
  const rows = trainingRows(evaluation, rowsExpected(study));
  // Rows that a node of the last level needs before it splits, times how many nodes share them.
  const needed = rowsToSplit(study, rows) * 2 ** (depth - 1);
  if (rows < needed) {
    const levels = 1 + Math.floor(Math.log2(rows / rowsToSplit(study, rows)));
    warnings.push(
      lines<DpHistBoostSays>()("dp-histboost.few-rows", {
        expected: expectedSaid(study),
        level: Math.max(0, Math.min(levels, depth)),
        depth,
        units: unitsOf(study),
      }),
    );
  }
  return [...warnings, ...evaluationWarnings(study, histBoostLayout(study).evaluation, evaluation)];
}
