import type { AggregatorSide, Conversation, MethodResult } from "@consilium/core/method/aggregatorSide";
import { encodeFeatures, selectedName } from "@consilium/methods/shared/k-anonymous/candidates";
import { selectionFacts, selectionNotes, shownOf } from "@consilium/methods/shared/k-anonymous/released";
import { selectedColumns } from "@consilium/methods/shared/k-anonymous/selection";
import { plausible } from "@consilium/methods/shared/plausible";
import { type PaperKaResult, paperKaConversation } from "./conversation.js";
import { projectedRows } from "./projectedRows.js";
import { paperKaModel } from "./release.js";
import { asPaperKa, type PaperKaStudy, paperKaStages } from "./study.js";

/** XGB-KA and Greedy-Hamdist (aggregator side): importance, one pass of tests, and the rows of what was selected. */
export const aggregator: AggregatorSide = async (conversation): Promise<MethodResult> => {
  const study = asPaperKa(conversation.study);
  const result = await paperKaConversation({ study, conversation, check: plausible });
  const { selected } = result.pass;
  const table =
    selected.length === 0
      ? null
      : {
          rows: await releasedRows(study, conversation, selected),
          columns: selectedColumns(study, selected, "a row"),
        };
  return {
    model: paperKaModel(study, result),
    table,
    rowsUsed: result.pass.tried[0]?.test?.rows ?? null,
    ...shownOf(study, result, conversation),
    facts: { ...selectionFacts(study, result), ...exactFacts(result) },
    notes: [
      ...selectionNotes(study, result),
      `The rows are the sites' records: of each selected feature the interval or level, with the label. Each combination of the selected features' values is that of ${study.parameters.k} rows at least. That is no privacy: README and certificate say why.`,
      "The order of the rows is random: nothing says which site a row came from.",
    ],
  };
};

async function releasedRows(study: PaperKaStudy, conversation: Conversation, selected: readonly number[]) {
  const told = { [selectedName]: encodeFeatures(selected, study.features.length) };
  const rows = await conversation.rows(paperKaStages.rows, told);
  const shape = { columns: 0, levels: selected.length + 1 };
  return conversation.writeRows(
    "projected",
    shape,
    projectedRows(study, selected, conversation.readRows(rows)),
  );
}

function exactFacts({ pass }: PaperKaResult): MethodResult["facts"] {
  const last = pass.tried.findLast(({ accepted }) => accepted)?.test;
  return { noise: "none", groups: last?.classes ?? 0, smallestGroup: last?.smallest ?? 0 };
}
