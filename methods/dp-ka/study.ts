import type { StageId } from "@consilium/core/ids";
import type { MethodIssue } from "@consilium/core/method/method";
import { lines, nameOf, sentences } from "@consilium/core/said";
import { between } from "@consilium/core/study/between";
import {
  evaluationForm,
  evaluationParameter,
  evaluationStage,
  evaluationWarnings,
  trainingRows,
  trainingShare,
} from "@consilium/core/study/evaluation";
import { labelSchema } from "@consilium/core/study/features";
import { unitsOf } from "@consilium/core/study/patientWeights";
import type { Plan } from "@consilium/core/study/plan";
import { countQuery, soundStage } from "@consilium/core/study/soundStage";
import {
  asExpected,
  expectedSaid,
  fitsRing,
  noiseStdDev,
  planSoundSums,
  rowsExpected,
  type SoundStage,
  sitesAtLeast,
  sitesAtMost,
  soundIssues,
} from "@consilium/core/study/soundSums";
import type { Study, StudyWith } from "@consilium/core/study/study";
import { firstNames } from "@consilium/core/words";
import type { StudyFaultSays } from "@consilium/words/says/studyFaults";
import { z } from "zod";
import { type BinnedFeature, binnedFeatures, medianBins } from "../shared/columns/binning.js";
import {
  candidateName,
  featureSet,
  selectedName,
  selectionIssues,
  selectionParameters,
  testStageId,
} from "../shared/k-anonymous/candidates.js";
import { ringIssue } from "../shared/plans/ringIssue.js";
import {
  type SecondOrderSettings,
  type SecondOrderStage,
  secondOrderIssues,
  secondOrderParameters,
  secondOrderSettings,
  secondOrderStages,
  wholeTreeBroadcasts,
} from "../shared/trees/secondOrder.js";
import {
  because,
  type HistogramStage,
  histogramIssues,
  histogramStage,
  naiveBayesBroadcasts,
  type Ordering,
  orderingOf,
  orderParameter,
} from "./order.js";
import type { DpKaSays } from "./says.js";

/**
 * XGB-KA with a proof: `method: dp-ka`. Importance from noisy second-order boosting or one noisy histogram, a noisy count, noisy
 * tests of noisy joint histograms, the noisy table of what was selected, and how well the model of the first step predicts:
 * docs/methods/k-anonymous-selection.md#dp-ka.
 */

const said = sentences<DpKaSays & StudyFaultSays>();
const line = lines<DpKaSays & StudyFaultSays>();

const part = between(0.01, 0.97);

/** The cells of one joint histogram at most: of a table of two classes, a vector of 64 MiB. */
const cellsMost = 2 ** 22;

const parameters = z
  .strictObject({
    ...selectionParameters,
    bins: selectionParameters.bins
      .removeDefault()
      .optional()
      .describe(
        "Intervals of equal width of a numeric feature that declares no edges. Left out: 16, fewer (3 at least) where `participation.expectedRows` are few for the noise.",
      )
      .transform((bins) => bins ?? 16),
    ...secondOrderParameters,
    trees: secondOrderParameters.trees
      .removeDefault()
      .optional()
      .describe(
        "T: trees, one after another. Left out: 5, and where `participation.expectedRows` let more stand out of the noise as many as come within a hundredth of the margin, 13 at η = 0.3.",
      )
      .transform((trees) => trees ?? 5),
    order: orderParameter,
    importance: z
      .enum(["average-gain", "gain-per-tree"])
      .default("gain-per-tree")
      .describe(
        "Of boosting. The sum by default: an average over one noisy split puts a feature that was split on once before all others.",
      ),
    kappa: between(0, 0.9)
      .default(0.1)
      .describe("κ: the part of all rows that may lie in cells below the threshold of a test."),
    beta: between(1e-9, 0.5)
      .default(0.05)
      .describe("β: the probability at most that a published cell has fewer than K rows."),
    maxCells: z
      .int()
      .min(2)
      .max(cellsMost)
      .default(4096)
      .describe("Candidates of more joint cells are rejected without a look."),
    evaluation: evaluationParameter,
    seed: z
      .string()
      .min(1)
      .max(100)
      .default("consilium")
      .describe("Public: what decides which rows are held out."),
    budget: z
      .strictObject({
        importance: part.describe("For the trees that rank features."),
        count: part.describe("For the number of rows."),
        tests: part.describe("For the tests of k-anonymity."),
        table: part.describe("For the released table."),
      })
      .refine(({ importance, count, tests, table }) => importance + count + tests + table <= 1 + 1e-9, {
        message: line("dp-ka.parts", {}),
      })
      .default({ importance: 0.4, count: 0.02, tests: 0.28, table: 0.3 })
      .describe(
        "How what the evaluation leaves of ρ is divided; together at most 1. All tests share theirs equally, whether or not they are made.",
      ),
  })
  .prefault({});

