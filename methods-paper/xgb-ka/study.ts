import type { StageId } from "@consilium/core/ids";
import { maximumHistogramEntries } from "@consilium/core/linalg/histograms";
import type { MethodIssue } from "@consilium/core/method/method";
import { lines, nameOf, sentences } from "@consilium/core/said";
import { labelSchema } from "@consilium/core/study/features";
import type {
  Disclosure,
  Plan,
  PrivacyClaim,
  RowsStage,
  SumStage,
  TagsStage,
} from "@consilium/core/study/plan";
import { noPrivacyClaim, rowsMost, unprovedEvent } from "@consilium/core/study/soundSums";
import type { Study, StudyWith } from "@consilium/core/study/study";
import { type BinnedFeature, binnedFeatures } from "@consilium/methods/shared/columns/binning";
import {
  candidateName,
  featureSet,
  selectedName,
  selectionIssues,
  selectionParameters,
  testStageId,
} from "@consilium/methods/shared/k-anonymous/candidates";
import { fullLayout, type HistogramLayout } from "@consilium/methods/shared/trees/histograms";
import {
  type BoostingStage,
  boostingStages,
  type SecondOrderSettings,
  secondOrderIssues,
  secondOrderParameters,
  secondOrderSettings,
} from "@consilium/methods/shared/trees/secondOrder";
import { treeMethodParameters } from "@consilium/methods/shared/trees/treeMethod";
import { setupSteps } from "@consilium/secure-sum/setupSteps";
import type { AnySaid } from "@consilium/words/said";
import type { PlanSays } from "@consilium/words/says/plans";
import type { StageSays } from "@consilium/words/says/stages";
import type { StudyFaultSays } from "@consilium/words/says/studyFaults";
import { z } from "zod";
import type { XgbKaSays } from "./says.js";

/**
 * The published methods of `k-anonymous-selection`: XGB-KA, and its baseline Greedy-Hamdist [ZMDH17]. Importance from exact
 * sums, one pass of K-anonymity tests over all sites' rows by tags, and the rows themselves:
 * docs/methods/k-anonymous-selection.md#xgb-ka.
 */

const line = lines<XgbKaSays & PlanSays>();
const fault = sentences<XgbKaSays & StudyFaultSays>();

const xgbParameters = z
  .strictObject({
    ...selectionParameters,
    ...secondOrderParameters,
    trees: secondOrderParameters.trees
      .unwrap()
      .default(10)
      .describe("T: trees, one after another; of more than two classes one for each class T times."),
    ...treeMethodParameters,
    importance: z
      .enum(["average-gain", "gain-per-tree"])
      .default("average-gain")
      .describe(
        "`average-gain`: per split, as XGBoost reports it. `gain-per-tree`: the mean over trees that the text describes.",
      ),
  })
  .prefault({});

const variant = z.literal("paper", {
  error: line("xgb-ka.variant", {}),
});

const common = { analysis: z.literal("k-anonymous-selection"), variant, label: labelSchema };

/** The keys that `analysis: k-anonymous-selection` adds to a study with `method: xgb-ka`. */
export const xgbKaSection = {
  ...common,
  method: z
    .literal("xgb-ka")
    .describe("Features in groups of at least k rows, ranked by boosting, as published."),
  parameters: xgbParameters,
};

/** The keys that it adds with `method: greedy-hamdist`. */
export const greedyHamdistSection = {
  ...common,
  method: z
    .literal("greedy-hamdist")
    .describe("Features in groups of at least k rows, chosen greedily, as published."),
  parameters: z.strictObject(selectionParameters).prefault({}),
};

export type XgbKaStudy = StudyWith<typeof xgbKaSection>;
export type PaperKaStudy = XgbKaStudy | StudyWith<typeof greedyHamdistSection>;

/** @throws RangeError when the study is another one: its caller chose the wrong method */
export function asPaperKa(study: Study): PaperKaStudy {
  if (study.method === "xgb-ka" || study.method === "greedy-hamdist") return study as PaperKaStudy;
  throw new RangeError(`${study.analysis}, method ${study.method}, is neither xgb-ka nor greedy-hamdist`);
}

export const paperKaStages = {
  /** Of Greedy-Hamdist: counts by feature, bin and class. */
  histogram: "histogram" as StageId,
  test: testStageId,
  rows: "rows" as StageId,
};

/** Everything of a study of a published method that is public and fixed before it runs. */
export interface PaperKaLayout {
  readonly features: readonly BinnedFeature[];
  /** L. */
  readonly classes: number;
  /** Of XGB-KA; null for Greedy-Hamdist. */
  readonly boosting: {
    readonly settings: SecondOrderSettings;
    readonly stages: readonly BoostingStage[];
  } | null;
  /** Of Greedy-Hamdist: one node, all features, a channel per class; null for XGB-KA. */
  readonly histogram: HistogramLayout | null;
}

const layouts = new WeakMap<PaperKaStudy, PaperKaLayout>();

export function paperKaLayout(study: PaperKaStudy): PaperKaLayout {
  const known = layouts.get(study);
  if (known !== undefined) return known;
  const features = binnedFeatures(study.features, study.parameters.bins);
  const classes = study.label.levels.length;
  const layout: PaperKaLayout =
    study.method === "xgb-ka"
      ? { features, classes, boosting: boostingOf(study, features), histogram: null }
      : { features, classes, boosting: null, histogram: fullLayout(features, 1, classes) };
  layouts.set(study, layout);
  return layout;
}

