import type { StageId } from "@consilium/core/ids";
import type { MethodIssue } from "@consilium/core/method/method";
import { nameOf, sentences } from "@consilium/core/said";
import { between } from "@consilium/core/study/between";
import {
  evaluationForm,
  evaluationParameter,
  evaluationStage,
  trainingShare,
} from "@consilium/core/study/evaluation";
import type { BroadcastPlan } from "@consilium/core/study/plan";
import { countQuery, soundStage } from "@consilium/core/study/soundStage";
import type { SoundStage } from "@consilium/core/study/soundSums";
import type { StageSays } from "@consilium/words/says/stages";
import type { StudyFaultSays } from "@consilium/words/says/studyFaults";
import { z } from "zod";
import type { LabelledStudy } from "../columns/labelled.js";

/** What the methods that grow one correlation tree have in common: parameters, stages, what is broadcast. */

/** Levels of a tree at most: a vector doubles with each. */
export const depthMost = 10;

/** Where the study does not say how many rows it expects, or adds no noise: else `noiseDefaults.ts` chooses. */
export const treeUsually = { depth: 3, bins: 16, leafShare: 0.3 } as const;

/** What both sound methods are told of the tree. */
export const treeParameters = {
  depth: z
    .int()
    .min(1)
    .max(depthMost)
    .optional()
    .describe(
      "h, levels of splits. A path asks each attribute once, so there are at least as many features. Left out: as many as `participation.expectedRows` let stand out of the noise, or 3 without it.",
    )
    .transform((depth) => depth ?? treeUsually.depth),
  bins: z
    .int()
    .min(2)
    .max(4096)
    .optional()
    .describe(
      "Intervals of equal width of a numeric feature that declares no edges. Left out: 16, of dp-pcc fewer (3 at least) where `participation.expectedRows` are few for the noise.",
    )
    .transform((bins) => bins ?? treeUsually.bins),
  leafShare: between(0.05, 0.95)
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

export const treeStages = {
  /** @param level - from 0, the root's */
  level: (level: number) => `level-${level + 1}` as StageId,
  leaves: "leaves" as StageId,
};

/** The name under which a level's splits are broadcast, one (feature, cut) for each node; -1 where a node is not split. */
export const splitsName = "splits";

/** The name under which the leaves' values are broadcast for the evaluation: [2^h × L], multiples of 2^-24 in [0, 1]. */
export const valuesName = "values";

/** A vector longer than this is no longer sent in one stage: 1 GiB. */
export const lengthMost = 2 ** 27;

/** What the sites are told before they answer a level, or the leaves as level h: the splits of the level above. */
export function splitsBefore(level: number): BroadcastPlan[] {
  return level === 0 ? [] : [{ name: splitsName, length: 2 ** level }];
}

/** What both sound methods end with: counts in the leaves, and the evaluation where there is one. */
export function lastStages(study: {
  readonly label: { readonly name: string; readonly levels: readonly string[] };
  readonly parameters: SharedOut;
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
      what: sentences<StageSays>()("sent.leaves", { leaves: 2 ** depth, label: nameOf(study.label.name) }),
    }),
    evaluation: evaluationStage(evaluation, evaluationForm(classes), [{ name: valuesName, length }]),
  };
}

/** The part of ρ of one level. */
export function levelShare({
  parameters: { depth, leafShare, evaluation },
}: {
  readonly parameters: SharedOut;
}): number {
  return ((1 - leafShare) / depth) * trainingShare(evaluation);
}

/** A path asks each attribute once. */
export function depthIssues(study: {
  readonly features: readonly unknown[];
  readonly parameters: { readonly depth: number };
}): MethodIssue[] {
  const { depth } = study.parameters;
  const features = study.features.length;
  if (depth <= features) return [];
  return [[["parameters", "depth"], sentences<StudyFaultSays>()("fault.depth", { depth, features })]];
}

/** What decides how training's budget is shared out. */
interface SharedOut {
  readonly depth: number;
  readonly leafShare: number;
  readonly evaluation: z.output<typeof evaluationParameter>;
}

/** A study of one of these methods, as far as what they share goes. */
export type TreeStudy = LabelledStudy & {
  readonly parameters: {
    readonly depth: number;
    readonly seed: string;
    readonly evaluation: z.output<typeof evaluationParameter>;
  };
};
