import type { StageId } from "@consilium/core/ids";
import { maximumHistogramEntries } from "@consilium/core/linalg/histograms";
import type { MethodIssue } from "@consilium/core/method/method";
import { nameOf, sentences } from "@consilium/core/said";
import { trainingRows } from "@consilium/core/study/evaluation";
import { unitsOf } from "@consilium/core/study/patientWeights";
import type { BroadcastPlan } from "@consilium/core/study/plan";
import { countQuery, soundStage } from "@consilium/core/study/soundStage";
import { rowsExpected, type SoundStage, stageRho } from "@consilium/core/study/soundSums";
import type { AnySaid, Said } from "@consilium/words/said";
import type { StageSays } from "@consilium/words/says/stages";
import type { StudyFaultSays } from "@consilium/words/says/studyFaults";
import { z } from "zod";
import { type BinnedFeature, medianBins } from "../shared/columns/binning.js";
import { fullLayout, type HistogramLayout } from "../shared/trees/histograms.js";
import type { DpKaSays } from "./says.js";
import type { DpKaStudy } from "./study.js";

/**
 * By what dp-ka orders features: boosting in T·d sums, or one histogram of every feature by class, whose noise is √(T·d) times
 * smaller. Which one follows from what is public before the run: docs/methods/k-anonymous-selection.md#dp-ka-order.
 */

export const orderParameter = z
  .enum(["auto", "boosting", "histogram"])
  .default("auto")
  .describe(
    "What features are ordered by. `boosting`: the gains of T trees, in T·d sums; two classes. `histogram`: how each feature goes with the label in one sum, with far less noise; two classes or more, and no trees. `auto`: boosting where the expected rows let its splits stand out of the noise.",
  );

export interface Ordering {
  readonly by: "boosting" | "histogram";
  /** Why, for the plan and the release; null where the study names one itself, or adds no noise. */
  readonly reason: Said<DpKaSays, "dp-ka.many-classes" | "dp-ka.training-rows"> | null;
}

/** The histogram of every feature by class, one sum. */
export interface HistogramStage extends SoundStage {
  readonly histogram: HistogramLayout;
}

export const histogramStageId = "histogram" as StageId;

/**
 * Rows from which boosting's splits stand out of its noise: 2^(d+5)·√(B/2)·σ, σ that of a sum of one level without anybody's
 * excess. A side of a split of the last level has 2^-d of the rows with a hessian of ¼ at most, which must be 8 standard
 * deviations of half of a feature's B bins.
 * @param share - of ρ, for all levels
 */
export function boostingRowsNeeded(
  study: DpKaStudy,
  features: readonly BinnedFeature[],
  share: number,
): number {
  const rho = stageRho(study, share);
  if (rho === null) return 0;
  const { trees, depth } = study.parameters;
  const levelStdDev = Math.sqrt((features.length * trees * depth) / (2 * rho));
  return Math.ceil(2 ** (depth + 5) * Math.sqrt(medianBins(features) / 2) * levelStdDev);
}

/** @param share - of ρ, for the importance of features */
export function orderingOf(study: DpKaStudy, features: readonly BinnedFeature[], share: number): Ordering {
  const { order, evaluation } = study.parameters;
  if (order !== "auto") return { by: order, reason: null };
  const classes = study.label.levels.length;
  if (classes > 2) return { by: "histogram", reason: said("dp-ka.many-classes", { classes }) };
  if (study.privacy === "none") return { by: "boosting", reason: null };
  const rows = Math.floor(trainingRows(evaluation, rowsExpected(study)));
  const needed = boostingRowsNeeded(study, features, share);
  return {
    by: rows < needed ? "histogram" : "boosting",
    reason: said("dp-ka.training-rows", { rows, units: unitsOf(study), needed }),
  };
}

/**
 * One sum of (feature, bin, class) counts. A record is one 1 for each of the m features: Δ = √m.
 * @param share - of ρ
 */
export function histogramStage(
  study: DpKaStudy,
  features: readonly BinnedFeature[],
  share: number,
  reason: Ordering["reason"],
): HistogramStage {
  const histogram = fullLayout(features, 1, study.label.levels.length);
  const counts = sentences<StageSays>()("sent.bins", {
    features: features.length,
    label: nameOf(study.label.name),
  });
  const stage = soundStage({
    id: histogramStageId,
    broadcasts: [],
    share,
    query: { ...countQuery(histogram.length), touches: features.length },
    integersPerUnit: 1,
    what: because(said("dp-ka.one-round", { counts }), reason),
  });
  return { ...stage, histogram };
}

/** A vector longer than other histograms may be. */
export function histogramIssues({ length }: HistogramStage): MethodIssue[] {
  if (length <= maximumHistogramEntries) return [];
  const params = { numbers: length, max: maximumHistogramEntries };
  return [[["parameters", "bins"], sentences<StudyFaultSays>()("fault.histogram", params)]];
}

/** The name under which the histogram's model is broadcast: [outputs × (1 + ΣB)], the base first, then bin by bin. */
export const logOddsName = "logOdds";

/** Of two classes the log-odds of the second one; of more, one number for each class. */
export const outputsOfClasses = (classes: number) => (classes === 2 ? 1 : classes);

/** What a stage is told that follows the histogram's model. */
export function naiveBayesBroadcasts(study: DpKaStudy, features: readonly BinnedFeature[]): BroadcastPlan[] {
  const bins = features.reduce((sum, feature) => sum + feature.bins, 0);
  return [{ name: logOddsName, length: outputsOfClasses(study.label.levels.length) * (1 + bins) }];
}

const said = sentences<DpKaSays>();

/** What is sent, with the reason for it in brackets. */
export const because = (what: AnySaid, reason: Ordering["reason"]): AnySaid =>
  reason === null ? what : said("dp-ka.because", { what, reason });
