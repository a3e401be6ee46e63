import { cautionOf } from "../../release/caution.js";
import type { ReleaseColumn } from "../../release/content.js";
import { evaluationFigures, modelCard } from "../../release/evaluationCard.js";
import type { Figure } from "../../release/figures.js";
import type { ModelCard } from "../../release/modelCard.js";
import type { TreePredictor } from "../../release/predictor.js";
import { treePredictor } from "../../release/treePredictor.js";
import type { BinnedFeature } from "../../study/binning.js";
import { binnedFeatures } from "../../study/binning.js";
import { binLabels } from "../../study/candidates.js";
import { dpKaLayout } from "../../study/dpKa.js";
import type { KAnonymousStudy } from "../../study/kAnonymous.js";
import { countedUnits } from "../../study/patientWeights.js";
import { planStudy } from "../../study/plan.js";
import { namesText } from "../../words.js";
import type { EvaluationResult } from "../evaluationResult.js";
import type { TreeEnsemble } from "../trees/tree.js";
import type { DpKaResult, NoisyTest, ReleasedTable } from "./dpKaConversation.js";
import type { Importance } from "./importance.js";
import type { NaiveBayes } from "./naiveBayes.js";
import type { ExactTest, PaperKaResult } from "./paperKaConversation.js";
import type { Pass } from "./pass.js";

/** What a reader gets of a selection, whatever the method: model, columns, figures, something to run. */

/** What every method comes to. */
export interface Selection {
  readonly ensemble: TreeEnsemble | null;
  /** What the ensemble is where one histogram ordered the features; null or left out elsewhere. */
  readonly naiveBayes?: NaiveBayes | null;
  /** Of the ensemble, on held-out rows; null or left out where there is none. */
  readonly evaluation?: EvaluationResult | null;
  readonly importance: readonly Importance[];
  readonly order: readonly number[];
  readonly pass: Pass<ExactTest | NoisyTest>;
}

/** `model.json` of a published method. */
export function paperKaModel(study: KAnonymousStudy, result: PaperKaResult): Record<string, unknown> {
  return {
    ...commonModel(study, result),
    tests: testsOf(study, result.pass, ({ rows, classes, smallest }) => ({
      rows,
      groups: classes,
      smallest,
    })),
  };
}

/** `model.json` of dp-ka. */
export function dpKaModel(study: KAnonymousStudy, result: DpKaResult): Record<string, unknown> {
  const { rows, rowsStdDev, table, pass, naiveBayes } = result;
  return {
    ...commonModel(study, result),
    orderedBy: naiveBayes === null ? "boosting" : "histogram",
    orderedBecause: orderReason(study),
    /** Of naive Bayes, what a row begins with; null where boosting ordered the features. */
    base: naiveBayes === null ? null : [...naiveBayes.base],
    rows,
    rowsStdDev,
    /** Of the boosted trees or naive Bayes, on held-out rows; null where the study asked for none. */
    evaluation: result.evaluation,
    tests: testsOf(study, pass, ({ cells, keptCells, keptRows, threshold }) => ({
      cells,
      keptCells,
      keptRows,
      threshold,
    })),
    table: table === null ? null : tableModel(study, table),
  };
}

function commonModel(study: KAnonymousStudy, result: Selection): Record<string, unknown> {
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
    importanceMeasure: measureText(study),
    privacy: { epsilon: claim.epsilon, delta: claim.delta },
  };
}

/** What each level of a feature adds: of two classes to the log-odds of the second one, of more to each class's number. */
function addedBy({ added, base }: NaiveBayes, feature: number): number[] | number[][] {
  const values = [...added[feature]!];
  if (base.length === 1) return values;
  return Array.from({ length: values.length / base.length }, (_, b) =>
    values.slice(b * base.length, (b + 1) * base.length),
  );
}

/** Why the study was ordered by what it was; null where nothing had to be decided. */
function orderReason(study: KAnonymousStudy): string | null {
  return study.method === "dp-ka" ? dpKaLayout(study).ordering.reason : null;
}

const byHistogram = (study: KAnonymousStudy): boolean =>
  study.method === "dp-ka" && dpKaLayout(study).histogram !== null;

