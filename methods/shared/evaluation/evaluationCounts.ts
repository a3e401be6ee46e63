import { partOf } from "@consilium/core/learning/heldOut";
import { rowWeights } from "@consilium/core/learning/patientRows";
import { scoreOf } from "@consilium/core/learning/trees/link";
import { classOf, outputsOf, type TreeEnsemble } from "@consilium/core/learning/trees/tree";
import type { ColumnBlock } from "@consilium/core/study/design";
import { type Evaluation, type EvaluationForm, evaluationShape } from "@consilium/core/study/evaluation";
import type { PatientStudy } from "@consilium/core/study/patientWeights";
import { type BinnedFeature, binBlock } from "../columns/binning.js";
import { rangeOf } from "./scoreScale.js";

/** What a site adds to the evaluation: its held-out rows, counted by what the model says of them and what is so. */

/** What the model says of a block's rows: for each the score, or where classes are counted the class. */
export type Prediction = (block: ColumnBlock) => (row: number) => number;

/**
 * The site's vector before noise: [predictions × classes] counts, row-major.
 * @throws RangeError where a prediction or label is outside the form
 */
export async function evaluationCounts(options: {
  readonly study: PatientStudy;
  readonly evaluation: Evaluation;
  readonly form: EvaluationForm;
  /** The study's public seed. */
  readonly seed: string;
  /** As `cutsTold`. */
  readonly cuts: Float64Array;
  /** The whole table: the rows of training are passed over here. */
  readonly blocks: AsyncIterable<ColumnBlock>;
  readonly predict: Prediction;
}): Promise<Float64Array> {
  const { study, evaluation, form, seed, cuts, blocks, predict } = options;
  const { predictions, classes } = evaluationShape(form);
  const counts = new Float64Array(predictions * classes);
  for await (const block of partOf(blocks, "held-out", evaluation, seed)) {
    const of = predict(block);
    const weights = rowWeights(study, block);
    for (let r = 0; r < block.rows; r++) {
      const predicted = form.kind === "scores" ? rangeOf(cuts, of(r)) : of(r);
      const actual = block.labels?.[r] ?? classes;
      if (!(predicted >= 0 && predicted < predictions && actual < classes))
        throw new RangeError("a prediction or a label is outside the evaluation's form");
      counts[predicted * classes + actual]! += weights?.[r] ?? 1;
    }
  }
  return counts;
}

/** The prediction of an ensemble of trees. */
export function ensemblePrediction(
  ensemble: TreeEnsemble,
  features: readonly BinnedFeature[],
  form: EvaluationForm,
): Prediction {
  const kinds = features.map((feature) => feature.kind);
  return (block) => {
    const bins = binBlock(block, features);
    return (row) => {
      const outputs = outputsOf(ensemble, kinds, (feature) => bins[feature]![row]!);
      return form.kind === "classes" ? classOf(outputs, ensemble.link) : scoreOf(outputs, ensemble.link);
    };
  };
}
