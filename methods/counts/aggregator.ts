import type { AggregatorSide } from "@consilium/core/method/aggregatorSide";
import { plausible } from "../shared/plausible.js";
import { countsConversation } from "./conversation.js";
import { countsFinding } from "./finding.js";
import { countsFacts, countsFigure, countsModel, countsNotes, countsTable } from "./release.js";
import { asCounts } from "./study.js";

/** Counts of conditions at the aggregator: one noisy sum, and its intervals. */
export const aggregator: AggregatorSide = async (conversation) => {
  const study = asCounts(conversation.study);
  const result = await countsConversation({ study, conversation, check: plausible });
  return {
    model: countsModel(study, result),
    table: null,
    // How many records took part is not asked.
    rowsUsed: null,
    facts: countsFacts(study, result),
    notes: countsNotes(study, result),
    figures: conversation.part("figures", () => [countsFigure(study, result)]),
    tables: conversation.part("tables", () => [countsTable(study, result)]),
    finding: countsFinding(study, result),
  };
};
