import type { Figure } from "@consilium/core/release/figures";
import type { ModelCard } from "@consilium/core/release/modelCard";
import type { ResultTable } from "@consilium/core/release/tables";
import { weighsPatients } from "@consilium/core/study/patientWeights";
import { soundSum } from "@consilium/core/study/soundSums";
import { cautionOf } from "../shared/evaluation/caution.js";
import { evaluationFigures, modelCard } from "../shared/evaluation/evaluationCard.js";
import { missingClasses } from "../shared/evaluation/missingClasses.js";
import { z95 } from "../shared/evaluation/normal.js";
import type { RegressionResult } from "./conversation.js";
import type { Estimate } from "./estimates.js";
import { fitOf, hazardsOf } from "./model.js";
import { type RegressionStudy, regressionLayout } from "./study.js";

/** What a release of a regression says beside its model: facts, notes, a table, pictures and a card. */

const barsMost = 500;

/** What coefficients of a family are of, and e to their power; null where they are differences in a mean. */
interface RatioWords {
  /** What a coefficient adds to. */
  readonly logarithm: string;
  /** The short form. */
  readonly unit: string;
  readonly ratio: string;
  readonly column: string;
}

function ratioWords({ parameters, label }: RegressionStudy): RatioWords | null {
  const { family, outcome, event } = parameters;
  switch (family) {
    case "linear":
      return null;
    case "logistic":
      return {
        logarithm: `the log-odds of ${label!.name} = ${label!.levels[1]!} against ${label!.levels[0]!}`,
        unit: "log-odds",
        ratio: "odds ratio",
        column: "odds_ratio",
      };
    case "poisson":
      return {
        logarithm: `the logarithm of the rate of ${outcome!}`,
        unit: "log rate",
        ratio: "rate ratio",
        column: "rate_ratio",
      };
    case "cox":
      return {
        logarithm: `the logarithm of the hazard of ${label!.name} = ${event!}`,
        unit: "log hazard",
        ratio: "hazard ratio",
        column: "hazard_ratio",
      };
  }
}

/** What is explained, in a title. */
function explainedOf({ parameters, label }: RegressionStudy): string {
  if (label === undefined) return parameters.outcome!;
  return `${label.name} = ${parameters.family === "cox" ? parameters.event! : label.levels[1]!}`;
}

export function regressionFacts(
  study: RegressionStudy,
  result: RegressionResult,
): Record<string, string | number | boolean | null> {
  const { gram, gradients, columns } = regressionLayout(study);
  return {
    masking: `pairwise, in the ring of integers modulo 2^${soundSum(study, gram).ringBits}`,
    family: study.parameters.family,
    coefficients: columns,
    steps: gradients.length,
    noise: study.privacy === "none" ? "none" : "discrete Gaussian, a share from every site",
    gramNoiseStdDev: result.noiseStdDevs[gram.id]!,
    gradientNoiseStdDev: result.noiseStdDevs[gradients.at(-1)?.id ?? ""] ?? null,
    hiddenDirections: result.hidden,
  };
}

