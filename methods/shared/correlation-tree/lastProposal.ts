import type { StageId } from "@consilium/core/ids";
import { evaluationForm } from "@consilium/core/study/evaluation";
import type { Proposal } from "@consilium/gate/fold";
import type { BinnedFeature } from "../columns/binning.js";
import { cutsTold } from "../evaluation/scoreScale.js";
import { evaluationContributor, trainingCells } from "../records/evaluationRecords.js";
import { proposed, type ToldInput } from "../records/proposal.js";
import { nodeOf, routeOf } from "../records/route.js";
import type { LastStages } from "./askLeaves.js";
import { leafPredictions, valuesTold } from "./leafCounts.js";
import { levelsAbove } from "./treeSoFar.js";
import type { TreeStudy } from "./treeStudy.js";

/**
 * The last stages of both sound methods: counts by leaf and class, [2^h × L], and the evaluation's.
 * @throws ConsiliumError FIELD_INVALID or BROADCAST_INVALID before a row is read
 */
export function lastProposal(
  study: TreeStudy,
  layout: LastStages & { readonly features: readonly BinnedFeature[] },
  id: StageId,
  input: ToldInput,
): Proposal {
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
    return proposed(study, evaluation, contributor);
  }
  const contributor = () =>
    trainingCells(study.parameters, (record, cells, values) => {
      cells[0] = nodeOf(route, record.values) * classes + record.label;
      values[0] = 1;
      return 1;
    });
  return proposed(study, leaves, contributor);
}
