import { type SumConversation, unscaledSum } from "@consilium/core/learning/sums";
import type { Broadcast } from "@consilium/core/study/broadcast";
import { noiseStdDev, type SoundStage } from "@consilium/core/study/soundSums";
import { type EvaluationResult, scaledResult } from "../shared/evaluation/evaluationResult.js";
import { encodeCoefficients, roundedCoefficients } from "./coefficients.js";
import { fitCox } from "./fits/cox.js";
import type { Fit } from "./fits/fit.js";
import { fitLinear } from "./fits/linear.js";
import { fitLogistic } from "./fits/logistic.js";
import { fitPoisson } from "./fits/poisson.js";
import { cutsOf, marginScale } from "./marginScale.js";
import { type OpenedSum, openedMatrix, openedStart, openedSum } from "./openedSum.js";
import { pooledNext, predictingOf } from "./predicting.js";
import {
  baselineName,
  type RegressionLayout,
  type RegressionStudy,
  regressionLayout,
  residualLimitName,
} from "./study.js";

/** Result of a regression, on the scale of its columns: all of it computed from noisy sums. */
export interface RegressionResult {
  readonly fit: Fit;
  /** [d] what predictions are made with: drawn to 0 feature by feature. */
  readonly predicting: Float64Array;
  /** Rows of training of a logistic or a linear regression; null of others. */
  readonly rows: Noisy | null;
  /** Rows of the label's second level, of a logistic regression. */
  readonly positives: Noisy | null;
  /** Counts of a Poisson or a Cox regression, and exposures or times of follow-up in their unit; null of others. */
  readonly events: { readonly total: Noisy; readonly exposure: Noisy } | null;
  /** Rows at the bound of their residual, or patients whose follow-up was cut, in the last sum. */
  readonly bounded: Noisy | null;
  /** Standard deviation of the noise in an entry of each stage's sum, in units of 1. */
  readonly noiseStdDevs: Readonly<Record<string, number>>;
  readonly evaluation: EvaluationResult | null;
}

export interface Noisy {
  readonly count: number;
  readonly noiseStdDev: number;
}

/**
 * A regression, aggregator side, over whatever adds the sites' vectors. Noise is that of the sites that each sum is of.
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
  const open = async (stage: SoundStage, broadcast: Broadcast) => {
    const total = await conversation.sum(stage.id, broadcast);
    const sums = check(() => unscaledSum(study, stage, total));
    const unit = stage.integersPerUnit;
    const stdDev = noiseStdDev(study, stage, conversation.survivors) / unit;
    noiseStdDevs[stage.id] = stdDev;
    return { sums: sums.map((sum) => sum / unit), stdDev };
  };
  const layout = regressionLayout(study);
  const found =
    layout.gram === null ? await summed(layout, open, study, conversation) : await linear(layout, open);
  const predicting = roundedCoefficients(await predictingOf(layout, found.fit, conversation.kernels));
  const { evaluation } = layout;
  if (evaluation === null) return { ...found, predicting, noiseStdDevs, evaluation: null };
  // The first sum's weights are ¼ in every record: its information is that of the columns themselves.
  const scale = marginScale(layout.design, predicting, found.fit.opened[0]!.information);
  const { sums, stdDev } = await open(evaluation, { ...encodeCoefficients(predicting), ...cutsOf(scale) });
  return {
    ...found,
    predicting,
    noiseStdDevs,
    evaluation: conversation.part("evaluation", () => scaledResult(sums, stdDev, scale)),
  };
}

type Open = (
  stage: SoundStage,
  broadcast: Broadcast,
) => Promise<{ readonly sums: Float64Array; readonly stdDev: number }>;
type Found = Omit<RegressionResult, "predicting" | "noiseStdDevs" | "evaluation">;

const apart = { positives: null, events: null, bounded: null };

async function linear(layout: RegressionLayout, open: Open): Promise<Found> {
  const { gram: stage, squares, columns } = layout;
  const { sums, stdDev } = await open(stage!, {});
  const gram = openedSum(layout, stage!, sums, stdDev);
  const ask = async (b: Float64Array, c: number) => {
    const limit = Float64Array.of(Math.max(c, 2 ** -20));
    const told = {
      ...encodeCoefficients(roundedCoefficients(b)),
      [residualLimitName]: roundedCoefficients(limit),
    };
    const { sums: triangle } = await open(squares!, told);
    return { sums: openedMatrix(triangle, columns) };
  };
  const fit = await fitLinear(squares === null ? { gram } : { gram, squares: ask });
  return { ...apart, fit, rows: { count: gram.information[0]!, noiseStdDev: gram.informationStdDev } };
}

async function summed(
  layout: RegressionLayout,
  open: Open,
  study: RegressionStudy,
  { kernels }: Pick<SumConversation, "kernels">,
): Promise<Found> {
  const { family, columns, parameters: d, intervals, unit, start: beginning } = layout;
  const stages = layout.sums;
  let turn = 0;
  const ask = async (point: Float64Array): Promise<OpenedSum> => {
    const stage = stages[turn++]!;
    const broadcast: Broadcast =
      stage.broadcasts.length === 0
        ? {}
        : {
            ...encodeCoefficients(point.slice(0, columns)),
            ...(intervals === 0 ? {} : { [baselineName]: point.slice(columns) }),
          };
    const { sums, stdDev } = await open(stage, broadcast);
    return openedSum(layout, stage, sums, stdDev);
  };
  const common = {
    d,
    sums: stages.length,
    hasNoise: study.privacy !== "none",
    ask,
  };
  if (family === "logistic") {
    const fit = await fitLogistic({ ...common, next: pooledNext(layout, null, kernels) });
    const first = fit.opened[0]!;
    // At β = 0 every weight is ¼ and every residual ±½.
    const rows = { count: 4 * first.information[0]!, noiseStdDev: 4 * first.informationStdDev };
    const positives = {
      count: first.score[0]! + rows.count / 2,
      noiseStdDev: Math.hypot(first.scoreStdDev, rows.noiseStdDev / 2),
    };
    return { ...apart, fit, rows, positives };
  }
  const { sums, stdDev } = await open(beginning!, {});
  const start = openedStart(layout, sums, stdDev);
  const after = { ...common, start, next: pooledNext(layout, start, kernels) };
  const fit =
    family === "poisson"
      ? await fitPoisson({ ...after, largest: unit })
      : await fitCox({ ...after, columns });
  const last = fit.opened.at(-1)!;
  const total = (values: Float64Array) => values.reduce((sum, value) => sum + value, 0);
  const horizon = layout.followUp?.edges.at(-1) ?? 1;
  const events = {
    total: {
      count: total(start.events),
      noiseStdDev: start.eventsStdDev * Math.sqrt(start.events.length),
    },
    exposure: {
      count: total(start.exposures) * horizon,
      noiseStdDev: start.exposuresStdDev * Math.sqrt(start.exposures.length) * horizon,
    },
  };
  return {
    ...apart,
    fit,
    rows: null,
    events,
    bounded: { count: last.bounded!, noiseStdDev: last.boundedStdDev },
  };
}
