import { type SumConversation, unscaledSum } from "@consilium/core/learning/sums";
import type { TreeEnsemble } from "@consilium/core/learning/trees/tree";
import type { Broadcast } from "@consilium/core/study/broadcast";
import { evaluationForm } from "@consilium/core/study/evaluation";
import { noiseStdDev, type SoundStage } from "@consilium/core/study/soundSums";
import { decidedByProbability } from "../shared/evaluation/decision.js";
import { type EvaluationResult, evaluationResult } from "../shared/evaluation/evaluationResult.js";
import { cutsBroadcast } from "../shared/evaluation/scoreScale.js";
import { boosted } from "../shared/k-anonymous/boosted.js";
import { candidateName, encodeFeatures, selectedName } from "../shared/k-anonymous/candidates.js";
import type { Importance } from "../shared/k-anonymous/importance.js";
import { type Check, onePass, orderOf, type Pass } from "../shared/k-anonymous/pass.js";
import { binsOf } from "../shared/trees/histograms.js";
import { associationOf, pooledTotals } from "./association.js";
import {
  type NaiveBayes,
  naiveBayes,
  naiveBayesBroadcast,
  naiveBayesEnsemble,
  naiveBayesGrid,
} from "./naiveBayes.js";
import type { HistogramStage } from "./order.js";
import { type DpKaStudy, dpKaLayout, jointCells, tableThreshold, testThreshold } from "./study.js";

/** A noisy test: cells that reach the threshold, and the rows in them. */
export interface NoisyTest {
  readonly accepted: boolean;
  /** M. */
  readonly cells: number;
  readonly keptCells: number;
  /** Noisy. */
  readonly keptRows: number;
  readonly threshold: number;
}

/** A cell of the released table. */
export interface TableCell {
  /** Of each selected feature in the study's order, its bin. */
  readonly bins: readonly number[];
  /** [L] noisy, by class. */
  readonly counts: readonly number[];
}

/** The joint table of the selected features by class, small cells left out. */
export interface ReleasedTable {
  /** Ascending. */
  readonly features: readonly number[];
  /** M: with those that are left out. */
  readonly cells: number;
  readonly kept: readonly TableCell[];
  readonly threshold: number;
  /** Of the noise in a count. */
  readonly stdDev: number;
}

export interface DpKaResult {
  /** The boosted trees, or the histogram's naive Bayes. */
  readonly ensemble: TreeEnsemble;
  /** Null where boosting ordered the features. */
  readonly naiveBayes: NaiveBayes | null;
  readonly importance: readonly Importance[];
  readonly order: readonly number[];
  /** ñ. */
  readonly rows: number;
  readonly rowsStdDev: number;
  readonly pass: Pass<NoisyTest>;
  /** Null where nothing was selected: the table is not asked for then. */
  readonly table: ReleasedTable | null;
  /** Of the ensemble, on held-out rows; null where the study asks for none. */
  readonly evaluation: EvaluationResult | null;
}

/**
 * dp-ka, aggregator side.
 * @throws RangeError when a sum is none that honest sites can send
 */
export async function dpKaConversation(options: {
  readonly study: DpKaStudy;
  readonly conversation: SumConversation;
  readonly check?: Check;
}): Promise<DpKaResult> {
  const { study, conversation } = options;
  const check = options.check ?? ((judge) => judge());
  const { count, features, evaluation } = dpKaLayout(study);
  const ask = async (stage: SoundStage, broadcast: Broadcast) => {
    const sum = await conversation.sum(stage.id, broadcast);
    return check(() => unscaledSum(study, stage, sum));
  };
  const { told, ...model } = await ranked(study, conversation, ask);
  const order = orderOf(model.importance.map(({ value }) => value));
  const rows = (await ask(count, {}))[0]!;
  const pass = await onePass<NoisyTest>({
    order,
    ask: (chosen, asked) =>
      jointCells(features, chosen) > study.parameters.maxCells
        ? null
        : noisyTest({ study, conversation, ask, chosen, asked, rows }),
  });
  const table = pass.selected.length === 0 ? null : await releasedTable({ study, conversation, ask, pass });
  const rowsStdDev = noiseStdDev(study, count, conversation.survivors);
  const found = { ...model, order, rows, rowsStdDev, pass, table };
  if (evaluation === null) return { ...found, evaluation: null };
  const form = evaluationForm(study.label.levels.length);
  const held = await ask(evaluation, { ...told, ...cutsBroadcast(form, model.ensemble) });
  const stdDev = noiseStdDev(study, evaluation, conversation.survivors);
  const result = conversation.part("evaluation", () => evaluationResult(form, held, stdDev, model.ensemble));
  const { ensemble, naiveBayes } = model;
  if (naiveBayes === null || result === null || result.scores === null)
    return { ...found, evaluation: result };
  const decided = decidedByProbability(result, ensemble, naiveBayesGrid);
  const base = naiveBayes.base.map((logOdds) => logOdds - decided.moved);
  return {
    ...found,
    ensemble: { ...ensemble, base: [...base] },
    naiveBayes: { ...naiveBayes, base },
    evaluation: decided.result,
  };
}

