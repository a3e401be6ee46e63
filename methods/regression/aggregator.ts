import type { AggregatorSide } from "@consilium/core/method/aggregatorSide";
import { plausible } from "../shared/plausible.js";
import { regressionConversation } from "./conversation.js";
import { estimatesOf } from "./estimates.js";
import { regressionCounted, regressionFinding, wholeTest } from "./finding.js";
import { categoriesOf, regressionModel, regressionPredictor } from "./model.js";
import {
  regressionCard,
  regressionFacts,
  regressionFigures,
  regressionNotes,
  regressionTables,
} from "./release.js";
import { asRegression } from "./study.js";

/** A regression at the aggregator: noisy sums, and the coefficients and intervals that follow from them. */
export const aggregator: AggregatorSide = async (conversation) => {
  const study = asRegression(conversation.study);
  const result = await regressionConversation({ study, conversation, check: plausible });
  const estimates = await estimatesOf(study, result, conversation.pause);
  const categories = categoriesOf(study, result, estimates);
  const tested = { estimates, categories, whole: wholeTest(study, result) };
  return {
    model: regressionModel(study, result, tested),
    table: null,
    // How many records took part is known with noise only.
    rowsUsed: null,
    facts: regressionFacts(study, result),
    notes: regressionNotes(study, result, estimates),
    predictor: conversation.part("predictor", () => regressionPredictor(study, result)),
    tables: conversation.part("tables", () => regressionTables(study, result, tested)),
    figures: conversation.part("figures", () => regressionFigures(study, result, estimates)),
    finding: regressionFinding(study, tested),
    counted: regressionCounted(study, result),
    card: conversation.part("card", () => regressionCard(study, result, estimates, conversation.survivors)),
  };
};
