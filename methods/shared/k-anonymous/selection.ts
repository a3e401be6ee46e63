import type { TreeEnsemble } from "@consilium/core/learning/trees/tree";
import type { ReleaseColumn } from "@consilium/core/release/content";
import type { Figure } from "@consilium/core/release/figures";
import { type Finding, finding } from "@consilium/core/release/finding";
import type { ModelCard } from "@consilium/core/release/modelCard";
import type { TreePredictor } from "@consilium/core/release/predictor";
import { nameOf } from "@consilium/core/said";
import type { Evaluation } from "@consilium/core/study/evaluation";
import { countedUnits } from "@consilium/core/study/patientWeights";
import { planStudy } from "@consilium/core/study/plan";
import { namesText } from "@consilium/core/words";
import type { BinnedFeature } from "../columns/binning.js";
import { binnedFeatures } from "../columns/binning.js";
import type { LabelledStudy } from "../columns/labelled.js";
import { evaluationFigures, modelCard } from "../evaluation/evaluationCard.js";
import type { EvaluationResult } from "../evaluation/evaluationResult.js";
import { treePredictor } from "../release/treePredictor.js";
import { binLabels } from "./candidates.js";
import type { Importance } from "./importance.js";
import type { Pass } from "./pass.js";

/** What a reader gets of a selection, whatever the method: model, columns, figures, something to run. */

/** A study of one of these methods, as far as what they share goes. */
export type SelectionStudy = LabelledStudy & {
  readonly parameters: {
    readonly k: number;
    readonly bins: number;
    /** Of methods that boost. */
    readonly importance?: "average-gain" | "gain-per-tree";
    /** Of methods that measure how well their model predicts. */
    readonly evaluation?: Evaluation;
  };
};

/** A model that adds what each feature says by itself. */
interface AddedParts {
  readonly base: ArrayLike<number> & Iterable<number>;
  /** Per feature: of each level, what it adds to each output. */
  readonly added: readonly Float64Array[];
}

/** What every method comes to. */
export interface Selection {
  readonly ensemble: TreeEnsemble | null;
  /** What the ensemble is where one histogram ordered the features; null or left out elsewhere. */
  readonly naiveBayes?: AddedParts | null;
  /** Of the ensemble, on held-out rows; null or left out where there is none. */
  readonly evaluation?: EvaluationResult | null;
  readonly importance: readonly Importance[];
  readonly order: readonly number[];
  readonly pass: Pass<{ readonly accepted: boolean }>;
}

export function commonModel(study: SelectionStudy, result: Selection): Record<string, unknown> {
  const { claim } = planStudy(study);
  const { importance, order, pass, naiveBayes } = result;
  const binned = binnedOf(study);
  const accepted = new Set(pass.selected);
  return {
    format: "consilium-k-anonymous-selection/1",
    analysis: study.analysis,
    method: study.method,
    variant: study.variant,
    k: study.parameters.k,
    label: study.label,
    selected: pass.selected.map((f) => study.features[f]!.name),
    features: order.map((f) => ({
      name: study.features[f]!.name,
      importance: importance[f]!.value,
      importanceStdDev: importance[f]!.stdDev,
      ...(naiveBayes ? {} : { splits: importance[f]!.splits }),
      standsOut: importance[f]!.standsOut,
      selected: accepted.has(f),
      levels: binLabels(study.features[f]!, binned[f]!),
      ...(naiveBayes ? { added: addedBy(naiveBayes, f) } : {}),
    })),
    importanceMeasure: measureText(study, result),
    privacy: { epsilon: claim.epsilon, delta: claim.delta },
  };
}

/** What each level of a feature adds: of two classes to the log-odds of the second one, of more to each class's number. */
function addedBy({ added, base }: AddedParts, feature: number): number[] | number[][] {
  const values = [...added[feature]!];
  if (base.length === 1) return values;
  return Array.from({ length: values.length / base.length }, (_, b) =>
    values.slice(b * base.length, (b + 1) * base.length),
  );
}

