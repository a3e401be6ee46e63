import type { SumConversation } from "@consilium/core/learning/sums";
import { z95 } from "@consilium/core/linalg/z95";
import type { ColumnBlock } from "@consilium/core/study/design";
import type { ExpectedPrecision } from "@consilium/core/study/expectedPrecision";
import type { Study } from "@consilium/core/study/study";
import { seededRandom } from "@consilium/core/testing/privacy/random";
import { countsConversation } from "../../counts/conversation.js";
import { asCounts } from "../../counts/study.js";
import { describeConversation } from "../../describe/conversation.js";
import { asDescribe } from "../../describe/study.js";
import { additiveConversation } from "../../dp-additive/conversation.js";
import { asAdditive } from "../../dp-additive/study.js";
import { histBoostConversation } from "../../dp-histboost/conversation.js";
import { asHistBoost } from "../../dp-histboost/study.js";
import { dpKaConversation } from "../../dp-ka/conversation.js";
import { asDpKa } from "../../dp-ka/study.js";
import { dpPccConversation } from "../../dp-pcc/conversation.js";
import { asDpPcc } from "../../dp-pcc/study.js";
import { dpPccSConversation } from "../../dp-pcc-s/conversation.js";
import { asDpPccS } from "../../dp-pcc-s/study.js";
import { regressionConversation } from "../../regression/conversation.js";
import { estimatesOf } from "../../regression/estimates.js";
import { asRegression, regressionLayout } from "../../regression/study.js";
import type { EvaluationResult } from "../../shared/evaluation/evaluationResult.js";
import { middleOf } from "../../shared/forecast/expectedRows.js";
import { survivalConversation } from "../../survival/result.js";
import { asSurvival, survivalLayout } from "../../survival/study.js";
import { syntheticTableConversation } from "../../synthetic-table/conversation.js";
import { asSyntheticTable, syntheticTableLayout } from "../../synthetic-table/study.js";
import { simulated } from "../describe.js";

/** What a release of a real table came to: half of an interval's width by line of the forecast, as the line states it; null: too imprecise. */

type Conversation = SumConversation;
type Interval = { readonly low: number; readonly high: number };
export type Realised = ReadonlyMap<string, number | null>;

/** A line of a forecast by what it is of. */
export const keyOf = ({ statistic, of, at }: Pick<ExpectedPrecision, "statistic" | "of" | "at">) =>
  JSON.stringify([statistic, of, at]);

/** @param seed - of the noise */
export function realised(
  study: Study,
  tables: readonly (readonly ColumnBlock[])[],
  seed: string,
): Promise<Realised> {
  const found = new Map<string, number | null>();
  const set = (
    statistic: ExpectedPrecision["statistic"],
    of: string | null,
    half: number | null,
    at: number | null = null,
  ) => found.set(keyOf({ statistic, of, at }), half);
  return simulated(study, tables, seededRandom(`forecast ${seed}`), async ({ study: own, conversation }) => {
    await readers[own.method]!(own, conversation, set);
    return found;
  });
}

type Set = (
  statistic: ExpectedPrecision["statistic"],
  of: string | null,
  half: number | null,
  at?: number | null,
) => void;

const halfOf = ({ low, high }: Interval) => (high - low) / 2;
/** Of a part; null of an interval that covers all that there is. */
const partOf = (interval: Interval) => (interval.low === 0 && interval.high === 1 ? null : halfOf(interval));

const readers: Readonly<
  Record<string, (study: Study, conversation: Conversation, set: Set) => Promise<void>>
