import { countedUnits } from "@consilium/core/study/patientWeights";
import { binLabels } from "../shared/k-anonymous/candidates.js";
import { binnedOf, commonModel, testsOf } from "../shared/k-anonymous/selection.js";
import type { DpKaResult, ReleasedTable } from "./conversation.js";
import { type DpKaStudy, dpKaLayout } from "./study.js";

/** `model.json` of dp-ka. */
export function dpKaModel(study: DpKaStudy, result: DpKaResult): Record<string, unknown> {
  const { rows, rowsStdDev, table, pass, naiveBayes } = result;
  return {
    ...commonModel(study, result),
    orderedBy: naiveBayes === null ? "boosting" : "histogram",
    orderedBecause: orderReason(study),
    /** Of naive Bayes, what a row begins with; null where boosting ordered the features. */
    base: naiveBayes === null ? null : [...naiveBayes.base],
    rows,
    rowsStdDev,
    /** Of the boosted trees or naive Bayes, on held-out rows; null where the study asked for none. */
    evaluation: result.evaluation,
    tests: testsOf(study, pass, ({ cells, keptCells, keptRows, threshold }) => ({
      cells,
      keptCells,
      keptRows,
      threshold,
    })),
    table: table === null ? null : tableModel(study, table),
  };
}

/** Why the study was ordered by what it was; null where nothing had to be decided. */
export function orderReason(study: DpKaStudy): string | null {
  const { reason } = dpKaLayout(study).ordering;
  if (reason === null) return null;
  if (reason.code === "dp-ka.many-classes")
    return `boosting takes two classes, and there are ${reason.params.classes}`;
  const { rows, needed } = reason.params;
  return `about ${rows} ${countedUnits(study)} are expected for training, and boosting's splits need ${needed} to stand out of the noise`;
}

function tableModel(study: DpKaStudy, table: ReleasedTable): Record<string, unknown> {
  const binned = binnedOf(study);
  const labels = table.features.map((f) => binLabels(study.features[f]!, binned[f]!));
  return {
    features: table.features.map((f) => study.features[f]!.name),
    classes: study.label.levels,
    cells: table.cells,
    threshold: table.threshold,
    stdDev: table.stdDev,
    kept: table.kept.map(({ bins, counts }) => ({ values: bins.map((bin, j) => labels[j]![bin]!), counts })),
  };
}
