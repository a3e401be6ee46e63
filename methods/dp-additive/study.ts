import type { StageId } from "@consilium/core/ids";
import { maximumHistogramEntries } from "@consilium/core/linalg/histograms";
import type { MethodIssue } from "@consilium/core/method/method";
import { lines, nameOf, sentences } from "@consilium/core/said";
import {
  evaluationForm,
  evaluationParameter,
  evaluationStage,
  evaluationWarnings,
  trainingRows,
  trainingShare,
} from "@consilium/core/study/evaluation";
import { unitsOf } from "@consilium/core/study/patientWeights";
import type { BroadcastPlan, Plan } from "@consilium/core/study/plan";
import { soundStage } from "@consilium/core/study/soundStage";
import {
  asExpected,
  expectedSaid,
  fitsRing,
  noiseStdDev,
  planSoundSums,
  rowsExpected,
  type SoundStage,
  sitesAtLeast,
  soundIssues,
} from "@consilium/core/study/soundSums";
import type { Study, StudyWith } from "@consilium/core/study/study";
import type { StudyFaultSays } from "@consilium/words/says/studyFaults";
import { z } from "zod";
import { type BinnedFeature, binnedFeatures } from "../shared/columns/binning.js";
import type { TreeStudy } from "../shared/correlation-tree/treeStudy.js";
import { channels, derivativeQuery, noisyGridExponentOf } from "../shared/trees/secondOrder.js";
import { twoClassIssues } from "../shared/trees/twoClasses.js";
import type { DpAdditiveSays } from "./says.js";

/**
 * Additive boosting, `method: dp-additive` of boosted-trees: one curve for each feature, from noisy sums of derivatives. What it
 * computes and why it is private: docs/methods/boosted-trees.md#dp-additive. This file fixes everything that is public before a run.
 */

const line = lines<DpAdditiveSays & StudyFaultSays>();
const said = sentences<DpAdditiveSays>();

export const additiveParameters = z.strictObject({
  epochs: z
    .int()
    .min(1)
    .max(100)
    .default(6)
    .describe("Sums, one after another; each one updates the curves of all features at once."),
  learningRate: z
    .number()
    .gt(0)
    .max(1)
    .optional()
    .describe(
      "η: what every update is multiplied with. Left out: 1/√m for m features. An update that overshoots lowers it.",
    ),
  lambda: z
    .number()
    .gt(0)
    .max(1e6)
    .default(1)
    .describe(
      "λ: what a bin's log-odds still lack is supposed to have the standard deviation 1/√λ; with the noise it decides how far an update is shrunk.",
    ),
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
    .describe("Public: what decides which rows are held out."),
  evaluation: evaluationParameter,
});

/** The keys that `analysis: boosted-trees` adds to a study with `method: dp-additive`. */
export const additiveSection = {
  analysis: z.literal("boosted-trees"),
  method: z.literal("dp-additive").describe("A score of one curve for each feature, for one of two classes."),
  variant: z.literal("sound", {
    error: line("fault.sound", {
      methods: [nameOf("dp-additive")],
      paper: [nameOf("cart-dps-adaboost")],
    }),
  }),
  parameters: additiveParameters,
};

/** A study of additive boosting. */
export type AdditiveStudy = StudyWith<typeof additiveSection>;

/** @throws RangeError when the study is another one: its caller chose the wrong analysis */
export function asAdditive(study: Study): AdditiveStudy {
  if (study.method === "dp-additive") return study as AdditiveStudy;
  throw new RangeError(`${study.analysis}, method ${study.method}, is not dp-additive`);
}

/** The name of the broadcast: [1 + Σ bins] the intercept, then every feature's curve, bin by bin. */
export const curvesName = "curves";

/** No number of a curve, nor the intercept, is further from 0. Sums of 2^24 such numbers are exact in float64. */
export const curveMost = 32;

export interface AdditiveLayout {
  readonly features: readonly BinnedFeature[];
  /** [m + 1] where each feature's bins begin among all bins; the last entry is Σ bins. */
  readonly offsets: readonly number[];
  /** k: gradients and hessians are integers in units of 2^-k. */
  readonly gridExponent: number;
  /** One for each epoch. Of each bin of each feature in their order the sums of g and h. */
  readonly stages: readonly SoundStage[];
  /** The last stage; null where the study asks for none. */
  readonly evaluation: SoundStage | null;
}

const layouts = new WeakMap<AdditiveStudy, AdditiveLayout>();

