import type { StageId } from "@consilium/core/ids";
import type { Broadcasts } from "@consilium/core/study/broadcast";
import { evaluationForm } from "@consilium/core/study/evaluation";
import type { Contributor } from "@consilium/gate/contributions";
import type { Proposal } from "@consilium/gate/fold";
import type { OneRecord } from "@consilium/gate/record";
import { Bins } from "../shared/columns/binning.js";
import { cutsTold } from "../shared/evaluation/scoreScale.js";
import { noStage } from "../shared/plans/broadcastFaults.js";
import {
  ensemblePredictor,
  evaluationContributor,
  trainingCells,
} from "../shared/records/evaluationRecords.js";
import { proposed, type ToldInput } from "../shared/records/proposal.js";
import { nodeOf, type Route, routeOf } from "../shared/records/route.js";
import { type GrownTrees, grownBefore } from "./broadcastTrees.js";
import { ensembleOf } from "./ensemble.js";
import { classes, type HistBoostStage, type HistBoostStudy, histBoostLayout, leafExponent } from "./study.js";
import { weightOf } from "./weights.js";

/**
 * What a record adds to a stage: each record adds its weight in sixteenths, which depends on the record and on what was broadcast
 * alone, at one entry (leaves) or at one for each of its node's k features (a level). Nothing is kept between stages.
 * @throws ConsiliumError MESSAGE_UNEXPECTED for a stage of another method; as `grownBefore`, before a record is read
 */
export function histBoostProposal(study: HistBoostStudy, id: StageId, input: ToldInput): Proposal {
  const { stages, evaluation } = histBoostLayout(study);
  const { broadcasts } = input;
  if (id === evaluation?.id) {
    const form = evaluationForm(classes);
    const model = modelTold(study, broadcasts);
    const contributor = () => evaluationContributor(study.parameters, { form, ...model });
    return proposed(study, evaluation, contributor);
  }
  const stage = stages.find((one) => one.id === id);
  if (stage === undefined) throw noStage("dp-histboost", id);
  const grown = grownBefore(study, stage, broadcasts);
  return proposed(study, stage, () => weightContributor(study, stage, grown));
}

function modelTold(study: HistBoostStudy, broadcasts: Broadcasts) {
  const { finished } = grownBefore(study, { tree: study.parameters.trees, level: 0 }, broadcasts);
  const form = evaluationForm(classes);
  const predict = ensemblePredictor(ensembleOf(finished), histBoostLayout(study).features, form);
  return { cuts: cutsTold(form, broadcasts), predict };
}

function weightContributor(study: HistBoostStudy, stage: HistBoostStage, grown: GrownTrees): Contributor {
  const { features } = histBoostLayout(study);
  const { nodeOfRecord, weightOfRecord } = weighing(study, grown);
  if (stage.histogram === null) {
    return trainingCells(study.parameters, (record, cells, values) => {
      cells[0] = nodeOfRecord(record) * classes + record.label;
      values[0] = weightOfRecord(record);
      return 1;
    });
  }
  const { nodeFeatures, offsets } = stage.histogram;
  const bins = Bins.for(features);
  return trainingCells(study.parameters, (record, cells, values) => {
    const node = nodeOfRecord(record);
    const asked = nodeFeatures[node]!;
    const starts = offsets[node]!;
    const weight = weightOfRecord(record);
    for (let p = 0; p < asked.length; p++) {
      const feature = asked[p]!;
      cells[p] = starts[p]! + bins.of(feature, record.values[feature]!) * classes + record.label;
      values[p] = weight;
    }
    return asked.length;
  });
}

/** The weight that the finished trees leave a record, and its node in the tree that grows. */
export function weighing(
  study: HistBoostStudy,
  { finished, levels }: GrownTrees,
): {
  readonly nodeOfRecord: (record: OneRecord) => number;
  readonly weightOfRecord: (record: OneRecord) => number;
} {
  const { features } = histBoostLayout(study);
  const growing = routeOf(levels, features);
  const trees = finished.map((tree): { route: Route; leaves: Float64Array } => ({
    route: routeOf(tree.levels, features),
    leaves: tree.leaves,
  }));
  // y·F in units of 2^-24: integers below 2^53, so that the sum is exact.
  const unit = 2 ** leafExponent;
  return {
    nodeOfRecord: ({ values }) => nodeOf(growing, values),
    weightOfRecord({ values, label }) {
      let margin = 0;
      for (const { route, leaves } of trees) margin += leaves[nodeOf(route, values)]!;
      return weightOf(margin * (label === 1 ? unit : -unit));
    },
  };
}
