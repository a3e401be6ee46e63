import { z } from "zod";
import type { StageId } from "../ids.js";
import { fullLayout, type HistogramLayout } from "../learning/trees/histograms.js";
import { additiveAdvice } from "./additive.js";
import { type BinnedFeature, binnedFeatures } from "./binning.js";
import {
  evaluationForm,
  evaluationParameter,
  evaluationStage,
  evaluationWarnings,
  trainingRows,
  trainingShare,
} from "./evaluation.js";
import { labelSchema } from "./features.js";
import { countedUnits } from "./patientWeights.js";
import type { BroadcastPlan, Plan } from "./plan.js";
import { countQuery, soundStage } from "./soundStage.js";
import {
  asExpected,
  fitsRing,
  noiseStdDev,
  planSoundSums,
  rowsExpected,
  rowsExpectedText,
  type SoundStage,
  sitesAtLeast,
  sitesAtMost,
  soundIssues,
} from "./soundSums.js";
import type { Study } from "./study.js";

/**
 * A correlation tree with a proof: `method: dp-pcc`. Per level one noisy histogram of every node and attribute by class,
 * then one of the leaves: docs/methods/correlation-tree.md#dp-pcc. This file fixes what is public before a run.
 */

/** Levels of a tree at most: a vector doubles with each. */
export const depthMost = 10;

/** Where the study does not say how many rows it expects, or adds no noise: else `noiseDefaults.ts` chooses. */
export const treeUsually = { depth: 3, bins: 16, leafShare: 0.3 } as const;

/** What both sound methods are told of the tree. */
export const treeParameters = {
  depth: z
    .int("a whole number")
    .min(1, "at least 1")
    .max(depthMost, `at most ${depthMost}`)
    .optional()
    .describe(
      "h, levels of splits. A path asks each attribute once, so there are at least as many features. Left out: as many as `participation.expectedRows` let stand out of the noise, or 3 without it.",
    )
    .transform((depth) => depth ?? treeUsually.depth),
  bins: z
    .int("a whole number")
    .min(2, "at least 2")
    .max(4096, "at most 4096")
    .optional()
    .describe(
      "Intervals of equal width of a numeric feature that declares no edges. Left out: 16, of dp-pcc fewer (3 at least) where `participation.expectedRows` are few for the noise.",
    )
    .transform((bins) => bins ?? treeUsually.bins),
  leafShare: z
    .number()
    .min(0.05, "from 0.05 to 0.95")
    .max(0.95, "from 0.05 to 0.95")
    .optional()
    .describe(
      "The part of training's budget that the counts in the leaves get; the levels share the rest equally. Left out: 0.3; of dp-pcc, where `depth` is left out too and `participation.expectedRows` is given, what makes the errors of cuts and leaves least.",
    )
    .transform((leafShare) => leafShare ?? treeUsually.leafShare),
  evaluation: evaluationParameter,
  seed: z
    .string()
    .min(1)
    .max(100)
    .default("consilium")
    .describe("Public: what decides which rows are held out."),
};

const parameters = z
  .strictObject({
    ...treeParameters,
    guard: z
      .number()
      .min(0, "from 0 to 20")
      .max(20, "from 0 to 20")
      .default(3)
      .describe(
        "A cut is looked at where each side holds at least so many standard deviations of the noise in a count over all bins of the attribute.",
      ),
  })
  .prefault({});

/** The keys that `analysis: correlation-tree` adds to a study with `method: dp-pcc`. */
export const dpPccSection = {
  analysis: z.literal("correlation-tree"),
  method: z.literal("dp-pcc"),
  variant: z.literal("sound", {
    error: "dp-pcc and dp-pcc-s are `sound`; the method of `variant: paper` is pearson-tree",
  }),
  /** The class that the tree predicts. */
  label: labelSchema,
  parameters,
};

export type DpPccStudy = Extract<Study, { readonly analysis: "correlation-tree"; readonly method: "dp-pcc" }>;

export const treeStages = {
  /** @param level - from 0, the root's */
  level: (level: number) => `level-${level + 1}` as StageId,
  leaves: "leaves" as StageId,
};