/** The tests of a pass, each with what a method shows of it. */
export function testsOf<T>(
  study: SelectionStudy,
  pass: Pass<T>,
  shown: (test: T) => Record<string, number>,
): Record<string, unknown>[] {
  return pass.tried.map(({ feature, features, accepted, test }) => ({
    feature: study.features[feature]!.name,
    with: features.filter((f) => f !== feature).map((f) => study.features[f]!.name),
    accepted,
    ...(test === null ? { tested: false } : { tested: true, ...shown(test) }),
  }));
}

export function binnedOf(study: SelectionStudy): BinnedFeature[] {
  return binnedFeatures(study.features, study.parameters.bins);
}

function measureText(study: SelectionStudy, result: Selection): string {
  if (study.parameters.importance === undefined)
    return "pairs of rows of different class that differ in the feature";
  if (isNaiveBayes(result)) return "association with the label beyond sampling and noise, a χ² less its mean";
  return study.parameters.importance === "average-gain"
    ? "gain of a split on the feature, on average over its splits"
    : "gain of all splits on the feature, per tree";
}

/** The released rows' columns: the selected features in the study's order, then the label; each a list of levels. */
export function selectedColumns(
  study: SelectionStudy,
  selected: readonly number[],
  what: "a row" | "a synthetic row",
): ReleaseColumn[] {
  const binned = binnedOf(study);
  const columns = [...selected]
    .sort((a, b) => a - b)
    .map((f): ReleaseColumn => {
      const feature = study.features[f]!;
      const unit = feature.type === "numeric" && feature.unit !== undefined ? `, in ${feature.unit}` : "";
      const kind = feature.type === "numeric" ? `interval${unit}` : "level";
      return {
        name: feature.name,
        type: "level",
        description: feature.description ?? `The ${kind} of ${what}`,
        levels: binLabels(feature, binned[f]!),
      };
    });
  const { name, levels, description } = study.label;
  const isTaken = columns.some((column) => column.name.toLowerCase() === name.toLowerCase());
  return [
    ...columns,
    {
      name: isTaken ? `label_${name}` : name,
      type: "level",
      description: description ?? `The label of ${what}`,
      levels: [...levels],
    },
  ];
}

const barsMost = 500;
const textMost = 300;

export function selectionFigures(study: SelectionStudy, result: Selection): Figure[] {
  const accepted = new Set(result.pass.selected);
  const bars = result.order.slice(0, barsMost).map((f) => {
    const { value, stdDev } = result.importance[f]!;
    const spread = stdDev === null || stdDev === 0 ? null : 1.96 * stdDev;
    return {
      label: `${study.features[f]!.name}${accepted.has(f) ? " (released)" : ""}`.slice(0, textMost),
      value,
      low: spread === null ? null : value - spread,
      high: spread === null ? null : value + spread,
    };
  });
  return [
    {
      kind: "bars",
      name: "importance",
      title: `What each feature is worth for ${study.label.name}`.slice(0, textMost),
      valueLabel: `${measureText(study, result)}${bars.some(({ low }) => low !== null) ? "; intervals of 95 % for the noise" : ""}`,
      bars,
    },
    ...evaluationFigures(study.label, result.evaluation ?? null),
  ];
}

/** What the importance is that of: boosted trees, or naive Bayes as one tree for each feature; null where the method has no model. */
export function selectionPredictor(study: SelectionStudy, result: Selection): TreePredictor | null {
  const { ensemble, evaluation } = result;
  if (ensemble === null) return null;
  const { features, label } = study;
  return treePredictor({
    features,
    binned: binnedOf(study),
    label,
    ensemble,
    derivation: derivationOf(result, ensemble),
    evaluation: evaluation ?? null,
    isXgboost: !isNaiveBayes(result),
  });
}

