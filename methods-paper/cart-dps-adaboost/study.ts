import type { StageId } from "@consilium/core/ids";
import type { MethodIssue } from "@consilium/core/method/method";
import { lines, nameOf, sentences } from "@consilium/core/said";
import {
  evaluationForm,
  evaluationParameter,
  unprovedEvaluationStage,
} from "@consilium/core/study/evaluation";
import type { BroadcastPlan, Plan, SumStage } from "@consilium/core/study/plan";
import { authorsClaim, sitesAtMost, unprovedEvent } from "@consilium/core/study/soundSums";
import type { Study, StudyWith } from "@consilium/core/study/study";
import { type BinnedFeature, binnedFeatures } from "@consilium/methods/shared/columns/binning";
import { type HistogramLayout, histogramLayout } from "@consilium/methods/shared/trees/histograms";
import { drawnFeatures } from "@consilium/methods/shared/trees/nodeFeatures";
import { setSplitsLength } from "@consilium/methods/shared/trees/setSplits";
import { twoClassIssues } from "@consilium/methods/shared/trees/twoClasses";
import type { PlanSays } from "@consilium/words/says/plans";
import type { StageSays } from "@consilium/words/says/stages";
import type { StudyFaultSays } from "@consilium/words/says/studyFaults";
import { z } from "zod";
import type { CartDpsAdaboostSays } from "./says.js";

/**
 * CART-DPsAdaBoost as published [JQM21]: what its sites exchange. What it computes, how we read the text where it is
 * silent, and why its claim does not hold: docs/methods/boosted-trees.md#cart-dps-adaboost.
 */

const line = lines<CartDpsAdaboostSays & PlanSays & StudyFaultSays>();
const said = sentences<CartDpsAdaboostSays>();

export const cartAdaboostParameters = z.strictObject({
  trees: z
    .int()
    .min(1)
    .max(50)
    .default(10)
    .describe("T, trees at most: the method stops where a tree is worse than a coin."),
  depth: z.int().min(1).max(8).default(4).describe("d, levels of splits."),
  featuresPerNode: z
    .int()
    .min(1)
    .max(1000)
    .optional()
    .describe(
      "k: attributes drawn for each node, of which the one with the least Gini index splits it. Left out: 5, or all.",
    ),
  bins: z
    .int()
    .min(2)
    .max(4_096)
    .default(16)
    .describe("Intervals of equal width of a numeric feature that declares no edges."),
  seed: z
    .string()
    .min(1)
    .max(100)
    .default("consilium")
    .describe("Public: what the attributes of each node, hold-outs and resamples are drawn from."),
  gini: z
    .enum(["unnormalised", "normalised"])
    .default("unnormalised")
    .describe(
      "How the Gini index of the exponential mechanism is measured: `unnormalised` is by counts, for which the printed sensitivity of 2 was derived; `normalised` is from 0 to 1/2.",
    ),
  categoryCuts: z
    .enum(["subset", "one-level"])
    .default("subset")
    .describe(
      "How a categorical attribute is split: `subset` is by the best of all sets of its levels, as CART does; `one-level` takes one level out, as the authors' program does.",
    ),
  budget: z
    .enum(["equal", "weighted"])
    .default("equal")
    .describe(
      "`equal`: ε/T for each tree, as the article's privacy section says. `weighted`: ε/T - ln α, as its Algorithm 3 prints, until ε is used up.",
    ),
  holdOut: z
    .number()
    .min(0)
    .max(0.9)
    .default(0.3)
    .describe("Part of each site's rows that trees are pruned by; 0 for no pruning."),
  evaluation: evaluationParameter,
});

const featuresPerNodeUsually = 5;

/** The keys that `analysis: boosted-trees` adds to a study with `method: cart-dps-adaboost`. */
export const cartAdaboostSection = {
  analysis: z.literal("boosted-trees"),
  method: z.literal("cart-dps-adaboost").describe("Boosted trees as published."),
  variant: z.literal("paper", {
    error: line("fault.paper", {
      methods: [nameOf("cart-dps-adaboost")],
      proven: nameOf("dp-histboost"),
    }),
  }),
  parameters: cartAdaboostParameters,
};

/** A study of CART-DPsAdaBoost. */
export type CartAdaboostStudy = StudyWith<typeof cartAdaboostSection>;

