import { trainingRows, trainingShare } from "@consilium/core/study/evaluation";
import { rowsExpected, sitesAtLeast } from "@consilium/core/study/soundSums";
import { depthMost } from "../shared/correlation-tree/treeStudy.js";
import {
  binsLeast,
  binsUsually,
  type IsOpen,
  noiseOf,
  type Parameters,
  withNoiseRule,
} from "../shared/plans/noiseDefaults.js";
import { type DpPccSStudy, rowsOfBlockLeast } from "./study.js";

/** What a new study of dp-pcc-s leaves open and its noise decides: docs/methods/correlation-tree.md#defaults. */

export function withDpPccSDefaults(
  raw: Parameters,
  read: (raw: Parameters) => DpPccSStudy | null,
): Parameters {
  return withNoiseRule(raw, read, { depth: 1, bins: binsLeast }, dpPccSDefaults);
}

/** The deepest tree whose last level's blocks have rows to say anything of, with the blocks that fit its noise. */
function dpPccSDefaults(study: DpPccSStudy, isOpen: IsOpen): Parameters {
  const rows = trainingRows(study.parameters.evaluation, rowsExpected(study));
  const sites = sitesAtLeast(study);
  const at = (depth: number) => ({
    depth,
    bins: binsUsually,
    blocks: isOpen("blocks") ? blocksFor(study, rows, depth) : study.parameters.blocks,
  });
  if (!isOpen("depth")) return at(study.parameters.depth);
  let chosen = at(1);
  for (let depth = 2; depth <= Math.min(depthMost, study.features.length); depth++) {
    const next = at(depth);
    if (rows / (sites * next.blocks * 2 ** (depth - 1)) < rowsOfBlockLeast) break;
    chosen = next;
  }
  return chosen;
}

/**
 * Blocks of a site. With K in all the noise is σ/K of a correlation, and a block of n/K rows finds √(K/n) by chance: their sum is least at
 * K = ∛(4σ²n).
 */
function blocksFor(study: DpPccSStudy, rows: number, depth: number): number {
  const { leafShare, evaluation } = study.parameters;
  const share = ((1 - leafShare) / depth) * trainingShare(evaluation);
  const stdDev = noiseOf(study, share, 2 * study.features.length);
  const all = Math.cbrt(4 * stdDev ** 2 * rows);
  return Math.min(10_000, Math.max(2, Math.round(all / sitesAtLeast(study))));
}
