import type { StageId } from "@consilium/core/ids";
import type { MethodIssue } from "@consilium/core/method/method";
import {
  evaluationForm,
  evaluationParameter,
  evaluationStage,
  evaluationWarnings,
  trainingRows,
  trainingShare,
} from "@consilium/core/study/evaluation";
import { countedUnits } from "@consilium/core/study/patientWeights";
import type { BroadcastPlan, Plan } from "@consilium/core/study/plan";
import { soundStage } from "@consilium/core/study/soundStage";
import {
  asExpected,
  fitsRing,
  noiseStdDev,
  planSoundSums,
  rowsExpected,
  rowsExpectedText,
  rowsMost,
  type SoundStage,
  sitesAtLeast,
  soundIssues,
  stageRho,
} from "@consilium/core/study/soundSums";
import type { Study, StudyWith } from "@consilium/core/study/study";
import { z } from "zod";
import { type RegressionDesign, regressionDesign } from "./columns.js";

/**
 * Regression with a proof, `method: regression`: coefficients with intervals from a noisy Gram matrix and noisy gradients. What it
 * computes and why it is private: docs/methods/regression.md. This file fixes everything that is public before a run.
 */

export const regressionParameters = z.strictObject({
  family: z
    .enum(["logistic", "linear"])
    .default("logistic")
    .describe(
      "`logistic`: odds ratios of the label's second level against its first. `linear`: differences in the mean of `outcome`.",
    ),
  outcome: z
    .string()
    .min(1)
    .max(128)
    .optional()
    .describe("The numeric feature that a linear regression explains by all others."),
  steps: z
    .int("a whole number")
    .min(3, "at least 3")
    .max(20, "at most 20")
    .optional()
    .describe(
      "T: noisy gradients of a logistic regression, one after another. Left out: as many as bring what is left of the first error below sampling and noise at the rows that the study expects.",
    ),
  seed: z
    .string()
    .min(1)
    .max(100)
    .default("consilium")
    .describe("Public: what decides which rows are held out."),
  evaluation: evaluationParameter,
});

/** The keys that `analysis: regression` adds to a study. */
export const regressionSection = {
  analysis: z.literal("regression"),
  method: z.literal("regression"),
  variant: z.literal("sound", { error: "regression is `sound`; there is no variant of it as published" }),
  parameters: regressionParameters,
};

/** A study of regression. */
export type RegressionStudy = StudyWith<typeof regressionSection>;

/** @throws RangeError when the study is another one: its caller chose the wrong analysis */
export function asRegression(study: Study): RegressionStudy {
  if (study.method === "regression") return study as RegressionStudy;
  throw new RangeError(`${study.analysis}, method ${study.method}, is not regression`);
}

type Keys = Readonly<Record<string, unknown>>;

/** A study may leave its parameters out, and a linear regression holds no rows out: its Gram matrix measures the fit. */
export function withFamilyDefaults(raw: Keys): Keys {
  const parameters = (raw.parameters ?? {}) as Keys;
  const isLinear = parameters.family === "linear" && parameters.evaluation === undefined;
  return { ...raw, parameters: isLinear ? { ...parameters, evaluation: "none" } : parameters };
}

/** The name of the broadcast: [d] coefficients on the scale of the columns. */
export const coefficientsName = "coefficients";
/** Coefficients are broadcast as multiples of 2^-24, none further from 0 than this. */
export const coefficientExponent = 24;
export const coefficientMost = 1024;

export const regressionStages = {
  gram: "gram" as StageId,
  gradient: (step: number) => `gradient-${step}` as StageId,
  information: "information" as StageId,
};

/**
 * Parts of what training has of ρ: the Gram matrix, which only speeds up the steps, and the information at the end, which
 * intervals come from; the gradients have the rest. Derived in docs/methods/regression.md#shares.
 */
const matrixShare = 0.1;

/** Columns are cut to multiples of 2^-h: of so fine a grid, or of the finest that 64-bit numbers hold. */
const gridExponents = [16, 15, 14, 13, 12, 11, 10];
/** Each step factors matrices of this order some twenty times: of more columns that takes minutes. */
const columnsMost = 500;

export interface RegressionLayout {
  readonly design: RegressionDesign;
  /** d: columns, the intercept among them. */
  readonly columns: number;
  /** a = (x, y) of a linear regression, x/2 of a logistic one; aa' is summed. */
  readonly gram: SoundStage;
  /** Of a logistic regression: (y - p)x at the coefficients that are broadcast. */
  readonly gradients: readonly SoundStage[];
  /** Of a logistic regression: p(1-p)xx' at the last coefficients. */
  readonly information: SoundStage | null;
  readonly evaluation: SoundStage | null;
}

const layouts = new WeakMap<RegressionStudy, RegressionLayout>();

