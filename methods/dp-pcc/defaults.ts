import { trainingRows, trainingShare } from "@consilium/core/study/evaluation";
import { rowsExpected } from "@consilium/core/study/soundSums";
import { binnedFeatures, medianBins } from "../shared/columns/binning.js";
import { depthMost, treeUsually } from "../shared/correlation-tree/treeStudy.js";
import {
  binsLeast,
  type IsOpen,
  intervalsFor,
  leafShareFor,
  noiseOf,
  type Parameters,
  withNoiseRule,
} from "../shared/plans/noiseDefaults.js";
import type { DpPccStudy } from "./study.js";

/** What a new study of dp-pcc leaves open and its noise decides: docs/methods/correlation-tree.md#defaults. */

/** A level's vector that the rule may ask of a site: 32 MiB. */
const levelLengthMost = 2 ** 22;

export function withDpPccDefaults(raw: Parameters, read: (raw: Parameters) => DpPccStudy | null): Parameters {
  return withNoiseRule(raw, read, { depth: 1, bins: binsLeast }, dpPccDefaults);
}

/** The deepest tree whose last level's nodes hold the rows that the guard asks of both sides of a cut. */
function dpPccDefaults(study: DpPccStudy, isOpen: IsOpen): Parameters {
  const least = isOpen("depth") ? 1 : study.parameters.depth;
  let chosen = dpPccAt(study, isOpen, least);
  if (!isOpen("depth")) return { bins: chosen.bins, leafShare: treeUsually.leafShare };
  for (let depth = 2; depth <= Math.min(depthMost, study.features.length); depth++) {
    const next = dpPccAt(study, isOpen, depth);
    if (!next.splits) break;
    chosen = next;
  }
  const { depth, bins, leafShare } = chosen;
  return { depth, bins, leafShare };
}

interface DpPccChoice {
  readonly depth: number;
  readonly bins: number;
  readonly leafShare: number;
  readonly splits: boolean;
}

function dpPccAt(study: DpPccStudy, isOpen: IsOpen, depth: number): DpPccChoice {
  const { evaluation, guard } = study.parameters;
  const rows = trainingRows(evaluation, rowsExpected(study));
  const m = study.features.length;
  const noiseAt = (leafShare: number) =>
    noiseOf(study, ((1 - leafShare) / depth) * trainingShare(evaluation), m);
  const bins = isOpen("bins") ? intervalsFor(rows, noiseAt(0)) : study.parameters.bins;
  const features = binnedFeatures(study.features, bins);
  const middle = medianBins(features);
  const leafShare = isOpen("leafShare") ? leafShareFor(m, middle, depth) : study.parameters.leafShare;
  const all = features.reduce((sum, feature) => sum + feature.bins, 0);
  const nodes = 2 ** (depth - 1);
  const splits =
    rows / nodes >= 2 * guard * noiseAt(leafShare) * Math.sqrt(middle) &&
    all * study.label.levels.length * nodes <= levelLengthMost;
  return { depth, bins, leafShare, splits };
}
