import { type SumConversation, unscaledSum } from "@consilium/core/learning/sums";
import type { Broadcast } from "@consilium/core/study/broadcast";
import { noiseStdDev, type SoundStage } from "@consilium/core/study/soundSums";
import type { EvaluationResult } from "../shared/evaluation/evaluationResult.js";
import { linear } from "./linear.js";
import { stepped } from "./steps.js";
import { type RegressionStudy, regressionLayout } from "./study.js";

/** What a regression comes to, on the scale of its columns: all of it computed from noisy sums. */
export interface RegressionResult {
  /** [d], the intercept first: what intervals belong to. */
  readonly coefficients: Float64Array;
  /** [d] what predictions are made with: drawn to 0 feature by feature, where steps were taken. */
  readonly predicting: Float64Array;
  /** [d × d] mean squared error of `coefficients`, from sampling and noise. */
  readonly error: Float64Array;
  /** τ: around 0 with this standard deviation a coefficient was believed to lie. */
  readonly priorStdDev: number;
  /** Directions of the coefficients that noise hides, or that no row tells of. */
  readonly hidden: number;
  /** Rows of training, with the noise; null where sums tell of exposures or times instead. */
  readonly rows: Noisy | null;
  /** Of a logistic regression. */
  readonly classes: {
    /** Rows of the label's second level, with the noise. */
    readonly positives: Noisy;
    /** Σ p(1-p) at the end. */
    readonly information: number;
  } | null;
  /** Of a Poisson or a Cox regression. */
  readonly events: {
    /** What was counted: the sum of the outcome, or the patients with the event. */
    readonly total: Noisy;
    /** The sum of exposures or of times of follow-up, in their unit; of rows where there is no exposure. */
    readonly exposure: Noisy;
    /** By how much counts vary more than Poisson's, at least 1; null of a Cox regression. */
    readonly dispersion: number | null;
    /** [K] of a Cox regression: log hazards of the intervals beside the intercept; empty otherwise. */
    readonly baseline: Float64Array;
  } | null;
  /** Of a linear regression, in units of the outcome's range. */
  readonly fit: { readonly residualVariance: number; readonly variance: number } | null;
  /** Standard deviation of the noise in an entry of each stage's sum, in units of 1. */
  readonly noiseStdDevs: Readonly<Record<string, number>>;
  readonly evaluation: EvaluationResult | null;
}

interface Noisy {
  readonly count: number;
  readonly noiseStdDev: number;
}

export type Ask = (stage: SoundStage, broadcast: Broadcast) => Promise<Answer>;
export interface Answer {
  readonly sums: Float64Array;
  readonly stdDev: number;
}

export type Found = Omit<RegressionResult, "noiseStdDevs">;

/**
 * A regression, aggregator side, over whatever adds the sites' vectors.
 * @param check - runs what judges a sum, and may turn its RangeError into an error of its own
 * @throws RangeError when a sum is none that honest sites can send
 */
export async function regressionConversation(options: {
  readonly study: RegressionStudy;
  readonly conversation: Pick<SumConversation, "sum" | "survivors" | "kernels" | "part">;
  readonly check?: (judge: () => Float64Array) => Float64Array;
}): Promise<RegressionResult> {
  const { study, conversation } = options;
  const check = options.check ?? ((judge) => judge());
  const noiseStdDevs: Record<string, number> = {};
  const ask: Ask = async (stage, broadcast) => {
    const total = await conversation.sum(stage.id, broadcast);
    const sums = check(() => unscaledSum(study, stage, total));
    const unit = stage.integersPerUnit;
    const stdDev = noiseStdDev(study, stage, conversation.survivors) / unit;
    noiseStdDevs[stage.id] = stdDev;
    return { sums: sums.map((sum) => sum / unit), stdDev };
  };
  const layout = regressionLayout(study);
  const { family } = study.parameters;
  const found =
    family === "linear"
      ? await linear(layout, ask, conversation)
      : await stepped(family, layout, ask, conversation);
  return { ...found, noiseStdDevs };
}