/** The name under which a level's splits are broadcast, one (feature, cut) for each node; -1 where a node is not split. */
export const splitsName = "splits";

/** The name under which the leaves' values are broadcast for the evaluation: [2^h × L], multiples of 2^-24 in [0, 1]. */
export const valuesName = "values";

const dpPccProof = "docs/METHODS.md#dp-pcc-proof";

/** A vector longer than this is no longer sent in one stage: 1 GiB. */
export const lengthMost = 2 ** 27;

/** A level of the tree: what a record adds 1 to, once for each attribute. */
export interface DpPccLevel {
  readonly stage: SoundStage;
  readonly histogram: HistogramLayout;
}

/** Everything of a study of dp-pcc that is public and fixed before it runs. */
export interface DpPccLayout {
  readonly features: readonly BinnedFeature[];
  /** L. */
  readonly classes: number;
  readonly levels: readonly DpPccLevel[];
  /** Counts by leaf and class: [2^h × L]. */
  readonly leaves: SoundStage;
  readonly evaluation: SoundStage | null;
}

/** What the sites are told before they answer a level, or the leaves as level h: the splits of the level above. */
export function splitsBefore(level: number): BroadcastPlan[] {
  return level === 0 ? [] : [{ name: splitsName, length: 2 ** level }];
}

/** What both sound methods end with: counts in the leaves, and the evaluation where there is one. */
export function lastStages(study: {
  readonly label: { readonly name: string; readonly levels: readonly string[] };
  readonly parameters: Pick<DpPccStudy["parameters"], "depth" | "leafShare" | "evaluation">;
}): { readonly leaves: SoundStage; readonly evaluation: SoundStage | null } {
  const { depth, leafShare, evaluation } = study.parameters;
  const classes = study.label.levels.length;
  const length = 2 ** depth * classes;
  return {
    leaves: soundStage({
      id: treeStages.leaves,
      broadcasts: splitsBefore(depth),
      share: leafShare * trainingShare(evaluation),
      query: countQuery(length),
      integersPerUnit: 1,
      what: `counts of rows by the ${2 ** depth} leaves of the tree and by ${study.label.name}`,
    }),
    evaluation: evaluationStage(evaluation, evaluationForm(classes), [{ name: valuesName, length }]),
  };
}

/** The part of ρ of one level. */
export function levelShare({
  parameters: { depth, leafShare, evaluation },
}: {
  readonly parameters: Pick<DpPccStudy["parameters"], "depth" | "leafShare" | "evaluation">;
}): number {
  return ((1 - leafShare) / depth) * trainingShare(evaluation);
}

const layouts = new WeakMap<DpPccStudy, DpPccLayout>();

export function dpPccLayout(study: DpPccStudy): DpPccLayout {
  const known = layouts.get(study);
  if (known !== undefined) return known;
  const { depth, bins } = study.parameters;
  const features = binnedFeatures(study.features, bins);
  const classes = study.label.levels.length;
  const levels = Array.from({ length: depth }, (_, level): DpPccLevel => {
    const histogram = fullLayout(features, 2 ** level, classes);
    const stage = soundStage({
      id: treeStages.level(level),
      broadcasts: splitsBefore(level),
      share: levelShare(study),
      query: { ...countQuery(histogram.length), touches: features.length },
      integersPerUnit: 1,
      what: `counts of rows by ${nodesText(level)}, by the bins of each of the ${features.length} features and by ${study.label.name}`,
    });
    return { stage, histogram };
  });
  const layout = { features, classes, levels, ...lastStages(study) };
  layouts.set(study, layout);
  return layout;
}

const nodesText = (level: number) =>
  level === 0 ? "the root of the tree" : `the ${2 ** level} nodes of level ${level + 1}`;

/** The stages in their order. */
function dpPccStages(study: DpPccStudy): SoundStage[] {
  const { levels, leaves, evaluation } = dpPccLayout(study);
  return [...levels.map(({ stage }) => stage), leaves, ...(evaluation === null ? [] : [evaluation])];
}

