import { trainingRows, trainingShare } from "@consilium/core/study/evaluation";
import { rowsExpected } from "@consilium/core/study/soundSums";
import { binnedFeatures } from "../shared/columns/binning.js";
import {
  binsLeast,
  type IsOpen,
  intervalsFor,
  noiseOf,
  type Parameters,
  withNoiseRule,
} from "../shared/plans/noiseDefaults.js";
import { boostingRowsNeeded, orderingOf } from "./order.js";
import type { DpKaStudy } from "./study.js";

/** What a new study of dp-ka leaves open and its noise decides: docs/methods/k-anonymous-selection.md#dp-ka-defaults. */

/** What boosting's trees have left of a margin that they go towards by η each. */
const marginLeft = 0.01;

export function withDpKaDefaults(raw: Parameters, read: (raw: Parameters) => DpKaStudy | null): Parameters {
  return withNoiseRule(raw, read, { bins: binsLeast }, dpKaDefaults);
}

/** Intervals by the histogram's noise; and where boosting orders the features, as many trees as its noise allows for. */
function dpKaDefaults(study: DpKaStudy, isOpen: IsOpen): Parameters {
  const { evaluation, budget, eta, trees } = study.parameters;
  const share = trainingShare(evaluation) * budget.importance;
  const rows = trainingRows(evaluation, rowsExpected(study));
  const bins = isOpen("bins")
    ? intervalsFor(rows, noiseOf(study, share, study.features.length))
    : study.parameters.bins;
  const features = binnedFeatures(study.features, bins);
  if (!isOpen("trees") || orderingOf(study, features, share).by !== "boosting") return { bins };
  // From here on trees add little: all of them go (1 - η)^T of the way short.
  const enough = eta < 1 ? Math.ceil(Math.log(marginLeft) / Math.log(1 - eta)) : 1;
  const stands = (count: number) =>
    boostingRowsNeeded({ ...study, parameters: { ...study.parameters, trees: count } }, features, share) <=
    rows;
  let count = Math.max(trees, enough);
  while (count > trees && !stands(count)) count--;
  return { bins, trees: count };
}
