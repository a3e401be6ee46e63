import { signedNumbers } from "@consilium/core/learning/exactSums";
import { type ClassSizes, isKAnonymous } from "@consilium/core/learning/tags";
import type { TreeEnsemble } from "@consilium/core/learning/trees/tree";
import { rowsMost } from "@consilium/core/study/soundSums";
import { boosted } from "@consilium/methods/shared/k-anonymous/boosted";
import { candidateName, encodeFeatures, testStageId } from "@consilium/methods/shared/k-anonymous/candidates";
import type { Importance } from "@consilium/methods/shared/k-anonymous/importance";
import {
  type Check,
  onePass,
  orderOf,
  type Pass,
  type SelectionConversation,
} from "@consilium/methods/shared/k-anonymous/pass";
import { hamDistScores } from "./hamdist.js";
import { type PaperKaStudy, paperKaLayout, paperKaStages } from "./study.js";

/** A test of K-anonymity: how many classes of equal rows there are, and the smallest. */
export interface ExactTest extends ClassSizes {
  readonly accepted: boolean;
}

/** What a published method comes to before the rows are asked for. */
export interface PaperKaResult {
  /** Of XGB-KA; null for Greedy-Hamdist. */
  readonly ensemble: TreeEnsemble | null;
  /** Per feature. */
  readonly importance: readonly Importance[];
  /** Features by falling importance. */
  readonly order: readonly number[];
  readonly pass: Pass<ExactTest>;
}

/**
 * XGB-KA or Greedy-Hamdist, aggregator side, up to what is selected.
 * @throws RangeError when a sum is none that honest sites can send
 */
export async function paperKaConversation(options: {
  readonly study: PaperKaStudy;
  readonly conversation: SelectionConversation;
  readonly check?: Check;
}): Promise<PaperKaResult> {
  const { study, conversation } = options;
  const check = options.check ?? ((judge) => judge());
  const { ensemble, importance, order } = await ranked(study, conversation, check);
  const { k } = study.parameters;
  let rows = Number.POSITIVE_INFINITY;
  const test = async (features: readonly number[], asked: number): Promise<ExactTest> => {
    const told = { [candidateName]: encodeFeatures(features, study.features.length) };
    const sizes = await conversation.tags(testStageId(asked), told);
    rows = sizes.rows;
    return { ...sizes, accepted: isKAnonymous(sizes, k) };
  };
  // With fewer than K rows in all, no set can pass.
  const ask = (features: readonly number[], asked: number) => (rows < k ? null : test(features, asked));
  const pass = await onePass<ExactTest>({ order, ask });
  return { ensemble, importance, order, pass };
}

type Ranked = Pick<PaperKaResult, "ensemble" | "importance" | "order">;

async function ranked(
  study: PaperKaStudy,
  conversation: SelectionConversation,
  check: Check,
): Promise<Ranked> {
  const { boosting, histogram } = paperKaLayout(study);
  if (boosting !== null && study.method === "xgb-ka") {
    const { ensemble, importance } = await boosted({
      ...boosting,
      measure: study.parameters.importance,
      stdDev: () => 0,
      sum: async (stage, broadcast) => {
        const sum = await conversation.sum(stage.id, broadcast);
        const most = rowsMost(study) * stage.entryMost;
        return check(() => (stage.kind === "sketch" ? countsOf(sum, most) : boundedSum(sum, most)));
      },
    });
    return { ensemble, importance, order: orderOf(importance.map(({ value }) => value)) };
  }
  const sum = await conversation.sum(paperKaStages.histogram, {});
  const scores = check(() => hamDistScores(countsOf(sum, rowsMost(study)), histogram!));
  const importance = scores.map((score) => ({
    value: Number(score),
    stdDev: 0,
    splits: 0,
    standsOut: score > 0n,
  }));
  return { ensemble: null, importance, order: orderOf(scores) };
}

function boundedSum(sum: BigUint64Array, most: number): Float64Array {
  const values = signedNumbers(sum);
  if (!values.every((value) => Math.abs(value) <= most))
    throw new RangeError("the sum is larger than the study's sites can make it");
  return values;
}

function countsOf(sum: BigUint64Array, most: number): Float64Array {
  const counts = boundedSum(sum, most);
  if (!counts.every((count) => count >= 0)) throw new RangeError("a count is negative");
  return counts;
}