function testsOf<T extends ExactTest | NoisyTest>(
  study: KAnonymousStudy,
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

function tableModel(study: KAnonymousStudy, table: ReleasedTable): Record<string, unknown> {
  const binned = binnedOf(study);
  const labels = table.features.map((f) => binLabels(study.features[f]!, binned[f]!));
  return {
    features: table.features.map((f) => study.features[f]!.name),
    classes: study.label.levels,
    cells: table.cells,
    threshold: table.threshold,
    stdDev: table.stdDev,
    kept: table.kept.map(({ bins, counts }) => ({ values: bins.map((bin, j) => labels[j]![bin]!), counts })),
  };
}

function binnedOf(study: KAnonymousStudy): BinnedFeature[] {
  return binnedFeatures(study.features, study.parameters.bins);
}

function measureText(study: KAnonymousStudy): string {
  if (study.method === "greedy-hamdist") return "pairs of rows of different class that differ in the feature";
  if (byHistogram(study)) return "association with the label beyond sampling and noise, a χ² less its mean";
  return study.parameters.importance === "average-gain"
    ? "gain of a split on the feature, on average over its splits"
    : "gain of all splits on the feature, per tree";
}

/** The released rows' columns: the selected features in the study's order, then the label; each a list of levels. */
export function selectedColumns(
  study: KAnonymousStudy,
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

export function selectionFigures(study: KAnonymousStudy, result: Selection): Figure[] {
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
      valueLabel: `${measureText(study)}${bars.some(({ low }) => low !== null) ? "; intervals of 95 % for the noise" : ""}`,
      bars,
    },
    ...evaluationFigures(study.label, result.evaluation ?? null),
  ];
}

/** What the importance is that of: boosted trees, or naive Bayes as one tree for each feature; null where the method has no model. */
export function selectionPredictor(
  study: KAnonymousStudy,
  { ensemble, evaluation }: Selection,
): TreePredictor | null {
  if (ensemble === null) return null;
  const { features, label } = study;
  return treePredictor({
    features,
    binned: binnedOf(study),
    label,
    ensemble,
    derivation: derivationOf(study, ensemble),
    evaluation: evaluation ?? null,
    isXgboost: !byHistogram(study),
  });
}

function derivationOf(study: KAnonymousStudy, { link }: TreeEnsemble): string {
  if (byHistogram(study))
    return "Each feature adds the logarithm of how much more frequent a class is in its bin, all weighed by how much of it is not noise, as if features said nothing of each other within a class (docs/methods/k-anonymous-selection.md#dp-ka-model).";
  return link === "softmax"
    ? "The sums of the leaves are the log-odds of the levels but for a number that all share, by the log loss that the trees lower (docs/methods/second-order-boosting.md#classes)."
    : "The sum of the leaves is the log-odds, by the log loss that the trees lower (docs/methods/second-order-boosting.md#link).";
}

const naiveBayesLimit =
  "The model is naive Bayes, of the counts that ordered the features: it adds what each feature says by itself, so that features which say the same are counted twice.";

/** @param sites - whose records are in the model */
export function selectionCard(study: KAnonymousStudy, result: Selection, sites: number): ModelCard | null {
  if (result.ensemble === null) return null;
  if (study.method === "dp-ka" && study.parameters.evaluation !== "none") {
    const { evaluation } = study.parameters;
    const limits = [
      `${byHistogram(study) ? naiveBayesLimit : "The trees were grown to rank features, not to predict: a few small ones."} The released table is another thing, and how well one predicts by it was not measured.`,
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
      byHistogram(study)
        ? `${naiveBayesLimit} How well it does on rows of its own has not been measured.`
        : "The trees were grown to rank features, not to predict: how well they do on rows of their own has not been measured.",
      "Importance says what goes with the label, not what causes it. It is no medical device and must not decide on a patient alone.",
      ...selectionWarnings(study, result),
    ].map((limit) => limit.slice(0, 2000)),
  };
}

/** Where noise explains the whole result; null where it does not. */
export function selectionCaution(result: Selection): string | null {
  return cautionOf(
    isFlat(result) ? `no feature stood out, so they were tried in ${chanceOrder(result)}.` : null,
    result.evaluation ?? null,
  );
}

const isFlat = ({ importance }: Selection): boolean => !importance.some(({ standsOut }) => standsOut);

/** What the order is where no feature stands out. */
const chanceOrder = ({ naiveBayes }: Selection) =>
  naiveBayes ? "an order that noise may have made" : "the order of their declaration";

/** What only the released sums tell. */
export function selectionWarnings(study: KAnonymousStudy, result: Selection): string[] {
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
