import { ConsiliumError } from "../../errors.js";
import type { CorrelationTreeStudy } from "../../study/correlationTree.js";
import type { ColumnBlock } from "../../study/design.js";
import { valuesName } from "../../study/dpPcc.js";
import { type EvaluationForm, evaluationForm, evaluationStageId } from "../../study/evaluation.js";
import { evaluationCounts } from "../evaluation.js";
import { partOf } from "../heldOut.js";
import { withinRows } from "../moments.js";
import { rowWeights } from "../patientRows.js";
import { cutsTold } from "../scoreScale.js";
import type { SiteInput } from "../sums.js";
import { scoreOf } from "../trees/link.js";
import { classOf } from "../trees/tree.js";

/** What a site counts once the tree has its last splits. */

/** The leaf that each of a block's rows comes to, from 0 to 2^h - 1. */
export type Place = (block: ColumnBlock) => Uint16Array;

/** The rows that are not held out. @throws ConsiliumError ROWS_TOO_MANY */
export function trainingRows(study: CorrelationTreeStudy, input: SiteInput): AsyncIterable<ColumnBlock> {
  const { evaluation, seed } = study.parameters;
  return partOf(withinRows(study, input.blocks), "training", evaluation, seed);
}

/** Training rows by leaf and class, [2^h × L]. */
export async function leafCounts(
  study: CorrelationTreeStudy,
  input: SiteInput,
  place: Place,
): Promise<Float64Array> {
  const classes = study.label.levels.length;
  const counts = new Float64Array(2 ** study.parameters.depth * classes);
  for await (const block of trainingRows(study, input)) {
    const nodes = place(block);
    const weights = rowWeights(study, block);
    for (let r = 0; r < block.rows; r++)
      counts[nodes[r]! * classes + block.labels![r]!]! += weights?.[r] ?? 1;
  }
  return counts;
}

/**
 * Held-out rows by what their leaf predicts and by class.
 * @throws ConsiliumError FIELD_INVALID where the leaves' values are missing, BROADCAST_INVALID where they are none
 */
export async function heldOutCounts(
  study: CorrelationTreeStudy,
  input: SiteInput,
  place: Place,
): Promise<Float64Array> {
  const classes = study.label.levels.length;
  const form = evaluationForm(classes);
  const predicted = leafPredictions(valuesTold(study, input), classes, form);
  return evaluationCounts({
    study,
    evaluation: study.parameters.evaluation,
    form,
    seed: study.parameters.seed,
    cuts: cutsTold(form, input.broadcasts),
    blocks: withinRows(study, input.blocks),
    predict(block) {
      const nodes = place(block);
      return (row) => predicted[nodes[row]!]!;
    },
  });
}

export function valuesTold(study: CorrelationTreeStudy, input: SiteInput): Float64Array {
  const values = input.broadcasts.get(evaluationStageId)?.[valuesName];
  if (values === undefined)
    throw new ConsiliumError("FIELD_INVALID", `stage ${evaluationStageId} was not sent "${valuesName}"`);
  const length = 2 ** study.parameters.depth * study.label.levels.length;
  if (values.length !== length || !values.every((value) => value >= 0 && value <= 1))
    throw new ConsiliumError("BROADCAST_INVALID", "the values of the leaves are not numbers from 0 to 1");
  return values;
}

/** Per leaf its score, or its class. */
export function leafPredictions(values: Float64Array, classes: number, form: EvaluationForm): number[] {
  return Array.from({ length: values.length / classes }, (_, leaf) => {
    const outputs = values.subarray(leaf * classes, (leaf + 1) * classes);
    return form.kind === "classes" ? classOf(outputs, "classes") : scoreOf(outputs, "classes");
  });
}