/** What the features are worth, with the model that says so. */
interface Ranked extends Pick<DpKaResult, "ensemble" | "naiveBayes" | "importance"> {
  /** What a stage after it is told of the model. */
  readonly told: Broadcast;
}

async function ranked(study: DpKaStudy, conversation: SumConversation, ask: Ask): Promise<Ranked> {
  const { boosting, histogram } = dpKaLayout(study);
  if (histogram !== null) {
    const sums = await ask(histogram, {});
    return byHistogram(study, histogram, sums, noiseStdDev(study, histogram, conversation.survivors));
  }
  const { ensemble, importance, lastTree } = await boosted({
    ...boosting!,
    measure: study.parameters.importance,
    sum: ask,
    stdDev: (stage) => noiseStdDev(study, stage, conversation.survivors),
  });
  return { ensemble, naiveBayes: null, importance, told: lastTree };
}

/** @param sums - noisy counts of every feature by bin and class @param stdDev - of the noise in one */
function byHistogram(
  study: DpKaStudy,
  { histogram }: HistogramStage,
  sums: Float64Array,
  stdDev: number,
): Ranked {
  const { features } = dpKaLayout(study);
  const counts = features.map((_, f) => binsOf(sums, histogram, 0, f));
  const totals = pooledTotals(counts, histogram.channels);
  const importance = counts.map((own, f): Importance => {
    const { kind } = features[f]!;
    const one = associationOf({ counts: own, kind, totals, stdDev, features: features.length });
    return { value: one.value, stdDev: one.stdDev, splits: null, standsOut: one.value > one.threshold };
  });
  const model = naiveBayes({ features, counts, totals, stdDev });
  return {
    ensemble: naiveBayesEnsemble(model, features),
    naiveBayes: model,
    importance,
    told: naiveBayesBroadcast(model),
  };
}

type Ask = (stage: SoundStage, broadcast: Broadcast) => Promise<Float64Array>;

async function noisyTest(options: {
  readonly study: DpKaStudy;
  readonly conversation: SumConversation;
  readonly ask: Ask;
  readonly chosen: readonly number[];
  readonly asked: number;
  /** ñ. */
  readonly rows: number;
}): Promise<NoisyTest> {
  const { study, conversation, ask, chosen, asked, rows } = options;
  const { features, tests } = dpKaLayout(study);
  const told = { [candidateName]: encodeFeatures(chosen, features.length) };
  const counts = await ask(tests[asked]!, told);
  const cells = jointCells(features, chosen);
  const threshold = testThreshold(study, cells, conversation.sites);
  let [keptCells, keptRows] = [0, 0];
  for (let cell = 0; cell < cells; cell++) {
    if (counts[cell]! < threshold) continue;
    keptCells++;
    keptRows += counts[cell]!;
  }
  const accepted = keptCells > 0 && keptRows >= (1 - study.parameters.kappa) * rows;
  return { accepted, cells, keptCells, keptRows, threshold };
}

async function releasedTable(options: {
  readonly study: DpKaStudy;
  readonly conversation: SumConversation;
  readonly ask: Ask;
  readonly pass: Pass<NoisyTest>;
}): Promise<ReleasedTable> {
  const { study, conversation, ask, pass } = options;
  const layout = dpKaLayout(study);
  const features = [...pass.selected].sort((a, b) => a - b);
  const told = { [selectedName]: encodeFeatures(features, layout.features.length) };
  const counts = await ask(layout.table, told);
  const cells = jointCells(layout.features, features);
  const threshold = tableThreshold(study, cells, conversation.sites);
  const classes = study.label.levels.length;
  const kept: TableCell[] = [];
  for (let cell = 0; cell < cells; cell++) {
    const own = [...counts.subarray(cell * classes, (cell + 1) * classes)];
    if (own.reduce((sum, count) => sum + count, 0) < threshold) continue;
    kept.push({ bins: binsOfCell(study, features, cell), counts: own });
  }
  return {
    features,
    cells,
    kept,
    threshold,
    stdDev: noiseStdDev(study, layout.table, conversation.survivors),
  };
}

function binsOfCell(study: DpKaStudy, chosen: readonly number[], cell: number): number[] {
  const { features } = dpKaLayout(study);
  const bins = new Array<number>(chosen.length);
  let left = cell;
  for (let j = chosen.length - 1; j >= 0; j--) {
    const own = features[chosen[j]!]!.bins;
    bins[j] = left % own;
    left = Math.floor(left / own);
  }
  return bins;
}
