import type { StageId } from "@consilium/core/ids";
import type { MethodIssue } from "@consilium/core/method/method";
import { lines, sentences } from "@consilium/core/said";
import type { Feature } from "@consilium/core/study/features";
import type { BroadcastPlan } from "@consilium/core/study/plan";
import { sitesAtMost } from "@consilium/core/study/soundSums";
import type { Study } from "@consilium/core/study/study";
import type { StudyFaultSays } from "@consilium/words/says/studyFaults";
import { z } from "zod";
import type { BinnedFeature } from "../columns/binning.js";
import { nameIssues } from "../columns/names.js";
import { stagesMost } from "../plans/stageCount.js";

/**
 * The one pass over candidate features that every method of `k-anonymous-selection` makes: f by f in the order of their
 * importance, S ∪ {f} is tested. A pass is enough: what is not K-anonymous does not become so by a further column.
 */

/** What all methods are told. */
export const selectionParameters = {
  k: z
    .int()
    .min(1, lines<StudyFaultSays>()("fault.group-one-row", {}))
    .max(1_000_000_000)
    .default(10)
    .describe(
      "K: rows of each combination of released values at least; patients, where the study weighs them alike.",
    ),
  bins: z
    .int()
    .min(2)
    .max(4096)
    .default(16)
    .describe("Intervals of equal width of a numeric feature that declares no edges."),
};

/** The name under which the features of a test are broadcast: [m] 0 or 1. */
export const candidateName = "candidate";
/** The name under which the selected features are broadcast: [m] 0 or 1. */
export const selectedName = "selected";

/** @param test - from 0; the id counts from 1 */
export const testStageId = (test: number) => `test-${test + 1}` as StageId;

export function featureSet(name: string, study: Pick<Study, "features">): BroadcastPlan[] {
  return [{ name, length: study.features.length }];
}

/** A set of features as it is broadcast. */
export function encodeFeatures(features: readonly number[], count: number): Float64Array {
  const values = new Float64Array(count);
  for (const feature of features) values[feature] = 1;
  return values;
}

/** Faults that all methods share, as [path, message]. @param stages - how many the plan would have */
export function selectionIssues(
  study: Pick<Study, "features" | "participation"> & { readonly parameters: { readonly k: number } },
  stages: number,
): MethodIssue[] {
  const rows = sitesAtMost(study as Study) * study.participation.maxRowsPerSite;
  const { k } = study.parameters;
  const fault = sentences<StudyFaultSays>();
  const issues: MethodIssue[] = [];
  if (k > rows) issues.push([["parameters", "k"], fault("fault.group-rows", { k, rows })]);
  if (stages > stagesMost) issues.push([["features"], fault("fault.stages", { stages, max: stagesMost })]);
  return [...issues, ...nameIssues(study.features)];
}

/** How a bin is called in a release: its level, or the interval that it is. */
export function binLabels(feature: Feature, binned: BinnedFeature): string[] {
  if (feature.type === "categorical") return [...binned.levels];
  const bounds = [feature.min, ...binned.edges, feature.max];
  return Array.from({ length: binned.bins }, (_, b) => {
    const end = b === binned.bins - 1 ? "]" : ")";
    return `[${bounds[b]}, ${bounds[b + 1]}${end}`;
  });
}
