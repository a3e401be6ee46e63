import type { AggregatorSide } from "@consilium/core/method/aggregatorSide";
import { plausible } from "../shared/plausible.js";
import { histBoostConversation } from "./conversation.js";
import { histBoostModel, histBoostPredictor } from "./model.js";
import {
  histBoostCard,
  histBoostFacts,
  histBoostFigures,
  histBoostFinding,
  histBoostNotes,
} from "./release.js";
import { asHistBoost } from "./study.js";

/** DP-HistBoost (aggregator side): noisy histograms, and the trees that follow from them. */
export const aggregator: AggregatorSide = async (conversation) => {
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
    predictor: conversation.part("predictor", () => histBoostPredictor(study, result)),
    figures: conversation.part("figures", () => histBoostFigures(study, result)),
    finding: histBoostFinding(study, result),
    card: conversation.part("card", () => histBoostCard(study, result, conversation.survivors)),
  };
};
