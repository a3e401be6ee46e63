import { unscaledSum } from "@consilium/core/learning/sums";
import type { AggregatorSide } from "@consilium/core/method/aggregatorSide";
import { plausible } from "@consilium/methods/shared/plausible";
import { toyNotes } from "./release.js";
import { toyStage } from "./study.js";

export const aggregator: AggregatorSide = async (conversation) => {
  const { study } = conversation;
  const sum = await conversation.sum(toyStage.id, {});
  const [lower, upper] = plausible(() => unscaledSum(study, toyStage, sum));
  return {
    model: { format: "toy-halves/1", lower, upper },
    table: null,
    rowsUsed: null,
    facts: { masking: "pairwise" },
    notes: toyNotes,
    // It asks no question.
    finding: null,
  };
};
