import type { Figure } from "@consilium/core/release/figures";
import type { Measure, ModelCard } from "@consilium/core/release/modelCard";
import type { Evaluation } from "@consilium/core/study/evaluation";
import type { Label } from "@consilium/core/study/features";
import { weighsPatients } from "@consilium/core/study/patientWeights";
import type { Study } from "@consilium/core/study/study";
import { isWorthwhile } from "./calibration.js";
import { type Estimate, isImprecise } from "./estimate.js";
import { decisiveOf, type EvaluationResult } from "./evaluationResult.js";

/** A model card and figures from an evaluation: the same words for every method that predicts. */

/** A card lists so many classes' recalls; model.json has them all. */
const recallsMost = 12;
const barsMost = 500;
const nameMost = 100;

/**
 * @param options.sites - whose records are in the model
 * @param options.result - what was measured; null where the study asked for no evaluation, or it could not be computed
 * @param options.limits - what this method's models are known to fail at, besides what holds for all
 */
export function modelCard(options: {
  readonly study: Study;
  readonly label: Label;
  readonly sites: number;
  readonly evaluation: Evaluation;
  readonly result: EvaluationResult | null;
  readonly limits?: readonly string[];
}): ModelCard {
  const { study, label, sites, evaluation, result, limits = [] } = options;
  const held = evaluation === "none" ? "" : `, but for about ${percent(evaluation.heldOut)} of them held out`;
  return {
    predicts: `Which of ${label.levels.length} levels of ${label.name} a row has (${levelsShown(label)}), from ${countOf(study.features.length, "column")}.`,
    trainedOn: `Rows of ${sites} sites as the study declares them${held}.${weightsText(study)} Bounds, levels and edges were declared beforehand, not taken from the rows; a number beyond its bounds counted as the bound, and rows without a value where the study rejects that are not in it.`,
    evaluation: evaluation === "none" || result === null ? null : measured(study, label, evaluation, result),
    limits: [...limits, ...commonLimits(study, evaluation, result)].slice(0, 20),
  };
}

function measured(
  study: Study,
  label: Label,
  evaluation: Exclude<Evaluation, "none">,
  result: EvaluationResult,
): NonNullable<ModelCard["evaluation"]> {
  const noise =
    result.noiseStdDev > 0
      ? `with noise of standard deviation ${result.noiseStdDev.toPrecision(3)} in each count`
      : "without noise";
  const charged =
    study.privacy === "none" || result.noiseStdDev === 0
      ? ""
      : `, at ${percent(evaluation.share)} of the study's ρ`;
  return {
    method: `Measured once on the sites' ${weighsPatients(study) ? "held-out patients, which a public hash of all of a patient's rows picks, each of whom counts 1 over all of their rows" : "held-out rows, which a public hash of a row's own values picks"}: counts by ${result.scores === null ? "class predicted" : "range of score"} and class, added up over all sites ${noise}${charged}.${result.scores === null ? "" : scoresText(result.scores)} Intervals of 95 % cover noise and sampling, each by itself.`,
    rows: result.rows,
    ...measuresOf(label, result),
  };
}

/** What a reader is shown: where the area, or of several classes the balanced accuracy, is too imprecise to interpret nothing else is. */
function measuresOf(
  label: Label,
  result: EvaluationResult,
): Pick<NonNullable<ModelCard["evaluation"]>, "majority" | "measures"> {
  const { accuracy, balancedAccuracy, majority, recall, scores } = result;
  const { name, estimate } = decisiveOf(result);
  const decisive = measure(name, estimate);
  if (decisive.value === null) return { majority: null, measures: [decisive] };
  return {
    majority: isImprecise(majority) ? null : majority.value,
    measures: [
      measure("accuracy", accuracy),
      measure("balanced accuracy", balancedAccuracy),
      ...(scores === null
        ? []
        : [
            decisive,
            measure("log-loss, one probability for each range of the score", scores.logLoss, Math.LN2),
          ]),
      ...recall
        .slice(0, recallsMost)
        .map((one, c) => measure(`recall for ${shortened(label.levels[c]!, nameMost - 11)}`, one)),
    ],
  };
}

/** How two classes' counts were used. */
function scoresText({ calibration, probability }: NonNullable<EvaluationResult["scores"]>): string {
  const { intercept, slope, levelStdDev, slopeStdDev } = probability;
  const rounded = (x: number) => Number(x.toPrecision(3));
  const cut = ` The score was cut into ${calibration.length} ranges by the model's own leaves; the area counts a pair within one range half, and its interval holds the area of the score itself.`;
  if (!isWorthwhile(probability))
    return `${cut} The probabilities are not calibrated: by the same counts that would add more error than it removes.`;
  return (
    cut +
    ` The same counts calibrated the probabilities: the log-odds that the method's loss implies, times ${rounded(slope)} (± ${rounded(slopeStdDev)}), plus ${rounded(intercept)}; the level is known to ± ${rounded(levelStdDev)}.`
  );
}

