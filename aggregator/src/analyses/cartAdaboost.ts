import { cartAdaboostConversation } from "@consilium/core/learning/cartAdaboost/conversation";
import {
  cartAdaboostCard,
  cartAdaboostFacts,
  cartAdaboostFigures,
  cartAdaboostModel,
  cartAdaboostNotes,
  cartAdaboostPredictor,
} from "@consilium/core/learning/cartAdaboost/release";
import { cautionOf } from "@consilium/core/release/caution";
import { asCartAdaboost } from "@consilium/core/study/cartAdaboost";
import { osRandom } from "@consilium/runtime/random";
import type { AggregatorAnalysis } from "./analysis.js";

/** CART-DPsAdaBoost [JQM21], aggregator side. */
export const cartAdaboost: AggregatorAnalysis = async (conversation) => {
  const study = asCartAdaboost(conversation.study);
  const result = await cartAdaboostConversation(study, conversation, osRandom);
  return {
    model: cartAdaboostModel(study, result),
    table: null,
    rowsUsed: null,
    facts: cartAdaboostFacts(study, result),
    notes: cartAdaboostNotes(study, result),
    predictor: cartAdaboostPredictor(study, result),
    figures: cartAdaboostFigures(study, result),
    caution: cautionOf(null, result.evaluation),
    card: cartAdaboostCard(study, result, conversation.survivors),
  };
};