> = {
  async counts(given, conversation, set) {
    const { noiseStdDev } = await countsConversation({ study: asCounts(given), conversation });
    set("count", null, z95 * noiseStdDev);
  },
  async "synthetic-table"(given, conversation, set) {
    const study = asSyntheticTable(given);
    const { tables } = await syntheticTableConversation({ study, conversation });
    const { margins } = syntheticTableLayout(study);
    for (const [c, { weight }] of margins.entries())
      set("count", study.features[c]!.name, (z95 * tables.stdDev) / weight);
  },
  async describe(given, conversation, set) {
    const study = asDescribe(given);
    const { columns } = await describeConversation({ study, conversation });
    columns.forEach(({ all, groups }, f) => {
      const { name } = study.features[f]!;
      const each = groups.length === 0 ? [all] : groups;
      const middle = (of: (one: typeof all) => Interval & { readonly value: number }) =>
        middleOf(
          each.map((one) => {
            const { value, low, high } = of(one);
            return Math.max(high - value, value - low);
          }),
        );
      if (all.numbers === null)
        set(
          "share",
          name,
          middle(({ shares }) => shares[0]!),
        );
      else {
        set(
          "mean",
          name,
          middle(({ numbers }) => numbers!.mean),
        );
        set(
          "median",
          name,
          middle(({ numbers }) => numbers!.median),
        );
      }
    });
  },
  async survival(given, conversation, set) {
    const study = asSurvival(given);
    const { edges, groupName } = survivalLayout(study);
    const { curves } = await survivalConversation({ study, conversation });
    edges.slice(1).forEach((at, b) => {
      const widths = curves.map((points) => {
        const found = points[b]?.survival;
        return found === undefined ? null : partOf(found);
      });
      set("survival", groupName, middleOf(widths), at);
    });
  },
  async regression(given, conversation, set) {
    const study = asRegression(given);
    const { family } = study.parameters;
    const { design } = regressionLayout(study);
    const result = await regressionConversation({ study, conversation });
    const estimates = await estimatesOf(study, result);
    const names = {
      logistic: "odds ratio",
      poisson: "rate ratio",
      cox: "hazard ratio",
      linear: "difference",
    } as const;
    for (const { feature, from, width } of design.blocks) {
      const widths = estimates.slice(from, from + width).map(({ found }, i) => {
        if (found === null) return null;
        const half = halfOf(found) * design.columns[from + i]!.range;
        return family === "linear" ? half : Math.exp(half);
      });
      set(names[family], study.features[feature]!.name, middleOf(widths));
    }
    setEvaluation(result.evaluation, set);
  },
  async "dp-histboost"(given, conversation, set) {
    setEvaluation((await histBoostConversation({ study: asHistBoost(given), conversation })).evaluation, set);
  },
  async "dp-additive"(given, conversation, set) {
    setEvaluation((await additiveConversation({ study: asAdditive(given), conversation })).evaluation, set);
  },
  async "dp-ka"(given, conversation, set) {
    setEvaluation((await dpKaConversation({ study: asDpKa(given), conversation })).evaluation, set);
  },
  async "dp-pcc"(given, conversation, set) {
    const { importance } = await dpPccConversation({ study: asDpPcc(given), conversation });
    setAssociations(importance, set);
  },
  async "dp-pcc-s"(given, conversation, set) {
    const { importance } = await dpPccSConversation({ study: asDpPccS(given), conversation });
    setAssociations(importance, set);
  },
};

function setEvaluation(evaluation: EvaluationResult | null, set: Set): void {
  if (evaluation === null) return;
  set("accuracy", null, partOf(evaluation.accuracy));
  if (evaluation.scores !== null) set("area", null, partOf(evaluation.scores.auc));
}

function setAssociations(
  importance: readonly {
    readonly feature: string;
    readonly low: number | null;
    readonly high: number | null;
  }[],
  set: Set,
): void {
  for (const { feature, low, high } of importance)
    if (low !== null && high !== null) set("association", feature, halfOf({ low, high }));
}

/** What became of a line. */
export type Outcome =
  /** On the scale on which it is stated; of ratios that of their logarithms. */
  | { readonly kind: "ratio"; readonly ratio: number }
  /** Promised too imprecise, and it was. */
  | { readonly kind: "imprecise" }
  /** A number was promised, and none that can be interpreted came. */
  | { readonly kind: "told" }
  /** The other way round. */
  | { readonly kind: "untold" };

const isRatio = ({ statistic }: ExpectedPrecision) => statistic.endsWith(" ratio");
/** Of a factor beyond it, or of its logarithm, nothing can be said. */
const maxFactor = 100;

/** Holds what was likely against what came. */
export function outcomeOf(line: ExpectedPrecision, came: number | null): Outcome {
  const shown = (half: number | null) => {
    if (half === null) return null;
    if (isRatio(line)) return half > maxFactor ? null : Math.log(half);
    return half;
  };
  const [promised, found] = [shown(line.likely), shown(came)];
  if (promised === null) return { kind: found === null ? "imprecise" : "untold" };
  if (found === null) return { kind: "told" };
  return { kind: "ratio", ratio: found / promised };
}

/** Whether it came within half and double of what was promised. */
export const isHeld = (outcome: Outcome): boolean =>
  outcome.kind === "imprecise" || (outcome.kind === "ratio" && outcome.ratio >= 1 / 2 && outcome.ratio <= 2);
