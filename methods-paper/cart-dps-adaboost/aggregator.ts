import type { AggregatorSide } from "@consilium/core/method/aggregatorSide";
import { cautionOf } from "@consilium/methods/shared/evaluation/caution";
import { cartAdaboostConversation } from "./conversation.js";
import {
  cartAdaboostCard,
  cartAdaboostFacts,
  cartAdaboostFigures,
  cartAdaboostModel,
  cartAdaboostNotes,
  cartAdaboostPredictor,
} from "./release.js";
import { asCartAdaboost } from "./study.js";

/** CART-DPsAdaBoost [JQM21] (aggregator side). */
export const aggregator: AggregatorSide = async (conversation) => {
  const study = asCartAdaboost(conversation.study);
  const result = await cartAdaboostConversation(study, conversation, conversation.random);
  return {
    model: cartAdaboostModel(study, result),
    table: null,
    rowsUsed: null,
    facts: cartAdaboostFacts(study, result),
    notes: cartAdaboostNotes(study, result),
    predictor: conversation.part("predictor", () => cartAdaboostPredictor(study, result)),
    figures: conversation.part("figures", () => cartAdaboostFigures(study, result)),
    caution: cautionOf(null, result.evaluation),
    card: conversation.part("card", () => cartAdaboostCard(study, result, conversation.survivors)),
  };
};
