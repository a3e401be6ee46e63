import { additiveConversation } from "@consilium/core/learning/additive/conversation";
import { additiveModel, additivePredictor, releasedCurves } from "@consilium/core/learning/additive/model";
import {
  additiveCard,
  additiveCaution,
  additiveFacts,
  additiveFigures,
  additiveNotes,
} from "@consilium/core/learning/additive/release";
import { asAdditive } from "@consilium/core/study/additive";
import type { AggregatorAnalysis } from "./analysis.js";
import { plausible } from "./plausible.js";

/** Additive boosting at the aggregator: noisy derivatives, and the curves that follow from them. */
export const additive: AggregatorAnalysis = async (conversation) => {
  const study = asAdditive(conversation.study);
  const result = await additiveConversation({ study, conversation, check: plausible });
  return {
    model: additiveModel(study, result),
    table: null,
    // How many records took part is known with noise only.
    rowsUsed: null,
    facts: additiveFacts(study, result),
    notes: additiveNotes(study, result),
    predictor: additivePredictor(study, result),
    curves: releasedCurves(study, result),
    figures: additiveFigures(study, result),
    caution: additiveCaution(study, result),
    card: additiveCard(study, result, conversation.survivors),
  };
};