/** The keys that `analysis: k-anonymous-selection` adds to a study with `method: dp-ka`. */
export const dpKaSection = {
  analysis: z.literal("k-anonymous-selection"),
  method: z
    .literal("dp-ka")
    .describe("The features that can be released in groups of at least k rows, and their table."),
  variant: z.literal("sound", {
    error: line("fault.sound", {
      methods: [nameOf("dp-ka")],
      paper: ["xgb-ka", "greedy-hamdist"].map(nameOf),
    }),
  }),
  label: labelSchema,
  parameters,
};

export type DpKaStudy = StudyWith<typeof dpKaSection>;

/** @throws RangeError when the study is another one: its caller chose the wrong method */
export function asDpKa(study: Study): DpKaStudy {
  if (study.method === "dp-ka") return study as DpKaStudy;
  throw new RangeError(`${study.analysis}, method ${study.method}, is not dp-ka`);
}

export const dpKaStageIds = { count: "count" as StageId, test: testStageId, table: "table" as StageId };

const dpKaProof = "docs/METHODS.md#dp-ka-proof";

/** Everything of a study of dp-ka that is public and fixed before it runs. */
export interface DpKaLayout {
  readonly features: readonly BinnedFeature[];
  readonly ordering: Ordering;
  /** Null where one histogram orders the features. */
  readonly boosting: {
    readonly settings: SecondOrderSettings;
    readonly stages: readonly SecondOrderStage[];
  } | null;
  /** Null where boosting orders the features. */
  readonly histogram: HistogramStage | null;
  readonly count: SoundStage;
  /** One for each feature. */
  readonly tests: readonly SoundStage[];
  /** [cells × L], as many cells as a test has. */
  readonly table: SoundStage;
  /** Of the boosted trees or the histogram's model, the last stage; null where the study asks for none. */
  readonly evaluation: SoundStage | null;
}

const layouts = new WeakMap<DpKaStudy, DpKaLayout>();

export function dpKaLayout(study: DpKaStudy): DpKaLayout {
  const known = layouts.get(study);
  if (known !== undefined) return known;
  const features = binnedFeatures(study.features, study.parameters.bins);
  const cells = cellsAtMost(study);
  const { evaluation } = study.parameters;
  const form = evaluationForm(study.label.levels.length);
  const share = shareOf(study, "importance");
  const ordering = orderingOf(study, features, share);
  const isBoosted = ordering.by === "boosting";
  const model = isBoosted ? wholeTreeBroadcasts(study.parameters) : naiveBayesBroadcasts(study, features);
  const layout = {
    features,
    ordering,
    boosting: isBoosted ? boostingOf(study, features, ordering) : null,
    histogram: isBoosted ? null : histogramStage(study, features, share, ordering.reason),
    evaluation: evaluationStage(evaluation, form, model),
    count: countStage(study),
    tests: features.map((_, test) => testStage(study, test, cells)),
    table: tableStage(study, cells),
  };
  layouts.set(study, layout);
  return layout;
}

