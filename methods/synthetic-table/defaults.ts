import { rowsExpected } from "@consilium/core/study/soundSums";
import { binsLeast, noiseOf, type Parameters, withNoiseRule } from "../shared/plans/noiseDefaults.js";
import { coarseMost, pairsOf, pairsShare, type SyntheticTableStudy } from "./study.js";

/** What a new study leaves open and its noise decides: docs/methods/synthetic-table.md#coarse. */
export function withSyntheticTableDefaults(
  raw: Parameters,
  read: (raw: Parameters) => SyntheticTableStudy | null,
): Parameters {
  return withNoiseRule(raw, read, { coarse: binsLeast }, (study) => ({ coarse: coarseFor(study) }));
}

/** By so many standard deviations of its noise the average count of a coarse table is above 0. */
const cellDeviations = 2;

/** B: the largest at which n/B² is 2σ for tables of one weight. */
export function coarseFor(study: SyntheticTableStudy): number {
  const pairs = pairsOf(study.features.length).length;
  const stdDev = noiseOf(study, pairsShare, pairs);
  const wanted = Math.floor(Math.sqrt(rowsExpected(study) / (cellDeviations * stdDev)));
  return Math.min(coarseMost, Math.max(binsLeast, wanted));
}
