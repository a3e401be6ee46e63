import type { Contributor } from "@consilium/gate/contributions";
import { ConsiliumError } from "../../errors.js";
import type { StageId } from "../../ids.js";
import { binOf } from "../../study/binning.js";
import { type DpPccLayout, type DpPccStudy, dpPccLayout } from "../../study/dpPcc.js";
import type { DpPccSStudy } from "../../study/dpPccS.js";
import { evaluationForm } from "../../study/evaluation.js";
import { evaluationContributor, trainingCells } from "../records/evaluationRecords.js";
import { foldStage } from "../records/foldStage.js";
import { nodeOf, routeOf } from "../records/route.js";
import { cutsTold } from "../scoreScale.js";
import type { SiteInput } from "../sums.js";
import { leafPredictions, valuesTold } from "./leafCounts.js";
import { levelsAbove } from "./treeSoFar.js";

/**
 * A site's vector of a stage of dp-pcc: integers without noise. At a level a record adds 1 at (its node, attribute, its
 * bin, its class) for each of the m attributes: L2 sensitivity √m under add-remove. At the leaves it adds a single 1.
 * Its length depends on public numbers alone; an empty table is zeros.
 * @throws ConsiliumError MESSAGE_UNEXPECTED for no stage of the study, FIELD_INVALID or BROADCAST_INVALID before a row is
 *   read; as `foldStage`
 */
export async function dpPccVector(study: DpPccStudy, id: StageId, input: SiteInput): Promise<BigUint64Array> {
  const layout = dpPccLayout(study);
  const { levels, leaves, evaluation } = layout;
  if (id === leaves.id || id === evaluation?.id) return lastVector(study, layout, id, input);
  const level = levels.findIndex(({ stage }) => stage.id === id);
  if (level === -1) throw new ConsiliumError("MESSAGE_UNEXPECTED", `dp-pcc has no sum stage ${id}`);
  const contributor = levelContributor(study, layout, level, input);
  return foldStage({ study, stage: levels[level]!.stage, contributor, input });
}

function levelContributor(
  study: DpPccStudy,
  { features, classes, levels }: DpPccLayout,
  level: number,
  { broadcasts }: Pick<SiteInput, "broadcasts">,
): () => Contributor {
  const { offsets } = levels[level]!.histogram;
  const above = levelsAbove(broadcasts, level, levels.length, features);
  return () => {
    const route = routeOf(above, features);
    return trainingCells(study.parameters, (record, cells, values) => {
      const starts = offsets[nodeOf(route, record.values)]!;
      for (let f = 0; f < features.length; f++) {
        cells[f] = starts[f]! + binOf(features[f]!, record.values[f]!) * classes + record.label;
        values[f] = 1;
      }
      return features.length;
    });
  };
}

/**
 * The last stages of both sound methods: counts by leaf and class, [2^h × L], and the evaluation's.
 * @throws ConsiliumError as `dpPccVector`
 */
export async function lastVector(
  study: DpPccStudy | DpPccSStudy,
  layout: Pick<DpPccLayout, "features" | "classes" | "leaves" | "evaluation">,
  id: StageId,
  input: SiteInput,
): Promise<BigUint64Array> {
  const { features, classes, leaves, evaluation } = layout;
  const { depth } = study.parameters;
  const route = routeOf(levelsAbove(input.broadcasts, depth, depth, features), features);
  if (evaluation !== null && id === evaluation.id) {
    const form = evaluationForm(classes);
    const predicted = leafPredictions(valuesTold(study, input), classes, form);
    const cuts = cutsTold(form, input.broadcasts);
    const model = {
      form,
      cuts,
      predict: ({ values }: { values: Float64Array }) => predicted[nodeOf(route, values)]!,
    };
    const contributor = () => evaluationContributor(study.parameters, model);
    return foldStage({ study, stage: evaluation, contributor, input });
  }
  const contributor = () =>
    trainingCells(study.parameters, (record, cells, values) => {
      cells[0] = nodeOf(route, record.values) * classes + record.label;
      values[0] = 1;
      return 1;
    });
  return foldStage({ study, stage: leaves, contributor, input });
}