export function regressionNotes(
  study: RegressionStudy,
  result: RegressionResult,
  estimates: readonly Estimate[],
): string[] {
  const words = ratioWords(study);
  const fit = fitOf(study, result);
  const noisy = study.privacy !== "none";
  return [
    words === null
      ? `A coefficient is by how much the mean of ${explainedOf(study)} is higher for one unit more of a column, or for a level in place of the reference, all other columns being equal. The intercept is the mean at 0 of every number and the reference of every category. Standard deviation around the mean: ${short(fit!.residualStdDev)}; R² = ${fit!.rSquared.toFixed(3)} on the rows that it was made from${noisy ? ", with the noise" : ""}.`
      : `A coefficient is by how much ${words.logarithm} is higher for one unit more of a column, or for a level in place of the reference, all other columns being equal; e to its power is the ${words.ratio}. ${interceptText(study)}`,
    ...eventNotes(study, result),
    noisy
      ? "Intervals hold at 95 %, for rows drawn at random and for the noise that protects them. Where noise hides a coefficient it is drawn towards 0, as far as the other coefficients suggest, and its interval is as wide as they suggest."
      : "No noise was added anywhere. Intervals hold at 95 % for rows drawn at random.",
    "coefficients.csv has every coefficient. They say what goes together in the records, not what causes what. A number beyond its declared bounds counted as the bound.",
    ...(weighsPatients(study)
      ? [
          "Each row weighed 1 over the number of its patient's rows: intervals suppose that a patient's rows are alike, and are too wide where they are not.",
        ]
      : study.patient === undefined || study.patient.maxRows === 1
        ? []
        : [
            "Several rows of one patient count as several records. Intervals take rows as independent, and are too narrow where a patient's rows are alike.",
          ]),
    ...(result.evaluation === null
      ? []
      : [
          `The model that model.onnx holds is calibrated: log-odds are ${short(result.evaluation.scores!.probability.intercept)} + ${short(result.evaluation.scores!.probability.slope)} × those of its coefficients.`,
        ]),
    ...(noisy && words !== null
      ? [
          "model.onnx predicts with coefficients of its own (`predicting` in model.json), drawn further towards 0; intervals belong to those of coefficients.csv.",
        ]
      : []),
    ...regressionWarnings(study, result, estimates),
  ].map((note) => note.slice(0, 2000));
}

function interceptText(study: RegressionStudy): string {
  const { parameters } = study;
  const at = "at 0 of every number and the reference of every category";
  switch (parameters.family) {
    case "poisson":
      return `The intercept is the logarithm of the rate ${at}: of ${parameters.outcome!} ${parameters.exposure === undefined ? "a row" : `for one unit of ${parameters.exposure}`}.`;
    case "cox":
      return `The intercept is the logarithm of the mean hazard ${at}, in one unit of ${parameters.time!}; baseline.csv has the hazard there by interval.`;
    default:
      return `The intercept is the log-odds of ${explainedOf(study)} ${at}.`;
  }
}

/** What rests on the counts themselves. */
function eventNotes(study: RegressionStudy, { events }: RegressionResult): string[] {
  if (events === null) return [];
  const { parameters } = study;
  if (parameters.family === "cox")
    return [
      `About ${whole(events.total.count)} rows have the event. Within an interval of ${parameters.time!} the hazard is taken to be constant, and ratios to be the same at all times. A row is followed until its cumulative hazard under the model is 1. Where another status rules the event out for good (a competing risk), the hazard is that of rows in which neither has come.`,
    ];
  return [
    `${parameters.outcome!} adds up to about ${whole(events.total.count)}. Counts vary ${short(events.dispersion!)} times as much as Poisson's would, which intervals cover; a count beyond its declared max counted as the max, and so did a mean.`,
  ];
}

const whole = (value: number) => Math.max(0, Math.round(value)).toLocaleString("en-GB");

/** Where so little of what the outcome's frequency leaves open stays open, a column may tell it alone. */
const separatedPart = 0.25;
/** Names that a warning lists. */
const namesShown = 8;

