import { type BinnedFeature, binBlock } from "../study/binning.js";
import type { ColumnBlock } from "../study/design.js";
import { type Evaluation, type EvaluationForm, evaluationShape, scoreBins } from "../study/evaluation.js";
import { partOf } from "./heldOut.js";
import { classOf, outputsOf, probabilitiesOf, type TreeEnsemble } from "./trees/tree.js";

/** What a site adds to the evaluation: its held-out rows, counted by what the model says of them and what is so. */

/** What the model says of a block's rows: for each the score's bin, or the class. */
export type Prediction = (block: ColumnBlock) => (row: number) => number;

/**
 * The site's vector before noise: [predictions × classes] counts, row-major.
 * @throws RangeError where a prediction or label is outside the form
 */
export async function evaluationCounts(options: {
  readonly evaluation: Evaluation;
  readonly form: EvaluationForm;
  /** The study's public seed. */
  readonly seed: string;
  /** The whole table: the rows of training are passed over here. */
  readonly blocks: AsyncIterable<ColumnBlock>;
  readonly predict: Prediction;
}): Promise<Float64Array> {
  const { evaluation, form, seed, blocks, predict } = options;
  const { predictions, classes } = evaluationShape(form);
  const counts = new Float64Array(predictions * classes);
  for await (const block of partOf(blocks, "held-out", evaluation, seed)) {
    const of = predict(block);
    for (let r = 0; r < block.rows; r++) {
      const predicted = of(r);
      const actual = block.labels?.[r] ?? classes;
      if (!(predicted >= 0 && predicted < predictions && actual < classes))
        throw new RangeError("a prediction or a label is outside the evaluation's form");
      counts[predicted * classes + actual]!++;
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
      const predicted = classOf(outputs, ensemble.link);
      return form.kind === "classes"
        ? predicted
        : scoreBin(secondClassProbability(outputs, ensemble.link), predicted);
    };
  };
}

/** The probability of the second of two classes: the score that is evaluated. */
export function secondClassProbability(outputs: Float64Array, link: TreeEnsemble["link"]): number {
  return probabilitiesOf(outputs, link)[1]!;
}

/**
 * The bin of a score: bin b of 20 holds b/20 < p ≤ (b+1)/20, the first one 0 as well.
 * @param predicted - the class that the model decides for, whose half of the bins it is, however p was rounded
 */
export function scoreBin(probability: number, predicted: number): number {
  const bin = Math.ceil(probability * scoreBins) - 1;
  const half = scoreBins / 2;
  return predicted === 1
    ? Math.min(Math.max(bin, half), scoreBins - 1)
    : Math.min(Math.max(bin, 0), half - 1);
}