export function additiveLayout(study: AdditiveStudy): AdditiveLayout {
  const known = layouts.get(study);
  if (known !== undefined) return known;
  const { bins, epochs, evaluation } = study.parameters;
  const features = binnedFeatures(study.features, bins);
  const offsets = [0];
  for (const feature of features) offsets.push(offsets.at(-1)! + feature.bins);
  const gridExponent = noisyGridExponentOf(features.length);
  const curves: BroadcastPlan = { name: curvesName, length: 1 + offsets.at(-1)! };
  const layout = {
    features,
    offsets,
    gridExponent,
    stages: Array.from({ length: epochs }, (_, epoch): SoundStage => {
      const unit = 2 ** gridExponent;
      return soundStage({
        id: `epoch-${epoch + 1}` as StageId,
        broadcasts: epoch === 0 ? [] : [curves],
        share: trainingShare(evaluation) / epochs,
        query: derivativeQuery({
          cells: offsets.at(-1)!,
          touches: features.length,
          gradientMost: epoch === 0 ? unit / 2 : unit,
          hessianMost: unit / 4,
          limit: derivativesMost(epoch, gridExponent),
        }),
        integersPerUnit: unit,
        what: said("dp-additive.sent", { features: features.length }),
      });
    }),
    evaluation: evaluationStage(evaluation, evaluationForm(channels), [curves]),
  };
  layouts.set(study, layout);
  return layout;
}

/**
 * g² + h² of a record at most, in units of 4^-k: 1, as in every noisy second-order stage. Before the first epoch nothing is
 * broadcast, so every margin is 0 and every record has g = ±½ and h = ¼.
 */
function derivativesMost(epoch: number, gridExponent: number): number {
  return epoch === 0 ? 5 * 4 ** (gridExponent - 2) : 4 ** gridExponent;
}

/** η before any update. */
export function learningRate(study: AdditiveStudy): number {
  return study.parameters.learningRate ?? 1 / Math.sqrt(study.features.length);
}

/** All stages of a study, in their order. */
export function additiveStages(study: AdditiveStudy): SoundStage[] {
  const { stages, evaluation } = additiveLayout(study);
  return evaluation === null ? [...stages] : [...stages, evaluation];
}

/** Faults that only the whole study shows, as [path, message]. */
export function additiveIssues(study: AdditiveStudy): MethodIssue[] {
  const first = twoClassIssues(study);
  if (first.length > 0) return first;
  const issues = soundIssues(study);
  if (issues.length > 0) return issues;
  const length = channels * additiveLayout(study).offsets.at(-1)!;
  if (length > maximumHistogramEntries) {
    const params = { numbers: length, max: maximumHistogramEntries };
    return [[["parameters", "bins"], said("dp-additive.long-stage", params)]];
  }
  if (fitsRing(study, additiveStages(study))) return [];
  return [[["privacy", "epsilon"], said("dp-additive.ring", {})]];
}

const additiveProof = "docs/METHODS.md#dp-additive-proof";

export function planAdditive(study: AdditiveStudy): Plan {
  return planSoundSums(study, () => ({
    stages: additiveStages(study),
    proof: additiveProof,
    warnings: warningsOf(study),
  }));
}

/** Of a bin's noise, so many standard deviations must the sum of its hessians be for curves to be worth more than stumps. */
const hessianLeast = 0.25;

function warningsOf(study: AdditiveStudy): string[] {
  if (study.privacy === "none") return [];
  const warnings: string[] = [];
  const { evaluation } = study.parameters;
  const rows = trainingRows(evaluation, rowsExpected(study));
  const needed = rowsForCurves(study);
  if (rows < needed) {
    warnings.push(
      line("dp-additive.few-rows", {
        expected: expectedSaid(study),
        needed: Math.ceil(needed),
        units: unitsOf(study),
      }),
    );
  }
  return [...warnings, ...evaluationWarnings(study, additiveLayout(study).evaluation, evaluation)];
}

/**
 * Of a single tree for two classes, whether dp-additive is likely to predict better: a path asks h of m features, and curves tell of
 * every one where they stand out of the noise at the rows that the study says it expects.
 */
export function additiveAdvice(study: TreeStudy): string[] {
  const { evaluation, depth } = study.parameters;
  const { features, label, participation, privacy } = study;
  if (participation.expectedRows === undefined || privacy === "none" || label.levels.length !== 2) return [];
  if (depth >= features.length) return [];
  const instead: AdditiveStudy = {
    ...study,
    variant: "sound",
    analysis: "boosted-trees",
    method: "dp-additive",
    parameters: additiveParameters.parse({ evaluation }),
  };
  if (additiveIssues(instead).length > 0) return [];
  if (trainingRows(evaluation, rowsExpected(study)) < rowsForCurves(instead)) return [];
  return [line("dp-additive.better", { expected: expectedSaid(study), features: features.length, depth })];
}

/** Rows of training at which a bin of average size has `hessianLeast` deviations of its noise; a row's hessian is ¼ at most. */
function rowsForCurves(study: AdditiveStudy): number {
  const { features, offsets, stages } = additiveLayout(study);
  const last = stages.at(-1)!;
  const stdDev = noiseStdDev(asExpected(study), last, sitesAtLeast(study)) / last.integersPerUnit;
  return 4 * hessianLeast * stdDev * (offsets.at(-1)! / features.length);
}
