import { faults } from "@consilium/core/fault";
import { partOf } from "@consilium/core/learning/heldOut";
import { rowWeights } from "@consilium/core/learning/patientRows";
import { withinRows } from "@consilium/core/learning/stageTable";
import type { SiteInput } from "@consilium/core/learning/sums";
import { scoreOf } from "@consilium/core/learning/trees/link";
import { classOf } from "@consilium/core/learning/trees/tree";
import type { ColumnBlock } from "@consilium/core/study/design";
import { type EvaluationForm, evaluationForm, evaluationStageId } from "@consilium/core/study/evaluation";
import type { BroadcastSays } from "@consilium/words/says/broadcasts";
import { evaluationCounts } from "../evaluation/evaluationCounts.js";
import { cutsTold } from "../evaluation/scoreScale.js";
import { notSent } from "../plans/broadcastFaults.js";
import type { TreeStudy } from "./treeStudy.js";
import { valuesName } from "./treeStudy.js";

/** What a site counts once the tree has its last splits. */

/** The leaf that each of a block's rows comes to, from 0 to 2^h - 1. */
export type Place = (block: ColumnBlock) => Uint16Array;

/** The rows that are not held out. @throws ConsiliumError ROWS_TOO_MANY */
export function trainingRows(study: TreeStudy, input: SiteInput): AsyncIterable<ColumnBlock> {
  const { evaluation, seed } = study.parameters;
  return partOf(withinRows(study, input.blocks), "training", evaluation, seed);
}

/** Training rows by leaf and class, [2^h × L]. */
export async function leafCounts(study: TreeStudy, input: SiteInput, place: Place): Promise<Float64Array> {
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
export async function heldOutCounts(study: TreeStudy, input: SiteInput, place: Place): Promise<Float64Array> {
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

export function valuesTold(study: TreeStudy, input: Pick<SiteInput, "broadcasts">): Float64Array {
  const values = input.broadcasts.get(evaluationStageId)?.[valuesName];
  if (values === undefined) throw notSent(evaluationStageId, valuesName);
  const length = 2 ** study.parameters.depth * study.label.levels.length;
  if (values.length !== length || !values.every((value) => value >= 0 && value <= 1))
    throw faults<BroadcastSays>()("BROADCAST_INVALID", "broadcast.leaf-values", {});
  return values;
}

/** Per leaf its score, or its class. */
export function leafPredictions(values: Float64Array, classes: number, form: EvaluationForm): number[] {
  return Array.from({ length: values.length / classes }, (_, leaf) => {
    const outputs = values.subarray(leaf * classes, (leaf + 1) * classes);
    return form.kind === "classes" ? classOf(outputs, "classes") : scoreOf(outputs, "classes");
  });
}