/** @throws RangeError where `regressionIssues` finds a fault */
export function regressionLayout(study: RegressionStudy): RegressionLayout {
  const known = layouts.get(study);
  if (known !== undefined) return known;
  const layout = fittingLayout(study);
  if (layout === null) throw new RangeError("no grid fits this study");
  layouts.set(study, layout);
  return layout;
}

function fittingLayout(study: RegressionStudy): RegressionLayout | null {
  for (const exponent of gridExponents) {
    const layout = layOut(study, exponent);
    if (fitsRing(study, stagesOf(layout))) return layout;
  }
  return null;
}

function layOut(study: RegressionStudy, gridExponent: number): RegressionLayout {
  const { parameters, features } = study;
  const { family, evaluation } = parameters;
  const outcome = family === "linear" ? outcomeOf(study) : null;
  const design = regressionDesign(features, outcome, gridExponent);
  const columns = design.columns.length;
  const limit = design.squaredNormLimit;
  if (family === "linear") {
    const gram = soundStage({
      id: regressionStages.gram,
      broadcasts: [],
      share: 1,
      query: { kind: "gram", parts: 1, order: columns + 1, limit: limit + 4 ** (gridExponent - 1) },
      integersPerUnit: 4 ** gridExponent,
      what: `the products of the ${columns} columns and the outcome ${parameters.outcome} with each other`,
    });
    return { design, columns, gram, gradients: [], information: null, evaluation: null };
  }
  const training = trainingShare(evaluation);
  const told: BroadcastPlan = { name: coefficientsName, length: columns };
  const steps = parameters.steps ?? derivedSteps(study, design);
  const matrix = (id: StageId, broadcasts: readonly BroadcastPlan[], what: string): SoundStage =>
    soundStage({
      id,
      broadcasts,
      share: training * matrixShare,
      // √w·x with w ≤ ¼.
      query: { kind: "gram", parts: 1, order: columns, limit: Math.floor(limit / 4) },
      integersPerUnit: 4 ** gridExponent,
      what,
    });
  return {
    design,
    columns,
    gram: matrix(
      regressionStages.gram,
      [],
      `a quarter of the products of the ${columns} columns with each other`,
    ),
    gradients: Array.from({ length: steps }, (_, i) =>
      soundStage({
        id: regressionStages.gradient(i + 1),
        broadcasts: i === 0 ? [] : [told],
        share: (training * (1 - 2 * matrixShare)) / steps,
        // At first every probability is ½, and y - p is ½ or -½.
        query: { kind: "vector", parts: 1, length: columns, limit: i === 0 ? Math.floor(limit / 4) : limit },
        integersPerUnit: 2 ** gridExponent,
        what: `first derivatives of the rows' log loss for each of the ${columns} coefficients`,
      }),
    ),
    information: matrix(
      regressionStages.information,
      [told],
      `second derivatives of the rows' log loss for each two of the ${columns} coefficients`,
    ),
    evaluation: evaluationStage(evaluation, evaluationForm(2), [told]),
  };
}

function outcomeOf({ features, parameters }: RegressionStudy): number {
  return features.findIndex(({ name, type }) => name === parameters.outcome && type === "numeric");
}

/** All stages of a study, in their order. */
export function stagesOf({ gram, gradients, information, evaluation }: RegressionLayout): SoundStage[] {
  return [gram, ...gradients, information, evaluation].filter((stage) => stage !== null);
}

/** A step of the fixed-Hessian method takes this part of an error where the label's second level has 10 % of the rows: 4·0.1·0.9. */
const contraction = 0.36;
const stepsLeast = 3;
const stepsMost = 20;

/**
 * T: the first half of the steps is to bring an error of 1 below what sampling and noise leave in the coefficient of a number
 * that is even over its bounds; the second half then averages the noise.
 */
function derivedSteps(study: RegressionStudy, design: RegressionDesign): number {
  const { parameters, participation } = study;
  const { evaluation } = parameters;
  const { expectedRows, sites, minimumSites, maxRowsPerSite } = participation;
  // By the text alone: a plan keeps its stages when the roster is fixed.
  const rows = trainingRows(
    evaluation,
    expectedRows ?? ((sites?.length ?? minimumSites) * maxRowsPerSite) / 2,
  );
  const rho = stageRho(study, trainingShare(evaluation) * (1 - 2 * matrixShare));
  const noise = rho === null ? 0 : design.squaredNormLimit / 4 ** design.gridExponent / (2 * rho);
  const information = rows / 4 / 12;
  const error = Math.sqrt(information + noise) / information;
  const steps = Math.ceil((2 * Math.log(error)) / Math.log(1 - contraction));
  return Math.min(stepsMost, Math.max(stepsLeast, steps));
}

