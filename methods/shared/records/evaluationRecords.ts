import { scoreOf } from "@consilium/core/learning/trees/link";
import { classOf, outputsOf, type TreeEnsemble } from "@consilium/core/learning/trees/tree";
import { type Evaluation, type EvaluationForm, evaluationShape } from "@consilium/core/study/evaluation";
import type { Contributor, WriteCells } from "@consilium/gate/contributions";
import type { OneRecord } from "@consilium/gate/record";
import { type BinnedFeature, binOf } from "../columns/binning.js";
import { rangeOf } from "../evaluation/scoreScale.js";
import { heldOutRecord } from "./heldOutRecord.js";

/** As far as it matters which records are held out. */
export interface Divided {
  readonly evaluation: Evaluation;
  /** The study's public seed. */
  readonly seed: string;
}

/** What records that are not held out add to. */
export function trainingCells({ evaluation, seed }: Divided, write: WriteCells): Contributor {
  const isHeldOut = heldOutRecord(evaluation, seed);
  return {
    kind: "histogram",
    write: (record, cells, values) => (isHeldOut(record) ? 0 : write(record, cells, values)),
  };
}

/** What a model says of a record: the score, or where classes are counted the class. */
export type RecordPrediction = (record: OneRecord) => number;

/** A held-out record adds a single 1, at (what the model says of it, what is so). @param cuts - as `cutsTold` */
export function evaluationContributor(
  { evaluation, seed }: Divided,
  model: { readonly form: EvaluationForm; readonly cuts: Float64Array; readonly predict: RecordPrediction },
): Contributor {
  const { form, cuts, predict } = model;
  const { classes } = evaluationShape(form);
  const isHeldOut = heldOutRecord(evaluation, seed);
  return {
    kind: "histogram",
    write(record, cells, values) {
      if (!isHeldOut(record)) return 0;
      const predicted = form.kind === "scores" ? rangeOf(cuts, predict(record)) : predict(record);
      cells[0] = predicted * classes + record.label;
      values[0] = 1;
      return 1;
    },
  };
}

/** The prediction of an ensemble of trees. */
export function ensemblePredictor(
  ensemble: TreeEnsemble,
  features: readonly BinnedFeature[],
  form: EvaluationForm,
): RecordPrediction {
  const kinds = features.map((feature) => feature.kind);
  return ({ values }) => {
    const outputs = outputsOf(ensemble, kinds, (feature) => binOf(features[feature]!, values[feature]!));
    return form.kind === "classes" ? classOf(outputs, ensemble.link) : scoreOf(outputs, ensemble.link);
  };
}
