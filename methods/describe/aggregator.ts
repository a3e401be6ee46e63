import type { AggregatorSide } from "@consilium/core/method/aggregatorSide";
import { plausible } from "../shared/plausible.js";
import { describeConversation } from "./conversation.js";
import { describeCounted, describeFinding } from "./finding.js";
import { describeModel } from "./model.js";
import { describeFacts, describeFigures, describeNotes } from "./release.js";
import { asDescribe } from "./study.js";
import { describeTables } from "./tables.js";

/** Descriptive statistics at the aggregator: one noisy sum, and what follows from it. */
export const aggregator: AggregatorSide = async (conversation) => {
  const study = asDescribe(conversation.study);
  const result = await describeConversation({ study, conversation, check: plausible });
  return {
    model: describeModel(study, result),
    table: null,
    // How many records took part is known with noise only.
    rowsUsed: null,
    facts: describeFacts(study, result),
    notes: describeNotes(study, result),
    figures: conversation.part("figures", () => describeFigures(study, result)),
    tables: conversation.part("tables", () => describeTables(study, result)),
    finding: describeFinding(study, result),
    counted: describeCounted(study, result),
  };
};