/** Rows that a side of a cut of a feature must hold, by the noise in a sum of so many sites. */
export function guardRows(study: DpPccStudy, level: DpPccLevel, bins: number, sites: number): number {
  return study.parameters.guard * noiseStdDev(study, level.stage, sites) * Math.sqrt(bins);
}

/** Faults that only the whole study shows, as [path, message]. */
export function dpPccIssues(study: DpPccStudy): [path: PropertyKey[], message: string][] {
  const issues = [...soundIssues(study), ...depthIssues(study)];
  if (issues.length > 0) return issues;
  const { depth, bins } = study.parameters;
  const all = binnedFeatures(study.features, bins).reduce((sum, feature) => sum + feature.bins, 0);
  const longest = all * study.label.levels.length * 2 ** (depth - 1);
  if (longest > lengthMost) {
    return [
      [
        ["parameters", "depth"],
        `a stage of ${longest} numbers is over the limit of ${lengthMost}; lower depth or bins, or declare fewer features`,
      ],
    ];
  }
  if (!fitsRing(study, dpPccStages(study))) return [ringIssue];
  return guardIssues(study);
}

/** A path asks each attribute once. */
export function depthIssues(study: {
  readonly features: readonly unknown[];
  readonly parameters: { readonly depth: number };
}): [path: PropertyKey[], message: string][] {
  const { depth } = study.parameters;
  const most = study.features.length;
  if (depth <= most) return [];
  return [
    [
      ["parameters", "depth"],
      `${depth} levels of ${most} ${most === 1 ? "feature" : "features"}, each asked once on a path; ask at most ${most}`,
    ],
  ];
}

export const ringIssue: [path: PropertyKey[], message: string] = [
  ["privacy", "epsilon"],
  "noise of this size does not fit 64-bit numbers; raise epsilon, or lower maxRowsPerSite or patient.maxRows",
];

/** A budget at which no cut can ever be looked at buys an empty tree. */
function guardIssues(study: DpPccStudy): [path: PropertyKey[], message: string][] {
  const rows = sitesAtMost(study) * study.participation.maxRowsPerSite;
  const needed = rowsToSplit(study, 0);
  if (needed <= rows) return [];
  return [
    [
      ["privacy", "epsilon"],
      `each side of a cut must hold ${Math.ceil(needed / 2)} ${countedUnits(study)} to stand out of the noise, and there are at most ${rows} in all; raise epsilon, declare fewer features, or lower bins, guard or depth`,
    ],
  ];
}

/** Rows of a node that some attribute can split: twice the least guard. */
function rowsToSplit(study: DpPccStudy, level: number): number {
  const { levels, features } = dpPccLayout(study);
  const sites = sitesAtLeast(study);
  const bins = Math.min(...features.map((feature) => feature.bins));
  return 2 * guardRows(asExpected(study), levels[level]!, bins, sites);
}

export function planDpPcc(study: DpPccStudy): Plan {
  return planSoundSums(study, () => ({
    stages: dpPccStages(study),
    proof: dpPccProof,
    warnings: warningsOf(study),
  }));
}

function warningsOf(study: DpPccStudy): string[] {
  if (study.privacy === "none") return [];
  const { depth } = study.parameters;
  const rows = trainingRows(study.parameters.evaluation, rowsExpected(study));
  const warnings: string[] = [];
  // Halves at best: a level's nodes hold the rows of the tree between them.
  const splittable = Array.from(
    { length: depth },
    (_, level) => rowsToSplit(study, level) * 2 ** level <= rows,
  );
  const first = splittable.indexOf(false);
  if (first !== -1) {
    warnings.push(
      `${rowsExpectedText(study)} level ${first + 1} of ${depth} can hardly be split: a side of a cut must hold ${Math.ceil(rowsToSplit(study, first) / 2)} ${countedUnits(study)} to stand out of the noise; raise epsilon, declare fewer features, or lower bins, guard or depth`,
    );
  }
  const { evaluation } = dpPccLayout(study);
  return [
    ...warnings,
    ...additiveAdvice(study),
    ...evaluationWarnings(study, evaluation, study.parameters.evaluation),
  ];
}