/** Faults that only the whole study shows. */
export function regressionIssues(study: RegressionStudy): MethodIssue[] {
  const first = [...outcomeIssues(study), ...soundIssues(study)];
  if (first.length > 0) return first;
  const { parameters, features } = study;
  const outcome = parameters.family === "linear" ? outcomeOf(study) : null;
  const { columns } = regressionDesign(features, outcome, 0);
  if (columns.length > columnsMost)
    return [
      [
        ["features"],
        `${columns.length} coefficients are over the limit of ${columnsMost}; declare fewer features or levels`,
      ],
    ];
  const layout = fittingLayout(study);
  if (layout === null)
    return [
      [
        ["privacy", "epsilon"],
        "noise of this size does not fit 64-bit numbers; raise epsilon, or lower maxRowsPerSite or patient.maxRows",
      ],
    ];
  if (study.privacy === "none" || bearableColumns(study, rowsMost(study)) > 0) return [];
  return [
    [
      ["privacy", "epsilon"],
      `even with all ${rowsMost(study)} ${countedUnits(study)} that there may be, noise leaves none of ${layout.columns - 1} coefficients an interval of use; raise epsilon, declare fewer features, or invite more sites`,
    ],
  ];
}

function outcomeIssues({ parameters, features, label }: RegressionStudy): MethodIssue[] {
  const { family, outcome, evaluation, steps } = parameters;
  if (family === "logistic") {
    if (outcome !== undefined)
      return [
        [["parameters", "outcome"], "only with family: linear; a logistic regression explains the label"],
      ];
    if (label === undefined)
      return [[["label"], "missing: a logistic regression explains a label of two levels; declare it"]];
    if (label.levels.length > 2)
      return [
        [["label", "levels"], `${label.levels.length} levels; a logistic regression explains exactly two`],
      ];
    return [];
  }
  if (label !== undefined)
    return [[["label"], "only with family: logistic; a linear regression explains parameters.outcome"]];
  if (outcome === undefined)
    return [[["parameters", "outcome"], "missing: name the numeric feature that is to be explained"]];
  const declared = features.find(({ name }) => name === outcome);
  if (declared?.type !== "numeric")
    return [[["parameters", "outcome"], `"${outcome}" is not a numeric feature of the study`]];
  const issues: MethodIssue[] = [];
  if (features.length < 2) issues.push([["features"], "declare at least one feature beside the outcome"]);
  if (evaluation !== "none")
    issues.push([
      ["parameters", "evaluation"],
      "only with family: logistic; a linear regression's R² comes with its Gram matrix: write none",
    ]);
  if (steps !== undefined)
    issues.push([["parameters", "steps"], "only with family: logistic; a linear regression takes one sum"]);
  return issues;
}

/** An interval is of use where it tells an odds ratio over a column's whole range to a factor of 4, or the outcome to a quarter. */
export const usefulHalfWidth = { logistic: Math.log(4), linear: 0.25 } as const;

/**
 * Of the coefficients beside the intercept, how many may have an interval of use with so many rows: at best, for columns that are
 * independent and even, and rows whose outcome is open.
 */
function bearableColumns(study: RegressionStudy, rows: number): number {
  const { design, gram, gradients } = regressionLayout(study);
  const expected = asExpected(study);
  const { family, evaluation } = study.parameters;
  const sites = sitesAtLeast(study);
  const stdDevOf = (stage: SoundStage) => noiseStdDev(expected, stage, sites) / stage.integersPerUnit;
  const trained = trainingRows(evaluation, rows);
  // Of the outcome's products the noise off the diagonal; of the gradients that of the mean of all.
  const noise =
    family === "linear"
      ? stdDevOf(gram) / Math.SQRT2
      : stdDevOf(gradients.at(-1)!) / Math.sqrt(gradients.length);
  const rowVariance = family === "linear" ? 1 / 12 : 1;
  let bearable = 0;
  for (const { feature, width } of design.blocks) {
    const share = 1 / (width + 1);
    const spread = study.features[feature]!.type === "numeric" ? 1 / 12 : share * (1 - share);
    const information = trained * spread * (family === "linear" ? 1 : 1 / 4);
    const stdDev = Math.sqrt(information * rowVariance + noise ** 2) / information;
    if (1.96 * stdDev <= usefulHalfWidth[family]) bearable += width;
  }
  return bearable;
}

const regressionProof = "docs/METHODS.md#regression-proof";

export function planRegression(study: RegressionStudy): Plan {
  return planSoundSums(study, () => {
    const layout = regressionLayout(study);
    return { stages: stagesOf(layout), proof: regressionProof, warnings: warningsOf(study, layout) };
  });
}

function warningsOf(study: RegressionStudy, layout: RegressionLayout): string[] {
  if (study.privacy === "none") return [];
  const warnings: string[] = [];
  const all = layout.columns - 1;
  const bearable = bearableColumns(study, rowsExpected(study));
  if (bearable < all)
    warnings.push(
      `${rowsExpectedText(study)} at most ${bearable} of ${all} coefficients can have an interval of use: raise epsilon, declare fewer features or levels, or invite more sites`,
    );
  return [...warnings, ...evaluationWarnings(study, layout.evaluation, study.parameters.evaluation)];
}
