import { type SumConversation, unscaledSum } from "@consilium/core/learning/sums";
import type { TreeEnsemble } from "@consilium/core/learning/trees/tree";
import type { Broadcast } from "@consilium/core/study/broadcast";
import { evaluationForm } from "@consilium/core/study/evaluation";
import { noiseStdDev, type SoundStage } from "@consilium/core/study/soundSums";
import { type EvaluationResult, evaluationResult } from "../shared/evaluation/evaluationResult.js";
import { cutsBroadcast } from "../shared/evaluation/scoreScale.js";
import { channels } from "../shared/trees/secondOrder.js";
import { type Curves, encodeCurves } from "./curves.js";
import { ensembleOf } from "./ensemble.js";
import { type AdditiveStudy, additiveLayout, learningRate } from "./study.js";
import { centredCurves, type FirstCounts, firstState, nextState } from "./update.js";

/** What additive boosting comes to: all of it computed from noisy sums. */
export interface AdditiveResult {
  /** Each feature's with mean 0 over its rows, as the first epoch counts them. */
  readonly curves: Curves;
  /** [Σ bins] standard deviation of the noise in each number of the curves. */
  readonly stdDevs: Float64Array;
  readonly counts: FirstCounts;
  /** η after the last epoch: lower than at first where an update overshot. */
  readonly rate: number;
  /** Standard deviation of the noise in one entry of each epoch's sum, in units of 1. */
  readonly noiseStdDevs: readonly number[];
  readonly ensemble: TreeEnsemble;
  /** On the held-out rows; null where the study asks for none. */
  readonly evaluation: EvaluationResult | null;
}

/**
 * Additive boosting, aggregator side, over whatever adds the sites' vectors: epoch by epoch, the curves that are told and
 * the noisy derivatives there.
 * @param check - runs what judges a sum, and may turn its RangeError into an error of its own
 * @throws RangeError when a sum is none that honest sites can send
 */
export async function additiveConversation(options: {
  readonly study: AdditiveStudy;
  readonly conversation: Pick<SumConversation, "sum" | "survivors" | "part">;
  readonly check?: (judge: () => Float64Array) => Float64Array;
}): Promise<AdditiveResult> {
  const { study, conversation } = options;
  const check = options.check ?? ((judge) => judge());
  const layout = additiveLayout(study);
  const rule = { layout, lambda: study.parameters.lambda };
  /** @returns the sum in units of 1, and the standard deviation of one entry in them */
  const ask = async (stage: SoundStage, broadcast: Broadcast) => {
    const total = await conversation.sum(stage.id, broadcast);
    const sums = check(() => unscaledSum(study, stage, total));
    const unit = stage.integersPerUnit;
    return {
      sums: sums.map((sum) => sum / unit),
      stdDev: noiseStdDev(study, stage, conversation.survivors) / unit,
    };
  };
  const [first, ...others] = layout.stages;
  const asked = await ask(first!, {});
  const begun = firstState(rule, { ...asked, rate: learningRate(study) });
  const noiseStdDevs = [asked.stdDev];
  let { state } = begun;
  for (const stage of others) {
    const sums = await ask(stage, encodeCurves(state.curves));
    state = nextState(rule, state, sums);
    noiseStdDevs.push(sums.stdDev);
  }
  const { curves, stdDevs } = centredCurves(layout, state, begun.counts.rows);
  const ensemble = ensembleOf(curves, layout, begun.counts.rows);
  const result = { curves, stdDevs, counts: begun.counts, rate: state.rate, noiseStdDevs, ensemble };
  if (layout.evaluation === null) return { ...result, evaluation: null };
  const form = evaluationForm(channels);
  const about = { ...encodeCurves(curves), ...cutsBroadcast(form, ensemble) };
  const { sums, stdDev } = await ask(layout.evaluation, about);
  const evaluation = conversation.part("evaluation", () => evaluationResult(form, sums, stdDev, ensemble));
  return { ...result, evaluation };
}