function boostingOf(
  study: DpKaStudy,
  features: readonly BinnedFeature[],
  { reason }: Ordering,
): DpKaLayout["boosting"] {
  const { trees, depth, eta, lambda, gamma, minChildWeight, baseScore } = study.parameters;
  const settings = secondOrderSettings({
    features,
    positive: 1,
    trees,
    depth,
    eta,
    lambda,
    gamma,
    minChildWeight,
    baseScore,
    // Without noise the published method's own steps.
    sums: study.privacy === "none" ? "exact" : "noisy",
    records: sitesAtMost(study) * study.participation.maxRowsPerSite,
  });
  const [first, ...rest] = secondOrderStages(settings, shareOf(study, "importance"));
  return { settings, stages: [{ ...first!, what: because(first!.what, reason) }, ...rest] };
}

/** Of the study's ρ. */
function shareOf(study: DpKaStudy, part: keyof DpKaStudy["parameters"]["budget"]): number {
  return trainingShare(study.parameters.evaluation) * study.parameters.budget[part];
}

function countStage(study: DpKaStudy): SoundStage {
  return soundStage({
    id: dpKaStageIds.count,
    broadcasts: [],
    share: shareOf(study, "count"),
    query: countQuery(1),
    integersPerUnit: 1,
    what: said("dp-ka.rows", {}),
  });
}

/** Entries of a joint histogram: as many cells as there can be. */
function cellsAtMost(study: DpKaStudy): number {
  const { bins, maxCells } = study.parameters;
  const features = binnedFeatures(study.features, bins);
  return Math.min(
    maxCells,
    features.reduce((cells, feature) => cells * feature.bins, 1),
  );
}

function testStage(study: DpKaStudy, test: number, cells: number): SoundStage {
  return soundStage({
    id: testStageId(test),
    broadcasts: featureSet(candidateName, study),
    share: shareOf(study, "tests") / study.features.length,
    query: countQuery(cells),
    integersPerUnit: 1,
    mayBeSkipped: true,
    what: said("dp-ka.test", { max: cells }),
  });
}

function tableStage(study: DpKaStudy, cells: number): SoundStage {
  return soundStage({
    id: dpKaStageIds.table,
    broadcasts: featureSet(selectedName, study),
    share: shareOf(study, "table"),
    query: countQuery(cells * study.label.levels.length),
    integersPerUnit: 1,
    mayBeSkipped: true,
    what: said("dp-ka.table", { max: cells, label: nameOf(study.label.name) }),
  });
}

export function dpKaStages(study: DpKaStudy): SoundStage[] {
  const { boosting, histogram, count, tests, table, evaluation } = dpKaLayout(study);
  const first: readonly SoundStage[] = boosting?.stages ?? [histogram!];
  const stages = [...first, count, ...tests, table];
  return evaluation === null ? stages : [...stages, evaluation];
}

/** Π bins: the joint cells of these features. */
export function jointCells(features: readonly BinnedFeature[], chosen: readonly number[]): number {
  return chosen.reduce((cells, feature) => cells * features[feature]!.bins, 1);
}

/**
 * What a noisy count must reach for its cell to count as one of K rows: K + √(2·ln(M·m/β))·σ. Of any M cells in each of m
 * tests, but for a probability of β all have K rows then: noise is sub-Gaussian with variance σ² at most, and m·M cells
 * are looked at.
 * @param sites - on the roster: the most shares of noise that a sum can have
 */
export function testThreshold(study: DpKaStudy, cells: number, sites: number): number {
  const { k, beta } = study.parameters;
  const [stage] = dpKaLayout(study).tests;
  const looks = cells * study.features.length;
  return k + Math.sqrt(2 * Math.log(looks / beta)) * noiseStdDev(study, stage!, sites);
}

/** The same of a released cell, whose count is a sum over L classes: K + √(2·ln(M/β))·σ·√L. */
export function tableThreshold(study: DpKaStudy, cells: number, sites: number): number {
  const { k, beta } = study.parameters;
  const spread = noiseStdDev(study, dpKaLayout(study).table, sites) * Math.sqrt(study.label.levels.length);
  return k + Math.sqrt(2 * Math.log(cells / beta)) * spread;
}

