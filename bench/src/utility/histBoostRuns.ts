import { outputsOf, type TreeEnsemble } from "@consilium/core/learning/trees/tree";
import { plainKernels } from "@consilium/core/linalg/plain";
import type { AdditiveStudy } from "@consilium/methods/dp-additive/study";
import { ensembleOf } from "@consilium/methods/dp-histboost/ensemble";
import { asHistBoost, type HistBoostStudy } from "@consilium/methods/dp-histboost/study";
import { binnedFeatures, binOf } from "@consilium/methods/shared/columns/binning";
import { simulateHistBoost } from "@consilium/methods/testing/histBoost/simulate";
import type { Study } from "@consilium/methods/testing/studies";
import { repeatableBytes } from "../dpPcaTables.js";
import type { UtilityNetwork } from "./network.js";
import {
  accuracyOf,
  areaUnderRoc,
  type BinnedTable,
  dealt,
  filled,
  releasedPredictions,
  studyOf,
} from "./tables.js";

/** Accuracy and area under the ROC curve on the test rows. */
export interface Scores {
  readonly accuracy: number;
  readonly auc: number;
}

/** A study over the table's sites, of which one may collude. */
export function boostedStudy(
  table: BinnedTable,
  privacy: Study["privacy"],
  parameters: Readonly<Record<string, unknown>>,
): HistBoostStudy {
  return asHistBoost(
    studyOf(table, { analysis: "boosted-trees", privacy, parameters: { evaluation: "none", ...parameters } }),
  );
}

/** Trains over the sites, in this process or as processes of their own, and scores the test rows. */
export async function scored(options: {
  readonly table: BinnedTable;
  readonly study: HistBoostStudy;
  readonly seed: string;
  readonly network: UtilityNetwork | null;
}): Promise<Scores> {
  const { table, study, seed, network } = options;
  if (network !== null) {
    const { predicted, scores } = releasedPredictions(await network.model(study, table), table);
    const { labels } = table.test;
    return { accuracy: accuracyOf(predicted, labels), auc: areaUnderRoc(scores, labels) };
  }
  const { trees } = await simulateHistBoost({
    study,
    tables: dealt(table),
    kernels: plainKernels(),
    random: repeatableBytes(seed),
  });
  return scoresOf(study, ensembleOf(trees), table);
}

/** @param study - whose parameters say how columns are binned */
export function scoresOf(
  study: HistBoostStudy | AdditiveStudy,
  ensemble: TreeEnsemble,
  { features: declared, test }: Pick<BinnedTable, "features" | "test">,
): Scores {
  const features = binnedFeatures(study.features, study.parameters.bins);
  const kinds = features.map(({ kind }) => kind);
  const outputs = test.rows.map(
    (row) => outputsOf(ensemble, kinds, (f) => binOf(features[f]!, filled(declared[f]!, row[f]!)))[0]!,
  );
  const right = outputs.filter((output, r) => output > 0 === (test.labels[r] === 1)).length;
  return { accuracy: right / outputs.length, auc: areaUnderRoc(outputs, test.labels) };
}
