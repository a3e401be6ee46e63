import type { AggregatorSide } from "@consilium/core/method/aggregatorSide";
import { plausible } from "../shared/plausible.js";
import { survivalCounted, survivalFinding } from "./finding.js";
import { survivalModel } from "./model.js";
import {
  curveColumns,
  curveRows,
  curveShape,
  survivalFacts,
  survivalFigures,
  survivalNotes,
  survivalTables,
} from "./release.js";
import { survivalConversation } from "./result.js";
import { asSurvival } from "./study.js";

/** Survival at the aggregator: one noisy sum, and what follows from it. */
export const aggregator: AggregatorSide = async (conversation) => {
  const study = asSurvival(conversation.study);
  const result = await survivalConversation({ study, conversation, check: plausible });
  const rows = await conversation.writeRows("curves", curveShape(study), curveRows(study, result));
  return {
    model: survivalModel(study, result),
    table: { rows, columns: curveColumns(study) },
    // How many records took part is known with noise only.
    rowsUsed: null,
    facts: survivalFacts(study, result),
    tables: conversation.part("tables", () => survivalTables(study, result)),
    notes: survivalNotes(study, result),
    figures: conversation.part("figures", () => survivalFigures(study, result)),
    finding: survivalFinding(study, result),
    counted: survivalCounted(study, result),
  };
};
