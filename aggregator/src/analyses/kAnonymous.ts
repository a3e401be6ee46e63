import { type DpKaResult, dpKaConversation } from "@consilium/core/learning/kAnonymous/dpKaConversation";
import {
  type PaperKaResult,
  paperKaConversation,
} from "@consilium/core/learning/kAnonymous/paperKaConversation";
import {
  dpKaModel,
  paperKaModel,
  type Selection,
  selectedColumns,
  selectionCard,
  selectionCaution,
  selectionFigures,
  selectionPredictor,
  selectionWarnings,
} from "@consilium/core/learning/kAnonymous/release";
import { tableRows } from "@consilium/core/learning/kAnonymous/tableRows";
import { encodeFeatures, selectedName } from "@consilium/core/study/candidates";
import { type DpKaLayout, type DpKaStudy, dpKaLayout } from "@consilium/core/study/dpKa";
import { asKAnonymous, type KAnonymousStudy } from "@consilium/core/study/kAnonymous";
import { type PaperKaStudy, paperKaStages, rowsMost } from "@consilium/core/study/paperKa";
import type { AggregatorAnalysis, AnalysisResult, Conversation, RowsPart } from "./analysis.js";
import { plausible } from "./plausible.js";
import { projectedRows } from "./projectedRows.js";

/** Features selected under K-anonymity, aggregator side: importance, one pass of tests, and what is released. */
export const kAnonymous: AggregatorAnalysis = async (conversation): Promise<AnalysisResult> => {
  const study = asKAnonymous(conversation.study);
  return study.method === "dp-ka" ? dpKa(study, conversation) : paperKa(study, conversation);
};

async function paperKa(study: PaperKaStudy, conversation: Conversation): Promise<AnalysisResult> {
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
    ...shown(study, result, conversation.survivors),
    facts: { ...factsOf(study, result), ...exactFacts(result) },
    notes: [
      ...notesOf(study, result),
      `The rows are the sites' records: of each selected feature the interval or level, with the label. Each combination of the selected features' values is that of ${study.parameters.k} rows at least. That is no privacy: README and certificate say why.`,
      "The order of the rows is random: nothing says which site a row came from.",
    ],
  };
}

async function releasedRows(study: PaperKaStudy, conversation: Conversation, selected: readonly number[]) {
  const told = { [selectedName]: encodeFeatures(selected, study.features.length) };
  const rows = await conversation.rows(paperKaStages.rows, told);
  const shape = { columns: 0, levels: selected.length + 1 };
  return conversation.writeRows("projected", shape, projectedRows(study, selected, rows));
}

async function dpKa(study: DpKaStudy, conversation: Conversation): Promise<AnalysisResult> {
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
    ...shown(study, result, conversation.survivors),
    facts: { ...factsOf(study, result), ...noisyFacts(study, result), syntheticRows: made?.rows ?? 0 },
    notes: [...notesOf(study, result), ...dpNotes(study, result)],
  };
}

function* partsOf(chunks: Iterable<{ rows: number; levels: Uint16Array }>): Generator<RowsPart> {
  for (const { rows, levels } of chunks) yield { rows, values: new Float64Array(0), labels: levels };
}

function shown(
  study: KAnonymousStudy,
  result: Selection,
  sites: number,
): Pick<AnalysisResult, "predictor" | "figures" | "card" | "caution"> {
  return {
    predictor: selectionPredictor(study, result),
    figures: selectionFigures(study, result),
    card: selectionCard(study, result, sites),
    caution: selectionCaution(result),
  };
}

function factsOf(study: KAnonymousStudy, { pass }: Selection): AnalysisResult["facts"] {
  return {
    masking: "pairwise",
    k: study.parameters.k,
    selected: pass.selected.length,
    tests: pass.tried.filter(({ test }) => test !== null).length,
  };
}

function exactFacts({ pass }: PaperKaResult): AnalysisResult["facts"] {
  const last = pass.tried.findLast(({ accepted }) => accepted)?.test;
  return { noise: "none", groups: last?.classes ?? 0, smallestGroup: last?.smallest ?? 0 };
}

function noisyFacts(study: DpKaStudy, { rows, table }: DpKaResult): AnalysisResult["facts"] {
  return {
    orderedBy: dpKaLayout(study).ordering.by,
    noise: study.privacy === "none" ? "none" : "discrete Gaussian, a share from every site",
    noisyRows: rows,
    cells: table?.cells ?? 0,
    keptCells: table?.kept.length ?? 0,
    threshold: table?.threshold ?? null,
  };
}

function notesOf(study: KAnonymousStudy, result: Selection): string[] {
  return [
    "features in model.json are in the order of their importance, in which they were tried one by one; selected are those that were released.",
    ...selectionWarnings(study, result),
  ];
}

/** What the features were ordered by, and why. */
function orderNote({ ordering: { by, reason } }: Pick<DpKaLayout, "ordering">): string {
  const model =
    by === "histogram"
      ? "Features were ordered by one noisy histogram of each feature by class. The model to run is naive Bayes of the same counts"
      : "Features were ordered by the gains of boosted trees, which are the model to run";
  return `${model}${reason === null ? "" : ` (${reason})`}.`;
}

function dpNotes(study: DpKaStudy, { table }: DpKaResult): string[] {
  if (table === null) return [orderNote(dpKaLayout(study))];
  const { beta, k } = study.parameters;
  const proved = study.privacy !== "none";
  return [
    orderNote(dpKaLayout(study)),
    `The rows are synthetic: none is a record. They are the table in model.json written out, as many rows of each combination of values and class as its${proved ? " noisy" : ""} count, cell by cell.`,
    ...(proved
      ? [
          `Combinations whose noisy count is below ${table.threshold.toPrecision(4)} are left out. With a probability of at least ${1 - beta}, every combination that is there is that of ${k} records at least; that records are private does not rest on it, but on the noise.`,
        ]
      : ["No noise was added anywhere."]),
  ];
}