/** @throws RangeError when the study is another one: its caller chose the wrong analysis */
export function asCartAdaboost(study: Study): CartAdaboostStudy {
  if (study.method === "cart-dps-adaboost") return study as CartAdaboostStudy;
  throw new RangeError(`${study.analysis}, variant ${study.variant}, is not cart-dps-adaboost`);
}

/** Weights are summed in units of 2^-30 of the mean weight. */
export const weightExponent = 30;
/** Cells that the logarithm of the weights is counted in, so that the aggregator learns the largest. */
export const weightCells = 256;
export const classes = 2;
/** A vector longer than this is no longer sent in one stage: 1 GiB. */
const lengthMost = 2 ** 27;

export const cartAdaboostNames = {
  splits: "splits",
  /** +1 or -1 for each place after the last level: the tree before, pruned. */
  labels: "labels",
  /** α of the tree before. */
  alpha: "alpha",
  /** What e^-margin is multiplied with to have mean 1 over all rows. */
  scale: "scale",
  /** How many trees the model has, told when it is evaluated. */
  trees: "trees",
} as const;

/** A stage of a tree: one of its levels, or the counts in its leaves. */
export interface CartAdaboostStage {
  readonly id: StageId;
  /** From 1. */
  readonly tree: number;
  /** From 0; the leaves come after the last, with level = depth. */
  readonly level: number;
  /** Of the level's counts by node, attribute, bin and class; null for the leaves. */
  readonly histogram: HistogramLayout | null;
  readonly broadcasts: readonly BroadcastPlan[];
  /** Entries of the vector. A first level also counts weights by cell; leaves hold sample, hold-out and weights by class. */
  readonly length: number;
}

export interface CartAdaboostLayout {
  readonly features: readonly BinnedFeature[];
  readonly stages: readonly CartAdaboostStage[];
  /** The last stage of the plan; null where the study asks for none. */
  readonly evaluation: SumStage | null;
}

/** Two classes: held-out rows are counted by score. */
export const cartAdaboostEvaluationForm = evaluationForm(classes);

const layouts = new WeakMap<CartAdaboostStudy, CartAdaboostLayout>();

export function cartAdaboostLayout(study: CartAdaboostStudy): CartAdaboostLayout {
  const known = layouts.get(study);
  if (known !== undefined) return known;
  const { trees, depth, bins } = study.parameters;
  const features = binnedFeatures(study.features, bins);
  const stages: CartAdaboostStage[] = [];
  for (let tree = 1; tree <= trees; tree++) {
    for (let level = 0; level < depth; level++) stages.push(levelStage(study, features, tree, level));
    stages.push(leafStage(study, features, tree));
  }
  const layout = { features, stages, evaluation: evaluationOf(study) };
  layouts.set(study, layout);
  return layout;
}

function levelStage(
  study: CartAdaboostStudy,
  features: readonly BinnedFeature[],
  tree: number,
  level: number,
): CartAdaboostStage {
  const asked = Array.from({ length: 2 ** level }, (_, node) => attributesOf(study, tree, level, node));
  const histogram = histogramLayout(features, asked, classes);
  return {
    id: `tree-${tree}-level-${level}` as StageId,
    tree,
    level,
    histogram,
    broadcasts: level === 0 ? broadcastsAbout(study, tree - 1) : [splitsOf(features, level - 1)],
    length: histogram.length + (level === 0 ? weightCells : 0),
  };
}

function evaluationOf(study: CartAdaboostStudy): SumStage | null {
  const { depth, evaluation } = study.parameters;
  const { labels, alpha, trees } = cartAdaboostNames;
  return unprovedEvaluationStage(study, evaluation, cartAdaboostEvaluationForm, [
    { name: labels, length: 2 ** depth },
    { name: alpha, length: 1 },
    { name: trees, length: 1 },
  ]);
}

function leafStage(
  { parameters: { depth } }: CartAdaboostStudy,
  features: readonly BinnedFeature[],
  tree: number,
): CartAdaboostStage {
  return {
    id: `tree-${tree}-leaves` as StageId,
    tree,
    level: depth,
    histogram: null,
    broadcasts: [splitsOf(features, depth - 1)],
    length: 3 * classes * 2 ** depth,
  };
}

const splitsOf = (features: readonly BinnedFeature[], level: number): BroadcastPlan => ({
  name: cartAdaboostNames.splits,
  length: setSplitsLength(features, 2 ** level),
});

