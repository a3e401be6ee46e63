import { z95 } from "@consilium/core/linalg/z95";
import type { Curve } from "@consilium/core/release/curves";
import type { Figure } from "@consilium/core/release/figures";
import type { Finding } from "@consilium/core/release/finding";
import type { ModelCard } from "@consilium/core/release/modelCard";
import { soundSum } from "@consilium/core/study/soundSums";
import { evaluationFigures, modelCard } from "../shared/evaluation/evaluationCard.js";
import { modelFinding } from "../shared/evaluation/finding.js";
import { missingClasses } from "../shared/evaluation/missingClasses.js";
import type { AdditiveResult } from "./conversation.js";
import { classRows, importancesOf, releasedCurves } from "./model.js";
import { type AdditiveStudy, additiveLayout, additiveStages, learningRate } from "./study.js";

/** What a release of additive boosting says beside its model: facts, notes, pictures and a card. */

/** A release has at most 32 figures: curves of so many features, the importances, and the evaluation's. */
const curvesMost = 28;
const barsMost = 500;
/** A line's points: two for each bin. */
const pointsMost = 2000;

export function additiveFacts(
  study: AdditiveStudy,
  result: AdditiveResult,
): Record<string, string | number | boolean | null> {
  const { epochs, lambda } = study.parameters;
  const [first] = additiveStages(study);
  return {
    masking: `pairwise, in the ring of integers modulo 2^${soundSum(study, first!).ringBits}`,
    epochs,
    learningRate: learningRate(study),
    lambda,
    noise: study.privacy === "none" ? "none" : "discrete Gaussian, a share from every site",
    firstNoiseStdDev: result.noiseStdDevs[0]!,
    laterNoiseStdDev: result.noiseStdDevs.at(-1)!,
    bins: additiveLayout(study).offsets.at(-1)!,
  };
}

export function additiveNotes(study: AdditiveStudy, result: AdditiveResult): string[] {
  const [, second] = study.label!.levels;
  return [
    `The model is one curve for each feature. A row's number F is the intercept, ${result.curves.intercept.toFixed(3)}, plus what each feature's curve says of the row's value; it is predicted ${study.label!.name} = ${second} where F is positive. F is the log-odds of that by the method's loss${result.evaluation === null ? "." : ", which held-out rows then calibrated."}`,
    `A curve's number is a difference in log-odds from the feature's mean over the rows, all other features being equal: +0.69 doubles the odds of ${study.label!.name} = ${second}, -0.69 halves them. curves.csv has every number. It says what goes together in the records, not what causes what; of features that go together the curves share what they say.`,
    study.privacy === "none"
      ? "No noise was added anywhere."
      : "The band around a curve is 1.96 standard deviations of the noise that protects the records, to first order; that other records would give other curves comes on top. Where few rows lie, curves are drawn towards 0, so a flat piece with a wide band says that nothing is known there, not that nothing is the matter.",
    ...additiveWarnings(study, result),
  ].map((note) => note.slice(0, 2000));
}

/** What only the released sums tell: a class that is not there, curves that noise explains. */
function additiveWarnings(study: AdditiveStudy, result: AdditiveResult): string[] {
  const warnings = missingClasses(study.label!, classRows(study, result));
  if (isNoise(study, result)) warnings.push(`Noise explains every curve: ${noiseReason}`);
  return warnings;
}

const noiseReason = "no feature's curve is further from 0 than noise alone would make it.";

/** Of many curves one may differ from 0 by two standard deviations of its noise without a reason; by three hardly. */
const noiseDeviations = 3;

/** Whether noise explains how far every curve is from 0. */
function isNoise(study: AdditiveStudy, result: AdditiveResult): boolean {
  return importancesOf(study, result).every(
    ({ meanLogOdds, noiseStdDev, byNoise }) => meanLogOdds <= byNoise + noiseDeviations * noiseStdDev,
  );
}

export function additiveFigures(study: AdditiveStudy, result: AdditiveResult): Figure[] {
  const importances = importancesOf(study, result);
  const bars = importances.slice(0, barsMost).map(({ feature, meanLogOdds, noiseStdDev }) => ({
    label: feature,
    value: meanLogOdds,
    low: noiseStdDev === 0 ? null : Math.max(0, meanLogOdds - z95 * noiseStdDev),
    high: noiseStdDev === 0 ? null : meanLogOdds + z95 * noiseStdDev,
  }));
  const curves = new Map(releasedCurves(study, result).map((curve) => [curve.feature, curve]));
  return [
    {
      kind: "bars",
      name: "importance",
      title: `How much each feature tells of ${study.label!.name}`.slice(0, 300),
      valueLabel: "how far its curve is from 0: mean over the rows, in log-odds; 95 % of the noise",
      bars,
    },
    ...importances.slice(0, curvesMost).map(({ feature }, i) => curveFigure(study, curves.get(feature)!, i)),
    ...evaluationFigures(study.label!, result.evaluation),
  ];
}

const valueLabel = "added log-odds, against the mean row";

/** One feature's curve with its noise band. @param rank - by importance, from 0 */
function curveFigure(study: AdditiveStudy, { feature, bins }: Curve, rank: number): Figure {
  const declared = study.features.find(({ name }) => name === feature)!;
  const { name, levels } = study.label!;
  const outcome = `${name} = ${levels[1]!}`;
  const about = {
    name: `curve-${rank + 1}`,
    title: `What ${feature} adds to the log-odds of ${outcome}`.slice(0, 300),
    exponential: { label: "odds ratio" },
  };
  const around = ({ logOdds, stdDev }: Curve["bins"][number]) => ({
    low: stdDev === 0 ? null : logOdds - z95 * stdDev,
    high: stdDev === 0 ? null : logOdds + z95 * stdDev,
  });
  if (declared.type === "categorical") {
    const bars = bins.slice(0, barsMost).map((bin) => ({
      label: "level" in bin ? bin.level : "",
      value: bin.logOdds,
      ...around(bin),
    }));
    return { kind: "bars", ...about, valueLabel, bars };
  }
  const points = bins.slice(0, pointsMost / 2).flatMap((bin) => {
    const ends = "from" in bin ? [bin.from, bin.to] : [];
    return ends.map((x) => ({ x, y: bin.logOdds, ...around(bin) }));
  });
  const unit = declared.unit === undefined ? "" : ` (${declared.unit})`;
  const [first, last] = [points[0]!.x, points.at(-1)!.x];
  return {
    kind: "curves",
    ...about,
    xLabel: `${feature}${unit}`.slice(0, 300),
    yLabel: valueLabel,
    series: [
      {
        label: study.privacy === "none" ? "curve, without noise" : "curve, with 95 % of the noise",
        style: "band",
        points,
      },
      {
        label: "the mean row",
        style: "reference",
        points: [first, last].map((x) => ({ x, y: 0, low: null, high: null })),
      },
    ],
  };
}

/** How well it predicts; where that was not measured, the column whose curve is furthest from 0. */
export function additiveFinding(study: AdditiveStudy, result: AdditiveResult): Finding {
  const strongest = isNoise(study, result) ? null : importancesOf(study, result)[0]!.feature;
  return modelFinding(study.label!, result.evaluation, strongest);
}

/** @param sites - whose rows are in the last sum */
export function additiveCard(study: AdditiveStudy, result: AdditiveResult, sites: number): ModelCard {
  const { evaluation } = study.parameters;
  return modelCard({
    study,
    label: study.label!,
    sites,
    evaluation,
    result: result.evaluation,
    limits: additiveWarnings(study, result),
  });
}
