import type { MethodIssue } from "@consilium/core/method/method";
import { lines, nameOf, sentences } from "@consilium/core/said";
import { between } from "@consilium/core/study/between";
import { evaluationWarnings, trainingRows } from "@consilium/core/study/evaluation";
import { labelSchema } from "@consilium/core/study/features";
import { unitsOf } from "@consilium/core/study/patientWeights";
import type { Plan } from "@consilium/core/study/plan";
import { countQuery, soundStage } from "@consilium/core/study/soundStage";
import {
  asExpected,
  expectedSaid,
  fitsRing,
  noiseStdDev,
  planSoundSums,
  rowsExpected,
  type SoundStage,
  sitesAtLeast,
  sitesAtMost,
  soundIssues,
} from "@consilium/core/study/soundSums";
import type { Study, StudyWith } from "@consilium/core/study/study";
import type { StudyFaultSays } from "@consilium/words/says/studyFaults";
import { z } from "zod";
import { additiveAdvice } from "../dp-additive/study.js";
import { type BinnedFeature, binnedFeatures } from "../shared/columns/binning.js";
import {
  depthIssues,
  lastStages,
  lengthMost,
  levelShare,
  splitsBefore,
  treeParameters,
  treeStages,
} from "../shared/correlation-tree/treeStudy.js";
import { ringIssue } from "../shared/plans/ringIssue.js";
import { fullLayout, type HistogramLayout } from "../shared/trees/histograms.js";
import type { DpPccSays } from "./says.js";

/**
 * A correlation tree with a proof: `method: dp-pcc`. Per level one noisy histogram of every node and attribute by class,
 * then one of the leaves: docs/methods/correlation-tree.md#dp-pcc. This file fixes what is public before a run.
 */

const parameters = z
  .strictObject({
    ...treeParameters,
    guard: between(0, 20)
      .default(3)
      .describe(
        "A cut is looked at where each side holds at least so many standard deviations of the noise in a count over all bins of the attribute.",
      ),
  })
  .prefault({});

/** The keys that `analysis: correlation-tree` adds to a study with `method: dp-pcc`. */
export const dpPccSection = {
  analysis: z.literal("correlation-tree"),
  method: z.literal("dp-pcc").describe("One tree of cuts by correlation with the label, from sums."),
  variant: z.literal("sound", {
    error: lines<StudyFaultSays>()("fault.sound", {
      methods: ["dp-pcc", "dp-pcc-s"].map(nameOf),
      paper: [nameOf("pearson-tree")],
    }),
  }),
  /** The class that the tree predicts. */
  label: labelSchema,
  parameters,
};

export type DpPccStudy = StudyWith<typeof dpPccSection>;

/** @throws RangeError when the study is another one: its caller chose the wrong method */
export function asDpPcc(study: Study): DpPccStudy {
  if (study.method === "dp-pcc") return study as DpPccStudy;
  throw new RangeError(`${study.analysis}, method ${study.method}, is not dp-pcc`);
}

const said = sentences<DpPccSays>();
const dpPccProof = "docs/METHODS.md#dp-pcc-proof";

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
      what: said("dp-pcc.sent", {
        level: level + 1,
        nodes: 2 ** level,
        features: features.length,
        label: nameOf(study.label.name),
      }),
    });
    return { stage, histogram };
  });
  const layout = { features, classes, levels, ...lastStages(study) };
  layouts.set(study, layout);
  return layout;
}

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
export function dpPccIssues(study: DpPccStudy): MethodIssue[] {
  const issues = [...soundIssues(study), ...depthIssues(study)];
  if (issues.length > 0) return issues;
  const { depth, bins } = study.parameters;
  const all = binnedFeatures(study.features, bins).reduce((sum, feature) => sum + feature.bins, 0);
  const longest = all * study.label.levels.length * 2 ** (depth - 1);
  if (longest > lengthMost) {
    const params = { numbers: longest, max: lengthMost };
    return [[["parameters", "depth"], said("dp-pcc.long-stage", params)]];
  }
  if (!fitsRing(study, dpPccStages(study))) return [ringIssue];
  return guardIssues(study);
}

/** A budget at which no cut can ever be looked at buys an empty tree. */
function guardIssues(study: DpPccStudy): MethodIssue[] {
  const rows = sitesAtMost(study) * study.participation.maxRowsPerSite;
  const needed = rowsToSplit(study, 0);
  if (needed <= rows) return [];
  const params = { needed: Math.ceil(needed / 2), units: unitsOf(study), rows };
  return [[["privacy", "epsilon"], said("dp-pcc.guard", params)]];
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
      lines<DpPccSays>()("dp-pcc.few-rows", {
        expected: expectedSaid(study),
        level: first + 1,
        depth,
        needed: Math.ceil(rowsToSplit(study, first) / 2),
        units: unitsOf(study),
      }),
    );
  }
  const { evaluation } = dpPccLayout(study);
  return [
    ...warnings,
    ...additiveAdvice(study),
    ...evaluationWarnings(study, evaluation, study.parameters.evaluation),
  ];
}