/** What only the released sums tell. */
export function regressionWarnings(
  study: RegressionStudy,
  result: RegressionResult,
  estimates: readonly Estimate[],
): string[] {
  const { rows, classes, events, hidden } = result;
  const warnings: string[] = [];
  if (events !== null) warnings.push(...fewEvents(study, events));
  if (classes !== null && rows !== null) {
    const { positives, information } = classes;
    const negatives = {
      count: rows.count - positives.count,
      noiseStdDev: Math.hypot(rows.noiseStdDev, positives.noiseStdDev),
    };
    const missing = missingClasses(
      study.label!,
      [negatives, positives].map(({ count, noiseStdDev }, c) => ({
        level: study.label!.levels[c]!,
        rows: count,
        noiseStdDev,
      })),
    );
    warnings.push(...missing);
    const open = (positives.count * negatives.count) / rows.count;
    const spread = rows.noiseStdDev / 4;
    if (missing.length === 0 && open > 0 && information - spread < separatedPart * open)
      warnings.push(
        `The columns tell ${study.label!.name} nearly without exception. If one of them follows from the outcome (perfect separation), no finite coefficient fits, and the size of the largest ones depends on how many steps were taken: look for such a column before reading them.`,
      );
  }
  if (hidden > 0)
    warnings.push(
      study.privacy === "none"
        ? `In ${hidden} of ${estimates.length} directions the columns do not differ (singular Gram matrix): a column follows from others, or a level has no ${events === null ? "rows" : "events"}. Coefficients there are drawn towards 0.`
        : `In ${hidden} of ${estimates.length} directions noise hides what the columns have in common with the outcome, or the columns do not differ there (singular Gram matrix). Coefficients there are drawn towards 0.`,
    );
  const words = ratioWords(study);
  const wide = estimates.filter(({ isWide }) => isWide).map(({ name }) => name);
  if (wide.length > 0)
    warnings.push(
      `${wide.length} of ${estimates.length - 1} intervals are wider than is of use (${words === null ? "a quarter of the outcome's range" : `${words.ratio}s to a factor of 4`} over the column's whole range): ${wide.slice(0, namesShown).join(", ")}${wide.length > namesShown ? ", …" : ""}. More rows, more epsilon or fewer columns make them narrower.`,
    );
  return warnings;
}

export function regressionTables(
  study: RegressionStudy,
  result: RegressionResult,
  estimates: readonly Estimate[],
): ResultTable[] {
  const coefficients = coefficientsTable(study, estimates);
  const hazards = result.events === null ? null : hazardsOf(study, result.events.baseline, estimates);
  if (hazards === null) return [coefficients];
  const { time } = study.parameters;
  return [
    coefficients,
    {
      name: "baseline",
      title: `Hazard of ${explainedOf(study)} by ${time!}`.slice(0, 300),
      description: "At 0 of every number and the reference of every category, with the noise.",
      columns: [
        number("from", "Where the interval begins."),
        number("to", "Where it ends."),
        number("hazard", `Events in one unit of ${time!}.`),
      ],
      rows: hazards.map(({ from, to, hazard }) => [from, to, hazard]),
      isShown: false,
    },
  ];
}

const number = (name: string, description: string) => ({ name, type: "number" as const, description });
const text = (name: string, description: string) => ({ name, type: "text" as const, description });

function coefficientsTable(study: RegressionStudy, estimates: readonly Estimate[]): ResultTable {
  const words = ratioWords(study);
  return {
    name: "coefficients",
    title: `What goes with ${explainedOf(study)}`.slice(0, 300),
    description: `${words === null ? "Differences in the mean" : `${words.unit[0]!.toUpperCase()}${words.unit.slice(1)}${words.unit.endsWith("s") ? "" : "s"} and ${words.ratio}s`}, with intervals of 95 % that cover sampling and noise.`,
    columns: [
      text("term", "The column, or column=level; (intercept)."),
      text("feature", "The study's column; empty of the intercept."),
      text("level", "Of a category, the level; empty of a number."),
      text("reference", "The level that it is compared with."),
      number("coefficient", `In ${words === null ? "the outcome's unit" : words.unit}, of one unit more.`),
      number("std_error", "Standard error, from sampling and noise."),
      number("ci_low", "Where the interval of 95 % begins."),
      number("ci_high", "Where it ends."),
      ...(words === null
        ? []
        : [
            number(words.column, "e to the coefficient; empty of the intercept."),
            number(`${words.column}_low`, "Where its interval of 95 % begins."),
            number(`${words.column}_high`, "Where it ends."),
          ]),
      text(
        "interval",
        "`of use`, or `wide`: too wide over the column's whole range; empty of the intercept.",
      ),
    ],
    rows: estimates.map((one) => [
      one.name,
      one.feature,
      one.level,
      one.reference,
      one.coefficient,
      one.stdError,
      one.low,
      one.high,
      ...(words === null ? [] : [one.ratio?.value ?? null, one.ratio?.low ?? null, one.ratio?.high ?? null]),
      one.feature === null ? null : one.isWide ? "wide" : "of use",
    ]),
    isShown: true,
  };
}

