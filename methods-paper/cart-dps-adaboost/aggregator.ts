import type { AggregatorSide } from "@consilium/core/method/aggregatorSide";
import { modelFinding } from "@consilium/methods/shared/evaluation/finding";
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
    // Without an evaluation the method says of none of its numbers how uncertain they are.
    finding: result.evaluation === null ? null : modelFinding(study.label!, result.evaluation, null),
    card: conversation.part("card", () => cartAdaboostCard(study, result, conversation.survivors)),
  };
};