/** Trees of all rounds, one a round for two classes and one for each of several; 1 for Greedy-Hamdist, which has none. */
function treesOf(study: PaperKaStudy): number {
  if (study.method !== "xgb-ka") return 1;
  const classes = study.label.levels.length;
  return study.parameters.trees * (classes === 2 ? 1 : classes);
}

function boostingOf(study: XgbKaStudy, features: readonly BinnedFeature[]): PaperKaLayout["boosting"] {
  const { trees, depth, eta, lambda, gamma, minChildWeight, baseScore } = study.parameters;
  const { treeMethod, maxBin, subsample, columnSample, seed } = study.parameters;
  const settings = secondOrderSettings({
    features,
    positive: 1,
    trees: treesOf(study),
    depth,
    eta,
    lambda,
    gamma,
    minChildWeight,
    baseScore,
    treeMethod,
    maxBin,
    subsample,
    columnSample,
    seed,
    outputs: treesOf(study) / trees,
    sums: "exact",
    records: rowsMost(study),
  });
  return { settings, stages: boostingStages(settings) };
}

/** Faults that only the whole study shows, as [path, message]. */
export function paperKaIssues(study: PaperKaStudy): MethodIssue[] {
  // Counted before they are laid out: a label of many levels would make very many.
  const least = treesOf(study) * (study.method === "xgb-ka" ? study.parameters.depth : 1);
  const tooMany = selectionIssues(study, least + study.features.length + 1);
  if (tooMany.length > 0) return tooMany;
  const { features, classes, boosting } = paperKaLayout(study);
  const issues = selectionIssues(study, (boosting?.stages.length ?? 1) + study.features.length + 1);
  if (study.privacy !== "none") {
    issues.push([["privacy"], fault("xgb-ka.without-noise", { method: nameOf(study.method) })]);
  }
  if (boosting !== null) return [...issues, ...secondOrderIssues(boosting.settings)];
  const length = features.reduce((sum, { bins }) => sum + bins, 0) * classes;
  if (length > maximumHistogramEntries)
    issues.push([
      ["parameters", "bins"],
      fault("fault.histogram", { numbers: length, max: maximumHistogramEntries }),
    ]);
  return issues;
}

const reasons = (
  [
    "xgb-ka.k-anonymity",
    "xgb-ka.one-class",
    "xgb-ka.single-records",
    "xgb-ka.rows-read",
    "xgb-ka.tags-read",
    "xgb-ka.tests-trusted",
  ] as const
).map((code) => line(code, {}));

const claim: PrivacyClaim = { ...noPrivacyClaim, reasons: [...noPrivacyClaim.reasons, ...reasons] };

export function planPaperKa(study: PaperKaStudy): Plan {
  const tests = Array.from({ length: study.features.length }, (_, test) => testStage(study, test));
  return {
    masking: "pairwise",
    setup: setupSteps({ masks: "pairwise", sharedSeed: true }),
    stages: [...importanceStages(study), ...tests, rowsStage(study)],
    claim,
    warnings: [line("xgb-ka.rows-public", {}), line("plan.exact-sums", {})],
  };
}

const ofStages = lines<StageSays>();

function exact(study: PaperKaStudy, what: AnySaid): Disclosure {
  return {
    what: ofStages("sent.summed", { what }),
    form: "masked sum",
    learns: line("xgb-ka.learns-sum", {}),
    mechanism: ofStages("noise.none", {}),
    normBound: null,
    sensitivity: null,
    cost: null,
    event: unprovedEvent(study),
  };
}

function importanceStages(study: PaperKaStudy): SumStage[] {
  const { boosting, histogram } = paperKaLayout(study);
  if (boosting !== null) {
    return boosting.stages.map(({ id, broadcasts, length, what }) => ({
      kind: "sum",
      id,
      broadcasts,
      length,
      ringBits: 64,
      noise: null,
      disclosure: exact(study, what),
    }));
  }
  return [
    {
      kind: "sum",
      id: paperKaStages.histogram,
      broadcasts: [],
      length: histogram!.length,
      ringBits: rowsMost(study) < 2 ** 31 ? 32 : 64,
      noise: null,
      disclosure: exact(
        study,
        sentences<StageSays>()("sent.bins", {
          features: study.features.length,
          label: nameOf(study.label.name),
        }),
      ),
    },
  ];
}

function testStage(study: PaperKaStudy, test: number): TagsStage {
  return {
    kind: "tags",
    id: testStageId(test),
    broadcasts: featureSet(candidateName, study),
    mayBeSkipped: true,
    disclosure: {
      what: line("xgb-ka.tags", {}),
      form: "tag counts",
      learns: line("xgb-ka.learns-tags", {}),
      mechanism: line("xgb-ka.noise-tags", {}),
      normBound: null,
      sensitivity: null,
      cost: null,
      event: unprovedEvent(study),
    },
  };
}

function rowsStage(study: PaperKaStudy): RowsStage {
  return {
    kind: "rows",
    id: paperKaStages.rows,
    broadcasts: featureSet(selectedName, study),
    columns: study.features.length,
    mayBeSkipped: true,
    disclosure: {
      what: line("xgb-ka.rows", { label: nameOf(study.label.name) }),
      form: "rows in the clear",
      learns: ofStages("learns.shuffled", {}),
      mechanism: line("xgb-ka.noise-rows", { k: study.parameters.k }),
      normBound: null,
      sensitivity: null,
      cost: null,
      event: unprovedEvent(study),
    },
  };
}