/** A forest plot: each coefficient over its column's whole range, so that columns of any unit compare. */
export function regressionFigures(study: RegressionStudy, result: RegressionResult): Figure[] {
  const { design, columns: d } = regressionLayout(study);
  const words = ratioWords(study);
  const bars = design.columns
    .slice(1)
    .map((column, i) => {
      const value = result.coefficients[i + 1]!;
      const halfWidth = z95 * Math.sqrt(Math.max(0, result.error[(i + 1) * (d + 1)]!));
      return {
        label: column.name.slice(0, 300),
        value,
        low: value - halfWidth,
        high: value + halfWidth,
      };
    })
    .slice(0, barsMost);
  const unit = words?.unit ?? `part of the range of ${explainedOf(study)}`;
  const forest: Figure = {
    kind: "bars",
    name: "coefficients",
    title: `What goes with ${explainedOf(study)}, with intervals of 95 %`.slice(0, 300),
    valueLabel: `${unit}, of a number's whole range or a level against the reference`.slice(0, 300),
    ...(words === null ? {} : { exponential: { label: words.ratio } }),
    bars,
  };
  const { label, parameters } = study;
  const isMeasured = label !== undefined && parameters.family === "logistic";
  return [forest, ...(isMeasured ? evaluationFigures(label, result.evaluation) : [])];
}

/** Where noise explains the whole result; null where it does not. */
export function regressionCaution(
  study: RegressionStudy,
  result: RegressionResult,
  estimates: readonly Estimate[],
): string | null {
  const open = estimates.slice(1).every(({ low, high }) => low <= 0 && high >= 0);
  const nothing = open && study.privacy !== "none" ? "the interval of every coefficient holds 0." : null;
  // What every column by itself does not show, all of them together may.
  const predicts = (result.evaluation?.scores?.auc.low ?? 0) > 0.5;
  if (nothing !== null && predicts)
    return "Noise explains each association by itself: the interval of every coefficient holds 0. Together the columns tell more than chance.";
  return cautionOf(nothing, result.evaluation);
}

/** @param sites - whose rows are in the last sum */
export function regressionCard(
  study: RegressionStudy,
  result: RegressionResult,
  estimates: readonly Estimate[],
  sites: number,
): ModelCard {
  const { evaluation, family } = study.parameters;
  const limits = regressionWarnings(study, result, estimates);
  if (study.label !== undefined && family === "logistic")
    return modelCard({ study, label: study.label, sites, evaluation, result: result.evaluation, limits });
  return {
    predicts: `${predictedText(study)} for rows like one, from ${regressionLayout(study).design.blocks.length} columns.`,
    trainedOn: `Rows of ${sites} sites as the study declares them. Bounds and levels were declared beforehand, not taken from the rows; a number beyond its bounds counted as the bound, and rows without a value where the study rejects that are not in it.`,
    evaluation: null,
    limits: [
      ...limits,
      "It was made on the records of these sites. Elsewhere, or later, it may do worse; measure it there before anybody relies on it.",
      "It finds what goes together in the records, not what causes what. It is no medical device, and no decision on a patient may rest on it alone.",
    ].slice(0, 20),
  };
}

function predictedText(study: RegressionStudy): string {
  const what = explainedOf(study);
  switch (study.parameters.family) {
    case "cox":
      return `How many times the hazard of ${what} is that of a row at the middle of every number and the reference of every category,`;
    case "poisson":
      return `The expected ${what}${study.parameters.exposure === undefined ? "" : ` in proportion to ${study.parameters.exposure}`}`;
    default:
      return `The mean of ${what}`;
  }
}

/** So few events tell next to nothing of any coefficient. */
const eventsLeast = 10;

function fewEvents(
  { parameters }: RegressionStudy,
  { total }: NonNullable<RegressionResult["events"]>,
): string[] {
  if (total.count > Math.max(eventsLeast, 3 * total.noiseStdDev)) return [];
  const what = parameters.family === "cox" ? "events" : parameters.outcome!;
  return [
    `The sums show about ${whole(total.count)} ${what} over all sites, which hardly stand out of the noise or of chance: coefficients say next to nothing.`,
  ];
}

const short = (value: number) => String(Number(value.toPrecision(4)));