function derivationOf(result: Selection, { link }: TreeEnsemble): string {
  if (isNaiveBayes(result))
    return "Each feature adds the logarithm of how much more frequent a class is in its bin, all weighed by how much of it is not noise, as if features said nothing of each other within a class (docs/methods/k-anonymous-selection.md#dp-ka-model).";
  return link === "softmax"
    ? "The sums of the leaves are the log-odds of the levels but for a number that all share, by the log loss that the trees lower (docs/methods/second-order-boosting.md#classes)."
    : "The sum of the leaves is the log-odds, by the log loss that the trees lower (docs/methods/second-order-boosting.md#link).";
}

const naiveBayesLimit =
  "The model is naive Bayes, of the counts that ordered the features: it adds what each feature says by itself, so that features which say the same are counted twice.";

/** @param sites - whose records are in the model */
export function selectionCard(study: SelectionStudy, result: Selection, sites: number): ModelCard | null {
  if (result.ensemble === null) return null;
  const { evaluation } = study.parameters;
  if (evaluation !== undefined && evaluation !== "none") {
    const limits = [
      `${isNaiveBayes(result) ? naiveBayesLimit : "The trees were grown to rank features, not to predict: a few small ones."} The released table is another thing, and how well one predicts by it was not measured.`,
      ...selectionWarnings(study, result),
    ];
    const { label } = study;
    return modelCard({ study, label, sites, evaluation, result: result.evaluation ?? null, limits });
  }
  const { name, levels } = study.label;
  const rows = `Rows of the table "${study.table}" of the sites that took part`;
  return {
    predicts: `${name}: one of ${namesText(levels)}, from all ${study.features.length} features, released or not`,
    trainedOn:
      study.privacy === "none"
        ? `${rows}, in sums without noise.`
        : `${rows}, in sums that carry noise from every site.`,
    evaluation: null,
    limits: [
      isNaiveBayes(result)
        ? `${naiveBayesLimit} How well it does on rows of its own has not been measured.`
        : "The trees were grown to rank features, not to predict: how well they do on rows of their own has not been measured.",
      "Importance says what goes with the label, not what causes it. It is no medical device and must not decide on a patient alone.",
      ...selectionWarnings(study, result),
    ].map((limit) => limit.slice(0, 2000)),
  };
}

/** Columns that the finding names. */
const maxNamed = 8;

/** The columns that are released together: clear where any is, and one stands out by its association with the label. */
export function selectionFinding(study: SelectionStudy, result: Selection): Finding {
  const { pass, order, importance } = result;
  const { k } = study.parameters;
  if (pass.selected.length === 0) return finding("share", false, "finding.none-together", { k });
  const names = pass.selected.map((f) => nameOf(study.features[f]!.name));
  const first = order.find((f) => importance[f]!.standsOut);
  return finding("share", first !== undefined, "finding.together", {
    columns: names.slice(0, maxNamed),
    more: Math.max(0, names.length - maxNamed),
    outcome: nameOf(study.label.name),
    first: first === undefined ? null : nameOf(study.features[first]!.name),
    k,
  });
}

const isNaiveBayes = ({ naiveBayes }: Selection): boolean => naiveBayes !== undefined && naiveBayes !== null;

const isFlat = ({ importance }: Selection): boolean => !importance.some(({ standsOut }) => standsOut);

/** What the order is where no feature stands out. */
const chanceOrder = ({ naiveBayes }: Selection) =>
  naiveBayes ? "an order that noise may have made" : "the order of their declaration";

/** What only the released sums tell. */
export function selectionWarnings(study: SelectionStudy, result: Selection): string[] {
  const warnings: string[] = [];
  if (isFlat(result)) {
    warnings.push(
      `No feature stood out, so they were tried in ${chanceOrder(result)}: there may be too few rows for the noise, one class only, or features that say nothing of it.`,
    );
  }
  if (result.pass.selected.length === 0) {
    warnings.push(
      `No feature could be released in groups of ${study.parameters.k} ${countedUnits(study)}: declare coarser intervals and levels, or lower k.`,
    );
  }
  return warnings;
}
