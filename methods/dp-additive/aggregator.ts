import type { AggregatorSide } from "@consilium/core/method/aggregatorSide";
import { plausible } from "../shared/plausible.js";
import { additiveConversation } from "./conversation.js";
import { additiveModel, additivePredictor, releasedCurves } from "./model.js";
import { additiveCard, additiveFacts, additiveFigures, additiveFinding, additiveNotes } from "./release.js";
import { asAdditive } from "./study.js";

/** Additive boosting at the aggregator: noisy derivatives, and the curves that follow from them. */
export const aggregator: AggregatorSide = async (conversation) => {
  const study = asAdditive(conversation.study);
  const result = await additiveConversation({ study, conversation, check: plausible });
  return {
    model: additiveModel(study, result),
    table: null,
    // How many records took part is known with noise only.
    rowsUsed: null,
    facts: additiveFacts(study, result),
    notes: additiveNotes(study, result),
    predictor: conversation.part("predictor", () => additivePredictor(study, result)),
    curves: conversation.part("curves", () => releasedCurves(study, result)),
    figures: conversation.part("figures", () => additiveFigures(study, result)),
    finding: additiveFinding(study, result),
    card: conversation.part("card", () => additiveCard(study, result, conversation.survivors)),
  };
};
