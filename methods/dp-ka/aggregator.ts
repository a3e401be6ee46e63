import type { AggregatorSide, MethodResult, RowsPart } from "@consilium/core/method/aggregatorSide";
import { rowsMost } from "@consilium/core/study/soundSums";
import { selectionFacts, selectionNotes, shownOf } from "../shared/k-anonymous/released.js";
import { selectedColumns } from "../shared/k-anonymous/selection.js";
import { plausible } from "../shared/plausible.js";
import { type DpKaResult, dpKaConversation } from "./conversation.js";
import { dpKaModel, orderReason } from "./release.js";
import { asDpKa, type DpKaStudy, dpKaLayout } from "./study.js";
import { tableRows } from "./tableRows.js";

/** dp-ka (aggregator side): importance, one pass of tests, and the noisy table of what was selected. */
export const aggregator: AggregatorSide = async (conversation): Promise<MethodResult> => {
  const study = asDpKa(conversation.study);
  const result = await dpKaConversation({ study, conversation, check: plausible });
  const { table } = result;
  const made = table === null ? null : tableRows(table, rowsMost(study));
  const rows =
    made === null
      ? null
      : await conversation.writeRows(
          "synthetic",
          { columns: 0, levels: table!.features.length + 1 },
          partsOf(made.chunks()),
        );
  return {
    model: dpKaModel(study, result),
    table:
      rows === null ? null : { rows, columns: selectedColumns(study, table!.features, "a synthetic row") },
    // How many records took part is known with noise only.
    rowsUsed: null,
    ...shownOf(study, result, conversation),
    facts: { ...selectionFacts(study, result), ...noisyFacts(study, result), syntheticRows: made?.rows ?? 0 },
    notes: [...selectionNotes(study, result), ...dpNotes(study, result)],
  };
};

function* partsOf(chunks: Iterable<{ rows: number; levels: Uint16Array }>): Generator<RowsPart> {
  for (const { rows, levels } of chunks) yield { rows, values: new Float64Array(0), labels: levels };
}

function noisyFacts(study: DpKaStudy, { rows, table }: DpKaResult): MethodResult["facts"] {
  return {
    orderedBy: dpKaLayout(study).ordering.by,
    noise: study.privacy === "none" ? "none" : "discrete Gaussian, a share from every site",
    noisyRows: rows,
    cells: table?.cells ?? 0,
    keptCells: table?.kept.length ?? 0,
    threshold: table?.threshold ?? null,
  };
}

/** What the features were ordered by, and why. */
function orderNote(study: DpKaStudy): string {
  const { by } = dpKaLayout(study).ordering;
  const reason = orderReason(study);
  const model =
    by === "histogram"
      ? "Features were ordered by one noisy histogram of each feature by class. The model to run is naive Bayes of the same counts"
      : "Features were ordered by the gains of boosted trees, which are the model to run";
  return `${model}${reason === null ? "" : ` (${reason})`}.`;
}

function dpNotes(study: DpKaStudy, { table }: DpKaResult): string[] {
  if (table === null) return [orderNote(study)];
  const { beta, k } = study.parameters;
  const proved = study.privacy !== "none";
  return [
    orderNote(study),
    `The rows are synthetic: none is a record. They are the table in model.json written out, as many rows of each combination of values and class as its${proved ? " noisy" : ""} count, cell by cell.`,
    ...(proved
      ? [
          `Combinations whose noisy count is below ${table.threshold.toPrecision(4)} are left out. With a probability of at least ${1 - beta}, every combination that is there is that of ${k} records at least; that records are private does not rest on it, but on the noise.`,
        ]
      : ["No noise was added anywhere."]),
  ];
}