/** What is told of a finished tree when the next one begins. */
function broadcastsAbout({ parameters: { depth } }: CartAdaboostStudy, tree: number): BroadcastPlan[] {
  if (tree === 0) return [];
  const { labels, alpha, scale } = cartAdaboostNames;
  return [
    { name: labels, length: 2 ** depth },
    { name: alpha, length: 1 },
    { name: scale, length: 1 },
  ];
}

/** The attributes that are drawn for a node, in the order of the features. */
function attributesOf(study: CartAdaboostStudy, tree: number, level: number, node: number): number[] {
  const text = `${study.parameters.seed} attributes ${tree} ${level} ${node}`;
  return drawnFeatures(text, featuresPerNodeOf(study), study.features.length);
}

function featuresPerNodeOf({ parameters, features }: CartAdaboostStudy): number {
  return parameters.featuresPerNode ?? Math.min(featuresPerNodeUsually, features.length);
}

/** Faults that only the whole study shows, as [path, message]. */
export function cartAdaboostIssues(study: CartAdaboostStudy): MethodIssue[] {
  const first = twoClassIssues(study);
  if (first.length > 0) return first;
  const m = study.features.length;
  if (featuresPerNodeOf(study) > m) {
    const params = { asked: featuresPerNodeOf(study), features: m };
    return [[["parameters", "featuresPerNode"], said("cart-dps-adaboost.node-features", params)]];
  }
  const longest = Math.max(...cartAdaboostLayout(study).stages.map((stage) => stage.length));
  if (longest > lengthMost) {
    const params = { numbers: longest, max: lengthMost };
    return [[["parameters", "depth"], said("cart-dps-adaboost.long-stage", params)]];
  }
  const rows = sitesAtMost(study) * study.participation.maxRowsPerSite;
  if (rows * 2 ** weightExponent < 2 ** 63) return [];
  return [[["participation", "maxRowsPerSite"], said("cart-dps-adaboost.many-rows", { rows })]];
}

const reasons = (
  [
    "cart-dps-adaboost.weights-together",
    "cart-dps-adaboost.resampled",
    "cart-dps-adaboost.exact-counts",
    "cart-dps-adaboost.largest-weight",
    "cart-dps-adaboost.budget",
    "cart-dps-adaboost.noise-afterwards",
  ] as const
).map((code) => line(code, {}));

export function planCartAdaboost(study: CartAdaboostStudy): Plan {
  const claim = authorsClaim(study, reasons);
  const { stages, evaluation } = cartAdaboostLayout(study);
  return {
    masking: "pairwise",
    setup: [],
    stages: [...stages.map((stage) => sumStage(study, stage)), ...(evaluation === null ? [] : [evaluation])],
    claim,
    warnings: warningsOf(study),
  };
}

function warningsOf(study: CartAdaboostStudy): string[] {
  const warnings = [line("plan.exact-sums", {})];
  if (study.privacy !== "none" && study.parameters.budget === "weighted") {
    warnings.push(line("cart-dps-adaboost.weighted", {}));
  }
  return warnings;
}

function sumStage(study: CartAdaboostStudy, stage: CartAdaboostStage): SumStage {
  return {
    kind: "sum",
    id: stage.id,
    broadcasts: stage.broadcasts,
    length: stage.length,
    ringBits: 64,
    noise: null,
    // The run may end with any tree.
    ...(stage.tree === 1 ? {} : { mayBeSkipped: true }),
    disclosure: {
      what: whatLeaves(study, stage),
      form: "masked sum",
      learns: line("cart-dps-adaboost.learns", {}),
      mechanism:
        study.privacy === "none" ? lines<StageSays>()("noise.none", {}) : line("cart-dps-adaboost.noise", {}),
      normBound: null,
      sensitivity: null,
      cost: null,
      event: unprovedEvent(study),
    },
  };
}

function whatLeaves(study: CartAdaboostStudy, stage: CartAdaboostStage): string {
  const label = nameOf(study.label!.name);
  if (stage.histogram === null) return line("cart-dps-adaboost.leaves", { label });
  return line("cart-dps-adaboost.nodes", {
    attributes: featuresPerNodeOf(study),
    nodes: 2 ** stage.level,
    label,
    steps: stage.level === 0 ? weightCells : 0,
  });
}
