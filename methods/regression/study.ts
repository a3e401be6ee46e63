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
import { binnedFeatures } from "../shared/columns/binning.js";
import { type ColumnRoles, type RegressionDesign, regressionDesign } from "./columns.js";

/**
 * Regression with a proof, `method: regression`: coefficients with intervals from noisy Gram matrices and noisy gradients. What it
 * computes and why it is private: docs/methods/regression.md. This file fixes everything that is public before a run.
 */

const columnNamed = z.string().min(1).max(128).optional();
const intervalsMost = 100;
const intervalsByDefault = 10;

export const regressionParameters = z.strictObject({
  family: z
    .enum(["logistic", "linear", "poisson", "cox"])
    .default("logistic")
    .describe(
      "`logistic`: odds ratios of the label's second level against its first. `linear`: differences in the mean of `outcome`. `poisson`: rate ratios of the counts in `outcome`. `cox`: hazard ratios of the label's level `event`, at the times in `time`.",
    ),
  outcome: columnNamed.describe(
    "The numeric feature that a linear or a Poisson regression explains by all others. Counts begin at 0; a count beyond `max` counts as `max`.",
  ),
  exposure: columnNamed.describe(
    "Of a Poisson regression: the numeric feature that counts are in proportion to, such as years of follow-up. Left out: each row counts alike.",
  ),
  time: columnNamed.describe(
    "Of a Cox regression: the numeric feature with the time of follow-up, from 0 to the horizon `max`, where those still followed are censored.",
  ),
  event: columnNamed.describe(
    "Of a Cox regression: the level of the label that is the event. Rows of every other level are censored at their time.",
  ),
  intervals: z
    .int("a whole number")
    .min(1, "at least 1")
    .max(intervalsMost, `at most ${intervalsMost}`)
    .optional()
    .describe(
      `Of a Cox regression: intervals of equal width, ${intervalsByDefault} by default, within which the hazard is taken to be constant, where the time declares no edges.`,
    ),
  steps: z
    .int("a whole number")
    .min(3, "at least 3")
    .max(20, "at most 20")
    .optional()
    .describe(
      "T: noisy gradients, one after another, of any regression but a linear one. Left out: as many as bring what is left of the first error below sampling and noise at the rows that the study expects.",
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
  method: z
    .literal("regression")
    .describe("Odds, rate or hazard ratios, or differences in means, with intervals."),
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

/** A study may leave its parameters out, and only a logistic regression holds rows out. */
export function withFamilyDefaults(raw: Keys): Keys {
  const parameters = (raw.parameters ?? {}) as Keys;
  const isLogistic = parameters.family === undefined || parameters.family === "logistic";
  const holdsNoneOut = !isLogistic && parameters.evaluation === undefined;
  return { ...raw, parameters: holdsNoneOut ? { ...parameters, evaluation: "none" } : parameters };
}

/** In a new study negative counts, exposures and times are refused row by row. */
export function withNegativesRefused(raw: Keys): Keys {
  const { features } = raw;
  const { family, outcome, exposure, time } = (raw.parameters ?? {}) as Keys;
  if (!Array.isArray(features) || (family !== "poisson" && family !== "cox")) return raw;
  const named: unknown[] = family === "poisson" ? [outcome, exposure] : [time];
  const refusing = (feature: unknown) =>
    typeof feature === "object" && feature !== null && "name" in feature && named.includes(feature.name)
      ? { below: "reject-row", ...feature }
      : feature;
  return { ...raw, features: features.map(refusing) };
}

/** The name of the broadcast: [d] coefficients on the scale of the columns. */
export const coefficientsName = "coefficients";
/** The name of the broadcast of a Cox regression: [K] log hazards of the intervals beside the intercept. */
export const baselineName = "baseline";
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
  /** a = (x, y) of a linear regression, √w·x at no coefficients of others; aa' is summed. */
  readonly gram: SoundStage;
  /** T, none of a linear regression: r·x at the coefficients that are broadcast. */
  readonly gradients: readonly SoundStage[];
  /** w·xx' at the coefficients after `gradientsBefore` gradients; null of a linear regression. */
  readonly information: SoundStage | null;
  /** Where weights differ by more than a bound on them tells, the information replaces it in later steps; it is the last of a logistic regression. */
  readonly gradientsBefore: number;
  readonly evaluation: SoundStage | null;
  /** Of a Poisson regression: what is counted, in proportion to what; the most is the unit. */
  readonly count: FeatureMost | null;
  readonly exposure: FeatureMost | null;
  /** Of a Cox regression: the time, [K + 1] the ends of its intervals from 0 to the horizon, and the event's place among the label's levels. */
  readonly followUp: {
    readonly feature: number;
    readonly edges: readonly number[];
    readonly event: number;
  } | null;
  /** K; 0 of other families. */
  readonly intervals: number;
}

interface FeatureMost {
  /** Index into the study's features. */
  readonly feature: number;
  /** Its declared max. */
  readonly most: number;
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
  const roles = rolesOf(study);
  const design = regressionDesign(features, roles, gridExponent);
  const columns = design.columns.length;
  const limit = design.squaredNormLimit;
  const one = 4 ** gridExponent;
  const mostOf = (feature: number | null): FeatureMost | null => {
    const declared = feature === null ? undefined : features[feature];
    return declared?.type === "numeric" ? { feature: feature!, most: declared.max } : null;
  };
  const followUp = followUpOf(study, roles.time);
  const intervals = followUp === null ? 0 : followUp.edges.length - 1;
  const common = {
    design,
    columns,
    count: family === "poisson" ? mostOf(roles.outcome) : null,
    exposure: mostOf(roles.exposure),
    followUp,
    intervals,
  };
  if (family === "linear") {
    const gram = soundStage({
      id: regressionStages.gram,
      broadcasts: [],
      share: 1,
      query: { kind: "gram", parts: 1, order: columns + 1, limit: limit + 4 ** (gridExponent - 1) },
      integersPerUnit: one,
      what: `the products of the ${columns} columns and the outcome ${parameters.outcome} with each other`,
    });
    return { ...common, gram, gradients: [], information: null, gradientsBefore: 0, evaluation: null };
  }
  const training = trainingShare(evaluation);
  const told: BroadcastPlan[] = [
    { name: coefficientsName, length: columns },
    ...(intervals === 0 ? [] : [{ name: baselineName, length: intervals }]),
  ];
  const steps = parameters.steps ?? derivedSteps(study, design);
  const { bound, likelihood } = steppedFamilies[family];
  // p(1-p) is at most ¼, and at p = ½ the residual is ½ or -½; other weights and residuals reach 1.
  const weighted = Math.floor(limit * weightMost[family]);
  const matrix = (id: StageId, broadcasts: BroadcastPlan[], what: string) =>
    soundStage({
      id,
      broadcasts,
      share: training * matrixShare,
      query: { kind: "gram", parts: 1, order: columns, limit: weighted },
      integersPerUnit: one,
      what,
    });
  // Of Poisson half of a squared residual, of Cox the residuals by interval.
  const beside = {
    logistic: { length: 0, squaredNormLimit: 0, what: "" },
    poisson: {
      length: 1,
      squaredNormLimit: one / 4,
      what: ", and squares of what counts differ by from their means",
    },
    cox: { length: intervals, squaredNormLimit: one, what: ` and ${intervals} intervals` },
  }[family];
  return {
    ...common,
    gram: matrix(regressionStages.gram, [], `${bound} products of the ${columns} columns with each other`),
    gradients: Array.from({ length: steps }, (_, i) =>
      soundStage({
        id: regressionStages.gradient(i + 1),
        broadcasts: i === 0 ? [] : told,
        share: (training * (1 - 2 * matrixShare)) / steps,
        query: {
          kind: "vector",
          parts: 1,
          length: columns + beside.length,
          limit: i === 0 && family === "logistic" ? weighted : limit + beside.squaredNormLimit,
        },
        integersPerUnit: 2 ** gridExponent,
        what: `first derivatives of the rows' ${likelihood} for each of the ${columns} coefficients${beside.what}`,
      }),
    ),
    information: matrix(
      regressionStages.information,
      told,
      `second derivatives of the rows' ${likelihood} for each two of the ${columns} coefficients`,
    ),
    gradientsBefore: family === "logistic" ? steps : Math.floor(steps / 2),
    evaluation: evaluationStage(evaluation, evaluationForm(2), told),
  };
}

/** The most that the weight of a row's second derivatives can be. */
const weightMost = { logistic: 1 / 4, poisson: 1, cox: 1 } as const;

/** How a plan names what is summed. */
const steppedFamilies = {
  logistic: { bound: "a quarter of the", likelihood: "log loss" },
  poisson: { bound: "exposures times the", likelihood: "Poisson likelihood" },
  cox: { bound: "times of follow-up times the", likelihood: "likelihood" },
} as const;

/** Which features are no columns; null also where what the parameters name is not a numeric feature. */
function rolesOf({ features, parameters }: RegressionStudy): ColumnRoles {
  const { family, outcome, exposure, time } = parameters;
  const placeOf = (name: string | undefined) => {
    const at = features.findIndex((feature) => feature.name === name && feature.type === "numeric");
    return name === undefined || at < 0 ? null : at;
  };
  return {
    outcome: family === "linear" || family === "poisson" ? placeOf(outcome) : null,
    exposure: family === "poisson" ? placeOf(exposure) : null,
    time: family === "cox" ? placeOf(time) : null,
  };
}

function followUpOf({ features, label, parameters }: RegressionStudy, time: number | null) {
  const declared = time === null ? undefined : features[time]!;
  if (declared?.type !== "numeric" || label === undefined) return null;
  const [binned] = binnedFeatures([declared], parameters.intervals ?? intervalsByDefault);
  const edges = [0, ...binned!.edges, declared.max];
  return { feature: time!, edges, event: label.levels.indexOf(parameters.event ?? "") };
}

/** All stages of a study, in their order. */
export function stagesOf(layout: RegressionLayout): SoundStage[] {
  const { gram, gradients, information, gradientsBefore, evaluation } = layout;
  const [before, after] = [gradients.slice(0, gradientsBefore), gradients.slice(gradientsBefore)];
  return [gram, ...before, information, ...after, evaluation].filter((stage) => stage !== null);
}

/** A step of the fixed-Hessian method takes this part of an error where the label's second level has 10 % of the rows: 4·0.1·0.9. */
const contraction = 0.36;
const stepsLeast = 3;
const stepsMost = 20;

type SteppedFamily = keyof typeof steppedFamilies;
/** The mean weight where outcomes are open: p = ½, counts half of the most that is declared, and half of the patients with an event. */
const openWeight = { logistic: 1 / 4, poisson: 1 / 2, cox: 1 / 2 } as const;

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
  const information = (rows * openWeight[parameters.family as SteppedFamily]) / 12;
  const error = Math.sqrt(information + noise) / information;
  const steps = Math.ceil((2 * Math.log(error)) / Math.log(1 - contraction));
  return Math.min(stepsMost, Math.max(stepsLeast, steps));
}

/** Faults that only the whole study shows. */
export function regressionIssues(study: RegressionStudy): MethodIssue[] {
  const first = [...outcomeIssues(study), ...soundIssues(study)];
  if (first.length > 0) return first;
  const { columns } = regressionDesign(study.features, rolesOf(study), 0);
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

const numericOutcome = "a numeric feature of the study";

/** Parameters that a family uses beside those of all; a study may state no others. */
const ownParameters = {
  logistic: ["steps"],
  linear: ["outcome"],
  poisson: ["outcome", "exposure", "steps"],
  cox: ["time", "event", "intervals", "steps"],
} as const;
const someParameters = ["outcome", "exposure", "time", "event", "intervals", "steps"] as const;

function outcomeIssues(study: RegressionStudy): MethodIssue[] {
  const { parameters, features } = study;
  const { family, evaluation } = parameters;
  const own: readonly string[] = ownParameters[family];
  const issues: MethodIssue[] = someParameters
    .filter((name) => parameters[name] !== undefined && !own.includes(name))
    .map((name) => [
      ["parameters", name],
      `only with family: ${familiesWith(name)}; a ${familyNames[family]} regression has none`,
    ]);
  issues.push(...labelIssues(study));
  if (family !== "logistic" && evaluation !== "none")
    issues.push([
      ["parameters", "evaluation"],
      `only with family: logistic; a ${familyNames[family]} regression holds no rows out: write none`,
    ]);
  if (family === "linear" || family === "poisson")
    issues.push(...roleIssues(study, "outcome", "name the numeric feature that is to be explained"));
  if (family === "poisson" && parameters.exposure !== undefined)
    issues.push(...roleIssues(study, "exposure", numericOutcome));
  if (family === "cox") issues.push(...roleIssues(study, "time", "name the time of follow-up"));
  if (family === "cox" && (study.patient?.maxRows ?? 1) > 1)
    issues.push([["patient", "maxRows"], "1: a patient has one time of follow-up, so one row"]);
  const explained = new Set(Object.values(rolesOf(study)).filter((at) => at !== null));
  if (issues.length === 0 && features.length === explained.size)
    issues.push([["features"], "declare at least one feature beside the outcome"]);
  return issues;
}

const familyNames = { logistic: "logistic", linear: "linear", poisson: "Poisson", cox: "Cox" } as const;

const familiesWith = (name: string) =>
  Object.entries(ownParameters)
    .filter(([, names]) => (names as readonly string[]).includes(name))
    .map(([family]) => family)
    .join(" or ");

function labelIssues({ parameters, label }: RegressionStudy): MethodIssue[] {
  const { family, event } = parameters;
  if (family === "linear" || family === "poisson")
    return label === undefined
      ? []
      : [
          [
            ["label"],
            `only with family: logistic or cox; a ${familyNames[family]} regression explains parameters.outcome`,
          ],
        ];
  if (label === undefined)
    return [
      [
        ["label"],
        family === "cox"
          ? "missing: a Cox regression explains when the label's level `event` comes; declare it"
          : "missing: a logistic regression explains a label of two levels; declare it",
      ],
    ];
  if (family === "logistic")
    return label.levels.length === 2
      ? []
      : [[["label", "levels"], `${label.levels.length} levels; a logistic regression explains exactly two`]];
  return event !== undefined && label.levels.includes(event)
    ? []
    : [
        [
          ["parameters", "event"],
          `${event === undefined ? "missing" : `"${event}" is not a level of ${label.name}`}; take one of: ${label.levels.join(", ")}`,
        ],
      ];
}

/** What a feature that is part of the outcome must be: counts from 0, exposures above 0, times from 0, each without a value made up. */
function roleIssues(
  { parameters, features }: RegressionStudy,
  role: "outcome" | "exposure" | "time",
  asked: string,
): MethodIssue[] {
  const at = (fault: string): MethodIssue[] => [[["parameters", role], fault]];
  const name = parameters[role];
  if (name === undefined) return at(`missing: ${asked}`);
  const index = features.findIndex((feature) => feature.name === name);
  const feature = features[index];
  if (feature?.type !== "numeric") return at(`"${name}" is not ${numericOutcome}`);
  if (parameters.family === "linear") return [];
  const issues: MethodIssue[] = [];
  const fault = (key: string, what: string) => issues.push([["features", index, key], what]);
  if (role === "exposure") {
    if (parameters.outcome === name) return at(`"${name}" is what is counted`);
    if (!(feature.min > 0))
      fault("min", "above 0: a count is in proportion to its exposure, and a row without one tells nothing");
  } else if (feature.min !== 0)
    fault("min", role === "time" ? "0: follow-up begins there; max is the horizon" : "0: counts begin there");
  if (feature.below === undefined)
    fault("below", `reject-row: a value below ${feature.min} is an error in the record, and is not used`);
  if (feature.missing !== "reject-row")
    fault("missing", "reject-row: no constant stands for what was not recorded");
  if (role === "time" && (feature.edges?.length ?? 0) >= intervalsMost)
    fault("edges", `${feature.edges!.length} edges; at most ${intervalsMost - 1}`);
  if (role === "time" && feature.edges?.at(-1) === feature.max)
    fault("edges", "the last edge is the horizon, which ends the last interval anyway; remove it");
  return issues;
}

/** An interval is of use where it tells a ratio over a column's whole range to a factor of 4, or a linear outcome to a quarter. */
export const usefulHalfWidth = {
  logistic: Math.log(4),
  linear: 0.25,
  poisson: Math.log(4),
  cox: Math.log(4),
} as const;

/** The same for what a budget bears: means of an eighth of a most that hardly any count exceeds, an event for a quarter of the patients. */
const bornWeight = { logistic: 1 / 4, linear: 1, poisson: 1 / 8, cox: 1 / 4 } as const;

/** Of the coefficients beside the intercept, how many may have an interval of use with so many rows. */
function bearableColumns(study: RegressionStudy, rows: number): number {
  const most = usefulHalfWidth[study.parameters.family];
  return expectedHalfWidths(study, rows)
    .filter(({ halfWidth }) => halfWidth <= most)
    .reduce((sum, { width }) => sum + width, 0);
}

/** What a column's coefficients can be told within. */
interface ExpectedHalfWidth {
  /** The column's place in the study. */
  readonly feature: number;
  /** How many coefficients it has. */
  readonly width: number;
  /** Of the interval at 95 %, over the column's whole range: a logarithm of a ratio, or a part of a linear outcome's range. */
  readonly halfWidth: number;
}

/** With so many rows, at best: for columns that are independent and even, and rows whose outcome is open. */
export function expectedHalfWidths(study: RegressionStudy, rows: number): ExpectedHalfWidth[] {
  const { design, gram, gradients, count } = regressionLayout(study);
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
  // Of a residual, in parts of what a row tells: counts are in units of the most.
  const rowVariance = family === "linear" ? 1 / 12 : 1 / (count?.most ?? 1);
  const weight = bornWeight[family];
  return design.blocks.map(({ feature, width }) => {
    const share = 1 / (width + 1);
    const spread = study.features[feature]!.type === "numeric" ? 1 / 12 : share * (1 - share);
    const information = trained * spread * weight;
    const stdDev = Math.sqrt(information * rowVariance + noise ** 2) / information;
    return { feature, width, halfWidth: 1.96 * stdDev };
  });
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