/** Faults that only the whole study shows, as [path, message]. */
export function dpKaIssues(study: DpKaStudy): MethodIssue[] {
  const { boosting, histogram, features } = dpKaLayout(study);
  const { maxCells } = study.parameters;
  const stages = dpKaStages(study).length;
  const issues = [
    ...soundIssues(study),
    ...selectionIssues(study, stages),
    ...(boosting === null ? [] : secondOrderIssues(boosting.settings)),
    ...(histogram === null ? [] : histogramIssues(histogram)),
  ];
  if (boosting !== null && study.label.levels.length !== 2) {
    const params = { classes: study.label.levels.length };
    issues.push([["label", "levels"], said("dp-ka.two-classes", params)]);
  }
  const fewest = Math.min(...features.map(({ bins }) => bins));
  if (fewest > maxCells) {
    issues.push([["parameters", "maxCells"], said("dp-ka.max-cells", { max: maxCells, fewest })]);
  }
  if (issues.length > 0) return issues;
  if (!fitsRing(study, dpKaStages(study))) return [ringIssue];
  return thresholdIssues(study, fewest);
}

/** A budget at which no test can be passed buys nothing. */
function thresholdIssues(study: DpKaStudy, cells: number): MethodIssue[] {
  const rows = sitesAtMost(study) * study.participation.maxRowsPerSite;
  const needed = testThreshold(asExpected(study), cells, sitesAtLeast(study));
  if (needed <= rows) return [];
  const params = { needed: Math.ceil(needed), units: unitsOf(study), rows };
  return [[["privacy", "epsilon"], said("dp-ka.threshold", params)]];
}

export function planDpKa(study: DpKaStudy): Plan {
  return planSoundSums(study, () => ({
    stages: dpKaStages(study),
    proof: dpKaProof,
    warnings: warningsOf(study),
  }));
}

function warningsOf(study: DpKaStudy): string[] {
  if (study.privacy === "none") return [];
  const { features } = dpKaLayout(study);
  const sites = sitesAtLeast(study);
  const { evaluation, maxCells } = study.parameters;
  const rows = trainingRows(evaluation, rowsExpected(study));
  const warnings: string[] = [];
  const large = features.filter(({ bins }) => bins > maxCells).map(({ name }) => name);
  if (large.length > 0) {
    const { shown, more } = firstNames(large);
    warnings.push(line("dp-ka.large-features", { max: maxCells, features: shown.map(nameOf), more }));
  }
  const cells = Math.min(...features.map(({ bins }) => bins));
  const threshold = testThreshold(asExpected(study), cells * cells, sites);
  if (threshold * cells * cells > rows)
    warnings.push(
      line("dp-ka.few-rows", {
        expected: expectedSaid(study),
        needed: Math.ceil(threshold),
        units: unitsOf(study),
      }),
    );
  warnings.push(...orderWarnings(study, rows));
  return [...warnings, ...evaluationWarnings(study, dpKaLayout(study).evaluation, evaluation)];
}

/** Where the order of the features would be chance. @param rows - that train */
function orderWarnings(study: DpKaStudy, rows: number): string[] {
  const { features, boosting, histogram } = dpKaLayout(study);
  const sites = sitesAtLeast(study);
  const warning = (code: "dp-ka.order-noise" | "dp-ka.order-declared", needed: number) =>
    line(code, { expected: expectedSaid(study), needed: Math.ceil(needed), units: unitsOf(study) });
  if (histogram !== null) {
    // A feature whose halves differ by half of the rows in the label moves n/8 of them, two standard deviations of a half's
    // noise where σ·√B = n/8.
    const needed = 8 * noiseStdDev(asExpected(study), histogram, sites) * Math.sqrt(medianBins(features));
    if (needed <= rows) return [];
    return [warning("dp-ka.order-noise", needed)];
  }
  // A side of a split needs a hessian of 4 standard deviations of its bins' noise, and a row adds ¼ at most. The feature of
  // the fewest bins has half of them on a side.
  const [first] = boosting!.stages;
  const sideBins = Math.max(1, Math.floor(Math.min(...features.map(({ bins }) => bins)) / 2));
  const entryStdDev = noiseStdDev(asExpected(study), first!, sites) / first!.integersPerUnit;
  const spread = 4 * entryStdDev * Math.sqrt(sideBins);
  if (8 * spread <= rows) return [];
  return [warning("dp-ka.order-declared", 4 * spread)];
}
