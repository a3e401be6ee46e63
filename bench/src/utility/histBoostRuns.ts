import { ensembleOf } from "@consilium/core/learning/histBoost/ensemble";
import { simulateHistBoost } from "@consilium/core/learning/histBoost/simulate";
import { outputsOf, type TreeEnsemble } from "@consilium/core/learning/trees/tree";
import type { NumericKernels } from "@consilium/core/linalg/kernels";
import { plainKernels } from "@consilium/core/linalg/plain";
import { binOf } from "@consilium/core/study/binning";
import { asHistBoost, type HistBoostStudy, histBoostLayout } from "@consilium/core/study/histBoost";
import type { Study } from "@consilium/core/study/study";
import { repeatableBytes } from "../dpPcaTables.js";
import { areaUnderRoc, type BinnedTable, dealt, studyOf } from "./tables.js";

/** Accuracy and area under the ROC curve on the test rows. */
export interface Scores {
  readonly accuracy: number;
  readonly auc: number;
}

/** Five sites of which one may collude. */
export function boostedStudy(
  table: BinnedTable,
  privacy: Study["privacy"],
  parameters: Readonly<Record<string, unknown>>,
): HistBoostStudy {
  return asHistBoost(
    studyOf(table, { analysis: "boosted-trees", privacy, parameters: { evaluation: "none", ...parameters } }),
  );
}

/** Trains over five sites in this process and scores the test rows. */
export async function scored(
  table: BinnedTable,
  study: HistBoostStudy,
  seed: string,
  kernels: NumericKernels = plainKernels(),
): Promise<Scores> {
  const { trees } = await simulateHistBoost({
    study,
    tables: dealt(table),
    kernels,
    random: repeatableBytes(seed),
  });
  return scoresOf(study, ensembleOf(trees), table.test);
}

export function scoresOf(study: HistBoostStudy, ensemble: TreeEnsemble, test: BinnedTable["test"]): Scores {
  const { features } = histBoostLayout(study);
  const kinds = features.map(({ kind }) => kind);
  const outputs = test.rows.map((row) => outputsOf(ensemble, kinds, (f) => binOf(features[f]!, row[f]!))[0]!);
  const right = outputs.filter((output, r) => output > 0 === (test.labels[r] === 1)).length;
  return { accuracy: right / outputs.length, auc: areaUnderRoc(outputs, test.labels) };
}