/** What counts, where it is not the row. */
function weightsText(study: Study): string {
  return weighsPatients(study)
    ? " Each row weighed 1 over the number of its patient's rows that were used, so that numbers of rows are numbers of patients."
    : "";
}

/** @param range - of the measure, from 0 */
const measure = (name: string, estimate: Estimate, range = 1): Measure => {
  const { value, low, high } = estimate;
  return { name, value: isImprecise(estimate, range) ? null : value, low, high };
};

function commonLimits(study: Study, evaluation: Evaluation, result: EvaluationResult | null): string[] {
  const limits = [
    "It was made and measured on the records of these sites. Elsewhere, or later, it may do worse; measure it there before anybody relies on it.",
    "It finds what goes together in the records, not what causes what. It is no medical device, and no decision on a patient may rest on it alone.",
  ];
  if (result === null)
    limits.push(
      evaluation === "none"
        ? "Nobody measured how well it predicts: the study asked for no evaluation."
        : "How well it predicts is not known: its evaluation could not be computed.",
    );
  if (study.patient !== undefined && !weighsPatients(study) && result !== null)
    limits.push(
      "Rows of one patient may lie on both sides of the split between training and evaluation: the figures may be too good.",
    );
  if (result !== null && isImprecise(decisiveOf(result).estimate))
    limits.push(
      "How well it predicts is too imprecise to interpret: there are too few held-out rows for the noise.",
    );
  else if (result !== null && result.accuracy.low <= result.majority.value)
    limits.push(
      "By these figures it may be no better than always answering the most frequent class: the interval of its accuracy reaches that part.",
    );
  return limits;
}

/**
 * Of two classes the calibration and ROC curves, of more the recalls; nothing where they are too imprecise to interpret.
 * @param label - the study's
 */
export function evaluationFigures(label: Label, result: EvaluationResult | null): Figure[] {
  if (result === null || isImprecise(decisiveOf(result).estimate)) return [];
  const second = shortened(label.levels[1]!, 80);
  if (result.scores === null) return [recallBars(label, result)];
  const { calibration, roc, auc } = result.scores;
  const hasBand = roc.some(({ low }) => low !== null);
  // A bin that noise alone may have filled shows nothing.
  const least = Math.max(1, 2 * Math.SQRT2 * result.noiseStdDev);
  const seen = calibration.filter(({ rows }) => rows >= least);
  const diagonal = {
    style: "reference" as const,
    points: [0, 1].map((x) => ({ x, y: x, low: null, high: null })),
  };
  const curves: Figure[] = [
    {
      kind: "curves",
      name: "roc",
      title: `ROC curve on held-out rows, area ${auc.value.toFixed(3)}`,
      xLabel: `part of the other rows called ${second}`,
      yLabel: `part of the rows of ${second} called so`,
      series: [
        {
          label: hasBand ? "model, with a band of 95 % around the whole curve" : "model",
          style: hasBand ? "band" : "line-points",
          points: roc.map(({ falsePositive, truePositive, low, high }) => ({
            x: falsePositive,
            y: truePositive,
            low,
            high,
          })),
        },
        { label: "by chance", ...diagonal },
      ],
    },
  ];
  if (seen.length === 0) return curves;
  return [
    {
      kind: "curves",
      name: "calibration",
      title: "Calibration on held-out rows, with intervals of 95 %",
      xLabel: `probability of ${second} that the model states`,
      yLabel: `part of the rows that is ${second}`,
      series: [
        {
          label: "held-out rows by range of score",
          style: "points",
          points: seen.map(({ stated, observed }) => ({
            x: stated,
            y: observed.value,
            low: observed.low,
            high: observed.high,
          })),
        },
        { label: "perfect", ...diagonal },
      ],
    },
    ...curves,
  ];
}

function recallBars(label: Label, result: EvaluationResult): Figure {
  return {
    kind: "bars",
    name: "recall",
    title: "Recall of each class on held-out rows, with intervals of 95 %",
    valueLabel: "part of the class's rows predicted so",
    bars: result.recall
      .slice(0, barsMost)
      .map(({ value, low, high }, c) => ({ label: label.levels[c]!, value, low, high })),
  };
}

function levelsShown({ levels }: Label): string {
  const shown = levels.slice(0, 6).map((level) => shortened(level, 40));
  return `${shown.join(", ")}${levels.length > shown.length ? ", …" : ""}`;
}

const percent = (part: number) => `${Number((part * 100).toPrecision(3))} %`;
const countOf = (n: number, what: string) => `${n} ${what}${n === 1 ? "" : "s"}`;
const shortened = (text: string, most: number) =>
  text.length <= most ? text : `${text.slice(0, most - 1)}…`;
