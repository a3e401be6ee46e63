import { histBoostConversation } from "@consilium/core/learning/histBoost/conversation";
import { histBoostModel, histBoostPredictor } from "@consilium/core/learning/histBoost/model";
import {
  histBoostCard,
  histBoostCaution,
  histBoostFacts,
  histBoostFigures,
  histBoostNotes,
} from "@consilium/core/learning/histBoost/release";
import { asHistBoost } from "@consilium/core/study/histBoost";
import type { AggregatorAnalysis } from "./analysis.js";
import { plausible } from "./plausible.js";

/** DP-HistBoost, aggregator side: noisy histograms, and the trees that follow from them. */
export const histBoost: AggregatorAnalysis = async (conversation) => {
  const study = asHistBoost(conversation.study);
  const result = await histBoostConversation({ study, conversation, check: plausible });
  const model = histBoostModel(study, result);
  return {
    model,
    table: null,
    // How many records took part is known with noise only.
    rowsUsed: null,
    facts: histBoostFacts(study, result),
    notes: histBoostNotes(study, result),
    predictor: histBoostPredictor(study, result),
    figures: histBoostFigures(study, result),
    caution: histBoostCaution(result),
    card: histBoostCard(study, result, conversation.survivors),
  };
};
